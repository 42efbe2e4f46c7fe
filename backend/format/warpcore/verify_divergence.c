/* verify_divergence.c: what the divergence modes ask of code (docs/isa.md, "Divergence"), checked on the
 * words themselves, whoever made them. Unreachable words do not matter.
 *
 *   every mode  a kernel claims no smaller stack than image_flow.h finds
 *   rpc         a branch that may diverge names a CONVERGE that its lanes may come to, or itself: they never
 *               reconverge; a function has one RET
 *   source-pc   the same, but the branch names its own CONVERGE; in a row of CONVERGEs the innermost comes
 *               first; a branch that can run again before its lanes have reconverged has this CONVERGE as its
 *               target, and is the only such branch of its cycle (among those whose lanes reconverge at all); a
 *               kernel has one EXIT, which callees do not use
 *   frontier    a branch that may diverge names where the other lanes go. Lanes that come to a word, but for a
 *               CONVERGE, are those of the lowest one (flow_frontier.h): nobody waits there or below. Nor at
 *               words that lead to a function's RET when lanes return; it has one. A function's words lie
 *               below those of its callers; no CALLR
 *   article     nothing more: its rules can't be met
 *
 * Which CONVERGE that is, and so which lanes run together, is the compiler's choice (docs/reconvergence.md).
 * Lanes that come to an EXIT without having met the others do no harm: it unwinds what they leave.
 *
 * Innermost first: d before b if d is in b's influence (flow.h). Time: the sum of the influences, twice.
 */
#include "backend/format/warpcore/flow_frontier.h"
#include "backend/format/warpcore/image_flow.h"
#include "backend/format/warpcore/verify.h"

struct checker {
    struct wc_verifier *v;
    struct wc_image_flow *code;
    struct wc_influence *influence;
    struct bitset again;       /* branches whose lanes reconverge, in their own influence: they can run
                                  again before that */
    struct bitset *influences; /* of those, by word */
};

#define FAIL(x, word, ...) ((x)->v->at = (word), wc_verify_fail((x)->v, __VA_ARGS__))

static bool diverges(const struct checker *x, uint32_t word)
{
    return x->code->flow.at[word].diverges;
}

static bool is_converge(const struct checker *x, uint32_t word)
{
    return x->code->ins[word].op == WC_converge;
}

/* ---- functions --------------------------------------------------------------------------------------- */

static bool check_ends(struct checker *x, const struct wc_extent *f)
{
    uint32_t ret = WC_NO_WORD, exit = WC_NO_WORD;
    bool source_pc = x->code->mode == WC_MODE_SOURCE_PC;
    for (uint32_t i = 0; i < f->words.count; i++) {
        uint32_t at = f->words.at[i], op = x->code->ins[at].op;
        if (op == WC_ret && ret != WC_NO_WORD)
            return FAIL(x, at, "word %u: a second ret of the function at word %u, after that at word %u", at,
                        f->entry, ret);
        if (source_pc && op == WC_exit && exit != WC_NO_WORD)
            return FAIL(x, at, "word %u: a second exit of the kernel at word %u, after that at word %u", at,
                        f->entry, exit);
        if (source_pc && op == WC_exit && f->called)
            return FAIL(x, at, "word %u: exit in the function at word %u, which is called", at, f->entry);
        ret = op == WC_ret ? at : ret;
        exit = op == WC_exit ? at : exit;
    }
    return true;
}

static bool check_functions(struct checker *x)
{
    uint8_t *need = wc_image_stack(x->code);
    for (uint32_t i = 0; i < x->v->m->kernels.count; i++) {
        const struct wc_kernel *k = &x->v->m->kernels.at[i];
        uint32_t needed = need[x->code->function_at[k->entry] - 1];
        if (k->stack < needed)
            return FAIL(x, WC_NO_WORD,
                        "kernel %s: its code may need %u entries of the divergence stack, it names %u",
                        k->name, needed, k->stack);
    }
    for (uint32_t i = 0; i < x->code->functions.count && x->code->mode != WC_MODE_ARTICLE; i++)
        if (!check_ends(x, &x->code->functions.at[i]))
            return false;
    return true;
}

/* ---- reconvergence points ---------------------------------------------------------------------------- */

