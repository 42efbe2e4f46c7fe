/* compare.c: kernc compare: one kernel under several divergence schemes and levels
 * of optimisation, one table.
 *
 * Each row compiles, launches and measures anew, with the same arguments. The reference is the oracle at the
 * first level, in the table or not: a row is equal if its launch ended as the reference's did and left the
 * same bytes in every buffer. What kernels print is dropped, since its order is not part of a program's
 * meaning. Rows that differ make the exit code EXIT_FOUND; the reference's own failure is that of kernc run.
 */
#include "driver/launch.h"
#include "driver/metrics.h"

#include <stdio.h>

enum { WARP_CORE_WARP = 8 };

struct row {
    const char    *scheme;
    unsigned       level;
    bool           equal;
    kernc_status   status;
    const char    *error;        /* NULL: the launch went well */
    const char    *difference;   /* NULL: none */
    kernc_metrics  metrics;
    bool           is_image;     /* of a scheme of the warp-core machine */
    kernc_image_figures image;
};

struct comparison {
    struct command *command;
    kernc_options   options;
    struct text     text;                /* of the file */
    VEC(const char *) schemes;
    VEC(unsigned)   levels;
    VEC(struct row) rows;
    struct run      reference;           /* kept open: its buffers are what the others are compared with */
    struct row      reference_row;
    const char     *kernel;
};

/* ---- what to compare ----------------------------------------------------------------------------------- */

static const char *const all_schemes[] = {
#define RT_SCHEME(name) #name,
#include "runtime/schemes.def"
};

static int add_scheme(struct comparison *x, const char *name, size_t n)
{
    for (size_t i = 0; i < COUNT(all_schemes); i++)
        if (strlen(all_schemes[i]) == n && memcmp(all_schemes[i], name, n) == 0) {
            vec_push(&x->command->arena, &x->schemes, all_schemes[i]);
            return EXIT_OK;
        }
    return complain(x->command, EXIT_USAGE, "there is no scheme '%.*s'", (int)(n > 60 ? 60 : n), name);
}

static int add_level(struct comparison *x, const char *name, size_t n)
{
    if (n != 1 || *name < '0' || *name > '2')
        return complain(x->command, EXIT_USAGE, "there is no level '%.*s'; there are 0, 1 and 2",
                        (int)(n > 60 ? 60 : n), name);
    vec_push(&x->command->arena, &x->levels, (unsigned)(*name - '0'));
    return EXIT_OK;
}

static int add_each(struct comparison *x, const char *list,
                    int (*add)(struct comparison *, const char *, size_t))
{
    int code = EXIT_OK;
    for (const char *at = list; !code && *at;) {
        size_t n = strcspn(at, ",");
        code = add(x, at, n);
        at += n + (at[n] == ',');
    }
    return code;
}

/* --divergence: rows for the warp-core machine, whose warps have 8 threads; then the others' have as many. */
static int add_modes(struct comparison *x)
{
    static const char *const modes[] = {"warp-core:rpc", "warp-core:source-pc", "warp-core:article"};
    const char *wanted = option_value(x->command, OPTION_DIVERGENCE),
               *warp = option_value(x->command, OPTION_WARP);
    bool all = wanted && strcmp(wanted, "all") == 0, found = all || !wanted;
    if (wanted && warp && strcmp(warp, "8") != 0)
        return complain(x->command, EXIT_USAGE, "warps of the warp-core machine have 8 threads, not %s",
                        warp);
    for (size_t i = 0; wanted && i < COUNT(modes); i++)
        if (all || strcmp(strchr(modes[i], ':') + 1, wanted) == 0) {
            vec_push(&x->command->arena, &x->schemes, modes[i]);
            found = true;
        }
    return found ? EXIT_OK
                 : complain(x->command, EXIT_USAGE, "--divergence=rpc, source-pc, article or all, not '%s'",
                            wanted);
}

