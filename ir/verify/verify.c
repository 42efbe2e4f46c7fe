/* verify.c: checks of modules and functions; the rules are in rules.def.
 *
 * In layers: structure first, since all else walks it; then types, then what needs the control-flow graph.
 * A function whose structure is broken is looked at no further.
 */
#include "ir/verify/verify.h"

#include "ir/text/syntax.h"

const struct ir_rule_info ir_rule_info[IR_RULES] = {
#define TEXT                          true
#define API                           false
#define RULE(ID, name, kind, meaning) {name, meaning, kind},
#include "ir/verify/rules.def"
#undef TEXT
#undef API
};

static void report(struct verifier *v, enum ir_rule rule, place at, const char *what, const char *ins)
{
    v->broken = true;
    diag_add(v->d, DIAG_ERROR, ir_rule_info[rule].name, (span){.at = at}, "%s%s%s%s%s%s", v->fn ? "in @" : "",
             v->fn ? v->fn->name : "", v->fn ? ": " : "", what, ins ? ": " : "", ins ? ins : "");
}

void ir_rule_broken(struct verifier *v, enum ir_rule rule, place at, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    report(v, rule, at, arena_vprintf(v->scratch, fmt, args), NULL);
    va_end(args);
}

/* The instruction's text in the scratch arena. */
static const char *shown(struct verifier *v, ir_ref r)
{
    struct text t = {.arena = v->scratch};
    ir_print_ins(v->fn, r, &t);
    return t.at;
}

/* Showing costs a walk over the function, so it is done only while messages are still wanted. */
void ir_ins_broken(struct verifier *v, enum ir_rule rule, ir_ref r, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const char *what = arena_vprintf(v->scratch, fmt, args);
    va_end(args);
    report(v, rule, ir_at(v->fn, r)->at, what, v->d->stopped ? NULL : shown(v, r));
}

/* ---- blocks ---------------------------------------------------------------------------------------- */

static void check_signature(struct verifier *v)
{
    const struct ir_function *f = v->fn;
    if (f->result == IR_TYPE_TOKEN)
        ir_rule_broken(v, IR_RULE_PARAM, f->at, "a function gives no token");
    if (f->flags & IR_FN_KERNEL && f->result != IR_TYPE_VOID)
        ir_rule_broken(v, IR_RULE_KERNEL_TYPE, f->at, "a kernel gives no value");
    ir_each_block(i, b, f) {
        const u32_vec *params = &ir_block_at(f, b)->params;
        for (uint32_t p = 0; p < params->count; p++) {
            uint8_t type = ir_at(f, params->at[p])->type;
            if (type == IR_TYPE_VOID || type == IR_TYPE_TOKEN)
                ir_rule_broken(v, IR_RULE_PARAM, ir_at(f, params->at[p])->at, "a parameter has type %s",
                               ir_type_info[type].text);
        }
    }
}

static void check_terminators(struct verifier *v, uint32_t b)
{
    const struct ir_block *block = ir_block_at(v->fn, b);
    if (!block->last) {
        char name[64];
        ir_rule_broken(v, IR_RULE_TERMINATOR, v->fn->at, "the block %s is empty",
                       ir_block_name(v->fn, b, name));
        return;
    }
    ir_each_ins(r, v->fn, b) {
        bool terminates = ir_op_info[ir_at(v->fn, r)->op].flags & IR_TERMINATOR;
        if (terminates != (r == block->last))
            ir_ins_broken(v, IR_RULE_TERMINATOR, r,
                          terminates ? "something follows a terminator"
                                     : "the block's last instruction is no terminator");
    }
}

static void check_successors(struct verifier *v, uint32_t b)
{
    const struct ir_block *block = ir_block_at(v->fn, b);
    uint16_t op = ir_at(v->fn, block->last)->op;
    uint32_t n = block->edges.count;
    if (op == IR_switch ? n < 1 : n != (op == IR_br ? 1 : op == IR_brif ? 2 : 0))
        ir_ins_broken(v, IR_RULE_SUCCESSORS, block->last, "the block has %u successors", n);
    if (block->reconverge != IR_NO_BLOCK && op != IR_brif && op != IR_switch)
        ir_ins_broken(v, IR_RULE_RECONVERGE, block->last, "this does not branch");
    if (block->predicated && op != IR_brif)
        ir_ins_broken(v, IR_RULE_PREDICATED, block->last, "this does not branch by a condition");
    if (block->overhead && n == 0)
        ir_ins_broken(v, IR_RULE_OVERHEAD, block->last, "this goes nowhere");
}

static void check_edge(struct verifier *v, ir_ref from, const struct ir_edge *e)
{
    const u32_vec *params = &ir_block_at(v->fn, e->block)->params;
    if (e->block == ir_entry(v->fn))
        ir_ins_broken(v, IR_RULE_ENTRY, from, "an edge leads to the entry block");
    if (e->argc != params->count) {
        ir_ins_broken(v, IR_RULE_EDGE_ARGS, from, "%u arguments for %u parameters", e->argc, params->count);
        return;
    }
    for (uint32_t i = 0; i < e->argc; i++) {
        enum ir_type given = ir_at(v->fn, e->args[i])->type, wanted = ir_at(v->fn, params->at[i])->type;
        if (given == IR_TYPE_TOKEN)
            ir_ins_broken(v, IR_RULE_TOKEN_FLOW, from, "a token is an argument of an edge");
        else if (given != wanted)
            ir_ins_broken(v, IR_RULE_EDGE_ARGS, from, "argument %u is %s, the parameter %s", i + 1,
                          ir_type_info[given].text, ir_type_info[wanted].text);
    }
}

