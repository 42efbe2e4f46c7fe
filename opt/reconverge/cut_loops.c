/* cut_loops.c: loops get one way out, from a branch on every path to the next iteration, by a cut (cut.h).
 *
 * Edges to the header and edges out first write where they go, then lead to a new latch, whose branch goes to
 * the header or out. Innermost loops first; in a round all that have no other such loop inside. Cost of a
 * round: analyses of the function; rounds are about as many as loops are nested. All cycles have one entry.
 * Limits (opt/limits.def): cut_rounds, cut_values (parameters of cuts multiply), cut_work.
 */
#include "opt/reconverge/cut.h"

/* A loop to be cut: the edges of `set` that lead out, and those to the header. */
struct job {
    uint32_t cycle;
    opt_edges out, back;
};

struct loops {
    struct opt_cut cut;
    struct opt_demotion demotion;
    VEC(struct job) jobs; /* of this round */
    bool extended;        /* the last of them is: a token of the loop is used outside of it */
    bool changed, again;
};

/* ---- which loops ------------------------------------------------------------------------------------- */

static struct bitset blocks_of(const struct loops *x, uint32_t cycle)
{
    const struct ir_cycle *k = &x->cut.cycles->at[cycle];
    struct bitset set = bitset_new(x->cut.arena, x->cut.g->blocks);
    for (uint32_t i = 0; i < k->count; i++)
        bitset_add(set, x->cut.cycles->blocks[k->first + i]);
    return set;
}

/* One edge leads out, from a branch on every path to the next iteration. */
static bool has_one_exit(const struct loops *x, const opt_edges *out, const opt_edges *back)
{
    if (out->count != 1 || ir_at(x->cut.f, ir_terminator(x->cut.f, out->at[0].block))->op != IR_brif)
        return false;
    for (uint32_t i = 0; i < back->count; i++)
        if (!ir_dominates(x->cut.dominators, out->at[0].block, back->at[i].block))
            return false;
    return true;
}

/* ---- the change -------------------------------------------------------------------------------------- */

static void merge_edges(struct loops *x, const struct job *j)
{
    uint32_t header = x->cut.cycles->at[j->cycle].header;
    place at = ir_at(x->cut.f, ir_terminator(x->cut.f, header))->at;
    opt_remark(x->cut.c, x->cut.f, OPT_APPLIED, "one-exit", at, "loop left by one branch: %u exits merged",
               j->out.count);
    opt_count(x->cut.c, "loops", 1);
    opt_count(x->cut.c, "exits merged", j->out.count);
    opt_cut_merge(&x->cut, &j->back, &j->out, at);
}

enum verdict { NORMAL, JOB, BEGIN_ANEW };

/* Adds to the loop's blocks what has to come before its latch. BEGIN_ANEW: blocks were split, or the loop has
 * to be the round's only one. */
static enum verdict extend(struct loops *x, struct bitset set)
{
    uint32_t own = bitset_count(set);
    if (!opt_cut_keep_tokens(&x->cut, set)) {
        vec_clear(&x->jobs);
        return BEGIN_ANEW;
    }
    x->extended = bitset_count(set) != own;
    return x->extended && x->jobs.count ? BEGIN_ANEW : JOB;
}

/* Notes the loop as a job if it has not the form yet. */
static enum verdict examine(struct loops *x, uint32_t cycle)
{
    struct bitset set = blocks_of(x, cycle);
    opt_edges back = opt_edges_back(x->cut.arena, x->cut.g, x->cut.cycles, cycle);
    struct job j = {cycle, opt_cut_edges_out(&x->cut, set), back};
    if (has_one_exit(x, &j.out, &back))
        return NORMAL;
    if (extend(x, set) == BEGIN_ANEW)
        return BEGIN_ANEW;
    j.out = opt_cut_edges_out(&x->cut, set);
    if (j.out.count == 0) { /* all exits end in traps */
        x->extended = false;
        return NORMAL;
    }
    for (uint32_t b = bitset_next(set, 0); b < set.bits; b = bitset_next(set, b + 1))
        opt_demote_region(&x->demotion, b, x->jobs.count + 1);
    vec_push(x->cut.arena, &x->jobs, j);
    return JOB;
}

/* Inner cycles have higher numbers. One that is to be changed keeps those around it for the next round; an
 * extended one is its round's only one. */
static void find_jobs(struct loops *x)
{
    const struct ir_cycles *cycles = x->cut.cycles;
    struct bitset later = bitset_new(x->cut.arena, cycles->count);
    for (uint32_t k = cycles->count; k-- > 0 && !x->extended;) {
        enum verdict v = bitset_has(later, k) ? NORMAL : examine(x, k);
        x->again |= v != NORMAL;
        if (v == BEGIN_ANEW)
            return;
        for (uint32_t up = cycles->at[k].parent; v == JOB && up != IR_NO_CYCLE; up = cycles->at[up].parent)
            bitset_add(later, up);
    }
}

static void run_round(struct loops *x)
{
    x->again = x->extended = false;
    x->demotion = (struct opt_demotion){.c = x->cut.c, .f = x->cut.f};
    memset(&x->jobs, 0, sizeof x->jobs);
    opt_cut_analyse(&x->cut);
    find_jobs(x);
    opt_demote_used_outside(&x->demotion);
    for (uint32_t i = 0; i < x->jobs.count; i++)
        merge_edges(x, &x->jobs.at[i]);
    opt_demote_finish(&x->demotion);
    x->changed |= x->again;
}

/* Whether another round may run. */
static bool may_go_on(struct opt_context *c, struct ir_function *f, uint32_t round)
{
    opt_invalidate(c, f);
    return opt_below(c, f, OPT_LIMIT_cut_rounds, round) &&
           opt_below(c, f, OPT_LIMIT_cut_values, f->ins.count) &&
           opt_below(c, f, OPT_LIMIT_cut_work, (uint64_t)opt_cycles(c, f)->count * f->blocks.count) &&
           opt_ssa_possible(c, f);
}

bool opt_cut_loops(struct opt_context *c, struct ir_function *f, bool *changed)
{
    struct loops x = {.cut = {.c = c, .f = f}, .again = true};
    bool fits = true;
    for (uint32_t round = 0; fits && x.again; round++) {
        struct scratch scratch;
        x.cut.arena = scratch_begin(&scratch);
        fits = may_go_on(c, f, round);
        if (fits)
            run_round(&x);
        scratch_end(&scratch);
    }
    *changed |= x.changed;
    return fits;
}
