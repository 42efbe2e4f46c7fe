/* asm.c: the assembler: lines of labels, directives and instructions become an image (docs/isa.md).
 *
 * One pass over the text; names of code words are looked up at its end. What is wrong is reported with its
 * place, line after line, up to the error limit; the image is then verified like any other, and what the
 * verifier refuses is reported at the word's line. Time and memory are in proportion to the text.
 */
#include "backend/format/warpcore/asm.h"
#include "backend/format/warpcore/verify.h"

#include <stdlib.h>

/* ---- instructions ------------------------------------------------------------------------------------ */

static uint8_t take_register(struct wc_assembler *a, char file, unsigned count)
{
    struct wc_token t = a->lexer.token;
    char *end;
    unsigned long n = t.kind == WC_TOKEN_WORD && t.text[0] == file && t.text[1] >= '0' && t.text[1] <= '9'
                          ? strtoul(t.text + 1, &end, 10)
                          : count;
    if (n >= count || *end || (t.text[1] == '0' && t.length > 2)) {
        wc_asm_error(a, "operand", "a %s is wanted here: %c0 to %c%u", file == 'r' ? "register" : "predicate",
                     file, file, count - 1);
        return 0;
    }
    wc_lexer_advance(&a->lexer);
    return (uint8_t)n;
}

static int32_t take_csr(struct wc_assembler *a, char letter)
{
    struct wc_token t = a->lexer.token;
    const struct wc_csr_info *csr = t.kind == WC_TOKEN_WORD ? wc_csr_named(t.text, t.length) : NULL;
    if (!csr)
        return wc_asm_error(a, "operand", "the name of a control register is wanted here");
    if (letter == 'C' ? !csr->writable : !csr->readable)
        return wc_asm_error(a, "operand", "control register %s cannot be %s", csr->name,
                            letter == 'C' ? "written" : "read");
    wc_lexer_advance(&a->lexer);
    return csr->number;
}

static int32_t take_number(struct wc_assembler *a, enum wc_op op)
{
    struct wc_range range = wc_imm_range(op);
    return (int32_t)wc_take_integer(a, range.least, range.most, "a number");
}

/* [a + offset] */
static void take_address(struct wc_assembler *a, struct wc_ins *ins)
{
    wc_expect_mark(a, '[');
    if (a->failed)
        return;
    ins->a = take_register(a, 'r', WC_REGISTERS);
    bool minus = a->lexer.token.kind == WC_TOKEN_MARK && *a->lexer.token.text == '-';
    if (minus || wc_accept_mark(a, '+'))
        ins->imm = take_number(a, (enum wc_op)ins->op);
    wc_expect_mark(a, ']');
}

static uint8_t take_lane_operand(struct wc_assembler *a, char letter)
{
    bool predicate = letter == 'P' || letter == 'p';
    return take_register(a, predicate ? 'p' : 'r', predicate ? WC_PREDICATES : WC_REGISTERS);
}

static int32_t take_imm(struct wc_assembler *a, enum wc_op op, char letter)
{
    uint32_t word = a->m->code.count;
    switch (letter) {
    case 'k': return (int32_t)wc_take_target(a, WC_FIX_IMM, word, "a target");
    case 's': return (int32_t)wc_take_target(a, WC_FIX_IMM, word, "a branch");
    case 'c':
    case 'C': return take_csr(a, letter);
    default: return take_number(a, op);
    }
}

static void take_operand(struct wc_assembler *a, struct wc_ins *ins, unsigned field)
{
    const char *letters = wc_op_info[ins->op].operands;
    uint8_t *lane[] = {&ins->d, &ins->a, &ins->b, &ins->c};
    if (field == 1 && letters[4] == 'o')
        take_address(a, ins);
    else if (field < COUNT(lane))
        *lane[field] = take_lane_operand(a, letters[field]);
    else if (field == 4)
        ins->imm = take_imm(a, (enum wc_op)ins->op, letters[4]);
    else
        ins->rpc = (uint16_t)wc_take_target(a, WC_FIX_RPC, a->m->code.count, "a reconvergence point");
}

static bool at_end(const struct wc_assembler *a)
{
    return a->lexer.token.kind == WC_TOKEN_LINE || a->lexer.token.kind == WC_TOKEN_END;
}

