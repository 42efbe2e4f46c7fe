/* launch.c: see launch.h. */
#include "driver/launch.h"
#include "driver/interrupt.h"
#include "launch/outputs.h"
#include "runtime/context.h"

#include <stdio.h>
#include <unistd.h>

#define NOWHERE ((place){0})

#define fail_here(r, ...) fail((r)->command, EXIT_INPUT, "launch", NULL, NOWHERE, __VA_ARGS__)

/* ---- flags ------------------------------------------------------------------------------------------- */

/* "X", "X,Y" or "X,Y,Z", of which each may be an expression over the round. */
static int read_sizes(struct run *r, enum option_id id, enum launch_clause c)
{
    const char *text = option_value(r->command, id);
    const char *why = text ? launch_parse_sizes(&r->command->arena, text, c, &r->x.choice.launch) : NULL;
    return why ? complain(r->command, EXIT_USAGE, "--%s wants %s, not '%s': %s", option_info[id].name,
                          c == LAUNCH_SHARED ? "numbers of elements such as 64 or 64,32"
                                             : "one to three sizes such as 8,8,1",
                          text, why)
               : EXIT_OK;
}

static int read_anchors(struct run *r)
{
    const char *text = option_value(r->command, OPTION_ANCHORS), *seed;
    if (!text || strcmp(text, "all") == 0)
        return EXIT_OK;
    if (strcmp(text, "alone") == 0) {
        r->x.api.anchors = KERNC_ANCHORS_ALONE;
        return EXIT_OK;
    }
    r->x.api.anchors = KERNC_ANCHORS_RANDOM;
    seed = strncmp(text, "random:", strlen("random:")) == 0 ? text + strlen("random:") : NULL;
    if (seed && scan_number(&seed, &r->x.api.anchor_seed) && *seed == 0)
        return EXIT_OK;
    return complain(r->command, EXIT_USAGE, "--anchors wants all, alone or random:SEED, not '%s'", text);
}

_Static_assert(KERNC_SCHEDULE_LARGEST == 0 && KERNC_SCHEDULE_NEWEST == 1 && KERNC_SCHEDULE_OLDEST == 2 &&
                   KERNC_SCHEDULE_LOWEST == SCHEDULES - 1,
               "schedule_names has their order");

int schedule_take(struct command *c, int *schedule)
{
    const char *text = option_value(c, OPTION_SCHEDULE);
    unsigned found = text ? schedule_find(text) : SCHEDULES;
    if (text && found == SCHEDULES)
        return complain(c, EXIT_USAGE, "--schedule wants largest, newest, oldest or lowest, not '%s'", text);
    if (text)
        *schedule = (int)found;
    return EXIT_OK;
}

static int read_numbers(struct run *r)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t warp = 0, threads = cores < 1 ? 1 : (uint64_t)cores, fuel = 0, segment = 128, banks = 32;
    if (threads > KERNC_MAX_HOST_THREADS)
        threads = KERNC_MAX_HOST_THREADS;
    const struct option_range numbers[] = {
        {OPTION_THREADS, 1, KERNC_MAX_HOST_THREADS, &threads, false},
        {OPTION_FUEL, 1, UINT64_MAX, &fuel, false},
        {OPTION_SEGMENT, 8, 1 << 20, &segment, true},
        {OPTION_BANKS, 1, KERNC_MAX_BANKS, &banks, true},
        {OPTION_MAX_ROUNDS, 1, UINT64_MAX, &r->x.max_rounds, false},
    };
    bool block;
    int code = option_numbers(r->command, numbers, COUNT(numbers)) ?: option_warp(r->command, &warp, &block);
    r->x.api.warp = (uint32_t)warp;
    r->x.api.flags = block ? KERNC_BLOCK_WARP : 0;
    r->x.api.threads = (uint32_t)threads;
    r->x.api.fuel = fuel;
    r->x.api.segment = (uint32_t)segment;
    r->x.api.banks = (uint32_t)banks;
    return code;
}

