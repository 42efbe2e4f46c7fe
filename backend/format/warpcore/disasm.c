/* disasm.c: a whole image as assembly: every table a directive, every word an instruction, so that the
 * assembler makes the same image of it. docs/isa.md, "Assembly", has the grammar.
 *
 * Code words that something names get a label: the image's symbols keep their names, the others are
 * local: .L12.
 */
#include "backend/format/warpcore/asm.h"

struct writer {
    const struct wc_image *m;
    struct text *out;
    struct arena arena;
    struct bitset targets; /* words that an operand or a kernel names */
    u32_vec symbol_of;     /* by word: its first symbol, or NO_SYMBOL */
};
#define NO_SYMBOL UINT32_MAX

/* ---- names ------------------------------------------------------------------------------------------- */

static void print_name(const char *name, struct text *out)
{
    if (wc_plain_name(name))
        text_addz(out, name);
    else
        text_quoted(out, name, strlen(name));
}

static void name_word(void *data, uint32_t word, struct text *out)
{
    const struct writer *w = data;
    uint32_t symbol = word < w->m->code.count ? w->symbol_of.at[word] : NO_SYMBOL;
    if (symbol != NO_SYMBOL)
        print_name(w->m->symbols.at[symbol].name, out);
    else
        text_printf(out, ".L%u", word);
}

static void add_target(struct writer *w, uint32_t word)
{
    if (word < w->m->code.count)
        bitset_add(w->targets, word);
}

static void find_targets(struct writer *w)
{
    const struct wc_image *m = w->m;
    w->targets = bitset_new(&w->arena, m->code.count);
    vec_resize(&w->arena, &w->symbol_of, m->code.count);
    for (uint32_t i = 0; i < m->code.count; i++) {
        struct wc_ins ins;
        w->symbol_of.at[i] = NO_SYMBOL;
        if (!wc_decode(m->code.at[i], &ins))
            continue;
        const char *letters = wc_op_info[ins.op].operands;
        if (letters[4] == 'k' || letters[4] == 's')
            add_target(w, (uint32_t)ins.imm);
        if (letters[5] == 'R')
            add_target(w, ins.rpc);
    }
    for (uint32_t i = 0; i < m->kernels.count; i++)
        add_target(w, m->kernels.at[i].entry);
    for (uint32_t i = m->symbols.count; i-- > 0;)
        w->symbol_of.at[m->symbols.at[i].word] = i;
}

/* ---- tables ------------------------------------------------------------------------------------------ */

static void print_texts(struct writer *w)
{
    for (uint32_t i = 0; i < w->m->texts.count; i++) {
        const struct wc_text *t = &w->m->texts.at[i];
        text_addz(w->out, ".text ");
        text_quoted(w->out, t->bytes, t->length);
        for (uint32_t o = 0; o < t->operands.count; o++)
            text_printf(w->out, ", %s", wc_value_names[t->operands.at[o]]);
        text_printf(w->out, "    ; %u\n", i);
    }
}

static void print_data(struct writer *w)
{
    enum { BYTES_A_LINE = 32 };
    for (uint32_t i = 0; i < w->m->data_bytes; i++) {
        if (i % BYTES_A_LINE == 0)
            text_addz(w->out, i ? "\"\n.bytes \"" : ".bytes \"");
        text_printf(w->out, "%02x", w->m->data[i]);
    }
    text_addz(w->out, w->m->data_bytes ? "\"\n" : "");
}

/* ", word "text"", if there is a text. */
static void print_clause(struct writer *w, const char *word, const char *text)
{
    if (!text || !*text)
        return;
    text_printf(w->out, ", %s ", word);
    text_quoted(w->out, text, strlen(text));
}

static void print_param(struct writer *w, const struct be_param *p)
{
    text_addz(w->out, "    .param ");
    print_name(p->name, w->out);
    text_printf(w->out, ", %s%s, %s, %u", wc_value_names[p->type], p->pointer ? " *" : "",
                launch_element_name((enum launch_element)p->element), p->element_bytes);
    if (p->text) {
        text_addz(w->out, ", ");
        text_quoted(w->out, p->text, strlen(p->text));
    }
    print_clause(w, "layout", p->layout);
    text_char(w->out, '\n');
}

static void print_kernel(struct writer *w, const struct wc_kernel *k)
{
    text_addz(w->out, ".kernel ");
    print_name(k->name, w->out);
    text_addz(w->out, ", entry ");
    name_word(w, k->entry, w->out);
    text_printf(w->out, ", registers %u, predicates %u, private %u, stack %u, line %u%s", k->registers,
                k->predicates, k->private_bytes, k->stack, k->line, k->has_barrier ? ", barrier" : "");
    for (uint32_t i = 0; i < k->unsized.count; i++) {
        text_printf(w->out, ", unsized %u ", k->unsized.at[i].bytes);
        print_name(k->unsized.at[i].name, w->out);
    }
    text_char(w->out, '\n');
    for (uint32_t i = 0; i < k->params.count; i++)
        print_param(w, &k->params.at[i]);
}

static void print_tables(struct writer *w)
{
    const struct wc_image *m = w->m;
    text_addz(w->out, ".file ");
    text_quoted(w->out, m->file, strlen(m->file));
    text_printf(w->out, "\n.mode %s\n", wc_mode_info[m->mode].name);
    if (m->shared_bytes)
        text_printf(w->out, ".shared %u\n", m->shared_bytes);
    print_data(w);
    print_texts(w);
    for (uint32_t i = 0; i < m->kernels.count; i++)
        print_kernel(w, &m->kernels.at[i]);
    for (uint32_t i = 0; i < m->launches.count; i++) {
        text_char(w->out, '.');
        launch_write_directive(&m->launches.at[i], "", w->out);
        text_char(w->out, '\n');
    }
}

/* ---- code -------------------------------------------------------------------------------------------- */

static void print_labels(struct writer *w, uint32_t word)
{
    uint32_t symbol = w->symbol_of.at[word];
    if (symbol == NO_SYMBOL && bitset_has(w->targets, word))
        text_printf(w->out, ".L%u:\n", word);
    for (; symbol < w->m->symbols.count && w->m->symbols.at[symbol].word == word; symbol++) {
        print_name(w->m->symbols.at[symbol].name, w->out);
        text_addz(w->out, ":\n");
    }
}

static void print_code(struct writer *w)
{
    const struct wc_image *m = w->m;
    struct wc_namer namer = {name_word, w};
    place at = {0, 0};
    text_char(w->out, '\n');
    for (uint32_t i = 0; i < m->code.count; i++) {
        place here = m->places.at[i];
        print_labels(w, i);
        if (here.line != at.line || here.column != at.column)
            text_printf(w->out, "    .loc            %u, %u\n", here.line, here.column);
        at = here;
        text_addz(w->out, "    ");
        wc_print_word(m->code.at[i], &namer, w->out);
        text_char(w->out, '\n');
    }
}

void wc_disassemble(const struct wc_image *m, struct text *out)
{
    struct writer w = {.m = m, .out = out};
    struct mem_guard guard;
    arena_init(&w.arena);
    if (mem_guard_enter(&guard)) {
        arena_free(&w.arena);
        mem_fail(0);
    }
    find_targets(&w);
    print_tables(&w);
    print_code(&w);
    mem_guard_leave(&guard);
    arena_free(&w.arena);
}
