/* compile.c: libkernc's one call: source, IR text or a compiled program → IR → passes → bytecode, or an image
 * for the warp-core machine. Its options are taken in options.c; what came of it is handed out by result.c.
 *
 * Running out of memory anywhere jumps to the guard of the public function that was called; what was
 * allocated in the result's arena is freed with the result.
 */
#include "base/checks.h"
#include "import/import.h"
#include "lib/options.h"
#include "lib/profile.h"
#include "lib/steps.h"

/* Blanks and comment lines of IR text, then its first word. */
static bool begins_ir(const char *at)
{
    for (;;) {
        at += strspn(at, " \t\r\n");
        if (*at != ';')
            return strncmp(at, "module", 6) == 0 && strchr(" \t\"", at[6]);
        at += strcspn(at, "\n");
    }
}

/* Blanks and comment lines of LLVM IR, then what a line of a module begins with. */
static bool begins_llvm(const char *at)
{
    static const char *const words[] = {"source_filename", "target ", "define ", "declare ", "attributes #"};
    for (;;) {
        at += strspn(at, " \t\r\n");
        if (*at != ';')
            break;
        at += strcspn(at, "\n");
    }
    for (size_t i = 0; i < COUNT(words); i++)
        if (strncmp(at, words[i], strlen(words[i])) == 0)
            return true;
    return *at == '@' || *at == '%' || (*at == '!' && at[1]) || (*at == '$' && at[1]);
}

enum kernc_input result_input_of(const char *text, size_t n)
{
    if (n >= BC_MAGIC_BYTES && memcmp(text, BC_MAGIC, BC_MAGIC_BYTES) == 0)
        return KERNC_INPUT_BYTECODE;
    if (n >= WC_MAGIC_BYTES && memcmp(text, WC_MAGIC, WC_MAGIC_BYTES) == 0)
        return KERNC_INPUT_IMAGE;
    return begins_ir(text) ? KERNC_INPUT_IR : begins_llvm(text) ? KERNC_INPUT_LLVM : KERNC_INPUT_SOURCE;
}

static void read_bytecode(kernc_result *r, const void *bytes, size_t n)
{
    char buffer[256];
    const char *why = NULL;
    r->program = bc_read(bytes, n, &why);
    if (r->program)
        why = bc_verify(r->program, buffer, sizeof buffer);
    if (why)
        diag_add(&r->diagnostics, DIAG_ERROR, "bytecode", (span){0}, "not valid bytecode: %s", why);
}

static void read_image(kernc_result *r, const void *bytes, size_t n)
{
    char buffer[256];
    const char *why = NULL;
    r->image = wc_read(bytes, n, &why);
    if (r->image)
        why = wc_verify(r->image, buffer, sizeof buffer);
    if (why)
        diag_add(&r->diagnostics, DIAG_ERROR, "image", (span){0}, "not a valid warp-core image: %s", why);
}

static void read_ir(kernc_result *r)
{
    r->module = ir_parse(r->source, &r->diagnostics);
    if (r->module)
        ir_verify(r->module, &r->diagnostics);
}

static void read_llvm(kernc_result *r, const char *name, const kernc_options *o)
{
    struct import_origin origin = {name, o->origin, o->origin_length};
    r->module = import_llvm(r->source, o->origin ? &origin : NULL, &r->diagnostics, &r->source);
    if (r->module)
        ir_verify(r->module, &r->diagnostics);
}

static void read_source(kernc_result *r, const kernc_options *o, const struct fe_options *fe)
{
    if (o->tree_only)
        fe_dump_tree(r->source, &r->diagnostics, fe, &r->texts[KERNC_TEXT_TREE]);
    else
        r->module = fe_compile(r->source, &r->diagnostics, fe);
}

static bool failed(const kernc_result *r)
{
    return r->status != KERNC_COMPILED || r->diagnostics.errors;
}

/* The passes of the target come first: they may change control flow, which the scheme's last passes fix. */
static void run_passes(kernc_result *r, enum scheme scheme, struct opt_options *opt)
{
    opt_report_init(&r->report);
    r->reported = true;
    opt->target = scheme_info[scheme].target;
    opt->properties = scheme_info[scheme].properties;
    opt->lowering =
        arena_printf(&r->arena, "%s,%s", target_info[opt->target].lowering, scheme_info[scheme].lowering);
    if (!opt_run(r->module, opt, &r->report, &r->diagnostics))
        r->status = KERNC_BAD_OPTION;
}

/* `ir_only`: for its steps to be seen. */
static void generate_image(kernc_result *r, enum wc_mode mode, bool ir_only, struct steps *steps)
{
    bool watched = steps_watch_machine(steps->options);
    struct wc_options wc = {
        .mode = mode, .figures = &r->figures, .watch = watched ? steps_watch : NULL, .watch_data = steps};
    r->image = wc_generate(r->module, &wc, &r->diagnostics);
    if (ir_only) {
        wc_image_free(r->image);
        r->image = NULL;
    }
    const char *wrong = steps_write(steps, r->report.files);
    if (wrong)
        diag_add(&r->diagnostics, DIAG_ERROR, "dump-dir", (span){0}, "can't write to '%s': %s",
                 steps->options->dump_dir, wrong);
}

