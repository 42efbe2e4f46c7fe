/* predict_region.c: where the regions of predictions end ("Speculative Reconvergence", section 4.2), and the
 * areas up to their exits.
 */
#include "opt/predict/barriers.h"

/* ---- marks ------------------------------------------------------------------------------------------- */

struct barrier_marks barriers_marks(struct barriers *x)
{
    uint32_t blocks = x->f->blocks.count;
    struct barrier_marks m = {
        .position = arena_array(x->arena, uint32_t, x->f->ins.count),
        .first_start = arena_array(x->arena, uint32_t, blocks),
        .first_point = arena_array(x->arena, uint32_t, blocks),
        .last_point = arena_array(x->arena, uint32_t, blocks),
    };
    for (uint32_t i = 0; i < x->cfg->rpo_count; i++) {
        uint32_t position = 0;
        ir_each_ins(r, x->f, x->cfg->rpo[i])
            m.position[r] = ++position;
    }
    return m;
}

/* Only blocks of the prediction's own starts and points have entries of it. */
static void mark(const struct barriers *x, struct barrier_marks *m, const struct barrier_prediction *p)
{
    for (uint32_t i = 0; i < m->marked.count; i++) {
        uint32_t b = m->marked.at[i];
        m->first_start[b] = m->first_point[b] = m->last_point[b] = 0;
    }
    vec_clear(&m->marked);
    for (uint32_t i = 0; i < p->starts.count; i++) {
        uint32_t b = p->starts.at[i].block, at = m->position[p->starts.at[i].predict];
        if (!m->first_start[b] || at < m->first_start[b])
            m->first_start[b] = at;
        vec_push(x->arena, &m->marked, b);
    }
    for (uint32_t i = 0; i < p->points.count; i++) {
        uint32_t b = ir_at(x->f, p->points.at[i])->block, at = m->position[p->points.at[i]];
        if (!m->first_point[b] || at < m->first_point[b])
            m->first_point[b] = at;
        if (at > m->last_point[b])
            m->last_point[b] = at;
        vec_push(x->arena, &m->marked, b);
    }
}

/* ---- regions ----------------------------------------------------------------------------------------- */

/* Whether the prediction begins in the block before, or where, one of its waits stands. */
static bool begins_before_wait(const struct barrier_marks *m, uint32_t b)
{
    return m->first_start[b] && (!m->first_point[b] || m->first_start[b] < m->first_point[b]);
}

/* Blocks at whose start a wait is ahead, backwards from the waits (equation 2). */
static void find_region(struct barriers *x, const struct barrier_marks *m, struct barrier_prediction *p)
{
    struct walk w = walk_new(x->arena, x->f->blocks.count);
    struct bitset begins = bitset_new(x->arena, x->f->blocks.count);
    p->region = bitset_new(x->arena, x->f->blocks.count);
    for (uint32_t i = 0; i < p->starts.count; i++)
        if (begins_before_wait(m, p->starts.at[i].block))
            bitset_add(begins, p->starts.at[i].block);
    for (uint32_t i = 0; i < p->points.count; i++)
        walk_add(&w, ir_at(x->f, p->points.at[i])->block);
    walk_each(b, &w) {
        if (bitset_has(begins, b))
            continue;
        bitset_add(p->region, b);
        ir_add_predecessors(&w, x->cfg, b, IR_NO_BLOCK);
    }
    p->size = bitset_count(p->region);
}

/* Whether a wait is ahead of the start. */
static bool is_ahead(const struct barriers *x, const struct barrier_marks *m,
                     const struct barrier_prediction *p, const struct barrier_start *s)
{
    const struct ir_block *b = ir_block_at(x->f, s->block);
    for (uint32_t e = 0; e < b->edges.count; e++)
        if (bitset_has(p->region, b->edges.at[e].block))
            return true;
    return m->last_point[s->block] > m->position[s->predict];
}

/* Starts from which no wait can be reached but by another start: no thread is to join there, as none that
 * does not pass that one would ever leave. */
static void drop_idle_starts(struct barriers *x, const struct barrier_marks *m, struct barrier_prediction *p)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < p->starts.count; i++) {
        if (is_ahead(x, m, p, &p->starts.at[i]))
            p->starts.at[kept++] = p->starts.at[i];
        else
            ir_remove(x->f, p->starts.at[i].predict);
    }
    p->is_idle = kept == 0 && p->starts.count > 0;
    p->starts.count = kept;
}

/* Where all threads of the block come together behind it, in no iteration after: at the place of its branch,
 * which may be behind its post-dominator, or at that. */
static uint32_t behind(const struct barriers *x, uint32_t b)
{
    uint32_t point = barriers_point(x, b);
    if (point == IR_NO_BLOCK || !ir_dominates(x->dominators, point, b))
        return point;
    return x->post->depth[b] ? x->post->idom[b] : IR_NO_BLOCK;
}

/* The first such block outside of the region. In a cycle with several entries places may lead to each other for
 * ever: then post-dominators alone lead out. */
static uint32_t behind_region(const struct barriers *x, const struct barrier_prediction *p, uint32_t b)
{
    uint32_t exit = behind(x, b);
    for (uint32_t steps = 0; exit != IR_NO_BLOCK && bitset_has(p->region, exit); steps++)
        exit = steps < x->f->blocks.count ? behind(x, exit)
               : x->post->depth[exit]     ? x->post->idom[exit]
                                          : IR_NO_BLOCK;
    return exit;
}

/* The exits of the starts, and the blocks on the way there; gates: what dominates those. */
static void find_area(struct barriers *x, struct barrier_prediction *p)
{
    struct walk w = walk_new(x->arena, x->f->blocks.count);
    p->area = bitset_new(x->arena, x->f->blocks.count);
    p->entered = bitset_new(x->arena, x->f->blocks.count);
    for (uint32_t i = 0; i < p->starts.count; i++) {
        struct barrier_start *s = &p->starts.at[i];
        s->exit = behind_region(x, p, s->block);
    }
    for (uint32_t i = 0; i < p->starts.count; i++) {
        struct barrier_start *s = &p->starts.at[i];
        s->gate = s->block;
        walk_restart(&w);
        walk_add(&w, s->block);
        walk_each(b, &w) {
            s->gate = ir_dominators_common(x->dominators, s->gate, b);
            const struct ir_block *block = ir_block_at(x->f, b);
            for (uint32_t e = 0; e < block->edges.count; e++)
                if (block->edges.at[e].block != s->exit) {
                    bitset_add(p->entered, block->edges.at[e].block);
                    walk_add(&w, block->edges.at[e].block);
                }
        }
        bitset_union(p->area, w.seen);
    }
}

void barriers_find_region(struct barriers *x, struct barrier_marks *m, struct barrier_prediction *p)
{
    mark(x, m, p);
    find_region(x, m, p);
    drop_idle_starts(x, m, p);
    mark(x, m, p);
    find_area(x, p);
}
