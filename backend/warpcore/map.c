/* map.c: what an image takes: kernc build --emit=map. */
#include "backend/format/warpcore/image.h"

static void print_kernels(const struct wc_image *m, struct text *out)
{
    text_printf(out, "%-24s %6s %10s %11s %13s %6s\n", "kernel", "entry", "registers", "predicates",
                "private bytes", "stack");
    for (uint32_t i = 0; i < m->kernels.count; i++) {
        const struct wc_kernel *k = &m->kernels.at[i];
        text_printf(out, "%-24s %6u %10u %11u %13u %6u\n", k->name, k->entry, k->registers, k->predicates,
                    k->private_bytes, k->stack);
    }
}

static void print_functions(const struct wc_image *m, struct text *out)
{
    text_printf(out, "%-24s %6s %10s\n", "function", "entry", "words");
    for (uint32_t i = 0; i < m->symbols.count; i++) {
        const struct wc_symbol *s = &m->symbols.at[i];
        uint32_t end = i + 1 < m->symbols.count ? m->symbols.at[i + 1].word : m->code.count;
        text_printf(out, "%-24s %6u %10u\n", s->name, s->word, end - s->word);
    }
}

void wc_map(const struct wc_image *m, struct text *out)
{
    text_printf(
        out, "divergence %s: %u words of code (%u free), %u bytes of data, %u of shared memory, %u texts\n\n",
        wc_mode_info[m->mode].name, m->code.count, WC_MAX_WORDS - m->code.count, m->data_bytes,
        m->shared_bytes, m->texts.count);
    print_kernels(m, out);
    text_char(out, '\n');
    print_functions(m, out);
}
