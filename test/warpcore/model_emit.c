/* model_emit.c: programs from graphs, as a compiler has to make them for each mode;
 * the static stack bound. */
#include "test/warpcore/model.h"

#include "backend/format/warpcore/stack_bound.h"

/* ---- programs ---------------------------------------------------------------------------------------- */

struct emitter {
    const struct model_graph *g;
    const uint16_t *reconverge;
    enum wc_mode mode;
    struct model_random *r;
    struct model_program *p;
    uint16_t address[MODEL_BLOCKS], order[MODEL_BLOCKS], post[MODEL_BLOCKS];
    uint32_t post_count;
};

static void word(struct emitter *e, struct model_word w)
{
    INVARIANT(e->p->count < COUNT(e->p->at));
    e->p->at[e->p->count++] = w;
}

static bool diverges(const struct model_block *x)
{
    return x->count == 2 && !x->constant;
}

/* rpc: one. Else one a branch that reconverges here, the innermost first: the one furthest from the entry. */
static void emit_converges(struct emitter *e, uint16_t b)
{
    if (e->mode == WC_MODE_FRONTIER) { /* whatever the layout, as each block has a look */
        word(e, (struct model_word){.op = MODEL_CONVERGE, .target = MODEL_NONE});
        return;
    }
    for (uint32_t i = 0; i < e->post_count; i++) {
        uint16_t branch = e->post[i];
        if (e->reconverge[branch] != b || !diverges(&e->g->at[branch]))
            continue;
        word(e, (struct model_word){.op = MODEL_CONVERGE, .target = branch});
        if (e->mode == WC_MODE_RPC)
            return;
    }
}

static void emit_branch(struct emitter *e, uint16_t b, uint16_t following)
{
    const struct model_block *x = &e->g->at[b];
    bool inverted = x->leaves ? x->leaves == 1 : model_chance(e->r, 50);
    uint16_t taken = x->next[!inverted], other = x->next[inverted];
    uint16_t reconverge = diverges(x) ? e->reconverge[b] : MODEL_NONE;
    word(
        e,
        (struct model_word){
            .op = MODEL_BRANCH, .inverted = inverted, .target = taken, .reconverge = reconverge, .block = b});
    if (e->mode == WC_MODE_FRONTIER && diverges(x))
        e->p->at[e->p->count - 1].reconverge = other;
    else if (other != following)
        word(e, (struct model_word){.op = MODEL_JUMP, .target = other});
}

static void emit_block(struct emitter *e, uint16_t b, uint16_t following)
{
    const struct model_block *x = &e->g->at[b];
    e->address[b] = (uint16_t)e->p->count;
    emit_converges(e, b);
    word(e, (struct model_word){.op = MODEL_ENTER, .block = b});
    if (x->count == 0)
        word(e, (struct model_word){.op = MODEL_EXIT});
    else if (x->count == 2)
        emit_branch(e, b, following);
    else if (x->next[0] != following)
        word(e, (struct model_word){.op = MODEL_JUMP, .target = x->next[0]});
}

static void shuffle(struct emitter *e)
{
    for (uint32_t b = 0; b < e->g->count; b++)
        e->order[b] = (uint16_t)b;
    if (model_chance(e->r, 30)) /* the order of the source, too */
        return;
    for (uint32_t b = e->g->count; b-- > 1;) {
        uint32_t other = model_below(e->r, b + 1);
        uint16_t x = e->order[b];
        e->order[b] = e->order[other];
        e->order[other] = x;
    }
}

/* Block numbers to addresses; a CONVERGE names its branch's word. Branches without a post-dominator that are
 * not uniform name their own word: their lanes never reconverge. */
static void resolve(struct emitter *e)
{
    uint16_t branch[MODEL_BLOCKS];
    for (uint32_t i = 0; i < e->p->count; i++)
        if (e->p->at[i].op == MODEL_BRANCH)
            branch[e->p->at[i].block] = (uint16_t)i;
    for (uint32_t i = 0; i < e->p->count; i++) {
        struct model_word *w = &e->p->at[i];
        if (w->op == MODEL_CONVERGE && e->mode != WC_MODE_FRONTIER)
            w->target = branch[w->target];
        else if (w->op == MODEL_BRANCH || w->op == MODEL_JUMP)
            w->target = e->address[w->target];
        if (w->op != MODEL_BRANCH)
            continue;
        w->reconverge = !diverges(&e->g->at[w->block]) ? WC_NONE
                        : w->reconverge == MODEL_NONE  ? (uint16_t)i
                                                       : e->address[w->reconverge];
        e->p->waits[w->block] = w->target == w->reconverge || i + 1 == w->reconverge;
    }
}

