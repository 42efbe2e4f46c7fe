/* model_run.c: a graph's threads one by one, and a warp of them. */
#include "test/warpcore/model.h"

struct lane {
    uint32_t steps, decisions;
    uint16_t variable;
    uint16_t visits[MODEL_BLOCKS];
};

static bool at_random(const struct model_decisions *how, const struct lane *l, uint32_t lane, uint16_t block)
{
    uint64_t at = (uint64_t)(lane / how->group) << 48 | (uint64_t)block << 24 | l->visits[block];
    struct model_random r = {how->seed ^ at * 0x2545f4914f6cdd1du};
    return model_next(&r) % 100 < how->bias;
}

static bool decide(const struct model_decisions *how, struct lane *l, uint32_t lane, uint16_t block)
{
    const struct model_block *x = &how->original->at[block];
    bool nearer = how->distance[x->next[1]] < how->distance[x->next[0]];
    if (x->constant || l->steps > how->patience)
        return nearer;
    if (how->table_bits)
        return l->decisions < how->table_bits ? how->table[lane] >> l->decisions++ & 1 : nearer;
    return at_random(how, l, lane, block);
}

/* The lane goes through a block: what it decides there. */
static bool enter(const struct model_graph *g, const struct model_decisions *how, struct lane *l,
                  uint32_t lane, uint16_t b, struct model_trace *t)
{
    const struct model_block *x = &g->at[b];
    switch ((enum model_kind)x->kind) {
    case MODEL_SET: l->variable = x->value == MODEL_NONE ? l->variable : x->value; return false;
    case MODEL_TEST: return l->variable == x->value;
    case MODEL_LEAVE: return l->variable >= x->value;
    case MODEL_WORK: break;
    }
    if (t->count < MODEL_TRACE)
        t->at[t->count++] = x->value;
    l->steps++;
    bool yes = x->count == 2 && decide(how, l, lane, x->value);
    l->visits[x->value]++;
    return yes;
}

void model_thread(const struct model_graph *g, const struct model_decisions *how, uint32_t lane,
                  struct model_trace *t)
{
    struct lane l = {0};
    uint16_t b = 0;
    t->count = 0;
    for (;;) {
        bool yes = enter(g, how, &l, lane, b, t);
        if (g->at[b].count == 0)
            return;
        b = g->at[b].next[g->at[b].count == 2 && yes];
    }
}

/* ---- a warp ------------------------------------------------------------------------------------------ */

struct warp {
    const struct model_graph *g;
    const struct model_program *p;
    const struct model_decisions *how;
    struct lane lanes[MODEL_LANES];
    struct model_trace traces[MODEL_LANES];
    uint8_t predicate; /* what the active lanes have decided */
    uint64_t issued;
};

static void enter_all(struct warp *w, uint8_t active, uint16_t b)
{
    w->predicate = 0;
    for (uint32_t i = 0; i < MODEL_LANES; i++)
        if (active >> i & 1)
            w->predicate |= (uint8_t)(enter(w->g, w->how, &w->lanes[i], i, b, &w->traces[i]) << i);
    w->issued += w->g->at[b].weight - 1u;
}

/* Which way a branch that may be inverted sends the lanes. */
static uint8_t taken_by(const struct warp *w, const struct model_word *word)
{
    return word->inverted ? (uint8_t)~w->predicate : w->predicate;
}

static enum rt_divergence_event step(struct warp *w, struct rt_divergence *d)
{
    const struct model_word *word = &w->p->at[d->pc];
    w->issued++;
    switch ((enum model_op)word->op) {
    case MODEL_ENTER:
        enter_all(w, d->active, word->block);
        d->pc++;
        return RT_WENT_ON;
    case MODEL_BRANCH: return rt_divergence_branch(d, taken_by(w, word), word->target, word->reconverge);
    case MODEL_JUMP: return rt_divergence_branch(d, 0xff, word->target, WC_NONE);
    case MODEL_CONVERGE: return rt_divergence_converge(d, word->target);
    case MODEL_EXIT: return rt_divergence_exit(d, d->active);
    }
    BUG("word %u", word->op);
}

/* A CONVERGE of another entry than it should may go round for ever. */
enum { MOST_WORDS = 400000 };

static const char *const faults[] = {"stack overflow", "uniform branch diverges", "DIVERGE of nobody",
                                     "no lane active", "lanes lost"};

