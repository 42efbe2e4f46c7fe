/* order.c: the order of blocks. See order.h; why it is right: docs/reconvergence.md.
 *
 * The forest of scopes begins as the forest of cycles, with one scope more for each block whose anchors' tokens
 * are used elsewhere. Then each scope takes in the regions of the tokens that are defined in it: a block that
 * lies beside, with whatever scope it is in there, moves into it. Moves lead inwards only, so what a scope has
 * it keeps, and each token is looked at once.
 */
#include "ir/converge/order.h"
#include "base/rows.h"

struct sorter {
    struct arena *arena;
    const struct ir_cfg *g;
    const struct ir_function *f;
    struct ir_order *o;
    const struct ir_tokens *tokens;
    struct walk region; /* scratch: over blocks of a token's region */
    uint64_t left;      /* of the work; 0: too much */
    struct rows before; /* of items: what has to stand before, in the same scope */
    uint32_t *waits;    /* by item: how many are still to stand behind it */
    uint64_t *rank;     /* by item: of those that may stand last, the least does */
    heap *ready;        /* by scope: items, by rank */
    struct bitset late; /* items with a barrier */
};

/* An item of a scope is a block, or, from the number of blocks on, a scope. */
static uint32_t item_of_scope(const struct sorter *s, uint32_t scope)
{
    return s->g->blocks + scope;
}

static uint32_t scope_of(const struct sorter *s, uint32_t item)
{
    return item < s->g->blocks ? s->o->scope.at[item] : s->o->around[item - s->g->blocks];
}

bool ir_scope_lies_in(const struct ir_order *o, uint32_t inner, uint32_t outer)
{
    while (inner != outer && inner != o->scopes)
        inner = o->around[inner];
    return inner == outer;
}

uint32_t ir_order_target(const struct ir_order *o, uint32_t u, uint32_t v)
{
    for (uint32_t s = o->scope.at[v]; s != o->scopes && o->first.at[s] == v; s = o->around[s])
        if (s < o->cycles->count && ir_scope_lies_in(o, o->scope.at[u], s))
            return s;
    return ir_order_node(o, v);
}

/* ---- scopes ------------------------------------------------------------------------------------------ */

/* Of definition number i: whether its token is used in other blocks. */
static bool is_used_elsewhere(const struct sorter *s, uint32_t i)
{
    const struct ir_tokens *t = s->tokens;
    for (uint32_t u = t->use_start[i]; u < t->use_start[i + 1]; u++)
        if (ir_at(s->f, t->uses[u])->block != ir_at(s->f, t->defs.at[i])->block)
            return true;
    return false;
}

/* Blocks with an anchor whose token is used elsewhere. */
static u32_vec find_anchors(const struct sorter *s)
{
    u32_vec blocks = {0};
    for (uint32_t i = 0; i < s->tokens->defs.count; i++) {
        const struct ir_ins *def = ir_at(s->f, s->tokens->defs.at[i]);
        bool known = blocks.count && vec_last(&blocks) == def->block; /* tokens stand block by block */
        if (def->op == IR_anchor && !known && is_used_elsewhere(s, i))
            vec_push(s->arena, &blocks, def->block);
    }
    return blocks;
}

static void begin_scopes(struct sorter *s, const u32_vec *anchors)
{
    struct ir_order *o = s->o;
    uint32_t cycles = o->cycles->count;
    o->scopes = cycles + anchors->count;
    o->around = arena_array(o->arena, uint32_t, o->scopes + 1);
    o->depth = arena_array(o->arena, uint32_t, o->scopes + 1);
    vec_resize(o->arena, &o->scope, s->g->blocks);
    vec_resize(o->arena, &o->first, o->scopes + 1);
    o->around[o->scopes] = o->scopes;
    o->first.at[o->scopes] = ir_entry(s->f);
    for (uint32_t b = 0; b < s->g->blocks; b++)
        o->scope.at[b] = o->cycles->innermost[b] == IR_NO_CYCLE ? o->scopes : o->cycles->innermost[b];
    for (uint32_t k = 0; k < cycles; k++) {
        o->around[k] = o->cycles->at[k].parent == IR_NO_CYCLE ? o->scopes : o->cycles->at[k].parent;
        o->first.at[k] = o->cycles->at[k].header;
    }
    for (uint32_t i = 0; i < anchors->count; i++) {
        o->first.at[cycles + i] = anchors->at[i];
        o->around[cycles + i] = o->scope.at[anchors->at[i]];
        o->scope.at[anchors->at[i]] = cycles + i;
    }
}

