/* check_uniformity.c: what the analysis of uniformity claims, checked while the kernel runs.
 *
 * "Convergent Operation Semantics", Controlled Maximal converged-with Relation: threads are converged at a
 * point if every token in whose region it stands is of the same instance in them, and if they have begun each
 * cycle around it equally often. So the instance that a thread is in has a number, mixed from the number of
 * the call, the counts of the cycles' headers and the numbers of the tokens. A check.uniform behind each
 * uniform value, and at each uniform branch, compares the threads whose numbers are equal. What depends on
 * the launch and the block alone is compared in the whole warp.
 *
 * A token's number: of an entry, that of the call; of a heart, mixed from its operand's and the count of its
 * cycle; of an anchor, one that its group agrees on. In the anchor's regions it stands for all that was
 * before, as a group may have threads of any iterations and calls (ir/analysis/uniformity_scopes.c).
 *
 * A call's number is one more argument: of a call with a token, mixed from the token's number, else from that
 * of the point. Numbers are 64-bit hashes; that two are equal by chance is no concern.
 *
 * Counts are variables until SSA construction: a header counts, and starts those of the cycles inside anew,
 * each of which is entered at most once before the header comes again. Added instructions: values times the
 * depth of cycles and tokens.
 */
#include "ir/text/syntax.h"
#include "opt/pass.h"

struct touch {
    ir_ref r;
    uint32_t variable;
};
struct checker {
    struct opt_context *c;
    struct ir_function *f;
    const struct ir_cfg *cfg;
    const struct ir_cycles *cycles;
    const struct ir_tokens *tokens;
    const struct ir_uniformity *uniformity;
    struct ir_token_region **regions; /* of tokens->defs */
    ir_ref *numbers;                  /* of tokens->defs, from their definition on */
    ir_ref call;                      /* the call's number; 0: a kernel, which has none */
    ir_ref *counts;                   /* by cycle: its count, loaded in block counted[cycle] - 1 */
    uint32_t *counted;
    VEC(struct touch) touches; /* loads and stores of counts */
    u32_vec parts, last_parts; /* of the numbers of points, the latest in the block */
    ir_ref last_number;
    struct ir_names names;
};

/* ---- numbers ------------------------------------------------------------------------------------------- */

static ir_ref mix(struct ir_cursor *at, ir_ref a, ir_ref b)
{
    ir_ref x = ir_emit2(at, IR_mul, IR_TYPE_I64, a, ir_const(at->fn, IR_TYPE_I64, 0x9e3779b97f4a7c15u));
    x = ir_emit2(at, IR_xor, IR_TYPE_I64, x, b);
    ir_ref high = ir_emit2(at, IR_lshr, IR_TYPE_I64, x, ir_const(at->fn, IR_TYPE_I64, 29));
    return ir_emit2(at, IR_xor, IR_TYPE_I64, x, high);
}

static ir_ref mix_parts(struct checker *k, struct ir_cursor *at)
{
    ir_ref x = k->parts.count ? k->parts.at[0] : ir_const(k->f, IR_TYPE_I64, 0);
    for (uint32_t i = 1; i < k->parts.count; i++)
        x = mix(at, x, k->parts.at[i]);
    return x;
}

static void touch(struct checker *k, ir_ref r, uint32_t cycle)
{
    vec_push(k->c->scratch, &k->touches, ((struct touch){r, cycle}));
}

static ir_ref load_count(struct checker *k, struct ir_cursor *at, uint32_t cycle)
{
    ir_ref nowhere = ir_const(k->f, IR_TYPE_PRIVATE, 0);
    if (k->counted[cycle] != at->block + 1) {
        k->counts[cycle] = ir_emit_load(at, IR_MEM_I64, IR_TYPE_I64, nowhere, 0);
        k->counted[cycle] = at->block + 1;
        touch(k, k->counts[cycle], cycle);
    }
    return k->counts[cycle];
}

static void store_count(struct checker *k, struct ir_cursor *at, uint32_t cycle, ir_ref count)
{
    ir_ref nowhere = ir_const(k->f, IR_TYPE_PRIVATE, 0);
    touch(k, ir_emit_store(at, IR_MEM_I64, nowhere, 0, count), cycle);
    k->counts[cycle] = count;
    k->counted[cycle] = at->block + 1;
}

