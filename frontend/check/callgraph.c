/* callgraph.c: facts that flow along calls: recursion, which functions are convergent, which throw; and which
 * loops get a heart, which follows from that.
 *
 * The nodes of the graph are the functions, and behind them one node for each function type through which
 * something is called: it leads to all functions of that type whose address is taken. Both inferences start
 * from what a body itself does and flow from callee to caller over the reversed graph; each is linear.
 *
 * Convergent: a function is if it is written so, or has a convergent operation or call and names no tokens
 * (convergence document, "Inferring non-convergence"); one that names its tokens only if it calls entry().
 * Throws: a function does if a throw, or a call of a function that does, stands outside its try blocks.
 * Functions that are called through a pointer share their type's convention.
 */
#include "base/rows.h"
#include "frontend/check/program.h"
#include "frontend/context.h"

/* `use`: of the caller, UINT32_MAX if the caller is a function type. */
struct caller {
    uint32_t node, use;
};

struct graph {
    struct frontend *fe;
    struct fe_program *p;
    struct arena *arena;
    uint32_t functions, nodes;
    VEC(struct caller) calls;
    struct rows callers; /* by callee: indices of calls */
};

static uint32_t node_of(const struct graph *g, const struct fe_use *u)
{
    return u->kind == FE_USE_CALL ? u->callee->index : g->functions + u->signature;
}

/* ---- the graph --------------------------------------------------------------------------------------- */

static void add_edge(struct graph *g, u32_vec *callees, uint32_t callee, struct caller caller)
{
    vec_push(g->arena, callees, callee);
    vec_push(g->arena, &g->calls, caller);
}

static void build_graph(struct graph *g)
{
    u32_vec callee = {0};
    g->functions = g->p->functions.count;
    g->nodes = g->functions + g->p->types.functions.count;
    for (uint32_t i = 0; i < g->functions; i++) {
        const struct fe_function *f = g->p->functions.at[i];
        for (uint32_t k = 0; k < f->tokens.uses.count; k++)
            if (f->tokens.uses.at[k].kind != FE_USE_CONVERGENT)
                add_edge(g, &callee, node_of(g, &f->tokens.uses.at[k]), ((struct caller){i, k}));
        if (f->address_taken)
            add_edge(g, &callee, i, ((struct caller){g->functions + f->type->signature, UINT32_MAX}));
    }
    g->callers = rows_new(g->arena, g->nodes, callee.at, callee.count);
}

static void collect_signatures(struct graph *g)
{
    struct fe_program *p = g->p;
    for (uint32_t s = 0; s < p->types.functions.count; s++)
        vec_push(p->arena, &p->signatures, ((struct fe_signature){.type = p->types.functions.at[s]}));
    for (uint32_t i = 0; i < p->functions.count; i++) {
        struct fe_function *f = p->functions.at[i];
        if (f->address_taken)
            vec_push(p->arena, &p->signatures.at[f->type->signature].targets, i);
    }
}

/* ---- functions that are only declared ---------------------------------------------------------------- */

static void check_one_defined(struct graph *g, struct bitset said, const struct fe_function *f, span used)
{
    if (!f || f->is_defined || f->is_extern || bitset_has(said, f->index))
        return;
    bitset_add(said, f->index);
    fe_report(g->fe, FE_MSG(undefined_function), used, f->name);
    fe_note(g->fe, FE_MSG(declared_here), f->decl->name_at, f->name);
}

static void check_defined(struct graph *g)
{
    struct bitset said = bitset_new(g->arena, g->functions + 1);
    for (uint32_t i = 0; i < g->functions; i++) {
        const struct fe_function *f = g->p->functions.at[i];
        for (uint32_t k = 0; k < f->tokens.uses.count; k++)
            check_one_defined(g, said, f->tokens.uses.at[k].callee, f->tokens.uses.at[k].where);
        if (f->is_predicted)
            check_one_defined(g, said, f, f->predicted_at);
    }
}

/* ---- recursion: depth-first search with an explicit stack -------------------------------------------- */

enum { UNSEEN, OPEN, DONE };
struct frame {
    uint32_t node, next;
};

