/* compile.c: libkernc's one call: source, IR text or a compiled program → IR → passes → bytecode, or an image for the
 * warp-core machine; and the texts of a result.
 *
 * Running out of memory anywhere jumps to the guard of the public function that was called; what was allocated in the
 * result's arena is freed with the result.
 */
#include "kernc.h"

#include "backend/backend.h"
#include "frontend/frontend.h"
#include "ir/views.h"
#include "lib/analyses.h"
#include "lib/dot.h"
#include "opt/opt.h"
#include "runtime/scheme.h"

#include <stdlib.h>

struct kernc_result {
    struct arena arena;
    struct diagnostics diagnostics;
    struct source *source;
    struct ir_module *module;          /* NULL: none yet */
    struct bc_program *program;
    struct wc_image *image;            /* instead of the program, for a scheme of the warp-core machine */
    struct wc_figures figures;         /* of the image's code */
    struct opt_report report;          /* if `reported` */
    bool reported;
    enum kernc_input input;
    kernc_compile_status status;
    char *analyses;                    /* names, or NULL; in the arena */
    int analysis_form;
    bool divergence;                   /* KERNC_TEXT_IR has marks */
    struct text texts[KERNC_TEXTS];    /* made when first asked for */
};

/* ---- options ------------------------------------------------------------------------------------------- */

void kernc_options_init(kernc_options *o)
{
    *o = (kernc_options){.size = sizeof *o, .level = OPT_LEVEL_DEFAULT, .scheme = "pdom", .bisect_limit = -1};
}

/* A caller built with an older, shorter header gets the defaults of what it does not know. */
static kernc_options own_options(const kernc_options *given)
{
    kernc_options o;
    kernc_options_init(&o);
    if (given)
        memcpy(&o, given, given->size < sizeof o ? given->size : sizeof o);
    return o;
}

static void bad_option(kernc_result *r, const char *fmt, const char *value)
{
    diag_add(&r->diagnostics, DIAG_ERROR, "option", (span){0}, fmt, value);
    r->status = KERNC_BAD_OPTION;
}

static bool take_warnings(kernc_result *r, const kernc_options *o, struct fe_options *fe)
{
    fe_options_init(fe);
    r->diagnostics.warnings_off = o->no_warnings;
    r->diagnostics.error_limit = o->error_limit;
    for (size_t i = 0; i < o->warning_count; i++) {
        if (strcmp(o->warnings[i], "error") == 0)
            r->diagnostics.warnings_are_errors = true;
        else if (strcmp(o->warnings[i], "no-error") == 0)
            r->diagnostics.warnings_are_errors = false;
        else if (!fe_options_warning(fe, o->warnings[i]))
            bad_option(r, "there is no warning group '%s'", o->warnings[i]);
    }
    return r->status == KERNC_COMPILED;
}

/* "NAME=N". */
static void take_limit(kernc_result *r, const char *text, struct fe_options *fe)
{
    size_t                      n = strcspn(text, "=");
    const struct fe_limit_info *limit = text[n] ? fe_limit_find(text, n) : NULL;
    char                       *end;
    if (!limit) {
        bad_option(r, "there is no limit '%s'", arena_strdup(&r->arena, text, n));
        return;
    }
    bool     digits = text[n + 1] >= '0' && text[n + 1] <= '9';
    uint64_t value = strtoull(text + n + 1, &end, 10);
    if (!digits || *end || !fe_options_limit(fe, limit, value))
        bad_option(r, "%s", arena_printf(&r->arena, "limit '%s' is a number from 1 to %u, not '%s'", limit->name,
                                         limit->most, text + n + 1));
}

static bool take_limits(kernc_result *r, const kernc_options *o, struct fe_options *fe)
{
    for (size_t i = 0; i < o->limit_count; i++)
        take_limit(r, o->limits[i], fe);
    return r->status == KERNC_COMPILED;
}

/* The divergence mode that a scheme "warp-core:MODE" names; WC_MODES: none. */
static enum wc_mode warp_core_mode(const char *scheme)
{
    static const char prefix[] = "warp-core:";
    if (strncmp(scheme, prefix, sizeof prefix - 1) != 0)
        return WC_MODES;
    enum wc_mode mode = (enum wc_mode)0;
    while (mode < WC_MODES && strcmp(wc_mode_info[mode].name, scheme + sizeof prefix - 1) != 0)
        mode++;
    return mode;
}

