/* shadow.h: what the files of the checker of memory share; see check.h. */
#ifndef KERNC_RT_SHADOW_H
#define KERNC_RT_SHADOW_H

#include "runtime/check/check.h"

/* A variable: its first byte, its bytes. layout: of its elements, if these are structures (launch/layout.h). */
struct rt_object {
    uint32_t address, size;
    const char *name, *layout;
};
typedef VEC(struct rt_object) rt_objects;

enum {
    CELL_BYTES = 4,
    SEGMENT_CELLS = 64,
    SEGMENT_BYTES = SEGMENT_CELLS * CELL_BYTES,
    PAGE_SHIFT = 16,
    PAGES = 1 << (32 - PAGE_SHIFT),
    PAGE_SEGMENTS = (1 << PAGE_SHIFT) / SEGMENT_BYTES,
    SITE_MASK = (1 << 24) - 1,
    NO_SITE = SITE_MASK,
    BYTES_SHIFT = 24,
    ALL_BYTES = (1 << CELL_BYTES) - 1,
    ATOMIC = 1 << 28,
    SILENT = 1 << 29,  /* a store of what was there */
    SPREAD_SHIFT = 30, /* of a run's site: log2 of the words from one thread's to the next's, 2 bits */
#define MEMORY_CHECK(id, name, bit, where, meaning) id = bit,
#include "base/checks.def"
};

/* What was seen of four bytes: the latest store that changed them, or else a silent one; two reads by different
 * threads, among which later silent stores count; which bytes were ever written. more: NULL for most. */
struct rt_cell {
    struct rt_seen store, read[2];
    uint32_t written;
    struct rt_more *more;
};

/* Accesses by lanes of one warp in one place of the source; like.thread: that of lane 0. Those of the block
 * that runs stand behind those of others. full: some had no place. */
struct rt_batch {
    struct rt_seen like;
    uint64_t lanes;
};
struct rt_batches {
    struct rt_batches *spare;
    uint32_t count, rank; /* log2 of how many times as many it has room for as the least */
    bool full;
    struct rt_batch at[];
};
/* Of a cell that accesses had different bytes of: a cell for each, which stand in its place. Of another: reads
 * beyond its two and atomic operations, each thread's latest, since the latest store that changed it. */
struct rt_more {
    struct rt_cell *bytes;
    struct rt_batches *reads, *atomics;
    struct rt_more *spare;
};
enum { RT_MOST_BATCHES = 1 << 10, BATCH_RANKS = 9 };

/* Accesses to words of a segment, all of the word: that to word W of the space by thread
 * like.thread + (W >> spread), see SPREAD_SHIFT; modulo 2^32. */
struct rt_run {
    struct rt_seen like;
    uint64_t words;
};
/* What is not used, as long as it is not. */
struct rt_spare {
    struct rt_spare *next;
};
/* What was seen of so many words: runs; or a cell for each. The words that the run `store` has are those that
 * were ever written. */
struct rt_segment {
    struct rt_run store, read[2];
    struct rt_cell *cells;
};

/* What the text of a check.memory says. */
struct check_text {
    bool read, quick; /* quick: rt_check_quickly may do */
    unsigned checks;
    char kind, space;
    uint32_t bytes, size;
    const char *name, *layout;
    struct rt_object last; /* size 0: of the object looked for last */
};

/* A read of what nobody had written yet: if somebody writes there before the next barrier, and nothing orders
 * the two, it is a race, and no more. */
struct doubt {
    struct rt_seen seen;
    uint32_t address, bytes;
    const char *text;
};

struct rt_check {
    struct arena arena;
    struct rt_launch *launch;
    struct rt_order *order;
    const struct rt_order_block *block; /* these are order's */
    const uint32_t *clocks;
    const struct rt_knowledge *const *knowledge;
    struct check_text *texts;  /* by number of the text */
    struct rt_segment **pages; /* of global memory */
    struct rt_segment *shared; /* from BC_FIRST_ADDRESS on */
    uint32_t shared_segments;
    /* How many reads of a place are needed, so that what races with any races with one of these: two of
     * different threads where only barriers order, of different warps where syncwarp does, all where atomic
     * operations do. */
    enum rt_reads { RT_TWO_THREADS, RT_TWO_WARPS, RT_ALL_READS } reads;
    struct rt_spare *spare_cells, *spare_bytes; /* SEGMENT_CELLS and CELL_BYTES cells a piece */
    struct rt_more *spare_more;
    struct rt_batches *spare_batches[BATCH_RANKS];
    uint32_t batches; /* room for so many there is */
    bool cells_only;  /* no runs: for tests */
    VEC(struct doubt) doubts;
    rt_objects objects, constants, *own; /* shared ones; constant ones; private ones by thread of the block */
    struct rt_pointers pointers;         /* in shared and private memory, and in registers of the checker */
    uint8_t **unwritten; /* by thread of the block: of each byte of its private memory whether a variable that
                            begins without a value has none there yet; NULL: of none */
    struct rt_barriers *barriers; /* NULL: the program does not tell of them */
};

