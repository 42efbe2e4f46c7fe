/* class_g.c: class g: sequences of launches (fuzz/sequence.h): random ones, their source, and smaller
 * ones. */
#include "fuzz/reduce.h"
#include "fuzz/sequence.h"

enum { MOST_STAGES = 4, MOST_OPERATIONS = 8, MOST_DIRECTIVES = 6, MOST_MARKS = 4, MOST_LANES = 64 };

/* ---- random sequences -------------------------------------------------------------------------------- */

static void random_stage(struct fz_program *p, struct fz_random *r)
{
    static const char stores[] = {'=', '=', '+', '^'};
    struct fz_stage stage = {.a = 1 + fz_below(r, 7), .b = fz_below(r, 64), .store = stores[fz_below(r, 4)]};
    for (uint32_t i = 1 + fz_below(r, MOST_OPERATIONS); i > 0; i--)
        vec_push(p->arena, &stage.operations,
                 ((struct fz_operation){.effect = (enum fz_effect)fz_below(r, FZ_EFFECTS),
                                        .v = (uint32_t)fz_next(r)}));
    vec_push(p->arena, &p->sequence->stages, stage);
}

/* `counts`: its round is the repeat's. */
static void random_launch(struct fz_program *p, struct fz_random *r, bool counts)
{
    struct fz_sequence *s = p->sequence;
    struct fz_directive d = {.step = LAUNCH_KERNEL,
                             .stage = fz_below(r, s->stages.count),
                             .to = fz_below(r, s->named),
                             .c = fz_below(r, 1000),
                             .round = fz_below(r, 12),
                             .own_iota = fz_chance(r, 50),
                             .slope = fz_chance(r, 60) ? 1 + fz_below(r, 1000) : 0,
                             .d = {fz_below(r, 65536), fz_below(r, 65536)},
                             .fewer = fz_chance(r, 30),
                             .counts = counts};
    d.from = (d.to + 1 + fz_below(r, s->named - 1)) % s->named;
    vec_push(p->arena, &s->directives, d);
}

/* Without a number all launches have to count: then no thread sets the flag from some round on. */
static void random_repeat(struct fz_program *p, struct fz_random *r)
{
    struct fz_sequence *s = p->sequence;
    struct fz_directive d = {.step = LAUNCH_REPEAT, .flagged = fz_chance(r, 60)};
    if (!d.flagged || fz_chance(r, 50))
        d.rounds = 1 + fz_below(r, 6);
    vec_push(p->arena, &s->directives, d);
    for (uint32_t i = 1 + fz_below(r, 3); i > 0; i--)
        random_launch(p, r, !d.rounds || fz_chance(r, 70));
    vec_push(p->arena, &s->directives, (struct fz_directive){.step = LAUNCH_END});
}

/* Predictions: labels in branches and loops, Predicts in front of these, or anywhere; with and without
 * thresholds. The label of statement `label`, unless it has one; and a Predict of it. */
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

static void mark_stages(struct fz_program *p)
{
    struct fz_random r = fz_random(p->seed, 'M');
    if (!fz_is_predicted(p))
        return;
    for (uint32_t i = 0; i < p->sequence->stages.count; i++)
        mark_stage(&r, &p->sequence->stages.at[i]);
}

static void generate(struct fz_program *p)
{
    static const char *const names[] = {"first", "second", "third", "fourth"};
    static const enum launch_value_kind kinds[] = {LAUNCH_ZEROS, LAUNCH_IOTA, LAUNCH_RANDOM, LAUNCH_RANDOM};
    struct fz_random r = fz_random(p->seed, 'g');
    struct fz_sequence *s = p->sequence = arena_new(p->arena, struct fz_sequence);
    p->blocks = 1 + fz_below(&r, 3);
    p->threads = 1 + fz_below(&r, 70);
    s->named = 2 + fz_below(&r, FZ_MOST_NAMED - 1);
    for (uint32_t i = 0; i < s->named; i++) {
        s->made[i].kind = kinds[fz_below(&r, 4)];
        s->made[i].seed = fz_below(&r, 1000);
        vec_push(p->arena, &p->buffers, ((struct fz_buffer){names[i], FZ_UINT, false, 1, 0}));
    }
    vec_push(p->arena, &p->buffers, ((struct fz_buffer){"flag", FZ_UINT, false, 0, 1}));
    for (uint32_t i = 1 + fz_below(&r, MOST_STAGES); i > 0; i--)
        random_stage(p, &r);
    for (uint32_t i = 2 + fz_below(&r, MOST_DIRECTIVES - 1); i > 0; i--) {
        if (fz_chance(&r, 45))
            random_repeat(p, &r);
        else
            random_launch(p, &r, false);
    }
    mark_stages(p);
}