static void check_cases(struct verifier *v, uint32_t b)
{
    const struct ir_block *block = ir_block_at(v->fn, b);
    const struct ir_ins *ins = ir_at(v->fn, block->last);
    struct map seen = {0};
    bool narrow = ins->argc && ir_at(v->fn, ins->args[0])->type == IR_TYPE_I32;
    for (uint32_t i = 1; ins->op == IR_switch && i < block->edges.count; i++) {
        int64_t value = block->edges.at[i].value;
        if (narrow && (value < INT32_MIN || value > INT32_MAX))
            ir_ins_broken(v, IR_RULE_CASES, block->last, "%lld is no i32", (long long)value);
        if (map_get(&seen, (uint64_t)value) != MAP_NONE)
            ir_ins_broken(v, IR_RULE_CASES, block->last, "there are two cases %lld", (long long)value);
        map_set(v->scratch, &seen, (uint64_t)value, i);
    }
}

static bool check_blocks(struct verifier *v)
{
    ir_each_block(i, b, v->fn)
        check_terminators(v, b);
    if (v->broken)
        return false;
    ir_each_block(i, b, v->fn) {
        check_successors(v, b);
        for (uint32_t e = 0; e < ir_block_at(v->fn, b)->edges.count; e++)
            check_edge(v, ir_terminator(v->fn, b), &ir_block_at(v->fn, b)->edges.at[e]);
        check_cases(v, b);
    }
    return !v->broken;
}

/* ---- dominance ------------------------------------------------------------------------------------- */

/* Whether the value is there before position `at` of block b. Code that nothing reaches may use anything. */
static bool available(const struct verifier *v, const struct ir_dominators *dom, ir_ref value, uint32_t b,
                      uint32_t at)
{
    const struct ir_ins *ins = ir_at(v->fn, value);
    if (ins->op == IR_constant || !dom->depth[b])
        return true;
    if (ins->block == b)
        return ins->op == IR_param || v->position[value] < at;
    return ir_dominates(dom, ins->block, b);
}

static void check_uses(struct verifier *v, const struct ir_dominators *dom, ir_ref user, uint32_t n,
                       const ir_ref *refs)
{
    const struct ir_ins *ins = ir_at(v->fn, user);
    for (uint32_t i = 0; i < n; i++)
        if (refs[i] && !available(v, dom, refs[i], ins->block, v->position[user]))
            ir_ins_broken(v, IR_RULE_DOMINANCE, user, "a value is used where it may not have been made");
}

static void check_dominance(struct verifier *v, const struct ir_cfg *c)
{
    const struct ir_function *f = v->fn;
    const struct ir_dominators *dom = ir_dominators_new(v->scratch, c);
    ir_each_block(i, b, f) {
        ir_each_ins(r, f, b) {
            check_uses(v, dom, r, ir_at(f, r)->argc, ir_at(f, r)->args);
            check_uses(v, dom, r, 1, &ir_at(f, r)->token);
        }
        const struct ir_block *block = ir_block_at(f, b);
        for (uint32_t e = 0; e < block->edges.count; e++)
            check_uses(v, dom, block->last, block->edges.at[e].argc, block->edges.at[e].args);
    }
}

/* ---- functions and modules ------------------------------------------------------------------------- */

static void check_function(struct verifier *v)
{
    const struct ir_function *f = v->fn;
    if (!ir_verify_structure(v))
        return;
    check_signature(v);
    ir_each_block(i, b, f)
        ir_each_ins(r, f, b)
            ir_verify_ins(v, r);
    if (!check_blocks(v))
        return;
    struct ir_cfg *c = ir_cfg_new(v->scratch, f);
    check_dominance(v, c);
    ir_verify_convergence(v, c);
}

bool ir_verify_function(const struct ir_function *f, struct diagnostics *d)
{
    struct scratch scratch;
    struct verifier v = {.m = f->module, .fn = f, .d = d, .scratch = scratch_begin(&scratch)};
    check_function(&v);
    scratch_end(&scratch);
    return !v.broken;
}

static void check_module(struct verifier *v)
{
    ir_verify_tables(v);
    if (v->broken)
        return;
    for (uint32_t i = 0; i < v->m->functions.count; i++)
        v->broken |= !ir_verify_function(v->m->functions.at[i], v->d);
    if (!v->broken)
        ir_verify_call_graph(v);
}

bool ir_verify(const struct ir_module *m, struct diagnostics *d)
{
    struct scratch scratch;
    struct verifier v = {.m = m, .d = d, .scratch = scratch_begin(&scratch)};
    check_module(&v);
    scratch_end(&scratch);
    return !v.broken;
}
