/* emit.c: words of a function: registers are known, blocks in order.
 *
 * Targets and reconvergence points are block numbers until the function has all its words; calls are joined
 * when all functions have theirs. Words of a module that grows over the core's 4,096 are counted, but no
 * longer encoded: the error says how many there would be.
 */
#include "backend/warpcore/transfer.h"

/* ---- words ------------------------------------------------------------------------------------------- */

static uint32_t here(const struct wc_emitter *e)
{
    return e->c->words;
}

static void note_register(struct wc_frame *frame, char letter, uint32_t number)
{
    uint32_t *most = letter == 'D' || letter == 'r' ? &frame->registers : &frame->predicates;
    if (letter != '-' && number >= *most)
        *most = number + 1;
}

void wc_word(struct wc_emitter *e, struct wc_ins ins)
{
    struct wc_image *m = e->c->image;
    const char *letters = wc_op_info[ins.op].operands;
    const uint8_t fields[] = {ins.d, ins.a, ins.b, ins.c};
    for (unsigned i = 0; i < COUNT(fields); i++)
        note_register(&e->c->frames[e->f->id], letters[i], fields[i]);
    if (e->c->words++ >= WC_MAX_WORDS)
        return;
    vec_push(&m->arena, &m->code, wc_encode(ins));
    vec_push(&m->arena, &m->places, e->at);
}

static void word(struct wc_emitter *e, enum wc_op op, uint32_t d, uint32_t a, uint32_t b, int32_t imm)
{
    wc_word(e, (struct wc_ins){
                   .op = (uint16_t)op, .d = (uint8_t)d, .a = (uint8_t)a, .b = (uint8_t)b, .imm = imm});
}

enum { LUI_SHIFT = 10 };

static void constant(struct wc_emitter *e, uint32_t d, uint32_t v)
{
    uint32_t low = v & ((1u << LUI_SHIFT) - 1);
    if (wc_imm_fits(WC_li, (int32_t)v)) {
        word(e, WC_li, d, 0, 0, (int32_t)v);
        return;
    }
    word(e, WC_lui, d, 0, 0, (int32_t)(v >> LUI_SHIFT));
    if (low)
        word(e, WC_or_I_imm, d, d, 0, (int32_t)low);
}

/* ---- moves ------------------------------------------------------------------------------------------- */

static void load_slot(struct wc_emitter *e, uint32_t reg, uint32_t slot)
{
    word(e, WC_ld_private_32, reg, WC_FRAME, 0, (int32_t)(4 * slot));
}

static void store_slot(struct wc_emitter *e, uint32_t reg, uint32_t slot)
{
    word(e, WC_st_private_32, reg, WC_FRAME, 0, (int32_t)(4 * slot));
}

static void make(struct wc_emitter *e, uint32_t d, unsigned op, int32_t imm)
{
    if (op == WC_constant)
        constant(e, d, (uint32_t)imm);
    else if (op == WC_false_p)
        word(e, WC_not_B, d, 0, 0, 0);
    else
        word(e, (enum wc_op)op, d, 0, 0, imm);
}

/* The register that has the word to be stored; r29 if it has to be brought there. */
static uint32_t in_register(struct wc_emitter *e, struct wc_holder from)
{
    switch (from.kind) {
    case WC_HOLDS_R: return from.at;
    case WC_HOLDS_P: word(e, WC_zext_BI, WC_SCRATCH, from.at, 0, 0); break;
    case WC_HOLDS_SLOT: load_slot(e, WC_SCRATCH, from.at); break;
    default: make(e, WC_SCRATCH, from.op == WC_false_p ? WC_constant : from.op, from.imm); break;
    }
    return WC_SCRATCH;
}

void wc_move(struct wc_emitter *e, struct wc_holder to, struct wc_holder from)
{
    if (to.kind == WC_HOLDS_SLOT)
        store_slot(e, in_register(e, from), to.at);
    else if (from.kind == WC_MADE)
        make(e, to.at, from.op, from.imm);
    else if (to.kind == WC_HOLDS_P && from.kind == WC_HOLDS_P)
        word(e, WC_mov_p, to.at, from.at, 0, 0);
    else if (to.kind == WC_HOLDS_P)
        word(e, WC_ne_I_imm, to.at, in_register(e, from), 0, 0);
    else if (from.kind == WC_HOLDS_R)
        word(e, WC_mov, to.at, from.at, 0, 0);
    else if (from.kind == WC_HOLDS_P)
        word(e, WC_zext_BI, to.at, from.at, 0, 0);
    else
        load_slot(e, to.at, from.at);
}

static void move_list(struct wc_emitter *e, const struct wc_block *block, const struct wc_mins *i)
{
    struct wc_transfer *moves;
    uint32_t n = wc_transfers(e->c, e->f, block, i, e->scratch, &moves);
    wc_move_all(e, moves, n);
}

