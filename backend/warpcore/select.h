/* select.h: shared by the files that turn IR into machine code. */
#ifndef KERNC_WARPCORE_SELECT_H
#define KERNC_WARPCORE_SELECT_H

#include "backend/warpcore/codegen.h"

struct wc_selector {
    struct wc_context *c;
    struct wc_mfunction *f;
    const struct ir_function *ir;
    wc_mins_vec *codes;       /* of the block at work */
    uint32_t weight;          /* of it */
    uint32_t argument_words;  /* of the kernel's parameters */
    struct map shared, local; /* repeatable values: of the prologue, of the block at work */
    struct map listed;        /* those that only lists name */
    place at;
};

/* Appends an instruction to the block at work; valid until the next. */
struct wc_mins *wc_put(struct wc_selector *s, unsigned op, uint32_t d, uint32_t a, uint32_t b, int32_t imm);
/* The same with a new register for d; gives it. */
uint32_t wc_make(struct wc_selector *s, unsigned op, uint32_t a, uint32_t b, int32_t imm);

/* Registers that hold IR values. */
uint32_t wc_value(struct wc_selector *s, ir_ref r);
uint32_t wc_half(struct wc_selector *s, ir_ref r, bool high); /* of an i64 value, see opt/lower/split_i64.h */
/* New registers for what r computes: the low word or predicate, and of an i64 the high word. */
uint32_t wc_define(struct wc_selector *s, ir_ref r);
uint32_t wc_define_high(struct wc_selector *s, ir_ref r);
/* A register that operation `op` with this number sets; in loops once for the whole function. */
uint32_t wc_repeatable(struct wc_selector *s, unsigned op, int32_t imm);
uint32_t wc_number(struct wc_selector *s, uint32_t v); /* a register that holds it */
/* constants and addresses of allocas and shared objects */
bool wc_known(const struct wc_selector *s, ir_ref r, uint32_t *v);
static inline enum wc_class wc_class_of(enum ir_type t)
{
    return t == IR_TYPE_I1 ? WC_CLASS_P : WC_CLASS_R;
}
uint32_t wc_truth_word(struct wc_selector *s, uint32_t predicate); /* 0 or 1 */

/* The list of an operation's registers; wc_list_begin gives where it starts. */
uint32_t wc_list_begin(const struct wc_selector *s);
void wc_list_value(struct wc_selector *s, ir_ref r); /* both halves of an i64 */
/* The instruction's list is what has been added since `first`. */
void wc_list_end(struct wc_selector *s, struct wc_mins *i, uint32_t first);

/* Each adds the machine code of one value or operation, of the kind that its name says; what the machine has no
 * code for has been lowered before. */
void wc_select_pure(struct wc_selector *s, ir_ref r); /* arithmetic: select_pure.c */
void wc_select_ptradd(struct wc_selector *s, ir_ref r);
void wc_select_load(struct wc_selector *s, ir_ref r); /* select_memory.c */
void wc_select_store(struct wc_selector *s, ir_ref r);
void wc_select_atomic(struct wc_selector *s, ir_ref r);
/* A register with the address of an object in constant data. */
uint32_t wc_object_address(struct wc_selector *s, ir_ref r);
/* select_group.c; false: none of its operations */
bool wc_select_group(struct wc_selector *s, ir_ref r);
void wc_select_call(struct wc_selector *s, ir_ref r); /* select_call.c */
/* A ret, or a kernel's end. */
void wc_select_return(struct wc_selector *s, ir_ref r);
void wc_select_printf(struct wc_selector *s, ir_ref r);
void wc_select_params(struct wc_selector *s); /* the prologue's */
/* A word of the launch: the kernel's arguments, then what else it gives. */
uint32_t wc_argument_word(struct wc_selector *s, uint32_t word);

#endif
