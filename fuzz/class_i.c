/* class_i.c: class i: random programs with locks (fuzz/locks.h): generator and reducer. */
#include "fuzz/locks.h"
#include "fuzz/reduce.h"

enum { MOST_DEPTH = 5, MOST_STATEMENTS = 22 };

struct generator {
    struct fz_program *p;
    struct fz_random r;
    uint32_t depth, loops, guarded; /* constructs, loops, locks around */
    uint32_t times;                 /* how often this place is passed at most */
    uint32_t left, ids, rows;       /* statements to make; operations made; entries of a thread at most */
};

static uint32_t below(struct generator *g, uint32_t n)
{
    return fz_below(&g->r, n);
}

static bool chance(struct generator *g, uint32_t percent)
{
    return fz_chance(&g->r, percent);
}

/* Behind a lock mostly on what it gave: the mistake to be found is that this is the same for all. */
static struct fz_lock_condition condition(struct generator *g)
{
    struct fz_lock_condition c = {.kind = (enum fz_lock_kind)below(g, FZ_LOCK_KINDS), .a = below(g, 5)};
    c.number = fz_next(&g->r);
    if (g->guarded && chance(g, 60))
        c.kind = FZ_LOCK_IS_READ;
    if (c.kind == FZ_LOCK_IS_TURN)
        c.number %= FZ_LOCK_ITERATIONS;
    if (c.kind == FZ_LOCK_IS_READ)
        c.a = below(g, 3);
    return c;
}

static struct fz_lock_statement *statements(struct generator *g, uint32_t most);

/* What stands in a construct, passed `iterations` times as often. */
static struct fz_lock_statement *inner(struct generator *g, uint32_t iterations, bool guarded)
{
    struct generator around = *g;
    g->depth++;
    g->loops += iterations > 1;
    g->guarded += guarded;
    g->times *= iterations;
    struct fz_lock_statement *s = statements(g, 1 + below(g, 4));
    g->depth = around.depth, g->loops = around.loops, g->guarded = around.guarded, g->times = around.times;
    return s;
}

/* An operation that still has numbers and rows, else something without one. */
static enum fz_lock_step operation(struct generator *g, struct fz_lock_statement *s)
{
    uint32_t which = below(g, 10);
    if (g->ids + 2 > FZ_LOCK_OPERATIONS || g->rows + g->times > FZ_LOCK_ROWS)
        return FZ_LOCK_SEND;
    s->id = (uint8_t)(1 + g->ids);
    g->ids += 2;
    g->rows += g->times;
    return which < 4 ? FZ_LOCK_LOG : which < 8 ? FZ_LOCK_TWINS : FZ_LOCK_LATE;
}

static enum fz_lock_step construct(struct generator *g)
{
    uint32_t which = below(g, 100);
    if (which < 40)
        return FZ_LOCK_TRY;
    if (which < 65)
        return FZ_LOCK_IF;
    return which < 85 && g->loops < FZ_LOCK_LOOPS ? FZ_LOCK_LOOP : FZ_LOCK_RECEIVE;
}

static struct fz_lock_statement *statement(struct generator *g)
{
    struct fz_lock_statement *s = arena_new(g->p->arena, struct fz_lock_statement);
    uint32_t which = below(g, 100);
    g->left--;
    s->operation = (uint8_t)below(g, FZ_LOCK_MASKS);
    s->lock = (uint8_t)below(g, FZ_LOCKS);
    s->once = chance(g, 60);
    s->counts = chance(g, 80);
    s->calls = chance(g, 25);
    s->style = (uint8_t)below(g, 4);
    s->number = (uint8_t)below(g, FZ_LOCK_ITERATIONS);
    s->condition = condition(g);
    s->step = which < 45   ? operation(g, s)
              : which < 50 ? FZ_LOCK_SEND
              : which < 60 ? (enum fz_lock_step)(FZ_LOCK_BREAK + below(g, 3))
                           : construct(g);
    if (g->depth == MOST_DEPTH && s->step >= FZ_LOCK_TRY && s->step <= FZ_LOCK_LOOP)
        s->step = operation(g, s);
    switch (s->step) {
    case FZ_LOCK_TRY:
    case FZ_LOCK_RECEIVE: s->then = inner(g, 1, true); break;
    case FZ_LOCK_LOOP: s->then = inner(g, s->number + 1u, false); break;
    case FZ_LOCK_IF:
        s->then = inner(g, 1, false);
        s->otherwise = chance(g, 50) ? inner(g, 1, false) : NULL;
        break;
    default: break;
    }
    return s;
}

