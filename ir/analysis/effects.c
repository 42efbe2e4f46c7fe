/* effects.c: what instructions do that others see, and which of them keep their order. See memory.h. */
#include "ir/analysis/memory.h"

static bool is_seen_outside(const struct ir_ins *ins)
{
    uint16_t flags = ir_op_info[ins->op].flags;
    switch (ins->op) {
    case IR_alloca:
    case IR_fence:
    case IR_predict:
    case IR_predict_point:
    case IR_predict_function:
    case IR_cb_join:
    case IR_cb_wait:
    case IR_cb_cancel:
    case IR_cb_rejoin: return false;
    case IR_call:
    case IR_icall:
    case IR_hostcall:
    case IR_barrier:
    case IR_syncwarp: return true;
    default: return flags & IR_EFFECT && !(flags & (IR_READS | IR_WRITES));
    }
}

bool ir_effects_of(const struct ir_memory *m, ir_ref r, struct ir_effects *e)
{
    const struct ir_ins *ins = ir_at(m->fn, r);
    *e = (struct ir_effects){.world = is_seen_outside(ins)};
    e->reads = ir_read(m, r, &e->from) && e->from.space != IR_TYPE_CONSTANT;
    e->writes = ir_written(m, r, &e->to);
    if (!e->writes) /* an atomic says by its address what it does */
        e->clobber = (uint8_t)ir_clobber_of((enum ir_op)ins->op);
    return e->reads || e->writes || e->clobber || e->world;
}

struct ir_effects ir_effects_at_any_root(struct ir_effects e)
{
    e.from.root = e.to.root = 0;
    return e;
}

/* ---- conflicts --------------------------------------------------------------------------------------- */

static bool clobbers(const struct ir_memory *m, const struct ir_effects *e, bool accesses,
                     struct ir_location x)
{
    return accesses && ir_is_clobbered(m, (enum ir_clobber)e->clobber, x);
}

static bool both_clobber(const struct ir_effects *x, const struct ir_effects *y)
{
    return x->clobber && y->clobber;
}

static bool writes_what_is_read(const struct ir_memory *m, const struct ir_effects *w,
                                const struct ir_effects *r)
{
    return (w->writes && r->reads && ir_may_overlap(m, w->to, r->from)) ||
           clobbers(m, w, r->reads, r->from) || clobbers(m, r, w->writes, w->to) || both_clobber(w, r);
}

static bool write_the_same(const struct ir_memory *m, const struct ir_effects *x, const struct ir_effects *y)
{
    return (x->writes && y->writes && ir_may_overlap(m, x->to, y->to)) || clobbers(m, x, y->writes, y->to) ||
           clobbers(m, y, x->writes, x->to) || both_clobber(x, y);
}

enum ir_dependence_kind ir_conflict_of(const struct ir_memory *m, const struct ir_effects *x,
                                       const struct ir_effects *y)
{
    if (x->world && y->world)
        return IR_DEP_EFFECT;
    if (writes_what_is_read(m, x, y))
        return IR_DEP_FLOW;
    if (write_the_same(m, x, y))
        return IR_DEP_OUTPUT;
    return writes_what_is_read(m, y, x) ? IR_DEP_ANTI : IR_DEP_NONE;
}
