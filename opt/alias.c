/* alias.c: address spaces, objects and offsets tell accesses apart.
 *
 * Private, shared and global memory have nothing in common; constant memory is never stored to. Two different
 * allocas or objects have nothing in common, and nothing but its own addresses reaches an alloca that has not
 * escaped. Within one object, accesses at constant offsets from the same pointer are compared byte by byte.
 */
#include "opt/alias.h"

static void note_escapes(struct opt_alias *a, const struct ir_ins *ins)
{
    for (uint32_t i = 0; i < ins->argc; i++) {
        bool as_address = i == 0 && (ins->op == IR_load || ins->op == IR_store || ins->op == IR_memzero);
        if (as_address || ins->op == IR_memcpy || ins->op == IR_ptradd ||
            !ir_is_pointer(ir_at(a->f, ins->args[i])->type))
            continue;
        bitset_add(a->escaped, a->object[ins->args[i]]);
    }
}

void opt_alias_find(struct opt_alias *a, struct arena *arena, const struct ir_function *f,
                    const struct ir_cfg *g)
{
    *a = (struct opt_alias){.f = f, .count = f->ins.count};
    a->object = arena_array(arena, ir_ref, a->count);
    a->escaped = bitset_new(arena, a->count);
    for (ir_ref r = 0; r < a->count; r++)
        a->object[r] = r;
    for (uint32_t i = 0; i < g->rpo_count; i++) {
        for ir_each_ins(r, f, g->rpo[i]) {
            const struct ir_ins *ins = ir_at(f, r);
            if (ins->op == IR_ptradd)
                a->object[r] = a->object[ins->args[0]];
            note_escapes(a, ins);
        }
        const struct ir_block *block = ir_block_at(f, g->rpo[i]);
        for (uint32_t e = 0; e < block->edges.count; e++)
            for (uint32_t k = 0; k < block->edges.at[e].argc; k++)
                bitset_add(a->escaped, a->object[block->edges.at[e].args[k]]);
    }
}

struct opt_location opt_location_of(const struct opt_alias *a, ir_ref p, int64_t imm, uint32_t size)
{
    struct opt_address at = opt_address_of(a->f, p);
    ir_ref object = at.root < a->count ? a->object[at.root] : at.root;
    return (struct opt_location){at.root, object, at.offset + (uint32_t)imm, size};
}

static bool ranges_overlap(struct opt_location x, struct opt_location y)
{
    return x.size == 0 || y.size == 0 || y.offset - x.offset < x.size || x.offset - y.offset < y.size;
}

/* Memory that no pointer of other origin leads to. */
static bool is_own(const struct opt_alias *a, ir_ref object)
{
    return ir_at(a->f, object)->op == IR_alloca && !bitset_has(a->escaped, object);
}

static bool is_object(const struct opt_alias *a, ir_ref object)
{
    return ir_at(a->f, object)->op == IR_alloca || ir_at(a->f, object)->op == IR_object;
}

static bool same_object(const struct opt_alias *a, ir_ref x, ir_ref y)
{
    const struct ir_ins *p = ir_at(a->f, x), *q = ir_at(a->f, y);
    return x == y || (p->op == IR_object && q->op == IR_object && p->imm == q->imm);
}

bool opt_may_overlap(const struct opt_alias *a, struct opt_location x, struct opt_location y)
{
    if (ir_at(a->f, x.object)->type != ir_at(a->f, y.object)->type)
        return false;
    if (x.root == y.root)
        return ranges_overlap(x, y);
    if (same_object(a, x.object, y.object))
        return true;
    if (is_own(a, x.object) || is_own(a, y.object))
        return false;
    return !(is_object(a, x.object) && is_object(a, y.object));
}

bool opt_covers(struct opt_location whole, struct opt_location part)
{
    uint32_t from = part.offset - whole.offset;
    return whole.root == part.root && part.size && from < whole.size && part.size <= whole.size - from;
}

enum opt_clobber opt_clobber_of(const struct ir_ins *ins)
{
    if (ins->op == IR_call || ins->op == IR_icall || ins->op == IR_hostcall)
        return OPT_CLOBBERS_ALL;
    bool orders = ins->op == IR_barrier || ins->op == IR_syncwarp || ins->op == IR_fence ||
                  (ins->op >= IR_atomic_add && ins->op <= IR_atomic_cas);
    return orders ? OPT_CLOBBERS_COMMON : OPT_CLOBBERS_NOTHING;
}

bool opt_is_clobbered(const struct opt_alias *a, enum opt_clobber c, struct opt_location x)
{
    enum ir_type space = ir_at(a->f, x.object)->type;
    if (c == OPT_CLOBBERS_NOTHING || space == IR_TYPE_CONSTANT)
        return false;
    return space == IR_TYPE_PRIVATE ? c == OPT_CLOBBERS_ALL && !is_own(a, x.object) : true;
}

bool opt_written(const struct opt_alias *a, const struct ir_ins *ins, struct opt_location *x)
{
    bool block = ins->op == IR_memzero || ins->op == IR_memcpy;
    bool atomic = ins->op >= IR_atomic_add && ins->op <= IR_atomic_cas;
    if (!block && !atomic && ins->op != IR_store)
        return false;
    *x = opt_location_of(a, ins->args[0], block ? 0 : ins->imm,
                         block ? (uint32_t)ins->imm : ir_mem_info[ins->mem].bytes);
    return true;
}

bool opt_read(const struct opt_alias *a, const struct ir_ins *ins, struct opt_location *x)
{
    bool atomic = ins->op >= IR_atomic_add && ins->op <= IR_atomic_cas;
    if (ins->op == IR_memcpy)
        *x = opt_location_of(a, ins->args[1], 0, (uint32_t)ins->imm);
    else if (ins->op == IR_load || atomic)
        *x = opt_location_of(a, ins->args[0], ins->imm, ir_mem_info[ins->mem].bytes);
    else
        return false;
    return true;
}