/* R and s, which come last, may be missing: there is none. */
static bool is_missing(struct wc_assembler *a, struct wc_ins *ins, char letter)
{
    if ((letter != 'R' && letter != 's') || !at_end(a))
        return false;
    if (letter == 'R')
        ins->rpc = WC_NONE;
    else
        ins->imm = WC_NONE;
    return true;
}

static void take_instruction(struct wc_assembler *a, struct wc_token name)
{
    uint32_t op = map_get(&a->ops, (uintptr_t)intern(&a->names, name.text, name.length));
    if (op == MAP_NONE) {
        wc_asm_error_at(a, name.where, "instruction", "there is no instruction '%s'", name.text);
        return;
    }
    struct wc_ins ins = {.op = (uint16_t)op};
    const char *letters = wc_op_info[op].operands;
    span where = name.where;
    bool first = true;
    for (unsigned i = 0; i < 6 && !a->failed; i++) {
        if (letters[i] == '-' || letters[i] == 'o' || is_missing(a, &ins, letters[i]))
            continue;
        if (!first)
            wc_expect_mark(a, ',');
        first = false;
        if (!a->failed)
            take_operand(a, &ins, i);
    }
    where.end = a->lexer.token.where.at;
    if (!a->failed)
        wc_put_word(a, ins, false, 0, where);
}

void wc_put_word(struct wc_assembler *a, struct wc_ins ins, bool raw, uint32_t word, span where)
{
    place at = a->has_file ? a->loc : where.at;
    vec_push(&a->m->arena, &a->m->code, word);
    vec_push(&a->m->arena, &a->m->places, at);
    vec_push(&a->arena, &a->ins, ins);
    vec_push(&a->arena, &a->raw, raw);
    vec_push(&a->arena, &a->spans, where);
}

/* ---- labels ------------------------------------------------------------------------------------------ */

static void take_label(struct wc_assembler *a)
{
    struct wc_token t = a->lexer.token;
    const char *name = intern(&a->names, t.text, t.length);
    uint32_t before = map_get(&a->labels, (uintptr_t)name);
    if (before != MAP_NONE) {
        wc_asm_error(a, "label", "label '%s' is defined twice", name);
        diag_add(a->d, DIAG_NOTE, "label", a->label_rows.at[before].where, "the first time here");
        return;
    }
    map_set(&a->arena, &a->labels, (uintptr_t)name, a->label_rows.count);
    struct wc_label row = {name, a->m->code.count, t.where};
    vec_push(&a->arena, &a->label_rows, row);
    if (t.kind == WC_TOKEN_STRING || *t.text != '.') {
        struct wc_symbol symbol = {arena_strdup(&a->m->arena, t.text, t.length), a->m->code.count};
        vec_push(&a->m->arena, &a->m->symbols, symbol);
    }
    wc_lexer_advance(&a->lexer);
    wc_lexer_advance(&a->lexer); /* the colon */
}

static void set_target(struct wc_assembler *a, const struct wc_fixup *f, uint32_t word)
{
    switch (f->kind) {
    case WC_FIX_IMM: a->ins.at[f->index].imm = (int32_t)word; break;
    case WC_FIX_RPC: a->ins.at[f->index].rpc = (uint16_t)word; break;
    case WC_FIX_ENTRY: a->m->kernels.at[f->index].entry = word; break;
    }
}

/* Numbers go in only if nothing was wrong: the instruction that wanted one may not be there. */
static void fix_all(struct wc_assembler *a)
{
    for (uint32_t i = 0; i < a->fixups.count; i++) {
        const struct wc_fixup *f = &a->fixups.at[i];
        uint32_t row = map_get(&a->labels, (uintptr_t)f->name);
        a->failed = false;
        if (row == MAP_NONE)
            wc_asm_error_at(a, f->where, "label", "label '%s' is not defined", f->name);
        else if (a->label_rows.at[row].word >= WC_MAX_WORDS)
            wc_asm_error_at(a, f->where, "label", "label '%s' is beyond the last word there can be", f->name);
        else if (a->d->errors == 0)
            set_target(a, f, a->label_rows.at[row].word);
    }
}

/* ---- the image --------------------------------------------------------------------------------------- */

