/* transfer.h: shared by the files that turn machine code into words. */
#ifndef KERNC_WARPCORE_TRANSFER_H
#define KERNC_WARPCORE_TRANSFER_H

#include "backend/bytecode/emit.h"
#include "backend/warpcore/codegen.h"

/* Words whose target or reconvergence point is a block that may not have its words yet. `never`: the lanes
 * do not reconverge. */
struct wc_fixup {
    uint32_t word, block, reconverge, converge_index;
    bool direct, never;
};
struct wc_emitter {
    struct wc_context *c;
    struct wc_mfunction *f;
    struct arena *scratch;
    place at;
    VEC(struct wc_fixup) fixups;
    uint32_t *branch_word;          /* by IR block: its branch's word */
    VEC(struct wc_fixup) converges; /* word; block: IR block of the branch it names */
};

/* Appends a word, and counts its registers among those of the function. */
void wc_word(struct wc_emitter *e, struct wc_ins ins);
/* What the source can make or hold, in the destination: one word or two, on the way r29. */
void wc_move(struct wc_emitter *e, struct wc_holder to, struct wc_holder from);
/* Parallel moves: each source is read before it is overwritten; a cycle goes through r29 or a slot. */
void wc_move_all(struct wc_emitter *e, const struct wc_transfer *moves, uint32_t n);

#endif