/* At the start of a cycle's header. */
static void count_iteration(struct checker *k, struct ir_cursor *at, uint32_t cycle)
{
    ir_ref before = load_count(k, at, cycle);
    store_count(k, at, cycle, ir_emit2(at, IR_add, IR_TYPE_I64, before, ir_const(k->f, IR_TYPE_I64, 1)));
    for (uint32_t inner = cycle + 1; inner < k->cycles->count; inner++) /* parents come first */
        if (ir_cycle_contains(k->cycles, cycle, inner))
            store_count(k, at, inner, ir_const(k->f, IR_TYPE_I64, 0));
}

static uint32_t cycle_of_header(const struct checker *k, uint32_t block)
{
    uint32_t cycle = k->cycles->innermost[block];
    return cycle != IR_NO_CYCLE && k->cycles->at[cycle].header == block ? cycle : IR_NO_CYCLE;
}

/* ---- points -------------------------------------------------------------------------------------------- */

static uint32_t innermost_anchor(const struct checker *k, ir_ref point)
{
    const struct ir_scopes *scopes = k->uniformity->scopes;
    for (uint32_t s = ir_scope_count(scopes); s-- > k->cycles->count;) /* in reverse post-order */
        if (ir_scope_has(scopes, s, point))
            return s;
    return IR_NO_SCOPE;
}

static bool is_before_anchor(const struct checker *k, uint32_t scope, ir_ref token)
{
    const struct ir_scopes *scopes = k->uniformity->scopes;
    return scope != IR_NO_SCOPE && token != ir_scope_anchor(scopes, scope) &&
           !ir_scope_has(scopes, scope, token);
}

/* The number of the call and the counts of the cycles around the block that do not have `outside`
 * (IR_NO_BLOCK: of all). */
static void add_counts(struct checker *k, struct ir_cursor *at, uint32_t outside)
{
    if (k->call && outside == IR_NO_BLOCK)
        vec_push(k->c->scratch, &k->parts, k->call);
    for (uint32_t i = k->cycles->innermost[at->block]; i != IR_NO_CYCLE; i = k->cycles->at[i].parent)
        if (outside == IR_NO_BLOCK || !ir_cycle_has(k->cycles, i, outside))
            vec_push(k->c->scratch, &k->parts, load_count(k, at, i));
}

static bool same_parts(const struct checker *k)
{
    return k->last_number && k->parts.count == k->last_parts.count &&
           (k->parts.count == 0 ||
            memcmp(k->parts.at, k->last_parts.at, k->parts.count * sizeof *k->parts.at) == 0);
}

/* The number of the instance at an instruction of the function as it was, computed at the cursor. */
static ir_ref number_of_point(struct checker *k, struct ir_cursor *at, ir_ref point)
{
    uint32_t anchor = innermost_anchor(k, point);
    vec_clear(&k->parts);
    add_counts(k, at,
               anchor == IR_NO_SCOPE ? IR_NO_BLOCK
                                     : ir_at(k->f, ir_scope_anchor(k->uniformity->scopes, anchor))->block);
    for (uint32_t i = 0; i < k->tokens->defs.count; i++)
        if (!ir_is_const(k->f, k->numbers[i], NULL) && ir_token_region_has(k->regions[i], k->tokens, point) &&
            !is_before_anchor(k, anchor, k->tokens->defs.at[i]))
            vec_push(k->c->scratch, &k->parts, k->numbers[i]);
    if (!same_parts(k)) {
        k->last_number = mix_parts(k, at);
        vec_clear(&k->last_parts);
        for (uint32_t i = 0; i < k->parts.count; i++)
            vec_push(k->c->scratch, &k->last_parts, k->parts.at[i]);
    }
    return k->last_number;
}

/* ---- tokens and calls ---------------------------------------------------------------------------------- */

