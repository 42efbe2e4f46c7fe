/* compile.c: libkernc's one call: source, IR text or a compiled program → IR → passes → bytecode, or an image
 * for the warp-core machine. Its options are taken in options.c; what came of it is handed out by result.c.
 *
 * Running out of memory anywhere jumps to the guard of the public function that was called; what was
 * allocated in the result's arena is freed with the result.
 */
#include "lib/options.h"

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

static enum kernc_input input_of(const void *bytes, size_t n, const char *text)
{
    if (n >= BC_MAGIC_BYTES && memcmp(bytes, BC_MAGIC, BC_MAGIC_BYTES) == 0)
        return KERNC_INPUT_BYTECODE;
    if (n >= WC_MAGIC_BYTES && memcmp(bytes, WC_MAGIC, WC_MAGIC_BYTES) == 0)
        return KERNC_INPUT_IMAGE;
    return begins_ir(text) ? KERNC_INPUT_IR : KERNC_INPUT_SOURCE;
}

static void read_bytecode(kernc_result *r, const void *bytes, size_t n)
{
    char        buffer[256];
    const char *why = NULL;
    r->program = bc_read(bytes, n, &why);
    if (r->program)
        why = bc_verify(r->program, buffer, sizeof buffer);
    if (why)
        diag_add(&r->diagnostics, DIAG_ERROR, "bytecode", (span){0}, "not valid bytecode: %s", why);
}

static void read_image(kernc_result *r, const void *bytes, size_t n)
{
    char        buffer[256];
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

static void read_source(kernc_result *r, const kernc_options *o, const struct fe_options *fe)
{
    if (o->tree_only)
        fe_dump_tree(r->source, &r->diagnostics, fe, &r->texts[KERNC_TEXT_TREE]);
    else
        r->module = fe_compile(r->source, &r->diagnostics, fe);
}

static bool failed(kernc_result *r)
{
    if (r->status == KERNC_COMPILED && r->diagnostics.errors)
        r->status = KERNC_BAD_SOURCE;
    return r->status != KERNC_COMPILED;
}

static void run_pipeline(kernc_result *r, const struct opt_options *opt)
{
    if (!opt_run(r->module, opt, &r->report, &r->diagnostics))
        r->status = KERNC_BAD_OPTION;
}

static bool is_empty_list(const char *list)
{
    return !list || !*list;
}

/* What legalisation made, in the frame of the passes' dumps, which it is none of. Filters leave it out. */
static void show_legalized(const kernc_result *r, const struct opt_options *o)
{
    bool all = o->print && o->print_after_all && is_empty_list(o->filter_passes) &&
               is_empty_list(o->filter_functions);
    for (uint32_t i = 0; all && i < r->module->functions.count; i++) {
        struct text t = {0};
        text_printf(&t, "; *** IR Dump After legalize on %s ***\n", r->module->functions.at[i]->name);
        ir_print_function(r->module->functions.at[i], &t, NULL);
        text_char(&t, '\n');
        o->print(o->data, t.at, t.length);
        text_free(&t);
    }
}

/* The level's passes run before the module is made fit for the machine, and so does what brings threads
 * together (which may make switches); behind it what cleans up without a change of control flow, and what the
 * divergence mode needs. */
static void run_warp_core_passes(kernc_result *r, struct opt_options *opt)
{
    const char *scheme = opt->scheme;
    opt->scheme = "warp-core";
    run_pipeline(r, opt);
    if (failed(r) || !wc_legalize(r->module, &r->diagnostics))
        return;
    show_legalized(r, opt);
    opt->scheme = scheme;
    opt->passes = opt->passes || opt->level == 0 ? "" : "gvn,sccp,dce";
    run_pipeline(r, opt);
}

static void run_passes(kernc_result *r, struct opt_options *opt)
{
    opt_report_init(&r->report);
    r->reported = true;
    if (options_mode(opt->scheme) != WC_MODES)
        run_warp_core_passes(r, opt);
    else
        run_pipeline(r, opt);
}

static void generate(kernc_result *r, const kernc_options *o)
{
    struct wc_options wc = {.mode = options_mode(o->scheme), .figures = &r->figures};
    struct be_options be = {.scheme = o->scheme, .tokens = strcmp(o->scheme, "oracle") == 0,
                            .stays_together = strcmp(o->scheme, "pdom") == 0};
    if (wc.mode != WC_MODES)
        r->image = wc_generate(r->module, &wc, &r->diagnostics);
    else
        r->program = be_bytecode(r->module, &be, &r->diagnostics);
}

static void compile(kernc_result *r, const char *name, const void *bytes, size_t n, const kernc_options *o)
{
    r->source = source_new(&r->arena, name, bytes, n);
    diag_init(&r->diagnostics, &r->arena, r->source);
    struct fe_options fe;
    struct opt_options opt;
    if (!options_take(r, o, &fe, &opt))
        return;
    r->input = o->input ? (enum kernc_input)o->input : input_of(bytes, n, r->source->text);
    if (r->input == KERNC_INPUT_BYTECODE)
        read_bytecode(r, bytes, n);
    else if (r->input == KERNC_INPUT_IMAGE)
        read_image(r, bytes, n);
    else if (r->input == KERNC_INPUT_IR)
        read_ir(r);
    else
        read_source(r, o, &fe);
    if (failed(r) || !r->module)
        return;
    if (fe.groups >> FE_GROUP_perf & 1 && !o->no_warnings)
        opt_performance_notes(r->module, &r->diagnostics);
    run_passes(r, &opt);
    if (failed(r) || o->ir_only)
        return;
    generate(r, o);
    failed(r);
}

kernc_result *kernc_compile(const char *name, const void *bytes, size_t n, const kernc_options *options)
{
    struct mem_guard       guard;
    kernc_result *volatile r = NULL;
    if (mem_guard_enter(&guard)) {
        if (r)
            r->status = KERNC_COMPILE_NO_MEMORY;
        return r;
    }
    kernc_options o = options_own(options);
    r = mem_alloc(sizeof *r);
    compile(r, name, bytes, n, &o);
    mem_guard_leave(&guard);
    return r;
}
