/* backend.h: from IR to programs that run. */
#ifndef KERNC_BACKEND_H
#define KERNC_BACKEND_H

#include "backend/bytecode/program.h"
#include "backend/warpcore/image.h"
#include "ir/ir.h"

struct be_options {
    const char *scheme;     /* noted in the program: the scheme its lowering pass was run for; NULL: "pdom" */
    bool        tokens;     /* keep convergence tokens (the oracle decides groups by them) */
    bool        stays_together;   /* lanes part only at divergent branches, and until they meet (pdom):
                                     scalars may live across blocks (backend/bytecode/steady.c) */
};

/* Bytecode of every kernel of a verified module, at any -O level. NULL with diagnostics if the program goes
 * beyond a limit (ids: registers, private-memory, shared-memory, constant-data, code-size, recursion). The
 * module is not changed and not needed afterwards. */
struct bc_program *be_bytecode(const struct ir_module *m, const struct be_options *o, struct diagnostics *d);

/* Rewrites a verified module into what the warp-core machine has (backend/warpcore/legalize.h). It stays a
 * module like any other: passes may run over it. False with diagnostics at what the machine can't do
 * (target-double, target-atomic, target-extern); then the module is good for nothing. */
bool wc_legalize(struct ir_module *m, struct diagnostics *d);

/* Values that got no register: kept in private memory, or made anew where they are read. */
struct wc_figures { uint32_t spilled, remade; };

/* The steps from IR to an image that can be looked at. */
enum wc_step {
#define WC_STEP(name, meaning) WC_STEP_##name,
#include "backend/warpcore/steps.def"
    WC_STEPS
};
extern const struct wc_step_info { const char *name, *meaning; } wc_step_info[WC_STEPS];
struct wc_context;
struct wc_mfunction;
/* A function where a step begins or ends. f == NULL: it is IR still, `function`. */
struct wc_stage {
    enum wc_step step;
    bool         after;
    const struct ir_function *function;
    const struct wc_context   *c;
    const struct wc_mfunction *f;
};
/* Its machine code, for people (backend/warpcore/dump.c). */
void wc_print_stage(const struct wc_stage *stage, struct text *out);

struct wc_options {
    enum wc_mode mode;
    struct wc_figures *figures;                /* are added to, or NULL */
    void (*watch)(void *data, const struct wc_stage *stage);       /* is shown every stage but those of
                                                                      `legalize`; NULL: nobody looks */
    void *watch_data;
};
/* The image of a legalised module whose branches are in the form of the mode (opt/pipelines.def). NULL with
 * diagnostics if it goes beyond a limit (ids: code-size, registers, frame-size, private-memory,
 * shared-memory, constant-data, recursion, divergence). The module is not changed. */
struct wc_image *wc_generate(const struct ir_module *m, const struct wc_options *o, struct diagnostics *d);

#endif
