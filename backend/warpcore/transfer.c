/* transfer.c: lists as moves: which values go where, in parallel (backend/bytecode/moves.c
 * puts them in order).
 *
 * Values that are made anew are set when all others have been moved: nothing waits for them.
 */
#include "backend/warpcore/transfer.h"

/* ---- holders ----------------------------------------------------------------------------------------- */

static struct wc_holder slot_holder(const struct wc_context *c, uint32_t function, uint32_t slot)
{
    return (struct wc_holder){.kind = WC_HOLDS_SLOT, .at = c->frames[function].base + slot};
}

struct wc_holder wc_holder_of(const struct wc_context *c, const struct wc_mfunction *f, uint32_t v)
{
    const struct wc_vreg *reg = wc_vreg(f, v);
    switch (reg->home) {
    case WC_HOME_SLOT: return slot_holder(c, f->id, reg->slot);
    case WC_HOME_REMATERIALISED: return (struct wc_holder){.kind = WC_MADE, .op = reg->op, .imm = reg->imm};
    default:
        return (struct wc_holder){.kind = reg->kind == WC_CLASS_P ? WC_HOLDS_P : WC_HOLDS_R,
                                  .at = reg->colour};
    }
}

static struct wc_holder placed(const struct wc_context *c, uint32_t function, struct wc_location at)
{
    if (at.kind == WC_IN_SLOT)
        return slot_holder(c, function, at.slot);
    return (struct wc_holder){.kind = at.kind == WC_IN_REGISTER ? WC_HOLDS_R : WC_HOLDS_P, .at = at.reg};
}

/* ---- lists ------------------------------------------------------------------------------------------- */

static bool same_holder(struct wc_holder a, struct wc_holder b)
{
    return a.kind == b.kind && a.at == b.at && a.kind != WC_MADE;
}

static void add(struct wc_transfer *moves, uint32_t *n, struct wc_holder to, struct wc_holder from)
{
    if (!same_holder(to, from))
        moves[(*n)++] = (struct wc_transfer){to, from};
}

static uint32_t jump_transfers(const struct wc_context *c, const struct wc_mfunction *f,
                               const struct wc_block *block, const struct wc_mins *i,
                               struct wc_transfer *moves)
{
    uint32_t n = 0;
    const struct wc_block *to = &f->blocks.at[block->jumps_to];
    for (uint32_t k = 0; k < i->count; k++)
        if (to->params.at[k] != WC_V_ZERO)
            add(moves, &n, wc_holder_of(c, f, to->params.at[k]), wc_holder_of(c, f, wc_list_at(f, i, k)));
    return n;
}

static uint32_t print_transfers(const struct wc_context *c, const struct wc_mfunction *f,
                                const struct wc_mins *i, struct wc_transfer *moves)
{
    uint32_t n = 0;
    const struct wc_frame *frame = &c->frames[f->id];
    for (uint32_t k = 0; k < i->count; k++)
        add(moves, &n, slot_holder(c, f->id, frame->slots - frame->print_slots + k),
            wc_holder_of(c, f, wc_list_at(f, i, k)));
    return n;
}

uint32_t wc_transfers(struct wc_context *c, const struct wc_mfunction *f, const struct wc_block *block,
                      const struct wc_mins *i, struct arena *scratch, struct wc_transfer **moves)
{
    uint32_t n = 0;
    struct wc_transfer *t = *moves = arena_array(scratch, struct wc_transfer, i->count + 1);
    if (i->op == WC_jump)
        return jump_transfers(c, f, block, i, t);
    if (i->op == WC_print)
        return print_transfers(c, f, i, t);
    const struct wc_location *at = wc_places(c, f, i, scratch);
    uint32_t owner = i->op == WC_invoke ? (uint32_t)i->imm : f->id;
    for (uint32_t k = 0; k < i->count; k++) {
        struct wc_holder value = wc_holder_of(c, f, wc_list_at(f, i, k)), outside = placed(c, owner, at[k]);
        if (wc_list_writes(i->op))
            add(t, &n, value, outside);
        else
            add(t, &n, outside, value);
    }
    return n;
}

/* ---- in order ---------------------------------------------------------------------------------------- */

/* A holder's number for the general algorithm. */
enum { PREDICATE_NUMBERS = 32, SLOT_NUMBERS = 64 };

static uint32_t number_of(struct wc_holder h)
{
    return h.kind == WC_HOLDS_R ? h.at : h.at + (h.kind == WC_HOLDS_P ? PREDICATE_NUMBERS : SLOT_NUMBERS);
}

static struct wc_holder holder_numbered(uint32_t n)
{
    if (n < PREDICATE_NUMBERS)
        return (struct wc_holder){.kind = WC_HOLDS_R, .at = n};
    if (n < SLOT_NUMBERS)
        return (struct wc_holder){.kind = WC_HOLDS_P, .at = n - PREDICATE_NUMBERS};
    return (struct wc_holder){.kind = WC_HOLDS_SLOT, .at = n - SLOT_NUMBERS};
}

struct run {
    struct wc_emitter *e;
    uint32_t scratch;
};

static void move_one(void *data, struct be_transfer t)
{
    struct run *r = data;
    wc_move(r->e, holder_numbered(t.to), holder_numbered(t.from));
}

static uint32_t scratch_number(void *data, bool wide)
{
    struct run *r = data;
    return r->scratch;
}

/* Loads of slots on the way to others need r29; where there are any, a cycle is broken by a slot, which the
 * frame then has. Stores alone are never in a cycle: nothing reads what they write, and so they come
 * first. */
void wc_move_all(struct wc_emitter *e, const struct wc_transfer *moves, uint32_t n)
{
    struct wc_frame *frame = &e->c->frames[e->f->id];
    struct be_transfer *t = arena_array(e->scratch, struct be_transfer, n);
    struct run r = {e, WC_SCRATCH};
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (moves[i].from.kind == WC_MADE)
            continue;
        t[count++] = (struct be_transfer){number_of(moves[i].to), number_of(moves[i].from), false, false};
        if (moves[i].from.kind == WC_HOLDS_SLOT)
            r.scratch = SLOT_NUMBERS + frame->base + frame->slots - frame->print_slots - 1;
    }
    be_parallel_moves(e->scratch, &(struct be_mover){move_one, scratch_number, &r}, t, count);
    for (uint32_t i = 0; i < n; i++)
        if (moves[i].from.kind == WC_MADE)
            wc_move(e, moves[i].to, moves[i].from);
}
