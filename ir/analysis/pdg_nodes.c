/* pdg_nodes.c: what the program dependence graph knows of each instruction before it looks at their order.
 * See pdg_nodes.h.
 */
#include "ir/analysis/pdg_nodes.h"

#include <stdlib.h>

enum { PARTS = 64, LAST = PARTS - 1 };

/* The end of an access from a root. */
struct cut {
    uint32_t root;
    int64_t at;
};

struct builder {
    struct arena *arena;
    const struct ir_memory *m;
    const struct ir_cycles *cycles;
    struct ir_pdg_nodes *nodes;
    struct map numbers;   /* of roots */
    VEC(struct cut) cuts; /* sorted, all different */
};

/* ---- nodes ------------------------------------------------------------------------------------------- */

static uint32_t cycle_of(const struct builder *b, ir_ref root)
{
    const struct ir_ins *ins = ir_at(b->m->fn, root);
    bool fixed = ins->op == IR_alloca || ins->op == IR_object || ins->block == IR_NO_BLOCK;
    return fixed ? IR_NO_CYCLE : b->cycles->innermost[ins->block];
}

static int64_t start_of(struct ir_location x)
{
    return (int32_t)x.offset;
}

static int64_t end_of(struct ir_location x)
{
    return start_of(x) + x.size;
}

static uint32_t root_of(struct builder *b, bool accesses, struct ir_location x)
{
    if (!accesses)
        return 0;
    uint32_t number = map_get(&b->numbers, x.root);
    if (number == MAP_NONE) {
        number = b->nodes->roots.count;
        map_set(b->arena, &b->numbers, x.root, number);
        vec_push(b->arena, &b->nodes->roots, ((struct ir_pdg_root){.cycle = cycle_of(b, x.root)}));
    }
    if (x.size) {
        vec_push(b->arena, &b->cuts, ((struct cut){number, start_of(x)}));
        vec_push(b->arena, &b->cuts, ((struct cut){number, end_of(x)}));
    }
    return number;
}

/* An atomic's two accesses are to the same bytes. */
static bool is_single(const struct ir_effects *e)
{
    if (e->clobber || e->world)
        return false;
    return !(e->reads && e->writes) || (e->from.root == e->to.root && e->from.offset == e->to.offset);
}

static void add_node(struct builder *b, ir_ref r)
{
    struct ir_pdg_node n = {.r = r};
    if (!ir_effects_of(b->m, r, &n.fresh))
        return;
    n.stale = ir_effects_at_any_root(n.fresh);
    n.writes = n.fresh.writes || n.fresh.clobber || n.fresh.world;
    n.single = is_single(&n.fresh);
    n.from_root = root_of(b, n.fresh.reads, n.fresh.from);
    n.to_root = root_of(b, n.fresh.writes, n.fresh.to);
    n.root = n.fresh.writes ? n.to_root : n.from_root;
    vec_push(b->arena, &b->nodes->at, n);
}

static void collect(struct builder *b, const struct ir_cfg *c, struct bitset region)
{
    b->nodes->first = arena_array(b->arena, uint32_t, c->blocks);
    b->nodes->end = arena_array(b->arena, uint32_t, c->blocks);
    for (uint32_t i = 0; i < c->rpo_count; i++) {
        uint32_t block = c->rpo[i];
        b->nodes->first[block] = b->nodes->at.count;
        ir_each_ins(r, c->fn, block)
            if (bitset_has(region, block))
                add_node(b, r);
        b->nodes->end[block] = b->nodes->at.count;
    }
}

/* Loads of what nothing in the region writes have no rows. */
static void find_needed(struct builder *b)
{
    struct map written = {0};
    bool clobbered = false;
    for (uint32_t i = 0; i < b->nodes->at.count; i++) {
        const struct ir_effects *e = &b->nodes->at.at[i].fresh;
        if (e->writes)
            map_set(b->arena, &written, e->to.class, 0);
        clobbered |= e->clobber != IR_CLOBBERS_NOTHING;
    }
    for (uint32_t i = 0; i < b->nodes->at.count; i++) {
        struct ir_pdg_node *n = &b->nodes->at.at[i];
        n->needed = n->writes || clobbered || map_get(&written, n->fresh.from.class) != MAP_NONE;
    }
}

/* ---- parts ------------------------------------------------------------------------------------------- */

static int by_place(const void *x, const void *y)
{
    const struct cut *a = x, *b = y;
    return a->root != b->root ? (a->root > b->root) - (a->root < b->root) : (a->at > b->at) - (a->at < b->at);
}

static void sort_cuts(struct builder *b)
{
    uint32_t kept = 0;
    if (b->cuts.count)
        qsort(b->cuts.at, b->cuts.count, sizeof *b->cuts.at, by_place);
    for (uint32_t i = 0; i < b->cuts.count; i++)
        if (i == 0 || by_place(&b->cuts.at[i], &b->cuts.at[kept - 1]) != 0)
            b->cuts.at[kept++] = b->cuts.at[i];
    b->cuts.count = kept;
}

