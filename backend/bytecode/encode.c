/* encode.c: words → code: blocks in layout order, temporaries given out on the way. Calls, and
 * operations at which lanes gather, end a block of the code; what follows begins another. encode_end.c
 * encodes the ends of the IR's blocks.
 *
 * A row of the block table is open while its block is written; each word adds its cost to it (table.c).
 */
#include "backend/bytecode/encode.h"

/* ---- registers --------------------------------------------------------------------------------------- */

static bool is_wide(const struct be_vreg *v)
{
    return v->kind == BC_KIND_W;
}

static struct be_pool *temporaries(struct be_encoder *e, const struct be_vreg *v)
{
    return &e->c->temporaries[be_file((enum bc_kind)v->kind)];
}

/* A register of another frame; BE_NONE: a parameter that its function does not use. */
static uint32_t foreign_register(const struct be_context *c, const struct be_vreg *v)
{
    const struct be_frame *frame = &c->frames[v->node];
    uint32_t base = frame->base[be_region_of(v)];
    if (v->part == BE_SLOT)
        return frame->depth - 1;
    if (v->node >= c->m->functions.count)
        return base + (v->part == BE_RESULT ? frame->result : frame->arguments[v->part]);
    const struct be_function *f = c->functions[v->node];
    uint32_t own = v->part == BE_RESULT ? f->result : f->params[v->part];
    if (!own || (v->part != BE_RESULT && !be_vreg(f, own)->live))
        return BE_NONE;
    return base + be_vreg(f, own)->reg;
}

uint32_t be_register(const struct be_encoder *e, uint32_t r)
{
    const struct be_vreg *v = be_vreg(e->f, r);
    switch (v->home) {
    case BE_LOCAL: return BE_TEMPORARY | v->reg;
    case BE_PRELOADED: return v->reg;
    case BE_FRAME: return e->c->frames[e->f->id].base[be_region_of(v)] + v->reg;
    default: return foreign_register(e->c, v);
    }
}

/* Temporaries whose last use is this word. A register that stands twice among the operands is freed once. */
static void free_operands(struct be_encoder *e, const struct be_word *w, uint32_t word)
{
    uint32_t uses[5], more_count;
    const uint32_t *more = NULL;
    uint32_t n = be_uses(e->f, w, uses, &more, &more_count);
    for (uint32_t i = 0; i < n + more_count; i++) {
        struct be_vreg *v = be_vreg(e->f, i < n ? uses[i] : more[i - n]);
        if (v->home == BE_LOCAL && v->end == 2 * word) {
            be_pool_give(temporaries(e, v), v->reg, is_wide(v));
            v->end = BE_NONE;
        }
    }
}

static void take_destination(struct be_encoder *e, uint32_t d)
{
    struct be_vreg *v = be_vreg(e->f, d);
    if (v->home == BE_LOCAL)
        v->reg = be_pool_take(&e->c->arena, temporaries(e, v), is_wide(v), (enum be_content)v->content);
}

/* ---- words ------------------------------------------------------------------------------------------- */

/* Whether it gives integers as they are where floats are expected. */
static bool reads_bits(uint16_t op)
{
    return op == bc_scalar_op(SCALAR_bits_IF, BC_FORM_V) || op == bc_scalar_op(SCALAR_bits_LD, BC_FORM_V);
}

/* Temporaries are written in every lane, but for floats made of bits: see enum be_content. */
static uint16_t final_op(const struct be_encoder *e, const struct be_word *w)
{
    if (!be_defines(w) || be_vreg(e->f, w->d)->home != BE_LOCAL)
        return w->op;
    if (w->op < BC_SCALAR_OPS && w->op % BC_FORMS == BC_FORM_V && !reads_bits(w->op))
        return (uint16_t)(w->op + BC_FORM_T - BC_FORM_V);
    if (w->op >= BC_spread_v && w->op <= BC_spread_m)
        return (uint16_t)(w->op + BC_splat_v - BC_spread_v);
    return w->op;
}

