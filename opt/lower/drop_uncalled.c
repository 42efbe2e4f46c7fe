/* drop_uncalled.c: of functions that no kernel calls only the type is left, so that no target has to have
 * what they need. A function whose address is taken counts as called while there are calls through pointers.
 */
#include "opt/pass.h"

struct reach {
    struct arena *scratch;
    const struct ir_module *m;
    struct bitset functions;
    u32_vec work;
};

static void add(struct reach *x, uint32_t function)
{
    if (bitset_has(x->functions, function))
        return;
    bitset_add(x->functions, function);
    vec_push(x->scratch, &x->work, function);
}

/* The function whose address an instruction takes; as many as there are functions: none. */
static uint32_t address_of(const struct ir_module *m, const struct ir_ins *ins)
{
    if (ins->op == IR_function)
        return (uint32_t)ins->imm;
    bool number = ins->op == IR_constant && ins->type == IR_TYPE_FUNCTION && ins->imm > 0;
    return number && (uint64_t)ins->imm <= m->functions.count ? (uint32_t)ins->imm - 1 : m->functions.count;
}

/* Everything whose address the module takes. */
static void add_addresses(struct reach *x)
{
    for (uint32_t i = 0; i < x->m->functions.count; i++) {
        if (x->m->functions.at[i]->flags & IR_FN_TAKEN)
            add(x, i);
        for (uint32_t r = 1; r < x->m->functions.at[i]->ins.count; r++) {
            uint32_t n = address_of(x->m, ir_at(x->m->functions.at[i], r));
            if (n < x->m->functions.count)
                add(x, n);
        }
    }
}

static void follow_calls(struct reach *x, bool *pointers)
{
    while (x->work.count) {
        const struct ir_function *f = x->m->functions.at[vec_pop(&x->work)];
        ir_each_block(i, b, f)
            ir_each_ins(r, f, b) {
                *pointers |= ir_at(f, r)->op == IR_icall;
                if (ir_at(f, r)->op == IR_call)
                    add(x, (uint32_t)ir_at(f, r)->imm);
            }
    }
}

static struct bitset reached_functions(struct arena *a, const struct ir_module *m)
{
    struct reach x = {.scratch = a, .m = m, .functions = bitset_new(a, m->functions.count)};
    bool pointers = false;
    for (uint32_t i = 0; i < m->functions.count; i++)
        if (m->functions.at[i]->flags & IR_FN_KERNEL)
            add(&x, i);
    follow_calls(&x, &pointers);
    if (pointers) {
        add_addresses(&x);
        follow_calls(&x, &pointers);
    }
    return x.functions;
}

static void empty_function(struct arena *scratch, struct ir_function *f)
{
    static const char text[] = "a function that nothing calls";
    uint32_t entry = ir_entry(f);
    struct bitset others = bitset_new(scratch, f->blocks.count);
    ir_each_block(i, b, f)
        if (b != entry)
            bitset_add(others, b);
    ir_blocks_remove(f, others);
    while (ir_block_at(f, entry)->last)
        ir_remove(f, ir_block_at(f, entry)->last);
    memset(&ir_block_at(f, entry)->edges, 0, sizeof ir_block_at(f, entry)->edges);
    struct ir_cursor c = {.fn = f, .block = entry};
    ir_ref r = ir_emit0(&c, IR_trap, IR_TYPE_VOID);
    ir_at(f, r)->imm = ir_text_add(f->module, text, sizeof text - 1);
}

bool opt_drop_uncalled(struct opt_context *c, struct ir_module *m)
{
    bool changed = false;
    for (uint32_t i = 0; i < m->functions.count; i++)
        if (m->functions.at[i]->order.count)
            changed |= opt_drop_unreachable(c->scratch, opt_cfg(c, m->functions.at[i]), m->functions.at[i]);
    struct bitset reached = reached_functions(c->scratch, m);
    for (uint32_t i = 0; i < m->functions.count; i++) {
        if (bitset_has(reached, i))
            continue;
        empty_function(c->scratch, m->functions.at[i]);
        changed = true;
    }
    return changed;
}
