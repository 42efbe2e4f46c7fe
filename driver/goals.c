/* goals.c: goals of a program, which stand in its comments:
 *
 *     // kern:goal(simt_efficiency >= 80%, pdom)       a metric over all launches (kernc-metrics.def); <= too
 *     // kern:goal(out[0..4] is 0 2 4 6)               what kernc run --show prints of a buffer, at the end
 *     // kern:goal(stops, pdom)                        the launches do not end: a trap, or the fuel is gone
 *     // kern:goal(ends, tf-stack)                     they do
 *     // kern:goal(step 14 runs ##..####, pdom)        lanes that run in that step of warp 0 (--steps)
 *
 * Without a scheme, it is that of the run. Each scheme runs once, by itself, whatever the number of its goals.
 */
#include "driver/goals.h"
#include "driver/interrupt.h"
#include "launch/outputs.h"
#include "runtime/module.h"

#include <stdio.h>
#include <stdlib.h>

enum goal_kind { GOAL_AT_LEAST, GOAL_AT_MOST, GOAL_SHOWS, GOAL_STOPS, GOAL_ENDS, GOAL_STEP };
struct goal {
    enum goal_kind kind;
    const char *text; /* as it is written, without the scheme */
    enum scheme scheme;
    place at;
    const char *metric; /* of GOAL_AT_LEAST, GOAL_AT_MOST */
    double number;
    bool percent;
    struct launch_output shown; /* of GOAL_SHOWS */
    const char *wanted;         /* of GOAL_SHOWS and GOAL_STEP */
    uint64_t step;              /* of GOAL_STEP, from 1 */
    const char *found;          /* what there is now */
    bool reached;
};
typedef VEC(struct goal) goal_list;

/* A scheme while it runs; `run` comes first: functions that launches call have it. */
struct goal_run {
    struct run run;
    enum scheme scheme;
    VEC(uint64_t) active; /* by step of the first launch that has the warp */
    uint32_t lanes;
    kernc_status status;
    kernc_metrics metrics;
    bool ran, measured, over; /* over: it is not the first launch any more */
};

/* ---- reading ----------------------------------------------------------------------------------------- */

static const char *trimmed(struct arena *a, const char *at, size_t n)
{
    while (n && (*at == ' ' || *at == '\t'))
        at++, n--;
    while (n && (at[n - 1] == ' ' || at[n - 1] == '\t'))
        n--;
    return arena_strdup(a, at, n);
}

/* Behind the last comma, if a scheme stands there; the text loses it. */
static enum scheme take_scheme(struct arena *a, const char **text)
{
    const char *comma = strrchr(*text, ',');
    enum scheme s = comma ? scheme_find(trimmed(a, comma + 1, strlen(comma + 1))) : SCHEMES;
    if (s != SCHEMES)
        *text = trimmed(a, *text, (size_t)(comma - *text));
    return s;
}

/* "METRIC >= NUMBER", "METRIC <= NUMBER%". NULL, or what is wrong. */
static const char *read_metric(struct arena *a, struct goal *g, const char *sign)
{
    char *end;
    bool large;
    const char *name = trimmed(a, g->text, (size_t)(sign - g->text));
    g->kind = *sign == '>' ? GOAL_AT_LEAST : GOAL_AT_MOST;
    g->metric = metrics_find(name, &large);
    if (!g->metric)
        return arena_printf(a, "there is no metric '%s'; there are %s", name, metrics_keys(a));
    g->number = strtod(sign + 2, &end);
    if (end == sign + 2)
        return "a number has to stand behind the sign";
    g->percent = *end == '%';
    g->number /= g->percent ? 100 : 1;
    return end[g->percent] ? "nothing may stand behind the number but %" : NULL;
}

/* "step N runs LANES" */
static const char *read_step(struct arena *a, struct goal *g)
{
    char *end;
    g->kind = GOAL_STEP;
    g->step = strtoull(g->text + 5, &end, 10);
    const char *runs = strstr(end, "runs ");
    if (!g->step || g->step > GOAL_STEPS || !runs)
        return "a step is 'step N runs LANES', N from 1 to 10000";
    g->wanted = trimmed(a, runs + 5, strlen(runs + 5));
    return g->wanted[strspn(g->wanted, "#.?")] ? "lanes are #, which run, . which do not, or ?" : NULL;
}

