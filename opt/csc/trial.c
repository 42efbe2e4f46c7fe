/* trial.c: what the pass has made of a kernel, weighed as a whole: a warp of the expected launch runs it in the
 * model (opt/cost/cost.h) as it was and as it is, both as the passes behind this one will leave them: what
 * becomes a select or stands twice in two arms costs less than it seems. If that takes longer, the function is
 * put back as it was.
 *
 * The bill of a branch (bill.c) knows how often its arms are executed, but not which of them together, nor what
 * one branch costs the next ones. So a switch of which a warp takes one way at a time looks as if tests of its
 * ways would pay. It is tried without tests then, before all is put back.
 */
#include "opt/csc/csc.h"

#include <inttypes.h>

struct trial {
    struct csc *p;
    csc_rounds *run;
    const struct ir_function *before; /* the function as it was, in a module of its own */
    struct csc_weight weight;         /* of that */
    bool weighed, changed;
};

/* The function as `copy` is, of another module. */
static void put_back(struct csc *p, const struct ir_function *copy)
{
    *p->f = *ir_function_copy(p->f->module, copy);
    opt_invalidate(p->c, p->f);
}

/* Of the function as it is, as the passes behind this one make it: it is to be put back. */
static struct csc_weight weigh_at_last(struct csc *p)
{
    opt_rehearse(p->c, p->f);
    return csc_weigh(p);
}

/* Whether the model can tell of the kernel as a whole: somebody has said how it is launched, and the lanes come
 * far enough. */
static bool is_known(const struct csc *p)
{
    return p->melded && p->before.launched && !(p->before.cut && p->before.epochs < CSC_LEAST_EPOCHS);
}

/* What is `now` of so much before; of each iteration, if the lanes were not run to their end. */
static double change(uint64_t n, struct csc_weight now, uint64_t of, struct csc_weight before)
{
    return (double)n / now.epochs / ((double)of / before.epochs);
}

static void remark_weight(struct csc *p, struct csc_weight before, struct csc_weight now, double cycles,
                          double instructions)
{
    if (!now.cut)
        opt_remark(p->c, p->f, OPT_APPLIED, "weighed", p->f->at,
                   "in the model of the launch a warp executes %" PRIu64 " instructions in %" PRIu64
                   " cycles, and %" PRIu64 " in %" PRIu64 " without merged arms",
                   now.instructions, now.cycles, before.instructions, before.cycles);
    if (instructions > 1 + CSC_MORE_PERCENT / 100.0)
        opt_remark(p->c, p->f, OPT_APPLIED, "more-instructions", p->f->at,
                   "merged arms take %.0f %% fewer cycles, but %.0f %% more instructions, in the model of "
                   "the launch",
                   100 - 100 * cycles, 100 * instructions - 100);
}

/* Whether the two speak of the same work: of all of it, or of iterations of as many loops. */
static bool are_comparable(struct csc_weight x, struct csc_weight y)
{
    return x.runs && y.runs && x.cut == y.cut &&
           (!x.cut || (x.loops == y.loops && x.epochs > 1 && y.epochs > 1));
}

/* Whether it got better by so much that the model can tell. Where branches were drawn, or the lanes were not
 * run to their end, it has to be worse in both respects to be called so; for tests instead of a switch, which
 * are guesses too, drawn branches are good enough. */
static bool is_better(struct trial *t, struct ir_module *m)
{
    struct csc *p = t->p;
    const struct ir_function *melded = ir_function_copy(m, p->f);
    struct csc_weight now = weigh_at_last(p), before = t->weight;
    if (!t->weighed) {
        put_back(p, t->before);
        before = t->weight = weigh_at_last(p);
        t->weighed = true;
    }
    put_back(p, melded);
    if (!are_comparable(now, before))
        return true;
    double cycles = change(now.cycles, now, before.cycles, before);
    double instructions = change(now.instructions, now, before.instructions, before);
    bool guessed = now.guessed || before.guessed, sure = !now.cut && (!guessed || p->tested.count);
    if (sure ? cycles > 1 - CSC_LEAST_PERCENT / 100.0 : cycles > 1 && instructions > 1)
        return false;
    remark_weight(p, before, now, cycles, instructions);
    return true;
}

static void try(struct ir_module *m, void *data)
{
    struct trial *t = data;
    struct csc *p = t->p;
    t->before = ir_function_copy(m, p->f);
    struct opt_report_mark mark = opt_report_mark(p->c);
    for (p->switches = true;; p->switches = false) {
        t->changed = t->run(p);
        if (!t->changed || !is_known(p) || is_better(t, m))
            return;
        bool tested = p->tested.count;
        opt_report_take_back(p->c, mark, tested);
        put_back(p, t->before);
        p->tested = (u32_vec){0};
        t->changed = false;
        if (tested)
            continue;
        opt_remark(p->c, p->f, OPT_MISSED, "common-code", p->f->at,
                   "put back: in the model of the launch, merging saves less than %d %% of a warp's cycles",
                   CSC_LEAST_PERCENT);
        return;
    }
}

bool csc_try(struct csc *p, csc_rounds *run)
{
    struct trial t = {.p = p, .run = run};
    struct ir_module *m = ir_module_new(p->f->module->file);
    ir_module_fill(m, try, &t);
    ir_module_free(m);
    return t.changed;
}
