/* structurize_branches.c: branches whose sides share blocks before they reconverge: each side gets copies of
 * them, or all go to them through one block (structurize.c says when).
 */
#include "opt/reconverge/structurize.h"

static void follow(struct structurize *s, uint32_t from, uint32_t side, uint32_t reconverge)
{
    struct sides *x = &s->sides;
    u32_vec work = {0};
    vec_push(s->cut.arena, &work, from);
    while (work.count) {
        uint32_t b = vec_pop(&work);
        if (b == reconverge || !opt_returns(&s->cut, b) || bitset_has(x->shared, b) ||
            x->first[b] == side + 1)
            continue;
        if (x->first[b] == 0) {
            x->first[b] = side + 1;
            bitset_add(x->all, b);
            vec_push(s->cut.arena, &x->blocks, b);
        } else {
            bitset_add(x->shared, b);
            x->shared_count++;
        }
        const struct ir_block *block = ir_block_at(s->cut.f, b);
        for (uint32_t e = 0; e < block->edges.count; e++)
            vec_push(s->cut.arena, &work, block->edges.at[e].block);
    }
}

static void start_sides(struct structurize *s)
{
    uint32_t n = s->cut.g->blocks;
    s->sides = (struct sides){.first = arena_array(s->cut.arena, uint32_t, n),
                              .shared = bitset_new(s->cut.arena, n),
                              .all = bitset_new(s->cut.arena, n)};
}

static void clear_sides(struct sides *x)
{
    for (uint32_t i = 0; i < x->blocks.count; i++) {
        x->first[x->blocks.at[i]] = 0;
        bitset_remove(x->shared, x->blocks.at[i]);
        bitset_remove(x->all, x->blocks.at[i]);
    }
    x->shared_count = 0;
    vec_clear(&x->blocks);
}

/* The branch's first edge to the target of its edge e. */
static uint32_t side_of(const struct structurize *s, uint32_t branch, uint32_t e)
{
    const struct ir_block *b = ir_block_at(s->cut.f, branch);
    uint32_t k = 0;
    while (b->edges.at[k].block != b->edges.at[e].block)
        k++;
    return k;
}

static void find_sides(struct structurize *s, uint32_t branch)
{
    const struct ir_block *b = ir_block_at(s->cut.f, branch);
    clear_sides(&s->sides);
    for (uint32_t e = 0; e < b->edges.count; e++)
        if (side_of(s, branch, e) == e)
            follow(s, b->edges.at[e].block, e, s->cut.reconvergence->idom[branch]);
}

/* The first side whose own blocks lead to shared ones. */
static uint32_t find_keeper(const struct structurize *s)
{
    const struct sides *x = &s->sides;
    uint32_t keeper = UINT32_MAX;
    for (uint32_t i = 0; i < x->blocks.count; i++) {
        const struct ir_block *b = ir_block_at(s->cut.f, x->blocks.at[i]);
        uint32_t side = x->first[x->blocks.at[i]] - 1;
        if (bitset_has(x->shared, x->blocks.at[i]) || side >= keeper)
            continue;
        for (uint32_t e = 0; e < b->edges.count; e++)
            if (bitset_has(x->shared, b->edges.at[e].block))
                keeper = side;
    }
    return keeper;
}

/* The keeper keeps the shared blocks; edges to them from other sides' own blocks and from the branch go to
 * copies. Of more than two sides the others are left for the next round. */
static void copy_forward(struct structurize *s, uint32_t branch)
{
    const struct sides *x = &s->sides;
    struct ir_function *f = s->cut.f;
    uint32_t keeper = find_keeper(s);
    opt_structurize_copy(s, x->shared);
    vec_push(s->cut.arena, &s->sides.blocks, branch);
    for (uint32_t i = 0; i < x->blocks.count; i++) {
        uint32_t b = x->blocks.at[i];
        for (uint32_t e = 0; e < ir_block_at(f, b)->edges.count && !bitset_has(x->shared, b); e++) {
            struct ir_edge *edge = &ir_block_at(f, b)->edges.at[e];
            uint32_t side = b == branch ? side_of(s, b, e) : x->first[b] - 1;
            if (side != keeper && bitset_has(x->shared, edge->block))
                edge->block = s->clone.block[edge->block];
        }
    }
    opt_structurize_repair(s);
    opt_count(s->cut.c, "forward copies", 1);
}

/* Blocks between the branch and the first shared one. */
static struct bitset blocks_between(const struct structurize *s, uint32_t shared)
{
    const struct sides *x = &s->sides;
    struct walk w = walk_new(s->cut.arena, s->cut.g->blocks);
    walk_add(&w, shared);
    walk_each(b, &w)
        ir_each_pred(p, b, s->cut.g)
            if (bitset_has(x->all, p) && !bitset_has(x->shared, p))
                walk_add(&w, p);
    bitset_remove(w.seen, shared);
    return w.seen;
}

static bool is_used_outside(struct structurize *s, ir_ref token, struct bitset set)
{
    const struct ir_token_region *g = ir_token_region_new(s->cut.arena, s->cut.tokens, token);
    for (uint32_t i = 0; i < g->blocks.count; i++)
        if (!bitset_has(set, g->blocks.at[i]))
            return true;
    return false;
}