static const char *read_goal(struct arena *a, struct goal *g)
{
    const char *sign = strstr(g->text, ">="), *is = strstr(g->text, " is ");
    sign = sign ? sign : strstr(g->text, "<=");
    if (strcmp(g->text, "stops") == 0 || strcmp(g->text, "ends") == 0) {
        g->kind = *g->text == 's' ? GOAL_STOPS : GOAL_ENDS;
        return NULL;
    }
    if (strncmp(g->text, "step ", 5) == 0)
        return read_step(a, g);
    if (sign)
        return read_metric(a, g, sign);
    if (!is)
        return "a goal is 'METRIC >= N', 'METRIC <= N', 'BUFFER[a..b] is …', 'stops', 'ends' or 'step N runs "
               "…'";
    g->kind = GOAL_SHOWS;
    g->wanted = trimmed(a, is + 4, strlen(is + 4));
    return launch_parse_show(a, trimmed(a, g->text, (size_t)(is - g->text)), &g->shown);
}

/* Those of the file, in its order. NULL, or what is wrong with the last of them. */
static const char *read_goals(struct arena *a, const struct source *s, enum scheme usual, goal_list *goals)
{
    static const char key[] = "kern:goal(";
    for (uint32_t i = 1; i <= s->line_count; i++) {
        uint32_t n;
        const char *line = source_line(s, i, &n), *comment = memmem(line, n, "//", 2);
        const char *at = comment ? memmem(comment, n - (size_t)(comment - line), key, strlen(key)) : NULL;
        if (!at)
            continue;
        struct goal g = {.at = {i, (uint32_t)(at - line) + 1}};
        const char *from = at + strlen(key), *end = memrchr(from, ')', (size_t)(line + n - from));
        g.text = end ? trimmed(a, from, (size_t)(end - from)) : "";
        g.scheme = take_scheme(a, &g.text);
        g.scheme = g.scheme == SCHEMES ? usual : g.scheme;
        const char *wrong = end ? read_goal(a, &g) : "the ')' is missing";
        vec_push(a, goals, g);
        if (wrong)
            return wrong;
    }
    return NULL;
}

/* ---- running ----------------------------------------------------------------------------------------- */

static void add_step(struct run *run, const void *data)
{
    struct goal_run *x = (struct goal_run *)run;
    const kernc_step *s = data;
    x->over |= s->number == 1 && x->active.count;
    if (x->over || s->number > GOAL_STEPS)
        return;
    x->lanes = s->lanes;
    vec_push(run->x.arena, &x->active, s->active);
}

static void keep_step(void *user, const kernc_step *s)
{
    launch_called(user, add_step, s);
}

static void measure(struct goal_run *x)
{
    kernc_statistics *statistics = NULL;
    x->status = execution_run(&x->run.x, &statistics);
    if (x->run.no_memory || x->status == KERNC_NO_MEMORY)
        mem_fail(0);
    x->metrics.size = sizeof x->metrics;
    x->measured = kernc_statistics_metrics(statistics, &x->metrics);
    kernc_statistics_free(statistics);
}

/* Compiles and runs it; what is wrong has been said. */
static int run_under(struct goal_run *x, struct command *c, const kernc_options *given,
                     const struct text *text)
{
    kernc_options o = *given;
    kernc_result *r = NULL;
    o.scheme = scheme_info[x->scheme].name;
    o.warp = schemes_warp(x->scheme, o.warp);
    x->run = launch_new(c, true);
    int code = launch_read_flags(&x->run) ?: compile_input(c, &o, text, &r);
    if (code)
        return code;
    x->run.x.api.warp = o.warp;
    x->run.x.api.step = keep_step;
    x->run.x.api.step_user = &x->run;
    x->run.x.api.fuel = option_given(c, OPTION_FUEL) ? x->run.x.api.fuel : limit_own(c, LIMIT_goal_fuel);
    x->run.x.api.interrupt = interrupt_flag();
    x->run.source = r->source;
    code = launch_open_compiled(&x->run, r);
    x->run.source = NULL;
    if (!code)
        measure(x);
    x->ran = !code;
    kernc_result_free(r);
    return code;
}

/* ---- judging ----------------------------------------------------------------------------------------- */

