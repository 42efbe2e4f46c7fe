/* random_maker.h: what the files that make random modules share. */
#ifndef KERNC_TEST_RANDOM_MAKER_H
#define KERNC_TEST_RANDOM_MAKER_H

#include "test/opt/random_ir.h"

enum { VARS = 6, STRUCTS = 2, STRUCT_BYTES = 16, CELLS = 4, POINTERS = 3 };

struct maker {
    uint64_t seed;
    struct ir_module *m;
    struct ir_function *f;
    struct ir_cursor c;
    ir_ref vars[VARS], structs[STRUCTS], arrays, buffer, fuel; /* arrays: indexed dynamically */
    ir_ref cells, more_cells, pointers; /* few cells, and a table of pointers to them */
    unsigned statements, depth;
    uint32_t breaks, continues; /* blocks; IR_NO_BLOCK outside of loops */
    struct ir_function *callees[2];
    unsigned callee_count;
    bool shares;     /* accesses shared memory */
    bool controlled; /* convergent operations have tokens */
    ir_ref token;
};

static inline uint32_t draw(struct maker *k, uint32_t below)
{
    k->seed = k->seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(k->seed >> 33) % below;
}

/* random_values.c: an i32 constant; an i1 and an i32 of operations in at most so many levels; the address of an
 * i32 of the buffer. */
ir_ref random_number(struct maker *k);
ir_ref random_condition(struct maker *k, unsigned depth);
ir_ref random_expression(struct maker *k, unsigned depth);
ir_ref random_address(struct maker *k);

#endif