static int read_choice(struct comparison *x)
{
    struct command *c = x->command;
    const char *schemes = option_value(c, OPTION_SCHEMES), *levels = option_value(c, OPTION_LEVELS);
    kernc_options_init(&x->options);
    int code = compile_options(c, &x->options);
    if (!code && schemes)
        code = add_each(x, schemes, add_scheme);
    for (size_t i = 0; !schemes && i < COUNT(all_schemes); i++)
        vec_push(&c->arena, &x->schemes, all_schemes[i]);
    if (!code && schemes && x->schemes.count == 0)
        code = complain(x->command, EXIT_USAGE, "--schemes wants at least one");
    if (!code)
        code = add_modes(x);
    if (!code && levels)
        code = add_each(x, levels, add_level);
    if (!code && levels && x->levels.count == 0)
        code = complain(x->command, EXIT_USAGE, "--levels wants at least one");
    if (!levels)
        vec_push(&c->arena, &x->levels, x->options.level);
    return code;
}

/* ---- one launch ---------------------------------------------------------------------------------------- */


/* The first compilation reads the file and shows what is to be said about it. */
static int compile(struct comparison *x, kernc_result **r)
{
    struct command *c = x->command;
    if (!x->text.at) {
        int code = compile_file(c, &x->options, &x->text, r);
        if (!code && kernc_result_input(*r) == KERNC_INPUT_BYTECODE)
            code = fail(c, EXIT_INPUT, "input", NULL, (place){0},
                        "%s is compiled for one scheme: compare wants a source or IR", input_name(c));
        return code;
    }
    *r = kernc_compile(input_name(c), x->text.at, x->text.length, &x->options);
    if (!*r)
        mem_fail(x->text.length);
    if (kernc_result_status(*r) == KERNC_COMPILED)
        return EXIT_OK;
    show_diagnostics(c, *r);
    return exit_of_compilation(kernc_result_status(*r));
}

static void launch(struct comparison *x, struct run *r, struct row *row)
{
    kernc_statistics *s = NULL;
    r->api.flags = KERNC_STATISTICS;
    row->status = kernc_run(r->kernel, &r->api, &s);
    if (row->status != KERNC_OK)
        row->error = arena_printf(&x->command->arena, "%s", kernc_error_text(r->context));
    if (s)
        row->metrics = *kernc_statistics_metrics(s);
    kernc_statistics_free(s);
}

/* Leaves the context open. */
static int run_row(struct comparison *x, struct run *r, struct row *row)
{
    kernc_result *compiled = NULL;
    *r = (struct run){
        .command = x->command, .api.size = sizeof r->api, .max_memory = (uint64_t)2 << 30, .quiet = true};
    x->options.scheme = row->scheme;
    x->options.level = row->level;
    int code = launch_read_flags(r);
    if (option_given(x->command, OPTION_DIVERGENCE))
        r->api.warp = WARP_CORE_WARP;
    if (!code)
        code = compile(x, &compiled);
    if (!code && kernc_result_input(compiled) == KERNC_INPUT_SOURCE)
        r->source = source_new(&x->command->arena, input_name(x->command), x->text.at, x->text.length);
    if (!code)
        code = launch_open_compiled(r, compiled);
    if (!code)
        row->is_image = kernc_result_image(compiled, r->launch.kernel, &row->image);
    kernc_result_free(compiled);
    if (!code)
        launch(x, r, row);
    return code;
}

/* ---- equal? -------------------------------------------------------------------------------------------- */

static size_t first_difference(const uint8_t *a, const uint8_t *b, size_t n)
{
    size_t i = 0;
    while (i < n && a[i] == b[i])
        i++;
    return i;
}

static const char *find_difference(struct comparison *x, const struct run *r, const struct row *row)
{
    struct arena *a = &x->command->arena;
    if (row->status != x->reference_row.status)
        return row->error ? row->error
                          : arena_printf(a, "ended well, the oracle did not: %s", x->reference_row.error);
    for (uint32_t i = 0; i < r->buffers.count; i++) {
        const struct be_param *p = r->buffers.at[i].param;
        size_t n = kernc_buffer_size(r->buffers.at[i].buffer),
               element = p->element_bytes ? p->element_bytes : 1;
        size_t at = first_difference(kernc_buffer_map(r->buffers.at[i].buffer),
                                     kernc_buffer_map(x->reference.buffers.at[i].buffer), n);
        if (at < n)
            return arena_printf(a, "%s[%zu] differs from the oracle's", p->name, at / element);
    }
    return NULL;
}

