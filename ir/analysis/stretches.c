/* stretches.c: the stretches of the order of priorities (priorities.c): where in them blocks and cycles lie.
 *
 * They are nested as the cycles are, until the regions of tokens move some: then a cycle may lie in one that it
 * was beside.
 */
#include "ir/analysis/priorities.h"

void ir_stretches_of_cycles(struct sorter *s)
{
    for (uint32_t i = 0; i < s->g->rpo_count; i++) {
        uint32_t b = s->g->rpo[i], k = s->cycles->innermost[b];
        s->parent[b] = k == IR_NO_CYCLE ? function(s) : k;
    }
    for (uint32_t k = 0; k < s->cycles->count; k++) {
        uint32_t up = s->cycles->at[k].parent;
        s->parent[node_of_cycle(s, k)] = up == IR_NO_CYCLE ? function(s) : up;
    }
}

/* Whether stretch `inner` is `outer` or in it. */
static bool lies_in(const struct sorter *s, uint32_t inner, uint32_t outer)
{
    while (inner != outer && inner != function(s))
        inner = s->parent[node_of_cycle(s, inner)];
    return inner == outer;
}

/* Block b, or the cycle around it that lies beside cycle k, goes into k. Returns whether it was not yet. */
static bool extend(struct sorter *s, uint32_t k, uint32_t b)
{
    uint32_t node = b;
    while (!lies_in(s, k, s->parent[node]) && !lies_in(s, s->parent[node], k))
        node = node_of_cycle(s, s->parent[node]);
    if (lies_in(s, s->parent[node], k))
        return false; /* already, or deeper */
    s->parent[node] = k;
    return true;
}

static void find_uses(struct sorter *s)
{
    const struct ir_function *f = s->g->fn;
    struct edge_list uses = {0};
    for (uint32_t i = 0; i < s->g->rpo_count; i++)
        ir_each_ins(r, f, s->g->rpo[i]) {
            ir_ref token = ir_at(f, r)->token;
            if (token && ir_at(f, token)->block != s->g->rpo[i])
                edge_add(s->arena, &uses, token, s->g->rpo[i]);
        }
    s->uses = rows_of_edges(s->arena, f->ins.count, &uses);
}

/* The blocks between the definition of the token and its uses that are not in its stretch. */
static bool extend_by_region(struct sorter *s, ir_ref token, uint32_t *seen, uint32_t stamp)
{
    uint32_t from = ir_at(s->g->fn, token)->block;
    u32_vec work = {0};
    bool changed = false;
    rows_each(i, s->uses, token)
        if (!lies_in(s, s->parent[s->uses.at[i]], s->parent[from]))
            vec_push(s->arena, &work, s->uses.at[i]);
    while (work.count && s->left) {
        uint32_t b = vec_pop(&work);
        if (b == from || seen[b] == stamp)
            continue;
        seen[b] = stamp;
        s->left--;
        changed |= extend(s, s->parent[from], b);
        ir_each_pred(p, b, s->g)
            if (bitset_has(s->g->reachable, p))
                vec_push(s->arena, &work, p);
    }
    return changed;
}

/* A token that is made from another has a region of its own, which lies behind. What it controls is done in the
 * stretch where the token is made, which may be one that has been extended by that place: so this is repeated,
 * as often as tokens are nested. Time: in each round, the sizes of the regions. */
void ir_stretches_extend(struct sorter *s)
{
    const struct ir_function *f = s->g->fn;
    uint32_t *seen = arena_array(s->arena, uint32_t, s->g->blocks), stamp = 0;
    find_uses(s);
    for (bool again = true; again && s->left;) {
        again = false;
        for (uint32_t i = 0; i < s->g->rpo_count; i++)
            ir_each_ins(r, f, s->g->rpo[i])
                if (row_length(&s->uses, r))
                    again |= extend_by_region(s, r, seen, ++stamp);
    }
}

/* ---- depths ------------------------------------------------------------------------------------------ */

static uint32_t around(const struct sorter *s, uint32_t stretch)
{
    return s->parent[node_of_cycle(s, stretch)];
}

/* As far again as the two jumps from the stretch around, if these are equally long (Myers 1983). */
static uint32_t jump_from(const struct sorter *s, uint32_t up)
{
    uint32_t one = s->jump[up], two = s->jump[one];
    bool equal = s->depth[up] - s->depth[one] == s->depth[one] - s->depth[two];
    return equal ? two : up;
}

void ir_stretches_measure(struct sorter *s)
{
    u32_vec path = {0};
    memset(s->depth, 0, (function(s) + 1) * sizeof *s->depth);
    s->jump[function(s)] = function(s);
    for (uint32_t k = 0; k < function(s); k++) {
        for (uint32_t up = k; up != function(s) && s->depth[up] == 0; up = around(s, up))
            vec_push(s->arena, &path, up);
        while (path.count) {
            uint32_t inner = vec_pop(&path), up = around(s, inner);
            s->depth[inner] = s->depth[up] + 1;
            s->jump[inner] = jump_from(s, up);
        }
    }
}

/* The stretch at this depth that has stretch k. */
static uint32_t out_to(const struct sorter *s, uint32_t k, uint32_t depth)
{
    while (s->depth[k] > depth)
        k = s->depth[s->jump[k]] >= depth ? s->jump[k] : around(s, k);
    return k;
}

/* The node in stretch k that has this one. */
static uint32_t node_in(const struct sorter *s, uint32_t k, uint32_t node)
{
    return s->parent[node] == k ? node : node_of_cycle(s, out_to(s, s->parent[node], s->depth[k] + 1));
}

uint32_t ir_stretch_common(const struct sorter *s, uint32_t *a, uint32_t *b)
{
    uint32_t k = s->parent[*a], l = s->parent[*b];
    uint32_t depth = s->depth[k] < s->depth[l] ? s->depth[k] : s->depth[l];
    k = out_to(s, k, depth), l = out_to(s, l, depth);
    while (k != l) {
        bool far = s->jump[k] != s->jump[l]; /* jumps from one depth lead to one depth */
        k = far ? s->jump[k] : around(s, k);
        l = far ? s->jump[l] : around(s, l);
    }
    *a = node_in(s, k, *a);
    *b = node_in(s, k, *b);
    return k;
}
