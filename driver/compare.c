/* compare.c: kernc compare: one kernel under several divergence schemes and levels of optimisation, one
 * table.
 *
 * Each row compiles, launches and measures anew, with the same arguments. The reference of a row is the
 * oracle at the first level with warps as wide, in the table or not: a row is equal if its launch ended as
 * the reference's did and left the same bytes in every buffer. What kernels print is dropped, since its order
 * depends on the scheme. Rows that differ make the exit code EXIT_FOUND, rows that could not be made
 * that of the reason; a reference's own failure is that of kernc run. A signal ends the rows: those that are
 * whole are shown.
 */
#include "driver/compare.h"
#include "driver/interrupt.h"
#include "lib/result.h"
#include "runtime/launch/block_warp.h"

static const char *reference_name(void)
{
    return scheme_info[SCHEME_REFERENCE].name;
}

/* ---- what to compare --------------------------------------------------------------------------------- */

/* --divergence=MODE or all: modes of the warp-core machine beside the schemes for bytecode. */
static int read_schemes(struct comparison *x)
{
    struct command *c = x->command;
    const char *mode = option_value(c, OPTION_DIVERGENCE);
    bool given = option_given(c, OPTION_SCHEMES);
    int code = given || !mode ? schemes_take(c, &x->schemes) : EXIT_OK;
    x->named = mode || given;
    if (code || !mode)
        return code;
    if (!given)
        schemes_add_target(c, &x->schemes, TARGET_bytecode, true);
    const char *target = target_info[TARGET_warp_core].name;
    if (strcmp(mode, "all") != 0)
        return schemes_add(c, &x->schemes, arena_printf(&c->arena, "%s:%s", target, mode));
    schemes_add_target(c, &x->schemes, TARGET_warp_core, true);
    return EXIT_OK;
}

static int read_levels(struct comparison *x)
{
    const char *list = option_value(x->command, OPTION_LEVELS);
    for (const char *at = list ? list : ""; *at;) {
        size_t n = strcspn(at, ",");
        if (n != 1 || *at < '0' || *at > '2')
            return complain(x->command, EXIT_USAGE, "there is no level '%.*s'; there are 0, 1 and 2",
                            (int)(n > 60 ? 60 : n), at);
        vec_push(&x->command->arena, &x->levels, (unsigned)(*at - '0'));
        at += n + (at[n] == ',');
    }
    if (list && x->levels.count == 0)
        return complain(x->command, EXIT_USAGE, "--levels wants at least one");
    if (!list)
        vec_push(&x->command->arena, &x->levels, x->options.level);
    return EXIT_OK;
}

/* Where the warp-core machine is asked for by name, all rows have warps as wide as its. */
static int read_warp(struct comparison *x)
{
    uint64_t warp = 32;
    for (uint32_t i = 0; x->named && i < x->schemes.count; i++)
        if (scheme_target(x->schemes.at[i])->lanes)
            warp = scheme_target(x->schemes.at[i])->lanes;
    int code = option_warp(x->command, &warp, NULL);
    x->warp = (uint32_t)warp;
    return code;
}

/* --timing is about rows of the warp-core machine. */
static int check_machine(struct comparison *x)
{
    for (uint32_t i = 0; i < x->schemes.count; i++)
        if (scheme_target(x->schemes.at[i]) == &target_info[TARGET_warp_core])
            return EXIT_OK;
    return machine_missing(x->command, OPTION_TIMING);
}

static int read_choice(struct comparison *x)
{
    kernc_options_init(&x->options);
    int code = compile_options(x->command, &x->options);
    code = code ?: read_schemes(x) ?: check_machine(x) ?: read_levels(x);
    return code ? code : read_warp(x);
}

/* ---- one launch -------------------------------------------------------------------------------------- */

/* Whether it does not compile since the target lacks what the kernel uses (opt/lower/check_target.c). */
static bool is_for_others(const kernc_result *r)
{
    const struct diagnostics *d = &r->diagnostics;
    for (uint32_t i = 0; i < d->all.count; i++)
        if (d->all.at[i].severity == DIAG_ERROR && strncmp(d->all.at[i].id, "target-", 7) != 0)
            return false;
    return true;
}

/* The first compilation reads the file. `missing` not NULL: gets the reason why there is no row, and
 * nothing is shown. */
static int compile(struct comparison *x, kernc_result **r, struct left_out *missing)
{
    struct command *c = x->command;
    if (!x->text.at)
        return compile_file(c, &x->options, &x->text, r);
    *r = compile_text(c, &x->options, &x->text);
    int code = exit_of_compilation(kernc_result_status(*r));
    if (kernc_result_status(*r) == KERNC_BAD_SOURCE && missing) {
        missing->why = first_error(c, *r);
        missing->code = is_for_others(*r) ? EXIT_OK : code;
    } else if (!missing)
        show_diagnostics(c, *r);
    return code;
}

