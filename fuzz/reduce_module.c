/* reduce_module.c: makes a failing module smaller: edges are dropped, instructions and parameters give way to
 * constants or to their own operands, constants to zero; many at a time first, then fewer (delta debugging).
 *
 * An edit is made in a module parsed anew from the program's text, so that undoing it is to forget it. What
 * it leaves without use is swept out, and what the verifier refuses is not tried.
 */
#include "fuzz/reduce.h"
#include "fuzz/reference_e.h"
#include "ir/analysis/analysis.h"

enum { EDGES = 8 }; /* of a block, as numbered by sites */

/* ---- edits ------------------------------------------------------------------------------------------- */

static void replace(struct ir_function *f, ir_ref r, ir_ref by)
{
    struct arena a = {0};
    ir_ref *to = arena_array(&a, ir_ref, f->ins.count);
    to[r] = by;
    ir_substitute(f, to);
    arena_free(&a);
}

static bool is_removable(const struct ir_function *f, ir_ref r)
{
    const struct ir_ins *ins = ir_at(f, r);
    return ins->block != IR_NO_BLOCK && ins->op != IR_param && ins->op != IR_constant &&
           !(ir_op_info[ins->op].flags & IR_TERMINATOR);
}

static bool is_number(enum ir_type t)
{
    return t == IR_TYPE_I1 || t == IR_TYPE_I32 || t == IR_TYPE_I64;
}

/* A token gives way to its operand. */
static bool make_constant(struct ir_function *f, ir_ref r, uint32_t value)
{
    enum ir_type t = (enum ir_type)ir_at(f, r)->type;
    if (!is_removable(f, r) || (value && !is_number(t)))
        return false;
    if (is_number(t))
        replace(f, r, ir_const(f, t, value));
    else if (ir_at(f, r)->token && t == IR_TYPE_TOKEN)
        replace(f, r, ir_at(f, r)->token);
    ir_remove(f, r);
    return true;
}

static bool make_zero(struct ir_function *f, uint32_t at)
{
    return make_constant(f, at, 0);
}
static bool make_one(struct ir_function *f, uint32_t at)
{
    return make_constant(f, at, 1);
}

static bool make_operand(struct ir_function *f, uint32_t at)
{
    const struct ir_ins *ins = ir_at(f, at);
    for (uint32_t i = 0; is_removable(f, at) && i < ins->argc; i++)
        if (ins->type == ir_at(f, ins->args[i])->type && ir_at(f, ins->args[i])->op != IR_constant) {
            replace(f, at, ins->args[i]);
            ir_remove(f, at);
            return true;
        }
    return false;
}

static bool zero_operands(struct ir_function *f, uint32_t at)
{
    const struct ir_ins *ins = ir_at(f, at);
    scalar_bits bits;
    bool any = false;
    for (uint32_t i = 0; ins->block != IR_NO_BLOCK && i < ins->argc; i++) {
        ir_ref a = ins->args[i];
        if (ir_is_const(f, a, &bits) && bits != 0 && is_number((enum ir_type)ir_at(f, a)->type)) {
            ir_ref zero = ir_const(f, (enum ir_type)ir_at(f, a)->type, 0);
            ins = ir_at(f, at);
            ins->args[i] = zero;
            any = true;
        }
    }
    return any;
}

static bool drop_param(struct ir_function *f, uint32_t at)
{
    const struct ir_ins *ins = ir_at(f, at);
    if (ins->op != IR_param || ins->block == IR_NO_BLOCK || ins->block == ir_entry(f))
        return false;
    uint32_t block = ins->block, position = (uint32_t)ins->imm;
    replace(f, at, ir_const(f, (enum ir_type)ins->type, 0));
    ir_param_remove(f, block, position);
    return true;
}

static struct ir_edge *edge_at(struct ir_function *f, uint32_t at)
{
    struct ir_block *b = ir_block_at(f, at / EDGES);
    return !b->removed && at % EDGES < b->edges.count ? &b->edges.at[at % EDGES] : NULL;
}

static bool zero_arguments(struct ir_function *f, uint32_t at)
{
    struct ir_edge *e = edge_at(f, at);
    bool any = false;
    for (uint32_t i = 0; e && i < e->argc; i++) {
        scalar_bits bits;
        if (ir_is_const(f, e->args[i], &bits) && bits == 0)
            continue;
        e->args[i] = ir_const(f, (enum ir_type)ir_at(f, e->args[i])->type, 0);
        any = true;
    }
    return any;
}

static void make_br(struct ir_function *f, uint32_t b)
{
    struct ir_cursor c = {f, b, 0, {0, 0}};
    ir_remove(f, ir_terminator(f, b));
    ir_emit0(&c, IR_br, IR_TYPE_VOID);
}

