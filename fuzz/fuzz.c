/* fuzz.c: the classes one after the other, and the report: each failure with what makes it again, reduced. */
#include "fuzz/fuzz.h"
#include "fuzz/plant.h"

#include <stdio.h>
#include <time.h>

#define REDUCE_SECONDS 60 /* spent on one program at most: each try of one that hangs costs the patience */

struct probe {
    const struct fz_options *o;
    const struct fz_verdict *wanted;
    const struct fz_program *p;
    fz_setup_vec plan;
    time_t end;
};

static bool still_fails(const struct fz_program *p, void *data)
{
    struct probe *probe = data;
    if (time(NULL) >= probe->end || fz_interrupted(probe->o))
        return false;
    struct fz_verdict v = fz_try_in_child(probe->o, p, &probe->plan);
    return fz_same_kind(&v, probe->wanted) && v.setup.through == probe->wanted->setup.through;
}

static bool still_fails_by(const struct fz_passes *passes, void *data)
{
    struct probe *probe = data;
    struct fz_passes before = vec_last(&probe->plan).passes;
    vec_last(&probe->plan).passes = *passes;
    bool fails = still_fails(probe->p, data);
    vec_last(&probe->plan).passes = before;
    return fails;
}

static const char *schedule_of(struct arena *a, const struct fz_setup *s)
{
    bool has = scheme_has(s->scheme, SCHEME_BARRIERS);
    return has ? arena_printf(a, " --schedule=%s", schedule_names[s->schedule]) : "";
}

/* " --plant=race,bounds" */
static const char *plants_of(const struct fz_options *o, struct arena *a)
{
    const char *text = "";
    for (unsigned i = 0; i < FZ_MISTAKES; i++)
        if (o->plants >> i & 1)
            text = arena_printf(a, "%s%s%s", text, *text ? "," : " --plant=", fz_mistake_names[i]);
    return text;
}

char *fz_command(const struct fz_options *o, struct arena *a, char class, uint64_t seed,
                 const struct fz_setup *s)
{
    if (o->through)
        return arena_printf(a, "kernc fuzz --class=%c --seed=%llu --count=1 --warp=%u --opt='%s'", class,
                            (unsigned long long)seed, s->width ? s->width : o->widths.at[0], o->through_text);
    char *where =
        !s->width ? ""
                  : arena_printf(a, " --schemes=%s --levels=%u --warp=%u%s%s", scheme_info[s->scheme].name,
                                 s->level, s->width, fz_passes_text(a, &s->passes), schedule_of(a, s));
    return arena_printf(a, "kernc fuzz --class=%c --seed=%llu --count=1%s%s", class, (unsigned long long)seed,
                        plants_of(o, a), where);
}

static char *describe(struct arena *a, const struct fz_setup *s)
{
    if (s->through)
        return arena_printf(a, "%s warp %u: ", *s->through ? "through the command" : "as LLVM IR", s->width);
    return s->width ? arena_printf(a, "%s -O%u warp %u%s%s: ", scheme_info[s->scheme].name, s->level,
                                   s->width, fz_passes_text(a, &s->passes), schedule_of(a, s))
                    : "";
}

static void say(const struct fz_options *o, struct arena *a, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void say(const struct fz_options *o, struct arena *a, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    o->say(o->data, arena_vprintf(a, fmt, args));
    va_end(args);
}

/* Under the reference and the setup that failed alone, if that is enough to make it fail; first the setup's
 * passes, then the program. */
static void reduce(const struct fz_options *o, struct arena *a, struct fz_program *p, struct fz_verdict *v)
{
    struct probe probe = {.o = o, .wanted = v, .p = p, .end = time(NULL) + REDUCE_SECONDS};
    fz_plan(o, p, a, &probe.plan);
    if (v->setup.width && !o->through) {
        probe.plan.count = 1;
        vec_push(a, &probe.plan, v->setup);
    }
    if (!still_fails(p, &probe)) {
        say(o, a, "  not reduced: it does not fail a second time");
        return;
    }
    uint32_t tries = fz_passes_reduce(&v->setup.passes, still_fails_by, &probe);
    vec_last(&probe.plan).passes = v->setup.passes;
    uint32_t before = fz_program_size(p);
    tries += fz_reduce(p, still_fails, &probe);
    say(o, a, "  reduced from %u to %u nodes, %u programs tried", before, fz_program_size(p), tries);
}

static void keep(const struct fz_options *o, struct arena *a, const struct fz_failure *f, char class,
                 const struct text *source)
{
    const char *extension = class == 'e' ? "kir" : "kern";
    char *path = arena_printf(a, "%s/%c-%llu.%s", o->keep, class, (unsigned long long)f->seed, extension);
    const char *why = file_write(path, source->at, source->length);
    say(o, a, why ? "  %s: %s" : "  written to %s", path, why);
}

/* What the command is given and what it makes of it, beside the program. */
static void keep_passage(const struct fz_options *o, struct arena *a, const struct fz_failure *f, char class,
                         const struct fz_program *p, const struct text *source)
{
    struct fz_passage passage = {0};
    char why[256] = "";
    fz_pass_through(p, source, o->through, REDUCE_SECONDS, &passage, why, sizeof why);
    const struct text *texts[] = {&passage.before, &passage.after};
    for (int i = 0; i < 2 && texts[i]->length; i++) {
        char *path = arena_printf(a, "%s/%c-%llu.%s.ll", o->keep, class, (unsigned long long)f->seed,
                                  i ? "after" : "before");
        const char *wrong = file_write(path, texts[i]->at, texts[i]->length);
        say(o, a, wrong ? "  %s: %s" : "  written to %s", path, wrong);
    }
    text_free(&passage.before);
    text_free(&passage.after);
}

static void report(const struct fz_options *o, const struct fz_class *class, struct fz_failure *f,
                   bool reduced)
{
    struct arena a = {0};
    struct text source = {0};
    struct fz_verdict *v = &f->verdict;
    const char *command = fz_command(o, &a, class->letter, f->seed, &v->setup);
    say(o, &a, "class %c, seed %llu: %s%s: %s", class->letter, (unsigned long long)f->seed,
        describe(&a, &v->setup), fz_outcome_text[v->outcome], v->text);
    say(o, &a, "  again: %s", command);
    if (reduced || o->keep) {
        struct fz_program *p = fz_make(o, class, f->seed, &a);
        if (reduced)
            reduce(o, &a, p, v);
        fz_print(p,
                 arena_printf(&a, "%s%s: %s\n%s", describe(&a, &v->setup), fz_outcome_text[v->outcome],
                              v->text, command),
                 &source);
        if (o->keep)
            keep(o, &a, f, class->letter, &source);
        if (o->keep && o->through)
            keep_passage(o, &a, f, class->letter, p, &source);
        if (reduced)
            o->say(o->data, source.at);
    }
    text_free(&source);
    arena_free(&a);
}

static const char *internal_errors(struct arena *a, const struct fz_result *result)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < result->failures.count; i++)
        n += result->failures.at[i].verdict.outcome == FZ_BUG;
    return n ? arena_printf(a, ", %u of them %s", n, n == 1 ? "an internal error" : "internal errors") : "";
}

