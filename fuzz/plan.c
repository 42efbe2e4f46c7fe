/* plan.c: under which setups a program is tried. */
#include "base/checks.h"
#include "fuzz/fuzz.h"
#include "fuzz/plant.h"
#include "ir/analysis/analysis.h"

#include <unistd.h>

enum { OTHER_PASSES_PERCENT = 40, CHECK_PERCENT = 50 };

void fz_options_init(struct fz_options *o)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    *o = (struct fz_options){
        .seed = 1, .count = 100, .classes = "abc", .setups = 8, .patience = 20, .schedule = -1};
    o->levels.count = 3, o->levels.at[1] = 1, o->levels.at[2] = 2;
    for (uint32_t i = 0; i < 5; i++)
        o->widths.at[o->widths.count++] = (uint32_t[]){1, 4, 8, 32, 64}[i];
    for (unsigned s = 0; s < SCHEMES; s++)
        if (!scheme_has((enum scheme)s, SCHEME_UNSOUND))
            o->schemes.at[o->schemes.count++] = (enum scheme)s;
    o->jobs = cores < 1 ? 1 : cores > FZ_MAX_JOBS ? FZ_MAX_JOBS : (uint32_t)cores;
}

struct fz_program *fz_make(const struct fz_options *o, const struct fz_class *class, uint64_t seed,
                           struct arena *arena)
{
    struct fz_program *p = fz_generate(class, seed, arena);
    p->checked = o->checks_memory;
    if (o->plants)
        fz_plant(p, o->plants);
    return p;
}

bool fz_checks_memory(enum scheme s)
{
    return check_has_scheme(CHECK_RACE, s);
}

/* The reference scheme, at no optimisation. */
static struct fz_setup reference_setup(const struct fz_options *o, const struct fz_program *p)
{
    uint32_t width = fz_is_race_free(p) ? 1 : o->widths.at[0];
    return (struct fz_setup){.scheme = SCHEME_REFERENCE, .width = width};
}

static uint32_t setup_count(const struct fz_options *o)
{
    return o->schemes.count * o->levels.count * o->widths.count;
}

/* Widths vary fastest: setups of neighbouring numbers share their code. */
static struct fz_setup numbered_setup(const struct fz_options *o, uint32_t number)
{
    uint32_t width = number % o->widths.count, rest = number / o->widths.count;
    enum scheme scheme = o->schemes.at[rest / o->levels.count];
    uint32_t lanes = scheme_target(scheme)->lanes;
    return (struct fz_setup){
        scheme, o->levels.at[rest % o->levels.count], lanes ? lanes : o->widths.at[width], o->passes, 0,
        NULL};
}

static bool passes_given(const struct fz_options *o)
{
    return o->level_passes || fz_passes_given(&o->passes);
}

/* Which group runs next, deconfliction and thresholds: of schemes with convergence barriers, by a chance of
 * their own. */
static void draw_for_barriers(const struct fz_options *o, struct fz_random *r, bool predicted,
                              struct fz_setup *s)
{
    if (!scheme_has(s->scheme, SCHEME_BARRIERS))
        return;
    s->schedule = o->schedule >= 0 ? o->schedule : (int)fz_below(r, SCHEDULES);
    if (passes_given(o) || !predicted)
        return;
    if (fz_chance(r, 40))
        s->passes.values[OPT_OPTION_deconflict] = OPT_deconflict_off + 1 + fz_below(r, 3);
    if (fz_chance(r, 25))
        s->passes.values[OPT_OPTION_predict_threshold] = 1 + fz_below(r, 65);
}

/* Whether all arms are predicated that can be, though it does not pay. */
static void draw_predication(const struct fz_options *o, struct fz_random *r, struct fz_setup *s)
{
    if (s->scheme == SCHEME_barrier && !passes_given(o) && fz_chance(r, 30))
        s->passes.values[OPT_OPTION_predicate] = OPT_predicate_all + 1;
}

/* Whether calls are shared wherever they may be, though it does not pay. */
static void draw_for_frontiers(const struct fz_options *o, struct fz_random *r, struct fz_setup *s)
{
    if (!scheme_has(s->scheme, SCHEME_FRONTIERS) || passes_given(o))
        return;
    if (s->level >= 2 && s->passes.count == 0 && fz_chance(r, 25))
        s->passes.values[OPT_OPTION_share_gain] = 1;
}

/* Whether what its scheme has to check is checked: as asked for, or else in some setups. */
static void draw_check(const struct fz_options *o, struct fz_random *r, bool drawn, struct fz_setup *s)
{
    const char *own = scheme_check(s->scheme), *asked = o->passes.check;
    if (o->checks_memory) {
        s->passes.check = fz_checks_memory(s->scheme) ? asked : NULL;
        return;
    }
    bool checks = own && (asked ? strcmp(asked, own) == 0 : drawn && fz_chance(r, CHECK_PERCENT));
    s->passes.check = checks ? own : NULL;
}

/* Of a program that goes through a command: itself, back from LLVM IR as it is, and from the command. */
static void plan_passage(const struct fz_options *o, const struct fz_program *p, struct arena *a,
                         fz_setup_vec *plan)
{
    static const char *const none[] = {NULL};
    struct fz_setup s = {.scheme = SCHEME_REFERENCE, .width = o->widths.at[p->seed % o->widths.count]};
    vec_push(a, plan, s);
    s.through = none;
    vec_push(a, plan, s);
    s.through = o->through;
    vec_push(a, plan, s);
}

/* Draws k of n numbers in ascending order. Where there is only one setup, it was asked for as it is. */
void fz_plan(const struct fz_options *o, const struct fz_program *p, struct arena *a, fz_setup_vec *plan)
{
    struct fz_random r = fz_random(p->seed, 'p'), b = fz_random(p->seed, 'b'), f = fz_random(p->seed, 'f'),
                     g = fz_random(p->seed, 'g');
    uint32_t n = setup_count(o), wanted = o->setups == 0 || o->setups > n ? n : o->setups;
    if (o->through) {
        plan_passage(o, p, a, plan);
        return;
    }
    vec_push(a, plan, reference_setup(o, p));
    for (uint32_t i = 0; i < n && wanted > 0; i++) {
        if (fz_below(&r, n - i) >= wanted)
            continue;
        struct fz_setup setup = numbered_setup(o, i);
        if (n > 1 && !passes_given(o) && fz_chance(&r, OTHER_PASSES_PERCENT))
            setup.passes = fz_passes_draw(&r);
        draw_for_barriers(o, &b, n > 1 && fz_is_predicted(p), &setup);
        if (n > 1) {
            draw_for_frontiers(o, &f, &setup);
            draw_predication(o, &g, &setup);
        }
        draw_check(o, setup.scheme == SCHEME_REFERENCE ? &r : &f, n > 1, &setup);
        wanted--;
        vec_push(a, plan, setup);
    }
}
