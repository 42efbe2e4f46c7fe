/* select.h: shared by the files that turn IR into words. */
#ifndef KERNC_BYTECODE_SELECT_H
#define KERNC_BYTECODE_SELECT_H

#include "backend/bytecode/emit.h"

/* The parts of a wide access that are selected together, in their order in the block. */
enum { BE_WIDE_PARTS = IR_MAX_WIDE };
struct be_wide {
    ir_ref parts[BE_WIDE_PARTS];
    uint32_t count;
};

/* How a value is held. Uniform ones live in scalars: those that are the same all the time a warp runs
 * ("invariant") may be read everywhere; *warp scalars* wherever their definition dominates (warp_scalars.c);
 * the others ("local": results of ballot, loads from a uniform address, …) are what the active lanes agreed
 * on between two switch points, and may be read as scalars only there. Behind its definition a uniform value
 * is also spread over lanes; the spreading word dies if no lane form reads it. */
struct be_selector {
    struct be_context *c;
    struct be_function *f;
    const struct ir_function *ir;
    uint32_t *lanes, *scalars; /* virtual registers by ir_ref, or 0 */
    bool *invariant, *warp_scalar;
    uint32_t *diverged_depth; /* by block: warp_scalars.c */
    struct ir_cycles *cycles; /* NULL: there are none */
    uint32_t *uses;           /* operands and edge arguments that name the value */
    uint32_t segment;         /* counts switch points */
    bool boundary;            /* the next word has one before it */
    uint32_t zero;            /* an address in lanes, once it is wanted */
    ir_ref at;                /* the instruction being selected */
    struct be_wide wide;      /* the latest one (select_wide.c) */
};

/* Known when compiling: constants, addresses of allocas and shared objects, function pointers. */
bool be_known(const struct be_selector *s, ir_ref r, uint64_t *bits);
bool be_uniform(const struct be_selector *s, ir_ref r); /* here be_scalar gives its register */
/* Whether it is a scalar that may be read everywhere. */
bool be_invariant(const struct be_selector *s, ir_ref r);
/* The scalar register of a value that is uniform here. */
uint32_t be_scalar(struct be_selector *s, ir_ref r);
/* The value's register in lanes, masks for i1; its definition is selected already. */
uint32_t be_lanes(struct be_selector *s, ir_ref r);
/* The constant in all lanes, filled in by the runtime. */
uint32_t be_lane_constant(struct be_selector *s, enum bc_kind kind, uint64_t bits);

/* New registers for a value; spread comes behind the word that defines the scalar. */
uint32_t be_define(struct be_selector *s, ir_ref r);
uint32_t be_define_scalar(struct be_selector *s, ir_ref r, bool invariant);
void be_spread(struct be_selector *s, ir_ref r);
/* Appends a word that counts as the instruction being selected. */
struct be_word *be_put(struct be_selector *s, enum bc_op op, uint32_t d, uint32_t a, uint32_t b, uint32_t e);
/* to = r, as a word of its own. */
void be_put_move(struct be_selector *s, uint32_t to, ir_ref r);
/* A switch point lies before the next word. */
void be_switch_point(struct be_selector *s);

void be_find_warp_scalars(struct be_selector *s); /* warp_scalars.c */
/* quiet.c: values that lanes use before another group of the warp can run. The result is NULL if the function
 * has no predictions; else the blocks of their areas join `unfit`. */
struct be_quiet;
struct be_quiet *be_quiet_new(struct arena *a, const struct be_function *f, const struct ir_uniformity *u,
                              struct bitset unfit);
bool be_is_quiet(struct be_quiet *q, ir_ref r); /* q may be NULL: nothing is */
/* Lanes diverge at branches whose condition is no scalar (any more). True if there are new ones. */
bool be_note_noise(struct be_quiet *q, const struct be_selector *s);
/* Whether the parameter's register may be the argument's too, which comes from block `from`. */
bool be_may_share(const struct be_selector *s, ir_ref param, ir_ref argument, uint32_t from);

/* What a chain of ptrcasts is made of. */
ir_ref be_strip_casts(const struct be_selector *s, ir_ref r);
/* The thread's index in the grid, of dimension *d: no words are selected for it. */
bool be_is_grid_index(const struct be_selector *s, ir_ref r, uint64_t *d);
/* The operands in lanes or in scalars. */
bool be_all_uniform(const struct be_selector *s, const struct ir_ins *ins);
/* Their registers, in scalars only if all are uniform. */
void be_take_operands(struct be_selector *s, const struct ir_ins *ins, bool scalar,
                      uint32_t regs[SCALAR_MAX_ARGS]);

void be_select_pure(struct be_selector *s, ir_ref r); /* select_pure.c */
/* A pure instruction, as this case of base/scalar.def. */
void be_select_as(struct be_selector *s, ir_ref r, enum scalar_case which);
void be_select_cast(struct be_selector *s, ir_ref r); /* the same bits under another type: no word */
void be_select_load(struct be_selector *s, ir_ref r); /* select_memory.c */
void be_select_store(struct be_selector *s, ir_ref r);
/* select_wide.c: the same as part of a wide access. false: it is of none, and nothing was done. */
bool be_select_wide(struct be_selector *s, ir_ref r);
void be_select_atomic(struct be_selector *s, ir_ref r);
void be_select_block_memory(struct be_selector *s, ir_ref r);
bool be_select_group(struct be_selector *s, ir_ref r); /* select_group.c; false: none of its operations */
void be_select_call(struct be_selector *s, ir_ref r);  /* select_call.c */
/* Where callers find a truth value that they branch on; 0: the function returns none, or the scheme goes on
 * behind the call in any case. */
uint32_t be_find_successor(struct be_selector *s);
void be_select_icall(struct be_selector *s, ir_ref r);
void be_select_listed(struct be_selector *s, ir_ref r); /* printf, hostcall */
/* A ret, or a kernel's end. */
void be_select_return(struct be_selector *s, ir_ref r);

/* ---- addresses (select_memory.c) ----------------------------------------------------------------------- */

/* base (uniform) + (index << shift) + offset; 0: no base, no index. known: the base is a number that is in
 * `offset` already. */
struct be_address {
    ir_ref base, index;
    unsigned shift;
    uint32_t offset;
    bool known;
};
struct be_address be_split_address(const struct be_selector *s, const struct ir_ins *access);
/* Mode V or X: `a` and, for X, `b` of the word, its shift and offset. X takes the place of an addition (and
 * shift) besides the access. */
struct be_mode {
    uint32_t a, b;
    unsigned shift;
    uint32_t offset;
    bool indexed;
};
struct be_mode be_choose_mode(struct be_selector *s, const struct be_address *a);
void be_finish_access(struct be_word *w, const struct be_mode *m);
unsigned be_space_of(const struct be_selector *s, ir_ref address); /* 0 g, 1 h, 2 p */
/* Row of an access type among those of SPACE and UNIFORM, from the first load or store on; but for i1 also
 * among the parts of wide accesses. */
unsigned be_load_row(enum ir_mem m);
unsigned be_store_row(enum ir_mem m);
/* All active lanes load from one address: once a warp. delta not 0: as a part, that many bytes from the begin
 * of a wide access of `wide` bytes. */
void be_load_uniform(struct be_selector *s, ir_ref r, const struct be_address *a, uint32_t wide,
                     uint32_t delta);

#endif