struct visit {
    struct rt_check *c;
    const struct check_text *text;
    struct rt_warp *w;
    unsigned lane;
    uint32_t address, root; /* of the access */
    const uint32_t *addresses;
    const uint64_t *values;     /* of all lanes */
    bool silent;                /* stores what is there */
    const struct rt_cell *read; /* that a lane before has read, if that was quickly done */
    struct rt_seen now;
};

/* A load or store of words by lanes in a row that nothing is wrong with but what was seen of them may show. */
struct row_access {
    struct visit *v;
    struct rt_seen like;    /* as in a run */
    uint32_t first, spread; /* address of lane 0, be it active or not; see SPREAD_SHIFT */
    bool even;              /* all lanes are at like.clock */
    uint64_t lanes, words;  /* in the segment looked at; all lanes' */
};

/* ---- segments.c -------------------------------------------------------------------------------------- */

/* Remembers what is right of an access of the active lanes in a row; tells the lanes of which it did not, which
 * are to be looked at one by one. */
uint64_t rt_visit_row(struct visit *v, struct rt_row row);
/* For the next launch. */
void rt_shadow_clear(struct rt_shadow *s);
/* The segment of an address of global or shared memory; NULL: of global memory that was not accessed. */
static inline struct rt_segment *rt_segment_seen(const struct rt_check *c, char space, uint32_t address)
{
    if (space == 'h')
        return &c->shared[(address - BC_FIRST_ADDRESS) / SEGMENT_BYTES];
    struct rt_segment *page = c->pages[address >> PAGE_SHIFT];
    return page ? &page[address / SEGMENT_BYTES % PAGE_SEGMENTS] : NULL;
}
static inline uint32_t rt_word_in_segment(char space, uint32_t address)
{
    return (address - (space == 'h' ? BC_FIRST_ADDRESS : 0)) / CELL_BYTES % SEGMENT_CELLS;
}
/* The cell that a word has, or would have; its bytes' stay its segment's. */
struct rt_cell rt_word_seen(const struct rt_check *c, char space, uint32_t address);
/* The cell of the word, from here on one of its own. */
struct rt_cell *rt_cell_of(struct rt_check *c, char space, uint32_t address);
/* Four cells, all zero. */
struct rt_cell *rt_byte_cells(struct rt_check *c);
void rt_free_byte_cells(struct rt_check *c, struct rt_cell *bytes);
/* Nothing was seen of shared memory. */
void rt_forget_shared(struct rt_check *c);

/* The part of what was seen that is byte i's. */
static inline struct rt_seen rt_seen_of_byte(struct rt_seen seen, unsigned i)
{
    if (!(seen.site >> (BYTES_SHIFT + i) & 1))
        return (struct rt_seen){0};
    seen.site = (seen.site & ~((unsigned)ALL_BYTES << BYTES_SHIFT)) | 1u << (BYTES_SHIFT + i);
    return seen;
}

/* ---- unwritten.c ------------------------------------------------------------------------------------- */

/* An access to private memory that may not have been written. */
void rt_check_private(const struct visit *v, uint64_t value);

/* ---- quick.c ----------------------------------------------------------------------------------------- */

/* Remembers a load or store that is right; false: it may not be, nothing is done, or what may be done again. */
bool rt_check_quickly(struct visit *v, uint64_t value);
/* The same of a->lanes, the lowest of which has the first cell and that memory; tells the lanes of which it did
 * not. */
uint64_t rt_visit_cells(const struct row_access *a, struct rt_cell *cells, const uint8_t *memory);
/* Whether the access is inside of its object, unless that has to be looked for. */
static inline bool rt_is_near(const struct check_text *t, uint32_t address, uint32_t root)
{
    uint32_t base = t->size ? root : t->last.address, size = t->size ? t->size : t->last.size;
    return root - base <= size && t->bytes <= size && address - base <= size - t->bytes;
}
/* Whether the cell's reads, of two threads, are all that is needed. */
static inline bool rt_are_enough(const struct rt_check *c, const struct rt_seen read[2])
{
    uint32_t width = c->launch->given.warp;
    return c->reads == RT_TWO_THREADS ||
           (c->reads == RT_TWO_WARPS && read[0].thread / width != read[1].thread / width);
}
/* Whether the access was before the block's latest barrier, or there is none. */
static inline bool rt_is_past(const struct rt_order_block *b, const struct rt_seen *seen)
{
    return !seen->clock || (seen->thread - b->first < b->threads && seen->epoch < b->epoch);
}
/* Whether of v->read, which this lane reads too, enough reads by other threads since the latest barrier are
 * known: then there is nothing to remember. */
