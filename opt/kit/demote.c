/* demote.c: see demote.h. */
#include "opt/kit/demote.h"

static uint32_t region_of(const struct opt_demotion *d, uint32_t block)
{
    return block < d->region.count ? d->region.at[block] : 0;
}

void opt_demote_region(struct opt_demotion *d, uint32_t block, uint32_t region)
{
    uint32_t old = d->region.count;
    if (block >= old) {
        vec_resize(d->c->scratch, &d->region, block + 1);
        memset(d->region.at + old, 0, (block + 1 - old) * sizeof *d->region.at);
    }
    d->region.at[block] = region;
}

static void define(struct opt_demotion *d, ir_ref r, uint32_t variable)
{
    vec_reserve(d->c->scratch, &d->definitions, d->definitions.count + 1);
    d->definitions.at[d->definitions.count].r = r;
    d->definitions.at[d->definitions.count++].variable = variable;
}

void opt_demote(struct opt_demotion *d, ir_ref value)
{
    if (map_get(&d->variable, value) != MAP_NONE)
        return;
    map_set(d->c->scratch, &d->variable, value, d->values.count);
    define(d, value, d->values.count);
    vec_push(d->c->scratch, &d->values, value);
}

void opt_demote_copy(struct opt_demotion *d, ir_ref value, ir_ref copy)
{
    uint32_t v = map_get(&d->variable, value);
    if (v != MAP_NONE)
        define(d, copy, v);
}

static bool is_direct(const struct opt_demotion *d, ir_ref value, uint32_t block)
{
    uint32_t home = ir_at(d->f, value)->block;
    if (home == IR_NO_BLOCK)
        return true;
    uint32_t region = region_of(d, home);
    return region == 0 || region == region_of(d, block);
}

/* ---- which values need it ---------------------------------------------------------------------------- */

static void note_uses(const struct opt_demotion *d, struct bitset outside, uint32_t block, uint32_t n,
                      const ir_ref *refs)
{
    for (uint32_t i = 0; i < n; i++)
        if (!is_direct(d, refs[i], block))
            bitset_add(outside, refs[i]);
}

struct bitset opt_used_outside(struct opt_demotion *d)
{
    struct bitset outside = bitset_new(d->c->scratch, d->f->ins.count);
    ir_each_block(i, b, d->f) {
        ir_each_ins(r, d->f, b) {
            note_uses(d, outside, b, ir_at(d->f, r)->argc, ir_at(d->f, r)->args);
            note_uses(d, outside, b, ir_at(d->f, r)->token != 0, &ir_at(d->f, r)->token);
        }
        const struct ir_block *block = ir_block_at(d->f, b);
        for (uint32_t e = 0; e < block->edges.count; e++)
            note_uses(d, outside, b, block->edges.at[e].argc, block->edges.at[e].args);
    }
    return outside;
}

static void demote_broken(struct opt_demotion *d, const struct ir_dominators *dominators, uint32_t block,
                          uint32_t n, const ir_ref *refs)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t home = ir_at(d->f, refs[i])->block;
        if (home == IR_NO_BLOCK || home == block || ir_dominates(dominators, home, block))
            continue;
        opt_demote_region(d, home, home + 1);
        opt_demote(d, refs[i]);
    }
}

void opt_demote_broken(struct opt_demotion *d)
{
    opt_invalidate(d->c, d->f);
    const struct ir_cfg *g = opt_cfg(d->c, d->f);
    const struct ir_dominators *dominators = opt_dominators(d->c, d->f);
    for (uint32_t i = 0; i < g->rpo_count; i++) {
        const struct ir_block *b = ir_block_at(d->f, g->rpo[i]);
        ir_each_ins(r, d->f, g->rpo[i])
            demote_broken(d, dominators, g->rpo[i], ir_at(d->f, r)->argc, ir_at(d->f, r)->args);
        for (uint32_t e = 0; e < b->edges.count; e++)
            demote_broken(d, dominators, g->rpo[i], b->edges.at[e].argc, b->edges.at[e].args);
    }
}

/* ---- values become variables, and values again ------------------------------------------------------- */

