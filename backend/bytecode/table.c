/* table.c: the tables beside the code: what blocks cost, and which lines; sites; targets, once they are
 * known. */
#include "backend/bytecode/encode.h"

#include <stdlib.h>

/* ---- blocks and lines -------------------------------------------------------------------------------- */

static int by_line(const void *a, const void *b)
{
    const struct bc_line *x = a, *y = b;
    return (x->line > y->line) - (x->line < y->line);
}

void be_close_block(struct be_encoder *e)
{
    struct bc_program *p = e->c->p;
    if (e->open == BE_NONE)
        return;
    struct bc_block *b = &p->blocks.at[e->open];
    b->first_line = p->lines.count;
    if (e->lines.count)
        qsort(e->lines.at, e->lines.count, sizeof *e->lines.at, by_line);
    for (uint32_t i = 0; i < e->lines.count; i++) {
        const struct bc_line *l = &e->lines.at[i];
        if (p->lines.count > b->first_line && vec_last(&p->lines).line == l->line) {
            vec_last(&p->lines).instructions += l->instructions;
            vec_last(&p->lines).cycles += l->cycles;
        } else {
            vec_push(&p->arena, &p->lines, *l);
        }
    }
    b->line_count = p->lines.count - b->first_line;
    vec_clear(&e->lines);
    e->open = BE_NONE;
}

void be_continue_block(struct be_encoder *e, unsigned flags)
{
    struct bc_program *p = e->c->p;
    be_close_block(e);
    e->open = e->at.row = p->blocks.count;
    if (p->checks_waiting)
        vec_push(&e->c->arena, &e->rows, e->at);
    vec_push(&p->arena, &p->blocks, ((struct bc_block){.code = p->code.count}));
    vec_push(&p->arena, &p->origins, ((struct bc_origin){e->f->id, e->at.source}));
    vec_push(&p->arena, &p->code, ((struct bc_ins){.op = BC_block, .d = (uint16_t)flags, .imm = e->open}));
}

void be_open_block(struct be_encoder *e, unsigned flags)
{
    bool alone = scheme_has(e->c->scheme, SCHEME_TOKENS); /* lanes run alone, in turns */
    be_continue_block(e, flags | (alone ? BC_RECONVERGE : 0));
}

/* A wait at the begin of the open block counts for the one before, if that falls into it. */
static void count_first_wait(struct be_encoder *e, uint32_t cycles, uint32_t line)
{
    struct bc_program *p = e->c->p;
    const struct bc_ins *head = &p->code.at[p->blocks.at[e->open].code], *end = p->code.at + p->code.count;
    if (p->blocks.at[e->open].code == e->row->code || !bc_falls_into_wait(head - 1, head, end))
        return;
    struct bc_block *before = &p->blocks.at[e->open - 1];
    uint32_t at = p->lines.count;
    before->instructions++;
    before->overhead++;
    before->cycles += cycles;
    while (at > before->first_line && p->lines.at[at - 1].line > line)
        at--;
    if (at > before->first_line && p->lines.at[at - 1].line == line) {
        p->lines.at[at - 1].instructions++;
        p->lines.at[at - 1].cycles += cycles;
        return;
    }
    vec_push(&p->arena, &p->lines, ((struct bc_line){line, 1, cycles}));
    for (uint32_t i = p->lines.count - 1; i > at; i--)
        p->lines.at[i] = p->lines.at[i - 1];
    p->lines.at[at] = (struct bc_line){line, 1, cycles};
    before->line_count++;
}

static bool is_first_wait(const struct be_encoder *e, const struct bc_ins *ins)
{
    const struct bc_program *p = e->c->p;
    return ins->op == BC_wait && bc_first_wait(&p->code.at[p->blocks.at[e->open].code],
                                               p->code.at + p->code.count) == &vec_last(&p->code);
}

