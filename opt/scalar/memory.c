/* memory.c: redundant loads and stores.
 *
 * Forward, in reverse post-order: what is known to be in memory at a place (stored there, or loaded from
 * there) stands in for a load, and makes a store of the same value needless. A block starts with what all its
 * predecessors agree on; with nothing, if one of them has not been seen (a loop). Then backward within each
 * block: a store whose bytes are overwritten before anything can read them is removed.
 *
 * Barriers, fences and atomics end what is known of shared and global memory, since other threads may have
 * written it; calls end all but private memory that has not escaped. Pure convergent operations order nothing
 * ("Convergent Operation Semantics", Memory Model Non-Interaction). What is known is bounded by KNOWN_MAX
 * entries, so time is linear.
 */
#include "ir/analysis/memory.h"
#include "opt/pass.h"

enum { KNOWN_MAX = 32, PREDS_MAX = 8 };

struct known {
    struct ir_location at;
    ir_ref value;
    uint8_t mem, type;
    bool stored;
};
struct state {
    struct known *at;
    uint32_t count;
};

struct memory {
    struct opt_context *c;
    struct ir_function *f;
    const struct ir_cfg *g;
    const struct ir_memory *memory;
    struct state *out; /* by block; at NULL: not seen yet */
    struct bitset seen;
    struct known now[KNOWN_MAX];
    uint32_t count;
    struct opt_renaming renaming;
    bool changed;
};

/* ---- what is known ----------------------------------------------------------------------------------- */

static void forget(struct memory *m, uint32_t i)
{
    m->now[i] = m->now[--m->count];
}

static void learn(struct memory *m, struct known k)
{
    if (m->count == KNOWN_MAX) {
        memmove(m->now, m->now + 1, (KNOWN_MAX - 1) * sizeof *m->now);
        m->count--;
    }
    m->now[m->count++] = k;
}

static struct known *recall(struct memory *m, struct ir_location at, enum ir_mem mem, enum ir_type type)
{
    for (uint32_t i = m->count; i-- > 0;) {
        struct known *k = &m->now[i];
        if (k->at.root == at.root && k->at.offset == at.offset && k->mem == mem && k->type == type)
            return k;
    }
    return NULL;
}

static void forget_overlapping(struct memory *m, struct ir_location x)
{
    for (uint32_t i = m->count; i-- > 0;)
        if (ir_may_overlap(m->memory, m->now[i].at, x))
            forget(m, i);
}

static void forget_clobbered(struct memory *m, enum ir_clobber c)
{
    for (uint32_t i = m->count; c != IR_CLOBBERS_NOTHING && i-- > 0;)
        if (ir_is_clobbered(m->memory, c, m->now[i].at))
            forget(m, i);
}

static bool same_known(const struct known *a, const struct known *b)
{
    return a->at.root == b->at.root && a->at.offset == b->at.offset && a->mem == b->mem &&
           a->type == b->type && a->value == b->value && a->stored == b->stored;
}

static bool state_has(const struct state *s, const struct known *k)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (same_known(&s->at[i], k))
            return true;
    return false;
}

static void enter_block(struct memory *m, uint32_t b)
{
    uint32_t first = m->g->pred_start[b], last = m->g->pred_start[b + 1];
    m->count = 0;
    if (first == last || last - first > PREDS_MAX)
        return;
    for (uint32_t i = first; i < last; i++)
        if (!bitset_has(m->seen, m->g->preds[i]))
            return;
    const struct state *s = &m->out[m->g->preds[first]];
    for (uint32_t k = 0; k < s->count; k++) {
        bool all = true;
        for (uint32_t i = first + 1; i < last && all; i++)
            all = state_has(&m->out[m->g->preds[i]], &s->at[k]);
        if (all)
            learn(m, s->at[k]);
    }
}

static void leave_block(struct memory *m, uint32_t b)
{
    m->out[b] = (struct state){arena_array(m->c->scratch, struct known, m->count), m->count};
    if (m->count)
        memcpy(m->out[b].at, m->now, m->count * sizeof *m->now);
    bitset_add(m->seen, b);
}

/* ---- forward ----------------------------------------------------------------------------------------- */

static void visit_load(struct memory *m, ir_ref r)
{
    struct ir_ins ins = *ir_at(m->f, r);
    struct ir_location at = ir_location_of(m->memory, ins.args[0], ins.imm, ir_mem_info[ins.mem].bytes);
    const struct known *k = recall(m, at, ins.mem, ins.type);
    if (!k) {
        learn(m, (struct known){at, r, ins.mem, ins.type, false});
        return;
    }
    struct ir_cursor c = {.fn = m->f, .block = ins.block, .before = r, .at = ins.at};
    opt_count(m->c, k->stored ? "stores forwarded" : "loads removed", 1);
    opt_rename(&m->renaming, m->f, r, k->stored ? opt_reloaded(&c, ins.mem, k->value) : k->value);
    ir_remove(m->f, r);
    m->changed = true;
}

