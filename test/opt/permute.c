/* permute.c: see permute.h. */
#include "test/opt/permute.h"

struct permuter {
    struct arena *arena;
    struct ir_function *f;
    const struct ir_cfg *c;
    const struct ir_dominators *d, *post;
    const struct ir_cycles *cycles;
    const struct ir_control_dependence *control;
    const struct ir_pdg *g;
    uint32_t *row; /* by instruction: its place in g->memory, plus 1 */
    uint64_t seed;
    uint32_t moved;
};

static uint32_t draw(struct permuter *p, uint32_t below)
{
    p->seed = p->seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(p->seed >> 33) % below;
}

static bool is_fixed(const struct permuter *p, ir_ref r)
{
    const struct ir_ins *ins = ir_at(p->f, r);
    return ir_op_info[ins->op].flags & IR_TERMINATOR || ir_is_convergent(p->f, r);
}

/* ---- to other blocks --------------------------------------------------------------------------------- */

static bool same_control(const struct permuter *p, uint32_t a, uint32_t b)
{
    const uint32_t *start = p->control->start;
    if (start[a + 1] - start[a] != start[b + 1] - start[b])
        return false;
    for (uint32_t i = 0; i < start[a + 1] - start[a]; i++) {
        bool found = false;
        for (uint32_t k = start[b]; k < start[b + 1] && !found; k++)
            found = memcmp(&p->control->on[start[a] + i], &p->control->on[k], sizeof *p->control->on) == 0;
        if (!found)
            return false;
    }
    return true;
}

/* Whether `a` and `b` run equally often, `a` first. */
static bool is_equivalent(const struct permuter *p, uint32_t a, uint32_t b)
{
    return a != b && ir_dominates(p->d, a, b) && ir_dominates(p->post, b, a) &&
           p->cycles->innermost[a] == p->cycles->innermost[b] && same_control(p, a, b);
}

static bool stands_above(const struct permuter *p, ir_ref r, uint32_t a)
{
    uint32_t b = ir_at(p->f, r)->block;
    return b == IR_NO_BLOCK || ir_dominates(p->d, b, a);
}

/* Whether all that r depends on comes before the end of `a`. */
static bool may_move(const struct permuter *p, ir_ref r, uint32_t a)
{
    const struct ir_ins *ins = ir_at(p->f, r);
    for (uint32_t i = 0; i < ins->argc; i++)
        if (!stands_above(p, ins->args[i], a))
            return false;
    if (!p->row[r])
        return true;
    if (!p->g->precise)
        return false;
    for (uint32_t k = p->g->start[p->row[r] - 1]; k < p->g->start[p->row[r]]; k++) {
        uint32_t from = ir_at(p->f, p->g->on.at[k].from)->block;
        if (p->g->on.at[k].cycle == IR_NO_CYCLE && from != a && ir_dominates(p->d, a, from))
            return false;
    }
    return true;
}

static void move_up(struct permuter *p, uint32_t b)
{
    for (ir_ref r = ir_block_at(p->f, b)->first, next; r; r = next) {
        next = ir_at(p->f, r)->next;
        if (is_fixed(p, r) || draw(p, 2))
            continue;
        uint32_t to = b;
        for (uint32_t a = p->d->idom[b]; a != IR_NO_BLOCK; a = p->d->idom[a])
            if (is_equivalent(p, a, b) && may_move(p, r, a) && draw(p, 2))
                to = a;
        if (to == b)
            continue;
        struct ir_cursor c = {.fn = p->f, .block = to, .before = ir_terminator(p->f, to)};
        ir_unlink(p->f, r);
        ir_link(&c, r);
        p->moved++;
    }
}

/* ---- within a block ---------------------------------------------------------------------------------- */

