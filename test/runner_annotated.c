/* runner_annotated.c: a file whose comments say how it is run and what must come of it. Directives and their
 * meaning: test/README.md.
 */
#include "base/scheme.h"
#include "test/runner.h"
#include "test/sections.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FILE_LIMIT   (64u << 20)
#define SECONDS      1800
#define SHOWN_OUTPUT 3000 /* bytes of a failed command's output that are shown */

struct directive {
    char name[16];
    const char *text;
    uint32_t line;
};

struct annotated {
    const char *path;       /* of the file that holds the directives */
    const char *program;    /* %s: the file, or one that holds this section alone */
    struct section section; /* of the file */
    const struct test_options *options;
    struct test_result *result;
    struct arena arena;
    VEC(struct directive) all;
    unsigned seconds;
    uint32_t serial; /* of the temporary files' names */
};

static const char *const names[] = {"RUN",    "EXIT",   "OUT",        "ERR",        "OUT-NOT", "ERR-NOT",
                                    "OUT-IS", "ERR-IS", "GOLDEN-OUT", "GOLDEN-ERR", "NEEDS",   "TIMEOUT"};

/* ---- reading directives ------------------------------------------------------------------------------ */

/* "// NAME: text", "; NAME: text" or "# NAME: text", blanks before it. */
static bool read_directive(struct annotated *a, const char *line, size_t n, struct directive *d)
{
    size_t i = 0, start;
    while (i < n && isblank((unsigned char)line[i]))
        i++;
    size_t leader = i + 1 < n && line[i] == '/' && line[i + 1] == '/' ? 2
                    : i < n && strchr(";#", line[i])                  ? 1
                                                                      : 0;
    for (start = i += leader; start < n && isblank((unsigned char)line[start]);)
        start++;
    size_t length = strspn(line + start, "ABCDEFGHIJKLMNOPQRSTUVWXYZ-");
    if (!leader || length == 0 || length >= sizeof d->name || start + length >= n ||
        line[start + length] != ':')
        return false;
    snprintf(d->name, sizeof d->name, "%.*s", (int)length, line + start);
    i = start + length + 1;
    i += i < n && line[i] == ' ';
    d->text = arena_strdup(&a->arena, line + i, n - i);
    for (size_t k = 0; k < COUNT(names); k++)
        if (strcmp(d->name, names[k]) == 0)
            return true;
    return false;
}

static void read_directives(struct annotated *a)
{
    uint32_t line = a->section.line;
    const char *at = a->section.at, *last = at + a->section.length;
    for (const char *end; at < last; at = end + 1, line++) {
        struct directive d = {.line = line};
        end = memchr(at, '\n', (size_t)(last - at));
        end = end ? end : last;
        if (read_directive(a, at, (size_t)(end - at), &d))
            vec_push(&a->arena, &a->all, d);
    }
}

/* ---- substitutions --------------------------------------------------------------------------------- */

static int folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path) : 1;
}

/* Names of the schemes for bytecode, the reference among them or not. */
static void add_schemes(struct text *t, bool reference)
{
    const char *space = "";
    for (unsigned s = 0; s < SCHEMES; s++) {
        if (scheme_info[s].target != scheme_info[SCHEME_REFERENCE].target ||
            (s == SCHEME_REFERENCE && !reference))
            continue;
        text_printf(t, "%s%s", space, scheme_info[s].name);
        space = " ";
    }
}

static void substitute_one(const struct annotated *a, const char **at, struct text *t)
{
    static const struct {
        const char *name;
        char what;
    } marks[] = {{"%kernc", 'k'}, {"%schemes", 'a'}, {"%simt", 'w'}, {"%s", 's'},
                 {"%S", 'S'},     {"%tools", 'T'},   {"%t", 't'},    {"%%", '%'}};
    for (size_t i = 0; i < COUNT(marks); i++) {
        size_t n = strlen(marks[i].name);
        if (strncmp(*at, marks[i].name, n) != 0)
            continue;
        *at += n;
        switch (marks[i].what) {
        case 'k': text_addz(t, a->options->kernc); return;
        case 'a': add_schemes(t, true); return;
        case 'w': add_schemes(t, false); return;
        case 's': text_addz(t, a->program); return;
        case 'S':
            text_printf(t, "%.*s", folder_length(a->path), strchr(a->path, '/') ? a->path : ".");
            return;
        case 'T': text_addz(t, a->options->tools); return;
        case 't': text_printf(t, "%s/%u", a->options->folder, a->serial); return;
        default: text_char(t, '%'); return;
        }
    }
    text_char(t, *(*at)++);
}

