/* share_sites.c: call sites of one function: which can become one, at what price, and how.
 *
 *   a: x = f(p); …          a: br shared(p, 0)         shared(arg, from): r = f(arg); switch from → a', b'
 *   b: y = f(q); …          b: br shared(q, 1)         a': x = r; …     b': y = r; …
 *
 * No thread's path changes but for the block, and no new cycle comes into being: no site leads to another one
 * within an iteration of the cycle that is the innermost one of all. What a thread uses behind the call may be
 * what its own way to it made; such values go through parameters of the block (opt/kit/demote.h).
 *
 * Must not: tokens can't be parameters, so none that is made on one way may be used behind its call. A region
 * that reaches behind one call reaches to the others then, and regions must nest. Threads would wait at the
 * block for others that wait at a barrier, or spin, until they come on. The callee's own convergent operations
 * would be executed by others than the tokens say.
 */
#include "opt/calls/share_calls.h"
#include "opt/kit/demote.h"

/* ---- how the sites lie ------------------------------------------------------------------------------- */

static bool branch_parts(const struct share_sites *s, const struct share_site *a, const struct share_site *b,
                         uint32_t branch, uint32_t header)
{
    const struct ir_block *block = ir_block_at(s->f, branch);
    uint32_t to_a = 0, to_b = 0, to_both = 0;
    for (uint32_t e = 0; e < block->edges.count; e++) {
        uint32_t to = block->edges.at[e].block;
        bool leads_a = to != header && bitset_has(a->reach, to);
        bool leads_b = to != header && bitset_has(b->reach, to);
        to_a += leads_a;
        to_b += leads_b;
        to_both += leads_a && leads_b;
    }
    return to_a && to_b && to_a + to_b - to_both > 1;
}

bool share_parted(const struct share_sites *s, uint32_t a, uint32_t b)
{
    const struct share_site *x = &s->at.at[a], *y = &s->at.at[b];
    const struct ir_cycles *cycles = opt_cycles(s->c, s->f);
    uint32_t cycle = cycles->innermost[x->block];
    if (cycle != cycles->innermost[y->block] || bitset_has(x->reach, y->block) ||
        bitset_has(y->reach, x->block))
        return false;
    uint32_t header = cycle == IR_NO_CYCLE ? IR_NO_BLOCK : cycles->at[cycle].header;
    bitset_each(branch, opt_uniformity(s->c, s->f)->branches)
        if (bitset_has(x->reach, branch) && bitset_has(y->reach, branch) &&
            branch_parts(s, x, y, branch, header))
            return true;
    return false;
}

/* ---- what is in the way ------------------------------------------------------------------------------ */

struct refusal {
    const struct share_sites *s;
    const struct share_group *g;
    const struct ir_dominators *dominators;
    struct bitset sites, before; /* blocks: of the calls; that lead to one of them */
    struct bitset calls, behind; /* instructions: the calls; what follows one in its block */
    struct bitset part;          /* blocks that dominate some of the sites */
    struct bitset moved;
    uint32_t count;
    bool token;
};

static const struct share_site *site_of(const struct refusal *x, uint32_t i)
{
    return &x->s->at.at[x->g->sites.at[i]];
}

static struct refusal look_at(const struct share_sites *s, const struct share_group *g)
{
    struct arena *a = s->c->scratch;
    struct refusal x = {.s = s, .g = g, .dominators = opt_dominators(s->c, s->f)};
    x.sites = bitset_new(a, s->f->blocks.count);
    x.before = bitset_new(a, s->f->blocks.count);
    x.calls = bitset_new(a, s->f->ins.count);
    x.behind = bitset_new(a, s->f->ins.count);
    x.moved = bitset_new(a, s->f->ins.count);
    for (uint32_t i = 0; i < g->sites.count; i++) {
        bitset_add(x.sites, site_of(&x, i)->block);
        bitset_union(x.before, site_of(&x, i)->reach);
        bitset_add(x.calls, site_of(&x, i)->call);
        for (ir_ref r = ir_at(s->f, site_of(&x, i)->call)->next; r; r = ir_at(s->f, r)->next)
            bitset_add(x.behind, r);
    }
    x.part = ir_dominate_part(a, x.dominators, x.sites);
    return x;
}

/* Whether it waits for threads that are not in its group, or may call what does. */
static bool may_wait(const struct ir_function *f, ir_ref r)
{
    enum ir_op op = ir_at(f, r)->op;
    return op == IR_barrier || ((op == IR_call || op == IR_icall) && ir_is_convergent(f, r));
}

/* Whether threads of the block come to some of the calls by paths that others do not take: it stands between
 * the last block that all have passed and a call, or in a cycle around that block which no call is in. */
