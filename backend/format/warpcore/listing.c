/* listing.c: an image for people and for boards: the listing, and the code as a file for Verilog's $readmemh.
 *
 *     ; 4: int i = blockIdx.x * blockDim.x + threadIdx.x;
 *        0  50400003  csrr          r1, bid.x
 *
 * In the hex file the same line is a comment behind the word.
 */
#include "backend/format/warpcore/image.h"

struct listing {
    const struct wc_image *m;
    const struct source *source; /* may be NULL */
    struct text *out;
    uint32_t line, symbol; /* the latest line shown; the next symbol */
};

static void print_line_text(struct listing *l, uint32_t line)
{
    uint32_t n;
    const char *text = source_line(l->source, line, &n);
    while (n && (*text == ' ' || *text == '\t'))
        text++, n--;
    text_addz(l->out, ": ");
    text_visible_line(l->out, text, n);
}

/* Labels and, where it changes, the source line, each behind `comment`. */
static void print_heading(struct listing *l, uint32_t word, const char *comment)
{
    const struct wc_image *m = l->m;
    for (; l->symbol < m->symbols.count && m->symbols.at[l->symbol].word == word; l->symbol++) {
        const char *name = m->symbols.at[l->symbol].name;
        text_printf(l->out, "%s ", comment);
        text_visible_line(l->out, name, strlen(name));
        text_addz(l->out, ":\n");
    }
    uint32_t line = m->places.at[word].line;
    if (line == 0 || line == l->line)
        return;
    l->line = line;
    text_printf(l->out, "%s %u", comment, line);
    if (l->source)
        print_line_text(l, line);
    text_char(l->out, '\n');
}

static void print_summary(struct listing *l, const char *comment)
{
    const struct wc_image *m = l->m;
    text_printf(l->out, "%s ", comment);
    text_visible_line(l->out, m->file, strcspn(m->file, "\n"));
    text_printf(l->out,
                " for warp-core, divergence %s: %u words of %u, %u bytes of data, %u of shared memory\n",
                wc_mode_info[m->mode].name, m->code.count, WC_MAX_WORDS, m->data_bytes, m->shared_bytes);
    for (uint32_t i = 0; i < m->kernels.count; i++) {
        const struct wc_kernel *k = &m->kernels.at[i];
        text_printf(l->out, "%s kernel ", comment);
        text_visible_line(l->out, k->name, strlen(k->name));
        text_printf(l->out, ": entry %u, %u registers, %u predicates, %u bytes of private memory, stack %u",
                    k->entry, k->registers, k->predicates, k->private_bytes, k->stack);
        for (uint32_t n = 0; n < k->unsized.count; n++)
            text_printf(l->out, ", shared array of elements of %u bytes", k->unsized.at[n].bytes);
        text_char(l->out, '\n');
    }
}

void wc_listing(const struct wc_image *m, const struct source *source, struct text *out)
{
    struct listing l = {.m = m, .source = source, .out = out};
    print_summary(&l, ";");
    for (uint32_t i = 0; i < m->code.count; i++) {
        print_heading(&l, i, ";");
        text_printf(out, "%5u  %08x  ", i, m->code.at[i]);
        wc_print_word(m->code.at[i], NULL, out);
        text_char(out, '\n');
    }
}

void wc_hex(const struct wc_image *m, const struct source *source, struct text *out)
{
    struct listing l = {.m = m, .source = source, .out = out};
    print_summary(&l, "//");
    for (uint32_t i = 0; i < m->code.count; i++) {
        print_heading(&l, i, "//");
        text_printf(out, "%08x // %4u  ", m->code.at[i], i);
        wc_print_word(m->code.at[i], NULL, out);
        text_char(out, '\n');
    }
    for (uint32_t i = m->code.count; i < WC_MAX_WORDS; i++)
        text_addz(out, "00000000\n");
}
