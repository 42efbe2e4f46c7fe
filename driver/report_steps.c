/* report_steps.c: the steps of a warp, as indices into tables of places and of states. */
#include "driver/report.h"

#include <inttypes.h>

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

/* ---- a step ------------------------------------------------------------------------------------------ */

static void add_place(const kernc_step *s, struct text *t)
{
    text_printf(t, "[%" PRIu32 ", [", s->code);
    for (uint32_t i = 0; i < s->line_count; i++)
        text_printf(t, "%s%" PRIu32, i ? ", " : "", s->lines[i]);
    text_addz(t, "]]");
}

/* A barrier in which nobody waits or takes part is left out. */
static bool is_group(const kernc_group *g)
{
    return g->lanes || (g->wait == KERNC_WAIT_BARRIER && g->joined);
}

static void add_group(const kernc_group *g, struct text *t)
{
    static const char *const words[] = {
        [KERNC_WAIT_TURN] = "turn", [KERNC_WAIT_OTHERS] = "others", [KERNC_WAIT_BARRIER] = "barrier"};
    text_printf(t, "[\"%" PRIx64 "\", \"%s\", %" PRIu32 ", %" PRIu32, g->lanes, words[g->wait], g->code,
                g->line);
    if (g->wait == KERNC_WAIT_BARRIER)
        text_printf(t, ", %" PRIu32 ", \"%" PRIx64 "\"", g->barrier, g->joined);
    text_char(t, ']');
}

static void add_state(const kernc_step *s, struct text *t)
{
    bool some = false;
    text_printf(t, "[\"%" PRIx64 "\", \"%" PRIx64 "\", [", s->active, s->live);
    for (uint32_t i = 0; i < s->group_count; i++) {
        if (!is_group(&s->groups[i]))
            continue;
        text_addz(t, some ? ", " : "");
        add_group(&s->groups[i], t);
        some = true;
    }
    text_addz(t, "]]");
}

/* ---- all of them ------------------------------------------------------------------------------------- */

struct report_steps report_steps_new(struct arena *a, uint64_t most)
{
    return (struct report_steps){.places.arena = a, .states.arena = a, .most = most};
}

void report_steps_add(struct report_steps *s, const kernc_step *step)
{
    struct scratch scratch;
    struct text at = {.arena = scratch_begin(&scratch)}, state = {.arena = at.arena};
    s->lanes = step->lanes;
    if (s->total++ < s->most) {
        add_place(step, &at);
        add_state(step, &state);
        vec_push(s->places.arena, &s->run, report_table_index(&s->places, at.at, at.length));
        vec_push(s->places.arena, &s->run, report_table_index(&s->states, state.at, state.length));
    }
    scratch_end(&scratch);
}

void report_steps_json(const struct report_steps *s, const kernc_launch *l, struct text *out)
{
    if (!s->total) {
        text_addz(out, "null");
        return;
    }
    text_printf(out, "{\"block\": [%u, %u, %u], \"warp\": %u, \"lanes\": %u, \"total\": %" PRIu64,
                l->step_block[0], l->step_block[1], l->step_block[2], l->step_warp, s->lanes, s->total);
    add_table(&s->places, "places", out);
    add_table(&s->states, "states", out);
    text_addz(out, ",\n \"run\": [");
    for (uint32_t i = 0; i < s->run.count; i++)
        text_printf(out, "%s%" PRIu32, i ? "," : "", s->run.at[i]);
    text_addz(out, "]}");
}