/* The smallest number that a thread of the group has for itself alone. */
static ir_ref number_of_anchor(struct checker *k, struct ir_cursor *at, ir_ref anchor)
{
    ir_ref lane = ir_emit0(at, IR_special, IR_TYPE_I32);
    ir_at(k->f, lane)->imm = IR_SPECIAL_LANE;
    vec_clear(&k->parts);
    vec_push(k->c->scratch, &k->parts, ir_emit1(at, IR_zext, IR_TYPE_I64, lane));
    add_counts(k, at, IR_NO_BLOCK);
    ir_ref least = ir_emit1(at, IR_reduce_umin, IR_TYPE_I64, mix_parts(k, at));
    ir_at(k->f, least)->token = anchor;
    return least;
}

static ir_ref number_of_heart(struct checker *k, struct ir_cursor *at, ir_ref heart)
{
    ir_ref operand = ir_at(k->f, heart)->token, n = ir_const(k->f, IR_TYPE_I64, 1);
    uint32_t cycle = cycle_of_header(k, at->block);
    if (cycle != IR_NO_CYCLE && !ir_cycle_has(k->cycles, cycle, ir_at(k->f, operand)->block))
        n = load_count(k, at, cycle);
    return mix(at, k->numbers[k->tokens->index[operand]], n);
}

static void number_token(struct checker *k, ir_ref r)
{
    struct ir_cursor at = {k->f, ir_at(k->f, r)->block, ir_at(k->f, r)->next, ir_at(k->f, r)->at};
    ir_ref *n = &k->numbers[k->tokens->index[r]];
    switch (ir_at(k->f, r)->op) {
    case IR_entry: *n = k->call ? k->call : ir_const(k->f, IR_TYPE_I64, 0); break;
    case IR_loop: *n = number_of_heart(k, &at, r); break;
    default: *n = number_of_anchor(k, &at, r);
    }
}

static struct ir_signature with_number(struct ir_signature s)
{
    s.args[s.argc++] = IR_TYPE_I64;
    return s;
}

static void add_argument(struct ir_function *f, ir_ref r, ir_ref number)
{
    struct ir_ins *call = ir_at(f, r);
    ir_ref *args = arena_array(&f->module->arena, ir_ref, call->argc + 1);
    if (call->argc)
        memcpy(args, call->args, call->argc * sizeof *args);
    args[call->argc++] = number;
    call->args = args;
    if (call->op == IR_icall)
        call->imm = ir_signature_add(f->module, with_number(f->module->signatures.at[call->imm]));
}

static void number_call(struct checker *k, ir_ref r)
{
    struct ir_cursor at = {k->f, ir_at(k->f, r)->block, r, ir_at(k->f, r)->at};
    ir_ref token = ir_at(k->f, r)->token;
    ir_ref number = token ? k->numbers[k->tokens->index[token]] : number_of_point(k, &at, r);
    add_argument(k->f, r, mix(&at, number, ir_const(k->f, IR_TYPE_I64, (uint64_t)(k->f->id + 1) << 32 | r)));
}

/* ---- checks -------------------------------------------------------------------------------------------- */

static ir_ref as_i64(struct ir_cursor *at, ir_ref r)
{
    enum ir_type t = ir_at(at->fn, r)->type;
    if (t == IR_TYPE_I64)
        return r;
    if (t == IR_TYPE_F64)
        return ir_emit1(at, IR_bits, IR_TYPE_I64, r);
    if (t == IR_TYPE_F32)
        r = ir_emit1(at, IR_bits, IR_TYPE_I32, r);
    else if (ir_is_pointer(t))
        r = ir_emit1(at, IR_ptrcast, IR_TYPE_I32, r);
    return ir_emit1(at, IR_zext, IR_TYPE_I64, r);
}

static uint32_t text_of(struct checker *k, const char *what, ir_ref value)
{
    struct ir_module *m = k->f->module;
    const char *text = arena_printf(k->c->scratch, "%s%%%s (%s)", what, k->names.values[value],
                                    ir_op_info[ir_at(k->f, value)->op].text);
    if (m->texts.count >= IR_MAX_STRINGS / 2)
        text = "a value";
    return ir_text_add(m, text, strlen(text));
}