static void move_into(struct sorter *s, uint32_t scope, uint32_t block)
{
    struct ir_order *o = s->o;
    uint32_t item = block, up;
    while (!ir_scope_lies_in(o, scope, up = scope_of(s, item)) && !ir_scope_lies_in(o, up, scope))
        item = item_of_scope(s, up);
    if (ir_scope_lies_in(o, up, scope))
        return;
    if (item < s->g->blocks)
        o->scope.at[item] = scope;
    else
        o->around[item - s->g->blocks] = scope;
}

/* Where the token is defined, as far as scopes are known: behind a cycle that may be the one of the token
 * that it is made from, which comes before it. */
static uint32_t scope_of_token(const struct sorter *s, ir_ref token)
{
    const struct ir_order *o = s->o;
    uint32_t from = ir_at(s->f, token)->block, scope = o->scope.at[from];
    while (ir_at(s->f, token)->op != IR_anchor && scope >= o->cycles->count && o->first.at[scope] == from &&
           scope != o->scopes)
        scope = o->around[scope]; /* that of an anchor in the same block */
    return scope;
}

/* The blocks between definition number i and its token's uses move into its scope. */
static void take_in_region(struct sorter *s, uint32_t i)
{
    const struct ir_tokens *t = s->tokens;
    uint32_t from = ir_at(s->f, t->defs.at[i])->block, scope = scope_of_token(s, t->defs.at[i]);
    walk_restart(&s->region);
    for (uint32_t u = t->use_start[i]; u < t->use_start[i + 1]; u++) {
        uint32_t to = ir_at(s->f, t->uses[u])->block;
        if (to != from && !ir_scope_lies_in(s->o, s->o->scope.at[to], scope))
            walk_add(&s->region, to);
    }
    walk_each(b, &s->region) {
        if (s->left == 0)
            break;
        s->left--;
        move_into(s, scope, b);
        ir_each_pred(p, b, s->g)
            if (p != from && bitset_has(s->g->reachable, p))
                walk_add(&s->region, p);
    }
}

static void find_depths(struct ir_order *o)
{
    u32_vec path = {0};
    for (uint32_t k = 0; k < o->scopes; k++) {
        for (uint32_t up = k; up != o->scopes && o->depth[up] == 0; up = o->around[up])
            vec_push(o->arena, &path, up);
        while (path.count) {
            uint32_t inner = vec_pop(&path);
            o->depth[inner] = o->depth[o->around[inner]] + 1;
        }
    }
}

/* ---- operations --------------------------------------------------------------------------------------- */

static bool is_at_anchor(const struct ir_function *f, const struct ir_ins *ins)
{
    return ins->token && ir_at(f, ins->token)->op == IR_anchor && ir_at(f, ins->token)->block == ins->block;
}

/* A heart that is in use, or an operation; not one by an anchor of its own block, before which alone threads of
 * its group diverge, unless it is a barrier, where all are together. */
static bool converges(const struct sorter *s, struct bitset in_use, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->f, r);
    if (ins->op == IR_loop)
        return bitset_has(in_use, r);
    return ins->op != IR_anchor && ins->op != IR_entry && ir_is_convergent(s->f, r) &&
           (!is_at_anchor(s->f, ins) || ins->op == IR_barrier);
}

/* Of the item and the scopes that it is in. */
static void mark_late(struct sorter *s, uint32_t item)
{
    while (item != item_of_scope(s, s->o->scopes) && !bitset_has(s->late, item)) {
        bitset_add(s->late, item);
        item = item_of_scope(s, scope_of(s, item));
    }
}

static void mark_demanded(struct ir_order *o, uint32_t block)
{
    for (uint32_t k = o->scope.at[block]; k != o->scopes; k = o->around[k])
        if (k < o->cycles->count)
            bitset_add(o->demanded, k);
}

static void find_operations(struct sorter *s)
{
    struct bitset in_use = s->tokens->defs.count ? ir_tokens_in_use(s->arena, s->f) : (struct bitset){0};
    for (uint32_t i = 0; i < s->g->rpo_count; i++)
        ir_each_ins(r, s->f, s->g->rpo[i]) {
            uint32_t b = s->g->rpo[i];
            if (ir_at(s->f, r)->op == IR_barrier) {
                mark_late(s, b);
                bitset_add(s->o->barriers, b);
            }
            if (!converges(s, in_use, r))
                continue;
            bitset_add(s->o->convergent, b);
            if (!is_at_anchor(s->f, ir_at(s->f, r)))
                mark_demanded(s->o, b); /* a barrier by its own anchor asks nothing of iterations */
        }
}

/* ---- sorting ------------------------------------------------------------------------------------------ */

