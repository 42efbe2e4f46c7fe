/* barriers.c: what tells the checker which barriers threads come to, part of the pass check_memory.
 *
 * All threads of a block are to come to the same barrier() in the same instance of its token: through the same
 * calls, in the same iteration of each loop around it (docs/language.md). The code merges barriers that stand
 * apart in the source, and unrolls and inlines others, so that the places are taken before any such pass. Each
 * thread tells, by a check.sync, whose text is one of
 *
 *     b T    it comes to a barrier that is controlled by token T
 *     c T S  to call S, controlled by T, of a function that leads to a barrier
 *     e T    token.entry T is made: its instance is that of the call before
 *     l T O  token.loop T is made, for the next time with token O
 *     x      the kernel returns
 *
 * Tokens and calls are numbered in the module, in those functions alone that lead to a barrier; 0: any other.
 * Linear in the module times the depth of calls.
 */
#include "opt/check/check_memory.h"

struct numbering {
    struct opt_context *c;
    struct ir_module *m;
    struct ir_function *f;
    bool *leads;       /* by function: to a barrier */
    bool through_any;  /* one of them is called through pointers */
    uint32_t *numbers; /* by token of f */
    uint32_t tokens, calls, made;
};

static bool is_call_to_barrier(const struct numbering *x, const struct ir_ins *ins)
{
    return ins->op == IR_call ? x->leads[ins->imm] : ins->op == IR_icall && ins->token && x->through_any;
}

static bool leads_to_barrier(const struct numbering *x, const struct ir_function *f)
{
    ir_each_block(i, b, f)
        ir_each_ins(r, f, b)
            if (ir_at(f, r)->op == IR_barrier || is_call_to_barrier(x, ir_at(f, r)))
                return true;
    return false;
}

static void note_pointers(struct numbering *x)
{
    for (uint32_t k = 0; k < x->m->functions.count; k++) {
        const struct ir_function *f = x->m->functions.at[k];
        x->through_any |= f->flags & IR_FN_TAKEN && x->leads[k];
        ir_each_block(i, b, f)
            ir_each_ins(r, f, b)
                x->through_any |= ir_at(f, r)->op == IR_function && x->leads[ir_at(f, r)->imm];
    }
}

/* Calls through pointers may lead anywhere: until nothing changes. */
static void find_functions(struct numbering *x)
{
    x->leads = arena_array(x->c->scratch, bool, x->m->functions.count);
    for (bool changed = true; changed; note_pointers(x)) {
        changed = false;
        for (uint32_t k = 0; k < x->m->functions.count; k++)
            if (!x->leads[k] && leads_to_barrier(x, x->m->functions.at[k]))
                x->leads[k] = changed = true;
    }
}

/* The token and those that it was made from get numbers. */
static void number_tokens(struct numbering *x, ir_ref token)
{
    for (; token && !x->numbers[token]; token = ir_at(x->f, token)->token)
        x->numbers[token] = ++x->tokens;
}

static uint32_t number_of(const struct numbering *x, ir_ref token)
{
    return token ? x->numbers[token] : 0;
}

static void tell(struct numbering *x, ir_ref before, ir_ref at, const char *text)
{
    const struct ir_ins *ins = ir_at(x->f, at);
    struct ir_cursor c = {.fn = x->f, .block = ins->block, .before = before, .at = ins->at};
    ir_ref check = ir_emit0(&c, IR_check_sync, IR_TYPE_VOID);
    ir_at(x->f, check)->imm = ir_text_add(x->m, text, strlen(text));
    x->made++;
}

static void tell_ins(struct numbering *x, ir_ref r)
{
    const struct ir_ins ins = *ir_at(x->f, r);
    struct arena *a = x->c->scratch;
    uint32_t own = x->numbers[r], token = number_of(x, ins.token);
    if (ins.op == IR_barrier)
        tell(x, r, r, arena_printf(a, "b %u", token));
    else if (is_call_to_barrier(x, &ins))
        tell(x, r, r, arena_printf(a, "c %u %u", token, ++x->calls));
    else if (ins.op == IR_entry && own)
        tell(x, ins.next, r, arena_printf(a, "e %u", own));
    else if (ins.op == IR_loop && own)
        tell(x, ins.next, r, arena_printf(a, "l %u %u", own, token));
    else if (ins.op == IR_ret && x->f->flags & IR_FN_KERNEL)
        tell(x, r, r, "x");
}

static void tell_function(struct numbering *x)
{
    x->numbers = arena_array(x->c->scratch, uint32_t, x->f->ins.count);
    ir_each_block(i, b, x->f)
        ir_each_ins(r, x->f, b)
            if (ir_at(x->f, r)->op == IR_barrier || is_call_to_barrier(x, ir_at(x->f, r)))
                number_tokens(x, ir_at(x->f, r)->token);
    ir_each_block(i, b, x->f)
        for (ir_ref r = ir_block_at(x->f, b)->first, next; r; r = next) {
            next = ir_at(x->f, r)->next;
            tell_ins(x, r);
        }
}

uint32_t opt_check_barriers(struct opt_context *c, struct ir_module *m)
{
    struct numbering x = {.c = c, .m = m};
    find_functions(&x);
    for (uint32_t k = 0; k < m->functions.count; k++)
        if (x.leads[k]) {
            x.f = m->functions.at[k];
            tell_function(&x);
        }
    return x.made;
}
