/* frames.c: where each function's registers and private memory lie.
 *
 * Recursion is an error, so the call graph has no cycles and every frame gets a fixed place: behind the
 * frames of all that may be active below it, callers before callees. Frames of functions that are never
 * active together share registers, but for scalars: one thread may wait in a function while others of its warp
 * are in another one, so each function has its scalars to itself. Kernels begin together.
 *
 * Indirect calls go through a node of their own for each signature, whose frame holds the arguments, the
 * return slot and the result: callers → signature → every function of that signature whose address is taken.
 * A function with its address taken leaves its result in the signature's frame even when it is called
 * directly, so that frame must not overlap the direct caller's or those of all that may be active
 * below it, whichever comes first. That is no call: where the signature leads to the caller, the arguments
 * have been moved and the result is not yet there while the caller runs.
 */
#include "backend/bytecode/emit.h"

/* ---- signatures -------------------------------------------------------------------------------------- */

/* The first signature with these types, convergent or not, or IR_NO_SIGNATURE: both share a frame. */
static uint32_t find_signature(const struct be_context *c, struct ir_signature s)
{
    s.convergent = false;
    uint32_t plain = ir_signature_find(c->m, &s);
    s.convergent = true;
    uint32_t convergent = ir_signature_find(c->m, &s);
    return plain < convergent ? plain : convergent;
}

uint32_t be_signature(const struct be_context *c, uint32_t signature)
{
    return find_signature(c, c->m->signatures.at[signature]);
}

/* Argument registers in order, then the result: wide ones at even places. */
static uint32_t place_in(struct be_frame *frame, enum ir_type t)
{
    enum bc_kind kind = be_kind(t);
    uint32_t *size = &frame->size[be_region(kind, be_content(t))], wide = kind == BC_KIND_W;
    uint32_t at = wide ? (*size + 1) & ~1u : *size;
    *size = at + 1 + wide;
    return at;
}

static void lay_out_signature(struct be_context *c, uint32_t signature)
{
    const struct ir_signature *s = &c->m->signatures.at[signature];
    struct be_frame *frame = &c->frames[be_signature_node(c, signature)];
    if (frame->reached)
        return;
    frame->reached = true;
    frame->depth = 1; /* has a return slot even if no call of it is reached */
    for (uint32_t i = 0; i < s->argc; i++)
        frame->arguments[i] = place_in(frame, (enum ir_type)s->args[i]);
    if (s->result != IR_TYPE_VOID)
        frame->result = place_in(frame, (enum ir_type)s->result);
}

/* ---- reach ------------------------------------------------------------------------------------------- */

static struct be_function *reach(struct be_context *c, u32_vec *work, uint32_t id)
{
    if (!c->functions[id]) {
        struct be_function *f = c->functions[id] = arena_new(&c->arena, struct be_function);
        f->ir = c->m->functions.at[id];
        f->id = id;
        f->kernel = f->ir->flags & IR_FN_KERNEL;
        f->frontiers = scheme_has(c->scheme, SCHEME_FRONTIERS);
        f->joins = scheme_has(c->scheme, SCHEME_BARRIERS);
        f->signature = BE_NONE;
        c->frames[id].reached = true;
        vec_push(&c->arena, work, id);
    }
    return c->functions[id];
}

static void enter_by_pointer(struct be_context *c, u32_vec *work, uint32_t id, uint32_t signature)
{
    reach(c, work, id)->signature = signature;
}

/* A function is only entered by its address if some call has its signature. */
static void take_address(struct be_context *c, u32_vec *work, uint32_t id)
{
    uint32_t signature = find_signature(c, ir_signature_of(c->m->functions.at[id]));
    if (signature == IR_NO_SIGNATURE || c->m->functions.at[id]->flags & IR_FN_KERNEL)
        return;
    struct be_frame *frame = &c->frames[be_signature_node(c, signature)];
    if (frame->reached)
        enter_by_pointer(c, work, id, signature);
    else
        vec_push(&c->arena, &frame->waiting, id);
}

static void call_by_pointer(struct be_context *c, u32_vec *work, uint32_t signature)
{
    struct be_frame *frame = &c->frames[be_signature_node(c, signature)];
    lay_out_signature(c, signature);
    while (frame->waiting.count)
        enter_by_pointer(c, work, vec_pop(&frame->waiting), signature);
}

static void scan_instruction(struct be_context *c, u32_vec *work, struct be_function *f, ir_ref r)
{
    const struct ir_ins *ins = ir_at(f->ir, r);
    switch (ins->op) {
    case IR_call: reach(c, work, (uint32_t)ins->imm); break;
    case IR_function: take_address(c, work, (uint32_t)ins->imm); break;
    case IR_icall: call_by_pointer(c, work, be_signature(c, (uint32_t)ins->imm)); break;
    default: break;
    }
}