static int compare_row(struct comparison *x, struct row row)
{
    struct run r = {0};
    int code = run_row(x, &r, &row);
    if (!code) {
        row.difference = find_difference(x, &r, &row);
        row.equal = !row.difference;
        vec_push(&x->command->arena, &x->rows, row);
    }
    kernc_context_free(r.context);
    return code;
}

static int run_reference(struct comparison *x)
{
    x->reference_row = (struct row){.scheme = "oracle", .level = x->levels.at[0], .equal = true};
    int code = run_row(x, &x->reference, &x->reference_row);
    x->kernel = x->reference.launch.kernel;
    if (!code && x->reference_row.error)
        code = fail(x->command, exit_of_run(x->reference_row.status),
                    kernc_status_name(x->reference_row.status), NULL, (place){0}, "under the oracle: %s",
                    x->reference_row.error);
    return code;
}

static int run_rows(struct comparison *x)
{
    int code = EXIT_OK;
    for (uint32_t l = 0; l < x->levels.count; l++)
        for (uint32_t s = 0; !code && s < x->schemes.count; s++) {
            struct row row = {.scheme = x->schemes.at[s], .level = x->levels.at[l]};
            if (l == 0 && strcmp(row.scheme, "oracle") == 0)
                vec_push(&x->command->arena, &x->rows, x->reference_row);
            else
                code = compare_row(x, row);
        }
    return code;
}

/* ---- results ------------------------------------------------------------------------------------------- */

/* The metrics that the table for people shows; files have all. */
static const struct { const char *key, *heading; int width; } columns[] = {
    {"warp_instructions", "warp instr.", 14}, {"simt_efficiency", "SIMT eff.", 10},
    {"overhead_instructions", "overhead", 11}, {"memory_transactions", "transactions", 13},
    {"cycles", "cycles", 14},                  {"divergences", "divergences", 12},
    {"seconds", "seconds", 10},
};

static int scheme_width(const struct comparison *x)
{
    int width = 10;
    for (uint32_t i = 0; i < x->rows.count; i++)
        if ((int)strlen(x->rows.at[i].scheme) > width)
            width = (int)strlen(x->rows.at[i].scheme);
    return width;
}

static void add_table(const struct comparison *x, struct text *t)
{
    text_printf(t, "%s: warp %u\n%-*s %3s  %-5s", x->kernel, x->reference.api.warp, scheme_width(x), "scheme",
                "opt", "equal");
    for (size_t k = 0; k < COUNT(columns); k++)
        text_printf(t, "%*s", columns[k].width, columns[k].heading);
    for (uint32_t i = 0; i < x->rows.count; i++) {
        const struct row *row = &x->rows.at[i];
        text_printf(t, "\n%-*s -O%u  %-5s", scheme_width(x), row->scheme, row->level,
                    row->equal ? "yes" : "NO");
        for (size_t k = 0; k < COUNT(columns); k++)
            metrics_cell(&row->metrics, columns[k].key, columns[k].width, t);
        if (row->difference)
            text_printf(t, "\n    %s", row->difference);
    }
    text_char(t, '\n');
}

/* What the warp-core machine has besides: the program's size, the stack, the CONVERGEs. */
static void add_image_table(const struct comparison *x, struct text *t)
{
    bool first = true;
    for (uint32_t i = 0; i < x->rows.count; i++) {
        const struct row *row = &x->rows.at[i];
        const kernc_image_figures *f = &row->image;
        if (!row->is_image)
            continue;
        if (first)
            text_printf(t, "%-20s %3s %6s %6s %7s %7s %6s %6s %14s %10s %10s\n", "warp-core", "opt", "words",
                        "regs", "spilled", "remade", "bound", "depth", "core cycles", "CONVERGEs",
                        "effective");
        first = false;
        text_printf(t, "%-20s -O%u %6u %6u %7u %7u %6u", row->scheme, row->level, f->words, f->registers,
                    f->spilled, f->remade, f->stack);
        metrics_cell(&row->metrics, "max_stack_depth", 7, t);
        metrics_cell(&row->metrics, "core_cycles", 15, t);
        metrics_cell(&row->metrics, "converges", 11, t);
        metrics_cell(&row->metrics, "effective_converges", 11, t);
        text_char(t, '\n');
    }
}

