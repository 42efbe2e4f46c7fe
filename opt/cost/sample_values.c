/* sample_values.c: what a sampled lane computes, in functions that it calls, too, from values known or not.
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

static void forget_memory(struct cost_lane *lane)
{
    lane->memory = (struct map){0};
    vec_clear(&lane->filled);
    lane->forgot = true;
}

/* The last block written that has the address, or NULL. */
static const struct cost_filled *filled_at(const struct cost_lane *lane, uint64_t key)
{
    const struct cost_filled *last = NULL;
    for (uint32_t i = 0; i < lane->filled.count; i++) {
        const struct cost_filled *b = &lane->filled.at[i];
        if (key >= b->first && key < b->end && (!last || b->since >= last->since))
            last = b;
    }
    return last;
}

/* What the lane has stored at the address, or NULL; *filled: or had as a block since, or NULL. */
static const struct cost_stored *stored_at(const struct cost_lane *lane, uint64_t key,
                                           const struct cost_filled **filled)
{
    uint32_t at = map_get(&lane->memory, key);
    *filled = filled_at(lane, key);
    if (at != MAP_NONE && *filled && at <= (*filled)->since)
        at = MAP_NONE;
    if (at == MAP_NONE)
        return NULL;
    *filled = NULL;
    return &lane->stored.at[at - 1];
}

static bool read_filled(const struct cost_sampler *x, const struct cost_filled *b, uint64_t key,
                        enum ir_mem m, scalar_bits *bits)
{
    static const uint8_t zeros[8];
    if (b->with == COST_CLEARED)
        *bits = ir_loaded(m, zeros);
    return b->with == COST_CLEARED ||
           (b->with == COST_COPIED && read_object(x, b->from + (uint32_t)(key - b->first), m, bits));
}

static void load(const struct cost_sampler *x, struct cost_lane *lane, ir_ref r, uint32_t address)
{
    const struct ir_ins *i = ir_at(x->body->f, r);
    enum ir_type space = ir_at(x->body->f, i->args[0])->type;
    uint64_t key = memory_key(space, address);
    const struct cost_filled *filled;
    const struct cost_stored *stored = stored_at(lane, key, &filled);
    if (space == IR_TYPE_SHARED || i->mem == IR_MEM_PTR)
        return;
    if (stored) {
        lane->value[r] = stored->value;
        lane->known[r] = stored->known;
    } else if (filled) {
        lane->known[r] = read_filled(x, filled, key, i->mem, &lane->value[r]);
    } else if (space != IR_TYPE_PRIVATE) {
        lane->known[r] = (!lane->forgot && read_buffer(x, address, i->mem, &lane->value[r])) ||
                         read_object(x, address, i->mem, &lane->value[r]);
    }
}

static void keep(const struct cost_sampler *x, struct cost_lane *lane, uint64_t key, struct cost_stored s)
{
    vec_push(x->arena, &lane->stored, s);
    map_set(x->arena, &lane->memory, key, lane->stored.count);
}

/* What is stored where one doesn't know changes nothing one knows. Partial stores of a value are rare. */
static void store(const struct cost_sampler *x, struct cost_lane *lane, const struct ir_ins *i,
                  uint32_t address)
{
    enum ir_type space = ir_at(x->body->f, i->args[0])->type;
    struct cost_stored s = {.known = lane->known[i->args[1]] && i->mem != IR_MEM_PTR};
    uint8_t bytes[8] = {0};
    if (space == IR_TYPE_SHARED)
        return;
    memcpy(bytes, &lane->value[i->args[1]], sizeof bytes);
    if (s.known)
        s.value = ir_loaded(i->mem, bytes);
    keep(x, lane, memory_key(space, address), s);
}

enum { FILLED_MAX = 64 }; /* ranges of a lane; with more, nothing is known of its memory */

static void fill(const struct cost_sampler *x, struct cost_lane *lane, struct cost_filled b)
{
    b.since = lane->stored.count;
    for (uint32_t i = 0; i < lane->filled.count; i++)
        if (lane->filled.at[i].first == b.first && lane->filled.at[i].end == b.end) {
            lane->filled.at[i] = b;
            return;
        }
    if (lane->filled.count == FILLED_MAX)
        forget_memory(lane);
    else
        vec_push(x->arena, &lane->filled, b);
}

static void clear(const struct cost_sampler *x, struct cost_lane *lane, const struct ir_ins *i)
{
    enum ir_type space = ir_at(x->body->f, i->args[0])->type;
    uint64_t first = memory_key(space, (uint32_t)lane->value[i->args[0]]);
    if (space != IR_TYPE_SHARED)
        fill(x, lane, (struct cost_filled){first, first + (uint64_t)i->imm, .with = COST_CLEARED});
}

