/* codegen.h: what the parts of the warp-core code generator share. Private to backend/warpcore.
 *
 * The way of a function (its module is lowered, its branches are in the form of the divergence mode):
 *   frames.c     call graph, callees first; private memory; edges with arguments lead to blocks by a plain br
 *   select.c     IR → machine code on virtual registers (select_*.c: the larger kinds of instructions)
 *   liveness.c   code nobody needs is dropped; what is live where blocks end
 *   interfere.c  which registers can't share a colour; regalloc.c colours them; spill.c puts those that get
 *                none into memory, slots.c says where; recolour.c saves moves
 *   polarity.c   which side of a branch must fall through; layout.c: the order of the blocks
 *   emit.c       words; transfer.c: lists of values as moves
 *   generate.c   puts a module's image together
 *
 * Calling convention. A caller puts arguments in order into r1 … r12 (truth values into p1 … p4), what does
 * not fit into the first slots of the callee's frame; results come back in r1 (the high half of an i64 in r2)
 * or p1; the return address is in r31. Recursion being an error, a callee's code is known before its
 * callers': a call destroys the registers that the callee and its callees use, no others, and frames have
 * fixed places above r30, which a kernel sets once. r29 is for moves that need a register on the way; r0 is 0
 * and p0 is true.
 */
#ifndef KERNC_WARPCORE_CODEGEN_H
#define KERNC_WARPCORE_CODEGEN_H

#include "backend/backend.h"
#include "backend/layout.h"
#include "backend/warpcore/reconverge.h"
#include "ir/analysis/analysis.h"
#include "ir/analysis/callgraph.h"
#include "ir/analysis/dataflow.h"

enum wc_class { WC_CLASS_R, WC_CLASS_P, WC_CLASSES };
enum {
    WC_SCRATCH = 29,             /* register of moves */
    WC_ALLOCATABLE = 0x1ffffffe, /* r1 … r28; of predicates all but p0 */
    WC_ALLOCATABLE_P = 0xfe,
    WC_ARGUMENT_REGISTERS = 12,
    WC_ARGUMENT_PREDICATES = 4,
    WC_MAX_SLOTS = 512,    /* words above r30 that an instruction's offset reaches */
    WC_MAX_VALUES = 16384, /* virtual registers of a function */
};

/* ---- virtual registers ------------------------------------------------------------------------------- */

/* those before are what they say, always */
enum { WC_V_NONE, WC_V_ZERO, WC_V_TRUE, WC_V_LINK, WC_V_FRAME, WC_V_FIRST };
enum wc_home { WC_HOME_REGISTER, WC_HOME_SLOT, WC_HOME_REMATERIALISED };
#define WC_NO_COLOUR 0xff

struct wc_vreg {
    uint8_t kind;      /* enum wc_class */
    uint8_t home;      /* enum wc_home */
    uint8_t colour;    /* register number */
    uint8_t preferred; /* a register it would like, or WC_NO_COLOUR */
    bool short_lived;  /* made by a spill: not to be spilled again */
    bool repeatable;   /* its definition may stand anywhere: a constant, argument, control
                          register */
    uint16_t op;       /* that definition: its operation and number */
    int32_t imm;
    uint32_t forbidden; /* registers that are destroyed while it lives */
    uint32_t slot;      /* WC_HOME_SLOT: its word in the frame (slots.c); until all have
                           registers its number among these */
    float cost;         /* cycles that spilling it takes, roughly */
};

/* ---- code -------------------------------------------------------------------------------------------- */

/* Behind the machine's own operations. */
enum wc_pseudo {
    WC_PSEUDO_START = WC_OPS - 1,
#define WC_PSEUDO(name, operands, meaning) WC_##name,
#include "backend/warpcore/pseudo.def"
    WC_CODES
};

struct wc_mins {
    uint16_t op;           /* enum wc_op or enum wc_pseudo */
    bool effect;           /* needed although nobody reads what it defines */
    uint32_t d, a, b, c;   /* virtual registers, as the operation's letters say */
    int32_t imm;           /* of callees and blocks: their numbers */
    uint32_t first, count; /* of the pseudo operations with a list: places in
                              wc_mfunction.lists */
    place at;
};
typedef VEC(struct wc_mins) wc_mins_vec;