static bool take_scheme(kernc_result *r, const kernc_options *o)
{
    if (!rt_scheme_find(o->scheme) && warp_core_mode(o->scheme) == WC_MODES)
        bad_option(r, "there is no scheme '%s'", o->scheme);
    return r->status == KERNC_COMPILED;
}

static bool take_analyses(kernc_result *r, const kernc_options *o)
{
    size_t      n = 0;
    const char *unknown = o->analyses ? analyses_unknown(o->analyses, &n) : NULL;
    if (unknown)
        bad_option(r, "there is no analysis '%s'", arena_strdup(&r->arena, unknown, n));
    if (o->analyses)
        r->analyses = arena_strdup(&r->arena, o->analyses, strlen(o->analyses));
    r->analysis_form = o->analysis_form;
    r->divergence = o->divergence;
    return r->status == KERNC_COMPILED;
}

static bool take_switches(kernc_result *r, const kernc_options *o, struct opt_options *opt)
{
    for (size_t i = 0; i < o->switch_count; i++) {
        const char *name = o->switches[i];
        bool        off = strncmp(name, "no-", 3) == 0;
        if (!opt_switch(opt, off ? name + 3 : name, !off))
            bad_option(r, "there is no pass '%s' to switch", off ? name + 3 : name);
    }
    return r->status == KERNC_COMPILED;
}

static bool make_opt_options(kernc_result *r, const kernc_options *o, struct opt_options *opt)
{
    opt_options_init(opt);
    opt->level = o->level;
    opt->passes = o->passes;
    opt->scheme = o->scheme;
    opt->print_before = o->print_before;
    opt->print_after = o->print_after;
    opt->print_before_all = o->print_before_all;
    opt->print_after_all = o->print_after_all;
    opt->print_changed = (enum opt_changed)o->print_changed;
    opt->filter_passes = o->filter_passes;
    opt->filter_functions = o->filter_functions;
    opt->dump_dir = o->dump_dir;
    opt->divergence = o->divergence;
    opt->verify_each = o->verify_each;
    opt->time_passes = opt->stats = opt->remarks = o->collect;
    opt->bisect_limit = o->bisect_limit;
    opt->print = o->print;
    opt->data = o->print_data;
    return take_switches(r, o, opt);
}

/* ---- the way down ---------------------------------------------------------------------------------------- */

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
    bool all = o->print && o->print_after_all && is_empty_list(o->filter_passes) && is_empty_list(o->filter_functions);
    for (uint32_t i = 0; all && i < r->module->functions.count; i++) {
        struct text t = {0};
        text_printf(&t, "; *** IR Dump After legalize on %s ***\n", r->module->functions.at[i]->name);
        ir_print_function(r->module->functions.at[i], &t, NULL);
        text_char(&t, '\n');
        o->print(o->data, t.at, t.length);
        text_free(&t);
    }
}

/* The level's passes run before the module is made fit for the machine, and so does what brings threads together
 * (which may make switches); behind it what cleans up without a change of control flow, and what the divergence mode
 * needs. */
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

static void run_passes(kernc_result *r, const kernc_options *o)
{
    struct opt_options opt;
    if (!make_opt_options(r, o, &opt))
        return;
    opt_report_init(&r->report);
    r->reported = true;
    if (warp_core_mode(o->scheme) != WC_MODES)
        run_warp_core_passes(r, &opt);
    else
        run_pipeline(r, &opt);
}

static void generate(kernc_result *r, const kernc_options *o)
{
    struct wc_options wc = {.mode = warp_core_mode(o->scheme), .figures = &r->figures};
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
    if (!take_scheme(r, o) || !take_analyses(r, o) || !take_warnings(r, o, &fe) || !take_limits(r, o, &fe))
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
    run_passes(r, o);
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
    kernc_options o = own_options(options);
    r = mem_alloc(sizeof *r);
    compile(r, name, bytes, n, &o);
    mem_guard_leave(&guard);
    return r;
}

void kernc_result_free(kernc_result *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < KERNC_TEXTS; i++)
        text_free(&r->texts[i]);
    if (r->reported)
        opt_report_free(&r->report);
    ir_module_free(r->module);
    bc_program_free(r->program);
    wc_image_free(r->image);
    arena_free(&r->arena);
    mem_free(r);
}

/* ---- what came of it --------------------------------------------------------------------------------------- */

kernc_compile_status kernc_result_status(const kernc_result *r)
{
    return r->status;
}

enum kernc_input kernc_result_input(const kernc_result *r)
{
    return r->input;
}

unsigned kernc_result_errors(const kernc_result *r)
{
    return r->diagnostics.errors;
}

