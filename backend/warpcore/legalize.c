/* legalize.c: wc_legalize: a module as the warp-core machine can take it, and what it can't is refused. */
#include "backend/warpcore/legalize.h"
#include "ir/analysis.h"

void wc_error(struct wc_legalizer *x, const char *id, place at, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    diag_addv(x->d, DIAG_ERROR, id, (span){at, {0, 0}}, fmt, args);
    va_end(args);
}

/* ---- what the machine has not -------------------------------------------------------------------------- */

/* A float that is made a double only for printf needs none: printf takes the float. */
static bool has_double(const struct ir_function *f, const struct ir_ins *ins)
{
    if (ins->op == IR_printf)
        return false;
    bool found = ins->type == IR_TYPE_F64 && ins->op != IR_fext;
    for (uint32_t i = 0; i < ins->argc; i++)
        found |= ir_at(f, ins->args[i])->type == IR_TYPE_F64;
    return found || ins->mem == IR_MEM_F64;
}

static bool has_double_param(const struct ir_function *f, uint32_t b)
{
    const u32_vec *params = &ir_block_at(f, b)->params;
    for (uint32_t i = 0; i < params->count; i++)
        if (ir_at(f, params->at[i])->type == IR_TYPE_F64)
            return true;
    return false;
}

static bool is_atomic(const struct ir_ins *ins)
{
    return ins->op >= IR_atomic_add && ins->op <= IR_atomic_cas;
}

/* The first thing in an instruction that the machine can't do: its diagnostic's id, or NULL. */
static const char *obstacle(const struct wc_legalizer *x, const struct ir_ins *ins, const char **what)
{
    if (has_double(x->f, ins)) {
        *what = "64-bit floats ('double')";
        return "target-double";
    }
    if (is_atomic(ins) && ins->mem == IR_MEM_I64) {
        *what = "64-bit atomics";
        return "target-atomic";
    }
    if (ins->op == IR_hostcall) {
        *what = "functions of the host ('extern')";
        return "target-extern";
    }
    return NULL;
}

/* One message a line of source. */
static void refuse_function(struct wc_legalizer *x)
{
    uint32_t line = UINT32_MAX;
    for ir_each_block(i, b, x->f) {
        if (has_double_param(x->f, b) && line != x->f->at.line) {
            line = x->f->at.line;
            wc_error(x, "target-double", x->f->at, "the warp-core target has no 64-bit floats ('double')");
        }
        for ir_each_ins(r, x->f, b) {
            const struct ir_ins *ins = ir_at(x->f, r);
            const char *what, *id = obstacle(x, ins, &what);
            if (!id || ins->at.line == line)
                continue;
            line = ins->at.line;
            wc_error(x, id, ins->at, "the warp-core target has no %s", what);
        }
    }
}

/* ---- the parts of a module ----------------------------------------------------------------------------- */

static void remove_unreachable(struct wc_legalizer *x)
{
    struct ir_cfg *cfg = ir_cfg_new(x->scratch, x->f);
    struct bitset dead = bitset_new(x->scratch, x->f->blocks.count);
    bool any = false;
    for ir_each_block(i, b, x->f)
        if (!bitset_has(cfg->reachable, b)) {
            bitset_add(dead, b);
            any = true;
        }
    if (any)
        ir_blocks_remove(x->f, dead);
}

/* Functions that direct calls lead to from a kernel; calls through pointers are direct by now. */
static struct bitset reached_functions(struct wc_legalizer *x)
{
    struct bitset reached = bitset_new(x->scratch, x->m->functions.count);
    u32_vec work = {0};
    for (uint32_t i = 0; i < x->m->functions.count; i++)
        if (x->m->functions.at[i]->flags & IR_FN_KERNEL) {
            bitset_add(reached, i);
            vec_push(x->scratch, &work, i);
        }
    while (work.count) {
        const struct ir_function *f = x->m->functions.at[vec_pop(&work)];
        for ir_each_block(i, b, f)
            for ir_each_ins(r, f, b) {
                uint32_t callee = (uint32_t)ir_at(f, r)->imm;
                if (ir_at(f, r)->op != IR_call || bitset_has(reached, callee))
                    continue;
                bitset_add(reached, callee);
                vec_push(x->scratch, &work, callee);
            }
    }
    return reached;
}

/* Of a function that nothing calls only its type is left. */
static void empty_function(struct wc_legalizer *x)
{
    static const char text[] = "a function that nothing calls";
    uint32_t entry = ir_entry(x->f);
    struct bitset others = bitset_new(x->scratch, x->f->blocks.count);
    for ir_each_block(i, b, x->f)
        if (b != entry)
            bitset_add(others, b);
    ir_blocks_remove(x->f, others);
    while (ir_block_at(x->f, entry)->last)
        ir_remove(x->f, ir_block_at(x->f, entry)->last);
    memset(&ir_block_at(x->f, entry)->edges, 0, sizeof ir_block_at(x->f, entry)->edges);
    struct ir_cursor c = {.fn = x->f, .block = entry};
    ir_ref r = ir_emit0(&c, IR_trap, IR_TYPE_VOID);
    ir_at(x->f, r)->imm = ir_text_add(x->m, text, sizeof text - 1);
}

static void for_each_function(struct wc_legalizer *x, void (*job)(struct wc_legalizer *x))
{
    for (uint32_t i = 0; i < x->m->functions.count; i++) {
        x->f = x->m->functions.at[i];
        job(x);
    }
}

static void lower_control(struct wc_legalizer *x)
{
    remove_unreachable(x);
    wc_lower_icalls(x);
    wc_lower_switches(x);
    wc_lower_block_memory(x);
    wc_lower_divisions(x);
}

static bool check_reached(struct wc_legalizer *x)
{
    uint32_t before = x->d->errors;
    struct bitset reached = reached_functions(x);
    for (uint32_t i = 0; i < reached.bits; i++) {
        x->f = x->m->functions.at[i];
        if (bitset_has(reached, i))
            refuse_function(x);
        else
            empty_function(x);
    }
    return x->d->errors == before;
}

static void split_function(struct wc_legalizer *x)
{
    wc_split_function(x);
    uint32_t n = ir_block_at(x->f, ir_entry(x->f))->params.count;
    if (n > IR_MAX_ARGS)
        wc_error(x, "target-parameters", x->f->at,
                 "'%s' takes %u words of arguments, %u more than a function can", x->f->name, n,
                 n - IR_MAX_ARGS);
}

bool wc_legalize(struct ir_module *m, struct diagnostics *d)
{
    struct arena scratch;
    struct mem_guard guard;
    arena_init(&scratch);
    if (mem_guard_enter(&guard)) {
        arena_free(&scratch);
        mem_fail(0);
    }
    uint32_t before = d->errors;
    struct wc_legalizer x = {.m = m, .d = d, .scratch = &scratch};
    wc_find_addresses(&x);
    for_each_function(&x, lower_control);
    bool good = check_reached(&x);
    if (good)
        for_each_function(&x, split_function);
    good = good && d->errors == before;
    mem_guard_leave(&guard);
    arena_free(&scratch);
    return good;
}
