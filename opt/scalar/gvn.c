/* gvn.c: equal expressions get one value.
 *
 * Dominator-based value numbering (P. Briggs, K. Cooper, L. Simpson, "Value numbering", 1997, section 4): a
 * walk over the dominator tree with a hash table whose entries are forgotten when their subtree is left,
 * children in reverse post-order, so that the arguments of a parameter are known before it but for back
 * edges. Each expression is simplified first (simplify.c). Loads from constant memory are expressions.
 *
 * A convergent operation's value depends on the threads that execute it together: two of them with the same
 * token are equal where the same threads come by both (co_execution.c): in one block, or with no divergent
 * branch between them that decides who does. Near-linear.
 */
#include "opt/kit/co_execution.h"

struct entry {
    ir_ref r;
    uint32_t next, bucket;
};

struct gvn {
    struct opt_context *c;
    struct ir_function *f;
    const struct ir_cfg *g;
    const struct ir_dominators *d;
    struct opt_renaming renaming;
    uint32_t *heads, mask; /* buckets: index of the latest entry plus 1 */
    VEC(struct entry) entries;
    struct bitset dead_params;
    struct opt_co_execution co_execution; /* if there are two convergent expressions or more */
    bool changed, params_changed;
};

/* ---- expressions ------------------------------------------------------------------------------------- */

static bool is_expression(const struct gvn *v, const struct ir_ins *ins)
{
    uint16_t flags = ir_op_info[ins->op].flags;
    switch (ins->op) {
    case IR_ptradd:
    case IR_ptrcast:
    case IR_object:
    case IR_function:
    case IR_special: return true;
    case IR_load: return ir_at(v->f, ins->args[0])->type == IR_TYPE_CONSTANT;
    default:
        return ir_is_pure(ins->op) ||
               (flags & IR_CONVERGENT && !(flags & (IR_EFFECT | IR_WRITES | IR_READS)) &&
                !opt_is_token_op(ins->op));
    }
}

static bool commutes(const struct ir_ins *ins)
{
    return ir_op_info[ins->op].flags & IR_COMMUTES;
}

static uint64_t hash_of(const struct ir_ins *ins)
{
    uint64_t h = hash_mix((uint64_t)ins->op << 32 | (uint64_t)ins->type << 8 | ins->mem,
                          (uint64_t)ins->imm ^ ins->token);
    if (commutes(ins))
        return hash_mix(h, (uint64_t)(ins->args[0] < ins->args[1] ? ins->args[0] : ins->args[1]) << 32 |
                               (ins->args[0] < ins->args[1] ? ins->args[1] : ins->args[0]));
    for (uint32_t i = 0; i < ins->argc; i++)
        h = hash_mix(h, ins->args[i]);
    return h;
}

static bool same_args(const struct ir_ins *a, const struct ir_ins *b)
{
    if (a->argc == 0 || memcmp(a->args, b->args, a->argc * sizeof *a->args) == 0)
        return true;
    return commutes(a) && a->args[0] == b->args[1] && a->args[1] == b->args[0];
}

static bool equal(const struct ir_ins *a, const struct ir_ins *b)
{
    bool alike = a->imm2 == b->imm2 || a->op == IR_load; /* of a load it is the wide access that it begins */
    return a->op == b->op && a->type == b->type && a->mem == b->mem && a->imm == b->imm && alike &&
           a->token == b->token && a->argc == b->argc && same_args(a, b);
}

/* The equal expression seen before that dominates this place, or 0. */
static ir_ref find_leader(const struct gvn *v, const struct ir_ins *ins, uint32_t bucket)
{
    for (uint32_t at = v->heads[bucket]; at; at = v->entries.at[at - 1].next)
        if (equal(ir_at(v->f, v->entries.at[at - 1].r), ins))
            return v->entries.at[at - 1].r;
    return 0;
}

static void replace(struct gvn *v, ir_ref r, ir_ref by)
{
    opt_rename(&v->renaming, v->f, r, by);
    ir_remove(v->f, r);
    v->changed = true;
}

