/* verify.h: shared by the two halves of the verifier. */
#ifndef KERNC_BYTECODE_VERIFY_H
#define KERNC_BYTECODE_VERIFY_H

#include "backend/format/bytecode/program.h"
#include <stdio.h>

/* An edge of the call graph: from a function, to a function or a signature (verify_signature). */
struct verify_call {
    uint32_t from, to;
};
struct verifier {
    const struct bc_program *p;
    struct arena arena;
    char *buffer; /* the reason */
    size_t size;
    bool failed;
    struct bitset heads;              /* code words that are block words */
    struct map signatures;            /* types number (bc_signature) -> its number among those that occur */
    uint32_t nodes;                   /* of the call graph: functions, then signatures */
    uint32_t *component;              /* of the call graph, by node */
    struct map slots, preloads;       /* registers of each component */
    struct bitset reserved[BC_FILES]; /* registers that are one of these to some function */
    u32_vec call_words;               /* of call and icall, ascending */
    struct map by_code;               /* first code word -> function */
    VEC(struct verify_call) calls;
    uint32_t *needs[BC_FILES]; /* by file and function: registers */
    /* of the word being checked */
    uint32_t at, function_index;
    const struct bc_function *function;
    const struct bc_ins *wide; /* the wide access whose parts may follow; NULL: none */
    uint32_t need[BC_FILES];
};

/* Notes the reason; always false. */
bool verify_fail(struct verifier *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool verify_tables(struct verifier *v);     /* also fills in by_code and slots */
void verify_find_slots(struct verifier *v); /* from by_code; numbers the signatures */
/* The node of a signature that a function has or an icall names. */
uint32_t verify_signature(const struct verifier *v, uint32_t signature);
/* Whether the register, read or written as the letter says, is a return slot to the function. */
bool verify_is_slot(const struct verifier *v, uint32_t function, char letter, uint32_t reg);
/* Whether it may be a return slot or preloaded: of most registers, false. */
static inline bool verify_may_be_reserved(const struct verifier *v, char letter, uint32_t reg)
{
    struct bitset s = v->reserved[bc_file_of(letter)];
    return (reg < s.bits && bitset_has(s, reg)) ||
           (bc_is_wide(letter) && reg + 1 < s.bits && bitset_has(s, reg + 1));
}
/* The register is filled in for the kernel `function`, and for all that functions of its component name. */
void verify_add_preload(struct verifier *v, uint32_t function, char letter, uint32_t reg);
bool verify_is_preload(const struct verifier *v, uint32_t function, char letter, uint32_t reg);
/* Checks on the word at hand; false: the reason is noted. This one: `code` is a block of the same
 * function. */
bool verify_target(struct verifier *v, uint32_t code);
/* A register of the letter's file in range, wide ones even; counts it among those needed. */
bool verify_register(struct verifier *v, char letter, uint32_t reg);
/* The operands fit the format. */
bool verify_printf(struct verifier *v, const struct bc_ins *ins);
/* Operands and result fit the host function's types. */
bool verify_hostcall(struct verifier *v, const struct bc_ins *ins);

#endif
