/* pdg.c: the rows of memory dependences. See pdg.h.
 *
 * A forward data-flow problem like reaching definitions: what is in force at the start of each block are the
 * effects that reach it on some path and that nothing on the way stands in for. It is solved by a work list
 * in reverse post-order; then the rows are read off in one more walk.
 *
 * An effect that goes round a back edge to a header of a cycle that it stands in is carried from there on,
 * until the cycle is left; and where that cycle defines the root of its address, the root is another value
 * from there on (`stale`), and only the object tells what it touches.
 */
#include "ir/analysis/pdg_nodes.h"

/* An effect in force: number of its node * 2 + stale, the outermost of the cycles that carry it, and for what
 * it is in force. */
struct force {
    uint32_t key, cycle;
    struct ir_pdg_exposure exposed;
};
typedef VEC(struct force) force_vec;
/* Each sorted by key. A read asks only for writes. */
struct forces {
    force_vec writes, reads;
};

struct builder {
    struct arena *arena;
    const struct ir_memory *m;
    const struct ir_cfg *c;
    const struct ir_cycles *cycles;
    struct ir_pdg *g;
    struct ir_pdg_nodes nodes;
    struct forces *in; /* by block */
    struct bitset region, queued;
    struct forces now; /* at work */
    force_vec moved, merged;
    uint64_t work, most; /* visits to effects in force */
};

/* ---- what a node makes of what is in force ----------------------------------------------------------- */

static const struct ir_effects *effects_of(const struct builder *b, struct force x)
{
    const struct ir_pdg_node *n = &b->nodes.at.at[x.key / 2];
    return x.key & 1 ? &n->stale : &n->fresh;
}

static void drop(struct builder *b, force_vec *v, const struct ir_pdg_node *k)
{
    uint32_t kept = 0;
    b->work += v->count;
    for (uint32_t i = 0; i < v->count; i++) {
        struct force x = v->at[i];
        const struct ir_pdg_node *of = &b->nodes.at.at[x.key / 2];
        x.exposed = ir_pdg_behind(&b->nodes, b->m, k, of, effects_of(b, x), x.exposed);
        if (x.exposed.root == 0 || x.exposed.left)
            v->at[kept++] = x;
    }
    v->count = kept;
}

/* Of the paths that lead somewhere the one that is carried less far counts. */
static uint32_t nearer(const struct builder *b, uint32_t x, uint32_t y)
{
    if (x == IR_NO_CYCLE || y == IR_NO_CYCLE)
        return IR_NO_CYCLE;
    return ir_cycle_contains(b->cycles, x, y) ? y : x;
}

static void insert(struct builder *b, force_vec *v, struct force x)
{
    uint32_t i = v->count;
    while (i > 0 && v->at[i - 1].key > x.key)
        i--;
    b->work += v->count - i + 1;
    if (i > 0 && v->at[i - 1].key == x.key) {
        v->at[i - 1].cycle = nearer(b, v->at[i - 1].cycle, x.cycle);
        v->at[i - 1].exposed = ir_pdg_joined(v->at[i - 1].exposed, x.exposed);
        return;
    }
    vec_push(b->arena, v, x);
    memmove(v->at + i + 1, v->at + i, (v->count - 1 - i) * sizeof *v->at);
    v->at[i] = x;
}

static void pass_node(struct builder *b, uint32_t n)
{
    const struct ir_pdg_node *k = &b->nodes.at.at[n];
    if (k->writes) {
        drop(b, &b->now.writes, k);
        drop(b, &b->now.reads, k);
    }
    if (k->needed)
        insert(b, k->writes ? &b->now.writes : &b->now.reads,
               (struct force){.key = 2 * n, .cycle = IR_NO_CYCLE});
}

/* ---- along edges ------------------------------------------------------------------------------------- */

/* The cycle whose back edge leads from `from` to `to`, or IR_NO_CYCLE. */
static uint32_t back_edge(const struct builder *b, uint32_t from, uint32_t to)
{
    uint32_t c = b->cycles->innermost[to];
    bool back = c != IR_NO_CYCLE && b->cycles->at[c].header == to && ir_cycle_has(b->cycles, c, from);
    return back ? c : IR_NO_CYCLE;
}