/* ---- control flow ------------------------------------------------------------------------------------ */

static void add_fixup(struct wc_emitter *e, struct wc_fixup x)
{
    x.word = here(e);
    vec_push(e->scratch, &e->fixups, x);
}

static void jump(struct wc_emitter *e, uint32_t to)
{
    add_fixup(e, (struct wc_fixup){.block = to, .reconverge = IR_NO_BLOCK});
    wc_word(e, (struct wc_ins){.op = WC_br, .rpc = WC_NONE});
}

/* Which of several CONVERGEs in its reconvergence point is the branch's own. */
static uint32_t own_converge(const struct wc_emitter *e, uint32_t branch, uint32_t reconverge)
{
    const u32_vec *list = &e->f->reconvergence->at[reconverge].converge;
    for (uint32_t k = 0; k < list->count; k++)
        if (list->at[k] == branch)
            return k;
    return 0;
}

static uint32_t taken_edge(const struct wc_emitter *e, const struct wc_block *block, uint32_t next)
{
    const struct wc_block_reconvergence *m = &e->f->reconvergence->at[block->ir];
    if (m->direct)
        return m->taken;
    if (block->next_edge != WC_EITHER)
        return 1 - block->next_edge;
    if (block->successors[0] == next || block->successors[1] == next)
        return block->successors[0] == next ? 1 : 0;
    return m->taken == WC_EITHER ? 0 : m->taken;
}

static void branch(struct wc_emitter *e, const struct wc_block *block, const struct wc_mins *i, uint32_t next)
{
    const struct wc_block_reconvergence *m = &e->f->reconvergence->at[block->ir];
    uint32_t taken = taken_edge(e, block, next), other = block->successors[1 - taken];
    struct wc_fixup x = {.block = block->successors[taken], .reconverge = m->reconverge};
    if (m->reconverge != IR_NO_BLOCK)
        x.converge_index = own_converge(e, block->ir, m->reconverge);
    x.never = m->reconverge == IR_NO_BLOCK && !m->uniform;
    x.direct = m->direct;
    bool named = e->c->o->mode == WC_MODE_FRONTIER && !m->uniform;
    if (named) {
        x.reconverge = e->f->blocks.at[other].ir;
        x.never = false;
    }
    e->branch_word[block->ir] = here(e);
    add_fixup(e, x);
    wc_word(e, (struct wc_ins){
                   .op = taken == 0 ? WC_br : WC_brn, .a = wc_vreg(e->f, i->a)->colour, .rpc = WC_NONE});
    if (other != next && (!named || next == UINT32_MAX)) /* code does not end in a branch */
        jump(e, other);
}

static void converge_all(struct wc_emitter *e, const struct wc_block *block)
{
    const u32_vec *list = &e->f->reconvergence->at[block->ir].converge;
    for (uint32_t k = 0; k < list->count; k++) {
        if (e->c->o->mode == WC_MODE_SOURCE_PC)
            vec_push(e->scratch, &e->converges, ((struct wc_fixup){.word = here(e), .block = list->at[k]}));
        wc_word(e, (struct wc_ins){.op = WC_converge, .imm = (int32_t)WC_NONE});
    }
}

/* ---- instructions ------------------------------------------------------------------------------------ */

static void call(struct wc_emitter *e, const struct wc_block *block, const struct wc_mins *i)
{
    move_list(e, block, i);
    vec_push(&e->c->arena, &e->c->calls, ((struct wc_call){here(e), (uint32_t)i->imm}));
    word(e, WC_call, WC_LINK, 0, 0, 0);
}

static void print(struct wc_emitter *e, const struct wc_block *block, const struct wc_mins *i)
{
    const struct wc_frame *frame = &e->c->frames[e->f->id];
    uint32_t first = frame->base + frame->slots - frame->print_slots;
    move_list(e, block, i);
    if (i->count)
        word(e, WC_add_I_imm, WC_SCRATCH, WC_FRAME, 0, (int32_t)(4 * first));
    word(e, WC_printf, 0, i->count ? (uint32_t)WC_SCRATCH : 0, 0, i->imm);
}

static void plain(struct wc_emitter *e, const struct wc_mins *i)
{
    const char *letters = wc_letters(i->op);
    const uint32_t from[] = {i->d, i->a, i->b, i->c};
    uint8_t to[4] = {0};
    for (unsigned k = 0; k < COUNT(to); k++)
        if (wc_letter_reads(letters[k]) || wc_letter_writes(letters[k]))
            to[k] = wc_vreg(e->f, from[k])->colour;
    wc_word(e, (struct wc_ins){.op = i->op, .d = to[0], .a = to[1], .b = to[2], .c = to[3], .imm = i->imm});
}

