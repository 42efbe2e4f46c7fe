/* dump.c: a function's machine code between the steps of the code generator, for people, in the frame that
 * LLVM's stands in:
 *
 *     # Machine code for function collatz:
 *     bb.4.for.body(%r5, %r6): ; weight 8
 *         andi            %r19, %r5, 1 !12:15
 *         nei             %p20, %r19, 0 !12:13
 *         branch          %p20, bb.5, bb.6 !12:13 ; lanes reconverge at bb.7
 *     # End machine code for function collatz.
 *
 * Blocks are numbered in reverse post-order; bb.0 is the prologue. %r17 and %p21 are virtual registers, r3
 * and p1 those of the machine; a value in the frame is [slot 2], one that is made anew where it is read
 * stands as that. What is no instruction of the machine is a row of pseudo.def.
 */
#include "backend/warpcore/codegen.h"

#define OPERAND_COLUMN 16

const struct wc_step_info wc_step_info[WC_STEPS] = {
#define WC_STEP(name, meaning) {#name, meaning},
#include "backend/warpcore/steps.def"
};

struct dumper {
    const struct wc_context *c;
    const struct wc_mfunction *f;
    struct text *out;
    int padding; /* blanks before the instruction's first operand; 0: it has one */
};

static void print_mnemonic(struct dumper *d, const char *name)
{
    int left = OPERAND_COLUMN - (int)strlen(name);
    text_printf(d->out, "    %s", name);
    d->padding = left > 1 ? left : 1;
}

static void begin_operand(struct dumper *d)
{
    if (d->padding)
        text_printf(d->out, "%*s", d->padding, "");
    else
        text_addz(d->out, ", ");
    d->padding = 0;
}

/* ---- operands ---------------------------------------------------------------------------------------- */

static void print_made(struct dumper *d, const struct wc_vreg *reg)
{
    if (reg->op == WC_false_p)
        text_addz(d->out, "false");
    else if (reg->op == WC_csrr)
        text_addz(d->out, wc_csr_find((uint32_t)reg->imm)->name);
    else
        text_printf(d->out, "%s%d", reg->op == WC_ldarg ? "ldarg " : "", reg->imm);
}

static void print_register(struct dumper *d, uint32_t v)
{
    const struct wc_vreg *reg = wc_vreg(d->f, v);
    char letter = reg->kind == WC_CLASS_P ? 'p' : 'r';
    if (reg->home == WC_HOME_SLOT)
        text_printf(d->out, "[slot %u]", reg->slot);
    else if (reg->home == WC_HOME_REMATERIALISED)
        print_made(d, reg);
    else if (reg->colour == WC_NO_COLOUR)
        text_printf(d->out, "%%%c%u", letter, v);
    else
        text_printf(d->out, "%c%u", letter, reg->colour);
}

static void print_registers(struct dumper *d, const uint32_t *list, uint32_t n)
{
    text_char(d->out, '(');
    for (uint32_t k = 0; k < n; k++) {
        text_addz(d->out, k ? ", " : "");
        print_register(d, list[k]);
    }
    text_char(d->out, ')');
}

static void print_number(struct dumper *d, char letter, int32_t imm)
{
    switch (letter) {
    case 'c':
    case 'C': text_addz(d->out, wc_csr_find((uint32_t)imm)->name); break;
    case 'k': text_addz(d->out, d->c->m->functions.at[imm]->name); break;
    case 'S': print_register(d, (uint32_t)imm); break;
    default: text_printf(d->out, "%d", imm); break;
    }
}

static void print_address(struct dumper *d, const struct wc_mins *i)
{
    text_char(d->out, '[');
    print_register(d, i->a);
    if (i->imm)
        text_printf(d->out, " %c %d", i->imm < 0 ? '-' : '+', i->imm < 0 ? -i->imm : i->imm);
    text_char(d->out, ']');
}

