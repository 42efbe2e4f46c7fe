/* co_execution.c: see co_execution.h.
 *
 * Between `from` and `to` lie the blocks from which `to` is reached without passing `from` again. If no edge
 * leads out of them, who comes by one reaches the other. Else all branches among them have to be uniform:
 * then the threads stay together all the way, out of them or to the end.
 */
#include "opt/kit/co_execution.h"

static bool has_convergent_value(const struct ir_function *f)
{
    ir_each_block(i, b, f)
        ir_each_ins(r, f, b)
            if (opt_is_convergent_value((enum ir_op)ir_at(f, r)->op))
                return true;
    return false;
}

struct opt_co_execution opt_co_execution_new(struct opt_context *c, struct ir_function *f)
{
    struct opt_co_execution t = {.c = c, .f = f, .g = opt_cfg(c, f), .cycles = opt_cycles(c, f)};
    if (has_convergent_value(f))
        t.uniformity = opt_uniformity(c, f);
    vec_resize(c->scratch, &t.seen, t.g->blocks);
    memset(t.seen.at, 0, t.g->blocks * sizeof *t.seen.at);
    return t;
}

bool opt_branch_is_uniform(struct opt_co_execution *t, uint32_t block, ir_ref token)
{
    INVARIANT(t->uniformity != NULL);
    return ir_is_uniform_for(t->uniformity, block, token);
}

/* The blocks between, `from` among them; false if there are too many. */
static bool find_between(struct opt_co_execution *t, uint32_t from, uint32_t to, u32_vec *between)
{
    t->question++;
    t->seen.at[to] = t->question;
    for (uint32_t next = 0, b = to;; b = between->at[next++]) {
        ir_each_pred(p, b, t->g) {
            if (b == from || !bitset_has(t->g->reachable, p) || t->seen.at[p] == t->question)
                continue;
            t->seen.at[p] = t->question;
            vec_push(t->c->scratch, between, p);
        }
        if (between->count > OPT_TOGETHER_MAX)
            return false;
        if (next == between->count)
            return true;
    }
}

/* Back at `from` another iteration begins. */
static bool leads_out(const struct opt_co_execution *t, uint32_t from, uint32_t block)
{
    return block == from || t->seen.at[block] != t->question;
}

bool opt_co_execute(struct opt_co_execution *t, uint32_t from, uint32_t to, ir_ref token)
{
    u32_vec between = {0};
    uint32_t cycle = t->cycles->innermost[from];
    if (from == to)
        return true;
    if (cycle != t->cycles->innermost[to] ||
        (cycle != IR_NO_CYCLE && t->cycles->at[cycle].entries.count != 1) ||
        !find_between(t, from, to, &between))
        return false;
    bool out = false, uniform = true;
    for (uint32_t i = 0; i < between.count; i++)
        for (uint32_t e = 0; e < ir_block_at(t->f, between.at[i])->edges.count; e++)
            out |= leads_out(t, from, ir_block_at(t->f, between.at[i])->edges.at[e].block);
    for (uint32_t i = 0; out && i < between.count; i++)
        uniform &= opt_branch_is_uniform(t, between.at[i], token);
    return !out || uniform;
}