static void judge_metric(struct arena *a, struct goal *g, const struct goal_run *x)
{
    double value;
    bool machine = rt_module_image(x->run.x.module) != NULL;
    if (!x->measured || !metrics_value(&x->metrics, machine, g->metric, &value)) {
        g->found = "not measured";
        return;
    }
    g->found = g->percent ? arena_printf(a, "%.1f %%", value * 100) : arena_printf(a, "%.6g", value);
    g->reached = g->kind == GOAL_AT_LEAST ? value >= g->number : value <= g->number;
}

static void judge_shown(struct arena *a, struct goal *g, const struct goal_run *x)
{
    const struct execution_buffer *b = execution_buffer(&x->run.x, x->run.x.first, g->shown.name);
    struct text shown = {.arena = a};
    if (!b) {
        g->found = arena_printf(a, "there is no buffer %s", g->shown.name);
        return;
    }
    struct view v = launch_view(b);
    const char *wrong = output_show(a, &g->shown, &v, &shown), *colon = wrong ? NULL : strstr(shown.at, ": ");
    g->found = wrong ? wrong : trimmed(a, colon + 2, strcspn(colon + 2, "\n"));
    g->reached = !wrong && strcmp(g->found, g->wanted) == 0;
}

static void judge_step(struct arena *a, struct goal *g, const struct goal_run *x)
{
    uint32_t right = 0, n = (uint32_t)strlen(g->wanted);
    if (g->step > x->active.count) {
        g->found = arena_printf(a, "there are %u steps", x->active.count);
        return;
    }
    for (uint32_t i = 0; i < n && i < x->lanes; i++)
        right += g->wanted[i] == (x->active.at[g->step - 1] >> i & 1 ? '#' : '.');
    g->found = arena_printf(a, "%u of %u lanes are right", right, x->lanes);
    g->reached = n == x->lanes && right == x->lanes;
}

static void judge(struct arena *a, struct goal *g, const struct goal_run *x)
{
    bool ends = x->status == KERNC_OK;
    switch (g->kind) {
    case GOAL_STOPS:
    case GOAL_ENDS:
        g->found = ends                          ? "it ends"
                   : x->status == KERNC_LIMIT    ? "it does not end"
                   : x->status == KERNC_DEADLOCK ? "it does not end"
                                                 : "it stops";
        g->reached = ends == (g->kind == GOAL_ENDS);
        return;
    case GOAL_STEP: judge_step(a, g, x); return;
    default: break;
    }
    if (g->kind == GOAL_SHOWS && strchr(g->wanted, '?'))
        g->found = "write what it is instead of each ?";
    else if (!ends)
        g->found = "it does not end";
    else if (g->kind == GOAL_SHOWS)
        judge_shown(a, g, x);
    else
        judge_metric(a, g, x);
}

static void tell(const goal_list *goals)
{
    uint32_t reached = 0;
    for (uint32_t i = 0; i < goals->count; i++) {
        const struct goal *g = &goals->at[i];
        printf("%s  %s, under %s: %s\n", g->reached ? "reached" : "not yet", g->text,
               scheme_info[g->scheme].name, g->found);
        reached += g->reached;
    }
    printf("%u of %u goals reached\n", reached, goals->count);
}

int goals_check(struct command *c, const kernc_options *o, const struct text *text,
                const kernc_result *compiled)
{
    goal_list goals = {0};
    int code = EXIT_OK;
    const char *wrong = read_goals(&c->arena, compiled->source, compiled->scheme, &goals);
    if (wrong)
        return fail(c, EXIT_INPUT, "goal", compiled->source, vec_last(&goals).at, "%s", wrong);
    c->once = true; /* each scheme compiles the same */
    interrupt_listen(true);
    for (unsigned s = 0; s < SCHEMES && !code && !interrupted(); s++) {
        struct goal_run x = {.scheme = (enum scheme)s};
        for (uint32_t i = 0; i < goals.count && !code; i++) {
            if (goals.at[i].scheme != x.scheme)
                continue;
            if (!x.ran)
                code = run_under(&x, c, o, text);
            if (!code)
                judge(&c->arena, &goals.at[i], &x);
        }
        execution_close(&x.run.x);
    }
    interrupt_listen(false);
    if (code || interrupted() || !goals.count)
        return interrupted() ? interrupt_code() : code;
    tell(&goals);
    for (uint32_t i = 0; i < goals.count; i++)
        code = goals.at[i].reached ? code : EXIT_FOUND;
    return code;
}