/* Of programs that went through a command: the first of each kind of failure, with the number of its kind; in
 * the end one line of all. How many results of the command are wrong. */
static uint64_t report_passages(const struct fz_options *o, const struct fz_class *class, struct arena *a,
                                struct fz_result *r)
{
    uint64_t of[FZ_OUTCOMES] = {0}, wrong = 0;
    uint32_t kinds = 0;
    for (uint32_t i = 0; i < r->failures.count; i++) {
        struct fz_failure *f = &r->failures.at[i];
        uint32_t before = 0, all = 0;
        for (uint32_t j = 0; j < r->failures.count; j++) {
            bool same = fz_same_kind(&r->failures.at[j].verdict, &f->verdict);
            before += same && j < i;
            all += same;
        }
        of[f->verdict.outcome]++;
        wrong += fz_is_wrong(f->verdict.outcome);
        if (before)
            continue;
        bool can_be_reduced = f->verdict.outcome != FZ_LEFT_OUT && f->verdict.outcome != FZ_INVALID;
        say(o, a, "class %c, %u of this kind:", class->letter, all);
        report(o, class, f, o->reduce && can_be_reduced && kinds++ < FZ_REDUCE_LIMIT && !fz_interrupted(o));
    }
    wrong -= of[FZ_INVALID];
    say(o, a,
        "class %c: %llu programs through %s: %llu right, %llu declined, %llu refused, %llu wrong, %llu left "
        "out",
        class->letter, (unsigned long long)r->programs, o->through_text,
        (unsigned long long)(r->programs - r->failures.count), (unsigned long long)of[FZ_DECLINED],
        (unsigned long long)of[FZ_REFUSED], (unsigned long long)(wrong - of[FZ_REFUSED]),
        (unsigned long long)(of[FZ_LEFT_OUT] + of[FZ_INVALID]));
    return wrong;
}

static void report_failures(const struct fz_options *o, const struct fz_class *class, struct arena *a,
                            struct fz_result *r)
{
    for (uint32_t i = 0; i < r->failures.count; i++)
        report(o, class, &r->failures.at[i], o->reduce && i < FZ_REDUCE_LIMIT && !fz_interrupted(o));
    say(o, a, "class %c: %llu programs, %llu runs, %u failures%s", class->letter,
        (unsigned long long)r->programs, (unsigned long long)r->runs, r->failures.count,
        internal_errors(a, r));
}

static void add_rows(struct text *t, char class, const struct fz_result *result)
{
    for (uint32_t i = 0; i < result->rows.count; i++) {
        const struct fz_row *row = &result->rows.at[i];
        const struct fz_executed *x = &row->executed;
        text_printf(t, "%c,%llu,%s,%u,%u,%llu\n", class, (unsigned long long)row->seed,
                    scheme_info[x->scheme].name, x->level, x->width,
                    (unsigned long long)x->warp_instructions);
    }
}

uint64_t fz_fuzz(const struct fz_options *o, struct arena *arena, const char **problem)
{
    uint64_t failures = 0;
    if (o->executed)
        text_addz(o->executed, "class,seed,scheme,opt,warp,warp_instructions\n");
    *problem = NULL;
    for (const char *letter = o->classes; *letter && !*problem && !fz_interrupted(o); letter++) {
        const struct fz_class *class = fz_class_find(*letter);
        struct arena a = {0};
        struct fz_result result;
        fz_run_class(o, class, &a, &result);
        if (o->through)
            failures += report_passages(o, class, &a, &result);
        else
            report_failures(o, class, &a, &result);
        if (o->sums)
            say(o, &a, "class %c: %llu programs with yields, %llu yields, %llu warp instructions", *letter,
                (unsigned long long)result.yielding, (unsigned long long)result.sums.yields,
                (unsigned long long)result.sums.warp_instructions);
        if (o->executed)
            add_rows(o->executed, *letter, &result);
        failures += o->through ? 0 : result.failures.count;
        if (result.problem)
            *problem = arena_strdup(arena, result.problem, strlen(result.problem));
        arena_free(&a);
    }
    return failures;
}
