/* slots.h: private variables cut into the pieces that are accessed; mem2reg's analysis. */
#ifndef KERNC_OPT_SLOTS_H
#define KERNC_OPT_SLOTS_H

#include "opt/pass.h"

#define OPT_SLOTS_MAX       256u /* of one alloca; beyond it the alloca stays in memory */
#define OPT_SPLIT_BYTES_MAX 256u /* a memcpy of more bytes is not split */

struct opt_slot {
    uint32_t offset, next; /* next slot of the alloca; 0 ends */
    uint32_t same;         /* union-find: slots that are copied into each other share a carrier */
    uint8_t size;
    uint8_t mem, type; /* what all accesses agree on; mem NONE: several, or only copied */
    bool accessed, mixed;
    bool copied_in, copied_out; /* by memcpy, from or to memory that stays memory */
    bool in_memory;             /* overlaps another one, or a memzero clears it in part */
    uint32_t variable;          /* plus 1; 0: stays in memory */
    const char *name;           /* of a member, by a load; NULL: none gives one */
};
struct opt_aggregate {
    ir_ref alloca;
    uint32_t bytes, first_slot, slot_count;
    uint32_t first_operation; /* memcpy and memzero on it: number plus 1 */
    bool escapes;             /* stays in memory as a whole */
    bool keeps_memory;        /* some slot of it does */
};
/* A memcpy or memzero; `to` and `from` are numbers of aggregates plus 1, 0: other memory (or a memzero's
 * source). */
struct opt_block_operation {
    ir_ref r;
    bool copies, queued;
    uint32_t to, from, to_offset, from_offset, bytes;
    uint32_t next_to, next_from; /* next operation on the same aggregate, plus 1 */
};
struct opt_slots {
    struct arena *arena;
    struct ir_function *f;
    uint32_t *root;   /* by ref: the aggregate it points into, plus 1 */
    uint32_t *offset; /* by ref: how far, in bytes */
    uint32_t old_count;
    VEC(struct opt_aggregate) all;
    VEC(struct opt_slot) slots; /* slot 0 is none */
    struct map at;              /* (aggregate, offset) -> slot */
    VEC(struct opt_block_operation) operations;
};
/* Fills in s, in `a`. Near-linear. */
void opt_slots_find(struct opt_slots *s, struct arena *a, struct ir_function *f, const struct ir_cfg *g);
struct opt_slot *opt_slot_at(struct opt_slots *s, uint32_t aggregate, uint32_t offset); /* or NULL */
/* The slot whose mem, type and mixed speak for all slots that it is copied from and to. */
struct opt_slot *opt_slot_leader(struct opt_slots *s, struct opt_slot *x);

#endif