/* Memory may hold a NaN, or a truth value, whose bits a store would change; a load does not tell. */
static bool store_keeps_bits(const struct known *k)
{
    return k->stored || (k->mem != IR_MEM_F32 && k->mem != IR_MEM_F64 && k->mem != IR_MEM_B8);
}

static void visit_store(struct memory *m, ir_ref r)
{
    struct ir_ins ins = *ir_at(m->f, r);
    enum ir_type type = ir_at(m->f, ins.args[1])->type;
    struct ir_location at = ir_location_of(m->memory, ins.args[0], ins.imm, ir_mem_info[ins.mem].bytes);
    const struct known *k = recall(m, at, ins.mem, type);
    if (k && k->value == ins.args[1] && store_keeps_bits(k)) {
        ir_remove(m->f, r);
        opt_count(m->c, "stores removed", 1);
        m->changed = true;
        return;
    }
    forget_overlapping(m, at);
    learn(m, (struct known){at, ins.args[1], ins.mem, (uint8_t)type, true});
}

static void memory_visit_instruction(struct memory *m, ir_ref r)
{
    struct ir_ins *ins = ir_at(m->f, r);
    struct ir_location at;
    for (uint32_t i = 0; i < ins->argc; i++)
        ins->args[i] = opt_renamed(&m->renaming, ins->args[i]);
    if (ins->op == IR_load) {
        visit_load(m, r);
    } else if (ins->op == IR_store) {
        visit_store(m, r);
    } else {
        forget_clobbered(m, ir_clobber_of((enum ir_op)ins->op));
        if (ir_written(m->memory, r, &at))
            forget_overlapping(m, at);
    }
}

/* ---- backward: stores that are overwritten ----------------------------------------------------------- */

struct pending {
    struct ir_location at[KNOWN_MAX];
    uint32_t count;
};

static void keep_overlapping(struct memory *m, struct pending *p, struct ir_location x)
{
    for (uint32_t i = p->count; i-- > 0;)
        if (ir_may_overlap(m->memory, p->at[i], x))
            p->at[i] = p->at[--p->count];
}

static void keep_clobbered(struct memory *m, struct pending *p, const struct ir_ins *ins)
{
    enum ir_clobber c = ir_clobber_of((enum ir_op)ins->op);
    for (uint32_t i = p->count; i-- > 0;)
        if (ins->op == IR_assert || ir_is_clobbered(m->memory, c, p->at[i]))
            p->at[i] = p->at[--p->count];
}

static bool is_overwritten(const struct pending *p, struct ir_location x)
{
    for (uint32_t i = 0; i < p->count; i++)
        if (ir_covers(p->at[i], x))
            return true;
    return false;
}

static void remove_dead_stores(struct memory *m, uint32_t b)
{
    struct pending p = {.count = 0};
    for (ir_ref r = ir_block_at(m->f, b)->last, prev; r; r = prev) {
        const struct ir_ins *ins = ir_at(m->f, r);
        struct ir_location x;
        prev = ins->prev;
        if (ins->op == IR_store && ir_written(m->memory, r, &x)) {
            if (is_overwritten(&p, x)) {
                ir_remove(m->f, r);
                opt_count(m->c, "stores overwritten", 1);
                m->changed = true;
            } else if (p.count < KNOWN_MAX) {
                p.at[p.count++] = x;
            }
            continue;
        }
        keep_clobbered(m, &p, ins);
        if (ir_read(m->memory, r, &x))
            keep_overlapping(m, &p, x);
    }
}

bool opt_memory(struct opt_context *c, struct ir_function *f)
{
    struct memory m = {.c = c, .f = f, .g = opt_cfg(c, f), .renaming.arena = c->scratch};
    m.memory = opt_points_to(c, f);
    m.out = arena_array(c->scratch, struct state, f->blocks.count);
    m.seen = bitset_new(c->scratch, f->blocks.count);
    for (uint32_t i = 0; i < m.g->rpo_count; i++) {
        uint32_t b = m.g->rpo[i];
        enter_block(&m, b);
        for (ir_ref r = ir_block_at(f, b)->first, next; r; r = next) {
            next = ir_at(f, r)->next;
            memory_visit_instruction(&m, r);
        }
        leave_block(&m, b);
    }
    opt_rename_all(&m.renaming, f);
    for (uint32_t i = 0; i < m.g->rpo_count; i++)
        remove_dead_stores(&m, m.g->rpo[i]);
    return m.changed;
}