/* The items of one scope, the innermost that has both blocks, that have them. */
static void items_of_edge(const struct sorter *s, uint32_t *a, uint32_t *b)
{
    const struct ir_order *o = s->o;
    uint32_t k = scope_of(s, *a), l = scope_of(s, *b);
    while (k != l) {
        if (o->depth[k] >= o->depth[l]) {
            *a = item_of_scope(s, k);
            k = o->around[k];
        } else {
            *b = item_of_scope(s, l);
            l = o->around[l];
        }
    }
}

/* ---- ranks -------------------------------------------------------------------------------------------- */

/* By block: how many barriers stand before it on the ways there, the least, and of the barriers that
 * lead to it, the most. Edges to a latch do not count: without them reverse post-order sorts the graph. A
 * scope that has a barrier counts as one for what it leads to. */
struct barrier_counts {
    uint32_t *least, *most;
};

static struct barrier_counts count_barriers(const struct sorter *s)
{
    struct barrier_counts n = {arena_array(s->arena, uint32_t, s->g->blocks),
                               arena_array(s->arena, uint32_t, s->g->blocks)};
    memset(n.least, 0xff, s->g->blocks * sizeof *n.least);
    n.least[ir_entry(s->f)] = 0;
    for (uint32_t i = 0; i < s->g->rpo_count; i++) {
        uint32_t u = s->g->rpo[i];
        ir_each_succ(v, u, s->f) {
            uint32_t a = u, b = v;
            if (ir_order_target(s->o, u, v) < s->o->cycles->count)
                continue;
            items_of_edge(s, &a, &b);
            uint32_t first = a < s->g->blocks ? a : s->o->first.at[a - s->g->blocks];
            bool passes = a != b && bitset_has(s->late, a);
            uint32_t least = passes ? n.least[first] + 1 : n.least[u];
            uint32_t most = passes && least > n.most[u] ? least : n.most[u];
            n.least[v] = least < n.least[v] ? least : n.least[v];
            n.most[v] = most > n.most[v] ? most : n.most[v];
        }
    }
    return n;
}

enum { BARRIER, BEHIND_BARRIER, ORDINARY };
#define MOST_BARRIERS ((1u << 29) - 1)

/* From a scope's end: what comes after most barriers; of that a barrier first, then what one leads to; then by
 * `ties`. So a barrier stands before what it leads to, and behind all else, as far as others and
 * scopes allow. */
static void find_ranks(struct sorter *s, const uint32_t *ties)
{
    struct ir_order *o = s->o;
    struct barrier_counts n = count_barriers(s);
    for (uint32_t item = 0; item < item_of_scope(s, o->scopes); item++) {
        uint32_t b = item < s->g->blocks ? item : o->first.at[item - s->g->blocks];
        if (!bitset_has(s->g->reachable, b))
            continue;
        uint64_t first = o->first.at[scope_of(s, item)] == b;
        uint64_t before = n.least[b] < MOST_BARRIERS ? n.least[b] : MOST_BARRIERS;
        uint64_t class = bitset_has(s->late, item) ? BARRIER
                         : n.most[b] > n.least[b]  ? BEHIND_BARRIER
                                                   : ORDINARY;
        s->rank[item] = first << 63 | (MOST_BARRIERS - before) << 34 | class << 32 | (UINT32_MAX - ties[b]);
    }
}

static void find_edges(struct sorter *s)
{
    struct edge_list edges = {0};
    for (uint32_t i = 0; i < s->g->rpo_count; i++) {
        ir_each_succ(v, s->g->rpo[i], s->f) {
            uint32_t a = s->g->rpo[i], b = v;
            if (ir_order_target(s->o, a, b) < s->o->cycles->count)
                continue;
            items_of_edge(s, &a, &b);
            if (a == b)
                continue;
            edge_add(s->arena, &edges, b, a);
            s->waits[a]++;
        }
    }
    s->before = rows_of_edges(s->arena, item_of_scope(s, s->o->scopes), &edges);
}

static void make_ready(struct sorter *s, uint32_t item)
{
    if (s->waits[item] == 0)
        heap_push(s->arena, &s->ready[scope_of(s, item)], s->rank[item], item);
}

static void open_scope(struct sorter *s, u32_vec *open, uint32_t scope)
{
    vec_push(s->arena, open, scope);
    if (scope < s->o->cycles->count)
        vec_push(s->o->arena, &s->o->at, scope); /* the latch is the last */
}

