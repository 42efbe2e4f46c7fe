/* verify_divergence.c: what the divergence modes ask of code (docs/isa.md, "Divergence"), checked on the
 * words themselves, whoever made them. Unreachable words do not matter.
 *
 *   every mode  a kernel claims no smaller stack than image_flow.h finds
 *   rpc         a branch that names a meeting point names its nearest post-dominator that is no jump, which is
 *               a CONVERGE (so every path to what follows enters there); a function has one RET
 *   source-pc   the same, but the branch names its own CONVERGE, in the row of CONVERGEs that begins there;
 *               each names its branch, innermost first; a branch that can run again before its lanes have met
 *               has this CONVERGE as its target, and is the only such branch of its cycle; a kernel has one
 *               EXIT, which callees do not use
 *   article     nothing more: its rules can't be met
 *
 * Innermost first: d before b if d is in b's influence (flow.h). Time: the sum of the influences, twice.
 */
#include "backend/warpcore/image_flow.h"
#include "backend/warpcore/verify.h"

struct checker {
    struct wc_verifier  *v;
    struct wc_image_flow      *code;
    struct wc_influence *influence;
    struct bitset        again;          /* branches in their own influence: they can run again before their
                                            lanes meet */
    struct bitset       *influences;     /* of those, by word */
};

#define FAIL(x, word, ...) ((x)->v->at = (word), wc_verify_fail((x)->v, __VA_ARGS__))

static bool parts(const struct checker *x, uint32_t word)
{
    return x->code->flow.at[word].parts;
}

static bool is_converge(const struct checker *x, uint32_t word)
{
    return x->code->ins[word].op == WC_converge;
}

/* ---- functions ----------------------------------------------------------------------------------------- */

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

/* ---- meeting points ------------------------------------------------------------------------------------ */

static bool check_rpc(struct checker *x, uint32_t b, uint32_t meet)
{
    uint32_t named = x->code->ins[b].rpc;
    if (named != meet)
        return FAIL(x, b, "word %u: its lanes meet at word %u, and it names word %u", b, meet, named);
    return is_converge(x, meet) ||
           FAIL(x, b, "word %u: its lanes meet at word %u, which is no converge", b, meet);
}

static bool check_source_pc(struct checker *x, uint32_t b, uint32_t meet)
{
    uint32_t own = x->code->ins[b].rpc, at = meet;
    if (!is_converge(x, own) || (uint32_t)x->code->ins[own].imm != b)
        return FAIL(x, b, "word %u: word %u, which it names, is no converge that names it", b, own);
    while (at != own && is_converge(x, at) && at + 1 < x->code->flow.count)
        at++;
    return at == own ||
           FAIL(x, b,
                "word %u: its converge at word %u is not among those that begin at word %u, "
                "where its lanes meet",
                b, own, meet);
}

static bool check_meets(struct checker *x)
{
    for bitset_each (b, x->code->reached) {
        uint32_t meet = x->code->meets[b];
        if (!parts(x, b))
            continue;
        if (meet == WC_NO_NODE && x->code->ins[b].rpc == b)
            continue;
        if (meet == WC_NO_NODE)
            return FAIL(x, b, "word %u: its lanes never meet, and it names word %u", b, x->code->ins[b].rpc);
        if (!(x->code->mode == WC_MODE_RPC ? check_rpc(x, b, meet) : check_source_pc(x, b, meet)))
            return false;
    }
    return true;
}

/* ---- source-pc ----------------------------------------------------------------------------------------- */

static bool check_converges(struct checker *x)
{
    for bitset_each (at, x->code->reached) {
        uint32_t b = (uint32_t)x->code->ins[at].imm;
        if (!is_converge(x, at) || b == WC_NONE || !bitset_has(x->code->reached, b))
            continue;
        if (!parts(x, b) || x->code->ins[b].rpc != at)
            return FAIL(x, at, "word %u: converge names word %u, which is no branch that names it", at, b);
    }
    return true;
}

static void find_again(struct checker *x)
{
    const struct wc_flow *g = &x->code->flow;
    x->again = bitset_new(x->code->arena, g->count);
    x->influences = arena_array(x->code->arena, struct bitset, g->count);
    for bitset_each (b, x->code->reached) {
        if (!parts(x, b))
            continue;
        wc_influence_of(x->code->arena, x->influence, g, b, x->code->meets[b]);
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
    if (x->code->meets[d] == x->code->meets[b] && x->code->ins[d].rpc > x->code->ins[b].rpc)
        return FAIL(x, d, "word %u: its converge stands behind that of word %u, around it", d, b);
    return true;
}

static bool check_influence(struct checker *x, uint32_t b)
{
    if (bitset_has(x->again, b) && (uint32_t)x->code->ins[b].imm != x->code->ins[b].rpc)
        return FAIL(
            x, b, "word %u: it can run again before its lanes have met, so its target has to be its converge",
            b);
    for (uint32_t i = 0; i < x->influence->nodes.count; i++) {
        uint32_t d = x->influence->nodes.at[i];
        if (d != b && parts(x, d) && !check_pair(x, b, d))
            return false;
    }
    return true;
}

static bool check_nesting(struct checker *x)
{
    find_again(x);
    for bitset_each (b, x->code->reached) {
        if (!parts(x, b))
            continue;
        wc_influence_of(x->code->arena, x->influence, &x->code->flow, b, x->code->meets[b]);
        if (!check_influence(x, b))
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
    return check_meets(&x) && (v->m->mode == WC_MODE_RPC || (check_converges(&x) && check_nesting(&x))) &&
           check_functions(&x);
}
