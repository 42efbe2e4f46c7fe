/* trial.c: what the pass has made of a kernel, weighed as a whole: a warp of the expected launch runs it in the
 * model (opt/cost/cost.h) as it was and as it is. If that takes longer, the function is put back as it was.
 *
 * The bill of a branch (bill.c) knows how often its arms are executed, but not which of them together, nor what
 * one branch costs the next ones. So a switch of which a warp takes one way at a time looks as if tests of its
 * ways would pay. It is tried without tests then, before all is put back.
 */
#include "opt/csc/csc.h"

struct trial {
    struct csc *p;
    csc_rounds *run;
    bool changed;
};

/* The function as `copy` is, of another module. */
static void put_back(struct csc *p, const struct ir_function *copy)
{
    *p->f = *ir_function_copy(p->f->module, copy);
    opt_invalidate(p->c, p->f);
}

/* Whether it got better by so much that the model can tell. Where branches were drawn it could be luck, but
 * for tests instead of a switch, which are guesses too. */
static bool is_better(struct csc *p)
{
    const struct csc_weight before = p->before;
    if (!before.launched || before.cut || (before.guessed && !p->tested.count))
        return true;
    struct csc_weight now = csc_weigh(p);
    if (now.cut || now.guessed != before.guessed)
        return true;
    if (100 * now.cycles > (100 - CSC_LEAST_PERCENT) * before.cycles)
        return false;
    if (now.instructions > before.instructions)
        opt_remark(p->c, p->f, OPT_APPLIED, "more-instructions", p->f->at,
                   "merged arms take %.0f %% fewer cycles, but %.0f %% more instructions, in the model of "
                   "the launch",
                   100.0 - 100.0 * (double)now.cycles / (double)before.cycles,
                   100.0 * (double)now.instructions / (double)before.instructions - 100.0);
    return true;
}

static void try(struct ir_module *m, void *data)
{
    struct trial *t = data;
    struct csc *p = t->p;
    const struct ir_function *copy = ir_function_copy(m, p->f);
    struct opt_report_mark mark = opt_report_mark(p->c);
    for (p->switches = true;; p->switches = false) {
        t->changed = t->run(p);
        if (!t->changed || is_better(p))
            return;
        bool tested = p->tested.count;
        opt_report_take_back(p->c, mark, tested);
        put_back(p, copy);
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