/* From the end on, so that what is to stand late does. */
static void sort(struct sorter *s)
{
    struct ir_order *o = s->o;
    u32_vec open = {0}; /* scopes, each in the one before */
    for (uint32_t i = 0; i < s->g->rpo_count; i++)
        make_ready(s, s->g->rpo[i]);
    for (uint32_t k = 0; k < o->scopes; k++)
        if (bitset_has(s->g->reachable, o->first.at[k]))
            make_ready(s, item_of_scope(s, k));
    open_scope(s, &open, o->scopes);
    while (open.count) {
        uint32_t k = vec_last(&open);
        if (s->ready[k].count == 0) {
            open.count--;
            continue;
        }
        uint32_t item = heap_pop(&s->ready[k]);
        rows_each(i, s->before, item) {
            s->waits[s->before.at[i]]--;
            make_ready(s, s->before.at[i]);
        }
        if (item < s->g->blocks)
            vec_push(o->arena, &o->at, ir_order_node(o, item));
        else
            open_scope(s, &open, item - s->g->blocks);
    }
    for (uint32_t i = 0, j = o->at.count; i + 1 < j; i++) {
        uint32_t node = o->at.at[i];
        o->at.at[i] = o->at.at[--j];
        o->at.at[j] = node;
    }
}

static void number_nodes(struct ir_order *o, uint32_t blocks)
{
    vec_resize(o->arena, &o->position, o->cycles->count + blocks);
    for (uint32_t i = 0; i < o->at.count; i++)
        o->position.at[o->at.at[i]] = i;
}

struct ir_order *ir_order_new(struct arena *a, const struct ir_cfg *c, const struct ir_cycles *f,
                              const struct ir_tokens *t, const uint32_t *ties, uint64_t work)
{
    struct ir_order *o = arena_new(a, struct ir_order);
    struct sorter s = {.arena = a, .g = c, .f = c->fn, .o = o, .tokens = t, .left = work};
    *o = (struct ir_order){.cycles = f, .arena = a};
    s.region = walk_new(a, c->blocks);
    u32_vec anchors = find_anchors(&s);
    begin_scopes(&s, &anchors);
    for (uint32_t i = 0; i < t->defs.count; i++)
        take_in_region(&s, i);
    if (!s.left)
        return NULL;
    find_depths(o);
    uint32_t items = item_of_scope(&s, o->scopes);
    o->convergent = bitset_new(a, c->blocks), o->demanded = bitset_new(a, f->count);
    o->barriers = bitset_new(a, c->blocks);
    s.late = bitset_new(a, items);
    find_operations(&s);
    s.rank = arena_array(a, uint64_t, items), s.waits = arena_array(a, uint32_t, items);
    s.ready = arena_array(a, heap, o->scopes + 1);
    find_ranks(&s, ties ?: c->rpo_index);
    find_edges(&s);
    sort(&s);
    INVARIANT(o->at.count == c->rpo_count + f->count);
    number_nodes(o, c->blocks);
    return o;
}

uint32_t *ir_ties_by_edges(struct arena *a, const struct ir_cfg *c, struct bitset turned)
{
    uint32_t *at = arena_array(a, uint32_t, c->blocks);
    struct edge_list edges = {0};
    for (uint32_t i = 0; i < c->rpo_count; i++) {
        uint32_t b = c->rpo[i];
        const struct ir_block *block = ir_block_at(c->fn, b);
        for (uint32_t n = 0, count = block->edges.count; n < count;
             n++) /* as in ir_cfg_new, from the last on */
            edge_add(a, &edges, b, block->edges.at[bitset_has(turned, b) ? n : count - 1 - n].block);
    }
    struct rows graph = rows_of_edges(a, c->blocks, &edges);
    struct depth_first d = depth_first_new(a, &graph);
    depth_first_visit(&d, ir_entry(c->fn));
    for (uint32_t i = 0; i < d.order.count; i++)
        at[d.order.at[i]] = d.order.count - 1 - i;
    return at;
}

/* ---- change ------------------------------------------------------------------------------------------- */

/* The scope that has what stands just before the node. */
static uint32_t scope_before(const struct ir_order *o, uint32_t node)
{
    uint32_t b = ir_order_block(o, node), s;
    if (b == IR_NO_BLOCK)
        return node; /* the latch is the cycle's */
    for (s = o->scope.at[b]; s != o->scopes && o->first.at[s] == b; s = o->around[s])
        ;
    return s;
}

void ir_order_insert(struct ir_order *o, uint32_t block, uint32_t before)
{
    uint32_t at = o->position.at[before], blocks = o->scope.count, scope = scope_before(o, before);
    vec_resize(o->arena, &o->scope, block + 1);
    for (; blocks < block; blocks++)
        o->scope.at[blocks] = o->scopes;
    o->scope.at[block] = scope;
    vec_push(o->arena, &o->at, 0);
    memmove(&o->at.at[at + 1], &o->at.at[at], (o->at.count - 1 - at) * sizeof *o->at.at);
    o->at.at[at] = ir_order_node(o, block);
    number_nodes(o, block + 1);
}
