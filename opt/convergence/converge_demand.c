/* converge_demand.c: which threads should be together where, and are not: the two demands of converge.c. */
#include "opt/convergence/converge.h"

enum { TRIES_WITH_BARRIERS = 2 };

/* ---- paths ------------------------------------------------------------------------------------------- */

struct bitset opt_converge_before(const struct converge *x, struct demand d)
{
    struct bitset before = bitset_new(x->arena, x->g->blocks);
    u32_vec work = {0};
    vec_push(x->arena, &work, d.target);
    while (work.count) {
        uint32_t b = vec_pop(&work);
        ir_each_pred(p, b, x->g) {
            if (bitset_has(before, p) || bitset_has(x->gathers, p) ||
                (d.cycle != IR_NO_CYCLE && !ir_cycle_has(x->cycles, d.cycle, p)))
                continue;
            bitset_add(before, p);
            if (p != d.stop && p != d.target)
                vec_push(x->arena, &work, p);
        }
    }
    return before;
}

bool opt_converge_leads_there(struct demand d, struct bitset before, uint32_t s)
{
    return s == d.target || (s != d.stop && bitset_has(before, s));
}

/* A search marks what it has seen with its number. */
static uint32_t begin_search(struct converge *x)
{
    vec_clear(&x->list);
    return ++x->searches;
}

/* Ways of threads that diverge are looked at up to this block at the farthest. */
static bool ends_ways(const struct converge *x, uint32_t b, uint32_t stop)
{
    return b == stop || bitset_has(x->gathers, b);
}

/* Puts on the list, breadth first, the blocks that threads come to from the branch by ways that pass neither
 * `avoid` nor `stop`. */
static void list_ahead(struct converge *x, uint32_t branch, uint32_t avoid, uint32_t stop)
{
    uint32_t search = begin_search(x), next = 0;
    for (uint32_t at = branch;; at = x->list.at[next++]) {
        const struct ir_block *b = ir_block_at(x->f, at);
        bool on = at == branch || !ends_ways(x, at, stop);
        for (uint32_t e = 0; e < b->edges.count && on; e++) {
            uint32_t s = b->edges.at[e].block;
            if (s == avoid || x->seen[s] == search)
                continue;
            x->seen[s] = search;
            vec_push(x->arena, &x->list, s);
        }
        x->looked++;
        if (next == x->list.count)
            return;
    }
}

/* Whether threads come from the branch to the header of the demand's cycle, within it and without passing
 * `avoid`, which is not the header. */
static bool leads_round(struct converge *x, struct demand d, uint32_t avoid)
{
    uint32_t search = begin_search(x), next = 0;
    for (uint32_t at = d.branch;; at = x->list.at[next++]) {
        const struct ir_block *b = ir_block_at(x->f, at);
        for (uint32_t e = 0; e < b->edges.count; e++) {
            uint32_t s = b->edges.at[e].block;
            if (s == d.target)
                return true;
            if (s == avoid || x->seen[s] == search || !ir_cycle_has(x->cycles, d.cycle, s) ||
                bitset_has(x->gathers, s))
                continue;
            x->seen[s] = search;
            vec_push(x->arena, &x->list, s);
        }
        x->looked++;
        if (next == x->list.count)
            return false;
    }
}

/* ---- regions ----------------------------------------------------------------------------------------- */

/* A token's region and its order. Ways to a block of it that do not pass the definition stay in it: the
 * definition dominates all its blocks, and a use is reached from them. */
struct region {
    const struct ir_token_region *token;
    u32_vec order; /* its blocks in reverse post-order; x->place: where they stand */
    u32_vec back;  /* beside: the first place that edges from here and farther on
                      lead back to, but for those to the definition's block */
};

static uint32_t leads_back_to(const struct converge *x, const struct region *g, uint32_t b)
{
    const struct ir_block *block = ir_block_at(x->f, b);
    uint32_t first = UINT32_MAX, home = opt_converge_home(x, g->token->def);
    for (uint32_t e = 0; e < block->edges.count; e++) {
        uint32_t s = block->edges.at[e].block;
        if (s != home && x->g->rpo_index[s] <= x->g->rpo_index[b] && map_get(&g->token->at, s) != MAP_NONE &&
            x->place[s] < first)
            first = x->place[s];
    }
    return first;
}