static void launch(struct comparison *x, struct run *r, struct row *row)
{
    kernc_statistics *s = NULL;
    row->status = execution_run(&r->x, &s);
    if (row->status == KERNC_NO_MEMORY) /* no answer to compare with */
        mem_fail(0);
    if (row->status != KERNC_OK)
        row->error = arena_printf(&x->command->arena, "%s", execution_error(&r->x));
    kernc_statistics_metrics(s, &row->metrics);
    kernc_statistics_free(s);
}

/* Compiles for the row and opens what comes of it. */
static int open_row(struct comparison *x, struct run *r, struct row *row, struct left_out *missing,
                    kernc_result **compiled)
{
    int code = launch_read_flags(r) ?: compile(x, compiled, missing);
    if (code)
        return code;
    r->x.api.warp = row->warp;
    if (!rt_block_warp_models(row->scheme))
        r->x.api.flags = 0;
    r->x.api.interrupt = interrupt_flag();
    if (launch_has_source(kernc_result_input(*compiled)))
        r->source = source_new(&x->command->arena, input_name(x->command), (*compiled)->source->text,
                               (*compiled)->source->length);
    code = launch_open_compiled(r, *compiled);
    if (code)
        return code;
    row->is_image = kernc_result_image(*compiled, r->x.first->launch.kernel, &row->image);
    if (scheme_info[row->scheme].lowering[0])
        row->is_code = result_figures(*compiled, &row->figures);
    return scheme_has(row->scheme, SCHEME_BARRIERS) ? launch_check(r, *compiled) : EXIT_OK;
}

/* Leaves the context open. */
static int run_row(struct comparison *x, struct run *r, struct row *row, struct left_out *missing)
{
    kernc_result *compiled = NULL;
    *r = launch_new(x->command, true);
    row->metrics.size = sizeof row->metrics;
    row->image.size = sizeof row->image;
    row->figures.size = sizeof row->figures;
    x->options.scheme = scheme_info[row->scheme].name;
    x->options.level = row->level;
    x->options.warp = row->warp;
    x->options.collect = true; /* the counts of structural transforms */
    int code = open_row(x, r, row, missing, &compiled);
    kernc_result_free(compiled);
    if (!code)
        launch(x, r, row);
    return code;
}

/* ---- equal? ------------------------------------------------------------------------------------------ */

static const char *find_difference(struct comparison *x, const struct run *r, const struct row *row,
                                   const struct reference *reference)
{
    struct arena *a = &x->command->arena;
    size_t element;
    if (row->status != reference->row.status)
        return row->error ? row->error
                          : arena_printf(a, "ended well, the %s did not: %s", reference_name(),
                                         reference->row.error);
    const struct execution_buffer *p = execution_difference(&r->x, &reference->run.x, &element);
    if (p)
        return arena_printf(a, "%s[%zu] differs from the %s's", p->name, element, reference_name());
    return NULL;
}

/* ---- the rows ---------------------------------------------------------------------------------------- */

/* A scheme for warps of one width, which nobody has asked for by name. */
static bool is_optional(const struct comparison *x, enum scheme s)
{
    return scheme_target(s)->lanes && !x->named;
}

/* Once for all levels, but for different reasons. */
static void leave_out(struct comparison *x, struct left_out missing)
{
    for (uint32_t i = 0; i < x->left_out.count; i++)
        if (x->left_out.at[i].scheme == missing.scheme && x->left_out.at[i].code == missing.code)
            return;
    vec_push(&x->command->arena, &x->left_out, missing);
}

/* Runs the reference for rows of this width, if it has not been. */
static int run_reference(struct comparison *x, uint32_t warp, struct reference **reference)
{
    struct reference *f = *reference = &x->references[warp != x->warp];
    if (f->run.command)
        return EXIT_OK;
    f->row = (struct row){.scheme = SCHEME_REFERENCE, .level = x->levels.at[0], .warp = warp, .equal = true};
    int code = run_row(x, &f->run, &f->row, NULL);
    if (!code)
        x->kernel = execution_name(&f->run.x);
    return code;
}

static int tell_failure(struct comparison *x, const struct reference *f)
{
    place at = launch_clause(&f->run);
    return fail(x->command, exit_of_run(f->row.status), kernc_status_name(f->row.status),
                at.line ? f->run.source : NULL, at, "under the %s: %s", reference_name(), f->row.error);
}

