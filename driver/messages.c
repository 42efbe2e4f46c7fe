/* messages.c: everything kernc says besides its results, on standard error: as text at once, or with
 * --diagnostics=json as one array at the end.
 */
#include "driver/driver.h"
#include "lib/result.h"

#include <stdio.h>
#include <unistd.h>

/* ---- text -------------------------------------------------------------------------------------------- */

static void print_line(const char *text)
{
    struct text shown = {0};
    text_visible(&shown, text, strlen(text));
    fflush(stdout);
    fprintf(stderr, "kernc: %s\n", shown.at ? shown.at : "");
    text_free(&shown);
}

void show_note(const char *text)
{
    fflush(stdout);
    fputs(text, stderr);
}

/* ---- the JSON array ---------------------------------------------------------------------------------- */

/* Appends the elements of another array. Both end with "]\n". */
static void join_arrays(struct text *into, const char *array)
{
    size_t n = strlen(array);
    if (into->length == 0 || strcmp(into->at, "[]\n") == 0) {
        into->length = 0;
        text_add(into, array, n);
    } else if (strcmp(array, "[]\n") != 0) {
        into->length -= 2;
        text_addz(into, ",\n ");
        text_add(into, array + 1, n - 1);
    }
}

static void add_json(struct command *c, const struct diagnostics *d)
{
    struct text t = {0};
    diag_json_text(d, &t);
    join_arrays(&c->messages, t.at);
    text_free(&t);
}

/* ---- messages ---------------------------------------------------------------------------------------- */

/* Where runs may fail the same way each is said once (`once`). */
static bool is_new(struct command *c, const char *message, size_t n)
{
    uint64_t key = hash_bytes(message, n);
    bool found = map_get(&c->shown, key) != MAP_NONE;
    map_set(&c->arena, &c->shown, key, 1);
    return !found;
}

void show_messages(struct command *c, const struct diagnostics *d)
{
    fflush(stdout);
    if (c->json)
        add_json(c, d);
    else
        diag_print(d, stderr, diag_color_wanted(stderr));
}

static int failv(struct command *c, int exit_code, const char *id, const struct source *s, place at,
                 const char *fmt, va_list args)
{
    struct diagnostics d;
    diag_init(&d, &c->arena, s);
    diag_addv(&d, DIAG_ERROR, id, (span){.at = at}, fmt, args);
    struct text heading = {.arena = &c->arena};
    diag_heading(&d, &d.all.at[0], &heading, false);
    if (c->once && !is_new(c, heading.at, heading.length))
        return exit_code;
    if (s || c->json)
        show_messages(c, &d);
    else
        print_line(d.all.at[0].text);
    return exit_code;
}

int fail(struct command *c, int exit_code, const char *id, const struct source *s, place at, const char *fmt,
         ...)
{
    va_list args;
    va_start(args, fmt);
    failv(c, exit_code, id, s, at, fmt, args);
    va_end(args);
    return exit_code;
}

int complain(struct command *c, int exit_code, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    failv(c, exit_code, exit_code == EXIT_USAGE ? "usage" : "system", NULL, (place){0}, fmt, args);
    va_end(args);
    return exit_code;
}

void warn(struct command *c, const char *id, const char *fmt, ...)
{
    struct diagnostics d;
    va_list args;
    if (option_given(c, OPTION_QUIET))
        return;
    diag_init(&d, &c->arena, NULL);
    va_start(args, fmt);
    diag_addv(&d, DIAG_WARNING, id, (span){0}, fmt, args);
    va_end(args);
    if (c->json)
        add_json(c, &d);
    else
        print_line(arena_printf(&c->arena, "warning: %s", d.all.at[0].text));
}

/* ---- each once --------------------------------------------------------------------------------------- */

static size_t line_length(const char *text)
{
    size_t n = strcspn(text, "\n");
    return n + (text[n] == '\n');
}

/* The length of the first message: its line, and those of its source and notes. */
static size_t message_length(const char *text)
{
    size_t n = line_length(text);
    while (text[n] == ' ' || memmem(text + n, line_length(text + n), "note: ", 6))
        n += line_length(text + n);
    return n;
}

static const char *new_of_text(struct command *c, const char *text)
{
    struct text t = {.arena = &c->arena};
    text_add(&t, "", 0);
    for (size_t n; *text; text += n) {
        n = message_length(text);
        if (is_new(c, text, n))
            text_add(&t, text, n);
    }
    return t.at;
}