static const char *compare_traces(const struct warp *w, const struct model_trace *expected, uint32_t lanes)
{
    for (uint32_t i = 0; i < lanes; i++)
        if (w->traces[i].count != expected[i].count ||
            memcmp(w->traces[i].at, expected[i].at, expected[i].count * sizeof *expected[i].at) != 0)
            return "a lane's trace is not the thread's";
    return NULL;
}

struct model_result model_warp(const struct model_graph *g, const struct model_program *p, enum wc_mode mode,
                               const struct model_decisions *how, const struct model_trace *expected,
                               uint32_t lanes)
{
    static struct warp w;
    struct rt_divergence d;
    struct model_result result = {0};
    enum rt_divergence_event event = RT_WENT_ON;
    w.g = g;
    w.p = p;
    w.how = how;
    w.issued = 0;
    memset(w.lanes, 0, lanes * sizeof *w.lanes);
    for (uint32_t i = 0; i < lanes; i++)
        w.traces[i].count = 0;
    rt_divergence_start(&d, mode, (uint8_t)((1u << lanes) - 1), (uint16_t)p->entry);
    while (event < RT_ENDED && w.issued < MOST_WORDS) {
        result.left = d.depth;
        result.converges += p->at[d.pc].op == MODEL_CONVERGE;
        event = step(&w, &d);
    }
    result.issued = w.issued;
    result.deepest = d.deepest;
    if (event >= RT_FIRST_FAULT)
        result.failure = faults[event - RT_FIRST_FAULT];
    else if (event != RT_ENDED)
        result.failure = "goes round for ever";
    else
        result.failure = compare_traces(&w, expected, lanes);
    return result;
}

/* ---- the ideal --------------------------------------------------------------------------------------- */

struct ideal_entry {
    uint8_t mask;
    uint16_t pc, reconverge;
};
struct ideal {
    uint32_t depth;
    struct ideal_entry at[MODEL_TRACE];
};

static void part(struct ideal *s, const struct model_word *word, uint8_t taken)
{
    struct ideal_entry *top = &s->at[s->depth - 1], both = *top;
    if (word->reconverge == WC_NONE)
        s->depth--;
    else
        top->pc = word->reconverge;
    if (s->depth && s->at[s->depth - 1].pc == s->at[s->depth - 1].reconverge)
        s->depth--; /* the tail of a loop: those below reconverge there as well */
    uint16_t reconverge = word->reconverge == WC_NONE ? both.reconverge : word->reconverge;
    s->at[s->depth++] = (struct ideal_entry){both.mask & taken, word->target, reconverge};
    s->at[s->depth++] = (struct ideal_entry){both.mask & ~taken, both.pc + 1, reconverge};
}

static void ideal_step(struct warp *w, struct ideal *s)
{
    struct ideal_entry *top = &s->at[s->depth - 1];
    const struct model_word *word = &w->p->at[top->pc];
    w->issued += word->op != MODEL_CONVERGE;
    switch ((enum model_op)word->op) {
    case MODEL_ENTER:
        enter_all(w, top->mask, word->block);
        top->pc++;
        break;
    case MODEL_BRANCH: {
        uint8_t taken = taken_by(w, word) & top->mask;
        if (taken && taken != top->mask)
            part(s, word, taken);
        else
            top->pc = taken ? word->target : top->pc + 1;
        break;
    }
    case MODEL_JUMP: top->pc = word->target; break;
    case MODEL_CONVERGE: top->pc++; break;
    case MODEL_EXIT:
        for (uint32_t i = 0; i < s->depth - 1; i++)
            s->at[i].mask &= ~top->mask;
        s->depth--;
        break;
    }
}

uint64_t model_ideal(const struct model_graph *g, const struct model_program *p,
                     const struct model_decisions *how, uint32_t lanes)
{
    static struct warp w;
    static struct ideal s;
    w.g = g;
    w.p = p;
    w.how = how;
    w.issued = 0;
    memset(w.lanes, 0, lanes * sizeof *w.lanes);
    for (uint32_t i = 0; i < lanes; i++)
        w.traces[i].count = 0;
    s.depth = 1;
    s.at[0] = (struct ideal_entry){(uint8_t)((1u << lanes) - 1), (uint16_t)p->entry, WC_NONE};
    while (s.depth && w.issued < MOST_WORDS) {
        struct ideal_entry *top = &s.at[s.depth - 1];
        if (!top->mask || (top->pc == top->reconverge && s.depth > 1))
            s.depth--;
        else
            ideal_step(&w, &s);
    }
    return w.issued;
}
