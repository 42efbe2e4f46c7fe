/* liveness.c: code that nobody needs goes; which virtual registers are live where blocks end.
 *
 * Each lane has registers of its own, written under the mask of active lanes: what is live for a thread is
 * what its own way through the graph reads, whatever other lanes do meanwhile.
 */
#include "backend/warpcore/codegen.h"

bool wc_list_reads(unsigned op)
{
    return op == WC_invoke || op == WC_return || op == WC_print || op == WC_jump;
}

bool wc_list_writes(unsigned op)
{
    return op == WC_params || op == WC_results;
}

unsigned wc_field_reads(struct wc_mins *i, uint32_t *fields[4])
{
    uint32_t *all[] = WC_FIELDS(i);
    const char *letters = wc_letters(i->op);
    unsigned n = 0;
    for (unsigned k = 0; k < COUNT(all); k++)
        if (wc_letter_reads(letters[k]))
            fields[n++] = all[k];
    return n;
}

/* ---- dead code --------------------------------------------------------------------------------------- */

struct place_of {
    uint32_t block, index; /* of a definition; index UINT32_MAX: a parameter */
};
struct sweep {
    struct wc_context *c;
    struct wc_mfunction *f;
    uint32_t *reads;
    struct place_of *def;
    uint32_t *param; /* position of a parameter in its block */
    u32_vec work;
    u32_vec *jumps; /* by block: blocks that jump to it */
};

static void count(struct sweep *s, struct wc_mins *i, int by)
{
    uint32_t *fields[4];
    for (unsigned k = 0, n = wc_field_reads(i, fields); k < n; k++)
        s->reads[*fields[k]] += (uint32_t)by;
    for (uint32_t k = 0; wc_list_reads(i->op) && k < i->count; k++)
        s->reads[wc_list_at(s->f, i, k)] += (uint32_t)by;
}

static void note_unread(struct sweep *s, uint32_t v)
{
    if (v >= WC_V_FIRST && s->reads[v] == 0 && s->def[v].block != UINT32_MAX)
        vec_push(&s->c->arena, &s->work, v);
}

static void collect(struct sweep *s)
{
    struct wc_mfunction *f = s->f;
    for (uint32_t v = 0; v < f->vregs.count; v++)
        s->def[v].block = UINT32_MAX;
    for (uint32_t b = 0; b < f->blocks.count; b++) {
        struct wc_block *block = &f->blocks.at[b];
        for (uint32_t k = 0; k < block->params.count; k++) {
            s->def[block->params.at[k]] = (struct place_of){b, UINT32_MAX};
            s->param[block->params.at[k]] = k;
        }
        for (uint32_t k = 0; k < block->codes.count; k++) {
            struct wc_mins *i = &block->codes.at[k];
            count(s, i, 1);
            if (wc_letter_writes(wc_letters(i->op)[0]) && !i->effect)
                s->def[i->d] = (struct place_of){b, k};
            if (i->op == WC_jump)
                vec_push(&s->c->arena, &s->jumps[block->successors[0]], b);
        }
    }
}

static void drop_code(struct sweep *s, struct wc_mins *i)
{
    uint32_t *fields[4];
    unsigned n = wc_field_reads(i, fields);
    count(s, i, -1);
    for (unsigned k = 0; k < n; k++)
        note_unread(s, *fields[k]);
    i->op = WC_nop;
}

/* Jumps pass nothing for it any more. */
static void drop_param(struct sweep *s, uint32_t v)
{
    uint32_t b = s->def[v].block, at = s->param[v];
    s->f->blocks.at[b].params.at[at] = WC_V_ZERO;
    for (uint32_t k = 0; k < s->jumps[b].count; k++) {
        struct wc_mins *jump = &vec_last(&s->f->blocks.at[s->jumps[b].at[k]].codes);
        uint32_t *arg = &s->f->lists.at[jump->first + at], old = *arg;
        s->reads[old]--;
        *arg = WC_V_ZERO;
        s->reads[WC_V_ZERO]++;
        note_unread(s, old);
    }
}