/* The next callee of a node from position *next on; false: there are no more. */
static bool next_callee(const struct graph *g, uint32_t node, uint32_t *next, uint32_t *to)
{
    if (node >= g->functions) {
        const u32_vec *targets = &g->p->signatures.at[node - g->functions].targets;
        return *next < targets->count && (*to = targets->at[(*next)++], true);
    }
    const struct fe_function *f = g->p->functions.at[node];
    while (*next < f->tokens.uses.count) {
        const struct fe_use *u = &f->tokens.uses.at[(*next)++];
        if (u->kind != FE_USE_CONVERGENT) {
            *to = node_of(g, u);
            return true;
        }
    }
    return false;
}

static span call_place(const struct graph *g, const struct frame *f)
{
    return g->p->functions.at[f->node]->tokens.uses.at[f->next - 1].where;
}

/* The frames from the one of `node` to the top form a cycle. */
static void report_cycle(struct graph *g, const struct frame *frames, uint32_t count, uint32_t node)
{
    uint32_t first = count - 1;
    if (g->fe->diags->stopped)
        return;
    while (frames[first].node != node)
        first--;
    if (frames[first].node >= g->functions)
        first++; /* the function that the pointer leads to */
    const struct frame *top = &frames[first];
    bool pointers = false;
    for (uint32_t i = first; i < count; i++)
        pointers |= frames[i].node >= g->functions;
    const char *name = g->p->functions.at[top->node]->name;
    if (pointers)
        fe_report(g->fe, FE_MSG(recursion_through_pointer), call_place(g, top), name);
    else
        fe_report(g->fe, FE_MSG(recursion), call_place(g, top), name);
    for (uint32_t i = first + 1; i < count && i < first + 8; i++)
        if (frames[i].node < g->functions)
            fe_note(g->fe, FE_MSG(recursion_step), call_place(g, &frames[i]),
                    g->p->functions.at[frames[i].node]->name);
    for (uint32_t i = first; i < count; i++) {
        const struct fe_function *f =
            frames[i].node < g->functions ? g->p->functions.at[frames[i].node] : NULL;
        if (f && f->is_predicted)
            fe_note(g->fe, FE_MSG(recursion_predicted), f->predicted_at, f->name);
    }
}

static void search(struct graph *g, uint8_t *state, struct frame *frames, uint32_t root)
{
    uint32_t count = 0, to = 0;
    frames[count++] = (struct frame){root, 0};
    state[root] = OPEN;
    while (count) {
        struct frame *top = &frames[count - 1];
        if (!next_callee(g, top->node, &top->next, &to)) {
            state[top->node] = DONE;
            count--;
        } else if (state[to] == OPEN) {
            report_cycle(g, frames, count, to);
            state[to] = DONE; /* one message for a cycle */
        } else if (state[to] == UNSEEN) {
            state[to] = OPEN;
            frames[count++] = (struct frame){to, 0};
        }
    }
}

static void check_recursion(struct graph *g)
{
    uint8_t *state = arena_array(g->arena, uint8_t, g->nodes + 1);
    struct frame *frames = arena_array(g->arena, struct frame, g->nodes + 1);
    for (uint32_t i = 0; i < g->functions; i++)
        if (state[i] == UNSEEN)
            search(g, state, frames, i);
}

/* ---- what flows to callers --------------------------------------------------------------------------- */

static bool makes_convergent(const struct fe_function *caller, const struct fe_use *u)
{
    return !caller->tokens.controlled && u != NULL;
}

static bool makes_throw(const struct fe_function *caller, const struct fe_use *u)
{
    return !u->in_try && !caller->is_kernel;
}

/* Sets the property of `start`'s callers and so on upwards. */
static void flow(struct graph *g, struct bitset has, u32_vec *work,
                 bool (*passes)(const struct fe_function *, const struct fe_use *))
{
    while (work->count) {
        uint32_t node = vec_pop(work);
        rows_each(k, g->callers, node) {
            struct caller by = g->calls.at[g->callers.at[k]];
            uint32_t caller = by.node;
            const struct fe_function *f = caller < g->functions ? g->p->functions.at[caller] : NULL;
            if (bitset_has(has, caller) || (f && !passes(f, &f->tokens.uses.at[by.use])))
                continue;
            bitset_add(has, caller);
            vec_push(g->arena, work, caller);
        }
    }
}