static int compare_row(struct comparison *x, struct row row)
{
    struct run r = {0};
    struct reference *reference;
    struct left_out missing = {.scheme = row.scheme};
    bool optional = is_optional(x, row.scheme);
    x->running = row;
    int code = run_reference(x, row.warp, &reference);
    if (code || interrupted())
        return code;
    if (reference->row.error && !optional)
        return tell_failure(x, reference);
    if (reference->row.error) {
        enum exit_code stopped = exit_of_run(reference->row.status);
        missing.code = stopped == EXIT_TRAPPED ? EXIT_OK : stopped;
        missing.why = arena_printf(&x->command->arena, "under the %s with warps of %u threads: %s",
                                   reference_name(), row.warp, reference->row.error);
        leave_out(x, missing);
        return EXIT_OK;
    }
    if (row.level == reference->row.level && row.scheme == SCHEME_REFERENCE) {
        vec_push(&x->command->arena, &x->rows, reference->row);
        return EXIT_OK;
    }
    code = run_row(x, &r, &row, optional ? &missing : NULL);
    if (interrupted())
        ; /* perhaps in the middle of a launch */
    else if (missing.why) {
        leave_out(x, missing);
        code = EXIT_OK;
    } else if (!code) {
        row.difference = find_difference(x, &r, &row, reference);
        row.equal = !row.difference;
        vec_push(&x->command->arena, &x->rows, row);
    }
    execution_close(&r.x);
    return code;
}

static int run_rows(struct comparison *x)
{
    int code = EXIT_OK;
    for (uint32_t l = 0; l < x->levels.count; l++)
        for (uint32_t i = 0; !code && !interrupted() && i < x->schemes.count; i++) {
            enum scheme s = x->schemes.at[i];
            code = compare_row(
                x, (struct row){.scheme = s, .level = x->levels.at[l], .warp = schemes_warp(s, x->warp)});
        }
    return code;
}

/* Where rows differ: whether the kernel itself is to blame, by what the checker of memory finds of it. */
static void blame_kernel(struct comparison *x)
{
    struct run r = {0};
    struct row row = {.scheme = SCHEME_DEFAULT, .warp = x->warp};
    bool differs = false;
    for (uint32_t i = 0; i < x->rows.count; i++)
        differs |= !x->rows.at[i].equal;
    x->options.checks = "race,bounds,barrier"; /* what nobody wrote is zero everywhere */
    if (differs && run_row(x, &r, &row, NULL) == EXIT_OK && launch_alarms(&r) && !x->command->json)
        show_note(
            "the kernel itself is wrong there: what differs may come of it, not of a scheme or a pass\n");
    x->options.checks = NULL;
    execution_close(&r.x);
}

/* Rows are compared at equal widths: a kernel that asks for its warp's lanes may give other results at each. */
static void tell_widths(struct comparison *x)
{
    const struct reference *a = &x->references[0], *b = &x->references[1];
    size_t element;
    if (x->command->json || !a->run.command || !b->run.command || a->row.error || b->row.error ||
        !execution_difference(&a->run.x, &b->run.x, &element))
        return;
    show_note(arena_printf(&x->command->arena,
                           "warps of %u threads leave other results than those of %u, since results depend "
                           "on the lanes of a warp or on the order of threads (each row is compared with "
                           "the %s of its width)\n",
                           b->row.warp, a->row.warp, reference_name()));
}

static int tell_interrupted(struct comparison *x)
{
    if (x->rows.count)
        compare_show_table(x);
    bool files =
        option_given(x->command, OPTION_COMPARE_JSON) || option_given(x->command, OPTION_COMPARE_CSV);
    return complain(
        x->command, interrupt_code(),
        "interrupted in the row of %s at -O%u, after %u of %u rows%s (--fuel=N ends a launch after N "
        "instructions)",
        scheme_info[x->running.scheme].name, x->running.level, x->rows.count,
        x->levels.count * x->schemes.count, files ? "; no file is written" : "");
}

/* Of rows that differ; else of the first that there is not, and should be. */
static int exit_of_rows(const struct comparison *x)
{
    for (uint32_t i = 0; i < x->rows.count; i++)
        if (!x->rows.at[i].equal)
            return EXIT_FOUND;
    for (uint32_t i = 0; i < x->left_out.count; i++)
        if (x->left_out.at[i].code)
            return x->left_out.at[i].code;
    return EXIT_OK;
}

int verb_compare(struct command *c)
{
    struct comparison x = {.command = c};
    c->once = true; /* rows compile the same */
    int code = read_choice(&x);
    if (code)
        goto done;
    interrupt_listen(true);
    code = run_rows(&x);
    interrupt_listen(false);
    if (code)
        goto done;
    code = interrupted() ? tell_interrupted(&x) : compare_show(&x);
    if (code)
        goto done;
    tell_widths(&x);
    blame_kernel(&x);
    code = exit_of_rows(&x);
done:
    for (size_t i = 0; i < COUNT(x.references); i++)
        execution_close(&x.references[i].run.x);
    text_free(&x.text);
    return code;
}