static void compact(struct wc_mfunction *f)
{
    for (uint32_t b = 0; b < f->blocks.count; b++) {
        wc_mins_vec *codes = &f->blocks.at[b].codes;
        uint32_t kept = 0;
        for (uint32_t k = 0; k < codes->count; k++)
            if (codes->at[k].op != WC_nop)
                codes->at[kept++] = codes->at[k];
        codes->count = kept;
    }
}

void wc_drop_dead(struct wc_context *c, struct wc_mfunction *f)
{
    uint32_t n = f->vregs.count;
    struct sweep s = {.c = c,
                      .f = f,
                      .reads = arena_array(&c->arena, uint32_t, n),
                      .def = arena_array(&c->arena, struct place_of, n),
                      .param = arena_array(&c->arena, uint32_t, n),
                      .jumps = arena_array(&c->arena, u32_vec, f->blocks.count)};
    collect(&s);
    for (uint32_t v = WC_V_FIRST; v < n; v++)
        note_unread(&s, v);
    while (s.work.count) {
        uint32_t v = vec_pop(&s.work);
        struct place_of at = s.def[v];
        if (at.block == UINT32_MAX)
            continue;
        if (at.index == UINT32_MAX)
            drop_param(&s, v);
        else
            drop_code(&s, &f->blocks.at[at.block].codes.at[at.index]);
        s.def[v].block = UINT32_MAX;
    }
    compact(f);
}

/* ---- live registers ---------------------------------------------------------------------------------- */

bool wc_is_allocated(const struct wc_mfunction *f, uint32_t v)
{
    return v >= WC_V_FIRST && wc_vreg(f, v)->home == WC_HOME_REGISTER;
}

static void add(const struct wc_mfunction *f, struct bitset live, uint32_t v)
{
    if (wc_is_allocated(f, v))
        bitset_add(live, v);
}

void wc_step_back(const struct wc_mfunction *f, struct wc_mins *i, struct bitset live)
{
    uint32_t *fields[4];
    if (wc_letter_writes(wc_letters(i->op)[0]))
        bitset_remove(live, i->d);
    for (uint32_t k = 0; wc_list_writes(i->op) && k < i->count; k++)
        bitset_remove(live, wc_list_at(f, i, k));
    for (unsigned k = 0, n = wc_field_reads(i, fields); k < n; k++)
        add(f, live, *fields[k]);
    for (uint32_t k = 0; wc_list_reads(i->op) && k < i->count; k++)
        add(f, live, wc_list_at(f, i, k));
}

/* Last blocks first: they are in reverse post-order. */
struct wc_backward wc_backward_new(struct arena *a, const struct wc_mfunction *f)
{
    struct edge_list edges = {0};
    struct wc_backward w = {0};
    for (uint32_t b = f->blocks.count; b-- > 0;) {
        const struct wc_block *block = &f->blocks.at[b];
        vec_push(a, &w.order, b);
        for (uint32_t k = 0; k < block->successor_count; k++)
            edge_add(a, &edges, block->successors[k], b);
    }
    w.predecessors = rows_of_edges(a, f->blocks.count, &edges);
    return w;
}

/* From what is live where the block ends to where it begins, its parameters not yet there. */
static void live_in(void *data, uint32_t b, struct bitset live)
{
    const struct wc_mfunction *f = data;
    const struct wc_block *block = &f->blocks.at[b];
    for (uint32_t k = block->codes.count; k-- > 0;)
        wc_step_back(f, &block->codes.at[k], live);
    for (uint32_t k = 0; k < block->params.count; k++)
        bitset_remove(live, block->params.at[k]);
}

void wc_liveness(struct arena *scratch, struct wc_mfunction *f)
{
    struct wc_backward w = wc_backward_new(scratch, f);
    struct ir_dataflow d = {&w.predecessors, &w.order, f->vregs.count, live_in, f, NULL};
    struct bitset *out = ir_dataflow_solve(scratch, &d);
    for (uint32_t b = 0; b < f->blocks.count; b++)
        f->blocks.at[b].live_out = out[b];
}
