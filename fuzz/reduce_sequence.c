/* reduce_sequence.c: makes programs of class g smaller: fewer directives, rounds and operations. */
#include "fuzz/reduce.h"
#include "fuzz/sequence.h"

/* Without the directives from `from` to `to`, of a repeat that is `opened` without these two alone, if it still
 * fails. */
static bool drop(struct fz_reducer *r, uint32_t from, uint32_t to, bool opened)
{
    struct fz_sequence *s = r->p->sequence, before = *s;
    struct fz_sequence fewer = *s;
    memset(&fewer.directives, 0, sizeof fewer.directives);
    for (uint32_t i = 0; i < s->directives.count; i++)
        if (i < from || i > to || (opened && i != from && i != to))
            vec_push(r->p->arena, &fewer.directives, s->directives.at[i]);
    *s = fewer;
    if (fewer.directives.count && fz_reduce_try(r))
        return true;
    *s = before;
    return false;
}

/* A repeat goes as a whole; one of its launches only if it is not the last. */
static bool may_go(const struct fz_sequence *s, uint32_t at, uint32_t *last)
{
    const struct fz_directive *d = s->directives.at;
    *last = d[at].step == LAUNCH_REPEAT ? fz_end_of(s, at) : at;
    bool only =
        at && at + 1 < s->directives.count && d[at - 1].step == LAUNCH_REPEAT && d[at + 1].step == LAUNCH_END;
    return d[at].step != LAUNCH_END && !only;
}

static void fewer_rounds(struct fz_reducer *r, struct fz_directive *d)
{
    while (d->rounds > 1) {
        d->rounds--;
        if (!fz_reduce_try(r)) {
            d->rounds++;
            return;
        }
    }
}

static void fewer_operations(struct fz_reducer *r, struct fz_stage *stage)
{
    for (uint32_t i = stage->operations.count; i-- > 0;) {
        struct fz_operation gone = stage->operations.at[i];
        for (uint32_t k = i + 1; k < stage->operations.count; k++)
            stage->operations.at[k - 1] = stage->operations.at[k];
        stage->operations.count--;
        if (fz_reduce_try(r))
            continue;
        for (uint32_t k = stage->operations.count++; k > i; k--)
            stage->operations.at[k] = stage->operations.at[k - 1];
        stage->operations.at[i] = gone;
        fz_reduce_marks(r, &stage->operations.at[i].marks);
    }
}

void fz_reduce_sequence(struct fz_reducer *r)
{
    struct fz_sequence *s = r->p->sequence;
    uint32_t last;
    for (uint32_t i = s->directives.count; i-- > 0;)
        if (i < s->directives.count && may_go(s, i, &last) && !drop(r, i, last, false) && last > i)
            drop(r, i, last, true);
    for (uint32_t i = 0; i < s->directives.count; i++)
        if (s->directives.at[i].step == LAUNCH_REPEAT)
            fewer_rounds(r, &s->directives.at[i]);
    for (uint32_t i = 0; i < s->stages.count; i++)
        fewer_operations(r, &s->stages.at[i]);
}