static bool is_between(const struct refusal *x, uint32_t last, uint32_t b)
{
    const struct ir_cycles *cycles = opt_cycles(x->s->c, x->s->f);
    return ir_dominates(x->dominators, last, b) &&
           (b != last || cycles->innermost[b] != cycles->innermost[site_of(x, 0)->block]);
}

static const char *waits(const struct refusal *x)
{
    const struct ir_cycles *cycles = opt_cycles(x->s->c, x->s->f);
    uint32_t home = site_of(x, 0)->block, last = home;
    for (uint32_t i = 1; i < x->g->sites.count; i++)
        last = ir_dominators_common(x->dominators, last, site_of(x, i)->block);
    bitset_each(b, x->before) {
        if (!is_between(x, last, b))
            continue;
        ir_each_ins(r, x->s->f, b) {
            enum ir_op op = ir_at(x->s->f, r)->op;
            if (may_wait(x->s->f, r) && !bitset_has(x->behind, r))
                return "barrier";
            if (cycles->innermost[b] != cycles->innermost[home] && op >= IR_atomic_add && op <= IR_atomic_cas)
                return "spin";
        }
    }
    return NULL;
}

static void note_use(struct refusal *x, ir_ref r)
{
    uint32_t home = r ? ir_at(x->s->f, r)->block : IR_NO_BLOCK;
    if (home == IR_NO_BLOCK || bitset_has(x->calls, r) || bitset_has(x->behind, r) ||
        bitset_has(x->moved, r) || !bitset_has(x->part, home))
        return;
    bitset_add(x->moved, r);
    x->token |= ir_at(x->s->f, r)->type == IR_TYPE_TOKEN;
    x->count++;
}

/* What stands behind the calls and uses what was made before them, on one of the paths. */
static void find_moved(struct refusal *x)
{
    const struct ir_function *f = x->s->f;
    ir_each_block(i, b, f) {
        if (bitset_has(x->before, b) && !bitset_has(x->sites, b))
            continue;
        ir_each_ins(r, f, b) {
            if (bitset_has(x->sites, b) && !bitset_has(x->behind, r))
                continue;
            for (uint32_t k = 0; k < ir_at(f, r)->argc; k++)
                note_use(x, ir_at(f, r)->args[k]);
            note_use(x, ir_at(f, r)->token);
        }
        const struct ir_block *block = ir_block_at(f, b);
        for (uint32_t e = 0; e < block->edges.count; e++)
            for (uint32_t k = 0; k < block->edges.at[e].argc; k++)
                note_use(x, block->edges.at[e].args[k]);
    }
}

/* Whether some way to a call uses a token that is made before the definition `def`, behind it and outside of
 * its region. */
static bool uses_earlier(const struct refusal *x, const struct ir_tokens *t, const struct ir_token_region *g)
{
    uint32_t home = ir_at(x->s->f, g->def)->block;
    bitset_each(b, x->before) {
        if (!ir_dominates(x->dominators, home, b))
            continue;
        for (uint32_t u = t->user_start[b]; u < t->user_start[b + 1]; u++) {
            ir_ref user = t->users[u];
            if (!bitset_has(x->behind, user) && !ir_token_region_has(g, t, user) &&
                ir_token_dominates(t, x->dominators, ir_at(x->s->f, user)->token, g->def))
                return true;
        }
    }
    return false;
}

/* Whether regions would nest no more: one that has some of the calls would reach to the others, and have the
 * use of a token there without its definition. */
static bool breaks_nesting(const struct refusal *x)
{
    const struct ir_tokens *t = opt_tokens(x->s->c, x->s->f);
    for (uint32_t i = 0; i < t->defs.count; i++) {
        uint32_t in = 0;
        struct scratch scratch;
        const struct ir_token_region *g = ir_token_region_new(scratch_begin(&scratch), t, t->defs.at[i]);
        for (uint32_t k = 0; k < x->g->sites.count; k++)
            in += ir_token_region_has(g, t, site_of(x, k)->call);
        bool breaks = in && in < x->g->sites.count && uses_earlier(x, t, g);
        scratch_end(&scratch);
        if (breaks)
            return true;
    }
    return false;
}

/* The argument that all calls have at this place; 0: they differ. */
static ir_ref common_argument(const struct share_sites *s, const struct share_group *g, uint32_t k)
{
    ir_ref first = ir_at(s->f, s->at.at[g->sites.at[0]].call)->args[k];
    for (uint32_t i = 1; i < g->sites.count; i++)
        if (ir_at(s->f, s->at.at[g->sites.at[i]].call)->args[k] != first)
            return 0;
    return first;
}

/* Without sharing each group of lanes pays for the callee. Often only some of the sites are passed, and shared
 * for nothing: so it has to save a multiple of its price. */
