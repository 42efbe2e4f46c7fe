/* plan.c: under which setups a program is tried. */
#include "fuzz/fuzz.h"
#include "fuzz/random.h"
#include "kernc.h"

#include <unistd.h>

enum { WARP_CORE_WIDTH = 8, OTHER_PASSES_PERCENT = 40 };

bool fz_is_warp_core(const char *scheme)
{
    return strncmp(scheme, "warp-core:", strlen("warp-core:")) == 0;
}

void fz_options_init(struct fz_options *o)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    kernc_scheme s;
    *o = (struct fz_options){.seed = 1, .count = 100, .classes = "abc", .setups = 8, .patience = 20};
    o->levels.count = 3, o->levels.at[1] = 1, o->levels.at[2] = 2;
    for (uint32_t i = 0; i < 5; i++)
        o->widths.at[o->widths.count++] = (uint32_t[]){1, 4, 8, 32, 64}[i];
    for (unsigned i = 0; kernc_scheme_at(i, &s) && o->schemes.count < COUNT(o->schemes.at); i++)
        if (s.sound)
            o->schemes.at[o->schemes.count++] = s.name;
    o->jobs = cores < 1 ? 1 : cores > FZ_MAX_JOBS ? FZ_MAX_JOBS : (uint32_t)cores;
}

/* The oracle, at no optimisation. */
static struct fz_setup reference_setup(const struct fz_options *o, const struct fz_program *p)
{
    uint32_t width = fz_is_race_free(p) ? 1 : o->widths.at[0];
    return (struct fz_setup){.scheme = "oracle", .width = width};
}

static uint32_t setup_count(const struct fz_options *o)
{
    return o->schemes.count * o->levels.count * o->widths.count;
}

/* Widths vary fastest: setups of neighbouring numbers share their code. */
static struct fz_setup numbered_setup(const struct fz_options *o, uint32_t number)
{
    uint32_t width = number % o->widths.count, rest = number / o->widths.count;
    const char *scheme = o->schemes.at[rest / o->levels.count];
    return (struct fz_setup){scheme, o->levels.at[rest % o->levels.count],
                             fz_is_warp_core(scheme) ? WARP_CORE_WIDTH : o->widths.at[width], o->passes};
}

static bool passes_given(const struct fz_options *o)
{
    return o->passes.count || o->passes.off;
}

/* Draws k of n numbers in ascending order. Where there is only one setup, it was asked for as it is. */
void fz_plan(const struct fz_options *o, const struct fz_program *p, struct arena *a, fz_setup_vec *plan)
{
    struct fz_random r = fz_random(p->seed, 'p');
    uint32_t n = setup_count(o), wanted = o->setups == 0 || o->setups > n ? n : o->setups;
    vec_push(a, plan, reference_setup(o, p));
    for (uint32_t i = 0; i < n && wanted > 0; i++) {
        if (fz_below(&r, n - i) >= wanted)
            continue;
        struct fz_setup setup = numbered_setup(o, i);
        if (n > 1 && !passes_given(o) && fz_chance(&r, OTHER_PASSES_PERCENT))
            setup.passes = fz_passes_draw(&r);
        vec_push(a, plan, setup);
        wanted--;
    }
}