void be_put_ins(struct be_encoder *e, struct bc_ins ins, uint32_t cycles, uint32_t line)
{
    struct bc_program *p = e->c->p;
    uint32_t instructions = bc_parts(&ins);
    struct bc_block *b = &p->blocks.at[e->open];
    vec_push(&p->arena, &p->code, ins);
    if (is_first_wait(e, &ins)) {
        count_first_wait(e, cycles, line);
        return;
    }
    b->instructions += instructions;
    b->overhead += e->overhead || ins.op == BC_scheme || ins.op == BC_wait ? instructions : 0;
    b->cycles += cycles;
    if (!instructions && !cycles)
        return;
    if (e->lines.count && vec_last(&e->lines).line == line) {
        vec_last(&e->lines).instructions += instructions;
        vec_last(&e->lines).cycles += cycles;
    } else {
        vec_push(&e->c->arena, &e->lines, ((struct bc_line){line, instructions, cycles}));
    }
}

/* ---- sites ------------------------------------------------------------------------------------------- */

static enum bc_site_kind space_kind(unsigned space)
{
    return space == 0 ? BC_SITE_GLOBAL : space == 1 ? BC_SITE_SHARED : BC_SITE_PRIVATE;
}

/* Of a copy, the space of the two that has more to count: global before shared before private. */
static enum bc_site_kind site_kind(const struct be_word *w)
{
    unsigned to = w->c & 3, from = w->op == BC_memcpy ? w->c >> 2 : to;
    if (w->op == BC_memcpy || w->op == BC_memzero)
        return space_kind(to < from ? to : from);
    if (bc_has_branch_word((enum bc_op)w->op) || (w->op >= BC_switch_v && w->op <= BC_switch_s) ||
        w->op == BC_icall)
        return BC_SITE_BRANCH;
    if (w->op >= BC_ld_g8 && w->op <= BC_stx_pb)
        return space_kind((w->op - BC_ld_g8) / (unsigned)(BC_ld_h8 - BC_ld_g8));
    if (w->op >= BC_wide_g && w->op <= BC_widex_p)
        return space_kind((w->op - BC_wide_g) / (unsigned)(BC_wide_h - BC_wide_g));
    if (w->op >= BC_ldu_g8 && w->op <= BC_ldu_hb)
        return space_kind(w->op >= BC_ldu_h8);
    if (w->op >= BC_at_gadd_I && w->op <= BC_at_hcas_F)
        return space_kind(w->op >= BC_at_hadd_I);
    return BC_SITE_OTHER;
}

uint16_t be_site(struct be_encoder *e, const struct be_word *w)
{
    struct bc_program *p = e->c->p;
    if (p->sites.count == BC_MAX_SITES - 1) { /* all that follow share a row without a place */
        vec_push(&p->arena, &p->sites, ((struct bc_site){.kind = BC_SITE_OTHER, .block = e->open}));
    } else if (p->sites.count < BC_MAX_SITES) {
        vec_push(&p->arena, &p->sites, ((struct bc_site){w->at.line, w->at.column, site_kind(w), e->open}));
    }
    return (uint16_t)(p->sites.count - 1);
}

/* ---- targets ----------------------------------------------------------------------------------------- */

void be_fix_now(struct be_encoder *e, enum be_fix_field field, uint32_t index, uint32_t code)
{
    struct bc_program *p = e->c->p;
    struct bc_branch *branch = (struct bc_branch *)&p->code.at[index];
    switch (field) {
    case BE_FIX_IMM: p->code.at[index].imm = code; break;
    case BE_FIX_YES: branch->yes = code; break;
    case BE_FIX_NO: branch->no = code; break;
    case BE_FIX_RECONVERGE: branch->reconverge = code; break;
    case BE_FIX_CASE: p->cases.at[index].target = code; break;
    case BE_FIX_OTHERWISE: p->switches.at[index].otherwise = code; break;
    case BE_FIX_FRONTIER: p->blocks.at[index].frontier = code; break;
    case BE_FIX_SWITCH_RECONVERGE: p->switches.at[index].reconverge = code; break;
    }
}

void be_fix_later(struct be_encoder *e, enum be_fix_field field, uint32_t index, uint32_t block)
{
    vec_push(&e->c->arena, &e->fixes, ((struct be_fix){(uint8_t)field, index, block}));
}

void be_fix_all(struct be_encoder *e)
{
    for (uint32_t i = 0; i < e->fixes.count; i++) {
        const struct be_fix *x = &e->fixes.at[i];
        be_fix_now(e, (enum be_fix_field)x->field, x->index,
                   x->block == IR_NO_BLOCK ? BC_NO_TARGET : e->code_of.at[x->block]);
    }
}