struct launch_value fz_named_value(const struct fz_program *p, uint32_t buffer)
{
    uint64_t count = fz_elements(p, &p->buffers.at[buffer]);
    bool flag = buffer == p->sequence->named;
    struct launch_value v = {.kind = flag ? LAUNCH_ZEROS : p->sequence->made[buffer].kind, .count = count};
    v.seed = flag ? 0 : p->sequence->made[buffer].seed;
    v.n[1] = (struct launch_number){.i = UINT32_MAX, .f = UINT32_MAX};
    return v;
}

uint32_t fz_directive_c(const struct fz_directive *d, uint32_t round)
{
    return d->counts ? d->c + round * d->slope : d->c;
}

uint32_t fz_directive_blocks(const struct fz_program *p, const struct fz_directive *d, uint32_t round)
{
    return !d->fewer || !d->counts ? p->blocks : round < p->blocks ? p->blocks - round : 1;
}

uint32_t fz_directive_table(const struct fz_directive *d, uint32_t i)
{
    return i ? d->c ^ 5 : d->c * 7 + 1;
}

uint32_t fz_end_of(const struct fz_sequence *s, uint32_t repeat)
{
    while (s->directives.at[repeat].step != LAUNCH_END)
        repeat++;
    return repeat;
}

uint32_t fz_sequence_size(const struct fz_sequence *s)
{
    uint32_t size = s->directives.count;
    for (uint32_t i = 0; i < s->stages.count; i++)
        size += s->stages.at[i].operations.count;
    return size;
}

/* ---- the source -------------------------------------------------------------------------------------- */

/* The labels that stand in the stage, a bit each. */
static uint64_t labels_of(const struct fz_program *p, uint32_t stage)
{
    uint64_t labels = 0;
    const struct fz_stage *s = &p->sequence->stages.at[stage];
    for (uint32_t i = 0; i < s->operations.count; i++)
        labels |= s->operations.at[i].marks.label ? 1u << (s->operations.at[i].marks.label - 1) : 0;
    return labels;
}

static void print_predict(const struct fz_marks *m, uint64_t labels, struct text *out)
{
    if (!m->predict || !(labels >> (m->predict - 1) & 1))
        return;
    text_printf(out, "Predict(L%u", m->predict - 1u);
    if (m->threshold)
        text_printf(out, ", %u", m->threshold);
    text_addz(out, ");\n");
}

static void print_label(const struct fz_marks *m, struct text *out)
{
    if (m->label)
        text_printf(out, "L%u: ;\n", m->label - 1u);
}

static void print_operation(const struct fz_operation *o, struct text *out)
{
    uint32_t v = o->v;
    switch (o->effect) {
    case FZ_EFFECT_ADD: text_printf(out, "    x = x * %uu + s.c;\n", v); break;
    case FZ_EFFECT_MIX: text_printf(out, "    x ^= x >> %u;\n", v % 31 + 1); break;
    case FZ_EFFECT_ROUND: text_printf(out, "    x += round * %uu + s.d[%u];\n", v, v & 1); break;
    case FZ_EFFECT_BRANCH:
        text_printf(out, "    if (x >> %u & 1) {\n", v % 32);
        print_label(&o->marks, out);
        text_printf(out, "        x = x * %uu + gid;\n    } else\n        x ^= %uu;\n", v, v);
        break;
    case FZ_EFFECT_LOOP:
        text_addz(out, "    for (uint i = x & 7; i > 0; i--) {\n");
        print_label(&o->marks, out);
        text_printf(out, "        x = x * 5 + %uu;\n    }\n", v);
        break;
    case FZ_EFFECT_OWN: text_addz(out, "    x += own[gid] + table[x & 1].c;\n    own[gid] = x;\n"); break;
    default: text_printf(out, "    if (x %% 8 + round < %u)\n        atomic_or(flag, 1u);\n", v % 9); break;
    }
}

static void print_marked(const struct fz_operation *o, uint64_t labels, struct text *out)
{
    print_predict(&o->marks, labels, out);
    if (o->effect != FZ_EFFECT_BRANCH && o->effect != FZ_EFFECT_LOOP)
        print_label(&o->marks, out);
    print_operation(o, out);
}