/* Whether all that r depends on in its block has its place. */
static bool is_ready(const struct permuter *p, ir_ref r, uint32_t b, struct bitset placed)
{
    const struct ir_ins *ins = ir_at(p->f, r);
    for (uint32_t i = 0; i < ins->argc; i++)
        if (ir_at(p->f, ins->args[i])->block == b && ir_at(p->f, ins->args[i])->op != IR_param &&
            !bitset_has(placed, ins->args[i]))
            return false;
    if (!p->row[r])
        return true;
    for (uint32_t k = p->g->start[p->row[r] - 1]; k < p->g->start[p->row[r]]; k++) {
        const struct ir_dependence *d = &p->g->on.at[k];
        if (d->cycle == IR_NO_CYCLE && ir_at(p->f, d->from)->block == b && !bitset_has(placed, d->from))
            return false;
    }
    return true;
}

/* The first convergent operations come first among the convergent; so do accesses that the graph says nothing
 * of. */
static ir_ref choose(struct permuter *p, const u32_vec *left, uint32_t b, struct bitset placed, uint32_t *at)
{
    uint32_t start = draw(p, left->count);
    bool convergent = false, memory = false;
    uint32_t first_convergent = UINT32_MAX, first_memory = UINT32_MAX;
    for (uint32_t i = 0; i < left->count; i++) {
        if (!convergent && ir_is_convergent(p->f, left->at[i])) {
            convergent = true;
            first_convergent = i;
        }
        if (!memory && p->row[left->at[i]]) {
            memory = true;
            first_memory = i;
        }
    }
    for (uint32_t i = 0; i < left->count; i++) {
        uint32_t k = (start + i) % left->count;
        ir_ref r = left->at[k];
        if ((ir_is_convergent(p->f, r) && k != first_convergent) ||
            (!p->g->precise && p->row[r] && k != first_memory) || !is_ready(p, r, b, placed))
            continue;
        *at = k;
        return r;
    }
    BUG("dependences of @%s go in a circle", p->f->name);
}

static void permute_block(struct permuter *p, uint32_t b, struct bitset placed)
{
    u32_vec left = {0};
    ir_ref last = ir_terminator(p->f, b);
    for (ir_ref r = ir_block_at(p->f, b)->first, next; r != last; r = next) {
        next = ir_at(p->f, r)->next;
        vec_push(p->arena, &left, r);
        ir_unlink(p->f, r);
        ir_at(p->f, r)->block = b;
    }
    while (left.count) {
        uint32_t at;
        ir_ref r = choose(p, &left, b, placed, &at);
        struct ir_cursor c = {.fn = p->f, .block = b, .before = last};
        p->moved += at != 0;
        memmove(left.at + at, left.at + at + 1, (left.count - 1 - at) * sizeof *left.at);
        left.count--;
        bitset_add(placed, r);
        ir_link(&c, r);
    }
}

uint32_t permute(struct ir_function *f, uint64_t seed)
{
    struct arena a = {0};
    struct permuter p = {.arena = &a, .f = f, .seed = seed * 0x9e3779b97f4a7c15u + 1};
    p.c = ir_cfg_new(&a, f);
    p.d = ir_dominators_new(&a, p.c);
    p.post = ir_post_dominators_new(&a, p.c);
    p.cycles = ir_cycles_new(&a, p.c);
    p.control = ir_control_dependence_new(&a, p.c, p.post);
    p.g = ir_pdg_new(&a, ir_memory_new(&a, f, p.c), p.c, p.cycles, p.control, ir_pst_new(&a, p.c), 0);
    p.row = arena_array(&a, uint32_t, f->ins.count);
    for (uint32_t i = 0; i < p.g->memory.count; i++)
        p.row[p.g->memory.at[i]] = i + 1;
    for (uint32_t i = 0; i < p.c->rpo_count; i++)
        move_up(&p, p.c->rpo[i]);
    struct bitset placed = bitset_new(&a, f->ins.count);
    for (uint32_t i = 0; i < p.c->rpo_count; i++)
        permute_block(&p, p.c->rpo[i], placed);
    arena_free(&a);
    return p.moved;
}