static bool leads_on(const struct structurize *s, const struct ir_token_region *g, uint32_t b,
                     struct bitset set)
{
    const struct ir_block *block = ir_block_at(s->cut.f, b);
    uint32_t home = ir_at(s->cut.f, g->def)->block;
    for (uint32_t e = 0; e < block->edges.count; e++) {
        uint32_t to = block->edges.at[e].block;
        if (to != home && !bitset_has(set, to) && map_get(&g->at, to) != MAP_NONE)
            return true;
    }
    return false;
}

/* Whether one of the exits of the branch and the set leads on inside the token's region. */
static bool is_used_behind(const struct structurize *s, const struct ir_token_region *g, uint32_t branch,
                           struct bitset set)
{
    bool used = leads_on(s, g, branch, set);
    bitset_each(b, set)
        used |= leads_on(s, g, b, set);
    return used;
}

/* The set, and the blocks that lead into it past neither block `home` nor the branch. */
static struct bitset leading_in(const struct structurize *s, uint32_t home, uint32_t branch,
                                struct bitset set)
{
    struct bitset in = bitset_new(s->cut.arena, s->cut.g->blocks);
    bitset_copy(in, set);
    struct walk w = walk_from(s->cut.arena, in);
    walk_each(b, &w)
        if (b != home && b != branch)
            ir_add_predecessors(&w, s->cut.g, b, IR_NO_BLOCK);
    bitset_remove(in, home);
    bitset_remove(in, branch);
    return in;
}

/* Behind the cut a region lies on all paths: whether it would take in a use of a token that is defined before
 * its own. Then the use is outside of the region now. */
static bool takes_in_a_use(struct structurize *s, ir_ref token, uint32_t branch, struct bitset set)
{
    const struct ir_tokens *t = s->cut.tokens;
    const struct ir_token_region *g = ir_token_region_new(s->cut.arena, t, token);
    if (!is_used_behind(s, g, branch, set))
        return false;
    struct bitset in = leading_in(s, ir_at(s->cut.f, token)->block, branch, set);
    bitset_each(b, in)
        for (uint32_t u = t->user_start[b]; u < t->user_start[b + 1]; u++)
            if (ir_token_dominates(t, s->cut.dominators, ir_at(s->cut.f, t->users[u])->token, token))
                return true;
    return false;
}

/* Whether a token could be used behind the cut without being defined on all paths to it, or regions would no
 * longer nest. */
static bool parts_tokens(struct structurize *s, uint32_t branch, struct bitset set)
{
    if (!s->cut.tokens->defs.count)
        return false;
    struct bitset part = ir_dominate_part(s->cut.arena, s->cut.dominators, set);
    for (uint32_t i = 0; i < s->cut.tokens->defs.count; i++) {
        ir_ref token = s->cut.tokens->defs.at[i];
        uint32_t home = ir_at(s->cut.f, token)->block;
        if (bitset_has(set, home) ? is_used_outside(s, token, set)
                                  : bitset_has(part, home) || takes_in_a_use(s, token, branch, set))
            return true;
    }
    return false;
}

static uint32_t first_shared(const struct structurize *s)
{
    uint32_t i = 0;
    while (!bitset_has(s->sides.shared, s->cut.g->rpo[i]))
        i++;
    return s->cut.g->rpo[i];
}

/* NULL, or what is in the way. */
static const char *cut_before(struct structurize *s, uint32_t branch)
{
    struct bitset set = blocks_between(s, first_shared(s));
    if (parts_tokens(s, branch, set))
        return "its token can't be led through a cut";
    bitset_add(set, branch);
    opt_edges out = opt_cut_edges_out(&s->cut, set);
    opt_cut_lead_on(&s->cut, &out, branch, ir_at(s->cut.f, ir_terminator(s->cut.f, branch))->at);
    opt_structurize_repair(s);
    opt_count(s->cut.c, "cuts", 1);
    return NULL;
}

static void decline(struct structurize *s, uint32_t branch, const char *why)
{
    map_set(s->cut.c->scratch, &s->declined, branch, 1);
    opt_remark(s->cut.c, s->cut.f, OPT_MISSED, "unstructured",
               ir_at(s->cut.f, ir_terminator(s->cut.f, branch))->at,
               "sides of a branch still share blocks: a convergent operation may not be copied, and %s", why);
}

/* A loop's exit branch leads back to itself: its sides do not reconverge before it is left. */
static bool is_helped(struct structurize *s, uint32_t branch)
{
    if (ir_block_at(s->cut.f, branch)->edges.count < 2 || !opt_returns(&s->cut, branch) ||
        map_get(&s->declined, branch) != MAP_NONE)
        return false;
    find_sides(s, branch);
    if (bitset_has(s->sides.all, branch) || s->sides.shared_count == 0)
        return false;
    if (opt_structurize_may_copy(s, s->sides.shared))
        copy_forward(s, branch);
    else {
        const char *obstacle = cut_before(s, branch);
        if (obstacle)
            decline(s, branch, obstacle);
    }
    return true;
}

bool opt_structurize_branch(struct structurize *s)
{
    start_sides(s);
    for (uint32_t i = s->cut.g->rpo_count; i-- > 0;)
        if (is_helped(s, s->cut.g->rpo[i]))
            return true;
    return false;
}
