/* lower_icalls.c: a call through a pointer becomes a chain of comparisons with the functions that it can
 * reach: those of its signature whose address the module takes. A pointer to none of them traps.
 * The code grows by calls times functions: a program beyond the limit icall_targets is refused before.
 */
#include "opt/pass.h"

struct lower {
    struct arena *scratch;
    struct ir_module *m;
    u32_vec *targets; /* by signature: what a pointer of it may lead to */
    struct ir_function *f;
    struct ir_cursor c; /* where new instructions go */
};

static ir_ref points_to(struct lower *x, ir_ref pointer, uint32_t function)
{
    return ir_emit2(&x->c, IR_eq, IR_TYPE_I1, pointer, ir_const_i32(x->f, function + 1));
}

/* Traps unless the pointer is one of the candidates'. */
static void check_pointer(struct lower *x, ir_ref pointer, const u32_vec *found)
{
    static const char text[] = "call through a bad function pointer";
    ir_ref good = ir_const_i1(x->f, false);
    for (uint32_t i = 0; i < found->count; i++)
        good = ir_emit2(&x->c, IR_or, IR_TYPE_I1, good, points_to(x, pointer, found->at[i]));
    ir_ref check = ir_emit1(&x->c, IR_assert, IR_TYPE_VOID, good);
    ir_at(x->f, check)->imm = ir_text_add(x->m, text, sizeof text - 1);
}

static ir_ref direct_call(struct lower *x, const struct ir_ins *icall, uint32_t function)
{
    ir_ref r = ir_emit(&x->c, IR_call, (enum ir_type)icall->type, icall->argc - 1, icall->args + 1);
    ir_at(x->f, r)->imm = function;
    ir_at(x->f, r)->token = icall->token;
    return r;
}

/* The last block calls the one that is left; all lead to `rest` with their results. */
static void chain(struct lower *x, const struct ir_ins *icall, ir_ref pointer, const u32_vec *found,
                  uint32_t rest)
{
    for (uint32_t i = 0; i < found->count; i++) {
        uint32_t from = x->c.block;
        if (i + 1 < found->count) {
            uint32_t arm = ir_block_new(x->f, NULL), next = ir_block_new(x->f, NULL);
            ir_emit_brif(&x->c, points_to(x, pointer, found->at[i]), arm, next);
            x->c.block = arm;
            from = next;
        }
        ir_ref result = direct_call(x, icall, found->at[i]);
        ir_emit_br(&x->c, rest);
        if (icall->type != IR_TYPE_VOID)
            ir_edge_arg(x->f, &ir_block_at(x->f, x->c.block)->edges.at[0], result);
        x->c.block = from;
    }
}

static void lower_icall(struct lower *x, ir_ref r, ir_ref *to)
{
    struct ir_ins ins = *ir_at(x->f, r);
    u32_vec found = x->targets[ins.imm];
    x->c = (struct ir_cursor){.fn = x->f, .block = ins.block, .before = r, .at = ins.at};
    ir_ref pointer = ir_emit1(&x->c, IR_ptrcast, IR_TYPE_I32, ins.args[0]);
    check_pointer(x, pointer, &found);
    uint32_t rest = ir_block_split(x->f, ins.block, r, NULL);
    x->c.before = 0;
    if (ins.type != IR_TYPE_VOID)
        *to = ir_param_new(x->f, rest, (enum ir_type)ins.type, ins.name);
    if (found.count) {
        chain(x, &ins, pointer, &found, rest);
    } else {
        ir_emit_br(&x->c, rest);
        if (ins.type != IR_TYPE_VOID)
            ir_edge_arg(x->f, &ir_block_at(x->f, ins.block)->edges.at[0],
                        ir_const(x->f, (enum ir_type)ins.type, 0));
    }
}

static bool lower_function(struct lower *x)
{
    u32_vec found = opt_find_backwards(x->scratch, x->f, IR_icall, IR_icall);
    struct opt_renaming renaming = {.arena = x->scratch};
    for (uint32_t i = 0; i < found.count; i++) {
        ir_ref to = 0;
        lower_icall(x, found.at[i], &to);
        if (to)
            opt_rename(&renaming, x->f, found.at[i], to);
    }
    opt_rename_all(&renaming, x->f);
    for (uint32_t i = 0; i < found.count; i++)
        ir_remove(x->f, found.at[i]);
    return found.count;
}

static u32_vec *find_targets(struct opt_context *c, const struct ir_module *m)
{
    u32_vec *targets = arena_array(c->scratch, u32_vec, m->signatures.count + 1);
    for (uint32_t s = 0; s < m->signatures.count; s++)
        targets[s] = opt_pointer_targets(c->scratch, m, *opt_addresses_taken(c, m), s);
    return targets;
}

/* Whether the comparisons of all calls are within the limit; if not, the first call beyond it is reported. */
static bool is_small(struct opt_context *c, const struct lower *x)
{
    uint64_t n = 0, most = c->options->limits[OPT_LIMIT_icall_targets];
    for (uint32_t i = 0; i < x->m->functions.count; i++) {
        const struct ir_function *f = x->m->functions.at[i];
        ir_each_block(k, b, f)
            ir_each_ins(r, f, b) {
                n += ir_at(f, r)->op == IR_icall ? x->targets[ir_at(f, r)->imm].count : 0;
                if (n <= most)
                    continue;
                opt_error(c, f, "calls", ir_at(f, r)->at,
                          "calls through pointers, each compared with the functions that it may lead to, "
                          "become more than %u comparisons (--limit=%s=N); take fewer functions' addresses, "
                          "or call through pointers in fewer places",
                          (uint32_t)most, opt_limit_info[OPT_LIMIT_icall_targets].name);
                return false;
            }
    }
    return true;
}

bool opt_lower_icalls(struct opt_context *c, struct ir_module *m)
{
    struct lower x = {.scratch = c->scratch, .m = m, .targets = find_targets(c, m)};
    bool changed = false;
    if (!is_small(c, &x))
        return false;
    for (uint32_t i = 0; i < m->functions.count; i++) {
        x.f = m->functions.at[i];
        changed |= lower_function(&x);
    }
    return changed;
}