/* Number of the root's first cut that is not before `at`. */
static uint32_t find_cut(const struct builder *b, uint32_t root, int64_t at)
{
    struct cut wanted = {root, at};
    uint32_t low = 0, high = b->cuts.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (by_place(&b->cuts.at[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint64_t parts_of(const struct builder *b, uint32_t root, struct ir_location x)
{
    uint32_t first = find_cut(b, root, INT64_MIN);
    uint32_t from = find_cut(b, root, start_of(x)) - first, end = find_cut(b, root, end_of(x)) - first;
    uint64_t parts = 0;
    if (x.size == 0)
        return ~(uint64_t)0;
    for (uint32_t part = from; part < end && part < PARTS; part++)
        parts |= (uint64_t)1 << part;
    return end > PARTS ? parts | (uint64_t)1 << LAST : parts;
}

/* Those of which an access that touches them touches every byte. */
static uint64_t exact_parts(const struct builder *b, uint32_t root)
{
    uint32_t cuts = find_cut(b, root, INT64_MAX) - find_cut(b, root, INT64_MIN);
    return cuts <= PARTS + 1 ? ~(uint64_t)0 : ~((uint64_t)1 << LAST);
}

static bool meets_all(const struct builder *b, uint32_t root, struct ir_location x)
{
    uint64_t parts = parts_of(b, root, x) & exact_parts(b, root);
    return root && !(b->nodes->roots.at[root].any & ~parts);
}

static void find_parts(struct builder *b)
{
    sort_cuts(b);
    for (uint32_t i = 0; i < b->nodes->at.count; i++) {
        const struct ir_pdg_node *n = &b->nodes->at.at[i];
        uint64_t reads = n->from_root ? parts_of(b, n->from_root, n->fresh.from) : 0;
        uint64_t writes = n->to_root ? parts_of(b, n->to_root, n->fresh.to) : 0;
        b->nodes->roots.at[n->from_root].any |= reads;
        b->nodes->roots.at[n->to_root].any |= writes;
        b->nodes->roots.at[n->to_root].written |= writes;
    }
    for (uint32_t i = 0; i < b->nodes->at.count; i++) {
        struct ir_pdg_node *n = &b->nodes->at.at[i];
        n->all_from = meets_all(b, n->from_root, n->fresh.from);
        n->all_to = meets_all(b, n->to_root, n->fresh.to);
        n->touches = parts_of(b, n->root, n->fresh.writes ? n->fresh.to : n->fresh.from);
        n->covers = n->fresh.writes ? n->touches & exact_parts(b, n->root) : 0;
    }
}

void ir_pdg_nodes_find(struct ir_pdg_nodes *n, struct arena *a, const struct ir_memory *m,
                       const struct ir_cfg *c, const struct ir_cycles *cycles, struct bitset region)
{
    struct builder b = {.arena = a, .m = m, .cycles = cycles, .nodes = n};
    *n = (struct ir_pdg_nodes){0};
    vec_push(a, &n->roots, ((struct ir_pdg_root){.cycle = IR_NO_CYCLE}));
    collect(&b, c, region);
    find_needed(&b);
    find_parts(&b);
}

/* ---- what stands in for what ------------------------------------------------------------------------- */

/* Whether all that may meet `part` may meet `whole`, but for accesses from the same root. */
static bool includes(struct ir_location whole, struct ir_location part)
{
    return whole.object ? whole.object == part.object : whole.class == part.class;
}

/* Whether node k writes, or `reading`: at least reads, all that may be at x. */
static bool takes(const struct ir_memory *m, const struct ir_pdg_node *k, struct ir_location x, bool reading)
{
    const struct ir_effects *e = &k->fresh;
    return ir_is_clobbered(m, (enum ir_clobber)e->clobber, x) ||
           (e->writes && k->all_to && includes(e->to, x)) ||
           (reading && e->reads && k->all_from && includes(e->from, x));
}

static bool stands_in(const struct ir_memory *m, const struct ir_pdg_node *k, const struct ir_effects *i)
{
    const struct ir_effects *e = &k->fresh;
    bool world = !i->world || e->world, memory = i->clobber <= e->clobber;
    return world && memory && (!i->writes || takes(m, k, i->to, false)) &&
           (!i->reads || takes(m, k, i->from, true));
}

static struct ir_location location_of(const struct ir_effects *e)
{
    return e->writes ? e->to : e->from;
}

struct ir_pdg_exposure ir_pdg_behind(const struct ir_pdg_nodes *n, const struct ir_memory *m,
                                     const struct ir_pdg_node *k, const struct ir_pdg_node *of,
                                     const struct ir_effects *i, struct ir_pdg_exposure x)
{
    static const struct ir_pdg_exposure none = {UINT32_MAX, 0};
    if (k->single && of->single && k->fresh.to.class != location_of(i).class)
        return x;
    if (!ir_conflict_of(m, i, &k->fresh))
        return x;
    if (stands_in(m, k, i))
        return none;
    if (!k->single || !of->single || !k->fresh.writes || !includes(k->fresh.to, location_of(i)))
        return x;
    if (x.root && x.root != k->root)
        return none;
    if (x.root == 0) {
        const struct ir_pdg_root *root = &n->roots.at[k->root];
        uint64_t others = of->fresh.writes ? root->any : root->written;
        bool same = location_of(i).root == k->fresh.to.root;
        x = (struct ir_pdg_exposure){k->root, same ? of->touches : others};
    }
    x.left &= ~k->covers;
    return x;
}