static bool is_convergent_expression(const struct gvn *v, ir_ref r)
{
    return ir_op_info[ir_at(v->f, r)->op].flags & IR_CONVERGENT && is_expression(v, ir_at(v->f, r));
}

/* Whether r's value is that of an equal expression that dominates it. */
static bool is_same_value(struct gvn *v, ir_ref leader, ir_ref r)
{
    const struct ir_ins *ins = ir_at(v->f, r);
    if (!is_convergent_expression(v, r) ||
        opt_co_execute(&v->co_execution, ir_at(v->f, leader)->block, ins->block, ins->token))
        return true;
    opt_remark(v->c, v->f, OPT_MISSED, "convergent", ir_at(v->f, r)->at,
               "'%s' not merged with the one before the branch: other threads may take part",
               ir_op_info[ir_at(v->f, r)->op].text);
    return false;
}

static void number_expression(struct gvn *v, ir_ref r)
{
    const struct ir_ins *ins = ir_at(v->f, r);
    uint32_t bucket = (uint32_t)hash_of(ins) & v->mask;
    ir_ref leader = find_leader(v, ins, bucket);
    if (leader && is_same_value(v, leader, r)) {
        replace(v, r, leader);
        opt_count(v->c, "expressions merged", 1);
        return;
    }
    vec_push(v->c->scratch, &v->entries, ((struct entry){r, v->heads[bucket], bucket}));
    v->heads[bucket] = v->entries.count;
}

static void rename_operands(struct gvn *v, ir_ref r)
{
    struct ir_ins *ins = ir_at(v->f, r);
    for (uint32_t i = 0; i < ins->argc; i++)
        ins->args[i] = opt_renamed(&v->renaming, ins->args[i]);
}

static void visit_instruction(struct gvn *v, ir_ref r)
{
    rename_operands(v, r);
    ir_ref simpler = opt_simplify(v->f, r, &v->changed);
    if (simpler) {
        replace(v, r, simpler);
        opt_count(v->c, "expressions simplified", 1);
    } else if (is_expression(v, ir_at(v->f, r))) {
        number_expression(v, r);
    }
}

/* ---- parameters -------------------------------------------------------------------------------------- */

/* The one value that all edges pass (besides the parameter itself), or 0. */
static ir_ref only_argument(struct gvn *v, ir_ref param, uint32_t b, uint32_t position)
{
    ir_ref only = 0;
    for (uint32_t at = v->g->pred_start[b]; at < v->g->pred_start[b + 1]; at++) {
        uint32_t p = v->g->preds[at];
        if (!v->d->depth[p])
            continue;
        ir_ref arg =
            opt_renamed(&v->renaming, ir_block_at(v->f, p)->edges.at[v->g->pred_edges[at]].args[position]);
        if (arg == param || arg == only)
            continue;
        if (only)
            return 0;
        only = arg;
    }
    return only;
}

static bool same_arguments(struct gvn *v, uint32_t b, uint32_t i, uint32_t j)
{
    for (uint32_t at = v->g->pred_start[b]; at < v->g->pred_start[b + 1]; at++) {
        const ir_ref *args = ir_block_at(v->f, v->g->preds[at])->edges.at[v->g->pred_edges[at]].args;
        if (opt_renamed(&v->renaming, args[i]) != opt_renamed(&v->renaming, args[j]))
            return false;
    }
    return true;
}

static uint64_t hash_arguments(struct gvn *v, uint32_t b, uint32_t position)
{
    uint64_t h = ir_at(v->f, ir_block_at(v->f, b)->params.at[position])->type;
    for (uint32_t at = v->g->pred_start[b]; at < v->g->pred_start[b + 1]; at++)
        h = hash_mix(
            h,
            opt_renamed(&v->renaming,
                        ir_block_at(v->f, v->g->preds[at])->edges.at[v->g->pred_edges[at]].args[position]));
    return h;
}

static void replace_param(struct gvn *v, ir_ref param, ir_ref by)
{
    opt_rename(&v->renaming, v->f, param, by);
    bitset_add(v->dead_params, param);
    opt_count(v->c, "parameters merged", 1);
    v->changed = v->params_changed = true;
}