/* An array has each message in a line of its own, behind '[' or a blank. */
static const char *new_of_array(struct command *c, const char *array)
{
    struct text t = {.arena = &c->arena};
    text_addz(&t, "[");
    for (const char *at = array + 1; *at == '{' || *at == ' '; at += strcspn(at, "\n") + 1) {
        at += *at == ' ';
        size_t n = strcspn(at, "\n") - 1; /* without the comma, or the array's bracket */
        if (!is_new(c, at, n))
            continue;
        text_addz(&t, t.length > 1 ? ",\n " : "");
        text_add(&t, at, n);
    }
    text_addz(&t, "]\n");
    return t.at;
}

const char *first_error(struct command *c, const kernc_result *r)
{
    const struct diagnostics *d = &r->diagnostics;
    struct text text = {.arena = &c->arena};
    uint32_t first = 0;
    while (first < d->all.count && d->all.at[first].severity != DIAG_ERROR)
        first++;
    if (first == d->all.count)
        return "it does not compile";
    diag_heading(d, &d->all.at[first], &text, false);
    if (first + 1 < d->all.count && d->all.at[first + 1].severity == DIAG_NOTE)
        text_printf(&text, "; %s", d->all.at[first + 1].text);
    return text.at;
}

void show_diagnostics(struct command *c, kernc_result *r)
{
    kernc_text what = c->json                     ? KERNC_TEXT_DIAGNOSTICS_JSON
                      : diag_color_wanted(stderr) ? KERNC_TEXT_DIAGNOSTICS_COLOR
                                                  : KERNC_TEXT_DIAGNOSTICS;
    const char *text = result_text(r, what, NULL);
    if (text && c->once)
        text = c->json ? new_of_array(c, text) : new_of_text(c, text);
    if (text && c->json)
        join_arrays(&c->messages, text);
    else if (text)
        show_note(text);
}

const char *show_new_diagnostics(struct command *c, kernc_result *r)
{
    const char *array = result_text(r, KERNC_TEXT_DIAGNOSTICS_JSON, NULL);
    const char *news = array ? new_of_array(c, array) : "[]\n";
    if (c->json)
        join_arrays(&c->messages, news);
    else
        show_diagnostics(c, r);
    return news;
}

void messages_end(struct command *c)
{
    if (c->json) {
        join_arrays(&c->messages, "[]\n");
        show_note(c->messages.at);
    }
    text_free(&c->messages);
}

/* As diag_json_text writes it. */
void last_message(bool json, const struct text *earlier, const char *id, const char *text)
{
    bool more = earlier && earlier->length > strlen("[]\n");
    const char *const parts[] = {more ? ",\n {" : "[{",
                                 "\"severity\":\"error\",\"id\":\"",
                                 id,
                                 "\",\"file\":\"\",\"line\":0,\"column\":0,\"endLine\":0,\"endColumn\":0,"
                                 "\"message\":\"",
                                 text,
                                 "\",\"notes\":[]}]\n"},
                      *const plain[] = {"kernc: ", text, "\n"};
    size_t count = json ? COUNT(parts) : COUNT(plain);
    if (json && more && write(STDERR_FILENO, earlier->at, earlier->length - strlen("]\n")) < 0)
        return;
    for (size_t i = 0; i < count; i++) {
        const char *part = json ? parts[i] : plain[i];
        if (write(STDERR_FILENO, part, strlen(part)) < 0)
            return;
    }
}

int write_output(struct command *c, const char *file, const char *bytes, size_t n)
{
    const char *read[] = {c->file, c->other};
    for (uint32_t i = 0; i < COUNT(read) && !option_given(c, OPTION_IN_PLACE); i++)
        if (read[i] && strcmp(file, "-") != 0 && strcmp(read[i], "-") != 0 && file_is_same(file, read[i]))
            return fail(c, EXIT_INPUT, "output", NULL, (place){0}, "%s would overwrite the input", file);
    const char *problem = file_write(file, bytes, n);
    const char *name = strcmp(file, "-") == 0 ? "standard output" : file;
    return problem ? fail(c, EXIT_INPUT, "output", NULL, (place){0}, "cannot write %s: %s", name, problem)
                   : EXIT_OK;
}
