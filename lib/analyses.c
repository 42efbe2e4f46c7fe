/* analyses.c: see analyses.h. */
#include "lib/analyses.h"

#include "ir/views/views.h"
#include "kernc.h"

/* The next word at *at, its length in *n; NULL at the end. */
static const char *next_word(const char **at, size_t *n)
{
    if (**at == '\0')
        return NULL;
    const char *word = *at;
    *n = strcspn(word, ",");
    *at = word + *n + (word[*n] == ',');
    return word;
}

const char *analyses_unknown(const char *list, size_t *n)
{
    for (const char *word; (word = next_word(&list, n)) != NULL;)
        if (ir_view_find(word, *n) == IR_VIEWS)
            return word;
    return NULL;
}

static void show(struct ir_viewer *v, enum ir_view what, int form, uint32_t number, struct text *out)
{
    if (form == KERNC_ANALYSIS_DOT)
        ir_view_dot(v, what, number, out);
    else if (form == KERNC_ANALYSIS_IR)
        ir_view_comments(v, what, out);
    else
        ir_view_text(v, what, out);
}

void analyses_show(const struct ir_module *m, const char *list, int form, struct text *out)
{
    uint32_t number = 0;
    if (form == KERNC_ANALYSIS_DOT)
        ir_view_dot_begin(out);
    for (uint32_t i = 0; i < m->functions.count; i++) {
        struct scratch scratch;
        struct ir_viewer *v = ir_viewer_new(scratch_begin(&scratch), m->functions.at[i]);
        size_t n;
        for (const char *at = list, *word; (word = next_word(&at, &n)) != NULL; number++)
            show(v, ir_view_find(word, n), form, number, out);
        scratch_end(&scratch);
    }
    if (form == KERNC_ANALYSIS_DOT)
        ir_view_dot_end(out);
}