static void slot_access(struct wc_emitter *e, const struct wc_mins *i)
{
    struct wc_holder slot = wc_holder_of(e->c, e->f, (uint32_t)i->imm);
    bool writes = i->op == WC_save || i->op == WC_save_p,
         predicate = i->op == WC_save_p || i->op == WC_reload_p;
    struct wc_holder reg = {.kind = predicate ? WC_HOLDS_P : WC_HOLDS_R,
                            .at = wc_vreg(e->f, writes ? i->a : i->d)->colour};
    wc_move(e, writes ? slot : reg, writes ? reg : slot);
}

static void instruction(struct wc_emitter *e, const struct wc_block *block, const struct wc_mins *i,
                        uint32_t next)
{
    e->at = i->at;
    switch (i->op) {
    case WC_constant:
    case WC_false_p: make(e, wc_vreg(e->f, i->d)->colour, i->op, i->imm); break;
    case WC_params:
    case WC_results: move_list(e, block, i); break;
    case WC_invoke: call(e, block, i); break;
    case WC_print: print(e, block, i); break;
    case WC_return:
        move_list(e, block, i);
        word(e, WC_ret, 0, wc_vreg(e->f, i->a)->colour, 0, 0);
        break;
    case WC_jump:
        move_list(e, block, i);
        if (block->successors[0] != next)
            jump(e, block->successors[0]);
        break;
    case WC_branch: branch(e, block, i, next); break;
    case WC_reload:
    case WC_reload_p:
    case WC_save:
    case WC_save_p: slot_access(e, i); break;
    default: plain(e, i); break;
    }
}

/* ---- the function ------------------------------------------------------------------------------------ */

/* r30 lies behind the private memory of all that the kernel calls. */
static void set_frame(struct wc_emitter *e)
{
    const struct wc_frame *frame = &e->c->frames[e->f->id];
    if (e->f->kernel && frame->slots_reached && frame->private_end != WC_FIRST_ADDRESS)
        word(e, WC_li, WC_FRAME, 0, 0, (int32_t)frame->private_end);
}

static void patch(struct wc_emitter *e, uint32_t at, const struct wc_fixup *x)
{
    struct wc_ins ins;
    if (at >= e->c->image->code.count || !wc_decode(e->c->image->code.at[at], &ins))
        return; /* behind the core's words: an error anyway */
    const struct wc_mfunction *f = e->f;
    uint32_t reconverge = x->never ? at
                          : x->reconverge == IR_NO_BLOCK
                              ? WC_NONE
                              : f->blocks.at[f->block_of[x->reconverge]].word + x->converge_index;
    uint32_t target = x->direct ? reconverge : f->blocks.at[x->block].word;
    ins.imm = (int32_t)(target < WC_MAX_WORDS ? target : 0);
    ins.rpc = (uint16_t)(reconverge < WC_NONE ? reconverge : WC_NONE);
    e->c->image->code.at[at] = wc_encode(ins);
}

static void patch_all(struct wc_emitter *e)
{
    for (uint32_t i = 0; i < e->fixups.count; i++)
        patch(e, e->fixups.at[i].word, &e->fixups.at[i]);
    for (uint32_t i = 0; i < e->converges.count; i++) {
        struct wc_fixup x = e->converges.at[i];
        uint32_t at = e->branch_word[x.block];
        if (x.word < e->c->image->code.count && at < WC_MAX_WORDS)
            e->c->image->code.at[x.word] = wc_encode((struct wc_ins){.op = WC_converge, .imm = (int32_t)at});
    }
}

static void emit_blocks(struct wc_emitter *e)
{
    struct wc_mfunction *f = e->f;
    for (uint32_t n = 0; n < f->layout.count; n++) {
        struct wc_block *block = &f->blocks.at[f->layout.at[n]];
        uint32_t next = n + 1 < f->layout.count ? f->layout.at[n + 1] : UINT32_MAX;
        block->word = here(e);
        if (n)
            converge_all(e, block);
        else
            set_frame(e);
        for (uint32_t k = 0; k < block->codes.count; k++)
            instruction(e, block, &block->codes.at[k], next);
    }
}

void wc_emit(struct wc_context *c, struct wc_mfunction *f)
{
    struct scratch scratch;
    struct wc_emitter e = {.c = c, .f = f, .scratch = scratch_begin(&scratch), .at = f->ir->at};
    e.branch_word = arena_array(e.scratch, uint32_t, f->ir->blocks.count);
    c->frames[f->id].entry = here(&e);
    emit_blocks(&e);
    patch_all(&e);
    f->words = here(&e) - c->frames[f->id].entry;
    scratch_end(&scratch);
}
