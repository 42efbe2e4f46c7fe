/* backend.h: from IR to programs that run. */
#ifndef KERNC_BACKEND_H
#define KERNC_BACKEND_H

#include "backend/format/bytecode/program.h"
#include "backend/format/warpcore/image.h"
#include "base/scheme.h"
#include "ir/ir.h"

/* Bytecode of every kernel of a verified module, at any -O level, for the scheme whose lowering it has been
 * through. check: under schemes with frontiers it checks where lanes wait (bc_program.checks_waiting). NULL
 * with diagnostics if the program goes beyond a limit (ids: registers, private-memory, shared-memory,
 * constant-data, code-size, recursion, frontier-work). The module is not changed and not needed afterwards.
 */
struct bc_program *be_bytecode(const struct ir_module *m, enum scheme scheme, bool check,
                               struct diagnostics *d);

/* Values that got no register: kept in private memory, or made anew where they are read. */
struct wc_figures {
    uint32_t spilled, rematerialised;
    uint32_t excess;       /* words beyond those of the core; UINT32_MAX: of what else there is too much */
    const char *too_large; /* the error that says so; NULL: all has room */
};

/* The steps from IR to an image that can be looked at. */
enum wc_step {
#define WC_STEP(name, meaning) WC_STEP_##name,
#include "backend/warpcore/steps.def"
    WC_STEPS
};
extern const struct wc_step_info {
    const char *name, *meaning;
} wc_step_info[WC_STEPS];
struct wc_context;
struct wc_mfunction;
/* A function where a step begins or ends. f == NULL: it is IR still, `function`. */
struct wc_stage {
    enum wc_step step;
    bool after;
    const struct ir_function *function;
    const struct wc_context *c;
    const struct wc_mfunction *f;
};
/* Its machine code, for people (backend/warpcore/dump.c). */
void wc_print_stage(const struct wc_stage *stage, struct text *out);

struct wc_options {
    enum wc_mode mode;
    struct wc_figures *figures;                              /* are added to, or NULL */
    void (*watch)(void *data, const struct wc_stage *stage); /* is shown every stage; NULL: nobody
                                                                looks */
    void *watch_data;
};
/* The image of a lowered module (base/targets.def) whose branches are in the form of the mode
 * (base/schemes.def). NULL with diagnostics if it goes beyond a limit (ids: code-size, registers, frame-size,
 * private-memory, shared-memory, constant-data, recursion, divergence). The module is not changed. */
struct wc_image *wc_generate(const struct ir_module *m, const struct wc_options *o, struct diagnostics *d);

#endif
