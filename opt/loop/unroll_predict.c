/* unroll_predict.c: predictions in loops that are unrolled ("Speculative Reconvergence", section 6).
 *
 * Each copy of the body keeps its reconvergence point. A prediction whose threads reconverge within one
 * iteration, since every way from the header to its points leads through its start, is another one in each
 * copy. One that begins before the loop, or goes on from an iteration to the next, merges iterations:
 * unrolled, they would come to different copies of the point, and threads that are released together would
 * run separately. Where predictions are honoured such a loop stays as it is, and so does one with a call that
 * may lead to a function predicted before the loop; elsewhere the copies' points are all the prediction's.
 */
#include "opt/loop/unroll.h"

static bool has_number(enum ir_op op)
{
    return op == IR_predict || op == IR_predict_point;
}

static bool stands_before(const struct opt_unroll *u, ir_ref start, ir_ref point)
{
    uint32_t a = ir_at(u->f, start)->block, b = ir_at(u->f, point)->block;
    if (a != b)
        return ir_dominates(u->d, a, b);
    for (ir_ref r = start; r; r = ir_at(u->f, r)->next)
        if (r == point)
            return true;
    return false;
}

/* The innermost cycle that has all the marks, and the first start of each prediction. */
static void find_cycles(struct opt_unroll *u, ir_ref *starts)
{
    struct bitset seen = bitset_new(u->c->scratch, u->predictions);
    for (uint32_t i = 0; i < u->g->rpo_count; i++) {
        uint32_t cycle = u->cycles->innermost[u->g->rpo[i]];
        ir_each_ins(r, u->f, u->g->rpo[i]) {
            const struct ir_ins *ins = ir_at(u->f, r);
            if (ins->op == IR_predict_function)
                vec_push(u->c->scratch, &u->of_functions, r);
            if (!has_number(ins->op))
                continue;
            bool alike = !bitset_has(seen, (uint32_t)ins->imm) || u->homes[ins->imm] == cycle;
            u->homes[ins->imm] = alike ? cycle : IR_NO_CYCLE;
            bitset_add(seen, (uint32_t)ins->imm);
            if (ins->op == IR_predict && !starts[ins->imm])
                starts[ins->imm] = r;
        }
    }
}

void opt_unroll_find_homes(struct opt_unroll *u)
{
    u->predictions = u->f->predictions;
    u->homes = arena_array(u->c->scratch, uint32_t, u->predictions);
    ir_ref *starts = arena_array(u->c->scratch, ir_ref, u->predictions);
    find_cycles(u, starts);
    for (uint32_t i = 0; u->predictions && i < u->g->rpo_count; i++) {
        ir_each_ins(r, u->f, u->g->rpo[i]) {
            const struct ir_ins *ins = ir_at(u->f, r);
            if (ins->op == IR_predict_point && !(starts[ins->imm] && stands_before(u, starts[ins->imm], r)))
                u->homes[ins->imm] = IR_NO_CYCLE;
        }
    }
}

static bool is_at_home(const struct opt_unroll *u, uint32_t cycle, const struct ir_ins *ins)
{
    return has_number(ins->op) && (uint32_t)ins->imm < u->predictions && u->homes[ins->imm] == cycle;
}

bool opt_unroll_may_copy_mark(struct opt_unroll *u, const struct opt_unroll_plan *p, ir_ref r)
{
    const struct ir_ins *ins = ir_at(u->f, r);
    if (ir_is_convergence_barrier(ins->op))
        return opt_unroll_decline(u, r, "barrier", "an operation on a convergence barrier can't be copied");
    if (is_at_home(u, p->cycle, ins)) /* of all loops together there are TRIPS_FULL copies at most */
        return u->predictions <= IR_MAX_PREDICTIONS / (OPT_UNROLL_TRIPS_FULL + 1) ||
               opt_unroll_decline(u, r, "predictions", "each copy would need predictions of its own");
    return ins->op != IR_predict_point || !opt_honours_predictions(u->c) ||
           opt_unroll_decline(u, r, "prediction", "a prediction merges its iterations");
}

bool opt_unroll_may_copy_call(struct opt_unroll *u, const struct opt_unroll_plan *p, ir_ref call)
{
    for (uint32_t i = 0; i < u->of_functions.count && opt_honours_predictions(u->c); i++) {
        ir_ref start = u->of_functions.at[i];
        if (!ir_cycle_has(u->cycles, p->cycle, ir_at(u->f, start)->block) || !stands_before(u, start, call))
            return opt_unroll_decline(u, call, "prediction",
                                      "the prediction of a function may merge its iterations");
    }
    return true;
}

void opt_unroll_renumber(struct opt_unroll *u, const struct opt_unroll_plan *p, const uint32_t *blocks,
                         uint32_t n)
{
    struct map own = {0};
    for (uint32_t i = 0; u->predictions && i < n; i++) {
        ir_each_ins(r, u->f, u->clone.block[blocks[i]]) {
            struct ir_ins *ins = ir_at(u->f, r);
            if (!is_at_home(u, p->cycle, ins))
                continue;
            uint32_t number = map_get(&own, (uint32_t)ins->imm);
            if (number == MAP_NONE) {
                number = u->f->predictions++;
                map_set(u->c->scratch, &own, (uint32_t)ins->imm, number);
            }
            ins->imm = number;
        }
    }
}