/* The value is the same in all threads that are converged at the point. */
static void check(struct checker *k, struct ir_cursor *at, ir_ref point, const char *what, ir_ref value)
{
    ir_ref number =
        ir_varies(k->uniformity, value) ? number_of_point(k, at, point) : ir_const(k->f, IR_TYPE_I64, 0);
    ir_ref r = ir_emit2(at, IR_check_uniform, IR_TYPE_VOID, number, as_i64(at, value));
    ir_at(k->f, r)->imm = text_of(k, what, value);
}

static bool is_claimed(const struct checker *k, ir_ref r)
{
    enum ir_type t = ir_at(k->f, r)->type;
    return t != IR_TYPE_VOID && t != IR_TYPE_TOKEN && !bitset_has(k->uniformity->divergent, r);
}

static void check_value(struct checker *k, ir_ref r)
{
    struct ir_cursor at = {k->f, ir_at(k->f, r)->block, ir_at(k->f, r)->next, ir_at(k->f, r)->at};
    if (is_claimed(k, r))
        check(k, &at, r, "", r);
}

static void check_branch(struct checker *k, ir_ref r)
{
    const struct ir_ins *ins = ir_at(k->f, r);
    struct ir_cursor at = {k->f, ins->block, r, ins->at};
    if (ir_block_at(k->f, ins->block)->edges.count > 1 && !bitset_has(k->uniformity->branches, ins->block) &&
        ir_varies(k->uniformity, ins->args[0]))
        check(k, &at, r, "the branch on ", ins->args[0]);
}

/* ---- the function -------------------------------------------------------------------------------------- */

static void begin_block(struct checker *k, uint32_t b)
{
    const u32_vec params = ir_block_at(k->f, b)->params;
    ir_ref first = ir_block_at(k->f, b)->first;
    struct ir_cursor at = {k->f, b, first, ir_at(k->f, first)->at};
    uint32_t cycle = cycle_of_header(k, b);
    k->last_number = 0;
    if (cycle != IR_NO_CYCLE)
        count_iteration(k, &at, cycle);
    for (uint32_t i = 0; i < params.count; i++)
        if (params.at[i] != k->call && is_claimed(k, params.at[i]))
            check(k, &at, first, "", params.at[i]);
}

static bool is_call(const struct ir_function *f, ir_ref r)
{
    return ir_at(f, r)->op == IR_call || ir_at(f, r)->op == IR_icall;
}

static void check_instruction(struct checker *k, ir_ref r)
{
    enum ir_op op = (enum ir_op)ir_at(k->f, r)->op;
    if (opt_is_token_op(op))
        number_token(k, r);
    else if (is_call(k->f, r))
        number_call(k, r);
    else if (ir_op_info[op].flags & IR_TERMINATOR)
        check_branch(k, r);
    else
        check_value(k, r);
}

static void construct_counts(struct checker *k)
{
    uint32_t n = k->cycles->count;
    uint8_t *types = arena_array(k->c->scratch, uint8_t, n);
    const char **names = arena_array(k->c->scratch, const char *, n);
    uint32_t *of = arena_array(k->c->scratch, uint32_t, k->f->ins.count);
    for (uint32_t i = 0; i < n; i++)
        types[i] = IR_TYPE_I64;
    for (uint32_t i = 0; i < k->touches.count; i++)
        of[k->touches.at[i].r] = k->touches.at[i].variable + 1;
    if (n > 0)
        opt_construct_ssa(k->c, k->f, &(struct opt_variables){n, types, names, of});
}

static void visit_reached(struct checker *k)
{
    for (uint32_t i = 0; i < k->cfg->rpo_count; i++) {
        ir_ref next = ir_block_at(k->f, k->cfg->rpo[i])->first;
        begin_block(k, k->cfg->rpo[i]);
        for (ir_ref r = next; r; r = next) {
            next = ir_at(k->f, r)->next;
            check_instruction(k, r);
        }
    }
}

/* Calls there have as many arguments as the others. */
static void visit_unreached(struct checker *k)
{
    ir_each_block(i, b, k->f)
        for (ir_ref r = ir_block_at(k->f, b)->first; r && !bitset_has(k->cfg->reachable, b);
             r = ir_at(k->f, r)->next)
            if (is_call(k->f, r))
                add_argument(k->f, r, ir_const(k->f, IR_TYPE_I64, 0));
}