static uint16_t field(const struct be_encoder *e, char letter, uint32_t x)
{
    if (letter == 't')
        return x ? (uint16_t)be_register(e, x) : BC_NO_TOKEN;
    return bc_file_of(letter) == BC_FILE_NONE ? (uint16_t)x : (uint16_t)be_register(e, x);
}

static uint16_t list_operands(struct be_encoder *e, const struct be_word *w)
{
    struct bc_program *p = e->c->p;
    uint32_t first = p->operands.count;
    for (uint32_t i = 0; i < w->a; i++) {
        uint32_t v = e->f->operands.at[w->b + i];
        vec_push(&p->arena, &p->operands,
                 ((struct bc_operand){e->f->operand_types.at[w->b + i], be_vreg(e->f, v)->kind,
                                      (uint16_t)be_register(e, v)}));
    }
    e->c->too_many_operands |= first > UINT16_MAX;
    return (uint16_t)first;
}

struct bc_ins be_make_ins(struct be_encoder *e, const struct be_word *w)
{
    const char *operands = bc_operands(w->op);
    struct bc_ins ins = {.op = final_op(e, w), .imm = w->imm};
    ins.d = field(e, operands[0], w->d);
    ins.a = field(e, operands[1], w->a);
    ins.b = field(e, operands[2], w->b);
    ins.c = field(e, operands[3], w->c);
    if (operands[4] == '@')
        ins.e = w->part ? (uint16_t)(e->c->p->sites.count - 1) : be_site(e, w);
    else
        ins.e = field(e, operands[4], w->e);
    if (operands[5] == '@')
        ins.imm = be_site(e, w);
    if (w->op == BC_printf || w->op == BC_hostcall) {
        ins.b = list_operands(e, w);
        ins.d = w->d ? (uint16_t)be_register(e, w->d) : 0;
    }
    return ins;
}

static void put_call_target(struct be_encoder *e, const struct be_word *w)
{
    if (w->op == BC_call)
        vec_push(&e->c->arena, &e->c->calls, e->c->p->code.count - 1);
}

/* An argument for a parameter that the callee ignores needs no move. */
static bool is_void_move(const struct be_encoder *e, const struct be_word *w)
{
    return be_defines(w) && be_vreg(e->f, w->d)->home == BE_FOREIGN && be_register(e, w->d) == BE_NONE;
}

/* The destination takes a register that an operand leaves only if it begins behind the reads (program.h,
 * rule 4). */
void be_move_temporaries(struct be_encoder *e, const struct be_word *w, uint32_t i)
{
    bool defines = be_defines(w) && w->d, late = defines && be_vreg(e->f, w->d)->start == 2 * i + 1;
    if (defines && !late)
        take_destination(e, w->d);
    free_operands(e, w, i);
    if (late)
        take_destination(e, w->d);
    if (!defines)
        return;
    const struct be_vreg *d = be_vreg(e->f, w->d);
    if (d->home == BE_LOCAL && d->end <= 2 * i + 1) /* nobody reads it */
        be_pool_give(temporaries(e, d), d->reg, is_wide(d));
}

/* Whether lanes that come to it at different times go on together: others execute what stands behind it than
 * came to the block's begin, and less often. */
static bool gathers(const struct be_encoder *e, enum bc_op op)
{
    return op == BC_barrier ||
           (scheme_has(e->c->scheme, SCHEME_TOKENS) && (bc_is_convergent(op) || op == BC_tok_anchor));
}

/* Whether lanes that return from a call may have to wait for others there: those of a call through a pointer
 * are in other functions; or a block that returns has a frontier, from which nobody returns. */
static bool may_leave_lanes(const struct be_encoder *e, const struct be_word *call)
{
    return call->op == BC_icall || e->c->functions[call->imm]->returns_before_others;
}

