/* disassemble.c: a program as text, one word a line, each function in the frame that Compiler Explorer's pass
 * viewer reads. Operands print as their letters in bytecode.def say; a program must have passed bc_verify.
 *
 *     12  ldx_g32       v4, [s0 + v2 << 2 +0]           ; 7:12
 *     13  B_slt_I       v4, v9 ? 15 : 20, reconverge 24       ; 7:9
 */
#include "backend/format/bytecode/program.h"

#define COMMENT_COLUMN 56
#define NAME_WIDTH     13 /* and a space */

struct listing {
    const struct bc_program *p;
    struct text *out;
    size_t line_start;
    struct arena arena;
    struct map functions; /* first code word -> function */
};

static void begin_line(struct listing *l)
{
    l->line_start = l->out->length;
}

static void end_line(struct listing *l)
{
    text_char(l->out, '\n');
}

/* Moves to the column of comments. */
static void comment(struct listing *l)
{
    size_t width = l->out->length - l->line_start;
    text_printf(l->out, "%*s; ", (int)(width < COMMENT_COLUMN ? COMMENT_COLUMN - width : 1), "");
}

static void place_of_site(struct listing *l, uint32_t site)
{
    const struct bc_site *s = &l->p->sites.at[site];
    comment(l);
    text_printf(l->out, "%u:%u", s->line, s->column);
}

/* ---- operands ---------------------------------------------------------------------------------------- */

/* The letter a register is shown with: its file and width. */
static char shown_letter(char letter)
{
    switch (bc_file_of(letter)) {
    case BC_FILE_VECTORS: return bc_is_wide(letter) ? 'w' : 'v';
    case BC_FILE_MASKS: return 'm';
    default: return 's';
    }
}

static void show_operands(struct listing *l, const struct bc_ins *ins)
{
    static const char kinds[] = "vwms";
    text_printf(l->out, " (");
    for (uint32_t i = 0; i < ins->a; i++) {
        const struct bc_operand *o = &l->p->operands.at[ins->b + i];
        text_printf(l->out, "%s%c%u", i ? ", " : "", kinds[o->kind], o->reg);
    }
    text_char(l->out, ')');
}

static void show_string(struct listing *l, uint32_t n)
{
    text_json(l->out, l->p->texts.at[n].bytes, l->p->texts.at[n].length);
}

static void show_switch(struct listing *l, const struct bc_switch *s)
{
    text_printf(l->out, "{");
    for (uint32_t i = 0; i < s->count; i++)
        text_printf(l->out, "%lld: %u, ", (long long)l->p->cases.at[s->first + i].value,
                    l->p->cases.at[s->first + i].target);
    text_printf(l->out, "else %u}", s->otherwise);
    if (s->reconverge != BC_NO_TARGET)
        text_printf(l->out, ", reconverge %u", s->reconverge);
}

static void show_imm(struct listing *l, char letter, uint32_t imm)
{
    switch (letter) {
    case 'i': text_printf(l->out, "%+d", (int32_t)imm); break;
    case 'n': show_string(l, imm); break;
    case 'j': show_switch(l, &l->p->switches.at[imm]); break;
    case 'f':
        text_printf(l->out, "%s (%u)", l->p->functions.at[map_get(&l->functions, imm)].name, imm);
        break;
    case 'h': text_addz(l->out, l->p->hosts.at[imm].name); break;
    case 'g': text_printf(l->out, "signature %u", imm); break;
    default: text_printf(l->out, "%u", imm);
    }
}

/* Mode X: [base + index << shift + offset]. */
static void show_indexed(struct listing *l, const char *operands, const struct bc_ins *ins)
{
    text_printf(l->out, "%c%u, [s%u + v%u << %u %+d]", shown_letter(operands[0]), ins->d, ins->b, ins->a,
                ins->c, (int32_t)ins->imm);
}

