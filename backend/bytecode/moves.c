/* moves.c: parallel moves: all sources are read before any destination is written, in effect.
 *
 * A move is ready when no other pending move reads what it writes. Ready moves are made; making one may set
 * another free. When none is ready, those left are cycles: one source is saved in a scratch register, which
 * frees its readers' way. Wide moves stand for two slots, which cover all cases of narrow and wide
 * overlapping. Linear.
 */
#include "backend/bytecode/emit.h"

struct moves {
    const struct be_mover *mover;
    struct be_transfer *t;
    struct map readers; /* slot -> pending moves that read it */
    struct map writer;  /* slot -> the move that writes it */
    bool *done;
    u32_vec ready;
    struct arena *arena;
};

static uint32_t readers_of(const struct moves *m, uint32_t slot)
{
    uint32_t n = map_get(&m->readers, slot);
    return n == MAP_NONE ? 0 : n;
}

static void add_readers(struct moves *m, const struct be_transfer *t, int by)
{
    for (uint32_t i = 0; i <= t->wide && !t->from_scalar; i++)
        map_set(m->arena, &m->readers, t->from + i, readers_of(m, t->from + i) + (uint32_t)by);
}

/* Nobody else reads what t writes. A wide move that reads its own destination's half does not exist: pairs
 * are even. */
static bool is_ready(const struct moves *m, const struct be_transfer *t)
{
    return readers_of(m, t->to) == 0 && (!t->wide || readers_of(m, t->to + 1) == 0);
}

static void wake_writers(struct moves *m, uint32_t from, bool wide)
{
    for (uint32_t i = 0; i <= wide; i++) {
        uint32_t w = map_get(&m->writer, from + i);
        if (w != MAP_NONE && !m->done[w] && is_ready(m, &m->t[w]))
            vec_push(m->arena, &m->ready, w);
    }
}

static void make_ready_ones(struct moves *m)
{
    while (m->ready.count) {
        uint32_t i = vec_pop(&m->ready);
        if (m->done[i])
            continue;
        m->done[i] = true;
        m->mover->emit(m->mover->data, m->t[i]);
        add_readers(m, &m->t[i], -1);
        if (!m->t[i].from_scalar)
            wake_writers(m, m->t[i].from, m->t[i].wide);
    }
}

/* The move's source goes to a scratch register, from which it is moved at last. */
static void save_source(struct moves *m, struct be_transfer *t)
{
    uint32_t from = t->from, scratch = m->mover->scratch(m->mover->data, t->wide);
    m->mover->emit(m->mover->data, (struct be_transfer){scratch, from, t->wide, false});
    add_readers(m, t, -1);
    t->from = scratch;
    add_readers(m, t, 1);
    wake_writers(m, from, t->wide);
}

void be_parallel_moves(struct arena *a, const struct be_mover *mover, struct be_transfer *t, uint32_t n)
{
    struct moves m = {.mover = mover, .t = t, .arena = a, .done = arena_array(a, bool, n)};
    for (uint32_t i = 0; i < n; i++) {
        m.done[i] = !t[i].from_scalar && t[i].to == t[i].from;
        if (m.done[i])
            continue;
        add_readers(&m, &t[i], 1);
        for (uint32_t k = 0; k <= t[i].wide; k++)
            map_set(a, &m.writer, t[i].to + k, i);
    }
    for (uint32_t i = 0; i < n; i++)
        if (!m.done[i] && is_ready(&m, &t[i]))
            vec_push(a, &m.ready, i);
    make_ready_ones(&m);
    for (uint32_t i = 0; i < n; i++) {
        if (m.done[i] || t[i].from_scalar) /* a scalar waits for a cycle, it is in none */
            continue;
        save_source(&m, &t[i]);
        make_ready_ones(&m);
    }
}