/* Whether the words from `first` to `last` are CONVERGEs all. */
static bool in_one_row(const struct checker *x, uint32_t first, uint32_t last)
{
    while (first < last && is_converge(x, first))
        first++;
    return first == last && last < x->code->flow.count && is_converge(x, last);
}

/* Whether threads come from the branch to the word that it names. */
static bool leads_there(struct checker *x, uint32_t b)
{
    const struct wc_flow *g = &x->code->flow;
    uint32_t named = x->code->ins[b].rpc;
    bool leads = false;
    wc_influence_of(x->code->arena, x->influence, g, b, named);
    for (uint32_t i = 0; i <= x->influence->nodes.count && !leads; i++) {
        const struct wc_node *n = &g->at[i ? x->influence->nodes.at[i - 1] : b];
        for (uint32_t e = 0; e < n->count; e++)
            leads |= n->next[e] == named;
    }
    return leads;
}

static bool check_reconvergence(struct checker *x, uint32_t b)
{
    uint32_t named = x->code->ins[b].rpc;
    if (named == b)
        return true;
    if (!is_converge(x, named))
        return FAIL(x, b, "word %u: its lanes reconverge at word %u, which is no converge", b, named);
    if (!leads_there(x, b))
        return FAIL(x, b, "word %u: its lanes reconverge at word %u, and can't come there", b, named);
    return x->code->mode == WC_MODE_RPC || (uint32_t)x->code->ins[named].imm == b ||
           FAIL(x, b, "word %u: word %u, which it names, is no converge that names it", b, named);
}

static bool check_reconvergence_points(struct checker *x)
{
    bitset_each(b, x->code->reached)
        if (diverges(x, b) && !check_reconvergence(x, b))
            return false;
    return true;
}

/* ---- source-pc --------------------------------------------------------------------------------------- */

static bool check_converges(struct checker *x)
{
    bitset_each(at, x->code->reached) {
        uint32_t b = (uint32_t)x->code->ins[at].imm;
        if (!is_converge(x, at) || b == WC_NONE || !bitset_has(x->code->reached, b))
            continue;
        if (!diverges(x, b) || x->code->ins[b].rpc != at)
            return FAIL(x, at, "word %u: converge names word %u, which is no branch that names it", at, b);
    }
    return true;
}

static void find_again(struct checker *x)
{
    const struct wc_flow *g = &x->code->flow;
    x->again = bitset_new(x->code->arena, g->count);
    x->influences = arena_array(x->code->arena, struct bitset, g->count);
    bitset_each(b, x->code->reached) {
        if (!diverges(x, b) || g->at[b].reconverge == WC_NO_NODE)
            continue;
        wc_influence_of(x->code->arena, x->influence, g, b, g->at[b].reconverge);
        if (!wc_influenced(x->influence, b))
            continue;
        bitset_add(x->again, b);
        x->influences[b] = bitset_new(x->code->arena, g->count);
        for (uint32_t i = 0; i < x->influence->nodes.count; i++)
            bitset_add(x->influences[b], x->influence->nodes.at[i]);
    }
}

/* d is in b's influence. */
static bool check_pair(struct checker *x, uint32_t b, uint32_t d)
{
    bool around = bitset_has(x->again, b) && bitset_has(x->again, d);
    if (around && bitset_has(x->influences[d], b))
        return FAIL(x, d, "word %u: lanes leave a cycle here and at word %u, apart", d, b);
    uint32_t own_b = x->code->ins[b].rpc, own_d = x->code->ins[d].rpc;
    if (own_d > own_b && x->code->flow.at[d].reconverge != WC_NO_NODE && in_one_row(x, own_b, own_d))
        return FAIL(x, d, "word %u: its converge stands behind that of word %u, around it", d, b);
    return true;
}

static bool check_influence(struct checker *x, uint32_t b)
{
    if (bitset_has(x->again, b) && (uint32_t)x->code->ins[b].imm != x->code->ins[b].rpc)
        return FAIL(x, b,
                    "word %u: it can run again before its lanes have reconverged, so its target has to be "
                    "its converge",
                    b);
    for (uint32_t i = 0; i < x->influence->nodes.count; i++) {
        uint32_t d = x->influence->nodes.at[i];
        if (d != b && diverges(x, d) && !check_pair(x, b, d))
            return false;
    }
    return true;
}

