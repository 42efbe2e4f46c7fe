/* polarity.c: which side of a branch must not wait.
 *
 * Lanes that take a branch wait on the stack while the others run. If these come round a loop to the same
 * branch, those who take it now join those who wait: threads of different iterations run on together. That is
 * what saves stack entries, and harmless as long as nothing on their way to the reconvergence point
 * communicates. Where something does (a ballot before a break), the lanes of each iteration have to run it
 * by themselves: that side must be the next word, so that the lanes that stay in the loop are the ones that
 * wait. So should be a side by which lanes leave for good, or may, where the others come to a barrier. And
 * lanes that leave a loop wait, where they can run together what is behind it.
 */
#include "backend/warpcore/codegen.h"

struct search {
    struct wc_context *c;
    const struct wc_mfunction *f;
    struct walk walk; /* scratch: over blocks */
    bool *talks;      /* by block: something communicates there */
    bool any;         /* in some */
};

/* Not at a barrier, where all threads are together. */
static bool communicates(const struct ir_function *f, uint32_t b)
{
    ir_each_ins(r, f, b) {
        enum ir_op op = (enum ir_op)ir_at(f, r)->op;
        bool token = op == IR_entry || op == IR_anchor || op == IR_loop;
        if (!token && op != IR_syncwarp && op != IR_barrier && ir_is_convergent(f, r))
            return true;
    }
    return false;
}

/* From `from`, before `reconverge`: whether `branch` is reached, and whether something communicates on the
 * way. */
static void look(struct search *s, uint32_t from, uint32_t reconverge, uint32_t branch, bool *again,
                 bool *communication)
{
    const struct ir_function *f = s->f->ir;
    walk_restart(&s->walk);
    if (from != reconverge)
        walk_add(&s->walk, from);
    walk_each(b, &s->walk) {
        *again |= b == branch;
        *communication |= b != branch && s->talks[b];
        if (b != branch)
            ir_add_successors(&s->walk, f, b, reconverge);
    }
}

static uint32_t next_side(struct search *s, uint32_t b)
{
    const struct ir_block *block = ir_block_at(s->f->ir, b);
    bool again[2] = {false, false}, communication[2] = {false, false};
    for (uint32_t e = 0; e < 2; e++)
        look(s, block->edges.at[e].block, s->f->reconvergence->at[b].reconverge, b, &again[e],
             &communication[e]);
    if (again[1] && communication[0] && !(again[0] && communication[1]))
        return 0;
    if (again[0] && communication[1] && !(again[1] && communication[0]))
        return 1;
    return WC_EITHER;
}

/* Whether nothing but jumps stands on the way of the edge to the place where the lanes reconverge. */
static bool is_way_empty(const struct wc_mfunction *f, uint32_t b, uint32_t edge)
{
    uint32_t to = ir_block_at(f->ir, b)->edges.at[edge].block;
    for (uint32_t n = 0; n < f->ir->blocks.count && to != f->reconvergence->at[b].reconverge; n++) {
        const struct ir_block *block = ir_block_at(f->ir, to);
        if (ir_at(f->ir, block->last)->op != IR_br || block->first != block->last)
            return false;
        to = block->edges.at[0].block;
    }
    return true;
}

/* Of a branch that leaves a loop the side that stays, where something stands behind the loop before lanes
 * reconverge: lanes that leave in different iterations are to run that together. */
static uint32_t staying_side(const struct wc_mfunction *f, uint32_t b)
{
    uint32_t leaves = f->reconvergence->at[b].taken;
    return leaves == WC_EITHER || is_way_empty(f, b, leaves) ? WC_EITHER : 1 - leaves;
}

/* The first rule that chooses: a side that breaks never comes back to the branch; who communicates is decided
 * before who may end, since of a barrier that nobody comes to the compiler cannot know. */
static uint32_t choose(struct search *s, uint32_t b)
{
    const struct wc_block_reconvergence *m = &s->f->reconvergence->at[b];
    uint32_t next = m->breaks;
    if (next == WC_EITHER && s->any && s->f->cycles->innermost[b] != IR_NO_CYCLE)
        next = next_side(s, b);
    if (next == WC_EITHER)
        next = m->ends;
    return next == WC_EITHER ? staying_side(s->f, b) : next;
}

void wc_polarity(struct wc_context *c, struct wc_mfunction *f)
{
    struct search s = {.c = c,
                       .f = f,
                       .walk = walk_new(&c->arena, f->ir->blocks.count),
                       .talks = arena_array(&c->arena, bool, f->ir->blocks.count)};
    ir_each_block(i, b, f->ir)
        s.any |= s.talks[b] = communicates(f->ir, b);
    for (uint32_t i = 1; i < f->blocks.count; i++) {
        struct wc_block *block = &f->blocks.at[i];
        const struct wc_block_reconvergence *m = &f->reconvergence->at[block->ir];
        bool diverges = block->successor_count == 2 && !m->uniform && !m->direct;
        block->next_edge = diverges ? choose(&s, block->ir) : WC_EITHER;
    }
}