struct finish {
    struct opt_demotion *d;
    uint32_t *of;
    uint32_t of_capacity;
};

static void touches(struct finish *x, ir_ref r, uint32_t variable)
{
    if (r >= x->of_capacity) {
        uint32_t *grown = arena_array(x->d->c->scratch, uint32_t, r * 2 + 64);
        if (x->of_capacity)
            memcpy(grown, x->of, x->of_capacity * sizeof *grown);
        x->of = grown;
        x->of_capacity = r * 2 + 64;
    }
    x->of[r] = variable + 1;
}

static enum ir_mem access_of(enum ir_type t)
{
    return t == IR_TYPE_I1    ? IR_MEM_B8
           : t == IR_TYPE_I32 ? IR_MEM_I32
           : t == IR_TYPE_I64 ? IR_MEM_I64
           : t == IR_TYPE_F32 ? IR_MEM_F32
           : t == IR_TYPE_F64 ? IR_MEM_F64
                              : IR_MEM_PTR;
}

static ir_ref read_before(struct finish *x, uint32_t block, ir_ref user, uint32_t variable)
{
    struct ir_function *f = x->d->f;
    enum ir_type t = ir_at(f, x->d->values.at[variable])->type;
    struct ir_cursor c = {.fn = f, .block = block, .before = user};
    ir_ref r = ir_emit_load(&c, access_of(t), t, ir_const(f, IR_TYPE_PRIVATE, 0), 0);
    touches(x, r, variable);
    return r;
}

/* Behind the definition; of a parameter, at the start of its block. */
static void write_behind(struct finish *x, ir_ref r, uint32_t variable)
{
    struct ir_function *f = x->d->f;
    const struct ir_ins *ins = ir_at(f, r);
    enum ir_type t = ins->type;
    struct ir_cursor c = {.fn = f, .block = ins->block};
    c.before = ins->op == IR_param ? ir_block_at(f, ins->block)->first : ins->next;
    touches(x, ir_emit_store(&c, access_of(t), ir_const(f, IR_TYPE_PRIVATE, 0), 0, r), variable);
}

static void read_operands(struct finish *x, uint32_t block, ir_ref user, uint32_t n, ir_ref *refs)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = map_get(&x->d->variable, refs[i]);
        if (v != MAP_NONE && !is_direct(x->d, refs[i], block))
            refs[i] = read_before(x, block, user, v);
    }
}

static void read_uses(struct finish *x)
{
    struct ir_function *f = x->d->f;
    ir_each_block(i, b, f) {
        for (ir_ref r = ir_block_at(f, b)->first, next; r; r = next) {
            next = ir_at(f, r)->next;
            read_operands(x, b, r, ir_at(f, r)->argc, ir_at(f, r)->args);
        }
        for (uint32_t e = 0; e < ir_block_at(f, b)->edges.count; e++) {
            struct ir_edge *edge = &ir_block_at(f, b)->edges.at[e];
            read_operands(x, b, ir_terminator(f, b), edge->argc, edge->args);
        }
    }
}

void opt_demote_finish(struct opt_demotion *d)
{
    struct finish x = {.d = d};
    uint32_t n = d->values.count;
    opt_invalidate(d->c, d->f);
    if (n == 0)
        return;
    uint8_t *types = arena_array(d->c->scratch, uint8_t, n);
    const char **names = arena_array(d->c->scratch, const char *, n);
    for (uint32_t v = 0; v < n; v++) {
        types[v] = ir_at(d->f, d->values.at[v])->type;
        names[v] = ir_at(d->f, d->values.at[v])->name;
    }
    read_uses(&x);
    for (uint32_t i = 0; i < d->definitions.count; i++)
        if (ir_at(d->f, d->definitions.at[i].r)->op != IR_none)
            write_behind(&x, d->definitions.at[i].r, d->definitions.at[i].variable);
    touches(&x, d->f->ins.count, 0);
    x.of[d->f->ins.count] = 0;
    opt_construct_ssa(d->c, d->f, &(struct opt_variables){n, types, names, x.of});
}
