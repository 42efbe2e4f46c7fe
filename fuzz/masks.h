/* masks.h: control flow of a program's tree, run by all lanes of a warp at once under masks: what the
 * references of classes b, f and j share. reference_b.c says why masks are the definition.
 */
#ifndef KERNC_FUZZ_MASKS_H
#define KERNC_FUZZ_MASKS_H

#include "fuzz/program.h"

enum { FZ_MAX_LANES = 64 };
#define fz_each_lane(lane, mask)                                                                             \
    for (uint32_t lane = 0; lane < FZ_MAX_LANES; lane++)                                                     \
        if ((mask) >> lane & 1)

/* A call. It is the first member of what its reference knows of one. */
struct fz_masks {
    const struct fz_mask_rules *rules;
    uint64_t broken, continued, returned, thrown; /* lanes that leave what they are in */
};

/* What is the reference's own. */
struct fz_mask_rules {
    /* Runs a list; the lanes that get to its end. */
    uint64_t (*list)(struct fz_masks *m, const struct fz_node *block, uint64_t mask);
    /* The lanes where a condition is true. */
    uint64_t (*holds)(struct fz_masks *m, const struct fz_node *condition, uint64_t mask);
    /* A selector or bound, for a lane. */
    uint32_t (*number)(struct fz_masks *m, const struct fz_node *e, uint32_t lane, uint64_t mask);
    /* A loop's counter. */
    uint32_t (*counted)(struct fz_masks *m, const struct fz_node *loop, uint32_t lane);
    void (*set_counter)(struct fz_masks *m, const struct fz_node *loop, uint32_t lane, uint32_t value);
    /* Whether another turn of a loop may be tried. */
    bool (*may_go_on)(struct fz_masks *m);
};

/* IF, SWITCH, LOOP, FOREVER, IRREDUCIBLE, TRY, and the jumps: *mask becomes the lanes that get behind the
 * statement. False: it is another one. */
bool fz_run_masked(struct fz_masks *m, const struct fz_node *s, uint64_t *mask);

#endif