/* Whether the root has another value behind a back edge of the cycle. */
static bool redefines(const struct builder *b, uint32_t cycle, uint32_t root)
{
    uint32_t inner = b->nodes.roots.at[root].cycle;
    return cycle != IR_NO_CYCLE && inner != IR_NO_CYCLE && ir_cycle_contains(b->cycles, cycle, inner);
}

/* What stood in for it but for accesses from a root does so for these, too, once the root has another
 * value. */
static bool is_in_force(const struct builder *b, struct force x, uint32_t back)
{
    return !redefines(b, back, x.exposed.root);
}

static struct force along(const struct builder *b, struct force x, uint32_t back, uint32_t to)
{
    const struct ir_pdg_node *n = &b->nodes.at.at[x.key / 2];
    if (x.cycle != IR_NO_CYCLE && !ir_cycle_has(b->cycles, x.cycle, to))
        x.cycle = IR_NO_CYCLE;
    if (back == IR_NO_CYCLE)
        return x;
    bool inside = ir_cycle_has(b->cycles, back, ir_at(b->m->fn, n->r)->block);
    if (inside && (x.cycle == IR_NO_CYCLE || ir_cycle_contains(b->cycles, back, x.cycle)))
        x.cycle = back;
    x.key |= redefines(b, back, n->from_root) || redefines(b, back, n->to_root);
    return x;
}

/* Merges two sorted lists into b->merged; true if it differs from `y`. */
static bool merge(struct builder *b, const force_vec *x, const force_vec *y)
{
    bool changed = false;
    vec_clear(&b->merged);
    vec_reserve(b->arena, &b->merged, x->count + y->count);
    for (uint32_t i = 0, k = 0; i < x->count || k < y->count;) {
        bool from_x = i < x->count && (k == y->count || x->at[i].key <= y->at[k].key);
        bool from_y = k < y->count && (i == x->count || y->at[k].key <= x->at[i].key);
        struct force f = from_y ? y->at[k++] : x->at[i];
        if (from_x) {
            struct force g = x->at[i++];
            uint32_t cycle = nearer(b, f.cycle, g.cycle);
            struct ir_pdg_exposure both = ir_pdg_joined(f.exposed, g.exposed);
            changed |=
                !from_y || cycle != f.cycle || both.root != f.exposed.root || both.left != f.exposed.left;
            f = (struct force){f.key, cycle, both};
        }
        b->merged.at[b->merged.count++] = f;
    }
    b->work += b->merged.count;
    return changed;
}

static bool propagate(struct builder *b, const force_vec *from, uint32_t block, uint32_t to, force_vec *into)
{
    uint32_t back = back_edge(b, block, to);
    vec_clear(&b->moved);
    for (uint32_t i = 0; i < from->count; i++)
        if (is_in_force(b, from->at[i], back))
            insert(b, &b->moved, along(b, from->at[i], back, to));
    if (!merge(b, &b->moved, into))
        return false;
    vec_resize(b->arena, into, b->merged.count);
    memcpy(into->at, b->merged.at, b->merged.count * sizeof *into->at);
    return true;
}

/* ---- the fixed point --------------------------------------------------------------------------------- */

static void copy(struct builder *b, const force_vec *from, force_vec *to)
{
    vec_resize(b->arena, to, from->count);
    if (from->count)
        memcpy(to->at, from->at, from->count * sizeof *to->at);
    b->work += from->count;
}

static void enter(struct builder *b, uint32_t block)
{
    copy(b, &b->in[block].writes, &b->now.writes);
    copy(b, &b->in[block].reads, &b->now.reads);
}

/* True if a block that comes no later has to be visited again. */
static bool pdg_visit_block(struct builder *b, uint32_t block)
{
    const struct ir_block *x = ir_block_at(b->c->fn, block);
    bool again = false;
    enter(b, block);
    for (uint32_t n = b->nodes.first[block]; n < b->nodes.end[block]; n++)
        pass_node(b, n);
    for (uint32_t e = 0; e < x->edges.count; e++) {
        uint32_t to = x->edges.at[e].block;
        if (!bitset_has(b->region, to))
            continue;
        bool changed = propagate(b, &b->now.writes, block, to, &b->in[to].writes);
        changed |= propagate(b, &b->now.reads, block, to, &b->in[to].reads);
        if (changed)
            bitset_add(b->queued, to);
        again |= changed && b->c->rpo_index[to] <= b->c->rpo_index[block];
    }
    return again;
}

