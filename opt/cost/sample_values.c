/* sample_values.c: instructions of one sampled lane, on values that are known or not.
 *
 * A thread of the launch directive's grid. A buffer's address is its parameter's number plus one,
 * times BUFFER; what the directive makes it of is what loads find, unless the lane itself has stored there.
 */
#include "launch/launch.h"
#include "opt/cost/sample.h"
#include "opt/pass.h"

enum { BUFFER_BITS = 27 };

uint64_t cost_draw(uint64_t what, uint64_t which, uint64_t lane)
{
    return hash_mix(hash_mix(what + 1, which * 64 + lane), 0x9e3779b97f4a7c15u);
}

/* ---- memory ------------------------------------------------------------------------------------------ */

static bool read_buffer(const struct cost_sampler *x, uint32_t address, enum ir_mem m, scalar_bits *bits)
{
    uint32_t parameter = (address >> BUFFER_BITS) - 1, offset = address & ((1u << BUFFER_BITS) - 1);
    if (!(address >> BUFFER_BITS) || !x->kernel || parameter >= x->kernel->params.count ||
        !x->arguments[parameter])
        return false;
    const struct ir_param_info *p = &x->kernel->params.at[parameter];
    uint32_t size = p->element_bytes;
    uint64_t element = 0;
    if (launch_scalars((enum launch_element)p->element, size) != 1 || size > 8 || offset % size)
        return false;
    if (ir_mem_info[m].bytes > size ||
        !launch_make_element(x->arguments[parameter], (enum launch_element)p->element, offset / size,
                             &element))
        return false;
    *bits = ir_loaded(m, &element);
    return true;
}

static bool read_object(const struct cost_sampler *x, uint32_t address, enum ir_mem m, scalar_bits *bits)
{
    const struct ir_module *module = x->s->f->module;
    for (uint32_t i = 0; i < module->objects.count; i++) {
        const struct ir_object *o = &module->objects.at[i];
        uint32_t offset = address - x->place[i];
        if (o->space != IR_TYPE_CONSTANT || !o->bytes || offset >= o->size ||
            ir_mem_info[m].bytes > o->size - offset)
            continue;
        *bits = ir_loaded(m, o->bytes + offset);
        return true;
    }
    return false;
}

static uint64_t memory_key(enum ir_type space, uint32_t address)
{
    return (uint64_t)(space == IR_TYPE_PRIVATE) << 32 | address;
}

static void load(const struct cost_sampler *x, struct cost_lane *lane, ir_ref r, uint32_t address)
{
    const struct ir_ins *i = ir_at(x->s->f, r);
    enum ir_type space = ir_at(x->s->f, i->args[0])->type;
    uint32_t at = map_get(&lane->memory, memory_key(space, address));
    if (space == IR_TYPE_SHARED || i->mem == IR_MEM_PTR)
        return;
    if (at != MAP_NONE && at > 0) {
        lane->value[r] = lane->stored.at[at - 1];
        lane->known[r] = true;
    } else if (at == MAP_NONE && space != IR_TYPE_PRIVATE) {
        lane->known[r] = read_buffer(x, address, i->mem, &lane->value[r]) ||
                         read_object(x, address, i->mem, &lane->value[r]);
    }
}

/* What is stored where one doesn't know changes nothing one knows. Partial stores of a value are rare. */
static void store(const struct cost_sampler *x, struct cost_lane *lane, const struct ir_ins *i,
                  uint32_t address)
{
    enum ir_type space = ir_at(x->s->f, i->args[0])->type;
    uint64_t key = memory_key(space, address);
    uint8_t bytes[8] = {0};
    if (space == IR_TYPE_SHARED)
        return;
    if (!lane->known[i->args[1]] || i->mem == IR_MEM_PTR) {
        map_set(x->arena, &lane->memory, key, 0);
        return;
    }
    memcpy(bytes, &lane->value[i->args[1]], sizeof bytes);
    vec_push(x->arena, &lane->stored, ir_loaded(i->mem, bytes));
    map_set(x->arena, &lane->memory, key, lane->stored.count);
}

static void access_memory(struct cost_sampler *x, struct cost_lane *lane, ir_ref r)
{
    const struct ir_function *f = x->s->f;
    const struct ir_ins *i = ir_at(f, r);
    bool known = lane->known[i->args[0]];
    uint32_t address = (uint32_t)(lane->value[i->args[0]] + (uint64_t)i->imm);
    if (cost_is_access(f, r)) {
        bool same = !bitset_has(x->u->divergent, i->args[0]);
        uint64_t any = cost_draw(r, lane->visited[i->block], same ? 0 : lane->number + 1);
        vec_push(x->arena, &x->s->segments, known ? address / COST_SEGMENT : (uint32_t)any);
    }
    if (known && i->op == IR_load)
        load(x, lane, r, address);
    else if (known && i->op == IR_store)
        store(x, lane, i, address);
}

/* ---- values ------------------------------------------------------------------------------------------ */

static void compute(struct cost_sampler *x, struct cost_lane *lane, ir_ref r)
{
    const struct ir_ins *i = ir_at(x->s->f, r);
    scalar_bits args[SCALAR_MAX_ARGS];
    for (uint32_t k = 0; k < i->argc; k++) {
        if (!lane->known[i->args[k]])
            return;
        args[k] = lane->value[i->args[k]];
    }
    lane->known[r] = true;
    if (i->op == IR_ptradd)
        lane->value[r] = (uint32_t)(args[0] + args[1]);
    else if (i->op == IR_ptrcast)
        lane->value[r] = args[0];
    else
        lane->value[r] = scalar_evaluate((enum scalar_case)x->cases[r], args);
}

void cost_run_instruction(struct cost_sampler *x, struct cost_lane *lane, ir_ref r)
{
    const struct ir_ins *i = ir_at(x->s->f, r);
    lane->known[r] = false;
    if (x->cases[r] >= 0 || i->op == IR_ptradd || i->op == IR_ptrcast) {
        compute(x, lane, r);
    } else if (i->op == IR_special) {
        lane->value[r] = cost_special(x->hints, (enum ir_special)i->imm, lane->number);
        lane->known[r] = true;
    } else if (i->op == IR_alloca || i->op == IR_object) {
        lane->value[r] = x->place[i->op == IR_object ? i->imm : x->s->f->module->objects.count + r];
        lane->known[r] = true;
    } else if (i->mem != IR_MEM_NONE && i->argc) {
        access_memory(x, lane, r);
    }
}

void cost_run_parameters(struct cost_sampler *x, struct cost_lane *lane)
{
    const struct ir_function *f = x->s->f;
    const u32_vec *params = &ir_block_at(f, ir_entry(f))->params;
    for (uint32_t k = 0; k < params->count; k++) {
        ir_ref r = params->at[k];
        const struct launch_value *a = x->arguments[k];
        if (x->kernel && ir_is_pointer(ir_at(f, r)->type)) {
            lane->value[r] = (uint64_t)(k + 1) << BUFFER_BITS & UINT32_MAX;
            lane->known[r] = k < 30;
        } else if (a && (a->kind == LAUNCH_SCALAR || a->kind == LAUNCH_ROUND)) {
            lane->known[r] = launch_make_scalar(a, (enum launch_element)x->kernel->params.at[k].element, 0,
                                                &lane->value[r]) == NULL;
        }
    }
}