/* The limits at which passes left undone what the scheme needs, as "--limit=NAME=VALUE, …"; NULL: none. */
static const char *limits_reached(kernc_result *r, const struct opt_options *opt)
{
    const char *list = NULL;
    for (unsigned l = 0; l < OPT_LIMITS; l++)
        if (r->report.reached[l])
            list = arena_printf(&r->arena, "%s%s--limit=%s=%u", list ? list : "", list ? ", " : "",
                                opt_limit_info[l].name, opt->limits[l]);
    return list;
}

/* What the loader would refuse is not handed out. It is no fault of the compiler if passes stopped at a
 * limit. */
static void verify_made(kernc_result *r, const struct opt_options *opt)
{
    char buffer[256];
    const char *why = r->image     ? wc_verify(r->image, buffer, sizeof buffer)
                      : r->program ? bc_verify(r->program, buffer, sizeof buffer)
                                   : NULL;
    const char *limits = why ? limits_reached(r, opt) : NULL;
    if (limits)
        diag_add(&r->diagnostics, DIAG_ERROR, "control-flow", (span){0},
                 "control flow too large for scheme %s: %s", scheme_info[r->scheme].name, why);
    else if (why)
        diag_add(&r->diagnostics, DIAG_ERROR, "internal", (span){0},
                 "internal error: the %s made of it does not pass its verifier: %s",
                 r->image ? "image" : "bytecode", why);
}

static void generate(kernc_result *r, enum scheme scheme, const kernc_options *o, struct steps *steps)
{
    bool is_image = scheme_info[scheme].target == TARGET_warp_core;
    uint32_t errors = r->diagnostics.errors;
    if (is_image && (!o->ir_only || steps_watch_machine(steps->options)))
        generate_image(r, wc_mode_of(scheme), o->ir_only, steps);
    else if (!is_image && !o->ir_only)
        r->program =
            be_bytecode(r->module, scheme, o->checks && check_find_claim(o->checks) == CHECK_CLAIM_frontier,
                        &r->diagnostics);
    verify_made(r, steps->options);
    const char *limits = r->diagnostics.errors > errors ? limits_reached(r, steps->options) : NULL;
    if (limits)
        diag_add(&r->diagnostics, DIAG_NOTE, "control-flow", (span){0}, "a limit was reached: %s", limits);
}

static void compile_once(kernc_result *r, const kernc_options *o, struct opt_options *opt)
{
    struct scratch scratch;
    struct steps steps = {.arena = scratch_begin(&scratch), .options = opt};
    run_passes(r, r->scheme, opt);
    if (!failed(r))
        generate(r, r->scheme, o, &steps);
    scratch_end(&scratch);
}

/* Whether there is another way to compile what was too large: less growth, then level 1, then 0. `row`: the
 * next one of opt/growth.def. */
static bool retreat(struct opt_options *opt, unsigned *row)
{
    while (opt->level > 1 && *row < OPT_GROWTH_ROWS)
        if (opt_limit_growth(opt, (*row)++))
            return true;
    bool lowers = opt->level > 0;
    opt->level -= lowers;
    return lowers;
}

/* Drops all that came of it, diagnostics from the index on too, but for `before`. */
static void begin_anew(kernc_result *r, uint32_t from)
{
    diag_drop(&r->diagnostics, from);
    ir_module_free(r->module);
    opt_report_free(&r->report);
    r->module = ir_module_copy(r->before);
    r->status = KERNC_COMPILED;
    r->figures = (struct wc_figures){0};
}

/* To be read by who wants to have it so without the tries. */
static const char *settings_of(kernc_result *r, const struct opt_options *opt)
{
    if (opt->level < 2)
        return opt->level ? "at -O1" : "at -O0";
    return arena_printf(&r->arena, "with -finline-size=%u -funroll-size=%u -funroll-loops=%s",
                        opt->values[OPT_OPTION_inline_size], opt->values[OPT_OPTION_unroll_size],
                        opt_word_info[opt->values[OPT_OPTION_unroll_loops]].name);
}

/* To make it small enough. */
struct attempt {
    const char *how, *why;
    uint32_t excess; /* struct wc_figures */
};

/* What is too large however it is compiled is reported as it is in the best attempt. */
static void tell_too_large(kernc_result *r, uint32_t from, struct attempt best)
{
    begin_anew(r, from);
    diag_add(&r->diagnostics, DIAG_ERROR, "code-size", (span){0},
             "%s, compiled %s, which makes it smallest: leave out some of the kernel, or make two of it",
             best.why, best.how);
}

