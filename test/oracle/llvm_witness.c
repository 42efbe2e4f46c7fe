/* llvm_witness.c: what values and blocks of a graph are by definition: by threads that are run, and by disjoint
 * paths.
 */
#include "test/oracle/llvm_analyses.h"

/* ---- witnesses: threads run alone, matched by iteration ---------------------------------------------- */

enum { THREADS = 3, STEPS = 60, RUNS = 4000 };

/* What a thread held each time it ran a block; `when` identifies the converged instance. */
struct visit {
    uint64_t when;
    uint32_t block, came_from, last[MOST];
};
struct thread {
    struct visit visit[STEPS];
    uint32_t count;
};

/* Iteration numbers of all cycles around the block, outermost first, in one number. Entering a cycle restarts
 * it. */
static uint64_t instance(const struct graph *g, const uint32_t *iteration, uint32_t block)
{
    uint64_t h = block;
    for (uint32_t k = g->cycles->innermost[block]; k != IR_NO_CYCLE; k = g->cycles->at[k].parent)
        h = hash_mix(h, iteration[k] + 1);
    return h;
}

static void run_thread(const struct graph *g, struct thread *t, uint64_t run, uint64_t self)
{
    uint32_t iteration[MOST] = {0}, last[MOST] = {0}, from = IR_NO_BLOCK, b = 0;
    t->count = 0;
    for (uint32_t step = 0; step < STEPS; step++) {
        for (uint32_t k = 0; k < g->cycles->count; k++)
            if (g->cycles->at[k].header == b)
                iteration[k] = from != IR_NO_BLOCK && ir_cycle_has(g->cycles, k, from) ? iteration[k] + 1 : 0;
        struct visit *v = &t->visit[t->count++];
        v->when = instance(g, iteration, b);
        v->block = b;
        v->came_from = from;
        last[b] = (uint32_t)hash_mix(v->when, 77); /* a uniform value of this instance */
        memcpy(v->last, last, sizeof last);
        if (g->degree[b] == 0)
            return;
        uint64_t choice = g->divergent[b] ? hash_mix(hash_mix(run, self), step) : hash_mix(run, v->when);
        from = b;
        b = g->to[b][g->degree[b] == 2 && hash_mix(choice, 3) % 16 < 6 + run % 5];
    }
}

/* Whether two threads, together at block x, held different values: of its parameter (y == NONE), or of y's
 * definition. */
bool graph_witness(const struct graph *g, uint32_t x, uint32_t y)
{
    static struct thread t[THREADS];
    for (uint64_t run = 0; run < RUNS; run++) {
        for (uint32_t i = 0; i < THREADS; i++)
            run_thread(g, &t[i], run, i + 1);
        for (uint32_t i = 0; i < t[0].count; i++)
            for (uint32_t k = 1; k < THREADS; k++)
                for (uint32_t j = 0; j < t[k].count; j++) {
                    const struct visit *p = &t[0].visit[i], *q = &t[k].visit[j];
                    if (p->block != x || q->block != x || p->when != q->when)
                        continue;
                    if (y == IR_NO_BLOCK ? p->came_from != q->came_from : p->last[y] != q->last[y])
                        return true;
                }
    }
    return false;
}

/* ---- m-converged by the definition: joins by disjoint paths ------------------------------------------ */

/* Blocks that paths from the branch go on to, a bit each; none from the header of a natural loop around the
 * branch, where all threads of an iteration reconverge. */
static uint32_t next_blocks(const struct graph *g, uint32_t branch, uint32_t b)
{
    const struct ir_cycles *c = g->cycles;
    uint32_t next = 0, k = c->innermost[b];
    if (k != IR_NO_CYCLE && c->at[k].header == b && c->at[k].entries.count == 1 && ir_cycle_has(c, k, branch))
        return 0;
    for (uint32_t e = 0; e < g->degree[b]; e++)
        next |= 1u << g->to[b][e];
    return next;
}

static bool reaches(const struct graph *g, uint32_t branch, uint32_t from, uint32_t to, uint32_t avoided)
{
    uint32_t seen = 1u << from, todo = seen & ~(avoided & ~(1u << to));
    while (todo && !(todo >> to & 1)) {
        uint32_t b = (uint32_t)__builtin_ctz(todo);
        uint32_t next = next_blocks(g, branch, b) & ~seen & ~(avoided & ~(1u << to));
        todo = (todo & (todo - 1)) | next;
        seen |= next;
    }
    return todo != 0;
}

/* Whether some path from b to `to`, past the blocks of `path`, leaves another one from `other` that shares no
 * block with it. */
static bool leaves_disjoint(const struct graph *g, uint32_t branch, uint32_t b, uint32_t to, uint32_t path,
                            uint32_t other)
{
    if (b == to)
        return reaches(g, branch, other, to, path);
    if (path >> b & 1)
        return false;
    for (uint32_t next = next_blocks(g, branch, b); next; next &= next - 1)
        if (leaves_disjoint(g, branch, (uint32_t)__builtin_ctz(next), to, path | 1u << b, other))
            return true;
    return false;
}

static bool is_join(const struct graph *g, uint32_t branch, uint32_t b)
{
    return g->degree[branch] == 2 && g->to[branch][0] != g->to[branch][1] &&
           leaves_disjoint(g, branch, g->to[branch][0], b, 1u << branch, g->to[branch][1]);
}

static bool strictly(const struct graph *g, uint32_t a, uint32_t b)
{
    return a != b && ir_dominates(g->dom, a, b);
}

/* The cycle that is not m-converged since threads from the branch join at b, by the simplified criteria. */
static uint32_t cycle_broken(const struct graph *g, uint32_t branch, uint32_t b)
{
    const struct ir_cycles *c = g->cycles;
    uint32_t found = IR_NO_CYCLE, k = c->innermost[b];
    for (; k != IR_NO_CYCLE && !ir_cycle_has(c, k, branch); k = c->at[k].parent)
        found = k;
    if (found != IR_NO_CYCLE && c->at[found].entries.count == 1)
        found = IR_NO_CYCLE;
    if (k == IR_NO_CYCLE || c->at[k].entries.count == 1 || strictly(g, branch, b))
        return found;
    for (; k != IR_NO_CYCLE && !strictly(g, c->at[k].header, b); k = c->at[k].parent)
        found = k;
    return found;
}

void graph_unconverged(const struct graph *g, bool *unconverged)
{
    for (uint32_t branch = 0; branch < g->n; branch++)
        for (uint32_t b = 0; b < g->n && bitset_has(g->uniform->branches, branch); b++) {
            uint32_t k = is_join(g, branch, b) ? cycle_broken(g, branch, b) : IR_NO_CYCLE;
            for (uint32_t x = 0; x < g->n && k != IR_NO_CYCLE; x++)
                unconverged[x] |= ir_cycle_has(g->cycles, k, x);
        }
}
