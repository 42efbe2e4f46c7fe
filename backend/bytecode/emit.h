/* emit.h: what the parts of the code generator share. Private to backend/bytecode.
 *
 * The way of a function:
 *   frames.c    call graph: which functions are reached, private memory, later the bases of their registers
 *   warp_scalars.c    which values may be read as scalars in other blocks than their own
 *   select.c    IR → words on virtual registers (select_*.c: the larger kinds of instructions)
 *   liveness.c  words nobody needs are dropped; live ranges; which registers are temporaries
 *   regalloc.c  registers of the function's frame for what lives across switch points
 *   preload.c     registers that the runtime fills
 *   encode.c    blocks in layout order, temporaries on the way, tables
 *   encode_end.c    ends of blocks, moves on edges (moves.c)
 *   emit.c      puts it together for a module
 */
#ifndef KERNC_BYTECODE_EMIT_H
#define KERNC_BYTECODE_EMIT_H

#include "backend/backend.h"
#include "backend/layout.h"
#include "base/rows.h"
#include "ir/analysis/analysis.h"

/* ---- virtual registers ------------------------------------------------------------------------------- */

enum be_home {
    BE_LOCAL,     /* a temporary: defined and used between two switch points */
    BE_FRAME,     /* lives across switch points */
    BE_PRELOADED, /* filled by the runtime, never written */
    BE_FOREIGN,   /* a register of another function's frame, or of a signature's: see `node` and `part` */
};
/* Parts of a frame that others name. */
enum { BE_SLOT = 0x10000, BE_RESULT, BE_ARGUMENT = 0 /* + position */ };

struct be_vreg {
    uint8_t kind;               /* enum bc_kind */
    uint8_t home;               /* enum be_home */
    uint8_t content;            /* enum be_content */
    bool live;                  /* some live word or move reads it */
    bool across;                /* some use lies behind a switch point */
    uint32_t word;              /* that defines it; of a block parameter, its block's first word */
    uint32_t first_move;        /* of a block parameter: the moves that write it, linked; UINT32_MAX: none */
    uint32_t segment;           /* between which switch points it is defined (select.c) */
    uint32_t start, end;        /* live range: see liveness.c */
    uint32_t block, last_block; /* of its definition and its last use: position in generation order */
    uint32_t next;              /* links of the list that a pass keeps */
    uint32_t node, part;        /* BE_FOREIGN: number of the frame, and what of it */
    uint32_t reg;               /* BE_LOCAL: temporary; else relative to the frame */
};
#define BE_NONE UINT32_MAX

/* ---- words ------------------------------------------------------------------------------------------- */

/* An instruction on virtual registers: a struct bc_ins before its registers are known. Of scalar
 * operations in lanes, `op` is the V_ form. Virtual register 0 is none. */
struct be_word {
    uint16_t op;
    uint8_t cycles;
    bool live, effect;           /* effect: needed although nobody reads its destination */
    bool boundary;               /* a switch point lies before it */
    bool part;                   /* of the access of the word before: it has that one's site */
    uint32_t d, a, b, c, e, imm; /* imm: of call, the function; of printf and hostcall, see `operands` */
    place at;
};
/* next: of the same `to`. shares: of scalars, they may have one register if their live ranges allow it
 * (warp_scalars.c). overhead: only what a branch decides by that is overhead itself. */
struct be_move {
    uint32_t to, from, next;
    bool shares, overhead;
};
struct be_edge {
    uint32_t target, first_move, moves; /* target: IR block */
};
struct be_block {
    uint32_t ir;         /* IR block */
    uint32_t first, end; /* words; the first is its BC_block */
    uint32_t first_edge; /* in be_function.edges, one for each of the IR block's */
    bool reconverge;
};
struct be_preload {
    uint8_t source;
    uint32_t vreg;
    uint64_t value;
};

/* ---- frames ------------------------------------------------------------------------------------------ */

/* What lanes of a register hold, active or not. Each slot belongs to one for good, since an inactive lane
 * keeps what it had, and operations on floats compute all lanes: a small integer is a denormal number, which
 * many processors take a hundred cycles or more to add. */
enum be_content { BE_INTEGERS, BE_FLOATS, BE_DOUBLES, BE_ANY /* only moved */, BE_CONTENTS };

/* Regions of a frame: one for each file, but four of the vectors, as frames of functions that are not active
 * together lie in the same place. A wide vector's lane i lies where lanes 2 i and 2 i + 1 of the first narrow
 * one of its slots, or of the second, would: a masked write of the one changes other lanes of the other. So
 * among registers that diverged lanes write no slot is ever both, nor of two contents. */
enum be_region { BE_FLOAT_VECTORS = BC_FILES, BE_WIDE_VECTORS, BE_DOUBLE_VECTORS, BE_REGIONS };