static void print_operands(struct dumper *d, const struct wc_mins *i)
{
    const char *letters = wc_letters(i->op);
    const uint32_t fields[] = {i->d, i->a, i->b, i->c};
    for (unsigned k = 0; k < COUNT(fields); k++) {
        if (letters[k] == '-')
            continue;
        begin_operand(d);
        if (k == 1 && letters[4] == 'o')
            print_address(d, i);
        else
            print_register(d, fields[k]);
    }
    if (letters[4] == '-' || letters[4] == 'o')
        return;
    begin_operand(d);
    print_number(d, letters[4], i->imm);
}

/* ---- instructions ------------------------------------------------------------------------------------ */

/* Arguments stand right behind what they are for. */
static void print_list(struct dumper *d, const struct wc_mins *i)
{
    bool called = i->op == WC_invoke || i->op == WC_print;
    if (!called && i->count == 0)
        return;
    if (!called && i->op != WC_jump)
        begin_operand(d);
    print_registers(d, d->f->lists.at + i->first, i->count);
}

static void print_reconvergence(struct dumper *d, const struct wc_block *block)
{
    const struct wc_block_reconvergence *m = &d->f->reconvergence->at[block->ir];
    if (m->uniform)
        text_addz(d->out, " ; uniform");
    else if (m->reconverge == IR_NO_BLOCK)
        text_addz(d->out, " ; lanes do not reconverge");
    else
        text_printf(d->out, " ; lanes reconverge at bb.%u", d->f->block_of[m->reconverge]);
}

static void print_instruction(struct dumper *d, const struct wc_block *block, const struct wc_mins *i)
{
    static const char *const pseudo_names[] = {
#define WC_PSEUDO(name, operands, meaning) #name,
#include "backend/warpcore/pseudo.def"
    };
    bool branches = i->op == WC_jump || i->op == WC_branch;
    print_mnemonic(d, i->op < WC_OPS ? wc_op_info[i->op].mnemonic : pseudo_names[i->op - WC_OPS]);
    print_operands(d, i);
    for (uint32_t k = 0; branches && k < block->successor_count; k++) {
        begin_operand(d);
        text_printf(d->out, "bb.%u", block->successors[k]);
    }
    if (wc_list_reads(i->op) || wc_list_writes(i->op))
        print_list(d, i);
    if (i->at.line)
        text_printf(d->out, " !%u:%u", i->at.line, i->at.column);
    if (i->op == WC_branch)
        print_reconvergence(d, block);
    text_char(d->out, '\n');
}

/* ---- blocks ------------------------------------------------------------------------------------------ */

/* In mode source-pc each names the block whose branch it is of. */
static void print_converges(struct dumper *d, const struct wc_block *block)
{
    const u32_vec *list = &d->f->reconvergence->at[block->ir].converge;
    for (uint32_t k = 0; k < list->count; k++) {
        print_mnemonic(d, wc_op_info[WC_converge].mnemonic);
        if (d->c->o->mode == WC_MODE_SOURCE_PC) {
            begin_operand(d);
            text_printf(d->out, "bb.%u", d->f->block_of[list->at[k]]);
        }
        text_char(d->out, '\n');
    }
}

static void print_block(struct dumper *d, uint32_t b)
{
    const struct wc_block *block = &d->f->blocks.at[b];
    bool prologue = block->ir == IR_NO_BLOCK;
    const char *name = prologue ? "prologue" : ir_block_at(d->f->ir, block->ir)->name;
    text_printf(d->out, "bb.%u%s%s", b, name ? "." : "", name ? name : "");
    if (block->params.count)
        print_registers(d, block->params.at, block->params.count);
    text_printf(d->out, ": ; weight %u\n", block->weight);
    if (!prologue)
        print_converges(d, block);
    for (uint32_t k = 0; k < block->codes.count; k++)
        print_instruction(d, block, &block->codes.at[k]);
}

void wc_print_stage(const struct wc_stage *stage, struct text *out)
{
    struct dumper d = {stage->c, stage->f, out, 0};
    const u32_vec *order = &d.f->layout;
    uint32_t n = order->count ? order->count : d.f->blocks.count;
    text_printf(out, "# Machine code for function %s:\n", d.f->ir->name);
    for (uint32_t k = 0; k < n; k++)
        print_block(&d, order->count ? order->at[k] : k);
    text_printf(out, "# End machine code for function %s.\n", d.f->ir->name);
}
