/* reference_g.c: what the buffers of a sequence of launches (class g) have to hold: one directive after the
 * other, one thread after the other.
 */
#include "fuzz/sequence.h"

enum { MOST_LAUNCHES = 1000 };

struct state {
    const struct fz_program *p;
    uint32_t **named, *own, *flag, threads, round, launches;
};

static uint32_t operate(struct state *s, const struct fz_directive *d, const struct fz_operation *o,
                        uint32_t gid, uint32_t x)
{
    uint32_t v = o->v, round = d->counts ? s->round : d->round;
    switch (o->effect) {
    case FZ_EFFECT_ADD: return x * v + fz_directive_c(d, s->round);
    case FZ_EFFECT_MIX: return x ^ x >> (v % 31 + 1);
    case FZ_EFFECT_ROUND: return x + round * v + d->d[v & 1];
    case FZ_EFFECT_BRANCH: return x >> v % 32 & 1 ? x * v + gid : x ^ v;
    case FZ_EFFECT_LOOP:
        for (uint32_t i = x & 7; i > 0; i--)
            x = x * 5 + v;
        return x;
    case FZ_EFFECT_OWN: return s->own[gid] += x + fz_directive_table(d, x & 1);
    default: *s->flag |= x % 8 + round < v % 9; return x;
    }
}

static void launch(struct state *s, const struct fz_directive *d)
{
    const struct fz_stage *stage = &s->p->sequence->stages.at[d->stage];
    uint32_t *to = s->named[d->to], running = fz_directive_blocks(s->p, d, s->round) * s->p->threads;
    for (uint32_t gid = 0; gid < running; gid++) {
        uint32_t x = s->named[d->from][(gid * stage->a + stage->b) % s->threads];
        s->own[gid] = d->own_iota ? gid : 0;
        for (uint32_t i = 0; i < stage->operations.count; i++)
            x = operate(s, d, &stage->operations.at[i], gid, x);
        to[gid] = stage->store == '=' ? x : stage->store == '+' ? to[gid] + x : to[gid] ^ x;
    }
    s->launches++;
}

static void repeat(struct state *s, uint32_t first, uint32_t end)
{
    const struct fz_directive *all = s->p->sequence->directives.at, *repeat = &all[first];
    bool more = true;
    for (s->round = 0; more && (!repeat->rounds || s->round < repeat->rounds); s->round++) {
        if (repeat->flagged)
            *s->flag = 0;
        for (uint32_t i = first + 1; i < end; i++)
            launch(s, &all[i]);
        more = (!repeat->flagged || *s->flag) && s->launches < MOST_LAUNCHES;
    }
}

enum fz_end fz_expect_g(const struct fz_program *p, uint32_t width, void **contents)
{
    const struct fz_sequence *q = p->sequence;
    struct state s = {.p = p, .named = (uint32_t **)contents, .threads = p->blocks * p->threads};
    UNUSED(width);
    s.flag = contents[q->named];
    s.own = mem_alloc((s.threads + 1) * sizeof *s.own);
    for (uint32_t b = 0; b < q->named; b++) {
        struct launch_value v = fz_named_value(p, b);
        for (uint32_t i = 0; i < s.threads; i++) {
            uint64_t bits = 0;
            launch_make_element(&v, LAUNCH_UINT, i, &bits);
            s.named[b][i] = (uint32_t)bits;
        }
    }
    for (uint32_t i = 0; i < q->directives.count && s.launches < MOST_LAUNCHES; i++) {
        uint32_t end = q->directives.at[i].step == LAUNCH_REPEAT ? fz_end_of(q, i) : i;
        if (end > i)
            repeat(&s, i, end);
        else
            launch(&s, &q->directives.at[i]);
        i = end;
    }
    mem_free(s.own);
    return s.launches < MOST_LAUNCHES ? FZ_ENDS : FZ_ENDS_NOT;
}