static bool drop_edge(struct ir_function *f, uint32_t at)
{
    struct ir_edge *e = edge_at(f, at);
    struct ir_block *b = ir_block_at(f, at / EDGES);
    bool is_switch = e && ir_at(f, b->last)->op == IR_switch;
    if (!e || b->edges.count < 2 || (is_switch && at % EDGES == 0))
        return false;
    memmove(e, e + 1, (--b->edges.count - at % EDGES) * sizeof *e);
    if (!is_switch)
        make_br(f, at / EDGES);
    return true;
}

static bool return_early(struct ir_function *f, uint32_t at)
{
    struct ir_block *b = ir_block_at(f, at / EDGES);
    struct ir_cursor c = {f, at / EDGES, 0, {0, 0}};
    if (at % EDGES || b->removed || b->edges.count == 0)
        return false;
    b->edges.count = 0;
    ir_remove(f, b->last);
    ir_emit_ret(&c, f->result == IR_TYPE_VOID ? 0 : ir_const(f, (enum ir_type)f->result, 0));
    return true;
}

static const struct edit {
    bool (*apply)(struct ir_function *f, uint32_t at);
    bool of_edges;
} edits[] = {
    {return_early, true}, {drop_edge, true},   {make_zero, false},     {make_operand, false},
    {make_one, false},    {drop_param, false}, {zero_arguments, true}, {zero_operands, false},
};

/* ---- sweeping ---------------------------------------------------------------------------------------- */

static void remove_unreachable(struct arena *a, struct ir_function *f)
{
    struct ir_cfg *c = ir_cfg_new(a, f);
    struct bitset dead = bitset_new(a, f->blocks.count);
    ir_each_block(i, b, f)
        if (!bitset_has(c->reachable, b))
            bitset_add(dead, b);
    ir_blocks_remove(f, dead);
}

static void note(struct bitset used, const ir_ref *refs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        bitset_add(used, refs[i]);
}

static struct bitset used_values(struct arena *a, const struct ir_function *f)
{
    struct bitset used = bitset_new(a, f->ins.count);
    ir_each_block(i, b, f) {
        ir_each_ins(r, f, b) {
            note(used, ir_at(f, r)->args, ir_at(f, r)->argc);
            bitset_add(used, ir_at(f, r)->token);
        }
        for (uint32_t e = 0; e < ir_block_at(f, b)->edges.count; e++)
            note(used, ir_block_at(f, b)->edges.at[e].args, ir_block_at(f, b)->edges.at[e].argc);
    }
    return used;
}

/* Values that nobody uses, but for convergent operations and calls: whether those matter is to be tried. */
static bool remove_unused(struct arena *a, struct ir_function *f)
{
    struct bitset used = used_values(a, f);
    bool any = false;
    ir_each_block(i, b, f) {
        for (ir_ref r = ir_block_at(f, b)->first, next; r; r = next) {
            next = ir_at(f, r)->next;
            if (bitset_has(used, r) || ir_has_effect(f, r) || ir_is_convergent(f, r))
                continue;
            ir_remove(f, r);
            any = true;
        }
        for (uint32_t k = ir_block_at(f, b)->params.count; b != ir_entry(f) && k-- > 0;)
            if (!bitset_has(used, ir_block_at(f, b)->params.at[k])) {
                ir_param_remove(f, b, k);
                any = true;
            }
    }
    return any;
}

/* A block that only a br leads to becomes the end of the one before. */
static bool merge(struct arena *a, struct ir_function *f, uint32_t b)
{
    struct ir_cfg *c = ir_cfg_new(a, f);
    struct ir_block *block = ir_block_at(f, b);
    uint32_t to = block->edges.count == 1 ? block->edges.at[0].block : IR_NO_BLOCK;
    if (to == IR_NO_BLOCK || ir_pred_count(c, to) != 1 || to == b)
        return false;
    struct ir_block *next = ir_block_at(f, to);
    struct ir_cursor end = {f, b, 0, {0, 0}};
    while (next->params.count > 0) {
        replace(f, next->params.at[0], block->edges.at[0].args[0]);
        ir_param_remove(f, to, 0);
    }
    ir_remove(f, block->last);
    for (ir_ref r = next->first, after; r; r = after) {
        after = ir_at(f, r)->next;
        ir_unlink(f, r);
        ir_link(&end, r);
    }
    block->edges.count = 0;
    for (uint32_t e = 0; e < next->edges.count; e++)
        vec_push(&f->module->arena, &block->edges, next->edges.at[e]);
    ir_block_remove(f, to);
    return true;
}