static void check_function(struct checker *k)
{
    struct arena *a = k->c->scratch;
    uint32_t defs = k->tokens->defs.count;
    k->regions = arena_array(a, struct ir_token_region *, defs);
    k->numbers = arena_array(a, ir_ref, defs);
    k->counts = arena_array(a, ir_ref, k->cycles->count);
    k->counted = arena_array(a, uint32_t, k->cycles->count);
    k->names = ir_names_new(a, k->f);
    for (uint32_t i = 0; i < defs; i++)
        k->regions[i] = ir_token_region_new(a, k->tokens, k->tokens->defs.at[i]);
    if (!(k->f->flags & IR_FN_KERNEL))
        k->call = ir_param_new(k->f, ir_entry(k->f), IR_TYPE_I64, "call");
    visit_reached(k);
    visit_unreached(k);
    construct_counts(k);
}

/* ---- the module ---------------------------------------------------------------------------------------- */

static bool has_full_icall(const struct ir_function *f)
{
    ir_each_block(at, b, f)
        ir_each_ins(r, f, b)
            if (ir_at(f, r)->op == IR_icall && ir_at(f, r)->argc == IR_MAX_ARGS + 1) /* the pointer, too */
                return true;
    return false;
}

static bool is_too_large(const struct checker *k)
{
    enum { GROWTH = 16 };
    const struct ir_function *f = k->f;
    return k->uniformity->given_up || !opt_ssa_possible(k->c, k->f) ||
           f->ins.count > IR_MAX_INSTRUCTIONS / GROWTH ||
           (!(f->flags & IR_FN_KERNEL) && ir_signature_of(f).argc == IR_MAX_ARGS) || has_full_icall(f);
}

/* False: a diagnostic says why not. */
static bool check_one(struct opt_context *c, struct ir_function *f)
{
    struct checker k = {.c = c,
                        .f = f,
                        .cfg = opt_cfg(c, f),
                        .cycles = opt_cycles(c, f),
                        .tokens = opt_tokens(c, f),
                        .uniformity = opt_uniformity(c, f)};
    bool large = is_too_large(&k);
    if (k.uniformity->over)
        opt_error(c, f, "too-large", f->at,
                  "%s is too large for its values to be checked for uniformity: limit of %u reached "
                  "(--limit=%s=N)",
                  f->name, c->options->limits[OPT_LIMIT_uniformity_steps],
                  opt_limit_info[OPT_LIMIT_uniformity_steps].name);
    else if (large)
        opt_error(
            c, f, "too-large", f->at,
            "%s is too large, or it or what it calls through a pointer has too many parameters, for its "
            "values to be checked for uniformity (at most %d)",
            f->name, IR_MAX_ARGS - 1);
    else
        check_function(&k);
    opt_invalidate(c, f);
    return !large;
}

static bool has_checks(const struct ir_module *m)
{
    for (uint32_t i = 0; i < m->functions.count; i++)
        ir_each_block(at, b, m->functions.at[i])
            ir_each_ins(r, m->functions.at[i], b)
                if (ir_at(m->functions.at[i], r)->op == IR_check_uniform)
                    return true;
    return false;
}

/* All get the number, whether a call is left that uses them or not: functions whose addresses are taken
 * need the convergent ones of their types. The type that such a function gets may be that of another
 * signature. */
static void number_signatures(struct ir_module *m)
{
    for (uint32_t i = 0, n = m->signatures.count; i < n; i++)
        if (m->signatures.at[i].argc < IR_MAX_ARGS)
            ir_signature_add(m, with_number(m->signatures.at[i]));
    for (uint32_t i = 0; i < m->functions.count; i++) {
        struct ir_signature own = ir_signature_of(m->functions.at[i]);
        if (own.convergent && own.argc < IR_MAX_ARGS && !(m->functions.at[i]->flags & IR_FN_KERNEL))
            ir_signature_add(m, with_number(own));
    }
}

bool opt_check_uniformity(struct opt_context *c, struct ir_module *m)
{
    if (has_checks(m))
        return false;
    number_signatures(m);
    for (uint32_t i = 0; i < m->functions.count; i++)
        if (m->functions.at[i]->order.count && !check_one(c, m->functions.at[i]))
            break;
    return true;
}
