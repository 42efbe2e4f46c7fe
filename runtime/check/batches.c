/* batches.c: accesses of which a cell has no room: reads beyond two, atomic operations; see check.h.
 *
 * Whether a store races with any of the reads before it depends on what orders it behind each of them. Two
 * reads tell for all, as long as only barriers order (shadow.h, enum rt_reads); otherwise each thread's latest
 * one is kept, and of atomic operations too, in *batches*: lanes of a warp that were alike. An access takes the
 * place of those that happened before it, of its own kind: what races with one of these races with it as well.
 *
 * Where a place has had too many (RT_MOST_BATCHES), or all of them together (MOST_IN_ALL), later ones are not
 * remembered: no alarm is made up.
 */
#include "runtime/check/shadow.h"

enum { FIRST_ROOM = RT_MOST_BATCHES >> (BATCH_RANKS - 1), MOST_IN_ALL = 1 << 22 };

static uint32_t room_of(const struct rt_batches *s)
{
    return FIRST_ROOM << s->rank;
}

/* ---- memory ------------------------------------------------------------------------------------------ */

/* NULL: there is no more. */
static struct rt_batches *take(struct rt_check *c, uint32_t rank)
{
    struct rt_batches *s = c->spare_batches[rank];
    uint32_t room = FIRST_ROOM << rank;
    if (s) {
        c->spare_batches[rank] = s->spare;
    } else {
        if (c->batches + room > MOST_IN_ALL)
            return NULL;
        c->batches += room;
        s = arena_alloc(&c->arena, sizeof *s + room * sizeof *s->at);
    }
    s->spare = NULL;
    s->count = 0;
    s->rank = rank;
    s->full = false;
    return s;
}

static void give_back(struct rt_check *c, struct rt_batches *s)
{
    if (!s)
        return;
    s->spare = c->spare_batches[s->rank];
    c->spare_batches[s->rank] = s;
}

struct rt_more *rt_more_of(struct rt_check *c, struct rt_cell *cell)
{
    struct rt_more *more = cell->more ? cell->more : c->spare_more;
    if (cell->more)
        return more;
    if (more)
        c->spare_more = more->spare;
    else
        more = arena_new(&c->arena, struct rt_more);
    *more = (struct rt_more){0};
    return cell->more = more;
}

void rt_drop_more(struct rt_check *c, struct rt_cell *cell)
{
    struct rt_more *more = cell->more;
    cell->more = NULL;
    if (!more)
        return;
    for (uint32_t i = 0; more->bytes && i < CELL_BYTES; i++)
        rt_drop_more(c, &more->bytes[i]);
    if (more->bytes)
        rt_free_byte_cells(c, more->bytes);
    give_back(c, more->reads);
    give_back(c, more->atomics);
    more->spare = c->spare_more;
    c->spare_more = more;
}

struct rt_batches *rt_batches_of_byte(struct rt_check *c, const struct rt_batches *all, unsigned i)
{
    struct rt_batches *own = all ? take(c, all->rank) : NULL;
    if (!own)
        return NULL;
    own->full = all->full;
    for (uint32_t k = 0; k < all->count; k++) {
        struct rt_seen like = rt_seen_of_byte(all->at[k].like, i);
        if (like.clock)
            own->at[own->count++] = (struct rt_batch){like, all->at[k].lanes};
    }
    return own;
}

/* ---- joining ----------------------------------------------------------------------------------------- */

static bool is_alike(const struct rt_batch *a, const struct rt_batch *b)
{
    return memcmp(&a->like, &b->like, sizeof a->like) == 0;
}

/* Whether the access has joined the last one. Mostly that of the lane before. */
static bool join_last(struct rt_batches *s, const struct rt_batch *now)
{
    struct rt_batch *last = s->at + s->count - 1;
    if (s->count == 0 || !is_alike(last, now))
        return false;
    last->lanes |= now->lanes;
    if (s->count > 1 && last[-1].like.thread == now->like.thread)
        last[-1].lanes &= ~now->lanes;
    return true;
}

/* Lanes whose accesses happened before the one that is made, of those that are easily found. */
static uint64_t replaced_lanes(const struct rt_batch *batch, const struct rt_batch *now)
{
    if (batch->like.epoch < now->like.epoch)
        return UINT64_MAX;
    return batch->like.thread == now->like.thread ? now->lanes : 0;
}

/* Whether the access has joined one of the block's, the last of them now; it replaces what it can. */
static bool join(const struct visit *v, struct rt_batches *s, const struct rt_batch *now)
{
    const struct rt_order_block *b = v->c->block;
    uint32_t kept = s->count, count = s->count;
    uint64_t joined = 0;
    while (kept > 0 && s->at[kept - 1].like.thread - b->first < b->threads)
        kept--;
    for (uint32_t i = kept; i < count; i++) {
        struct rt_batch batch = s->at[i];
        if (is_alike(&batch, now)) {
            joined = batch.lanes;
            continue;
        }
        batch.lanes &= ~replaced_lanes(&batch, now);
        if (batch.lanes)
            s->at[kept++] = batch;
    }
    s->count = kept;
    if (joined)
        s->at[s->count++] = (struct rt_batch){now->like, joined | now->lanes};
    return joined;
}

/* Those that happened before the access that is made. */
static void drop_known(const struct visit *v, struct rt_batches *s)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        struct rt_batch batch = s->at[i];
        rt_each_lane(k, s->at[i].lanes) {
            struct rt_seen seen = batch.like;
            seen.thread += (uint32_t)k;
            if (rt_order_knows(v->c->order, v->w->index, v->lane, seen))
                batch.lanes &= ~((uint64_t)1 << k);
        }
        if (batch.lanes)
            s->at[kept++] = batch;
    }
    s->count = kept;
}

/* Whether there is room for one more. */
static bool make_room(const struct visit *v, struct rt_batches **all)
{
    struct rt_batches *s = *all, *larger;
    if (!s)
        return (*all = take(v->c, 0)) != NULL;
    if (s->count < room_of(s) || s->full)
        return s->count < room_of(s);
    drop_known(v, s);
    if (s->count <= room_of(s) / 2)
        return true;
    larger = s->rank + 1 < BATCH_RANKS ? take(v->c, s->rank + 1) : NULL;
    if (!larger) {
        s->full = true;
        return s->count < room_of(s);
    }
    memcpy(larger->at, s->at, s->count * sizeof *s->at);
    larger->count = s->count;
    give_back(v->c, s);
    *all = larger;
    return true;
}

void rt_join_batches(const struct visit *v, struct rt_batches **all, struct rt_seen now)
{
    struct rt_batch batch = {now, (uint64_t)1 << v->lane};
    batch.like.thread -= v->lane;
    if (*all && (join_last(*all, &batch) || join(v, *all, &batch)))
        return;
    if (make_room(v, all))
        (*all)->at[(*all)->count++] = batch;
}