static inline bool rt_has_two_reads(const struct visit *v)
{
    const struct rt_order_block *b = v->c->block;
    const struct rt_seen *x = &v->read->read[0], *y = &v->read->read[1];
    return rt_are_enough(v->c, v->read->read) && x->thread != v->now.thread && y->thread != v->now.thread &&
           x->clock && y->clock && x->epoch == b->epoch && y->epoch == b->epoch &&
           x->thread - b->first < b->threads && y->thread - b->first < b->threads;
}

/* ---- batches.c --------------------------------------------------------------------------------------- */

/* What the cell has room for. */
struct rt_more *rt_more_of(struct rt_check *c, struct rt_cell *cell);
/* The cell has no more than its own; the parts may be used again. */
void rt_drop_more(struct rt_check *c, struct rt_cell *cell);
/* The lane's access joins these, in place of its earlier ones. */
void rt_join_batches(const struct visit *v, struct rt_batches **all, struct rt_seen now);
/* Those that have byte i, as they would be in its cell. */
struct rt_batches *rt_batches_of_byte(struct rt_check *c, const struct rt_batches *all, unsigned i);

/* ---- alarms.c ---------------------------------------------------------------------------------------- */

/* The access that is made races with `before`, which "writes", "reads" or "changes". */
void rt_report_race(const struct visit *v, struct rt_seen before, const char *did);
/* The text of an alarm for the access, that is to come in any case. */
const char *rt_unwritten_text(const struct visit *v);
/* Says it, unless it was said of the place. */
void rt_report_unwritten(struct rt_check *c, uint32_t site, const char *text);
/* The same of private memory that the thread has not written, from the address on. */
void rt_report_own_unwritten(const struct visit *v, uint32_t address);
void rt_report_outside(const struct visit *v);
/* v->text is of a shift, by too much. */
void rt_report_shift(const struct visit *v, uint64_t amount);
/* Threads are at the barrier at this site, others at the other place, or NO_SITE. */
void rt_report_barrier(struct rt_check *c, uint32_t site, uint32_t other, const char *text);
/* "(3,0,0)", of a thread of the grid and of its block. */
const char *rt_thread_index(const struct rt_check *c, struct arena *a, uint32_t thread);
const char *rt_block_index(const struct rt_check *c, struct arena *a, uint32_t thread);
/* In its file. */
uint32_t rt_site_line(const struct rt_check *c, uint32_t site);

/* ---- barriers.c -------------------------------------------------------------------------------------- */

/* NULL: the program tells nothing of barriers. */
struct rt_barriers *rt_barriers_new(struct rt_check *c);
/* A block begins; all its warps wait at barriers; it is over, or its launch stops. */
void rt_barriers_begin(struct rt_barriers *x);
void rt_barriers_open(struct rt_barriers *x, struct rt_worker *k);
void rt_barriers_end(struct rt_barriers *x);
/* What a check.sync says of the active lanes. */
void rt_barriers_tell(struct rt_barriers *x, struct rt_warp *w, const struct bc_ins *ins);
/* Whether threads of the block have come to different barriers: then nothing orders what it does. */
bool rt_barriers_parted(const struct rt_barriers *x);

/* ---- pointers.c --------------------------------------------------------------------------------------- */

/* The pointer given as the value, of origin v->root, will be at v->address. */
void rt_pointer_store(const struct visit *v, uint64_t value);
/* Memory from v->root on will be copied to v->address. */
void rt_pointer_copy(const struct visit *v);

/* ---- memory.c ----------------------------------------------------------------------------------------- */

/* Of SPACE in texts. */
static inline enum rt_space rt_space_of(char space)
{
    return space == 'g' || space == 'c' ? RT_GLOBAL : space == 'h' ? RT_SHARED : RT_PRIVATE;
}

/* What the text says. */
const struct check_text *rt_check_text(struct rt_check *c, uint32_t text);

/* ---- objects.c --------------------------------------------------------------------------------------- */

/* The variable is there from now on, and no other in its place. */
void rt_objects_tell(struct arena *a, rt_objects *all, struct rt_object object);
/* The object that the access is to stay in; size 0: it is not known. */
struct rt_object rt_object_of(const struct visit *v);
/* The private variable, of those that were reported, that the address is in; size 0: none. */
struct rt_object rt_own_object(const struct visit *v, uint32_t address);

#endif