struct wc_block {
    uint32_t ir; /* IR block; IR_NO_BLOCK: the prologue */
    wc_mins_vec codes;
    u32_vec params;                          /* virtual registers, in the IR's order */
    uint32_t successors[2], successor_count; /* machine blocks: edge 0, edge 1 */
    uint32_t next_edge;                      /* of a branch: the side that must be the next word, or WC_EITHER
                                                (polarity.c) */
    uint32_t jumps_to;                       /* successor 0 as it was before empty blocks were left out */
    struct bitset live_out;
    uint32_t weight;   /* how often it runs, roughly: 8^depth of loops */
    uint32_t word;     /* where it starts (its CONVERGEs) */
    uint32_t leads_to; /* the block that a jump to it ends in: itself, unless it is empty
                          (layout.c) */
};

struct wc_frame { /* by function */
    bool reached;
    uint32_t private_base, private_size; /* allocas: the interpreter's addresses */
    uint32_t base, slots;                /* words above r30; known when all functions have registers */
    uint32_t print_slots;                /* of those, the last ones: operands of printf */
    uint32_t incoming;                   /* the first ones: arguments that came in no register */
    uint32_t clobbers, clobbers_p;       /* registers that a call destroys, those of callees included */
    uint32_t registers, predicates;      /* the highest used + 1, callees included */
    uint32_t entry;                      /* code word */
    bool has_barrier;
    uint32_t slots_reached, private_end; /* highest slot, end of the allocas: with callees */
};

struct wc_mfunction {
    struct ir_function *ir;
    uint32_t id;
    bool kernel, calls;
    struct ir_cfg *cfg; /* of `ir` as wc_prepare leaves it, for all that follows */
    struct ir_cycles *cycles;
    VEC(struct wc_vreg) vregs;
    VEC(struct wc_block) blocks;      /* the prologue, then reverse post-order */
    uint32_t *block_of;               /* by IR block */
    u32_vec lists;                    /* virtual registers */
    uint32_t link;                    /* virtual register of the return address */
    uint32_t *lo, *hi;                /* by IR value: its virtual registers; 0: none yet */
    uint32_t *alloca_address;         /* by IR value */
    uint32_t spilled, rematerialised; /* virtual registers: statistics */
    u32_vec layout;                   /* machine blocks that have words, in their order */
    struct wc_reconvergence *reconvergence;
    uint32_t words; /* code words, when emitted */
};

struct wc_call {
    uint32_t word, callee;
};
struct wc_context {
    struct ir_module *m; /* a copy that belongs to the code generator */
    struct diagnostics *d;
    const struct wc_options *o;
    struct arena arena;
    struct wc_image *image;
    struct wc_frame *frames; /* by function */
    struct ir_call_graph call_graph;
    struct wc_mfunction **functions; /* by function; NULL: not reached */
    u32_vec order;                   /* reached functions, callees first */
    struct be_objects objects;
    struct map texts;          /* of texts with operand types: hash -> row of the image's table */
    VEC(struct wc_call) calls; /* whose target is not known yet */
    uint32_t words;            /* emitted so far */
    uint32_t selected; /* words of functions so far, before registers are found: there will be no fewer */
    bool too_many_texts;
};

