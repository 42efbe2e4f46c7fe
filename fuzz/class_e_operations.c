/* class_e_operations.c: convergent operations and calls in their places, and what becomes of their results.
 *
 * Of an operation by an anchor's token only facts are used that hold whatever threads the anchor gathers:
 * each thread is in its group, and the threads of a group are among those of the token's leader (the
 * operation behind its definition), so that all have what the leader broadcast.
 */
#include "fuzz/class_e_fill.h"

/* ---- convergent operations --------------------------------------------------------------------------- */

/* `operands`: b condition, i number, s small number. */
static const struct operation {
    uint16_t op;
    uint8_t type;
    const char *operands;
} operations[] = {
    {IR_ballot, IR_TYPE_I64, "b"},
    {IR_ballot, IR_TYPE_I64, "b"},
    {IR_active_mask, IR_TYPE_I64, ""},
    {IR_active_mask, IR_TYPE_I64, ""},
    {IR_any, IR_TYPE_I1, "b"},
    {IR_all, IR_TYPE_I1, "b"},
    {IR_elect, IR_TYPE_I1, ""},
    {IR_broadcast_first, IR_TYPE_I32, "i"},
    {IR_broadcast_first, IR_TYPE_I1, "b"},
    {IR_broadcast, IR_TYPE_I32, "is"},
    {IR_shuffle, IR_TYPE_I32, "is"},
    {IR_shuffle_xor, IR_TYPE_I32, "is"},
    {IR_shuffle_up, IR_TYPE_I32, "is"},
    {IR_shuffle_down, IR_TYPE_I32, "is"},
    {IR_reduce_add, IR_TYPE_I32, "i"},
    {IR_reduce_smin, IR_TYPE_I32, "i"},
    {IR_reduce_smax, IR_TYPE_I32, "i"},
    {IR_reduce_umin, IR_TYPE_I32, "i"},
    {IR_reduce_umax, IR_TYPE_I32, "i"},
    {IR_reduce_and, IR_TYPE_I1, "b"},
    {IR_reduce_or, IR_TYPE_I32, "i"},
    {IR_reduce_xor, IR_TYPE_I32, "i"},
    {IR_scan_add, IR_TYPE_I32, "i"},
    {IR_syncwarp, IR_TYPE_VOID, ""},
};

/* That other blocks see as well. */
static ir_ref plain_operand(struct fz_e_filler *w, char letter)
{
    ir_ref r = chance(w, 50) ? fz_e_pick(w, letter == 'b' ? IR_TYPE_I1 : IR_TYPE_I32) : 0;
    return r ? r : letter == 'b' ? ir_const_i1(w->g->fn, true) : chance(w, 60) ? w->lane : constant(w, 1);
}

static ir_ref operand(struct fz_e_filler *w, char letter)
{
    switch (letter) {
    case 'b': return chance(w, 25) ? ir_const_i1(w->g->fn, true) : fz_e_condition(w);
    case 's':
        return chance(w, 60) ? constant(w, below(w, 9))
                             : fz_e_emit2(w, IR_and, fz_e_number(w), constant(w, 31));
    default: return fz_e_number(w);
    }
}

static ir_ref emit_with(struct fz_e_filler *w, ir_ref token, enum ir_op op, enum ir_type t, uint32_t argc,
                        const ir_ref *args)
{
    ir_ref r = ir_emit(&w->c, op, t, argc, args);
    ir_at(w->g->fn, r)->token = token;
    return r;
}

bool fz_e_is_visible(const struct fz_e_filler *w, ir_ref r)
{
    for (uint32_t i = 0; i < w->visible.count; i++)
        if (w->visible.at[i] == r)
            return true;
    return ir_at(w->g->fn, r)->op == IR_constant || r == w->lane;
}

/* The operation once more, if its operands are visible here; else 0. */
static ir_ref repeat(struct fz_e_filler *w, ir_ref r)
{
    struct ir_ins was = *ir_at(w->g->fn, r);
    for (uint32_t i = 0; i < was.argc; i++)
        if (!fz_e_is_visible(w, was.args[i]))
            return 0;
    return emit_with(w, was.token, was.op, was.type, was.argc, was.args);
}

/* One that is there already by this token; 0: none was met. */
static ir_ref repeated_operation(struct fz_e_filler *w, ir_ref token)
{
    for (uint32_t tries = 0, n = w->operations.count; n && tries < 8; tries++) {
        ir_ref r = w->operations.at[below(w, n)];
        if (ir_at(w->g->fn, r)->token == token && (r = repeat(w, r)) != 0)
            return r;
    }
    return 0;
}

static ir_ref random_operation(struct fz_e_filler *w, ir_ref token, bool plain)
{
    const struct operation *o = &operations[below(w, COUNT(operations))];
    ir_ref args[2], r = !plain && chance(w, 30) ? repeated_operation(w, token) : 0;
    uint32_t argc = 0;
    if (r)
        return r;
    for (const char *letter = o->operands; *letter; letter++)
        args[argc++] = plain ? plain_operand(w, *letter) : operand(w, *letter);
    r = emit_with(w, token, o->op, o->type, argc, args);
    vec_push(w->g->arena, &w->operations, r);
    return r;
}