/* Registers and numbers of fields d, a, b, c and e, then imm and the token. */
static void show_fields(struct listing *l, const char *operands, const struct bc_ins *ins)
{
    const uint16_t fields[] = {ins->d, ins->a, ins->b, ins->c, ins->e};
    const char *separator = "";
    for (unsigned i = 0; i < COUNT(fields); i++) {
        char letter = operands[i];
        bool none = letter == '-' || letter == '@' || (letter == '?' && fields[i] == 0);
        if (none || (letter == 't' && (i == 4 || fields[i] == BC_NO_TOKEN)))
            continue;
        text_addz(l->out, separator);
        if (letter != '#' && letter != '?')
            text_char(l->out, shown_letter(letter));
        text_printf(l->out, "%u", fields[i]);
        separator = ", ";
    }
    if (operands[5] != '-' && operands[5] != '@') {
        text_addz(l->out, separator);
        show_imm(l, operands[5], ins->imm);
    }
    if (operands[4] == 't' && ins->e != BC_NO_TOKEN)
        text_printf(l->out, " [v%u]", ins->e);
}

/* ---- words ------------------------------------------------------------------------------------------- */

/* Where lanes may wait while block row or function `of` is run. */
static void show_waiting(struct listing *l, uint32_t of)
{
    const struct bc_program *p = l->p;
    if (!p->checks_waiting)
        return;
    uint32_t first = bc_waiting_of(p, of);
    text_addz(l->out, " waiting");
    for (uint32_t i = first; i < p->waiting.count && p->waiting.at[i].place == of; i++)
        text_printf(l->out, "%s%u", i > first ? ", " : " ", p->waiting.at[i].at);
    if (first == p->waiting.count || p->waiting.at[first].place != of)
        text_addz(l->out, " nowhere");
}

static void show_block_word(struct listing *l, const struct bc_ins *ins)
{
    const struct bc_block *b = &l->p->blocks.at[ins->imm];
    text_printf(l->out, "block %u%s%s", ins->imm, ins->d & BC_RECONVERGE ? " reconverge" : "",
                ins->d & BC_RETURN ? " return" : "");
    if (b->frontier)
        text_printf(l->out, " frontier %u", b->frontier);
    show_waiting(l, ins->imm);
    comment(l);
    text_printf(l->out, "%u instructions, %u cycles", b->instructions, b->cycles);
    if (b->overhead)
        text_printf(l->out, ", %u overhead", b->overhead);
    for (uint32_t i = 0; i < b->line_count; i++)
        text_printf(l->out, "%s%u", i ? " " : ", lines ", l->p->lines.at[b->first_line + i].line);
}

static void show_branch_word(struct listing *l, const struct bc_branch *b)
{
    text_printf(l->out, " ? %u : %u", b->yes, b->no);
    if (b->reconverge != BC_NO_TARGET)
        text_printf(l->out, ", reconverge %u", b->reconverge);
    place_of_site(l, b->site);
}

static char result_letter(const struct listing *l, const struct bc_ins *call)
{
    return "vwm"[bc_kind_of((enum be_value)l->p->hosts.at[call->imm].result)];
}

static void show_word(struct listing *l, const struct bc_ins *ins)
{
    const struct bc_op_info *info = bc_op_info((enum bc_op)ins->op);
    if (ins->op == BC_block) {
        show_block_word(l, ins);
        return;
    }
    bool bare = strspn(info->operands, "-t@") == strlen(info->operands) && ins->e == BC_NO_TOKEN;
    bare |= strspn(info->operands, "-@") == strlen(info->operands);
    text_printf(l->out, "%-*s%s", bare ? 0 : NAME_WIDTH, info->name, bare ? "" : " ");
    if (ins->op == BC_printf || ins->op == BC_hostcall) {
        if (ins->op == BC_hostcall && l->p->hosts.at[ins->imm].result != BE_VOID)
            text_printf(l->out, "%c%u, ", result_letter(l, ins), ins->d);
        show_imm(l, info->operands[5], ins->imm);
        show_operands(l, ins);
    } else if (strcmp(info->operands + 1, "vs<@i") == 0) {
        show_indexed(l, info->operands, ins);
    } else {
        show_fields(l, info->operands, ins);
    }
    if (bc_has_branch_word((enum bc_op)ins->op))
        show_branch_word(l, (const struct bc_branch *)(ins + 1));
    else if (info->operands[4] == '@')
        place_of_site(l, ins->e);
    else if (info->operands[5] == '@')
        place_of_site(l, ins->imm);
}