static const char *substitute(struct annotated *a, const char *text)
{
    struct text t = {0};
    while (*text)
        substitute_one(a, &text, &t);
    const char *s = arena_strdup(&a->arena, t.at ? t.at : "", t.length);
    text_free(&t);
    return s;
}

/* ---- checks ------------------------------------------------------------------------------------------ */

/* "  FILE:LINE: ", and the section's name. */
static void begin_line(struct annotated *a, uint32_t line)
{
    const char *name = a->section.name;
    text_printf(&a->result->log, "  %s:%u: %s%s", a->path, line, name ? name : "", name ? ": " : "");
}

static void complain(struct annotated *a, const struct directive *d, const char *what)
{
    begin_line(a, d->line);
    text_printf(&a->result->log, "%s: %s%s\n", d->name, what, d->text);
}

/* Finds `wanted` at or after *from, which moves behind it. */
static bool check_ordered(const struct text *output, const char *wanted, size_t *from)
{
    const char *found = memmem(output->at + *from, output->length - *from, wanted, strlen(wanted));
    if (found)
        *from = (size_t)(found - output->at) + strlen(wanted);
    return found != NULL;
}

/* The output is this one line and nothing else ("" : nothing at all). */
static bool check_is(const struct text *output, const char *wanted)
{
    size_t n = strlen(wanted);
    return output->length == n + (n > 0) && memcmp(output->at, wanted, n) == 0;
}

static bool check_golden(struct annotated *a, const struct text *output, const char *file)
{
    struct text golden = {0};
    if (a->options->update)
        return file_write(file, output->at, output->length) == NULL;
    bool equal = file_read(file, FILE_LIMIT, &golden) == NULL && golden.length == output->length &&
                 memcmp(golden.at, output->at, output->length) == 0;
    text_free(&golden);
    return equal;
}

/* Positions up to which the ordered checks of one command have come. */
struct progress {
    size_t out, err;
};

static bool check(struct annotated *a, const struct directive *d, const struct process *p,
                  struct progress *at)
{
    bool err = strstr(d->name, "ERR") != NULL;
    const struct text *output = err ? &p->err : &p->out;
    const char *wanted = substitute(a, d->text);
    const char *problem = NULL;
    if (strcmp(d->name, "OUT") == 0 || strcmp(d->name, "ERR") == 0)
        problem = check_ordered(output, wanted, err ? &at->err : &at->out) ? NULL : "not found (in order): ";
    else if (strstr(d->name, "-NOT"))
        problem = memmem(output->at, output->length, wanted, strlen(wanted)) ? "found: " : NULL;
    else if (strstr(d->name, "-IS"))
        problem = check_is(output, wanted) ? NULL : "is not: ";
    else if (strstr(d->name, "GOLDEN"))
        problem = check_golden(a, output, wanted) ? NULL : "differs from ";
    if (problem)
        complain(a, d, problem);
    return !problem;
}

/* ---- a command and the directives up to the next one ------------------------------------------------- */

static void show_output(struct annotated *a, const char *title, const struct text *output)
{
    size_t n = output->length < SHOWN_OUTPUT ? output->length : SHOWN_OUTPUT;
    if (!n)
        return;
    text_printf(&a->result->log, "  --- %s\n", title);
    text_visible(&a->result->log, output->at, n);
    text_addz(&a->result->log, n < output->length ? "...\n" : output->at[n - 1] == '\n' ? "" : "\n");
}

static bool check_exit(struct annotated *a, const struct directive *run, int wanted, const struct process *p)
{
    if (p->timed_out) {
        complain(a, run, "no end in time: ");
    } else if (p->status != wanted) {
        begin_line(a, run->line);
        text_printf(&a->result->log, "exit code %d instead of %d: %s\n", p->status, wanted, run->text);
    }
    return !p->timed_out && p->status == wanted;
}

