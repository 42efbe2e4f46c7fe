/* watch.c: --steps: what one warp executes, step by step, as its divergence scheme has it: which lanes run, and
 * where the others wait. The table is kept until the launches have ended. */
#include "driver/launch.h"
#include "driver/step.h"
#include "runtime/module.h"

#include <stdio.h>

/* ---- flags ------------------------------------------------------------------------------------------- */

static bool read_index(const char **text, uint32_t *index)
{
    uint64_t n;
    bool good = scan_number(text, &n) && n <= UINT32_MAX;
    *index = good ? (uint32_t)n : 0;
    return good;
}

/* "X[,Y[,Z]][/WARP]": the block's index, and the warp's number in it. */
static bool read_warp(const char *text, kernc_launch *l)
{
    bool good = read_index(&text, &l->step_block[0]);
    for (int i = 1; good && i < 3 && *text == ','; i++) {
        text++;
        good = read_index(&text, &l->step_block[i]);
    }
    if (good && *text == '/') {
        text++;
        good = read_index(&text, &l->step_warp);
    }
    return good && *text == 0;
}

static void keep_step(void *user, const kernc_step *s);

int watch_read_flags(struct run *r)
{
    const char *warp = option_value(r->command, OPTION_STEPS);
    r->most_steps = STEPS_MOST;
    int code = option_number(r->command, OPTION_MAX_STEPS, 1, STEPS_MOST_OF_ALL, &r->most_steps);
    if (code || !warp)
        return code;
    if (*warp && !read_warp(warp, &r->x.api))
        return complain(r->command, EXIT_USAGE,
                        "--steps wants a block and a warp in it such as 0/1, or 2,0,0/1, not '%s'", warp);
    r->x.api.step = keep_step;
    r->x.api.step_user = r;
    return EXIT_OK;
}

/* Warps of a block. */
static uint64_t warps_of(const struct run *r, const uint32_t block[3])
{
    uint64_t threads = 1;
    for (int i = 0; i < 3; i++)
        threads *= block[i] ? block[i] : 1;
    return (threads + r->x.api.warp - 1) / r->x.api.warp;
}

static bool has_warp(const struct run *r, const struct execution_step *s)
{
    const kernc_launch *l = &r->x.api;
    bool has = l->step_warp < warps_of(r, s->launch.block);
    for (int i = 0; i < 3; i++)
        has = has && l->step_block[i] < (s->launch.grid[i] ? s->launch.grid[i] : 1);
    return has;
}

int watch_check(struct run *r)
{
    const struct execution_step *first = NULL;
    if (!r->x.api.step)
        return EXIT_OK;
    for (uint32_t i = 0; i < r->x.steps.count; i++) {
        const struct execution_step *s = &r->x.steps.at[i];
        if (s->kernel && has_warp(r, s))
            return EXIT_OK;
        first = s->kernel && !first ? s : first;
    }
    if (!first)
        return EXIT_OK;
    place at = {first->directive ? first->directive->line : 0, 1};
    uint32_t last[3];
    for (int i = 0; i < 3; i++)
        last[i] = first->launch.grid[i] ? first->launch.grid[i] - 1 : 0;
    return fail(
        r->command, EXIT_USAGE, "launch", at.line ? r->source : NULL, at,
        "--steps=%s: there is no such warp; kernel %s has warps 0 to %llu in each block from (0,0,0) to "
        "(%u,%u,%u)",
        option_value(r->command, OPTION_STEPS), first->launch.kernel,
        (unsigned long long)warps_of(r, first->launch.block) - 1, last[0], last[1], last[2]);
}

/* ---- the table --------------------------------------------------------------------------------------- */

static void add_heading(const struct run *r, const kernc_step *s, struct text *t)
{
    const kernc_launch *l = &r->x.api;
    const struct execution_step *at = r->x.position.step;
    const char *scheme = l->scheme ? l->scheme : kernc_module_scheme(r->x.module);
    if (t->length)
        text_char(t, '\n');
    if (execution_is_sequence(&r->x))
        text_printf(t, "launch %u, ", at->number);
    if (r->x.position.repeating)
        text_printf(t, "round %llu, ", (unsigned long long)r->x.position.round);
    text_printf(t, "%s: scheme %s, warp %u of block (%u,%u,%u)\n", at->launch.kernel, scheme, l->step_warp,
                l->step_block[0], l->step_block[1], l->step_block[2]);
    step_heading(rt_module_image(r->x.module) != NULL, s->lanes, t);
}

static void add_step(struct run *r, const void *data)
{
    const kernc_step *s = data;
    struct scratch scratch;
    if (r->shown_steps == r->most_steps) {
        r->other_steps++;
        return;
    }
    if (s->number == 1)
        add_heading(r, s, &r->steps);
    struct step_record record = step_record_of(scratch_begin(&scratch), s);
    step_row(&record, r->source, &r->steps);
    scratch_end(&scratch);
    r->shown_steps++;
}

/* What a launch calls for each step. */
static void keep_step(void *user, const kernc_step *s)
{
    launch_called(user, add_step, s);
}

void watch_write(struct run *r)
{
    if (r->other_steps)
        text_printf(&r->steps, "and %llu more steps: --max-steps=N shows the first N\n",
                    (unsigned long long)r->other_steps);
    if (r->steps.length)
        fwrite(r->steps.at, 1, r->steps.length, stdout);
    text_free(&r->steps);
}