static struct fz_lock_statement *statements(struct generator *g, uint32_t most)
{
    struct fz_lock_statement *first = NULL, **link = &first;
    for (; most > 0 && g->left > 0; most--) {
        *link = statement(g);
        link = &(*link)->next;
    }
    return first;
}

static void generate(struct fz_program *p)
{
    struct generator g = {.p = p, .r = fz_random(p->seed, 'i'), .times = 1, .left = MOST_STATEMENTS};
    p->locks = arena_new(p->arena, struct fz_locks);
    p->locks->shared = chance(&g, 30);
    p->blocks = 1 + (chance(&g, 20) ? below(&g, 3) : 0);
    p->threads = 2 + below(&g, 39);
    for (uint32_t i = 0; i < FZ_INPUTS; i++)
        p->inputs[i] = (int32_t)(fz_next(&g.r) >> 40);
    static const struct fz_buffer buffers[] = {
        [FZ_LOCK_BUFFER_LOG] = {"log", FZ_ULONG, false, FZ_LOCK_ROWS, 0},
        [FZ_LOCK_BUFFER_KEY] = {"key", FZ_UINT, false, FZ_LOCK_ROWS, 0},
        [FZ_LOCK_BUFFER_WORDS] = {"words", FZ_UINT, false, 0, 4 * FZ_LOCKS},
        [FZ_LOCK_BUFFER_TAKEN] = {"taken", FZ_UINT, false, FZ_LOCKS, 0},
        [FZ_LOCK_BUFFER_WRONG] = {"wrong", FZ_UINT, false, 1, 0},
        [FZ_LOCK_BUFFER_INPUT] = {"in", FZ_INT, true, 0, FZ_INPUTS},
    };
    for (uint32_t i = 0; i < COUNT(buffers); i++)
        vec_push(p->arena, &p->buffers, buffers[i]);
    struct fz_lock_statement *first = statements(&g, 3), *loop = statement(&g);
    /* one loop at least, so that those who did not get a lock try again */
    loop->step = FZ_LOCK_LOOP;
    loop->number = FZ_LOCK_ITERATIONS - 1;
    loop->then = inner(&g, FZ_LOCK_ITERATIONS, false);
    loop->otherwise = NULL;
    loop->next = first;
    p->locks->first = loop;
}

const struct fz_class fz_class_i = {
    'i', "locks", "locks tried in turn, with convergent operations behind them", generate, NULL, fz_holds_i};

/* ---- smaller ones ------------------------------------------------------------------------------------ */

static bool simpler_condition(struct fz_reducer *r, struct fz_lock_condition *c)
{
    struct fz_lock_condition old = *c;
    if (c->kind == FZ_LOCK_IS_LANE && c->number == 1)
        return false;
    *c = (struct fz_lock_condition){.kind = FZ_LOCK_IS_LANE, .number = 1};
    if (fz_reduce_try(r))
        return true;
    *c = old;
    return false;
}

static void clear(struct fz_reducer *r, uint8_t *what)
{
    uint8_t old = *what;
    *what = 0;
    if (old != 0 && !fz_reduce_try(r))
        *what = old;
}

/* A statement goes, or what it holds stands in its place, or it gets simpler. */
static void reduce_statements(struct fz_reducer *r, struct fz_lock_statement **link)
{
    while (*link) {
        struct fz_lock_statement *s = *link, *last = s->then;
        *link = s->next;
        if (fz_reduce_try(r))
            continue;
        *link = s;
        while (last && last->next)
            last = last->next;
        if (last) {
            last->next = s->next;
            *link = s->then;
            if (fz_reduce_try(r))
                continue;
            last->next = NULL;
            *link = s;
        }
        simpler_condition(r, &s->condition);
        clear(r, &s->operation);
        clear(r, &s->number);
        reduce_statements(r, &s->then);
        reduce_statements(r, &s->otherwise);
        link = &s->next;
    }
}

void fz_reduce_locks(struct fz_reducer *r)
{
    reduce_statements(r, &r->p->locks->first);
}

static uint32_t statements_size(const struct fz_lock_statement *s)
{
    uint32_t size = 0;
    for (; s; s = s->next)
        size += 1 + statements_size(s->then) + statements_size(s->otherwise);
    return size;
}

uint32_t fz_locks_size(const struct fz_locks *l)
{
    return 1 + statements_size(l->first);
}