/* A node of the call graph: a function, or (functions + n) signature n of indirect calls. */
struct be_frame {
    bool reached;
    uint32_t depth; /* longest chain of calls from a kernel: 0 for kernels */
    uint32_t private_base, private_size;
    uint32_t base[BE_REGIONS], size[BE_REGIONS];
    uint32_t component; /* node that stands for all that are connected by calls */
    u32_vec waiting;    /* of a signature, until some call has it: functions of that
                           type */
    /* of a signature: where its arguments and its result are, relative to the base */
    uint32_t arguments[IR_MAX_ARGS], result;
};

struct be_function {
    const struct ir_function *ir;
    uint32_t id;
    bool kernel, frontiers; /* frontiers: the scheme runs the lowest code index */
    uint32_t signature;     /* of indirect calls that may reach it; BE_NONE: none may */
    struct ir_cfg *cfg;
    struct ir_dominators *post;
    const uint32_t *barriers;   /* see ir_reached_from_barriers */
    bool returns_before_others; /* the frontier of a block that returns is not empty */
    bool joins;                 /* branches name only places where they join a barrier */
    struct ir_predication predication;
    VEC(struct be_word) words;
    VEC(struct be_vreg) vregs;
    VEC(struct be_block) blocks; /* in generation order: reverse post-order */
    VEC(struct be_edge) edges;
    VEC(struct be_move) moves;
    VEC(struct be_preload) preloads;
    struct map preload_index;
    u32_vec operands;           /* virtual registers that printf and host calls list */
    VEC(uint8_t) operand_types; /* beside them: enum be_value */
    uint32_t *params;           /* virtual registers of the function's parameters, or 0 */
    uint32_t *allocas;          /* addresses of ir allocas, by ir_ref */
    uint32_t result;            /* virtual register; 0: none */
    uint32_t successor;         /* where callers find the truth value that their branch behind the
                                   call reads, if returns lead to its targets; 0: they do not */
};

/* ---- registers in use: lowest first (regalloc.c) ----------------------------------------------------- */

/* low: no free place before, of one slot and of two; most: highest slot ever used + 1. */
struct be_slots {
    uint64_t used, of[BE_CONTENTS]; /* a bit each of 64 slots */
};
struct be_pool {
    VEC(struct be_slots) words;
    uint32_t low[BE_CONTENTS][2], most;
};
/* A wide one gets an even slot and the next. */
uint32_t be_pool_take(struct arena *a, struct be_pool *p, bool wide, enum be_content content);
/* A register that be_pool_take gave, as wide. */
void be_pool_give(struct be_pool *p, uint32_t reg, bool wide);
void be_pool_clear(struct be_pool *p); /* gives all back; contents and `most` stay */

/* ---- the module -------------------------------------------------------------------------------------- */

/* A call, for the check of where lanes wait. caller: function; callee: node of the call graph; back: code index
 * of the row where it returns, whose rows of bc_program.waiting are first … end - 1. */
struct be_calling {
    uint32_t caller, callee, back, first, end;
};