static struct region region_new(struct converge *x, struct arena *a, ir_ref def)
{
    struct region g = {.token = ir_token_region_new(a, x->tokens, def)};
    uint32_t back = UINT32_MAX;
    for (uint32_t i = 0; i < g.token->blocks.count; i++)
        bitset_add(x->inside, x->g->rpo_index[g.token->blocks.at[i]]);
    bitset_each(i, x->inside) {
        x->place[x->g->rpo[i]] = g.order.count;
        vec_push(a, &g.order, x->g->rpo[i]);
    }
    vec_resize(a, &g.back, g.order.count);
    for (uint32_t i = g.order.count; i-- > 0;) {
        uint32_t here = leads_back_to(x, &g, g.order.at[i]);
        back = here < back ? here : back;
        g.back.at[i] = back;
        bitset_remove(x->inside, x->g->rpo_index[g.order.at[i]]);
    }
    for (uint32_t i = 0; i < g.order.count; i++) {
        uint32_t to = g.back.at[i];
        if (to < i && g.back.at[to] < to)
            g.back.at[i] = g.back.at[to]; /* by one edge after the other */
    }
    x->looked += g.order.count;
    return g;
}

/* False: from block b no block of the region up to this place is reached without passing the definition. */
static bool may_come_to(const struct converge *x, const struct region *g, uint32_t b, uint32_t last)
{
    return map_get(&g->token->at, b) != MAP_NONE && (x->place[b] <= last || g->back.at[x->place[b]] <= last);
}

/* ---- sides: ways from different successors ------------------------------------------------------------- */

enum { SIDES_MANY = UINT32_MAX };

/* What lies between a branch and places where its threads may reconverge. */
struct ways {
    uint32_t branch, avoid, stop, cycle; /* ways pass neither of the two, nor leave the cycle */
    const struct region *region;         /* NULL, or: nor leave it ... */
    uint32_t last;                       /* ... for blocks from which none before this place is reached */
};

static bool is_on_way(const struct converge *x, const struct ways *w, uint32_t b)
{
    if (b == w->avoid || (w->cycle != IR_NO_CYCLE && !ir_cycle_has(x->cycles, w->cycle, b)))
        return false;
    return !w->region || may_come_to(x, w->region, b, w->last);
}

/* A way from a successor, or from several, comes to block b. */
static void add_side(struct converge *x, const struct ways *w, uint32_t b, uint32_t side)
{
    if (!is_on_way(x, w, b))
        return;
    if (x->seen[b] != x->searches) {
        x->seen[b] = x->searches;
        x->side[b] = side;
    } else if (x->side[b] == side || x->side[b] == SIDES_MANY) {
        return;
    } else {
        x->side[b] = SIDES_MANY;
    }
    if (!ends_ways(x, b, w->stop))
        vec_push(x->arena, &x->list, b);
}

/* Each block is looked at twice at most: when the first way comes, and when one from another successor does. */
static void find_sides(struct converge *x, const struct ways *w)
{
    begin_search(x);
    const struct ir_block *b = ir_block_at(x->f, w->branch);
    for (uint32_t e = 0; e < b->edges.count; e++)
        add_side(x, w, b->edges.at[e].block, b->edges.at[e].block);
    while (x->list.count) {
        uint32_t at = vec_pop(&x->list);
        b = ir_block_at(x->f, at);
        for (uint32_t e = 0; e < b->edges.count; e++)
            add_side(x, w, b->edges.at[e].block, x->side[at]);
        x->looked++;
    }
}

/* After find_sides: whether different successors lead there. */
static bool has_sides(const struct converge *x, uint32_t b)
{
    return x->seen[b] == x->searches && x->side[b] == SIDES_MANY;
}

/* ---- demands ----------------------------------------------------------------------------------------- */

/* In a cycle that leads to a barrier the operations' demands come before the iterations': behind the blocks
 * that they merge, edges may be leaving that operations hold now, and whoever leaves by these need not come
 * before the iteration's end. */
static bool is_late(const struct converge *x, struct demand d)
{
    return d.target != IR_NO_BLOCK && bitset_has(x->leaving->wait, d.target);
}