static void add_image_json(const struct row *row, struct text *t)
{
    const kernc_image_figures *f = &row->image;
    text_printf(t,
                "\"image\": {\"words\": %u, \"registers\": %u, \"predicates\": %u, \"private_bytes\": %u, ",
                f->words, f->registers, f->predicates, f->private_bytes);
    text_printf(t, "\"stack\": %u, \"spilled\": %u, \"remade\": %u}, ", f->stack, f->spilled, f->remade);
}

static void add_json(const struct comparison *x, struct text *t)
{
    text_addz(t, "{\"kernel\": ");
    text_json(t, x->kernel, strlen(x->kernel));
    text_printf(t, ", \"warp\": %u, \"rows\": [", x->reference.api.warp);
    for (uint32_t i = 0; i < x->rows.count; i++) {
        const struct row *row = &x->rows.at[i];
        text_printf(t, "%s\n  {\"scheme\": \"%s\", \"opt\": %u, \"equal\": %s, ", i ? "," : "", row->scheme,
                    row->level, row->equal ? "true" : "false");
        if (row->difference) {
            text_addz(t, "\"difference\": ");
            text_json(t, row->difference, strlen(row->difference));
            text_addz(t, ", ");
        }
        if (row->is_image)
            add_image_json(row, t);
        text_addz(t, "\"metrics\": {");
        metrics_json_values(&row->metrics, t);
        text_addz(t, "}}");
    }
    text_addz(t, "]}\n");
}

static void add_csv(const struct comparison *x, struct text *t)
{
    text_addz(t, "kernel,warp,scheme,opt,equal");
    metrics_csv_keys(t);
    for (uint32_t i = 0; i < x->rows.count; i++) {
        const struct row *row = &x->rows.at[i];
        text_printf(t, "\n%s,%u,%s,%u,%s", x->kernel, x->reference.api.warp, row->scheme, row->level,
                    row->equal ? "true" : "false");
        metrics_csv_values(&row->metrics, t);
    }
    text_char(t, '\n');
}

static int write_file(const struct comparison *x, enum option_id id,
                      void (*add)(const struct comparison *, struct text *))
{
    const char *file = option_value(x->command, id);
    struct text t = {0};
    if (!file)
        return EXIT_OK;
    add(x, &t);
    int code = write_output(x->command, file, t.at, t.length);
    text_free(&t);
    return code;
}

/* The table gives way to a file on standard output, so that this carries nothing else. */
static bool shows_table(const struct command *c)
{
    const char *json = option_value(c, OPTION_COMPARE_JSON), *csv = option_value(c, OPTION_COMPARE_CSV);
    return !(json && strcmp(json, "-") == 0) && !(csv && strcmp(csv, "-") == 0);
}

static int show(const struct comparison *x)
{
    struct text t = {0}, visible = {0};
    if (shows_table(x->command)) {
        add_table(x, &t);
        add_image_table(x, &t);
        text_visible(&visible, t.at, t.length);
        fwrite(visible.at, 1, visible.length, stdout);
    }
    text_free(&t);
    text_free(&visible);
    int code = write_file(x, OPTION_COMPARE_JSON, add_json);
    if (!code)
        code = write_file(x, OPTION_COMPARE_CSV, add_csv);
    for (uint32_t i = 0; !code && i < x->rows.count; i++)
        code = x->rows.at[i].equal ? EXIT_OK : EXIT_FOUND;
    return code;
}

int verb_compare(struct command *c)
{
    struct comparison x = {.command = c};
    int code = read_choice(&x);
    if (!code)
        code = run_reference(&x);
    if (!code)
        code = run_rows(&x);
    if (!code)
        code = show(&x);
    kernc_context_free(x.reference.context);
    text_free(&x.text);
    return code;
}