/* An error; code generation goes on to find others, and gives no image. */
void wc_fail(struct wc_context *c, const char *id, place at, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* What an operation's field is: its letter in isa.def or pseudo.def. */
const char *wc_letters(unsigned op);
static inline bool wc_letter_reads(char letter)
{
    return letter == 'r' || letter == 'p';
}
static inline bool wc_letter_writes(char letter)
{
    return letter == 'D' || letter == 'P';
}
/* The fields d a b c of an instruction, in the order of its letters. */
#define WC_FIELDS(code)                                                                                      \
    {                                                                                                        \
        &(code)->d, &(code)->a, &(code)->b, &(code)->c                                                       \
    }

static inline struct wc_vreg *wc_vreg(const struct wc_mfunction *f, uint32_t v)
{
    return &f->vregs.at[v];
}
/* A virtual register of the class that nothing defines yet. */
uint32_t wc_vreg_new(struct wc_context *c, struct wc_mfunction *f, enum wc_class kind);
static inline uint32_t wc_list_at(const struct wc_mfunction *f, const struct wc_mins *i, uint32_t n)
{
    return f->lists.at[i->first + n];
}

/* ---- parts ------------------------------------------------------------------------------------------- */

bool wc_frames(struct wc_context *c);                          /* false: error */
void wc_prepare(struct wc_context *c, struct wc_mfunction *f); /* edges with arguments */
bool wc_frame_places(struct wc_context *c);                    /* when all have registers */

/* Machine code in SSA form, blocks in reverse post-order; needs f->reconvergence. */
void wc_select(struct wc_context *c, struct wc_mfunction *f);
/* Drops instructions without effect whose results nobody reads, and parameters with the moves to them.
 * Linear. */
void wc_drop_dead(struct wc_context *c, struct wc_mfunction *f);
/* The blocks as a backward problem sees them. */
struct wc_backward {
    struct rows predecessors;
    u32_vec order;
};
/* In `a`, linear. */
struct wc_backward wc_backward_new(struct arena *a, const struct wc_mfunction *f);
void wc_liveness(struct arena *scratch, struct wc_mfunction *f); /* live_out of all blocks */
/* Whether it wants a register. */
bool wc_is_allocated(const struct wc_mfunction *f, uint32_t v);
/* From what is live behind an instruction to what is before it. */
void wc_step_back(const struct wc_mfunction *f, struct wc_mins *i, struct bitset live);
/* The fields that are read; their number. */
unsigned wc_field_reads(struct wc_mins *i, uint32_t *fields[4]);
/* Whether the operation's list is of registers it reads, or of such as it writes. */
bool wc_list_reads(unsigned op);
bool wc_list_writes(unsigned op);

/* Registers live at the same time, as rows of neighbours; `forbidden` and `cost` of the virtual registers
 * too. */
struct wc_graph {
    uint32_t count;
    uint64_t *matrix;
    u32_vec *rows;
};
/* In `scratch`. Quadratic in virtual registers, for the matrix. */
struct wc_graph wc_interference(struct wc_context *c, struct arena *scratch, struct wc_mfunction *f);
bool wc_regalloc(struct wc_context *c, struct wc_mfunction *f); /* false: error */
/* The colours that nothing but its neighbours keep v from. */
uint32_t wc_colours_of(const struct wc_mfunction *f, uint32_t v);
/* Saves moves by other colours; all that want a register have one. */
void wc_recolour(struct wc_context *c, struct wc_mfunction *f, struct arena *scratch,
                 const struct wc_graph *g);
/* Gives the chosen registers a home outside of the file: a slot, or to be computed anew; loads and stores go
 * around their uses. */
void wc_spill(struct wc_context *c, struct wc_mfunction *f, const u32_vec *chosen);
/* Words for all that is spilled; how many, those of arguments included. */
uint32_t wc_share_slots(struct wc_context *c, struct wc_mfunction *f, struct arena *scratch);

/* Sets next_edge of each block: the side that should run first (backend/warpcore/polarity.c). */
void wc_polarity(struct wc_context *c, struct wc_mfunction *f);
/* Fills in f->layout, and jumps led through empty blocks. */
void wc_layout(struct wc_context *c, struct wc_mfunction *f);
/* Appends the words to the image. Words beyond WC_MAX_WORDS are counted only. */
void wc_emit(struct wc_context *c, struct wc_mfunction *f);

/* ---- moves (transfer.c) ------------------------------------------------------------------------------ */

/* Something that holds a value: a register, a predicate, a word of private memory above r30, or (as a source)
 * what can be made anew: `op` with this number. */
enum wc_holder_kind { WC_HOLDS_R, WC_HOLDS_P, WC_HOLDS_SLOT, WC_MADE };
struct wc_holder {
    uint8_t kind;
    uint16_t op;
    uint32_t at;
    int32_t imm;
};
struct wc_transfer {
    struct wc_holder to, from;
};
/* Where the virtual register is after allocation. */
struct wc_holder wc_holder_of(const struct wc_context *c, const struct wc_mfunction *f, uint32_t v);
/* The moves that an operation with a list makes; their number. `jump`: to parameters of this block. */
uint32_t wc_transfers(struct wc_context *c, const struct wc_mfunction *f, const struct wc_block *block,
                      const struct wc_mins *i, struct arena *scratch, struct wc_transfer **moves);

/* ---- the calling convention (select_call.c) ---------------------------------------------------------- */

enum wc_place { WC_IN_REGISTER, WC_IN_PREDICATE, WC_IN_SLOT };
/* slot: of the callee's frame, from its start */
struct wc_location {
    uint8_t kind, reg;
    uint32_t slot;
};
/* Where the list of a params, invoke, results or return is. */
struct wc_location *wc_places(struct wc_context *c, const struct wc_mfunction *f, const struct wc_mins *i,
                              struct arena *scratch);
/* Registers by class that a call destroys (its arguments' too), or a return fills. */
void wc_call_clobbers(struct wc_context *c, const struct wc_mfunction *f, const struct wc_mins *i,
                      uint32_t masks[WC_CLASSES]);

/* A row of the image's texts for this text and these operand types (enum be_value). */
uint32_t wc_text_row(struct wc_context *c, uint32_t text, uint32_t n, const uint8_t *types);

#endif