/* What is copied from there as a block: constant memory, or what a block has that it is a part of. */
static struct cost_filled copied_from(const struct cost_lane *lane, enum ir_type space, uint32_t address,
                                      uint64_t bytes)
{
    uint64_t first = memory_key(space, address);
    const struct cost_filled *b = filled_at(lane, first);
    if (space == IR_TYPE_CONSTANT)
        return (struct cost_filled){.with = COST_COPIED, .from = address};
    if (!b || b->end < first + bytes)
        return (struct cost_filled){.with = COST_ANYTHING};
    return (struct cost_filled){.with = b->with, .from = b->from + (uint32_t)(first - b->first)};
}

static void copy(const struct cost_sampler *x, struct cost_lane *lane, const struct ir_ins *i)
{
    enum ir_type to = ir_at(x->body->f, i->args[0])->type, from = ir_at(x->body->f, i->args[1])->type;
    uint64_t first = memory_key(to, (uint32_t)lane->value[i->args[0]]), bytes = (uint64_t)i->imm;
    uint32_t source = (uint32_t)lane->value[i->args[1]];
    bool known = lane->known[i->args[1]] && from != IR_TYPE_SHARED;
    if (to == IR_TYPE_SHARED || (known && first == memory_key(from, source)))
        return;
    struct cost_filled b = {.with = COST_ANYTHING};
    if (known)
        b = copied_from(lane, from, source, bytes);
    b.first = first;
    b.end = first + bytes;
    fill(x, lane, b);
    for (uint64_t k = 0; k < bytes && known; k++) {
        const struct cost_filled *filled;
        const struct cost_stored *s = stored_at(lane, memory_key(from, source + (uint32_t)k), &filled);
        if (s)
            keep(x, lane, first + k, *s);
    }
}

static void access_memory(struct cost_sampler *x, struct cost_lane *lane, ir_ref r)
{
    const struct ir_function *f = x->body->f;
    const struct ir_ins *i = ir_at(f, r);
    bool known = lane->known[i->args[0]];
    uint32_t address = (uint32_t)(lane->value[i->args[0]] + (uint64_t)i->imm);
    if (!x->calls && cost_is_access(f, r)) {
        bool same = !bitset_has(x->u->divergent, i->args[0]);
        uint64_t any = cost_draw(r, lane->visited[i->block], same ? 0 : lane->number + 1);
        vec_push(x->arena, &x->s->segments, known ? address / COST_SEGMENT : (uint32_t)any);
    }
    if (known && i->op == IR_load)
        load(x, lane, r, address);
    else if (known && i->op == IR_store)
        store(x, lane, i, address);
    else if (known && i->op == IR_memzero)
        clear(x, lane, i);
    else if (known && i->op == IR_memcpy)
        copy(x, lane, i);
}

/* ---- values ------------------------------------------------------------------------------------------ */

static void call(struct cost_sampler *x, struct cost_lane *lane, ir_ref r);

static void compute(struct cost_sampler *x, struct cost_lane *lane, ir_ref r)
{
    const struct ir_ins *i = ir_at(x->body->f, r);
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
        lane->value[r] = scalar_evaluate((enum scalar_case)x->body->cases[r], args);
}

static void run_instruction(struct cost_sampler *x, struct cost_lane *lane, ir_ref r)
{
    const struct ir_ins *i = ir_at(x->body->f, r);
    lane->known[r] = false;
    if (x->body->cases[r] >= 0 || i->op == IR_ptradd || i->op == IR_ptrcast) {
        compute(x, lane, r);
    } else if (i->op == IR_special) {
        lane->value[r] = cost_special(x->hints, (enum ir_special)i->imm, lane->number);
        lane->known[r] = true;
    } else if (i->op == IR_alloca || i->op == IR_object) {
        lane->value[r] = i->op == IR_object ? x->place[i->imm] : lane->frame + x->body->place[r];
        lane->known[r] = true;
    } else if (i->op == IR_call) {
        call(x, lane, r);
    } else if (i->op == IR_icall) {
        forget_memory(lane);
    } else if (i->argc && (i->mem != IR_MEM_NONE || i->op == IR_memzero || i->op == IR_memcpy)) {
        access_memory(x, lane, r);
    }
}

void cost_run_instructions(struct cost_sampler *x, struct cost_lane *lane)
{
    uint32_t work = 0;
    ir_each_ins(r, x->body->f, lane->block) {
        run_instruction(x, lane, r);
        work += ir_at(x->body->f, r)->op == IR_memcpy ? 1 + (uint32_t)ir_at(x->body->f, r)->imm : 1;
    }
    x->left -= work < x->left ? work : x->left;
}