static void encode_word(struct be_encoder *e, uint32_t i)
{
    const struct be_word *w = &e->f->words.at[i];
    if (!w->live)
        return;
    be_move_temporaries(e, w, i);
    if (is_void_move(e, w))
        return;
    be_put_ins(e, be_make_ins(e, w), w->cycles, w->at.line);
    put_call_target(e, w);
    if (gathers(e, (enum bc_op)w->op))
        be_continue_block(e, 0);
    if (w->op != BC_call && w->op != BC_icall)
        return;
    e->at.callee = w->op == BC_call ? w->imm : be_signature_node(e->c, w->imm / 2);
    be_open_block(e, BC_RETURN | (may_leave_lanes(e, w) ? BC_RECONVERGE : 0));
    e->at.callee = BE_NONE;
}

/* ---- functions --------------------------------------------------------------------------------------- */

static void encode_block(struct be_encoder *e, const struct be_block *b)
{
    for (unsigned file = BC_FILE_VECTORS; file < BC_FILES; file++)
        be_pool_clear(&e->c->temporaries[file]);
    e->code_of.at[b->ir] = e->c->p->code.count;
    e->at.source = b->ir;
    be_open_block(e, b->reconverge ? BC_RECONVERGE : 0);
    if (e->f->frontiers && ir_block_at(e->f->ir, b->ir)->frontier != IR_NO_BLOCK)
        be_fix_later(e, BE_FIX_FRONTIER, e->open, ir_block_at(e->f->ir, b->ir)->frontier);
    for (uint32_t i = b->first + 1; i < b->end - 1; i++)
        encode_word(e, i);
    be_encode_end(e, b);
}

/* Where indirect calls enter: arguments and return address come from the signature's frame. */
static void encode_entry(struct be_encoder *e)
{
    const struct be_frame *from = &e->c->frames[be_signature_node(e->c, e->f->signature)];
    const u32_vec *params = &ir_block_at(e->f->ir, ir_entry(e->f->ir))->params;
    uint32_t line = e->f->ir->at.line;
    e->at.source = IR_NO_BLOCK;
    be_open_block(e, 0);
    be_put_ins(e,
               (struct bc_ins){.op = BC_mov_v,
                               .d = (uint16_t)(e->c->frames[e->f->id].depth - 1),
                               .a = (uint16_t)(from->depth - 1)},
               ir_latency_cycles[IR_LAT_ALU], line);
    for (uint32_t i = 0; i < params->count; i++) {
        uint32_t to = e->f->params[i];
        if (!to || !be_vreg(e->f, to)->live)
            continue;
        const struct be_vreg *v = be_vreg(e->f, to);
        struct bc_ins move = {.op = (uint16_t)(BC_mov_v + v->kind),
                              .d = (uint16_t)be_register(e, to),
                              .a = (uint16_t)(from->base[be_region_of(v)] + from->arguments[i])};
        be_put_ins(e, move, ir_latency_cycles[IR_LAT_ALU], line);
    }
    be_put_ins(e, (struct bc_ins){.op = BC_jump, .imm = e->row->code}, ir_latency_cycles[IR_LAT_BR], line);
}

void be_encode(struct be_context *c, struct be_function *f)
{
    struct bc_function *row = &c->p->functions.at[f->id];
    struct be_encoder e = {
        .c = c, .f = f, .row = row, .open = BE_NONE, .at = {BE_NONE, IR_NO_BLOCK, IR_NO_BLOCK, BE_NONE}};
    vec_resize(&c->arena, &e.code_of, f->ir->blocks.count);
    row->code = c->p->code.count;
    row->return_slot = f->kernel ? 0 : c->frames[f->id].depth - 1;
    const struct be_block *block = NULL;
    ir_each_block(i, b, f->ir) {
        if (!bitset_has(f->cfg->reachable, b))
            continue;
        e.next = b;
        if (block)
            encode_block(&e, block);
        block = &f->blocks.at[f->cfg->rpo_index[b]];
    }
    e.next = BE_NONE;
    encode_block(&e, block);
    if (f->signature != BE_NONE) {
        row->signature = bc_signature(f->signature, f->ir->flags & IR_FN_CONVERGENT);
        row->entry = c->p->code.count;
        encode_entry(&e);
    }
    be_close_block(&e);
    be_fix_all(&e);
    row->end = c->p->code.count;
    if (c->p->checks_waiting)
        be_waiting_of_rows(&e);
}