static int read_argument(struct run *r, const char *text)
{
    struct arena *a = &r->command->arena;
    struct launch_argument given;
    const char *problem = launch_parse_argument(a, text, &given);
    if (!given.name)
        return complain(r->command, EXIT_USAGE, "--arg wants NAME=SPEC, not '%s'", text);
    if (problem)
        return fail_here(r, "--arg %s: %s", text, problem);
    const struct launch_argument *old = execution_argument(&r->x.choice.launch, given.name);
    if (old)
        r->x.choice.launch.arguments.at[old - r->x.choice.launch.arguments.at] = given;
    else
        vec_push(a, &r->x.choice.launch.arguments, given);
    return EXIT_OK;
}

static int read_output(struct run *r, enum option_id id, const char *text)
{
    struct arena *a = &r->command->arena;
    struct launch_output o;
    const char *problem = id == OPTION_SHOW ? launch_parse_show(a, text, &o) : launch_parse_save(a, text, &o);
    if (problem)
        return complain(r->command, EXIT_USAGE, "--%s: %s, not '%s'", option_info[id].name, problem, text);
    vec_push(a, &r->x.choice.launch.outputs, o);
    return EXIT_OK;
}

bool launch_is_said(const char *launch)
{
    return launch && strchr(launch, '(');
}

/* --launch="k(n = 3) grid(2) block(32)" is all of these: --kernel, --grid, --block, --shared, --arg, --show. */
static int read_launch(struct run *r)
{
    struct arena *a = &r->command->arena;
    const char *text = option_value(r->command, OPTION_LAUNCH);
    if (!launch_is_said(text))
        return EXIT_OK;
    size_t n, word = strlen("launch ");
    const char *line = arena_printf(a, "launch %s", text);
    const char *problem = launch_read_directive(a, line, &n, &r->x.choice.launch);
    n += strspn(line + n, " \t;");
    if (!problem && line[n])
        problem = "behind it stand grid(…), block(…), shared(…), show(…) and save(…)";
    if (problem)
        return complain(r->command, EXIT_USAGE, "--launch, column %zu: %s", n >= word ? n - word + 1 : 1,
                        problem);
    r->x.choice.kernel_name = r->x.choice.launch.kernel;
    return EXIT_OK;
}

struct run launch_new(struct command *c, bool quiet)
{
    return (struct run){.command = c,
                        .quiet = quiet,
                        .x = {.api.size = sizeof(kernc_launch), .max_memory = (uint64_t)2 << 30}};
}

int launch_read_flags(struct run *r)
{
    struct command *c = r->command;
    int code = read_numbers(r) ?: watch_read_flags(r) ?: trace_read_flags(r) ?: read_launch(r);
    code = code ?: option_size(c, OPTION_MAX_MEMORY, &r->x.max_memory) ?: read_anchors(r);
    code = code ?: schedule_take(c, &r->x.api.schedule) ?: read_sizes(r, OPTION_GRID, LAUNCH_GRID);
    code = code ?: read_sizes(r, OPTION_BLOCK, LAUNCH_BLOCK) ?: read_sizes(r, OPTION_SHARED, LAUNCH_SHARED);
    for (uint32_t i = 0; !code && i < c->given.count; i++) {
        const struct given *g = &c->given.at[i];
        if (g->id == OPTION_ARG)
            code = read_argument(r, g->value);
        else if (g->id == OPTION_SHOW || g->id == OPTION_SAVE)
            code = read_output(r, g->id, g->value);
    }
    return code;
}

/* ---- what is wrong ----------------------------------------------------------------------------------- */

/* The text of the --arg that gives the parameter's value; NULL: the directive does. */
static const char *flag_of(const struct run *r, const char *name)
{
    size_t n = strlen(name);
    for (uint32_t i = r->command->given.count; i-- > 0;) {
        const struct given *g = &r->command->given.at[i];
        if (g->id == OPTION_ARG && strncmp(g->value, name, n) == 0 && g->value[n] == '=')
            return g->value;
    }
    return NULL;
}

