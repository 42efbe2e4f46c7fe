/* trial.c: one program under its plan, in this process: compile for each scheme and level, launch at each
 * width, compare every byte of every buffer with the reference.
 *
 * lib/experiment.h is for sequences (class g) alone: it makes a context and its buffers for each launch, from
 * what the file says. Else a trial compiles one program for many setups, whose launches share one context and
 * one set of buffers.
 */
#include "fuzz/fuzz.h"
#include "fuzz/plant.h"
#include "fuzz/sequence.h"
#include "include/kernc.h"
#include "lib/experiment.h"

#include <stdio.h>

#define MOST_FUEL ((uint64_t)1 << 28) /* warp instructions of a launch */
#define REFERENCE_FUEL                                                                                       \
    ((uint64_t)1 << 24) /* of the reference, so that what others need stays far below theirs */

enum { MAX_BUFFERS = 8 };

struct trial {
    const struct fz_program *p;
    struct arena arena;
    struct text source;
    struct fz_verdict verdict;
    kernc_context *context;
    kernc_module *module;
    kernc_kernel *kernel;
    kernc_buffer *buffers[MAX_BUFFERS];
    const char *program; /* class g: what was compiled */
    size_t program_bytes;
    struct experiment experiment; /* class g: of the latest launch, whose are the buffers */
    struct fz_setup compiled;     /* for what `kernel` was compiled; width 0: for nothing yet */
    void *expected[MAX_BUFFERS];
    uint32_t expected_width;            /* 0: none yet */
    char expected_stop[256], stop[256]; /* which index stops the reference, and the latest launch; "": none */
    bool yielded;  /* the latest launch gave up a barrier: groups are not those of the reference */
    bool declined; /* the latest setup's target has not what the program wants */
};

const char *const fz_outcome_text[FZ_OUTCOMES] = {
    "passed",           "rejected by the compiler", "trapped", "out of fuel", "differs",
    "deadlock",         "internal error",           "crashed", "hung",        "alarms",
    "not of its class",
};

static bool fail(struct trial *t, const struct fz_setup *s, enum fz_outcome outcome, const char *text)
{
    size_t n = strcspn(text, "\n");
    t->verdict.outcome = outcome;
    t->verdict.setup = *s;
    snprintf(t->verdict.text, sizeof t->verdict.text, "%.*s", (int)n, text);
    return false;
}

/* ---- compiling --------------------------------------------------------------------------------------- */

/* What the warp-core target has not, programs that its core does not hold, and functions that a list of passes
 * has made too large to be checked for uniformity, are no failures. */
static bool beyond_limits(const struct fz_setup *s, kernc_result *r)
{
    static const char *const limits[] = {"\"id\":\"too-large\"", "\"id\":\"target-", "\"id\":\"code-size\"",
                                         "\"id\":\"frame-size\"", "\"id\":\"registers\""};
    size_t count = scheme_info[s->scheme].target == TARGET_warp_core ? COUNT(limits) : 1;
    const char *text = kernc_result_text(r, KERNC_TEXT_DIAGNOSTICS_JSON, NULL);
    for (size_t i = 0; text && i < count; i++)
        if (strstr(text, limits[i]))
            return true;
    return false;
}

static bool load(struct trial *t, const struct fz_setup *s, kernc_result *r)
{
    size_t n;
    const char *bytes = kernc_result_text(r, KERNC_TEXT_BYTECODE, &n);
    if (beyond_limits(s, r)) {
        t->declined = true;
        return false;
    }
    if (!bytes || kernc_result_status(r) != KERNC_COMPILED) {
        const char *text = kernc_result_text(r, KERNC_TEXT_DIAGNOSTICS, NULL);
        return fail(t, s, FZ_REJECTED, text ? text : "no bytecode");
    }
    if (t->p->sequence) {
        t->program = arena_strdup(&t->arena, bytes, n);
        t->program_bytes = n;
        t->compiled = *s;
        return true;
    }
    kernc_module_free(t->module);
    t->module = NULL;
    if (kernc_module_load(t->context, bytes, n, &t->module) ||
        kernc_module_kernel(t->module, "k", &t->kernel))
        return fail(t, s, FZ_REJECTED, kernc_error_text(t->context));
    t->compiled = *s;
    return true;
}