/* From a module on. What is too large for the warp-core machine is compiled again, so that it grows less. */
static void compile_module(kernc_result *r, const kernc_options *o, struct opt_options *opt)
{
    uint32_t from = r->diagnostics.all.count;
    unsigned level = opt->level, row = 0;
    r->scheme = scheme_find(o->scheme);
    bool again = scheme_info[r->scheme].target == TARGET_warp_core && level > 0 && !opt->passes;
    r->before = again ? ir_module_copy(r->module) : NULL;
    compile_once(r, o, opt);
    struct attempt best = {arena_printf(&r->arena, "at -O%u", level), r->figures.too_large,
                           r->figures.excess};
    const char *first = best.why;
    while (again && r->figures.too_large && retreat(opt, &row)) {
        begin_anew(r, from);
        diag_warn(&r->diagnostics, DIAG_GROUP_size, (span){0}, "at -O%u %s; compiled %s instead", level,
                  first, settings_of(r, opt));
        compile_once(r, o, opt);
        if (r->figures.too_large && r->figures.excess < best.excess)
            best = (struct attempt){settings_of(r, opt), r->figures.too_large, r->figures.excess};
    }
    if (again && r->figures.too_large)
        tell_too_large(r, from, best);
}

/* The first prediction of the module's functions; NULL: there is none. */
static const struct ir_ins *first_prediction(const struct ir_module *m)
{
    for (uint32_t i = 0; i < m->functions.count; i++) {
        const struct ir_function *f = m->functions.at[i];
        ir_each_block(k, b, f)
            ir_each_ins(r, f, b)
                if (ir_at(f, r)->op == IR_predict || ir_at(f, r)->op == IR_predict_function)
                    return ir_at(f, r);
    }
    return NULL;
}

/* Who has written Predict and has chosen no scheme would look for its effect in vain. */
static void tell_ignored_predictions(kernc_result *r, const kernc_options *o, const struct opt_options *opt)
{
    const struct scheme_info *scheme = &scheme_info[scheme_find(o->scheme)];
    int honoured = opt->values[OPT_OPTION_predict];
    if (!o->default_scheme || scheme->properties & SCHEME_PREDICTIONS || honoured == OPT_predict_off ||
        honoured == OPT_predict_found)
        return;
    const struct ir_ins *predict = first_prediction(r->module);
    if (predict)
        diag_warn(&r->diagnostics, DIAG_GROUP_predict, (span){predict->at, {0}},
                  "the scheme '%s', which is used if none is named, ignores Predict: --scheme=%s honours it",
                  scheme->name, scheme_info[scheme_with(SCHEME_PREDICTIONS)].name);
}

static void compile(kernc_result *r, const char *name, const void *bytes, size_t n, const kernc_options *o)
{
    r->source = source_new(&r->arena, name ? name : "<input>", bytes ? bytes : "", bytes ? n : 0);
    diag_init(&r->diagnostics, &r->arena, r->source);
    if (!bytes && n) {
        diag_add(&r->diagnostics, DIAG_ERROR, "option", (span){0},
                 "there is no input, but a size of %zu bytes", n);
        r->status = KERNC_BAD_OPTION;
        return;
    }
    struct fe_options fe;
    struct opt_options opt;
    if (!options_take(r, o, &fe, &opt))
        return;
    r->input = o->input ? (enum kernc_input)o->input : result_input_of(r->source->text, n);
    if (o->define_count && r->input != KERNC_INPUT_SOURCE)
        diag_add(&r->diagnostics, DIAG_ERROR, "define", (span){0},
                 "-D %s: this is no source file, whose constants could be given values", o->defines[0]);
    else if (r->input == KERNC_INPUT_BYTECODE)
        read_bytecode(r, bytes, n);
    else if (r->input == KERNC_INPUT_IMAGE)
        read_image(r, bytes, n);
    else if (r->input == KERNC_INPUT_IR)
        read_ir(r);
    else if (r->input == KERNC_INPUT_LLVM)
        read_llvm(r, r->source->name, o);
    else
        read_source(r, o, &fe);
    if (failed(r) || !r->module || (!profile_take(r, o, &opt) && failed(r)) || !options_name_functions(r, o))
        return;
    if (!o->no_warnings &&
        (diag_is_on(&r->diagnostics, DIAG_GROUP_perf, 0) || diag_is_on(&r->diagnostics, DIAG_GROUP_sync, 0)))
        opt_performance_notes(r->module, &opt, &r->diagnostics);
    opt_drop_idle_predictions(r->module, &opt, &r->diagnostics);
    opt_leave_out_predictions(r->module, &opt);
    tell_ignored_predictions(r, o, &opt);
    compile_module(r, o, &opt);
}

kernc_result *kernc_compile(const char *name, const void *bytes, size_t n, const kernc_options *options)
{
    struct mem_guard guard;
    kernc_result *volatile r = NULL;
    if (mem_guard_enter(&guard)) {
        if (r)
            r->status = KERNC_COMPILE_NO_MEMORY;
        return r;
    }
    kernc_options o = options_own(options);
    r = mem_alloc(sizeof *r);
    compile(r, name, bytes, n, &o);
    if (r->status == KERNC_COMPILED && r->diagnostics.errors)
        r->status = KERNC_BAD_SOURCE;
    if (r->status == KERNC_BAD_OPTION)
        r->diagnostics.of_options = true;
    mem_guard_leave(&guard);
    return r;
}
