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

/* Where the lane finds what was stored; NULL: it holds anything. */
static struct cost_memory *memory_of(const struct cost_sampler *x, uint32_t lane, enum ir_type space)
{
    return space == IR_TYPE_SHARED ? x->shared : &x->lane[lane].memory;
}

static uint64_t memory_key(enum ir_type space, uint32_t address)
{
    return (uint64_t)(space == IR_TYPE_PRIVATE) << 32 | address;
}

static void forget_memory(struct cost_memory *m)
{
    m->values = (struct map){0};
    vec_clear(&m->filled);
    m->forgot = true;
}

/* The last block written that has the address, or NULL. */
static const struct cost_filled *filled_at(const struct cost_memory *m, uint64_t key)
{
    const struct cost_filled *last = NULL;
    for (uint32_t i = 0; i < m->filled.count; i++) {
        const struct cost_filled *b = &m->filled.at[i];
        if (key >= b->first && key < b->end && (!last || b->since >= last->since))
            last = b;
    }
    return last;
}

/* What was stored at the address, or NULL; *filled: or was written as a block since, or NULL. */
static const struct cost_stored *stored_at(const struct cost_memory *m, uint64_t key,
                                           const struct cost_filled **filled)
{
    uint32_t at = map_get(&m->values, key);
    *filled = filled_at(m, key);
    if (at != MAP_NONE && *filled && at <= (*filled)->since)
        at = MAP_NONE;
    if (at == MAP_NONE)
        return NULL;
    *filled = NULL;
    return &m->stored.at[at - 1];
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

static enum ir_type space_of(const struct cost_sampler *x, ir_ref pointer)
{
    return (enum ir_type)ir_at(x->frame->slice->f, pointer)->type;
}

/* What a load gives, if that is known. */
static bool load(const struct cost_sampler *x, uint32_t lane, const struct ir_ins *i, uint32_t address,
                 scalar_bits *bits)
{
    enum ir_type space = space_of(x, i->args[0]);
    const struct cost_memory *m = memory_of(x, lane, space);
    uint64_t key = memory_key(space, address);
    const struct cost_filled *filled;
    const struct cost_stored *stored = m ? stored_at(m, key, &filled) : NULL;
    if (!m || i->mem == IR_MEM_PTR)
        return false;
    if (stored) {
        *bits = stored->value;
        return stored->known;
    }
    if (filled)
        return read_filled(x, filled, key, i->mem, bits);
    return space != IR_TYPE_PRIVATE && space != IR_TYPE_SHARED &&
           ((!m->forgot && read_buffer(x, address, i->mem, bits)) || read_object(x, address, i->mem, bits));
}

/* A value that is not known is kept only where one is: it was stored, or written as a part of a block. */
static void keep(const struct cost_sampler *x, struct cost_memory *m, uint64_t key, struct cost_stored s)
{
    const struct cost_filled *filled;
    const struct cost_stored *before = stored_at(m, key, &filled);
    if (before) {
        m->stored.at[before - m->stored.at] = s;
    } else if (s.known || filled) {
        vec_push(x->arena, &m->stored, s);
        map_set(x->arena, &m->values, key, m->stored.count);
    }
}

/* value: NULL: it is not known. What is stored where one doesn't know changes nothing one knows. Partial stores
 * of a value are rare. */
static void store(const struct cost_sampler *x, uint32_t lane, const struct ir_ins *i, uint32_t address,
                  const scalar_bits *value)
{
    enum ir_type space = space_of(x, i->args[0]);
    struct cost_stored s = {.known = value && i->mem != IR_MEM_PTR};
    uint8_t bytes[8] = {0};
    if (s.known) {
        memcpy(bytes, value, sizeof bytes);
        s.value = ir_loaded(i->mem, bytes);
    }
    keep(x, memory_of(x, lane, space), memory_key(space, address), s);
}

enum { FILLED_MAX = 64 }; /* ranges; with more, nothing is known of the memory */

static void fill(const struct cost_sampler *x, struct cost_memory *m, struct cost_filled b)
{
    b.since = m->stored.count;
    for (uint32_t i = 0; i < m->filled.count; i++)
        if (m->filled.at[i].first == b.first && m->filled.at[i].end == b.end) {
            m->filled.at[i] = b;
            return;
        }
    if (m->filled.count == FILLED_MAX)
        forget_memory(m);
    else
        vec_push(x->arena, &m->filled, b);
}

static void clear(const struct cost_sampler *x, uint32_t lane, const struct ir_ins *i, uint32_t address)
{
    enum ir_type space = space_of(x, i->args[0]);
    uint64_t first = memory_key(space, address);
    fill(x, memory_of(x, lane, space),
         (struct cost_filled){first, first + (uint64_t)i->imm, .with = COST_CLEARED});
}

/* What is copied from there as a block: constant memory, or what a block has that it is a part of. */
static struct cost_filled copied_from(const struct cost_memory *m, enum ir_type space, uint32_t address,
                                      uint64_t bytes)
{
    uint64_t first = memory_key(space, address);
    const struct cost_filled *b = m ? filled_at(m, first) : NULL;
    if (space == IR_TYPE_CONSTANT)
        return (struct cost_filled){.with = COST_COPIED, .from = address};
    if (!b || b->end < first + bytes)
        return (struct cost_filled){.with = COST_ANYTHING};
    return (struct cost_filled){.with = b->with, .from = b->from + (uint32_t)(first - b->first)};
}

/* from_address: NULL: it is not known. */
static void copy(const struct cost_sampler *x, uint32_t lane, const struct ir_ins *i, uint32_t address,
                 const scalar_bits *from_address)
{
    enum ir_type to = space_of(x, i->args[0]), from = space_of(x, i->args[1]);
    struct cost_memory *target = memory_of(x, lane, to), *source = memory_of(x, lane, from);
    uint64_t first = memory_key(to, address), bytes = (uint64_t)i->imm;
    uint32_t at = from_address ? (uint32_t)*from_address : 0;
    if (from_address && source == target && first == memory_key(from, at))
        return;
    struct cost_filled b = {.with = COST_ANYTHING};
    if (from_address)
        b = copied_from(source, from, at, bytes);
    b.first = first;
    b.end = first + bytes;
    fill(x, target, b);
    for (uint64_t k = 0; k < bytes && from_address && source; k++) {
        const struct cost_filled *filled;
        const struct cost_stored *s = stored_at(source, memory_key(from, at + (uint32_t)k), &filled);
        if (s)
            keep(x, target, first + k, *s);
    }
}

/* ---- values ------------------------------------------------------------------------------------------ */

static scalar_bits *values(const struct cost_sampler *x, uint32_t slot)
{
    return &x->frame->value[(size_t)slot * x->s->lanes];
}

static uint64_t knowing(const struct cost_sampler *x, uint32_t slot, uint64_t lanes)
{
    return x->frame->known[slot] & lanes;
}

/* Of these lanes, those know what the step gives. */
static void set_known(struct cost_sampler *x, const struct cost_step *step, uint64_t lanes, uint64_t known)
{
    if (step->to)
        x->frame->known[step->to] = (x->frame->known[step->to] & ~lanes) | known;
}

static void give_all(struct cost_sampler *x, const struct cost_step *step, uint64_t lanes, scalar_bits value)
{
    scalar_bits *to = values(x, step->to);
    each_lane(n, lanes)
        to[n] = value;
    set_known(x, step, lanes, lanes);
}

static void compute(struct cost_sampler *x, const struct cost_step *step, uint64_t lanes)
{
    const scalar_bits *args[SCALAR_MAX_ARGS];
    scalar_bits *to = values(x, step->to);
    uint64_t known = lanes;
    for (uint32_t k = 0; k < step->argc; k++) {
        args[k] = values(x, step->args[k]);
        known &= x->frame->known[step->args[k]];
    }
    if (step->kind == COST_STEP_COMPUTE)
        scalar_evaluate_lanes((enum scalar_case)step->which, args, known, to);
    else if (step->kind == COST_STEP_ADD)
        each_lane(n, known)
            to[n] = (uint32_t)(args[0][n] + args[1][n]);
    else
        each_lane(n, known)
            to[n] = args[0][n];
    set_known(x, step, lanes, known);
}

static void compute_special(struct cost_sampler *x, const struct cost_step *step, uint64_t lanes)
{
    scalar_bits *to = values(x, step->to);
    each_lane(n, lanes)
        to[n] = cost_special(x->hints, (enum ir_special)step->args[0], n);
    set_known(x, step, lanes, lanes);
}

/* ---- accesses ---------------------------------------------------------------------------------------- */

/* The segments that the lanes touch, each in the place of its lane; numbers in no order, where that is not
 * known. */
static void touch(struct cost_sampler *x, const struct cost_step *step, uint64_t lanes, uint32_t first,
                  uint32_t apart)
{
    const struct ir_ins *i = ir_at(x->frame->slice->f, step->ins);
    const scalar_bits *address = values(x, step->args[0]);
    uint64_t known = knowing(x, step->args[0], lanes);
    bool same = !bitset_has(x->u->divergent, i->args[0]);
    each_lane(n, lanes) {
        uint32_t segment = (uint32_t)(address[n] + (uint64_t)i->imm) / COST_SEGMENT;
        if (!(known >> n & 1))
            segment =
                (uint32_t)cost_draw(step->ins, x->visited[i->block * x->s->lanes + n], same ? 0 : n + 1);
        x->s->segments.at[first] = segment;
        first += apart;
    }
}

static void access_memory(struct cost_sampler *x, const struct cost_step *step, uint64_t lanes)
{
    const struct ir_ins *i = ir_at(x->frame->slice->f, step->ins);
    const scalar_bits *address = values(x, step->args[0]), *operand = values(x, step->args[1]);
    uint64_t known = 0, with = knowing(x, step->args[1], lanes);
    each_lane(n, knowing(x, step->args[0], lanes)) {
        uint32_t at = (uint32_t)(address[n] + (step->kind == COST_STEP_LOAD || step->kind == COST_STEP_STORE
                                                   ? (uint64_t)i->imm
                                                   : 0));
        const scalar_bits *second = with >> n & 1 ? &operand[n] : NULL;
        switch (step->kind) {
        case COST_STEP_LOAD: known |= (uint64_t)load(x, n, i, at, &values(x, step->to)[n]) << n; break;
        case COST_STEP_STORE: store(x, n, i, at, second); break;
        case COST_STEP_CLEAR: clear(x, n, i, at); break;
        default: copy(x, n, i, at, second); break;
        }
    }
    set_known(x, step, lanes, known);
}

/* ---- blocks ------------------------------------------------------------------------------------------ */

static void call(struct cost_sampler *x, const struct cost_step *step, uint64_t lanes);

static void forget(struct cost_sampler *x, uint64_t lanes)
{
    each_lane(n, lanes)
        forget_memory(&x->lane[n].memory);
    if (x->shared && lanes)
        forget_memory(x->shared);
}

static void run_step(struct cost_sampler *x, const struct cost_step *step, uint64_t lanes)
{
    switch ((enum cost_step_kind)step->kind) {
    case COST_STEP_NONE: break;
    case COST_STEP_COMPUTE:
    case COST_STEP_ADD:
    case COST_STEP_SAME: compute(x, step, lanes); break;
    case COST_STEP_SPECIAL: compute_special(x, step, lanes); break;
    case COST_STEP_FRAME: give_all(x, step, lanes, x->frame->base + step->args[0]); break;
    case COST_STEP_OBJECT: give_all(x, step, lanes, x->place[step->args[0]]); break;
    case COST_STEP_LOAD:
    case COST_STEP_STORE:
    case COST_STEP_CLEAR:
    case COST_STEP_COPY: access_memory(x, step, lanes); break;
    case COST_STEP_CALL: call(x, step, lanes); break;
    case COST_STEP_FORGET: forget(x, lanes); /* fallthrough */
    case COST_STEP_UNKNOWN: set_known(x, step, lanes, 0); break;
    }
}

void cost_run_block(struct cost_sampler *x, uint32_t block, uint64_t lanes, uint32_t first_segment)
{
    const struct cost_slice *slice = x->frame->slice;
    const struct cost_slice_block *b = &slice->blocks[block];
    uint64_t work = (uint64_t)b->work * (uint64_t)__builtin_popcountll(lanes);
    for (uint32_t k = 0; k < b->count; k++) {
        const struct cost_step *step = &slice->steps.at[b->first + k];
        if (step->touches)
            touch(x, step, lanes, first_segment++, b->touched);
        run_step(x, step, lanes);
    }
    x->left -= work < x->left ? work : x->left;
}

/* Moves are made at once, but for long lists, which go as if one part after the other. */
static void follow(struct cost_sampler *x, const struct cost_slice_edge *edge, uint64_t lanes)
{
    enum { AT_ONCE = 16 };
    scalar_bits value[AT_ONCE][COST_MAX_LANES];
    uint64_t known[AT_ONCE];
    for (uint32_t first = 0; first < edge->count; first += AT_ONCE) {
        const struct cost_move *moves = &x->frame->slice->moves.at[edge->first + first];
        uint32_t count = edge->count - first < AT_ONCE ? edge->count - first : AT_ONCE;
        for (uint32_t k = 0; k < count; k++) {
            known[k] = knowing(x, moves[k].from, lanes);
            memcpy(value[k], values(x, moves[k].from), x->s->lanes * sizeof value[k][0]);
        }
        for (uint32_t k = 0; k < count; k++) {
            scalar_bits *to = values(x, moves[k].to);
            each_lane(n, known[k])
                to[n] = value[k][n];
            x->frame->known[moves[k].to] = (x->frame->known[moves[k].to] & ~lanes) | known[k];
        }
    }
}

static void take(struct cost_sampler *x, uint32_t block, uint32_t e, uint64_t lanes,
                 struct cost_groups *groups)
{
    const struct cost_slice *slice = x->frame->slice;
    const struct cost_slice_edge *edge = &slice->edges.at[slice->blocks[block].first_edge + e];
    if (!lanes)
        return;
    follow(x, edge, lanes);
    cost_groups_add(groups, slice, edge->block, lanes);
}

void cost_leave_block(struct cost_sampler *x, uint32_t block, uint64_t lanes, struct cost_groups *groups)
{
    const struct ir_function *f = x->frame->slice->f;
    uint32_t edges = ir_block_at(f, block)->edges.count, edge[COST_MAX_LANES];
    uint32_t operand = x->frame->slice->blocks[block].operand;
    uint64_t known = edges > 1 ? knowing(x, operand, lanes) : lanes;
    uint64_t first = edges == 1 ? lanes : 0, left = x->calls ? known : lanes;
    const scalar_bits *value = values(x, operand);
    if (edges == 2 && known == lanes && ir_at(f, ir_terminator(f, block))->op == IR_brif) {
        each_lane(n, lanes)
            first |= (uint64_t)(value[n] != 0) << n;
        take(x, block, 1, lanes & ~first, groups);
        left = first;
    }
    take(x, block, 0, first, groups);
    left &= ~first;
    each_lane(n, left)
        edge[n] = known >> n & 1 ? ir_chosen_edge(f, block, value[n]) : cost_draw_edge(x, block, n);
    while (left) {
        uint64_t same = 0;
        uint32_t e = edge[__builtin_ctzll(left)];
        each_lane(n, left)
            same |= (uint64_t)(edge[n] == e) << n;
        take(x, block, e, same, groups);
        left &= ~same;
    }
}

/* ---- functions --------------------------------------------------------------------------------------- */

enum { CALLS_DEEP = 16 }; /* deeper ones, and recursion, are not known */

static void know_constants(struct cost_frame *frame)
{
    memset(frame->known, 0, frame->slice->slots * sizeof frame->known[0]);
    for (uint32_t k = 0; k < frame->slice->constants.count; k++)
        frame->known[frame->slice->constants.at[k].slot] = UINT64_MAX;
}

void cost_make_frame(const struct cost_sampler *x, struct arena *a, struct cost_frame *frame,
                     const struct cost_slice *slice)
{
    frame->slice = slice;
    frame->value = arena_array(a, scalar_bits, (size_t)slice->slots * x->s->lanes);
    frame->known = arena_array(a, uint64_t, slice->slots);
    for (uint32_t k = 0; k < slice->constants.count; k++) {
        const struct cost_constant *c = &slice->constants.at[k];
        for (uint32_t n = 0; n < x->s->lanes; n++)
            frame->value[(size_t)c->slot * x->s->lanes + n] = c->value;
    }
    know_constants(frame);
}

/* A function's frame is made once. One of a function that calls itself is made in the arena. */
static struct cost_frame *enter(struct cost_sampler *x, struct arena *a, const struct ir_function *f)
{
    struct cost_frame **first = &x->called[f->id], *frame = *first;
    if (!frame) {
        frame = *first = arena_new(x->arena, struct cost_frame);
        cost_make_frame(x, x->arena, frame, cost_slice_new(x->arena, f, NULL, true, x->shared));
    } else if (frame->entered) {
        frame = arena_new(a, struct cost_frame);
        cost_make_frame(x, a, frame, (*first)->slice);
    } else {
        know_constants(frame);
    }
    frame->base = x->frame->base + x->frame->slice->frame;
    frame->entered = true;
    return frame;
}

/* The lanes return from the callee, by a ret with this slot's value. */
static void give_result(struct cost_sampler *x, const struct cost_step *step, struct cost_frame *caller,
                        uint32_t slot, uint64_t lanes)
{
    uint64_t known = knowing(x, slot, lanes);
    scalar_bits *to = &caller->value[(size_t)step->to * x->s->lanes];
    if (!step->to)
        return;
    each_lane(n, known)
        to[n] = values(x, slot)[n];
    caller->known[step->to] |= known;
}

/* The lanes run the function that has begun. Those that are lost are returned. */
static uint64_t run_function(struct cost_sampler *x, const struct cost_step *step, struct cost_frame *caller,
                             uint64_t lanes)
{
    const struct cost_slice *slice = x->frame->slice;
    struct cost_groups groups = {.count = 0};
    uint64_t lost = lanes;
    cost_groups_add(&groups, slice, ir_entry(slice->f), lanes);
    while (groups.count && x->left) {
        struct cost_group g = groups.at[--groups.count];
        bool returns = ir_at(slice->f, ir_terminator(slice->f, g.block))->op == IR_ret;
        cost_run_block(x, g.block, g.lanes, 0);
        if (returns)
            give_result(x, step, caller, slice->blocks[g.block].operand, g.lanes);
        else if (ir_block_at(slice->f, g.block)->edges.count)
            cost_leave_block(x, g.block, g.lanes, &groups);
        lost &= returns ? ~g.lanes : lost;
    }
    return lost;
}

/* Behind a function of which it is not known how it goes, nothing is known of what it gives or may write. */
static void call(struct cost_sampler *x, const struct cost_step *step, uint64_t lanes)
{
    struct cost_frame *caller = x->frame;
    const struct ir_ins *i = ir_at(caller->slice->f, step->ins);
    const struct ir_function *f = caller->slice->f->module->functions.at[i->imm];
    struct scratch scratch;
    struct arena *a = scratch_begin(&scratch);
    uint64_t lost = lanes;
    set_known(x, step, lanes, 0);
    if (f->order.count && x->calls < CALLS_DEEP) {
        struct cost_frame *frame = enter(x, a, f);
        for (uint32_t k = 0; k < i->argc; k++) {
            uint32_t to = frame->slice->slot[ir_block_at(f, ir_entry(f))->params.at[k]];
            uint32_t from = caller->slice->slot[i->args[k]];
            if (!to)
                continue;
            memcpy(&frame->value[(size_t)to * x->s->lanes], values(x, from),
                   x->s->lanes * sizeof frame->value[0]);
            frame->known[to] = knowing(x, from, lanes);
        }
        x->frame = frame;
        x->calls++;
        lost = run_function(x, step, caller, lanes);
        x->calls--;
        x->frame = caller;
        frame->entered = false;
    }
    forget(x, lost);
    scratch_end(&scratch);
}

void cost_run_parameters(struct cost_sampler *x)
{
    const struct ir_function *f = x->s->f;
    const u32_vec *params = &ir_block_at(f, ir_entry(f))->params;
    for (uint32_t k = 0; k < params->count; k++) {
        uint32_t to = x->frame->slice->slot[params->at[k]];
        const struct launch_value *a = x->arguments[k];
        scalar_bits bits = 0;
        bool known = false;
        if (x->kernel && ir_is_pointer(ir_at(f, params->at[k])->type)) {
            bits = (uint64_t)(k + 1) << BUFFER_BITS & UINT32_MAX;
            known = k < 30;
        } else if (a && (a->kind == LAUNCH_SCALAR || a->kind == LAUNCH_ROUND)) {
            known =
                launch_make_scalar(a, (enum launch_element)x->kernel->params.at[k].element, 0, &bits) == NULL;
        }
        for (uint32_t n = 0; to && n < x->s->lanes; n++)
            values(x, to)[n] = bits;
        x->frame->known[to] = to && known ? UINT64_MAX : 0;
    }
}