static void show_function(struct listing *l, const struct bc_function *f)
{
    text_printf(l->out, "# Machine code for function %s:", f->name);
    show_waiting(l, l->p->blocks.count + (uint32_t)(f - l->p->functions.at));
    text_addz(l->out, "\n");
    for (uint32_t i = f->code; i < f->end; i++) {
        const struct bc_ins *ins = &l->p->code.at[i];
        begin_line(l);
        text_printf(l->out, ins->op == BC_block ? "%5u  " : "%5u      ", i);
        show_word(l, ins);
        end_line(l);
        i += bc_has_branch_word((enum bc_op)ins->op);
    }
    text_printf(l->out, "# End machine code for function %s.\n\n", f->name);
}

/* ---- kernels ----------------------------------------------------------------------------------------- */

static const char *special_name(uint64_t n)
{
    static const char *const names[] = {
#define SPECIAL(name, text, source, scope, meaning) text,
#include "base/specials.def"
#undef SPECIAL
    };
    return names[n];
}

static void show_preload(struct listing *l, const struct bc_kernel *k, const struct bc_preload *f)
{
    text_printf(l->out, "#   %c%u = ", "vwms"[f->kind], f -> reg);
    switch (f->source) {
    case BC_FROM_PARAM:
        if (f->value < k->params.count)
            text_printf(l->out, "parameter %s\n", k->params.at[f->value].name);
        else
            text_printf(l->out, "address of %s\n", k->unsized.at[f->value - k->params.count].name);
        break;
    case BC_FROM_SPECIAL: text_printf(l->out, "%s\n", special_name(f->value)); break;
    case BC_FROM_DATA: text_printf(l->out, "data + %llu\n", (unsigned long long)f->value); break;
    case BC_FROM_GRID: {
        int d = "xyz"[f->value];
        text_printf(l->out, "bid.%c * bdim.%c + tid.%c\n", d, d, d);
        break;
    }
    default: text_printf(l->out, "0x%llx\n", (unsigned long long)f->value);
    }
}

static void show_kernel(struct listing *l, const struct bc_kernel *k)
{
    text_printf(l->out, "# kernel %s: %u vectors, %u masks, %u scalars, %u bytes of private memory", k->name,
                k->vectors, k->masks, k->scalars, k->private_bytes);
    for (uint32_t i = 0; i < k->unsized.count; i++)
        text_printf(l->out, ", shared array %s of elements of %u bytes", k->unsized.at[i].name,
                    k->unsized.at[i].bytes);
    text_char(l->out, '\n');
    for (uint32_t i = 0; i < k->preload_count; i++)
        show_preload(l, k, &l->p->preloads.at[k->first_preload + i]);
}

void bc_disassemble(const struct bc_program *p, struct text *out)
{
    struct listing l = {.p = p, .out = out};
    struct mem_guard guard;
    arena_init(&l.arena);
    if (mem_guard_enter(&guard)) {
        arena_free(&l.arena);
        mem_fail(0);
    }
    for (uint32_t i = 0; i < p->functions.count; i++)
        if (p->functions.at[i].code != BC_NO_TARGET)
            map_set(&l.arena, &l.functions, p->functions.at[i].code, i);
    text_printf(out, "# *** Bytecode of ");
    text_visible_line(out, p->file, strcspn(p->file, "\n"));
    text_printf(out, " for scheme %s: %u bytes of data, %u of shared memory ***:\n", p->scheme, p->data_bytes,
                p->shared_bytes);
    for (uint32_t i = 0; i < p->kernels.count; i++)
        show_kernel(&l, &p->kernels.at[i]);
    text_char(out, '\n');
    for (uint32_t i = 0; i < p->functions.count; i++)
        if (p->functions.at[i].code != BC_NO_TARGET)
            show_function(&l, &p->functions.at[i]);
    mem_guard_leave(&guard);
    arena_free(&l.arena);
}