static uint32_t end_of_command(const struct annotated *a, uint32_t i)
{
    for (i++; i < a->all.count && strcmp(a->all.at[i].name, "RUN") != 0;)
        i++;
    return i;
}

static void run_command(struct annotated *a, uint32_t first, uint32_t end)
{
    struct process p;
    const struct directive *run = &a->all.at[first];
    int wanted = 0;
    for (uint32_t i = first + 1; i < end; i++)
        if (strcmp(a->all.at[i].name, "EXIT") == 0)
            wanted = atoi(a->all.at[i].text);
    process_run(substitute(a, run->text), a->options->environment, a->seconds * a->options->patience, &p);
    a->result->seconds += p.seconds;
    bool good = check_exit(a, run, wanted, &p);
    struct progress at = {0};
    for (uint32_t i = first + 1; i < end; i++)
        good &= check(a, &a->all.at[i], &p, &at);
    if (good) {
        a->result->counts.passed++;
    } else {
        a->result->counts.failed++;
        show_output(a, "stdout", &p.out);
        show_output(a, "stderr", &p.err);
    }
    process_free(&p);
}

/* ---- the file ------------------------------------------------------------------------------------ */

static bool have_tool(const char *name)
{
    char command[256];
    struct process p;
    snprintf(command, sizeof command, "command -v '%s'", name);
    process_run(command, NULL, 10, &p);
    process_free(&p);
    return p.status == 0;
}

/* The first tool of a NEEDS line that is missing, or NULL. */
static const char *missing_tool(struct annotated *a)
{
    for (uint32_t i = 0; i < a->all.count; i++)
        if (strcmp(a->all.at[i].name, "NEEDS") == 0 && !have_tool(a->all.at[i].text))
            return a->all.at[i].text;
    return NULL;
}

static void run_commands(struct annotated *a)
{
    uint32_t i = 0;
    while (i < a->all.count && strcmp(a->all.at[i].name, "RUN") != 0) {
        if (strcmp(a->all.at[i].name, "TIMEOUT") == 0)
            a->seconds = (unsigned)atoi(a->all.at[i].text);
        i++;
    }
    if (i == a->all.count) {
        a->result->counts.failed++;
        begin_line(a, a->section.line);
        text_addz(&a->result->log, "no RUN: line\n");
    }
    for (uint32_t end; i < a->all.count; i = end) {
        end = end_of_command(a, i);
        run_command(a, i, end);
    }
}

/* A section stands in a file of its own for its commands, which ends as the file does. */
static const char *write_program(struct annotated *a)
{
    if (!a->section.name)
        return NULL;
    a->program = arena_printf(&a->arena, "%s/%u-%s%s", a->options->folder, a->serial, a->section.name,
                              strrchr(a->path, '.'));
    return file_write(a->program, a->section.at, a->section.length);
}

static void run_section(struct annotated *a)
{
    static uint32_t serial;
    a->serial = __atomic_add_fetch(&serial, 1, __ATOMIC_RELAXED);
    const char *problem = write_program(a);
    read_directives(a);
    const char *tool = missing_tool(a);
    if (problem) {
        a->result->counts.failed++;
        begin_line(a, a->section.line);
        text_printf(&a->result->log, "%s\n", problem);
    } else if (tool) {
        a->result->counts.skipped++;
        text_printf(&a->result->log, "%s is missing\n", tool);
    } else {
        run_commands(a);
    }
}

void test_run_annotated(const char *path, const struct test_options *o, struct test_result *r)
{
    struct arena arena = {0};
    struct text text = {.arena = &arena};
    const char *problem = file_read(path, FILE_LIMIT, &text);
    if (problem) {
        r->counts.failed++;
        text_printf(&r->log, "  %s: %s\n", path, problem);
        return;
    }
    section_list sections = sections_of(&arena, &text);
    for (uint32_t i = 0; i < sections.count; i++) {
        struct annotated a = {.path = path,
                              .program = path,
                              .section = sections.at[i],
                              .options = o,
                              .result = r,
                              .seconds = SECONDS};
        run_section(&a);
        arena_free(&a.arena);
    }
    arena_free(&arena);
}