void model_emit(const struct model_graph *g, const uint16_t *reconverge, enum wc_mode mode,
                struct model_random *r, struct model_program *p)
{
    struct emitter e = {.g = g, .reconverge = reconverge, .mode = mode, .r = r, .p = p};
    p->count = 0;
    e.post_count = model_post_order(g, e.post);
    shuffle(&e);
    for (uint32_t i = 0; i < g->count; i++)
        emit_block(&e, e.order[i], i + 1 < g->count ? e.order[i + 1] : MODEL_NONE);
    resolve(&e);
    p->entry = e.address[0];
}

/* ---- the stacking graph ------------------------------------------------------------------------------ */

struct stacking {
    const struct model_graph *g;
    const uint16_t *reconverge;
    const bool *waits;
    uint32_t longest[MODEL_BLOCKS]; /* of paths from this branch; 0: not known yet */
    bool open[MODEL_BLOCKS];
};

/* Lanes that diverge at `d` while the top entry is one that reconverges where they do: those on a side that
 * is the reconvergence point need no entry of their own. */
static bool shares(const struct stacking *s, uint16_t b, uint16_t d)
{
    return s->reconverge[d] == s->reconverge[b] && s->waits[d];
}

static uint32_t path_from(struct stacking *s, uint16_t b);

/* Of the branches that lanes diverged at b can come to before they reconverge. */
static uint32_t longest_beyond(struct stacking *s, uint16_t b)
{
    bool seen[MODEL_BLOCKS] = {0};
    uint16_t stack[MODEL_BLOCKS];
    uint32_t depth = 0, longest = 0;
    for (int i = -1; i < (int)depth; i++) {
        uint16_t at = i < 0 ? b : stack[i];
        const struct model_block *x = &s->g->at[at];
        if (i >= 0 && diverges(x)) {
            uint32_t n = at == b ? 0 : path_from(s, at) - shares(s, b, at);
            longest = n > longest ? n : longest;
        }
        for (int k = 0; k < x->count; k++)
            if (x->next[k] != s->reconverge[b] && !seen[x->next[k]]) {
                seen[x->next[k]] = true;
                stack[depth++] = x->next[k];
            }
    }
    return longest;
}

/* Entries of the longest path that begins with one of b. A cycle may be gone round as long as lanes
 * diverge. */
static uint32_t path_from(struct stacking *s, uint16_t b)
{
    if (s->open[b])
        return MODEL_LANES;
    if (s->longest[b])
        return s->longest[b];
    s->open[b] = true;
    uint32_t n = 1 + longest_beyond(s, b);
    s->open[b] = false;
    return s->longest[b] = n < MODEL_LANES ? n : MODEL_LANES;
}

uint32_t model_stack_bound(const struct model_graph *g, const uint16_t *reconverge,
                           const struct model_program *p)
{
    struct stacking s = {.g = g, .reconverge = reconverge, .waits = p->waits};
    uint32_t most = 0;
    for (uint16_t b = 0; b < g->count; b++) {
        uint32_t n = diverges(&g->at[b]) ? path_from(&s, b) : 0;
        most = n > most ? n : most;
    }
    return most < MODEL_LANES - 1 ? most : MODEL_LANES - 1;
}

/* ---- the bound under test ---------------------------------------------------------------------------- */

/* Where a branch's lanes reconverge: in source-pc its own CONVERGE among those that the place begins with. */
static uint32_t reconvergence_word(const struct model_program *p, uint32_t branch, enum wc_mode mode)
{
    uint32_t reconverge = p->at[branch].reconverge;
    if (reconverge == branch)
        return WC_NO_NODE;
    while (mode == WC_MODE_SOURCE_PC && p->at[reconverge].target != branch)
        reconverge++;
    return reconverge;
}

static struct wc_node node_of(const struct model_graph *g, const struct model_program *p, uint32_t i,
                              enum wc_mode mode)
{
    const struct model_word *w = &p->at[i];
    struct wc_node n = {.count = 1, .next = {i + 1}, .reconverge = WC_NO_NODE};
    n.check = w->op == MODEL_CONVERGE && mode == WC_MODE_FRONTIER;
    if (w->op == MODEL_EXIT)
        n.count = 0;
    else if (w->op == MODEL_JUMP)
        n.next[0] = w->target;
    else if (w->op == MODEL_BRANCH) {
        n.count = 2;
        n.next[1] = w->target;
        n.diverges = diverges(&g->at[w->block]);
        if (mode == WC_MODE_FRONTIER) {
            n.next[0] = n.diverges ? w->reconverge : i + 1;
            return n;
        }
        n.reconverge = n.diverges ? reconvergence_word(p, i, mode) : WC_NO_NODE;
    }
    return n;
}

uint32_t model_given_bound(const struct model_graph *g, const struct model_program *p, enum wc_mode mode)
{
    struct arena a;
    arena_init(&a);
    struct wc_flow flow = {p->count, arena_array(&a, struct wc_node, p->count)};
    for (uint32_t i = 0; i < p->count; i++)
        flow.at[i] = node_of(g, p, i, mode);
    uint32_t bound = wc_stack_bound(&a, &flow, mode, NULL);
    arena_free(&a);
    return bound;
}