static void print_stage(const struct fz_program *p, uint32_t number, struct text *out)
{
    const struct fz_stage *stage = &p->sequence->stages.at[number];
    text_printf(
        out,
        "kernel void k%u(global uint *to, const global uint *from, global uint *own, global uint *flag, "
        "const global struct setting *table, uint round, struct setting s)\n{\n"
        "    uint gid = blockIdx.x * blockDim.x + threadIdx.x, x = from[(gid * %u + %u) %% %u];\n",
        number, stage->a, stage->b, p->blocks * p->threads);
    for (uint32_t i = 0; i < stage->operations.count; i++)
        print_marked(&stage->operations.at[i], labels_of(p, number), out);
    text_printf(out, stage->store == '=' ? "    to[gid] = x;\n}\n" : "    to[gid] %c= x;\n}\n", stage->store);
}

static bool is_used(const struct fz_sequence *s, uint32_t stage)
{
    for (uint32_t i = 0; i < s->directives.count; i++)
        if (s->directives.at[i].step == LAUNCH_KERNEL && s->directives.at[i].stage == stage)
            return true;
    return false;
}

static void print_directive(const struct fz_program *p, const struct fz_directive *d, struct text *out)
{
    if (d->step == LAUNCH_END) {
        text_addz(out, "}\n");
        return;
    }
    if (d->step == LAUNCH_REPEAT) {
        text_addz(out, "repeat");
        if (d->rounds)
            text_printf(out, " (%u)", d->rounds);
        text_addz(out, d->flagged ? " while (flag) {\n" : " {\n");
        return;
    }
    text_printf(out, "launch k%u(to = %s, from = %s, own = %s(%u), flag, ", d->stage,
                p->buffers.at[d->to].name, p->buffers.at[d->from].name, d->own_iota ? "iota" : "zeros",
                p->blocks * p->threads);
    if (d->counts)
        text_addz(out, "round");
    else
        text_printf(out, "round = %u", d->round);
    text_printf(out, ", table = {{%u, {1, 2}}, {.c = %u}}, ", fz_directive_table(d, 0),
                fz_directive_table(d, 1));
    if (d->counts && d->slope)
        text_printf(out, "s = {%u + round * %u, {%u, %u}})", d->c, d->slope, d->d[0], d->d[1]);
    else
        text_printf(out, "s = {.d = {%u, %u}, .c = %u})", d->d[0], d->d[1], d->c);
    text_printf(out, d->fewer && d->counts ? " grid(max(%u - round, 1))" : " grid(%u)", p->blocks);
    text_printf(out, " block(%u);\n", p->threads);
}

/* All buffers are shown, so that each is made. */
void fz_print_sequence(const struct fz_program *p, struct text *out)
{
    const struct fz_sequence *s = p->sequence;
    text_addz(out, "struct setting { uint c; ushort d[2]; };\n");
    for (uint32_t i = 0; i < p->buffers.count; i++) {
        struct launch_value v = fz_named_value(p, i);
        text_printf(out, "buffer uint %s = ", p->buffers.at[i].name);
        launch_print_value(&v, out);
        text_addz(out, ";\n");
    }
    for (uint32_t i = 0; i < s->stages.count; i++)
        if (is_used(s, i))
            print_stage(p, i, out);
    for (uint32_t i = 0; i < s->directives.count; i++)
        print_directive(p, &s->directives.at[i], out);
    for (uint32_t i = 0; i < p->buffers.count; i++)
        text_printf(out, "%s%s[0..1]", i ? ", " : "show(", p->buffers.at[i].name);
    text_addz(out, ");\n");
}

const struct fz_class fz_class_g = {'g',
                                    "sequences of launches",
                                    "several kernels in order on buffers that live across launches, repeated",
                                    generate,
                                    fz_expect_g,
                                    NULL};

/* ---- smaller ones ------------------------------------------------------------------------------------ */

static void reduce_marks(struct fz_reducer *r, struct fz_marks *m)
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

/* Without the directives from `from` to `to`, of a repeat that is `opened` without these two alone, if it
 * still fails. */
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
        struct fz_operation removed = stage->operations.at[i];
        for (uint32_t k = i + 1; k < stage->operations.count; k++)
            stage->operations.at[k - 1] = stage->operations.at[k];
        stage->operations.count--;
        if (fz_reduce_try(r))
            continue;
        for (uint32_t k = stage->operations.count++; k > i; k--)
            stage->operations.at[k] = stage->operations.at[k - 1];
        stage->operations.at[i] = removed;
        reduce_marks(r, &stage->operations.at[i].marks);
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