/* Longer lists of arguments go as if one after the other. */
void cost_follow(const struct cost_sampler *x, struct cost_lane *lane, const struct ir_edge *e)
{
    const u32_vec *params = &ir_block_at(x->body->f, e->block)->params;
    scalar_bits value[64];
    bool known[64];
    for (uint32_t first = 0; first < e->argc; first += 64) {
        uint32_t n = e->argc - first < 64 ? e->argc - first : 64;
        for (uint32_t k = 0; k < n; k++) {
            value[k] = lane->value[e->args[first + k]];
            known[k] = lane->known[e->args[first + k]];
        }
        for (uint32_t k = 0; k < n; k++) {
            lane->value[params->at[first + k]] = value[k];
            lane->known[params->at[first + k]] = known[k];
        }
    }
    lane->block = e->block;
}

/* ---- functions --------------------------------------------------------------------------------------- */

enum { CALLS_DEEP = 16 }; /* deeper ones, and recursion, are not known */

const struct cost_body *cost_body_of(struct cost_sampler *x, const struct ir_function *f)
{
    if (x->bodies[f->id])
        return x->bodies[f->id];
    struct cost_body *body = x->bodies[f->id] = arena_new(x->arena, struct cost_body);
    *body = (struct cost_body){.f = f,
                               .cases = arena_array(x->arena, int32_t, f->ins.count),
                               .place = arena_array(x->arena, uint32_t, f->ins.count)};
    for (ir_ref r = 0; r < f->ins.count; r++)
        body->cases[r] =
            ir_is_pure(ir_at(f, r)->op) && ir_at(f, r)->argc ? (int32_t)ir_scalar_case(f, r) : -1;
    ir_each_block(k, b, f)
        ir_each_ins(r, f, b)
            if (ir_at(f, r)->op == IR_alloca) {
                body->place[r] = body->frame;
                body->frame += ((uint32_t)ir_at(f, r)->imm + 15) / 16 * 16;
            }
    return body;
}

void cost_begin_function(struct arena *a, struct cost_lane *lane, const struct ir_function *f)
{
    lane->block = ir_entry(f);
    lane->value = arena_array(a, scalar_bits, f->ins.count);
    lane->known = arena_array(a, bool, f->ins.count);
    for (ir_ref r = 1; r < f->ins.count; r++)
        lane->known[r] = ir_is_const(f, r, &lane->value[r]);
}

/* The ret that the lane comes to; 0: that depends on what is not known. */
static ir_ref run_to_return(struct cost_sampler *x, struct cost_lane *lane)
{
    const struct ir_function *f = x->body->f;
    while (x->left) {
        uint32_t b = lane->block;
        cost_run_instructions(x, lane);
        const struct ir_ins *end = ir_at(f, ir_terminator(f, b));
        const struct ir_block *block = ir_block_at(f, b);
        if (end->op == IR_ret)
            return ir_terminator(f, b);
        if (!block->edges.count || (block->edges.count > 1 && !lane->known[end->args[0]]))
            return 0;
        uint32_t e = block->edges.count > 1 ? ir_chosen_edge(f, b, lane->value[end->args[0]]) : 0;
        cost_follow(x, lane, &block->edges.at[e]);
    }
    return 0;
}

/* Behind a function of which it is not known how it goes, nothing is known of what it gives or may write. */
static void call(struct cost_sampler *x, struct cost_lane *lane, ir_ref r)
{
    const struct cost_body *caller = x->body;
    const struct ir_ins *i = ir_at(caller->f, r);
    const struct ir_function *f = caller->f->module->functions.at[i->imm];
    struct cost_lane inner = *lane;
    struct scratch scratch;
    struct arena *a = scratch_begin(&scratch);
    ir_ref ret = 0;
    if (f->order.count && x->calls < CALLS_DEEP) {
        x->body = cost_body_of(x, f);
        x->calls++;
        cost_begin_function(a, &inner, f);
        inner.frame += caller->frame;
        for (uint32_t k = 0; k < i->argc; k++) {
            ir_ref p = ir_block_at(f, inner.block)->params.at[k];
            inner.value[p] = lane->value[i->args[k]];
            inner.known[p] = lane->known[i->args[k]];
        }
        ret = run_to_return(x, &inner);
        x->calls--;
        x->body = caller;
    }
    lane->memory = inner.memory;
    lane->stored = inner.stored;
    lane->filled = inner.filled;
    lane->forgot = inner.forgot;
    if (!ret) {
        forget_memory(lane);
    } else if (ir_at(f, ret)->argc) {
        lane->value[r] = inner.value[ir_at(f, ret)->args[0]];
        lane->known[r] = inner.known[ir_at(f, ret)->args[0]];
    }
    scratch_end(&scratch);
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
