/* trial.c: one program under its plan, in this process: compile for each scheme and level, launch at each
 * width, compare every byte of every buffer with the reference.
 *
 * lib/execution.h is for sequences (class g) alone: it makes a context and its buffers for each launch, from
 * what the file says. Else a trial compiles one program for many setups, whose launches share one context and
 * one set of buffers.
 */
#include "fuzz/trial.h"
#include "fuzz/plant.h"
#include "fuzz/sequence.h"
#include "lib/result.h"

#include <stdio.h>

#define MOST_FUEL ((uint64_t)1 << 28) /* warp instructions of a launch */
#define REFERENCE_FUEL                                                                                       \
    ((uint64_t)1 << 24) /* of the reference, so that what others need stays far below theirs */

#define COMMAND_SECONDS 60 /* of real time, for a command that programs go through */

const char *const fz_outcome_text[FZ_OUTCOMES] = {
    "passed",
    "rejected by the compiler",
    "trapped",
    "out of fuel",
    "differs",
    "yields",
    "internal error",
    "crashed",
    "hung",
    "alarms",
    "not enough memory",
    "not of its class",
    "counts wrongly",
    "declined by the command",
    "refused",
    "left out",
};

bool trial_fail(struct trial *t, const struct fz_setup *s, enum fz_outcome outcome, const char *text)
{
    size_t n = strcspn(text, "\n");
    t->verdict.outcome = outcome;
    t->verdict.setup = *s;
    snprintf(t->verdict.text, sizeof t->verdict.text, "%.*s", (int)n, text);
    return false;
}

/* No failure of the program: fz_try says so. */
static kernc_status memory_or_fail(kernc_status status)
{
    if (status == KERNC_NO_MEMORY)
        mem_fail(0);
    return status;
}

/* ---- compiling --------------------------------------------------------------------------------------- */

/* What the warp-core target has not, programs that its core does not hold, and functions that a list of
 * passes, or a level without some of its passes, has made too large, to be checked for uniformity or thread
 * frontiers or for the registers of bytecode, are no failures. */
static bool beyond_limits(const struct fz_setup *s, kernc_result *r)
{
    static const char *const limits[] = {"\"id\":\"too-large\"",     "\"id\":\"registers\"",
                                         "\"id\":\"frontier-work\"", "\"id\":\"target-",
                                         "\"id\":\"code-size\"",     "\"id\":\"frame-size\""};
    size_t count = scheme_target(s->scheme)->lacks ? COUNT(limits) : fz_passes_given(&s->passes) ? 3 : 1;
    const char *text = result_text(r, KERNC_TEXT_DIAGNOSTICS_JSON, NULL);
    for (size_t i = 0; text && i < count; i++)
        if (strstr(text, limits[i]))
            return true;
    return false;
}

static bool load(struct trial *t, const struct fz_setup *s, kernc_result *r)
{
    size_t n;
    const char *bytes = result_text(r, KERNC_TEXT_BYTECODE, &n);
    if (beyond_limits(s, r)) {
        t->declined = true;
        return false;
    }
    if (kernc_result_status(r) != KERNC_COMPILED) {
        const char *text = result_text(r, KERNC_TEXT_DIAGNOSTICS, NULL);
        enum fz_outcome outcome = !s->through ? FZ_REJECTED : *s->through ? FZ_REFUSED : FZ_LEFT_OUT;
        return trial_fail(t, s, outcome, text ? text : "no bytecode");
    }
    if (t->p->sequence) {
        t->program = arena_strdup(&t->arena, bytes, n);
        t->program_bytes = n;
        t->compiled = *s;
        return true;
    }
    kernc_module_free(t->module);
    t->module = NULL;
    if (memory_or_fail(kernc_module_load(t->context, bytes, n, &t->module)) ||
        kernc_module_kernel(t->module, "k", &t->kernel))
        return trial_fail(t, s, FZ_REJECTED, kernc_error_text(t->context));
    t->compiled = *s;
    return true;
}