/* Only reachable blocks become code: what stands in others is not called. */
static void scan_function(struct be_context *c, u32_vec *work, struct be_function *f)
{
    f->cfg = ir_cfg_new(&c->arena, f->ir);
    f->allocas = be_lay_out_allocas(&c->arena, f->ir, &c->frames[f->id].private_size);
    for (uint32_t i = 0; i < f->cfg->rpo_count; i++) {
        const struct ir_block *b = ir_block_at(f->ir, f->cfg->rpo[i]);
        f->returns_before_others |= ir_at(f->ir, b->last)->op == IR_ret && b->frontier != IR_NO_BLOCK;
        ir_each_ins(r, f->ir, f->cfg->rpo[i])
            scan_instruction(c, work, f, r);
    }
    for (uint32_t r = 1; r < f->ir->ins.count; r++) {
        const struct ir_ins *ins = ir_at(f->ir, r);
        if (ins->op == IR_constant && ins->type == IR_TYPE_FUNCTION && ins->imm > 0 &&
            ins->imm <= c->m->functions.count)
            take_address(c, work, (uint32_t)ins->imm - 1);
    }
}

/* ---- edges and order --------------------------------------------------------------------------------- */

static void add_call(struct be_context *c, uint32_t from, uint32_t to)
{
    edge_add(&c->arena, &c->call_edges, from, to);
}

/* Direct callers of functions with their address taken, and later all that may be active below them;
 * and those functions' signatures. */
struct disjoint {
    struct bitset callers, signatures;
};

static void add_direct_call(struct be_context *c, const struct be_function *f,
                            const struct be_function *callee, struct disjoint *disjoint)
{
    add_call(c, f->id, callee->id);
    if (callee->signature == BE_NONE)
        return;
    bitset_add(disjoint->callers, f->id);
    bitset_add(disjoint->signatures, be_signature_node(c, callee->signature));
}

static void find_edges(struct be_context *c, const struct be_function *f, struct disjoint *disjoint)
{
    for (uint32_t i = 0; i < f->cfg->rpo_count; i++)
        ir_each_ins(r, f->ir, f->cfg->rpo[i]) {
            const struct ir_ins *ins = ir_at(f->ir, r);
            if (ins->op == IR_icall)
                add_call(c, f->id, be_signature_node(c, be_signature(c, (uint32_t)ins->imm)));
            if (ins->op == IR_call)
                add_direct_call(c, f, c->functions[ins->imm], disjoint);
        }
    if (f->signature != BE_NONE)
        add_call(c, be_signature_node(c, f->signature), f->id);
}

/* The node's function; of a signature, one that it leads to. */
static const struct ir_function *some_function(const struct be_context *c, uint32_t node)
{
    bool signature = node >= c->m->functions.count;
    return c->m->functions.at[signature ? c->callees.at[c->callees.start[node]] : node];
}

/* Signatures first, which puts them as late as their callers allow: behind direct callers that they do not
 * lead to. */
static bool sort_frames(struct be_context *c)
{
    c->callees = rows_of_edges(&c->arena, c->frame_count, &c->call_edges);
    struct depth_first d = depth_first_new(&c->arena, &c->callees);
    for (uint32_t i = 0; i < c->frame_count; i++) {
        uint32_t n = i < c->m->signatures.count ? be_signature_node(c, i) : i - c->m->signatures.count;
        if (c->frames[n].reached)
            depth_first_visit(&d, n);
    }
    if (d.retreating.count) {
        const struct ir_function *f = some_function(c, c->callees.at[d.retreating.at[0]]);
        be_error(c, "recursion", f->at,
                 "'%s' may call itself, directly or through others; recursion has no frame", f->name);
        return false;
    }
    for (uint32_t i = d.order.count; i-- > 0;)
        vec_push(&c->arena, &c->order, d.order.at[i]);
    return true;
}

static void add_their_callers(const struct be_context *c, struct disjoint *disjoint)
{
    for (uint32_t i = c->order.count; i-- > 0;) {
        uint32_t n = c->order.at[i];
        rows_each(k, c->callees, n)
            if (bitset_has(disjoint->callers, c->callees.at[k]))
                bitset_add(disjoint->callers, n);
    }
}

/* Edges between frames that must not overlap, in the direction of the order, which stays topological: each such
 * signature behind all callers before it and before all callers behind it. A chain of them needs fewer edges
 * than pairs. */
static void keep_disjoint(struct be_context *c, struct disjoint *disjoint)
{
    u32_vec since = {0}; /* callers behind the latest signature */
    uint32_t latest = BE_NONE;
    add_their_callers(c, disjoint);
    for (uint32_t i = 0; i < c->order.count; i++) {
        uint32_t n = c->order.at[i];
        bool signature = bitset_has(disjoint->signatures, n);
        if (!signature && !bitset_has(disjoint->callers, n))
            continue;
        if (latest != BE_NONE)
            add_call(c, latest, n);
        if (!signature) {
            vec_push(&c->arena, &since, n);
            continue;
        }
        while (since.count)
            add_call(c, vec_pop(&since), n);
        latest = n;
    }
}