static void solve(struct builder *b)
{
    bitset_copy(b->queued, b->region);
    for (bool again = true; again && b->work <= b->most;) {
        again = false;
        for (uint32_t i = 0; i < b->c->rpo_count && b->work <= b->most; i++) {
            if (!bitset_has(b->queued, b->c->rpo[i]))
                continue;
            bitset_remove(b->queued, b->c->rpo[i]);
            again |= pdg_visit_block(b, b->c->rpo[i]);
        }
    }
}

/* ---- rows -------------------------------------------------------------------------------------------- */

static void add_row(struct builder *b, const struct ir_pdg_node *k, struct force x, uint32_t start)
{
    enum ir_dependence_kind kind = ir_conflict_of(b->m, effects_of(b, x), &k->fresh);
    ir_ref from = b->nodes.at.at[x.key / 2].r;
    if (kind == IR_DEP_NONE || !ir_pdg_is_exposed(x.exposed, k))
        return;
    if (b->g->on.count > start && vec_last(&b->g->on).from == from) /* fresh, and stale */
        vec_last(&b->g->on).cycle = nearer(b, vec_last(&b->g->on).cycle, x.cycle);
    else
        vec_push(b->arena, &b->g->on, ((struct ir_dependence){from, (uint8_t)kind, x.cycle}));
}

static void make_row(struct builder *b, uint32_t n)
{
    const struct ir_pdg_node *k = &b->nodes.at.at[n];
    const force_vec *writes = &b->now.writes, *reads = &b->now.reads;
    uint32_t start = b->g->on.count, count = k->writes ? reads->count : 0;
    b->work += writes->count + count;
    b->g->start[n] = start;
    for (uint32_t i = 0, r = 0; i < writes->count || r < count;) {
        bool first = r == count || (i < writes->count && writes->at[i].key < reads->at[r].key);
        add_row(b, k, first ? writes->at[i++] : reads->at[r++], start);
    }
}

static void make_rows(struct builder *b)
{
    for (uint32_t i = 0; i < b->c->rpo_count && b->work <= b->most; i++) {
        uint32_t block = b->c->rpo[i];
        if (!bitset_has(b->region, block))
            continue;
        enter(b, block);
        for (uint32_t n = b->nodes.first[block]; n < b->nodes.end[block] && b->work <= b->most; n++) {
            make_row(b, n);
            pass_node(b, n);
        }
    }
    b->g->start[b->nodes.at.count] = b->g->on.count;
}

struct ir_pdg *ir_pdg_new(struct arena *a, const struct ir_memory *m, const struct ir_cfg *c,
                          const struct ir_cycles *cycles, const struct ir_control_dependence *control,
                          const struct ir_pst *pst, uint32_t region)
{
    struct ir_pdg *g = arena_new(a, struct ir_pdg);
    *g = (struct ir_pdg){.control = control, .pst = pst, .region = region};
    struct builder b = {.arena = a, .m = m, .c = c, .cycles = cycles, .g = g};
    b.in = arena_array(a, struct forces, c->blocks);
    b.region = bitset_new(a, c->blocks);
    b.queued = bitset_new(a, c->blocks);
    for (uint32_t i = 0; i < pst->at[region].count; i++)
        bitset_add(b.region, pst->blocks[pst->at[region].first + i]);
    ir_pdg_nodes_find(&b.nodes, a, m, c, cycles, b.region);
    for (uint32_t i = 0; i < b.nodes.at.count; i++)
        vec_push(a, &g->memory, b.nodes.at.at[i].r);
    b.most = (uint64_t)IR_MAX_PDG_VISITS * (g->memory.count < 1000 ? 1000 : g->memory.count);
    g->start = arena_array(a, uint32_t, g->memory.count + 1);
    solve(&b);
    make_rows(&b);
    g->precise = b.work <= b.most;
    if (!g->precise) {
        memset(g->start, 0, (g->memory.count + 1) * sizeof *g->start);
        vec_clear(&g->on);
    }
    return g;
}