/* What is compiled of it: its source, or what its way through a command has left. */
static bool find_text(struct trial *t, const struct fz_setup *s, struct text *text)
{
    struct fz_passage passage = {0};
    char why[sizeof t->verdict.text] = "";
    if (!s->through) {
        text_add(text, t->source.at, t->source.length);
        return true;
    }
    enum fz_outcome outcome =
        fz_pass_through(t->p, &t->source, s->through, COMMAND_SECONDS, &passage, why, sizeof why);
    text_add(text, passage.after.length ? passage.after.at : "", passage.after.length);
    text_free(&passage.before);
    text_free(&passage.after);
    return outcome == FZ_RIGHT || trial_fail(t, s, outcome, why);
}

static bool compile(struct trial *t, const struct fz_setup *s)
{
    kernc_options o;
    struct text text = {.arena = &t->arena};
    if (!find_text(t, s, &text))
        return false;
    kernc_options_init(&o);
    o.input = s->through ? KERNC_INPUT_LLVM : t->p->module ? KERNC_INPUT_IR : KERNC_INPUT_SOURCE;
    o.level = s->level;
    o.scheme = scheme_info[s->scheme].name;
    o.no_warnings = true;
    o.verify_each = true;
    o.checks = s->passes.check;
    o.passes = fz_passes_list(&t->arena, &s->passes);
    o.switches = fz_passes_switches(&t->arena, &s->passes, &o.switch_count);
    t->declined = false;
    const char *name = s->through ? "program.ll" : t->p->module ? "program.kir" : "program.kern";
    kernc_result *r = kernc_compile(name, text.at ? text.at : "", text.length, &o);
    bool memory = r && kernc_result_status(r) != KERNC_COMPILE_NO_MEMORY, ok = memory && load(t, s, r);
    kernc_result_free(r);
    if (!memory)
        mem_fail(0);
    return ok;
}

/* ---- launching --------------------------------------------------------------------------------------- */

static bool make_buffers(struct trial *t, const struct fz_setup *s)
{
    for (uint32_t i = 0; i < t->p->buffers.count; i++) {
        const struct fz_buffer *b = &t->p->buffers.at[i];
        if (!t->buffers[i] &&
            memory_or_fail(kernc_buffer_create(t->context, trial_bytes(t->p, i), b->name, &t->buffers[i])))
            return trial_fail(t, s, FZ_TRAPPED, kernc_error_text(t->context));
        void *to = kernc_buffer_map(t->buffers[i]);
        if (b->input)
            memcpy(to, t->p->inputs, sizeof t->p->inputs);
        else
            memset(to, 0, trial_bytes(t->p, i));
    }
    return true;
}

/* Notes the place and the array, not which thread it was, which differs with the order of threads. */
static bool stops_at_index(struct trial *t, const char *text)
{
    const char *thread = strstr(text, " (block ");
    if (!thread || !strstr(text, "an index is outside "))
        return false;
    snprintf(t->stop, sizeof t->stop, "%.*s", (int)(thread - text), text);
    return true;
}

/* The setup's own launch, not the reference's. */
static void note_executed(struct trial *t, const struct fz_setup *s, uint64_t warp_instructions)
{
    struct fz_verdict *v = &t->verdict;
    if (v->runs > 1 && v->executed_count < FZ_MAX_EXECUTED)
        v->executed[v->executed_count++] =
            (struct fz_executed){s->scheme, s->level, s->width, warp_instructions};
}

/* The yields, under schemes with convergence barriers. */
static uint64_t take_sums(struct trial *t, const struct fz_setup *s, const kernc_statistics *statistics)
{
    kernc_metrics m = {.size = sizeof m};
    if (!statistics || !kernc_statistics_metrics(statistics, &m))
        return 0;
    note_executed(t, s, m.warp_instructions);
    if (!scheme_has(s->scheme, SCHEME_BARRIERS))
        return 0;
    t->verdict.sums.yields += m.yields;
    t->verdict.sums.warp_instructions += m.warp_instructions;
    return m.yields;
}

/* No program makes threads wait for each other by other means than barriers. */
static bool may_yield(const struct fz_setup *s)
{
    return s->passes.values[OPT_OPTION_deconflict] == OPT_deconflict_off + 1;
}

