/* result.h: all that one kernc_compile makes. */
#ifndef KERNC_LIB_RESULT_H
#define KERNC_LIB_RESULT_H

#include "backend/backend.h"
#include "kernc.h"
#include "opt/opt.h"

struct kernc_result {
    struct arena arena;
    struct diagnostics diagnostics;
    struct source *source;
    struct ir_module *module; /* NULL: none yet */
    struct ir_module *before; /* as it was before the passes, for another try; or NULL */
    enum scheme scheme;       /* that the passes prepared it for */
    struct bc_program *program;
    struct wc_image *image;    /* instead of the program, for a scheme of the warp-core machine */
    struct wc_figures figures; /* of the image's code */
    struct opt_report report;  /* if `reported` */
    bool reported;
    enum kernc_input input;
    kernc_compile_status status;
    char *analyses; /* names, or NULL; in the arena */
    int analysis_form;
    bool divergence;                /* KERNC_TEXT_IR has marks */
    struct text texts[KERNC_TEXTS]; /* made when first asked for */
};

/* What kernc_compile takes an input for where the caller does not say what it is; a zero byte ends the text. */
enum kernc_input result_input_of(const char *text, size_t n);

/* As the functions of kernc.h, which say the same of no memory as of no text, no message, no figures, no
 * prediction; these fail (mem_fail).
 */
const char *result_text(kernc_result *r, kernc_text what, size_t *n);
bool result_figures(const kernc_result *r, kernc_figures *f);
bool result_check_launch(kernc_result *r, const kernc_kernel *kernel, uint32_t warp);
bool result_prediction(const kernc_result *r, const char *kernel, unsigned index, kernc_prediction *p);

#endif
