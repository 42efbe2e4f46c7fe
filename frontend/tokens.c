/* tokens.c: convergence tokens from the source's nesting.
 *
 * Where the author names no tokens, each loop statement that has a convergent operation somewhere inside its
 * text gets a heart, whose operand is the heart of the loop around it, or the function's entry; each
 * operation belongs to the innermost loop that encloses it in the text. So an operation before a `break`
 * communicates among the threads that leave in that iteration (the document's extended cycles).
 *
 * Cycles made by goto follow the document's procedure ("Inferring Tokens") on the graph, see goto_tokens.c.
 */
#include "frontend/context.h"
#include "frontend/program.h"

static bool is_convergent(const struct fe_program *p, const struct fe_use *u)
{
    switch (u->kind) {
    case FE_USE_CALL: return u->callee->convergent;
    case FE_USE_ICALL: return p->signatures.at[u->signature].convergent;
    default: return true;
    }
}

/* Marks the loop and those around it; stops at one that is marked: then all around it are. */
static void mark_loops(struct fe_function *f, uint32_t loop)
{
    while (!f->loops.at[loop].convergent) {
        f->loops.at[loop].convergent = true;
        loop = f->loops.at[loop].parent;
    }
}

static void check_mixed(struct frontend *fe, const struct fe_function *f, const struct fe_use *u)
{
    if (u->has_token)
        return;
    fe_report(fe, FE_MSG(mixed_tokens), u->where, f->name);
    fe_note(fe, FE_MSG(token_named_here), f->controlled_at);
}

void fe_infer_tokens(struct frontend *fe, struct fe_program *p)
{
    for (uint32_t i = 0; i < p->functions.count; i++) {
        struct fe_function *f = p->functions.at[i];
        for (uint32_t k = 0; k < f->uses.count; k++) {
            const struct fe_use *u = &f->uses.at[k];
            if (!is_convergent(p, u))
                continue;
            mark_loops(f, u->loop);
            if (f->controlled)
                check_mixed(fe, f, u);
        }
    }
}