/* One of two parameters that get the same arguments on every edge is enough. */
static void merge_params(struct gvn *v, uint32_t b)
{
    const u32_vec *params = &ir_block_at(v->f, b)->params;
    struct map seen = {0};
    for (uint32_t i = 0; i < params->count; i++) {
        if (bitset_has(v->dead_params, params->at[i]))
            continue;
        uint64_t key = hash_arguments(v, b, i);
        uint32_t first = map_get(&seen, key);
        if (first == MAP_NONE)
            map_set(v->c->scratch, &seen, key, i);
        else if (ir_at(v->f, params->at[i])->type == ir_at(v->f, params->at[first])->type &&
                 same_arguments(v, b, first, i))
            replace_param(v, params->at[i], params->at[first]);
    }
}

static void visit_params(struct gvn *v, uint32_t b)
{
    const u32_vec *params = &ir_block_at(v->f, b)->params;
    if (b == ir_entry(v->f) || params->count == 0)
        return;
    for (uint32_t i = 0; i < params->count; i++) {
        ir_ref by = only_argument(v, params->at[i], b, i);
        if (by)
            replace_param(v, params->at[i], by);
    }
    if (params->count > 1)
        merge_params(v, b);
}

/* ---- the walk ---------------------------------------------------------------------------------------- */

struct tree {
    uint32_t *first, *next; /* children of each block; index plus 1 */
};

static struct tree children_in_order(struct gvn *v)
{
    struct tree t = {arena_array(v->c->scratch, uint32_t, v->g->blocks),
                     arena_array(v->c->scratch, uint32_t, v->g->blocks)};
    for (uint32_t i = v->g->rpo_count; i-- > 1;) {
        uint32_t b = v->g->rpo[i], parent = v->d->idom[b];
        t.next[b] = t.first[parent];
        t.first[parent] = b + 1;
    }
    return t;
}

static void forget(struct gvn *v, uint32_t count)
{
    while (v->entries.count > count) {
        struct entry e = vec_pop(&v->entries);
        v->heads[e.bucket] = e.next;
    }
}

static void visit_block(struct gvn *v, uint32_t b)
{
    visit_params(v, b);
    for (ir_ref r = ir_block_at(v->f, b)->first, next; r; r = next) {
        next = ir_at(v->f, r)->next;
        visit_instruction(v, r);
    }
}

static void walk(struct gvn *v)
{
    struct tree t = children_in_order(v);
    struct scope {
        uint32_t block, entries;
    };
    VEC(struct scope) path = {0};
    visit_block(v, ir_entry(v->f));
    vec_push(v->c->scratch, &path, ((struct scope){ir_entry(v->f), v->entries.count}));
    while (path.count) {
        struct scope *top = &vec_last(&path);
        uint32_t child = t.first[top->block];
        forget(v, top->entries);
        if (!child) {
            (void)vec_pop(&path);
            continue;
        }
        t.first[top->block] = t.next[child - 1];
        visit_block(v, child - 1);
        vec_push(v->c->scratch, &path, ((struct scope){child - 1, v->entries.count}));
    }
}

/* Before anything is renamed, and only if it may be asked for. */
static void prepare_co_execution(struct gvn *v)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < v->g->rpo_count; i++)
        ir_each_ins(r, v->f, v->g->rpo[i])
            n += is_convergent_expression(v, r);
    if (n < 2)
        return;
    v->co_execution = opt_co_execution_new(v->c, v->f);
}

bool opt_gvn(struct opt_context *c, struct ir_function *f)
{
    struct gvn v = {
        .c = c, .f = f, .g = opt_cfg(c, f), .d = opt_dominators(c, f), .renaming.arena = c->scratch};
    uint32_t buckets = 64;
    while (buckets < f->ins.count)
        buckets *= 2;
    v.heads = arena_array(c->scratch, uint32_t, buckets);
    v.mask = buckets - 1;
    v.dead_params = bitset_new(c->scratch, f->ins.count);
    prepare_co_execution(&v);
    walk(&v);
    opt_rename_all(&v.renaming, f);
    if (v.params_changed)
        opt_params_remove(f, v.dead_params);
    return v.changed;
}
