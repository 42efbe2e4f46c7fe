/* image_flow.h: what the words of an image say about divergence: their control flow, their functions, what
 * these need of the stack.
 *
 * Every word is a node of the graph. A function's entry is a kernel's first word or the target of a call,
 * where the code has callr every word that a symbol or kernel names; its words are those reached from there,
 * calls coming back. A branch may diverge if it names where they reconverge, or itself, if they never do;
 * NONE says that they agree.
 */
#ifndef KERNC_WARPCORE_IMAGE_FLOW_H
#define KERNC_WARPCORE_IMAGE_FLOW_H

#include "backend/format/warpcore/flow.h"
#include "backend/format/warpcore/image.h"

#define WC_OVERLAP_LIMIT                                                                                     \
    (16 * WC_MAX_WORDS) /* words of all functions together; compiled functions share
                           none */
struct wc_extent {
    uint32_t entry;
    bool kernel, called;
    u32_vec words;
}; /* words in the order of a search */
struct wc_image_flow {
    struct arena *arena;
    const struct wc_ins *ins;
    enum wc_mode mode;
    struct wc_flow flow;
    struct bitset reached;
    VEC(struct wc_extent) functions;
    uint32_t *function_at; /* by entry word: number in functions, plus 1 */
};
/* `ins` are the image's words decoded, targets within the code. NULL: functions share too much code. */
struct wc_image_flow *wc_image_flow_new(struct arena *a, const struct wc_image *m, const struct wc_ins *ins);
/* Entries of the divergence stack that suffice for what starts at each function, callees included: by number.
 * At most WC_LANES - 1 (mode article: WC_STACK). */
uint8_t *wc_image_stack(struct wc_image_flow *c);

#endif