static bool counts(const struct trial *t)
{
    return t->p->seed % 3 == 0;
}

static kernc_launch launch_of(const struct trial *t, const struct fz_setup *s, uint64_t fuel)
{
    uint32_t counted = KERNC_STATISTICS | (trial_models(t, s) ? KERNC_BLOCK_WARP : 0);
    return (kernc_launch){.size = sizeof(kernc_launch),
                          .flags = counts(t) ? counted : 0,
                          .scheme = scheme_info[s->scheme].name,
                          .warp = s->width,
                          .threads = 1,
                          .schedule = s->schedule,
                          .fuel = fuel};
}

/* The program's one kernel, on the trial's buffers. */
static bool run_kernel(struct trial *t, const struct fz_setup *s, uint64_t fuel, kernc_status *status,
                       kernc_statistics **statistics)
{
    kernc_argument args[MAX_BUFFERS];
    kernc_launch l = launch_of(t, s, fuel);
    if (!make_buffers(t, s))
        return false;
    for (uint32_t i = 0; i < t->p->buffers.count; i++)
        args[i] = kernc_arg_buffer(t->p->buffers.at[i].name, t->buffers[i]);
    l.grid[0] = t->p->blocks;
    l.block[0] = t->p->threads;
    l.args = args;
    l.arg_count = t->p->buffers.count;
    uint32_t sizes[FZ_TYPES];
    l.shared_sizes = sizes;
    while (kernc_kernel_shared_array(t->kernel, l.shared_count, NULL))
        sizes[l.shared_count++] = t->p->threads;
    *status = kernc_run(t->kernel, &l, statistics);
    return true;
}

/* What the program's directives say. */
static bool run_sequence(struct trial *t, const struct fz_setup *s, uint64_t fuel, kernc_status *status,
                         kernc_statistics **statistics)
{
    struct execution *x = &t->execution;
    execution_close(x);
    *x = (struct execution){.arena = &t->arena,
                            .input = "program.kern",
                            .choice.own_outputs = false,
                            .api = launch_of(t, s, fuel),
                            .max_memory = (uint64_t)1 << 28};
    if (!execution_open(x, t->program, t->program_bytes) && memory_or_fail(x->problem.status))
        return trial_fail(t, s, FZ_TRAPPED, execution_error(x));
    *status = execution_run(x, statistics);
    for (uint32_t i = 0; i < t->p->buffers.count; i++)
        t->buffers[i] = execution_buffer(x, NULL, t->p->buffers.at[i].name)->buffer;
    return true;
}

static const char *error_of(const struct trial *t)
{
    return t->p->sequence ? execution_error(&t->execution) : kernc_error_text(t->context);
}

/* Whether the program stands in its wrong version, for the checker of memory alone. */
static bool is_wrong(const struct fz_program *p)
{
    return p->plant && !p->plant->mended;
}

/* The pass check_memory may stand in a list that was drawn: then alarms are not asked for. */
static bool judge_alarms(struct trial *t, const struct fz_setup *s)
{
    char text[sizeof t->verdict.text];
    const char *check = s->passes.check, *own = scheme_check(s->scheme);
    bool checked = check && fz_checks_memory(s->scheme) && !(own && strcmp(check, own) == 0);
    bool missed = checked && fz_plant_missed(t->p, &t->source, t->context, text, sizeof text);
    return !missed || trial_fail(t, s, FZ_ALARMS, text);
}

static bool launch(struct trial *t, const struct fz_setup *s, uint64_t fuel)
{
    kernc_statistics *statistics = NULL;
    kernc_status status = KERNC_OK;
    t->verdict.runs++;
    t->stop[0] = 0;
    kernc_alarms_forget(t->context);
    if (!(t->p->sequence ? run_sequence : run_kernel)(t, s, fuel, &status, &statistics))
        return false;
    uint64_t yields = take_sums(t, s, statistics);
    bool right = status != KERNC_OK || !counts(t) || trial_counts(t, s, statistics);
    kernc_statistics_free(statistics);
    if (!right)
        return false;
    memory_or_fail(status);
    t->yielded = yields && may_yield(s);
    if (is_wrong(t->p))
        return judge_alarms(t, s);
    if (t->yielded && status != KERNC_LIMIT && status != KERNC_DEADLOCK)
        return true;
    switch (status) {
    case KERNC_OK: return !yields || trial_fail(t, s, FZ_YIELDS, "threads wait for each other");
    case KERNC_LIMIT:
    case KERNC_DEADLOCK: return trial_fail(t, s, FZ_STUCK, error_of(t));
    default: return stops_at_index(t, error_of(t)) || trial_fail(t, s, FZ_TRAPPED, error_of(t));
    }
}