struct be_context {
    const struct ir_module *m;
    enum scheme scheme;
    struct diagnostics *d;
    struct arena arena; /* all but the program itself */
    struct bc_program *p;
    struct be_frame *frames;
    uint32_t frame_count;
    struct bitset waiting;          /* functions: see ir_waiting_functions */
    struct edge_list call_edges;    /* between frames: calls, and what must not overlap */
    struct rows callees;            /* the same by frame, may repeat */
    u32_vec order;                  /* reached frames, callers before callees */
    struct be_function **functions; /* by number; NULL: no kernel reaches it */
    struct be_objects objects;
    uint32_t hearts;           /* tok_loop numbers given out */
    uint32_t function_scalars; /* invariant scalars of functions that are no kernels */
    struct be_pool temporaries[BC_FILES];
    u32_vec calls; /* code words whose imm is still a function's number */
    bool too_many_operands;
    VEC(struct be_calling) callings; /* waiting.c */
};
/* An error; code generation goes on to find others, and gives no program. */
void be_error(struct be_context *c, const char *id, place at, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

static inline enum be_value be_value_type(enum ir_type t)
{
    switch (t) {
    case IR_TYPE_VOID: return BE_VOID;
    case IR_TYPE_I1: return BE_I1;
    case IR_TYPE_I32: return BE_I32;
    case IR_TYPE_I64: return BE_I64;
    case IR_TYPE_F32: return BE_F32;
    case IR_TYPE_F64: return BE_F64;
    default: return BE_PTR;
    }
}
static inline enum bc_kind be_kind(enum ir_type t)
{
    return bc_kind_of(be_value_type(t));
}
static inline enum be_content be_content(enum ir_type t)
{
    return t == IR_TYPE_F32 ? BE_FLOATS : t == IR_TYPE_F64 ? BE_DOUBLES : BE_INTEGERS;
}
static inline enum bc_file be_file(enum bc_kind k)
{
    return k == BC_KIND_S ? BC_FILE_SCALARS : k == BC_KIND_M ? BC_FILE_MASKS : BC_FILE_VECTORS;
}
static inline unsigned be_region(enum bc_kind k, enum be_content content)
{
    if (k == BC_KIND_W)
        return content == BE_DOUBLES ? BE_DOUBLE_VECTORS : BE_WIDE_VECTORS;
    return k == BC_KIND_V && content == BE_FLOATS ? (unsigned)BE_FLOAT_VECTORS : (unsigned)be_file(k);
}
static inline unsigned be_region_of(const struct be_vreg *v)
{
    return be_region((enum bc_kind)v->kind, (enum be_content)v->content);
}
static inline enum bc_file be_file_of_region(unsigned region)
{
    return region >= BC_FILES ? BC_FILE_VECTORS : (enum bc_file)region;
}
static inline struct be_vreg *be_vreg(const struct be_function *f, uint32_t v)
{
    return &f->vregs.at[v];
}
/* A virtual register that nothing defines yet. Number 0 stays none. */
uint32_t be_vreg_new(struct be_context *c, struct be_function *f, enum bc_kind kind, enum be_home home);
/* The register that always holds this; made on first use. */
uint32_t be_preload(struct be_context *c, struct be_function *f, enum bc_kind kind, enum bc_source source,
                    uint64_t value);
/* A register of node's frame: its return slot, its result, or the argument of this position. A new one each
 * time. */
uint32_t be_foreign(struct be_context *c, struct be_function *f, enum ir_type t, uint32_t node,
                    uint32_t part);

/* Registers a word reads, found through the operation table. */
uint32_t be_uses(const struct be_function *f, const struct be_word *w, uint32_t list[], const uint32_t **more,
                 uint32_t *more_count);
bool be_defines(const struct be_word *w); /* its d is a register that it writes */

/* frames.c */
bool be_frames(struct be_context *c);      /* call graph, private memory; false: error */
void be_frame_bases(struct be_context *c); /* after regalloc of every function, and be_place_preloads */
uint32_t be_signature(const struct be_context *c, uint32_t signature); /* the first with the same types */
static inline uint32_t be_signature_node(const struct be_context *c, uint32_t signature)
{
    return c->m->functions.count + signature;
}

/* Fills in words, blocks and edges. */
void be_select(struct be_context *c, struct be_function *f);
/* IR block where the lanes that diverge at the block's branch reconverge; IR_NO_BLOCK: at the function's end,
 * or none diverge, or they join no barrier. */
uint32_t be_reconvergence_of(const struct be_function *f, const struct be_block *b);
/* the same if lanes diverge at the IR block */
uint32_t be_reconvergence_point(const struct be_function *f, uint32_t branch);
/* Drops words that nobody needs; the rest get their live ranges. */
void be_liveness(struct be_context *c, struct be_function *f);
/* Registers relative to the frame, and its size. Near-linear. */
void be_regalloc(struct be_context *c, struct be_function *f);
/* Return slots and preloads: all functions that have a caller or callee in common, however far, have them in
 * one place, before their frames. */
void be_place_preloads(struct be_context *c);
/* Appends the function's code and its rows of the tables to the program. */
void be_encode(struct be_context *c, struct be_function *f);
/* Where lanes wait in callers meanwhile, if the program checks that; then all of `waiting` is there. */
void be_waiting_of_functions(struct be_context *c);

/* Temporaries are numbered from here until emit.c, knowing how many there are, puts them before the rest. */
#define BE_TEMPORARY  0x8000u
#define BE_MAX_FRAMES 0x7fffu /* registers of all frames, and of temporaries, in each file */
/* Invariant scalars that all functions but kernels may read in other blocks than their own, each in a register
 * of its own; what comes behind is read in lanes there. */
#define BE_FUNCTION_SCALARS 8192

/* ---- parallel moves (moves.c) ------------------------------------------------------------------------ */

/* Physical registers; from_scalar: `from` is a scalar. Wide ones stand for two slots. */
struct be_transfer {
    uint32_t to, from;
    bool wide, from_scalar;
};
/* Orders the moves of one file so that each reads before it is overwritten; cycles go through a register that
 * `scratch` gives. emit is called for each move in its turn. */
struct be_mover {
    void (*emit)(void *data, struct be_transfer t);
    uint32_t (*scratch)(void *data, bool wide);
    void *data;
};
/* Linear. */
void be_parallel_moves(struct arena *a, const struct be_mover *m, struct be_transfer *t, uint32_t n);

#endif