static bool names_function(enum ir_op op)
{
    return op == IR_call || op == IR_function || op == IR_predict_function;
}

static bool is_called(const struct ir_module *m, uint32_t callee)
{
    for (uint32_t i = 0; i < m->functions.count; i++)
        ir_each_block(k, b, m->functions.at[i])
            ir_each_ins(r, m->functions.at[i], b) {
                const struct ir_ins *ins = ir_at(m->functions.at[i], r);
                if (names_function(ins->op) && ins->imm == callee)
                    return true;
            }
    return m->functions.at[callee]->flags & (IR_FN_KERNEL | IR_FN_TAKEN);
}

/* Numbers that objects hold stay what they are. */
static bool is_numbered(const struct ir_module *m)
{
    bool taken = false;
    for (uint32_t i = 0; i < m->functions.count; i++)
        taken |= (m->functions.at[i]->flags & IR_FN_TAKEN) != 0;
    return taken;
}

static void remove_function(struct ir_module *m, uint32_t dead)
{
    memmove(m->functions.at + dead, m->functions.at + dead + 1,
            (--m->functions.count - dead) * sizeof *m->functions.at);
    for (uint32_t i = 0; i < m->functions.count; i++) {
        m->functions.at[i]->id = i;
        ir_each_block(k, b, m->functions.at[i])
            ir_each_ins(r, m->functions.at[i], b) {
                struct ir_ins *ins = ir_at(m->functions.at[i], r);
                ins->imm -= names_function(ins->op) && ins->imm > dead;
            }
    }
    for (uint32_t i = 0; i < m->kernels.count; i++)
        m->kernels.at[i].function -= m->kernels.at[i].function > dead;
}

static void sweep(struct ir_module *m)
{
    struct arena a = {0};
    for (uint32_t i = m->functions.count; i-- > 0;) {
        struct ir_function *f = m->functions.at[i];
        remove_unreachable(&a, f);
        while (remove_unused(&a, f))
            ;
        for (uint32_t k = 0; k < f->order.count; k++)
            while (merge(&a, f, f->order.at[k]))
                k = 0;
        if (!is_called(m, i) && !is_numbered(m))
            remove_function(m, i);
    }
    arena_free(&a);
}

/* ---- trying ------------------------------------------------------------------------------------------ */

/* The text of the module after the edit at the sites; NULL: nothing changed, or it would not be valid. */
static const char *edited(struct fz_reducer *r, const struct edit *e, uint32_t function, uint32_t from,
                          uint32_t end)
{
    struct ir_module *m = fz_parse_module(r->p);
    struct arena a = {0};
    struct diagnostics d;
    struct text t = {0};
    const char *result = NULL;
    bool any = false;
    diag_init(&d, &a, NULL);
    while (end-- > from)
        any |= e->apply(m->functions.at[function], end);
    if (any)
        sweep(m);
    if (any && ir_verify(m, &d)) {
        ir_print_module(m, &t);
        result = arena_strdup(r->p->arena, t.at, t.length);
        text_free(&t);
    }
    arena_free(&a);
    ir_module_free(m);
    return result;
}

static void try_sites(struct fz_reducer *r, const struct edit *e, uint32_t function, uint32_t from,
                      uint32_t end)
{
    const char *old = r->p->module, *new = edited(r, e, function, from, end);
    if (!new || strcmp(old, new) == 0)
        return;
    r->p->module = new;
    if (!fz_reduce_try(r))
        r->p->module = old;
}

/* Sites of the edit in the function as it is now; 0 functions from there on. */
static uint32_t count_sites(const struct fz_reducer *r, const struct edit *e, uint32_t function)
{
    struct ir_module *m = fz_parse_module(r->p);
    const struct ir_function *f = function < m->functions.count ? m->functions.at[function] : NULL;
    uint32_t n = !f ? 0 : e->of_edges ? f->blocks.count * EDGES : f->ins.count;
    ir_module_free(m);
    return n;
}

static uint32_t count_functions(const struct fz_reducer *r)
{
    struct ir_module *m = fz_parse_module(r->p);
    uint32_t n = m->functions.count;
    ir_module_free(m);
    return n;
}

void fz_reduce_module(struct fz_reducer *r)
{
    for (size_t e = 0; e < COUNT(edits); e++)
        for (uint32_t f = count_functions(r); f-- > 0;)
            for (uint32_t size = edits[e].of_edges ? 1 : 32; size > 0; size /= 2)
                for (uint32_t end = count_sites(r, &edits[e], f), n; end > 0; end = end < n ? end : n) {
                    uint32_t from = end > size ? end - size : 0;
                    try_sites(r, &edits[e], f, from, end);
                    n = count_sites(r, &edits[e], f);
                    end = from;
                }
}
