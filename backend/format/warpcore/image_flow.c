/* image_flow.c: see image_flow.h. */
#include "backend/format/warpcore/image_flow.h"

#include "backend/format/warpcore/stack_bound.h"
#include "base/rows.h"

/* ---- control flow ------------------------------------------------------------------------------------ */

static bool is_branch(enum wc_op op)
{
    return op == WC_br || op == WC_brn || op == WC_diverge;
}

/* On p0 it always goes one way; DIVERGE's lanes in p go on. Lanes that diverge and never reconverge name the
 * branch itself. */
static struct wc_node branch_node(const struct wc_ins *ins, uint32_t next, enum wc_mode mode)
{
    if (ins->a == 0)
        return (struct wc_node){
            .count = 1, .next = {ins->op == WC_br ? (uint32_t)ins->imm : next}, .reconverge = WC_NO_NODE};
    bool diverges = ins->rpc != WC_NONE;
    if (mode == WC_MODE_FRONTIER)
        return (struct wc_node){.count = 2,
                                .next = {diverges ? ins->rpc : next, (uint32_t)ins->imm},
                                .diverges = diverges,
                                .reconverge = WC_NO_NODE};
    return (struct wc_node){.count = 2,
                            .next = {next, (uint32_t)ins->imm},
                            .diverges = diverges,
                            .reconverge = diverges && ins->rpc != next - 1 ? ins->rpc : WC_NO_NODE};
}

static struct wc_node node_of(const struct wc_ins *ins, uint32_t at, enum wc_mode mode)
{
    if (is_branch((enum wc_op)ins->op))
        return branch_node(ins, at + 1, mode);
    if (wc_never_falls_through(ins))
        return (struct wc_node){.stops = ins->op == WC_trap, .reconverge = WC_NO_NODE};
    return (struct wc_node){.count = 1, .next = {at + 1}, .reconverge = WC_NO_NODE};
}

/* ---- functions --------------------------------------------------------------------------------------- */

static struct wc_extent *add_function(struct wc_image_flow *c, uint32_t entry)
{
    if (c->function_at[entry] == 0) {
        vec_push(c->arena, &c->functions, ((struct wc_extent){.entry = entry}));
        c->function_at[entry] = c->functions.count;
    }
    return &c->functions.at[c->function_at[entry] - 1];
}

static void add_callees(struct wc_image_flow *c, const struct wc_image *m, uint32_t word)
{
    if (c->ins[word].op == WC_call)
        add_function(c, (uint32_t)c->ins[word].imm)->called = true;
    if (c->ins[word].op != WC_callr)
        return;
    for (uint32_t i = 0; i < m->symbols.count; i++)
        if (m->symbols.at[i].word < c->flow.count)
            add_function(c, m->symbols.at[i].word)->called = true;
}

static void find_words(struct wc_image_flow *c, const struct wc_image *m, uint32_t function, struct walk *w)
{
    walk_restart(w);
    walk_add(w, c->functions.at[function].entry);
    walk_each(word, w) {
        const struct wc_node *n = &c->flow.at[word];
        bitset_add(c->reached, word);
        add_callees(c, m, word);
        for (uint32_t e = 0; e < n->count; e++)
            walk_add(w, n->next[e]);
    }
    u32_vec *words = &c->functions.at[function].words;
    vec_resize(c->arena, words, w->list.count);
    memcpy(words->at, w->list.at, w->list.count * sizeof *words->at);
}

struct wc_image_flow *wc_image_flow_new(struct arena *a, const struct wc_image *m, const struct wc_ins *ins)
{
    struct wc_image_flow *c = arena_new(a, struct wc_image_flow);
    uint32_t n = m->code.count, words = 0;
    struct walk w = walk_new(a, n);
    *c = (struct wc_image_flow){
        .arena = a, .ins = ins, .mode = (enum wc_mode)m->mode, .reached = bitset_new(a, n)};
    c->flow = (struct wc_flow){n, arena_array(a, struct wc_node, n)};
    c->function_at = arena_array(a, uint32_t, n);
    for (uint32_t i = 0; i < n; i++)
        c->flow.at[i] = node_of(&ins[i], i, c->mode);
    for (uint32_t i = 0; i < m->kernels.count; i++)
        add_function(c, m->kernels.at[i].entry)->kernel = true;
    for (uint32_t i = 0; i < c->functions.count; i++) {
        find_words(c, m, i, &w);
        words += c->functions.at[i].words.count;
        if (words > WC_OVERLAP_LIMIT)
            return NULL;
    }
    for (uint32_t i = 0; i < n; i++) {
        c->flow.at[i].diverges &= bitset_has(c->reached, i);
        c->flow.at[i].check =
            m->mode == WC_MODE_FRONTIER && ins[i].op == WC_converge && bitset_has(c->reached, i);
    }
    return c;
}

/* ---- the stack --------------------------------------------------------------------------------------- */

/* A call: from a function that has `depth` entries of its own then. */
struct call {
    uint32_t from, to;
    uint8_t depth;
};
struct calls {
    VEC(struct call) at;
};

static uint8_t smaller(uint32_t a, uint32_t b)
{
    return (uint8_t)(a < b ? a : b);
}

/* What the function needs by itself; notes its calls. */
static uint32_t own_need(struct wc_image_flow *c, uint32_t function, const uint8_t *depth, uint32_t most,
                         struct calls *calls)
{
    const struct wc_extent *f = &c->functions.at[function];
    uint32_t deepest = 0;
    for (uint32_t i = 0; i < f->words.count; i++) {
        uint32_t at = f->words.at[i];
        if (c->ins[at].op == WC_call)
            vec_push(c->arena, &calls->at,
                     ((struct call){function, c->function_at[c->ins[at].imm] - 1, depth[at]}));
        uint32_t need = c->ins[at].op == WC_callr ? most : depth[at];
        deepest = need > deepest ? need : deepest;
    }
    return deepest;
}

/* Needs only grow, and to `most` at most, so recursion in hand-written code does no harm. */
uint8_t *wc_image_stack(struct wc_image_flow *c)
{
    uint8_t *need = arena_array(c->arena, uint8_t, c->functions.count),
            *depth = arena_array(c->arena, uint8_t, c->flow.count);
    uint32_t most = c->mode == WC_MODE_ARTICLE ? WC_STACK : WC_LANES - 1;
    struct calls calls = {{0}};
    bool changed = true;
    wc_stack_bound(c->arena, &c->flow, c->mode, depth);
    for (uint32_t i = 0; i < c->functions.count; i++)
        need[i] = smaller(own_need(c, i, depth, most, &calls), most);
    while (changed) {
        changed = false;
        for (uint32_t i = calls.at.count; i-- > 0;) {
            const struct call *call = &calls.at.at[i];
            uint8_t now = smaller(call->depth + (uint32_t)need[call->to], most);
            changed |= now > need[call->from];
            need[call->from] = now > need[call->from] ? now : need[call->from];
        }
    }
    return need;
}