/* Whether the threads that diverge at the branch may reconverge anywhere but at its post-dominator. */
static bool reconverges_elsewhere(struct converge *x, uint32_t branch)
{
    uint32_t cycle = x->cycles->innermost[branch], p = x->post->idom[branch];
    if (!opt_converge_asks_joins(x))
        return true;
    const struct ir_joins *j = ir_find_joins(x->joins, branch);
    for (; cycle != IR_NO_CYCLE; cycle = x->cycles->at[cycle].parent)
        if (x->cycles->at[cycle].entries.count > 1)
            return true;
    for (uint32_t i = 0; i < j->joins.count; i++)
        if (j->joins.at[i] != p)
            return true;
    for (uint32_t i = 0; i < j->exits.count; i++)
        if (j->exits.at[i] != p)
            return true;
    return false;
}

/* On warp-core lanes that wait to run one side of a branch are joined there by those that come to it an
 * iteration later: only one side may lead round again. */
static bool waits_at_side(const struct converge *x)
{
    return x->c->options->target == TARGET_warp_core;
}

static bool is_met_at_definition(struct converge *x, struct demand d, const struct region *g)
{
    uint32_t p = x->post->idom[d.branch];
    if (p == opt_converge_home(x, d.def) || p == d.target)
        return true;
    if (p != IR_NO_BLOCK && map_get(&g->token->at, p) != MAP_NONE && !bitset_has(x->gathers, p))
        return !leads_round(x, d, p);
    if (!waits_at_side(x))
        return true;
    find_sides(x, &(struct ways){d.branch, p, d.stop, d.cycle, NULL, 0});
    return !has_sides(x, d.target);
}

static uint32_t tries(const struct converge *x, struct demand d)
{
    uint32_t n = map_get(&x->tried, (uint64_t)d.branch << 32 | d.user);
    return n == MAP_NONE ? 0 : n;
}

void opt_converge_note(struct converge *x, struct demand d)
{
    map_set(x->c->scratch, &x->tried, (uint64_t)d.branch << 32 | d.user, tries(x, d) + 1);
    map_set(x->c->scratch, &x->rounds, d.user, opt_converge_rounds(x, d) + 1);
}

uint32_t opt_converge_rounds(const struct converge *x, struct demand d)
{
    uint32_t n = map_get(&x->rounds, d.user);
    return n == MAP_NONE ? 0 : n;
}

/* Demands of so many cycles inside have the same branch and user. */
static bool was_tried(const struct converge *x, struct demand d, uint32_t inner)
{
    return tries(x, d) >= inner + (bitset_count(x->leaving->part) ? TRIES_WITH_BARRIERS : 1);
}

static struct demand demand_of_use(const struct converge *x, uint32_t branch, ir_ref user)
{
    ir_ref def = ir_at(x->f, user)->token;
    uint32_t target = opt_converge_home(x, user), stop = opt_converge_home(x, def);
    return (struct demand){branch, def, user, target, stop, IR_NO_CYCLE};
}

/* The iteration that ends is that of a cycle with both, at its header. */
static struct demand demand_of_definition(const struct converge *x, uint32_t branch, ir_ref def,
                                          uint32_t cycle)
{
    uint32_t header = cycle == IR_NO_CYCLE ? IR_NO_BLOCK : x->cycles->at[cycle].header;
    return (struct demand){branch, def, def, header, header, cycle};
}

/* Of the cycles with the branch and the definition, the innermost one first: threads come to the definition
 * again through the header of any of them. */
static bool find_of_definition(struct converge *x, const struct region *g, uint32_t branch, bool late,
                               struct demand *d)
{
    ir_ref def = g->token->def;
    uint32_t cycle = ir_cycle_common(x->cycles, branch, opt_converge_home(x, def));
    for (uint32_t inner = 0; cycle != IR_NO_CYCLE; inner++, cycle = x->cycles->at[cycle].parent) {
        *d = demand_of_definition(x, branch, def, cycle);
        if (late == is_late(x, *d) && !was_tried(x, *d, inner) && !is_met_at_definition(x, *d, g))
            return true;
    }
    return false;
}

/* Users of the region's token in the blocks ahead, whose demands may be tried. Into *last: the place in the
 * region of the last of them. */