static bool check_nesting(struct checker *x)
{
    find_again(x);
    bitset_each(b, x->code->reached) {
        if (!diverges(x, b))
            continue;
        wc_influence_of(x->code->arena, x->influence, &x->code->flow, b, x->code->flow.at[b].reconverge);
        if (!check_influence(x, b))
            return false;
    }
    return true;
}

/* ---- frontier ---------------------------------------------------------------------------------------- */

static bool check_callr(struct checker *x)
{
    bitset_each(b, x->code->reached)
        if (x->code->ins[b].op == WC_callr)
            return FAIL(x, b, "word %u: callr, in mode frontier", b);
    return true;
}

static uint32_t highest_word(const struct wc_extent *f)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < f->words.count; i++)
        most = f->words.at[i] > most ? f->words.at[i] : most;
    return most;
}

static bool check_calls(struct checker *x)
{
    uint32_t *highest = arena_array(x->code->arena, uint32_t, x->code->functions.count);
    for (uint32_t i = 0; i < x->code->functions.count; i++)
        highest[i] = highest_word(&x->code->functions.at[i]);
    for (uint32_t i = 0; i < x->code->functions.count; i++) {
        const struct wc_extent *f = &x->code->functions.at[i];
        uint32_t called = 0, lowest = f->entry;
        for (uint32_t k = 0; k < f->words.count; k++) {
            uint32_t at = f->words.at[k];
            const struct wc_ins *ins = &x->code->ins[at];
            lowest = at < lowest ? at : lowest;
            if (ins->op == WC_call && highest[x->code->function_at[ins->imm] - 1] >= called)
                called = highest[x->code->function_at[ins->imm] - 1] + 1;
        }
        if (called > lowest)
            return FAIL(x, lowest, "word %u: the function has a callee with words up to %u, above it", lowest,
                        called - 1);
    }
    return true;
}

/* Nodes from which the word is reached. */
static struct bitset leading_to(struct checker *x, uint32_t word)
{
    struct bitset leads = bitset_new(x->code->arena, x->code->flow.count);
    bitset_add(leads, word);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t n = x->code->flow.count; n-- > 0;) {
            const struct wc_node *node = &x->code->flow.at[n];
            for (uint32_t e = 0; e < node->count && !bitset_has(leads, n); e++)
                if (bitset_has(leads, node->next[e])) {
                    bitset_add(leads, n);
                    changed = true;
                }
        }
    }
    return leads;
}

static bool check_ret(struct checker *x, const struct wc_frontier *frontier, uint32_t ret)
{
    if (wc_frontier_first(frontier, ret) == WC_NO_NODE)
        return true;
    struct bitset leads = leading_to(x, ret);
    bitset_each(p, frontier->at[ret])
        if (bitset_has(leads, frontier->places.at[p]))
            return FAIL(x, ret, "word %u: lanes return while others may wait at word %u", ret,
                        frontier->places.at[p]);
    return true;
}

static bool check_lowest(struct checker *x)
{
    const struct wc_frontier *frontier = wc_frontier_new(x->code->arena, &x->code->flow, WC_MAX_STACK_STEPS);
    if (!frontier)
        return FAIL(x, WC_NO_WORD, "where lanes wait takes over %u steps to find", WC_MAX_STACK_STEPS);
    bitset_each(at, x->code->reached) {
        uint32_t first = wc_frontier_first(frontier, at);
        if (first <= at && !is_converge(x, at))
            return FAIL(x, at, "word %u: no converge, and others may wait at word %u", at, first);
        if (x->code->ins[at].op == WC_ret && !check_ret(x, frontier, at))
            return false;
    }
    return true;
}

bool wc_verify_divergence(struct wc_verifier *v)
{
    struct checker x = {.v = v, .code = wc_image_flow_new(&v->arena, v->m, v->ins)};
    if (!x.code)
        return FAIL(&x, WC_NO_WORD, "functions share over %u words of code", WC_OVERLAP_LIMIT);
    x.influence = wc_influence_new(&v->arena, &x.code->flow);
    if (v->m->mode == WC_MODE_ARTICLE)
        return check_functions(&x);
    if (v->m->mode == WC_MODE_FRONTIER)
        return check_callr(&x) && check_calls(&x) && check_lowest(&x) && check_functions(&x);
    return check_reconvergence_points(&x) &&
           (v->m->mode == WC_MODE_RPC || (check_converges(&x) && check_nesting(&x))) && check_functions(&x);
}
