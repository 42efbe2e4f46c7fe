/* result.c: what came of a compilation: figures, and texts, each made when it is first asked for. */
#include "lib/result.h"

#include "import/write.h"
#include "ir/views/views.h"
#include "lib/analyses.h"
#include "runtime/module.h"

void kernc_result_free(kernc_result *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < KERNC_TEXTS; i++)
        text_free(&r->texts[i]);
    if (r->reported)
        opt_report_free(&r->report);
    ir_module_free(r->module);
    ir_module_free(r->before);
    bc_program_free(r->program);
    wc_image_free(r->image);
    arena_free(&r->arena);
    mem_free(r);
}

kernc_compile_status kernc_result_status(const kernc_result *r)
{
    return r ? r->status : KERNC_COMPILE_NO_MEMORY;
}

enum kernc_input kernc_result_input(const kernc_result *r)
{
    return r ? r->input : KERNC_INPUT_AUTO;
}

unsigned kernc_result_errors(const kernc_result *r)
{
    return r ? r->diagnostics.errors : 0;
}

unsigned kernc_result_warnings(const kernc_result *r)
{
    return r ? r->diagnostics.warnings : 0;
}

bool kernc_result_image(const kernc_result *r, const char *kernel, kernc_image_figures *f)
{
    if (!r || !f || !kernel || !r->image || r->status != KERNC_COMPILED)
        return false;
    for (uint32_t i = 0; i < r->image->kernels.count; i++) {
        const struct wc_kernel *k = &r->image->kernels.at[i];
        if (strcmp(k->name, kernel) != 0)
            continue;
        kernc_image_figures all = {.words = r->image->code.count,
                                   .registers = k->registers,
                                   .predicates = k->predicates,
                                   .private_bytes = k->private_bytes,
                                   .stack = k->stack,
                                   .spilled = r->figures.spilled,
                                   .rematerialised = r->figures.rematerialised};
        return sized_write(f, &all, sizeof all);
    }
    return false;
}

static bool has_text(const kernc_result *r, kernc_text what)
{
    if (!r || (unsigned)what >= KERNC_TEXTS)
        return false;
    switch (what) {
    case KERNC_TEXT_DIAGNOSTICS:
    case KERNC_TEXT_DIAGNOSTICS_COLOR:
    case KERNC_TEXT_DIAGNOSTICS_JSON: return r->diagnostics.arena != NULL;
    case KERNC_TEXT_BYTECODE:
    case KERNC_TEXT_LISTING: return (r->program || r->image) && r->status == KERNC_COMPILED;
    case KERNC_TEXT_HEX:
    case KERNC_TEXT_MAP: return r->image && r->status == KERNC_COMPILED;
    case KERNC_TEXT_IR:
    case KERNC_TEXT_LLVM:
    case KERNC_TEXT_DOT: return r->module && r->status == KERNC_COMPILED;
    case KERNC_TEXT_ANALYSES: return r->module && r->analyses && r->status == KERNC_COMPILED;
    case KERNC_TEXT_REMARKS:
    case KERNC_TEXT_REMARKS_JSON:
    case KERNC_TEXT_STATS:
    case KERNC_TEXT_TIMES: return r->reported;
    default: return r->texts[what].at;
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
    case KERNC_TEXT_DIAGNOSTICS: diag_text(&r->diagnostics, t, false); break;
    case KERNC_TEXT_DIAGNOSTICS_COLOR: diag_text(&r->diagnostics, t, true); break;
    case KERNC_TEXT_DIAGNOSTICS_JSON: diag_json_text(&r->diagnostics, t); break;
    case KERNC_TEXT_BYTECODE: write_program(r, t); break;
    case KERNC_TEXT_LISTING: list_program(r, t); break;
    case KERNC_TEXT_HEX: wc_hex(r->image, source_of_image(r), t); break;
    case KERNC_TEXT_MAP: wc_map(r->image, t); break;
    case KERNC_TEXT_IR: print_ir(r, t); break;
    case KERNC_TEXT_LLVM: llvm_write(r->module, t); break;
    case KERNC_TEXT_DOT: analyses_show(r->module, "cfg", KERNC_ANALYSIS_DOT, t); break;
    case KERNC_TEXT_ANALYSES: analyses_show(r->module, r->analyses, r->analysis_form, t); break;
    case KERNC_TEXT_REMARKS: opt_remarks_text(&r->report, r->source, t); break;
    case KERNC_TEXT_REMARKS_JSON: opt_remarks_json(&r->report, r->source, t); break;
    case KERNC_TEXT_STATS: opt_stats_text(&r->report, t); break;
    case KERNC_TEXT_TIMES: opt_times_text(&r->report, t); break;
    default: break;
    }
}

const char *result_text(kernc_result *r, kernc_text what, size_t *n)
{
    struct mem_guard guard;
    if (!has_text(r, what))
        return NULL;
    struct text *t = &r->texts[what];
    if (mem_guard_enter(&guard)) {
        text_free(t);
        mem_fail(0);
    }
    if (!t->at)
        make_text(r, what, t);
    mem_guard_leave(&guard);
    if (n)
        *n = t->length;
    return t->at;
}

const char *kernc_result_text(kernc_result *r, kernc_text what, size_t *n)
{
    struct mem_guard guard;
    if (mem_guard_enter(&guard))
        return NULL;
    const char *text = result_text(r, what, n);
    mem_guard_leave(&guard);
    return text;
}

static void forget_messages(kernc_result *r)
{
    struct diagnostics *d = &r->diagnostics;
    d->all.count = d->errors = d->warnings = 0;
    d->stopped = d->dropping = false;
    for (kernc_text t = KERNC_TEXT_DIAGNOSTICS; t <= KERNC_TEXT_DIAGNOSTICS_JSON; t++) {
        text_free(&r->texts[t]);
        r->texts[t] = (struct text){0};
    }
}

bool result_check_launch(kernc_result *r, const kernc_kernel *kernel, uint32_t warp)
{
    place at = {0};
    forget_messages(r);
    uint32_t threshold = rt_threshold(kernel, &at.line, &at.column);
    bool here = r->input == KERNC_INPUT_SOURCE;
    if (threshold > warp)
        diag_warn(&r->diagnostics, DIAG_GROUP_predict, (span){here ? at : (place){0, 0}, {0, 0}},
                  "the prediction%s waits for %u threads, but a warp of this launch has %u: it waits for all",
                  here || !at.line ? "" : arena_printf(&r->arena, " in line %u", at.line), threshold, warp);
    return r->diagnostics.errors == 0;
}

bool kernc_result_check_launch(kernc_result *r, const kernc_kernel *kernel, uint32_t warp)
{
    struct mem_guard guard;
    if (!r || r->status != KERNC_COMPILED)
        return false;
    if (mem_guard_enter(&guard)) {
        r->status = KERNC_COMPILE_NO_MEMORY;
        return false;
    }
    bool fine = result_check_launch(r, kernel, warp);
    mem_guard_leave(&guard);
    return fine;
}
