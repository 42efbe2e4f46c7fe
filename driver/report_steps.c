/* report_steps.c: the steps of warps, as indices into tables of places and of states. */
#include "driver/report.h"
#include "driver/step.h"

#include <inttypes.h>
#include <stdlib.h>

void report_string(struct text *out, const char *key, const char *value, size_t n)
{
    text_printf(out, "\"%s\": ", key);
    if (value)
        text_json(out, value, n);
    else
        text_addz(out, "null");
}

/* ---- tables ------------------------------------------------------------------------------------------ */

uint32_t report_table_index(struct report_table *t, const char *text, size_t n)
{
    uint64_t key = hash_bytes(text, n);
    uint32_t at;
    while ((at = map_get(&t->index, key)) != MAP_NONE &&
           (strncmp(t->texts.at[at], text, n) != 0 || t->texts.at[at][n] != 0))
        key++;
    if (at != MAP_NONE)
        return at;
    at = t->texts.count;
    vec_push(t->arena, &t->texts, arena_strdup(t->arena, text, n));
    map_set(t->arena, &t->index, key, at);
    return at;
}

static void add_table(const struct report_table *t, const char *name, struct text *out)
{
    text_printf(out, ",\n \"%s\": [", name);
    for (uint32_t i = 0; i < t->texts.count; i++)
        text_printf(out, "%s%s", i ? ",\n  " : "", t->texts.at[i]);
    text_char(out, ']');
}

/* ---- all of them ------------------------------------------------------------------------------------- */

struct report_steps report_steps_new(struct arena *a, uint64_t most)
{
    return (struct report_steps){.arena = a, .most = most};
}

static struct report_warp *warp_of(struct report_steps *s, const kernc_step *step)
{
    for (uint32_t i = 0; i < s->warps.count; i++)
        if (s->warps.at[i].number == step->warp)
            return &s->warps.at[i];
    vec_push(s->arena, &s->warps, ((struct report_warp){.number = step->warp, .lanes = step->lanes}));
    struct report_warp *w = &vec_last(&s->warps);
    w->places.arena = w->states.arena = s->arena;
    return w;
}

void report_steps_add(struct report_steps *s, const kernc_step *step)
{
    struct scratch scratch;
    struct text at = {.arena = scratch_begin(&scratch)}, state = {.arena = at.arena};
    struct report_warp *w = warp_of(s, step);
    if (w->total++ < s->most) {
        struct step_record record = step_record_of(at.arena, step);
        step_place_json(&record, &at);
        step_state_json(&record, &state);
        vec_push(s->arena, &w->run, report_table_index(&w->places, at.at, at.length));
        vec_push(s->arena, &w->run, report_table_index(&w->states, state.at, state.length));
    }
    scratch_end(&scratch);
}

static void add_warp(const struct report_warp *w, const kernc_launch *l, struct text *out)
{
    text_printf(out, "{\"block\": [%u, %u, %u], \"warp\": %u, \"lanes\": %u, \"total\": %" PRIu64,
                l->step_block[0], l->step_block[1], l->step_block[2], w->number, w->lanes, w->total);
    add_table(&w->places, "places", out);
    add_table(&w->states, "states", out);
    text_addz(out, ",\n \"run\": [");
    for (uint32_t i = 0; i < w->run.count; i++)
        text_printf(out, "%s%" PRIu32, i ? "," : "", w->run.at[i]);
    text_addz(out, "]}");
}

static int by_number(const void *x, const void *y)
{
    uint32_t a = ((const struct report_warp *)x)->number, b = ((const struct report_warp *)y)->number;
    return (a > b) - (a < b);
}

void report_steps_json(struct report_steps *s, const kernc_launch *l, struct text *out)
{
    if (s->warps.count)
        qsort(s->warps.at, s->warps.count, sizeof *s->warps.at, by_number);
    text_char(out, '[');
    for (uint32_t i = 0; s->most && i < s->warps.count; i++) {
        text_addz(out, i ? ",\n " : "");
        add_warp(&s->warps.at[i], l, out);
    }
    text_char(out, ']');
}