/* ---- all --------------------------------------------------------------------------------------------- */

static bool same_code(const struct fz_setup *a, const struct fz_setup *b)
{
    return a->scheme == b->scheme && a->level == b->level && a->through == b->through &&
           fz_passes_equal(&a->passes, &b->passes);
}

static bool run_setup(struct trial *t, const struct fz_setup *s, bool is_reference)
{
    if ((!t->compiled.width || !same_code(&t->compiled, s)) && !compile(t, s))
        return t->declined;
    if (!trial_expect(t, s) || !launch(t, s, is_reference ? REFERENCE_FUEL : MOST_FUEL))
        return false;
    if (is_wrong(t->p) || !judge_alarms(t, s))
        return t->verdict.outcome == FZ_RIGHT;
    if (fz_class_find(t->p->class)->holds)
        return trial_holds(t, s);
    if (is_reference)
        trial_keep(t);
    return (t->yielded && t->p->class != 'c') || trial_compare(t, s);
}

/* Where results differ: whether the program itself is to blame, by what the checker of memory finds of it. */
static void blame_program(struct trial *t)
{
    struct fz_verdict v = t->verdict;
    struct fz_setup s = {.scheme = SCHEME_DEFAULT, .width = v.setup.width, .passes.check = "race,bounds"};
    kernc_alarm a = {.size = sizeof a};
    size_t n = strlen(v.text);
    if (v.outcome != FZ_DIFFERS || t->p->sequence)
        return;
    t->verdict.outcome = FZ_RIGHT;
    if (compile(t, &s) && launch(t, &s, MOST_FUEL) && kernc_alarm_at(t->context, 0, &a))
        snprintf(v.text + n, sizeof v.text - n, "; the program is wrong in line %u: %s", a.line, a.text);
    t->verdict = v;
}

/* The program as it stands; of one with a mistake there is no reference. */
static void run_plan(struct trial *t, const fz_setup_vec *plan, struct fz_setup *at)
{
    t->source.length = 0;
    t->compiled.width = 0;
    fz_print(t->p, NULL, &t->source);
    for (uint32_t i = is_wrong(t->p); i < plan->count && t->verdict.outcome == FZ_RIGHT; i++) {
        *at = plan->at[i];
        run_setup(t, &plan->at[i], i == 0);
    }
}

static void try(struct trial *t, const fz_setup_vec *plan, struct fz_setup *at)
{
    const struct fz_program *p = t->p;
    trial_make_expected(t);
    memory_or_fail(kernc_context_create(NULL, &t->context));
    if (p->plant && !fz_plant_stands(p))
        trial_fail(t, &plan->at[0], FZ_INVALID, "there is no mistake any more");
    else if (p->plant)
        p->plant->mended = true, run_plan(t, plan, at), p->plant->mended = false;
    run_plan(t, plan, at);
    blame_program(t);
}

struct fz_verdict fz_try(const struct fz_program *p, const fz_setup_vec *plan, struct fz_setup *at)
{
    struct trial t = {.p = p};
    struct mem_guard guard;
    INVARIANT(p->buffers.count <= MAX_BUFFERS);
    if (mem_guard_enter(&guard))
        trial_fail(&t, &plan->at[0], FZ_NO_MEMORY, "");
    else
        try(&t, plan, at);
    mem_guard_leave(&guard);
    execution_close(&t.execution);
    kernc_context_free(t.context);
    text_free(&t.source);
    arena_free(&t.arena);
    return t.verdict;
}