static bool is_word_byte(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* Where the directive that begins in the line has this word before `sign` ('=' or '('): the place behind the
 * sign of an argument, that of a clause's word; else the line's beginning. */
static place directive_place(const struct run *r, uint32_t line, const char *word, char sign)
{
    size_t n = strlen(word);
    uint32_t length;
    for (uint32_t i = line; r->source && line && i <= r->source->line_count; i++) {
        const char *text = source_line(r->source, i, &length);
        for (uint32_t k = 0; k + n < length; k++) {
            if (memcmp(text + k, word, n) != 0 || (k && is_word_byte(text[k - 1])))
                continue;
            size_t at = k + n + strspn(text + k + n, " \t");
            if (text[at] == sign)
                return (place){i, 1 + (uint32_t)(sign == '(' ? k : at + 1 + strspn(text + at + 1, " \t"))};
        }
        if (memchr(text, ';', length))
            break;
    }
    return (place){line, 1};
}

/* Says what is wrong with a value where it was given: on the command line or at the directive. */
static int fail_argument(struct run *r, const struct execution_problem *p)
{
    const char *what = p->is_named ? "buffer" : "argument";
    int code = p->text == launch_too_large ? EXIT_LIMIT : EXIT_INPUT;
    const char *flag = flag_of(r, p->name), *file = p->value->kind == LAUNCH_FILE ? p->value->text : "";
    const char *colon = *file ? ": " : "";
    if (flag)
        return fail(r->command, code, "launch", NULL, NOWHERE, "--arg %s: %s %s (%s): %s%s%s", flag, what,
                    p->name, p->type, p->text, colon, file);
    return fail(r->command, code, "launch", r->source, directive_place(r, p->line, p->name, '='),
                "%s %s (%s): %s%s%s", what, p->name, p->type, p->text, colon, file);
}

int launch_failed(struct run *r)
{
    const struct execution_problem *p = &r->x.problem;
    const char *id = p->of_launch ? "launch" : kernc_status_name(p->status);
    return p->name ? fail_argument(r, p)
                   : fail(r->command, exit_of_run(p->status), id, NULL, NOWHERE, "%s", p->text);
}

/* " of launch 2 (step), round 3": where a plan of several stopped; "" in a plan of one. */
static const char *launch_which(struct run *r)
{
    const struct execution_step *s = r->x.position.step;
    const char *round = r->x.position.repeating ? arena_printf(&r->command->arena, ", round %llu",
                                                               (unsigned long long)r->x.position.round)
                                                : "";
    if (!s || !s->kernel || (r->x.launches == 1 && !r->x.position.repeating))
        return "";
    return arena_printf(&r->command->arena, " of launch %u (%s)%s", s->number, s->launch.kernel, round);
}

place launch_clause(const struct run *r)
{
    const struct launch *d = r->x.position.step ? r->x.position.step->directive : NULL;
    bool here = r->source && d && d->shared[0] && !option_given(r->command, OPTION_SHARED) && r->x.context &&
                r->x.context->error_of_shared;
    return here ? directive_place(r, d->line, "shared", '(') : NOWHERE;
}

/* What may be done about a launch that stopped in the middle and did not trap: it was out of fuel, unless a
 * signal stopped it. */
static const char *more_fuel(const struct run *r, const kernc_trap *t, kernc_status status)
{
    const volatile int *stop = r->x.api.interrupt;
    return t && status == KERNC_LIMIT && !(stop && *stop) ? "; --fuel=N allows more" : "";
}

static int api_failed(struct run *r, const kernc_trap *t, kernc_status status)
{
    place at = {r->x.problem.text && r->source ? r->x.problem.line : 0, 1};
    at = at.line ? at : launch_clause(r);
    return fail(r->command, exit_of_run(status), kernc_status_name(status), at.line ? r->source : NULL, at,
                "%s%s%s", execution_error(&r->x), r->x.problem.text ? "" : launch_which(r),
                more_fuel(r, t, status));
}

/* A trap's place; where only its line is known, the line's first word. */
static place place_of(const struct run *r, const kernc_trap *t)
{
    place at = {t->line, t->column};
    uint32_t n = 0;
    bool found = r->source && source_whole_line(r->source, t->file, &at.line);
    if (found && at.line && !at.column) {
        const char *line = source_line(r->source, at.line, &n);
        at.column = 1 + (uint32_t)strspn(line, " \t");
    }
    return at;
}

static const char *name_thread(struct run *r, const kernc_trap *t, kernc_status status)
{
    const char *block =
        arena_printf(&r->command->arena, "block (%u,%u,%u)", t->block[0], t->block[1], t->block[2]);
    if (status != KERNC_TRAP)
        return block;
    return arena_printf(&r->command->arena, "thread (%u,%u,%u) of %s", t->thread[0], t->thread[1],
                        t->thread[2], block);
}

/* "; --arg out=zeros(2) made it": what the command line says of the buffer that the trap's text names. */
static const char *name_maker(struct run *r)
{
    const struct rt_region *b = r->x.context->trap_buffer;
    const char *flag = b && b->name ? flag_of(r, b->name) : NULL;
    return flag ? arena_printf(&r->command->arena, "; --arg %s made it", flag) : "";
}

/* A compiled program knows the names of its files, not their text. */
static const struct source *source_at(struct run *r, const char *file)
{
    if (r->source)
        return r->source;
    struct source *s = source_new(&r->command->arena, *file ? file : input_name(r->command), "", 0);
    s->line_count = 0;
    return s;
}

int launch_stopped(struct run *r, kernc_status status)
{
    const kernc_trap *t = r->x.problem.text ? NULL : kernc_last_trap(r->x.context);
    int code = !t ? api_failed(r, t, status)
                  : fail(r->command, exit_of_run(status), kernc_status_name(status), source_at(r, t->file),
                         place_of(r, t), "%s%s in %s%s%s%s", t->text, status == KERNC_TRAP ? "" : ",",
                         name_thread(r, t, status), launch_which(r), name_maker(r), more_fuel(r, t, status));
    if (t && *t->report && !r->command->json)
        show_note(t->report);
    return code;
}

int launch_alarms(struct run *r)
{
    kernc_alarm a = {.size = sizeof a};
    int code = EXIT_OK;
    for (unsigned i = 0; kernc_alarm_at(r->x.context, i, &a); i++) {
        place at = {a.line, a.column};
        bool found = !r->source || source_whole_line(r->source, a.file, &at.line);
        code = found ? fail(r->command, EXIT_FOUND, a.kind, source_at(r, a.file), at, "%s", a.text)
                     : fail(r->command, EXIT_FOUND, a.kind, NULL, (place){0}, "%s:%u:%u: %s", a.file, a.line,
                            a.column, a.text);
    }
    return code;
}

/* ---- outputs ----------------------------------------------------------------------------------------- */

static int save(struct run *r, const struct launch_output *o, const struct view *v)
{
    struct text t = {0};
    const char *problem = output_encode(&r->command->arena, o, v, &t);
    int code = problem ? fail_here(r, "cannot save %s as %s: %s", o->name, o->file, problem)
                       : write_output(r->command, o->file, t.at, t.length);
    text_free(&t);
    return code;
}

static int show(struct run *r, const struct launch_output *o, const struct view *v, uint32_t line)
{
    struct text t = {0};
    const char *problem = output_show(&r->command->arena, o, v, &t);
    place at = option_given(r->command, OPTION_SHOW) ? NOWHERE : directive_place(r, line, "show", '(');
    int code = problem ? fail(r->command, EXIT_INPUT, "launch", at.line ? r->source : NULL, at,
                              "cannot show %s: %s", o->name, problem)
                       : EXIT_OK;
    if (!problem)
        fwrite(t.at, 1, t.length, stdout);
    text_free(&t);
    return code;
}

static int write_one(struct run *r, const struct execution_step *step, const struct launch_output *o)
{
    const struct execution_buffer *b = execution_buffer(&r->x, step, o->name);
    if (!b)
        return fail_here(r, "%s is not a buffer", o->name);
    struct view v = launch_view(b);
    uint32_t line = r->source && step->directive ? step->directive->line : 0;
    return o->save ? save(r, o, &v) : show(r, o, &v, line);
}

void launch_write_outputs(void *run, const struct execution_step *step)
{
    struct run *r = run;
    if (step->launch.outputs.count && r->progress) {
        progress_end(r->progress);
        r->progress = NULL;
    }
    interrupt_listen(false);
    for (uint32_t i = 0; i < step->launch.outputs.count; i++) {
        int code = write_one(r, step, &step->launch.outputs.at[i]);
        if (!r->outputs)
            r->outputs = code;
    }
    interrupt_listen(true);
}