static bool is_convergent_itself(const struct fe_function *f)
{
    if (f->convergent || f->tokens.makes_entry)
        return true;
    for (uint32_t i = 0; i < f->tokens.uses.count && !f->tokens.controlled; i++)
        if (f->tokens.uses.at[i].kind == FE_USE_CONVERGENT)
            return true;
    return false;
}

static void infer_convergent(struct graph *g)
{
    struct bitset has = bitset_new(g->arena, g->nodes + 1);
    u32_vec work = {0};
    for (uint32_t i = 0; i < g->functions; i++)
        if (is_convergent_itself(g->p->functions.at[i])) {
            bitset_add(has, i);
            vec_push(g->arena, &work, i);
        }
    flow(g, has, &work, makes_convergent);
    for (uint32_t i = 0; i < g->functions; i++)
        g->p->functions.at[i]->convergent = bitset_has(has, i);
    for (uint32_t s = 0; s < g->p->signatures.count; s++)
        g->p->signatures.at[s].convergent = bitset_has(has, g->functions + s);
}

static void infer_throws(struct graph *g)
{
    struct bitset has = bitset_new(g->arena, g->nodes + 1);
    u32_vec work = {0};
    for (uint32_t i = 0; i < g->functions; i++)
        if (g->p->functions.at[i]->has_throw && !g->p->functions.at[i]->is_kernel) {
            bitset_add(has, i);
            vec_push(g->arena, &work, i);
        }
    flow(g, has, &work, makes_throw);
    for (uint32_t s = 0; s < g->p->signatures.count; s++)
        g->p->signatures.at[s].throws = bitset_has(has, g->functions + s);
    for (uint32_t i = 0; i < g->functions; i++) {
        struct fe_function *f = g->p->functions.at[i];
        f->throws =
            bitset_has(has, i) || (f->address_taken && g->p->signatures.at[f->type->signature].throws);
    }
}

/* A function that takes over its type's throwing convention passes a flag to its own callers, which stays
 * false unless it throws itself: they need not throw for it. */
void fe_check_calls(struct frontend *fe, struct fe_program *p)
{
    struct graph g = {.fe = fe, .p = p, .arena = p->arena};
    build_graph(&g);
    collect_signatures(&g);
    check_defined(&g);
    check_recursion(&g);
    infer_convergent(&g);
    infer_throws(&g);
}

/* ---- convergence tokens from nesting ----------------------------------------------------------------- */

/* Where the author names no tokens, each loop statement that has a convergent operation somewhere inside its
 * text gets a heart, whose operand is the heart of the loop around it, or the function's entry; each
 * operation belongs to the innermost loop that encloses it in the text. So an operation before a `break`
 * communicates among the threads that leave in that iteration (the document's extended cycles).
 *
 * Cycles made by goto follow the document's procedure ("Inferring Tokens") on the graph, see goto_tokens.c. */

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
    while (!f->tokens.loops.at[loop].convergent) {
        f->tokens.loops.at[loop].convergent = true;
        loop = f->tokens.loops.at[loop].parent;
    }
}

static void check_mixed(struct frontend *fe, const struct fe_function *f, const struct fe_use *u)
{
    if (u->has_token)
        return;
    fe_report(fe, FE_MSG(mixed_tokens), u->where, f->name);
    fe_note(fe, FE_MSG(token_named_here), f->tokens.controlled_at);
}

void fe_infer_tokens(struct frontend *fe, struct fe_program *p)
{
    for (uint32_t i = 0; i < p->functions.count; i++) {
        struct fe_function *f = p->functions.at[i];
        for (uint32_t k = 0; k < f->tokens.uses.count; k++) {
            const struct fe_use *u = &f->tokens.uses.at[k];
            if (!is_convergent(p, u))
                continue;
            mark_loops(f, u->loop);
            if (f->tokens.controlled)
                check_mixed(fe, f, u);
        }
    }
}