static bool compile(struct trial *t, const struct fz_setup *s)
{
    kernc_options o;
    kernc_options_init(&o);
    o.input = t->p->module ? KERNC_INPUT_IR : KERNC_INPUT_SOURCE;
    o.level = s->level;
    o.scheme = scheme_info[s->scheme].name;
    o.no_warnings = true;
    o.verify_each = true;
    o.checks = s->passes.check;
    o.passes = fz_passes_list(&t->arena, &s->passes);
    o.switches = fz_passes_switches(&t->arena, &s->passes, &o.switch_count);
    t->declined = false;
    const char *name = t->p->module ? "program.kir" : "program.kern";
    kernc_result *r = kernc_compile(name, t->source.at, t->source.length, &o);
    bool ok = r ? load(t, s, r) : fail(t, s, FZ_REJECTED, "not enough memory");
    kernc_result_free(r);
    return ok;
}

/* ---- launching --------------------------------------------------------------------------------------- */

static size_t bytes_of(const struct fz_program *p, uint32_t buffer)
{
    const struct fz_buffer *b = &p->buffers.at[buffer];
    return (size_t)fz_elements(p, b) * (fz_type_info[b->type].bits / 8);
}

static bool make_buffers(struct trial *t, const struct fz_setup *s)
{
    for (uint32_t i = 0; i < t->p->buffers.count; i++) {
        const struct fz_buffer *b = &t->p->buffers.at[i];
        if (!t->buffers[i] && kernc_buffer_create(t->context, bytes_of(t->p, i), b->name, &t->buffers[i]))
            return fail(t, s, FZ_TRAPPED, kernc_error_text(t->context));
        void *to = kernc_buffer_map(t->buffers[i]);
        if (b->input)
            memcpy(to, t->p->inputs, sizeof t->p->inputs);
        else
            memset(to, 0, bytes_of(t->p, i));
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
    return s->passes.told[OPT_OPTION_deconflict] == OPT_deconflict_off + 1;
}

static kernc_launch launch_of(const struct fz_setup *s, uint64_t fuel)
{
    return (kernc_launch){.size = sizeof(kernc_launch),
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
    kernc_launch l = launch_of(s, fuel);
    if (!make_buffers(t, s))
        return false;
    for (uint32_t i = 0; i < t->p->buffers.count; i++)
        args[i] = kernc_arg_buffer(t->p->buffers.at[i].name, t->buffers[i]);
    l.grid[0] = t->p->blocks;
    l.block[0] = t->p->threads;
    l.args = args;
    l.arg_count = t->p->buffers.count;
    l.shared = kernc_kernel_shared(t->kernel, NULL) ? t->p->threads : 0;
    *status = kernc_run(t->kernel, &l, statistics);
    return true;
}

/* What the program's directives say. */
static bool run_sequence(struct trial *t, const struct fz_setup *s, uint64_t fuel, kernc_status *status,
                         kernc_statistics **statistics)
{
    struct experiment *x = &t->experiment;
    experiment_close(x);
    *x = (struct experiment){.arena = &t->arena,
                             .input = "program.kern",
                             .own_outputs = false,
                             .api = launch_of(s, fuel),
                             .max_memory = (uint64_t)1 << 28};
    if (!experiment_open(x, t->program, t->program_bytes))
        return fail(t, s, FZ_TRAPPED, experiment_error(x));
    *status = experiment_run(x, statistics);
    for (uint32_t i = 0; i < t->p->buffers.count; i++)
        t->buffers[i] = experiment_buffer(x, NULL, t->p->buffers.at[i].name)->buffer;
    return true;
}

static const char *error_of(const struct trial *t)
{
    return t->p->sequence ? experiment_error(&t->experiment) : kernc_error_text(t->context);
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
    return !missed || fail(t, s, FZ_ALARMS, text);
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
    kernc_statistics_free(statistics);
    t->yielded = yields && may_yield(s);
    if (is_wrong(t->p))
        return judge_alarms(t, s);
    if (t->yielded && status != KERNC_LIMIT)
        return true;
    switch (status) {
    case KERNC_OK: return !yields || fail(t, s, FZ_YIELDS, "threads wait for each other");
    case KERNC_LIMIT: return fail(t, s, FZ_STUCK, error_of(t));
    default: return stops_at_index(t, error_of(t)) || fail(t, s, FZ_TRAPPED, error_of(t));
    }
}

/* ---- comparing --------------------------------------------------------------------------------------- */

static bool keep_as_expected(struct trial *t)
{
    memcpy(t->expected_stop, t->stop, sizeof t->stop);
    for (uint32_t i = 0; i < t->p->buffers.count; i++)
        memcpy(t->expected[i], kernc_buffer_map(t->buffers[i]), bytes_of(t->p, i));
    return true;
}

static void make_expected(struct trial *t)
{
    for (uint32_t i = 0; i < t->p->buffers.count; i++)
        t->expected[i] = arena_alloc(&t->arena, bytes_of(t->p, i) + 1);
}

static bool expect(struct trial *t, const struct fz_setup *s)
{
    const struct fz_class *class = fz_class_find(t->p->class);
    if (!class->expect || t->expected_width == s->width)
        return true;
    for (uint32_t i = 0; i < t->p->buffers.count; i++) {
        memset(t->expected[i], 0, bytes_of(t->p, i));
        if (t->p->buffers.at[i].input)
            memcpy(t->expected[i], t->p->inputs, sizeof t->p->inputs);
    }
    t->expected_width = s->width;
    return class->expect(t->p, s->width, t->expected) ||
           fail(t, s, FZ_INVALID, "the reference does not end, or depends on what anchors gather");
}

static unsigned long long element(const void *bytes, size_t index, size_t size)
{
    unsigned long long v = 0;
    memcpy(&v, (const char *)bytes + index * size, size);
    return v;
}

static bool differ(struct trial *t, const struct fz_setup *s, uint32_t buffer)
{
    const struct fz_buffer *b = &t->p->buffers.at[buffer];
    size_t size = fz_type_info[b->type].bits / 8, i = 0;
    uint32_t threads = t->p->blocks * t->p->threads;
    const void *got = kernc_buffer_map(t->buffers[buffer]);
    char text[256], where[64] = "";
    while (element(got, i, size) == element(t->expected[buffer], i, size))
        i++;
    if (!fz_has_types(t->p) && b->per_thread) /* rows of all threads; in class a, threads of all slots */
        snprintf(where, sizeof where, " (thread %u, row %u)", (unsigned)(i % threads),
                 (unsigned)(i / threads));
    else if (b->per_thread)
        snprintf(where, sizeof where, " (thread %u, slot %u)", (unsigned)(i / b->per_thread),
                 (unsigned)(i % b->per_thread));
    snprintf(text, sizeof text, "%s[%zu]%s is 0x%llx, expected 0x%llx", b->name, i, where,
             element(got, i, size), element(t->expected[buffer], i, size));
    return fail(t, s, FZ_DIFFERS, text);
}

static bool stop_differs(struct trial *t, const struct fz_setup *s)
{
    char text[sizeof t->stop + sizeof t->expected_stop + 64];
    snprintf(text, sizeof text, "%s%s, expected %s%s", t->stop[0] ? "stops at " : "no index stops it",
             t->stop, t->expected_stop[0] ? "a stop at " : "none to", t->expected_stop);
    return fail(t, s, FZ_DIFFERS, text);
}

/* What two arms execute together has the place that it has in one of them. */
static bool same_stop(const struct trial *t, const struct fz_setup *s)
{
    const char *got = strstr(t->stop, ": kernel "), *expected = strstr(t->expected_stop, ": kernel ");
    if (got && expected && fz_passes_have(&s->passes, s->level, OPT_PASS_csc))
        return strcmp(got, expected) == 0;
    return strcmp(t->stop, t->expected_stop) == 0;
}

static bool compare(struct trial *t, const struct fz_setup *s)
{
    if (!same_stop(t, s))
        return stop_differs(t, s);
    if (t->stop[0])
        return true;
    for (uint32_t i = 0; i < t->p->buffers.count; i++)
        if (memcmp(t->expected[i], kernc_buffer_map(t->buffers[i]), bytes_of(t->p, i)))
            return differ(t, s, i);
    return true;
}

/* ---- all --------------------------------------------------------------------------------------------- */

static bool same_code(const struct fz_setup *a, const struct fz_setup *b)
{
    return a->scheme == b->scheme && a->level == b->level && fz_passes_equal(&a->passes, &b->passes);
}

static bool run_setup(struct trial *t, const struct fz_setup *s, bool is_reference)
{
    if ((!t->compiled.width || !same_code(&t->compiled, s)) && !compile(t, s))
        return t->declined;
    if (!expect(t, s) || !launch(t, s, is_reference ? REFERENCE_FUEL : MOST_FUEL))
        return false;
    if (is_wrong(t->p) || !judge_alarms(t, s))
        return t->verdict.outcome == FZ_PASSED;
    if (is_reference && !fz_class_find(t->p->class)->expect)
        return keep_as_expected(t);
    return (t->yielded && t->p->class != 'c') || compare(t, s);
}

/* Where results differ: whether the program itself is to blame, by what the checker of memory finds of it. */
static void blame_program(struct trial *t)
{
    struct fz_verdict v = t->verdict;
    struct fz_setup s = {.scheme = SCHEME_pdom, .width = v.setup.width, .passes.check = "race,bounds"};
    kernc_alarm a = {.size = sizeof a};
    size_t n = strlen(v.text);
    if (v.outcome != FZ_DIFFERS || t->p->sequence)
        return;
    t->verdict.outcome = FZ_PASSED;
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
    for (uint32_t i = is_wrong(t->p); i < plan->count && t->verdict.outcome == FZ_PASSED; i++) {
        *at = plan->at[i];
        run_setup(t, &plan->at[i], i == 0);
    }
}

struct fz_verdict fz_try(const struct fz_program *p, const fz_setup_vec *plan, struct fz_setup *at)
{
    struct trial t = {.p = p};
    INVARIANT(p->buffers.count <= MAX_BUFFERS);
    make_expected(&t);
    if (kernc_context_create(NULL, &t.context))
        fail(&t, &plan->at[0], FZ_TRAPPED, kernc_error_text(NULL));
    if (p->plant && !fz_plant_stands(p))
        fail(&t, &plan->at[0], FZ_INVALID, "there is no mistake any more");
    else if (p->plant)
        p->plant->mended = true, run_plan(&t, plan, at), p->plant->mended = false;
    run_plan(&t, plan, at);
    blame_program(&t);
    experiment_close(&t.experiment);
    kernc_context_free(t.context);
    text_free(&t.source);
    arena_free(&t.arena);
    return t.verdict;
}

/* The text without numbers and names, which change from program to program. */
static void skeleton(const char *text, char *out, size_t size)
{
    bool quoted = false;
    for (; *text && size > 1; text++) {
        if (*text == '\'')
            quoted = !quoted;
        else if (!quoted && (*text < '0' || *text > '9'))
            *out++ = *text, size--;
    }
    *out = 0;
}

bool fz_same_kind(const struct fz_verdict *a, const struct fz_verdict *b)
{
    char as[sizeof a->text], bs[sizeof b->text];
    if (a->outcome != b->outcome)
        return false;
    if (a->outcome == FZ_DIFFERS || a->outcome == FZ_STUCK || a->outcome == FZ_HUNG)
        return true;
    skeleton(a->text, as, sizeof as);
    skeleton(b->text, bs, sizeof bs);
    return strcmp(as, bs) == 0;
}