unsigned kernc_result_warnings(const kernc_result *r)
{
    return r->diagnostics.warnings;
}

int kernc_result_image(const kernc_result *r, const char *kernel, kernc_image_figures *f)
{
    if (!r->image || r->status != KERNC_COMPILED)
        return 0;
    for (uint32_t i = 0; i < r->image->kernels.count; i++) {
        const struct wc_kernel *k = &r->image->kernels.at[i];
        if (strcmp(k->name, kernel) != 0)
            continue;
        *f = (kernc_image_figures){r->image->code.count, k->registers,      k->predicates,    k->private_bytes,
                                   k->stack,             r->figures.spilled, r->figures.remade};
        return 1;
    }
    return 0;
}

static bool has_text(const kernc_result *r, kernc_text what)
{
    switch (what) {
    case KERNC_TEXT_DIAGNOSTICS:
    case KERNC_TEXT_DIAGNOSTICS_COLOR:
    case KERNC_TEXT_DIAGNOSTICS_JSON: return r->diagnostics.arena != NULL;
    case KERNC_TEXT_BYTECODE:
    case KERNC_TEXT_LISTING:          return (r->program || r->image) && r->status == KERNC_COMPILED;
    case KERNC_TEXT_HEX:
    case KERNC_TEXT_MAP:              return r->image && r->status == KERNC_COMPILED;
    case KERNC_TEXT_IR:
    case KERNC_TEXT_DOT:              return r->module && r->status == KERNC_COMPILED;
    case KERNC_TEXT_ANALYSES:         return r->module && r->analyses && r->status == KERNC_COMPILED;
    case KERNC_TEXT_REMARKS:
    case KERNC_TEXT_REMARKS_JSON:
    case KERNC_TEXT_STATS:
    case KERNC_TEXT_TIMES:            return r->reported;
    default:                          return what < KERNC_TEXTS && r->texts[what].at;
    }
}

static void print_ir(const kernc_result *r, struct text *t)
{
    if (r->divergence)
        ir_print_module_by(r->module, ir_print_divergence, t);
    else
        ir_print_module(r->module, t);
}

static void write_program(const kernc_result *r, struct text *t)
{
    if (r->image)
        wc_write(r->image, t);
    else
        bc_write(r->program, t);
}

static const struct source *source_of_image(const kernc_result *r)
{
    return r->input == KERNC_INPUT_SOURCE ? r->source : NULL;
}

static void list_program(const kernc_result *r, struct text *t)
{
    if (r->image)
        wc_listing(r->image, source_of_image(r), t);
    else
        bc_disassemble(r->program, t);
}

static void make_text(const kernc_result *r, kernc_text what, struct text *t)
{
    text_add(t, "", 0);
    switch (what) {
    case KERNC_TEXT_DIAGNOSTICS:       diag_text(&r->diagnostics, t, false); break;
    case KERNC_TEXT_DIAGNOSTICS_COLOR: diag_text(&r->diagnostics, t, true); break;
    case KERNC_TEXT_DIAGNOSTICS_JSON:  diag_json_text(&r->diagnostics, t); break;
    case KERNC_TEXT_BYTECODE:          write_program(r, t); break;
    case KERNC_TEXT_LISTING:           list_program(r, t); break;
    case KERNC_TEXT_HEX:               wc_hex(r->image, source_of_image(r), t); break;
    case KERNC_TEXT_MAP:               wc_map(r->image, t); break;
    case KERNC_TEXT_IR:                print_ir(r, t); break;
    case KERNC_TEXT_DOT:               dot_module(r->module, t); break;
    case KERNC_TEXT_ANALYSES:          analyses_show(r->module, r->analyses, r->analysis_form, t); break;
    case KERNC_TEXT_REMARKS:           opt_remarks_text(&r->report, r->source->name, t); break;
    case KERNC_TEXT_REMARKS_JSON:      opt_remarks_json(&r->report, r->source->name, t); break;
    case KERNC_TEXT_STATS:             opt_stats_text(&r->report, t); break;
    case KERNC_TEXT_TIMES:             opt_times_text(&r->report, t); break;
    default:                           break;
    }
}

const char *kernc_result_text(kernc_result *r, kernc_text what, size_t *n)
{
    struct mem_guard guard;
    if (!has_text(r, what))
        return NULL;
    struct text *t = &r->texts[what];
    if (mem_guard_enter(&guard)) {
        text_free(t);
        return NULL;
    }
    if (!t->at)
        make_text(r, what, t);
    mem_guard_leave(&guard);
    if (n)
        *n = t->length;
    return t->at;
}
