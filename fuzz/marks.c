/* marks.c: puts Predicts and labels at random statements of programs of class g: labels in branches and
 * loops, Predicts in front of these, or anywhere; with and without thresholds.
 */
#include "fuzz/marks.h"
#include "fuzz/reduce.h"
#include "fuzz/sequence.h"

enum { MOST_MARKS = 4, MOST_LANES = 64 };

/* ---- printed ----------------------------------------------------------------------------------------- */

uint64_t fz_sequence_labels(const struct fz_program *p, uint32_t stage)
{
    uint64_t labels = 0;
    const struct fz_stage *s = &p->sequence->stages.at[stage];
    for (uint32_t i = 0; i < s->operations.count; i++)
        labels |= s->operations.at[i].marks.label ? 1u << (s->operations.at[i].marks.label - 1) : 0;
    return labels;
}

void fz_print_predict(const struct fz_marks *m, uint64_t labels, struct text *out)
{
    if (!m->predict || !(labels >> (m->predict - 1) & 1))
        return;
    text_printf(out, "Predict(L%u", m->predict - 1u);
    if (m->threshold)
        text_printf(out, ", %u", m->threshold);
    text_addz(out, ");\n");
}

void fz_print_label(const struct fz_marks *m, struct text *out)
{
    if (m->label)
        text_printf(out, "L%u: ;\n", m->label - 1u);
}

/* ---- chosen ------------------------------------------------------------------------------------------ */

/* The label of statement `label`, unless it has one; and a Predict of it. */
static void mark(struct fz_random *r, struct fz_marks *label, struct fz_marks *predict, uint8_t number)
{
    if (!label->label)
        label->label = number + 1;
    predict->predict = label->label;
    predict->threshold = (uint8_t)(fz_chance(r, 50) ? 0 : 1 + fz_below(r, fz_chance(r, 50) ? 8 : MOST_LANES));
}

static void mark_stage(struct fz_random *r, struct fz_stage *s)
{
    uint32_t count = s->operations.count;
    for (uint8_t i = 0; i < 1 + fz_below(r, MOST_MARKS); i++) {
        uint32_t label = fz_below(r, count);
        for (uint32_t k = 0; k < count && fz_chance(r, 80); k++, label = (label + 1) % count)
            if (s->operations.at[label].effect == FZ_EFFECT_LOOP)
                break;
        uint32_t predict = fz_chance(r, 80) ? fz_below(r, label + 1) : fz_below(r, count);
        mark(r, &s->operations.at[label].marks, &s->operations.at[predict].marks, i);
    }
}

void fz_mark(struct fz_program *p)
{
    struct fz_random r = fz_random(p->seed, 'M');
    if (!fz_is_predicted(p))
        return;
    for (uint32_t i = 0; i < p->sequence->stages.count; i++)
        mark_stage(&r, &p->sequence->stages.at[i]);
}

/* ---- reduced ----------------------------------------------------------------------------------------- */

void fz_reduce_marks(struct fz_reducer *r, struct fz_marks *m)
{
    struct fz_marks before = *m;
    m->predict = m->threshold = 0;
    if (before.predict && !fz_reduce_try(r))
        *m = before;
    before = *m;
    m->threshold = 0;
    if (before.threshold && !fz_reduce_try(r))
        *m = before;
    before = *m;
    m->label = 0;
    if (before.label && !fz_reduce_try(r))
        *m = before;
}
