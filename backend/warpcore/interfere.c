/* interfere.c: which virtual registers of a class are live at the same time, which registers calls destroy
 * under them, and what each would cost in memory.
 */
#include "backend/warpcore/codegen.h"

struct builder {
    struct wc_context *c;
    struct wc_mfunction *f;
    struct arena *scratch;
    struct wc_graph g;
    uint32_t weight; /* of the block at work */
};

/* Place of the pair in the triangle below the diagonal. */
static size_t bit_of(uint32_t a, uint32_t b)
{
    return a > b ? (size_t)a * (a - 1) / 2 + b : (size_t)b * (b - 1) / 2 + a;
}

static void connect(struct builder *x, uint32_t a, uint32_t b)
{
    if (a == b || wc_vreg(x->f, a)->kind != wc_vreg(x->f, b)->kind)
        return;
    size_t bit = bit_of(a, b);
    if (x->g.matrix[bit >> 6] >> (bit & 63) & 1)
        return;
    x->g.matrix[bit >> 6] |= (uint64_t)1 << (bit & 63);
    vec_push(x->scratch, &x->g.rows[a], b);
    vec_push(x->scratch, &x->g.rows[b], a);
}

static void define(struct builder *x, struct bitset live, uint32_t v)
{
    if (!wc_is_allocated(x->f, v))
        return;
    bitset_each(other, live)
        connect(x, v, other);
}

/* All at once: each conflicts with what is live behind, and with the others. */
static void define_at_once(struct builder *x, struct bitset live, uint32_t n, const uint32_t *list)
{
    for (uint32_t k = 0; k < n; k++)
        if (wc_is_allocated(x->f, list[k]))
            bitset_add(live, list[k]);
    for (uint32_t k = 0; k < n; k++)
        define(x, live, list[k]);
}

static void charge(struct builder *x, uint32_t v, uint32_t cycles)
{
    struct wc_vreg *reg = wc_vreg(x->f, v);
    reg->cost += (float)(x->weight * (reg->repeatable ? 1 : cycles));
}

static void charge_all(struct builder *x, struct wc_mins *i)
{
    uint32_t *fields[4];
    for (unsigned k = 0, n = wc_field_reads(i, fields); k < n; k++)
        charge(x, *fields[k], wc_cycles(WC_ld_private_32));
    if (wc_letter_writes(wc_letters(i->op)[0]))
        charge(x, i->d, wc_cycles(WC_st_private_32));
    for (uint32_t k = 0; k < i->count; k++)
        charge(x, wc_list_at(x->f, i, k), wc_cycles(WC_ld_private_32));
}

/* What stays live over a call may be in no register that the callee writes, nor in one of the arguments'. */
static void forbid(struct builder *x, const struct wc_mins *call, struct bitset live)
{
    uint32_t masks[WC_CLASSES];
    wc_call_clobbers(x->c, x->f, call, masks);
    bitset_each(v, live)
        wc_vreg(x->f, v)->forbidden |= masks[wc_vreg(x->f, v)->kind];
}

/* The address is read when the results are in their places. */
static void keep_address(struct builder *x, const struct wc_mins *i)
{
    uint32_t masks[WC_CLASSES];
    wc_call_clobbers(x->c, x->f, i, masks);
    wc_vreg(x->f, i->a)->forbidden |= masks[WC_CLASS_R];
}

static void visit_code(struct builder *x, struct wc_mins *i, struct bitset live)
{
    charge_all(x, i);
    if (wc_list_writes(i->op))
        define_at_once(x, live, i->count, x->f->lists.at + i->first);
    if (wc_letter_writes(wc_letters(i->op)[0]))
        define(x, live, i->d);
    if (i->op == WC_invoke)
        forbid(x, i, live);
    if (i->op == WC_return)
        keep_address(x, i);
    wc_step_back(x->f, i, live);
}

static void visit_block(struct builder *x, struct wc_block *block, struct bitset live)
{
    x->weight = block->weight;
    bitset_copy(live, block->live_out);
    for (uint32_t k = block->codes.count; k-- > 0;)
        visit_code(x, &block->codes.at[k], live);
    define_at_once(x, live, block->params.count, block->params.at);
    for (uint32_t k = 0; k < block->params.count; k++)
        charge(x, block->params.at[k], wc_cycles(WC_st_private_32));
}

struct wc_graph wc_interference(struct wc_context *c, struct arena *scratch, struct wc_mfunction *f)
{
    uint32_t n = f->vregs.count;
    struct builder x = {.c = c, .f = f, .scratch = scratch};
    size_t bits = (size_t)n * n / 2 + 1;
    x.g =
        (struct wc_graph){n, arena_array(scratch, uint64_t, bits / 64 + 1), arena_array(scratch, u32_vec, n)};
    for (uint32_t v = 0; v < n; v++) {
        wc_vreg(f, v)->forbidden = 0;
        wc_vreg(f, v)->cost = 0;
    }
    struct bitset live = bitset_new(scratch, n);
    for (uint32_t b = 0; b < f->blocks.count; b++)
        visit_block(&x, &f->blocks.at[b], live);
    return x.g;
}