/* ---- places ------------------------------------------------------------------------------------------ */

static uint32_t max32(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static bool place_private(struct be_context *c)
{
    for (uint32_t i = 0; i < c->order.count; i++) {
        struct be_frame *frame = &c->frames[c->order.at[i]];
        frame->private_base = max32(frame->private_base, BE_FIRST_ADDRESS);
        uint32_t end = be_frame_end(frame->private_base, frame->private_size);
        if (!be_private_memory_fits(some_function(c, c->order.at[i]), end, c->d))
            return false;
        rows_each(k, c->callees, c->order.at[i]) {
            struct be_frame *callee = &c->frames[c->callees.at[k]];
            callee->private_base = max32(callee->private_base, end);
            callee->depth = max32(callee->depth, frame->depth + 1);
        }
    }
    return true;
}

bool be_frames(struct be_context *c)
{
    u32_vec work = {0};
    struct disjoint disjoint;
    c->frame_count = c->m->functions.count + c->m->signatures.count;
    c->frames = arena_array(&c->arena, struct be_frame, c->frame_count);
    c->functions = arena_array(&c->arena, struct be_function *, c->m->functions.count);
    disjoint.callers = bitset_new(&c->arena, c->frame_count);
    disjoint.signatures = bitset_new(&c->arena, c->frame_count);
    for (uint32_t i = 0; i < c->m->functions.count; i++)
        if (c->m->functions.at[i]->flags & IR_FN_KERNEL)
            reach(c, &work, i);
    for (uint32_t i = 0; i < c->m->functions.count; i++)
        if (c->m->functions.at[i]->flags & IR_FN_TAKEN)
            take_address(c, &work, i);
    while (work.count)
        scan_function(c, &work, c->functions[vec_pop(&work)]);
    for (uint32_t i = 0; i < c->m->functions.count; i++)
        if (c->functions[i])
            find_edges(c, c->functions[i], &disjoint);
    if (!sort_frames(c))
        return false;
    keep_disjoint(c, &disjoint);
    c->callees = rows_of_edges(&c->arena, c->frame_count, &c->call_edges);
    return place_private(c);
}

static uint32_t end_of_region(const struct be_frame *frame, unsigned region)
{
    return (frame->base[region] + frame->size[region] + 1) & ~1u;
}

/* Each region of vectors lies behind those before it of all functions that are called together. */
static void stack_vector_regions(struct be_context *c)
{
    uint32_t *ends = arena_array(&c->arena, uint32_t, c->frame_count); /* by component */
    unsigned before = BC_FILE_VECTORS;
    for (unsigned region = BE_FLOAT_VECTORS; region < BE_REGIONS; before = region++) {
        for (uint32_t i = 0; i < c->order.count; i++) {
            const struct be_frame *frame = &c->frames[c->order.at[i]];
            ends[frame->component] = max32(ends[frame->component], end_of_region(frame, before));
        }
        for (uint32_t i = 0; i < c->order.count; i++) {
            struct be_frame *frame = &c->frames[c->order.at[i]];
            frame->base[region] += ends[frame->component];
        }
    }
}

/* Kernels first: no two of them run together. */
static void place_scalars(struct be_context *c)
{
    uint32_t *ends = arena_array(&c->arena, uint32_t, c->frame_count); /* by component */
    for (unsigned kernels = 2; kernels-- > 0;)
        for (uint32_t i = 0; i < c->order.count; i++) {
            uint32_t n = c->order.at[i];
            struct be_frame *frame = &c->frames[n];
            if ((n < c->m->functions.count && c->functions[n]->kernel) != kernels)
                continue;
            if (!kernels)
                frame->base[BC_FILE_SCALARS] = max32(frame->base[BC_FILE_SCALARS], ends[frame->component]);
            ends[frame->component] = max32(ends[frame->component], end_of_region(frame, BC_FILE_SCALARS));
        }
}

void be_frame_bases(struct be_context *c)
{
    for (uint32_t i = 0; i < c->order.count; i++) {
        struct be_frame *frame = &c->frames[c->order.at[i]];
        for (unsigned region = BC_FILE_VECTORS; region < BE_REGIONS; region++)
            rows_each(k, c->callees, c->order.at[i]) {
                uint32_t *base = &c->frames[c->callees.at[k]].base[region];
                if (region != BC_FILE_SCALARS)
                    *base = max32(*base, end_of_region(frame, region));
            }
    }
    place_scalars(c);
    stack_vector_regions(c);
}