static void take_statement(struct wc_assembler *a)
{
    while (!a->failed && wc_at_label(&a->lexer))
        take_label(a);
    if (a->failed || at_end(a))
        return;
    struct wc_token t = a->lexer.token;
    if (t.kind != WC_TOKEN_WORD) {
        wc_asm_error(a, "syntax", "a label, a directive or an instruction is wanted here");
        return;
    }
    if (wc_launch_directive(a))
        return;
    wc_lexer_advance(&a->lexer);
    if (*t.text == '.')
        wc_directive(a, t);
    else
        take_instruction(a, t);
}

static void take_lines(struct wc_assembler *a)
{
    while (a->lexer.token.kind != WC_TOKEN_END && !a->d->stopped) {
        a->failed = false;
        take_statement(a);
        if (!a->failed && !at_end(a))
            wc_asm_error(a, "syntax", "the line should end here");
        while (!at_end(a))
            wc_lexer_advance(&a->lexer);
        if (a->lexer.token.kind == WC_TOKEN_LINE)
            wc_lexer_advance(&a->lexer);
    }
}

static void encode_all(struct wc_assembler *a)
{
    for (uint32_t i = 0; i < a->m->code.count; i++)
        if (!a->raw.at[i])
            a->m->code.at[i] = wc_encode(a->ins.at[i]);
}

static bool decode_all(struct wc_assembler *a, struct wc_ins *ins)
{
    for (uint32_t i = 0; i < a->m->code.count; i++)
        if (!wc_decode(a->m->code.at[i], &ins[i]))
            return false;
    return true;
}

/* Registers and predicates of kernels that do not say them; 0 if that cannot be known: the verifier says
 * why. */
static void compute_needs(struct wc_assembler *a)
{
    uint32_t n = a->m->code.count;
    struct wc_ins *ins = arena_array(&a->arena, struct wc_ins, n);
    bool good = decode_all(a, ins);
    for (uint32_t i = 0; i < a->m->kernels.count; i++) {
        struct wc_kernel *k = &a->m->kernels.at[i];
        struct wc_need need = {0};
        if (k->registers != WC_COMPUTED && k->predicates != WC_COMPUTED)
            continue;
        if (good && k->entry < n)
            need = wc_need_from(&a->arena, ins, n, k->entry);
        k->registers = k->registers == WC_COMPUTED ? need.registers : k->registers;
        k->predicates = k->predicates == WC_COMPUTED ? need.predicates : k->predicates;
    }
}

static void verify(struct wc_assembler *a)
{
    char why[300];
    uint32_t at = WC_NO_WORD;
    span where = {{0, 0}, {0, 0}};
    if (!wc_verify_at(a->m, why, sizeof why, &at))
        return;
    if (at < a->spans.count)
        where = a->spans.at[at];
    a->failed = false;
    diag_add(a->d, DIAG_ERROR, "image", where, "%s", why);
}

static void assemble(struct wc_assembler *a)
{
    wc_lexer_start(&a->lexer);
    take_lines(a);
    fix_all(a);
    if (a->d->errors)
        return;
    encode_all(a);
    compute_needs(a);
    a->m->data_bytes = a->data.count;
    if (a->data.count)
        a->m->data = memcpy(arena_alloc(&a->m->arena, a->data.count), a->data.at, a->data.count);
    verify(a);
}

static void name_ops(struct wc_assembler *a)
{
    for (unsigned op = 0; op < WC_OPS; op++)
        map_set(&a->arena, &a->ops, (uintptr_t)intern_z(&a->names, wc_op_info[op].mnemonic), op);
}

struct wc_image *wc_assemble(const struct source *s, struct diagnostics *d)
{
    struct wc_assembler a = {.d = d, .m = wc_image_new()};
    struct mem_guard guard;
    arena_init(&a.arena);
    if (mem_guard_enter(&guard)) {
        arena_free(&a.arena);
        wc_image_free(a.m);
        mem_fail(0);
    }
    a.names.arena = &a.arena;
    a.lexer = (struct wc_lexer){.source = s, .d = d, .arena = &a.arena};
    a.m->file = arena_strdup(&a.m->arena, s->name, strlen(s->name));
    name_ops(&a);
    assemble(&a);
    mem_guard_leave(&guard);
    arena_free(&a.arena);
    if (d->errors) {
        wc_image_free(a.m);
        return NULL;
    }
    return a.m;
}