static bool pays(const struct share_sites *s, struct share_group *g, uint64_t cycles)
{
    uint64_t values = 1 + g->moved;
    uint32_t argc = ir_at(s->f, s->at.at[g->sites.at[0]].call)->argc;
    for (uint32_t k = 0; k < argc; k++)
        values += common_argument(s, g, k) == 0;
    g->saved = (g->sites.count - 1) * cycles;
    return g->saved >= opt_option(s->c, OPT_OPTION_share_gain) * share_price(g->sites.count, values);
}

const char *share_refused(const struct share_sites *s, struct share_group *g, uint64_t cycles)
{
    if (ir_is_convergent(s->f, s->at.at[g->sites.at[0]].call))
        return "convergent";
    struct refusal x = look_at(s, g);
    const char *id = waits(&x);
    if (id)
        return id;
    find_moved(&x);
    if (x.token)
        return "token";
    if (breaks_nesting(&x))
        return "nesting";
    g->moved = x.count;
    return pays(s, g, cycles) ? NULL : "cost";
}

/* ---- one call of many -------------------------------------------------------------------------------- */

struct sharing {
    struct share_sites *s;
    const struct share_group *g;
    struct ir_function *f;
    uint32_t block; /* the shared one */
    u32_vec rest;   /* by site: the block behind its call */
    ir_ref from;    /* the selector */
};

static struct ir_ins call_of(const struct sharing *x, uint32_t i)
{
    return *ir_at(x->f, x->s->at.at[x->g->sites.at[i]].call);
}

/* Of two, true is the first. */
static ir_ref selector_value(const struct sharing *x, uint32_t i)
{
    return x->g->sites.count == 2 ? ir_const_i1(x->f, i == 0) : ir_const_i32(x->f, i);
}

static ir_ref make_call(struct sharing *x, struct ir_cursor *c)
{
    struct ir_ins first = call_of(x, 0);
    ir_ref *args = arena_array(x->s->c->scratch, ir_ref, first.argc + 1);
    for (uint32_t k = 0; k < first.argc; k++) {
        args[k] = common_argument(x->s, x->g, k);
        if (args[k])
            continue;
        args[k] = ir_param_new(x->f, x->block, (enum ir_type)ir_at(x->f, first.args[k])->type, "arg");
        for (uint32_t i = 0; i < x->g->sites.count; i++) {
            struct ir_ins call = call_of(x, i);
            uint32_t b = x->s->at.at[x->g->sites.at[i]].block;
            ir_edge_arg(x->f, &ir_block_at(x->f, b)->edges.at[0], call.args[k]);
        }
    }
    ir_ref r = ir_emit(c, IR_call, (enum ir_type)first.type, first.argc, args);
    ir_at(x->f, r)->imm = first.imm;
    ir_at(x->f, r)->name = first.name;
    return r;
}

static void emit_branch(struct sharing *x, struct ir_cursor *c)
{
    if (x->rest.count == 2)
        ir_emit_brif(c, x->from, x->rest.at[0], x->rest.at[1]);
    else
        ir_emit_switch(c, x->from, x->rest.at[0]);
    for (uint32_t i = 1; x->rest.count > 2 && i < x->rest.count; i++)
        ir_edge_add(x->f, x->block, x->rest.at[i], i);
    ir_block_at(x->f, x->block)->overhead = true;
}

void share_group(struct share_sites *s, const struct share_group *g)
{
    struct sharing x = {.s = s, .g = g, .f = s->f, .block = ir_block_new(s->f, "shared")};
    struct ir_cursor c = {.fn = s->f, .block = x.block, .at = call_of(&x, 0).at};
    struct opt_renaming renaming = {.arena = s->c->scratch};
    struct opt_demotion demotion = {.c = s->c, .f = s->f};
    x.from = ir_param_new(s->f, x.block, g->sites.count == 2 ? IR_TYPE_I1 : IR_TYPE_I32, "from");
    for (uint32_t i = 0; i < g->sites.count; i++) {
        const struct share_site *site = &s->at.at[g->sites.at[i]];
        vec_push(s->c->scratch, &x.rest, ir_block_split(s->f, site->block, site->call, "behind"));
        struct ir_cursor to = {.fn = s->f, .block = site->block, .at = call_of(&x, i).at};
        ir_emit_br(&to, x.block);
        ir_edge_arg(s->f, &ir_block_at(s->f, site->block)->edges.at[0], selector_value(&x, i));
    }
    ir_ref r = make_call(&x, &c);
    emit_branch(&x, &c);
    for (uint32_t i = 0; i < g->sites.count; i++)
        opt_rename(&renaming, s->f, s->at.at[g->sites.at[i]].call, r);
    opt_rename_all(&renaming, s->f);
    for (uint32_t i = 0; i < g->sites.count; i++)
        ir_remove(s->f, s->at.at[g->sites.at[i]].call);
    opt_demote_broken(&demotion);
    opt_demote_finish(&demotion);
}