static u32_vec users_ahead(struct converge *x, const struct region *g, uint32_t branch, uint32_t *last)
{
    u32_vec users = {0};
    for (uint32_t i = 0; i < x->list.count; i++) {
        uint32_t b = x->list.at[i];
        for (uint32_t u = x->tokens->user_start[b]; u < x->tokens->user_start[b + 1]; u++) {
            struct demand d = demand_of_use(x, branch, x->tokens->users[u]);
            if (d.def != g->token->def || d.target == d.stop || was_tried(x, d, 0))
                continue;
            vec_push(x->arena, &users, d.user);
            *last = x->place[b] > *last ? x->place[b] : *last;
        }
    }
    return users;
}

/* Takes off the list of users those that no way around P leads to without passing the definition. */
static void keep_reached(struct converge *x, uint32_t branch, ir_ref def, u32_vec *users)
{
    uint32_t p = x->post->idom[branch], home = opt_converge_home(x, def), kept = 0;
    if (p == IR_NO_BLOCK || x->seen[home] != x->searches)
        return; /* no matter, or none passes the definition */
    list_ahead(x, branch, p, home);
    for (uint32_t i = 0; i < users->count; i++)
        if (x->seen[opt_converge_home(x, users->at[i])] == x->searches)
            users->at[kept++] = users->at[i];
    users->count = kept;
}

/* An operation between the branch and P that threads come to around P, and that they come to from two sides,
 * be it past P. */
static bool find_of_users(struct converge *x, const struct region *g, uint32_t branch, struct demand *d)
{
    uint32_t last = 0;
    list_ahead(x, branch, x->post->idom[branch], IR_NO_BLOCK);
    u32_vec users = users_ahead(x, g, branch, &last);
    keep_reached(x, branch, g->token->def, &users);
    if (users.count == 0)
        return false;
    find_sides(
        x, &(struct ways){branch, IR_NO_BLOCK, opt_converge_home(x, g->token->def), IR_NO_CYCLE, g, last});
    for (uint32_t i = 0; i < users.count; i++) {
        *d = demand_of_use(x, branch, users.at[i]);
        if (has_sides(x, d->target))
            return true;
    }
    return false;
}

/* late: only the demands that operations' come before. */
static bool find_in_branch(struct converge *x, const struct region *g, uint32_t branch, bool late,
                           struct demand *d)
{
    if (ir_at(x->f, g->token->def)->op != IR_entry && find_of_definition(x, g, branch, late, d))
        return true;
    return !late && reconverges_elsewhere(x, branch) && find_of_users(x, g, branch, d);
}

static bool find_in_region(struct converge *x, ir_ref def, bool late, struct demand *d)
{
    struct scratch scratch;
    struct region g = region_new(x, scratch_begin(&scratch), def);
    bool found = false;
    for (uint32_t i = 0; i < g.order.count && !found; i++) {
        uint32_t b = g.order.at[i];
        if (g.token->ends.at[map_get(&g.token->at, b)] != IR_REGION_THROUGH ||
            !bitset_has(x->uniformity->branches, b) || bitset_has(x->joined, b))
            continue;
        found = find_in_branch(x, &g, b, late, d);
        if (!found && opt_converge_is_over(x)) {
            *d = demand_of_definition(x, b, def, IR_NO_CYCLE);
            found = true;
        }
    }
    scratch_end(&scratch);
    return found;
}

static bool find(struct converge *x, bool late, struct demand *d)
{
    for (uint32_t i = x->tokens->defs.count; i-- > 0;)
        if (bitset_has(x->in_use, x->tokens->defs.at[i]) && find_in_region(x, x->tokens->defs.at[i], late, d))
            return true;
    return false;
}

bool opt_converge_find(struct converge *x, struct demand *d)
{
    x->searches = 0;
    x->seen = arena_array(x->arena, uint32_t, x->g->blocks);
    x->side = arena_array(x->arena, uint32_t, x->g->blocks);
    x->place = arena_array(x->arena, uint32_t, x->g->blocks);
    x->inside = bitset_new(x->arena, x->g->rpo_count);
    x->list = (u32_vec){0};
    return find(x, false, d) || find(x, true, d);
}