/* A truth that does not depend on the threads that a token by an anchor gathers. */
static ir_ref fact(struct fz_e_filler *w, const struct fz_e_token *t)
{
    ir_ref own, wide, x = fz_e_number(w);
    switch (below(w, t->leader ? 5 : 2)) {
    case 0: /* the thread is in its group */
        own = emit_with(w, t->def, IR_ballot, IR_TYPE_I64, 1, (ir_ref[]){ir_const_i1(w->g->fn, true)});
        wide = ir_emit1(&w->c, IR_zext, IR_TYPE_I64, w->lane);
        return fz_e_lowest_bit(w, fz_e_emit2(w, IR_lshr, own, wide));
    case 1:
        own = emit_with(w, t->def, IR_shuffle, IR_TYPE_I32, 2, (ir_ref[]){x, w->lane});
        return fz_e_emit2(w, IR_eq, own, x);
    case 2: /* all of the group have what the leader gave */
        own = emit_with(w, t->def, IR_broadcast_first, IR_TYPE_I32, 1, &t->leader);
        return fz_e_emit2(w, IR_eq, own, t->leader);
    case 3:
        own = emit_with(w, t->def, IR_reduce_umax, IR_TYPE_I32, 1, &t->leader);
        return fz_e_emit2(w, IR_ule, own, t->leader);
    default:
        own = emit_with(w, t->def, IR_shuffle_xor, IR_TYPE_I32, 2, (ir_ref[]){t->leader, constant(w, 1)});
        return fz_e_emit2(w, IR_eq, own, t->leader);
    }
}

/* ---- calls ------------------------------------------------------------------------------------------- */

static bool is_free(const struct ir_function *f)
{
    return !(f->flags & IR_FN_CONVERGENT);
}

static ir_ref pointer_to(struct fz_e_filler *w, uint32_t callee)
{
    ir_ref r = ir_emit0(&w->c, IR_function, IR_TYPE_FUNCTION);
    ir_at(w->g->fn, r)->imm = callee;
    return r;
}

/* Through a pointer to one of two functions of a kind. Only the kernel does: what a pointer may reach counts
 * as called, and calls may not go round. */
static ir_ref random_icall(struct fz_e_filler *w, uint32_t callee, ir_ref token)
{
    struct ir_module *m = w->g->fn->module;
    uint32_t other = below(w, w->g->fn->id);
    struct ir_signature s = {.result = IR_TYPE_I32,
                             .argc = 2,
                             .args = {IR_TYPE_I32, IR_TYPE_I32},
                             .convergent = !is_free(m->functions.at[callee])};
    ir_ref args[3] = {pointer_to(w, callee), fz_e_number(w), fz_e_number(w)};
    if (is_free(m->functions.at[other]) != is_free(m->functions.at[callee]))
        other = callee;
    if (other != callee)
        args[0] =
            ir_emit3(&w->c, IR_select, IR_TYPE_FUNCTION, fz_e_condition(w), args[0], pointer_to(w, other));
    ir_ref r = emit_with(w, token, IR_icall, IR_TYPE_I32, 3, args);
    ir_at(w->g->fn, r)->imm = ir_signature_add(m, s);
    return r;
}

static ir_ref random_call(struct fz_e_filler *w, uint32_t callee, ir_ref token)
{
    ir_ref args[2] = {fz_e_number(w), fz_e_number(w)};
    if (is_free(w->g->fn->module->functions.at[callee]) && chance(w, 50))
        token = 0;
    if (w->g->is_kernel && chance(w, 35))
        return random_icall(w, callee, token);
    ir_ref r = emit_with(w, token, IR_call, IR_TYPE_I32, 2, args);
    ir_at(w->g->fn, r)->imm = callee;
    return r;
}

/* ---- places ------------------------------------------------------------------------------------------ */

/* Sets p->made. The value returned may be seen: it is the same whatever anchors gather. 0: it is not, or
 * there is none. */
static ir_ref make_operation(struct fz_e_filler *w, struct fz_e_place *p)
{
    const struct fz_e_function *g = w->g;
    const struct fz_e_token *t = &g->tokens.at[p->token];
    bool twin = p->twin != FZ_E_NONE, quiet = g->blocks[w->block].quiet;
    uint32_t callee = g->fn->id && !twin && chance(w, 25) ? below(w, g->fn->id) : UINT32_MAX;
    if (callee != UINT32_MAX) {
        p->made = random_call(w, callee, t->def);
        return quiet || (t->by_anchor && !is_free(g->fn->module->functions.at[callee])) ? 0 : p->made;
    }
    if (t->by_anchor && !quiet && !twin && chance(w, 75))
        return p->made = fact(w, t);
    p->made = twin && g->places.at[p->twin].made ? repeat(w, g->places.at[p->twin].made) : 0;
    p->made = p->made ? p->made : random_operation(w, t->def, twin);
    return quiet || t->by_anchor || type_of(w, p->made) == IR_TYPE_VOID ? 0 : p->made;
}

void fz_e_fill_place(struct fz_e_filler *w, struct fz_e_place *p)
{
    struct fz_e_token *t = &w->g->tokens.at[p->token];
    struct fz_e_unseen u = {.user = p->user};
    w->c.before = p->at;
    if (p->is_leader)
        t->leader = emit_with(w, t->def, IR_broadcast_first, IR_TYPE_I32, 1, (ir_ref[]){fz_e_number(w)});
    else
        u.value = make_operation(w, p);
    if (u.value && u.user == IR_NO_BLOCK)
        fz_e_offer(w, u.value);
    if (u.value && u.user == IR_NO_BLOCK && (p->twin != FZ_E_NONE || chance(w, 55)))
        fz_e_see(w, u.value);
    else if (u.value)
        vec_push(w->g->arena, &w->unseen, u);
    ir_remove(w->g->fn, p->at);
}
