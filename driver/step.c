/* step.c: see step.h. */
#include "driver/step.h"

#include <inttypes.h>

/* ---- the record -------------------------------------------------------------------------------------- */

/* A barrier in which nobody waits or takes part is left out. */
static bool is_group(const kernc_group *g)
{
    return g->lanes || g->wait != KERNC_WAIT_BARRIER || g->joined;
}

/* Groups in which lanes wait are named by letters in their order, as far as these go. */
struct step_record step_record_of(struct arena *a, const kernc_step *s)
{
    static const char names[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    struct step_record r = {.step = s};
    uint32_t named = 0;
    for (uint32_t i = 0; i < s->group_count; i++) {
        const kernc_group *g = &s->groups[i];
        if (!is_group(g))
            continue;
        bool waits = g->lanes || g->wait != KERNC_WAIT_BARRIER;
        char name = !waits ? 0 : named < COUNT(names) - 1 ? names[named] : '*';
        named += waits;
        vec_push(a, &r.groups, ((struct step_group){g, name}));
    }
    return r;
}

/* ---- text -------------------------------------------------------------------------------------------- */

enum { LANES_COLUMN = 24, LEAST_LANES = sizeof "lanes" - 1 };

static void pad(struct text *t, size_t start, size_t width)
{
    while (t->length < start + width)
        text_char(t, ' ');
}

void step_heading(bool is_image, uint32_t lanes, struct text *t)
{
    size_t start = t->length;
    text_printf(t, "%6s %6s  %s", "step", is_image ? "word" : "block", "lines");
    pad(t, start, LANES_COLUMN);
    start = t->length;
    text_addz(t, "lanes");
    pad(t, start, lanes);
    text_addz(t, "  waiting\n");
}

/* A lane is shown in the group next to run that has it. */
static char sign_of(const struct step_record *r, uint32_t lane)
{
    uint64_t bit = (uint64_t)1 << lane;
    if (r->step->active & bit)
        return '#';
    for (uint32_t i = r->groups.count; r->step->live & bit && i-- > 0;)
        if (r->groups.at[i].group->lanes & bit)
            return r->groups.at[i].name;
    return '.';
}

static uint32_t shown_line(const struct source *source, uint32_t line)
{
    if (source)
        source_of(source, &line);
    return line;
}

/* "3,7-9", or "-": no line is known. */
static void add_lines(const kernc_step *s, const struct source *source, struct text *t)
{
    for (uint32_t i = 0, to; i < s->line_count; i = to) {
        for (to = i + 1; to < s->line_count && s->lines[to] == s->lines[to - 1] + 1;)
            to++;
        text_printf(t, "%s%u", i ? "," : "", shown_line(source, s->lines[i]));
        if (to > i + 1)
            text_printf(t, "-%u", shown_line(source, s->lines[to - 1]));
    }
    if (!s->line_count)
        text_char(t, '-');
}

/* "b:12", of lanes that wait for others "b:12!", in barrier register 3 of whose 8 lanes 5 wait "b:12=B3(5/8)".
 * Where no line is known, the number of the block of code stands for it, as "b:@7". */
static void add_group(const struct step_group *x, const struct source *source, struct text *t)
{
    const kernc_group *g = x->group;
    text_addz(t, "  ");
    if (x->name) {
        text_printf(t, "%c:", x->name);
        text_printf(t, g->line ? "%u" : "@%u", g->line ? shown_line(source, g->line) : g->code);
    }
    if (g->wait == KERNC_WAIT_OTHERS)
        text_char(t, '!');
    if (g->wait == KERNC_WAIT_BARRIER)
        text_printf(t, "%sB%u(%d/%d)", g->lanes ? "=" : "", g->barrier, __builtin_popcountll(g->lanes),
                    __builtin_popcountll(g->joined));
}

void step_row(const struct step_record *r, const struct source *source, struct text *t)
{
    const kernc_step *s = r->step;
    size_t start = t->length;
    text_printf(t, "%6" PRIu64 " %6" PRIu32 "  ", s->number, s->code);
    add_lines(s, source, t);
    text_char(t, ' ');
    pad(t, start, LANES_COLUMN);
    for (uint32_t lane = 0; lane < s->lanes; lane++)
        text_char(t, sign_of(r, lane));
    if (r->groups.count)
        pad(t, start, LANES_COLUMN + LEAST_LANES);
    for (uint32_t i = 0; i < r->groups.count; i++)
        add_group(&r->groups.at[i], source, t);
    text_char(t, '\n');
}

/* ---- JSON -------------------------------------------------------------------------------------------- */

void step_place_json(const struct step_record *r, struct text *t)
{
    text_printf(t, "[%" PRIu32 ", [", r->step->code);
    for (uint32_t i = 0; i < r->step->line_count; i++)
        text_printf(t, "%s%" PRIu32, i ? ", " : "", r->step->lines[i]);
    text_addz(t, "]]");
}

void step_state_json(const struct step_record *r, struct text *t)
{
    static const char *const words[] = {
        [KERNC_WAIT_TURN] = "turn", [KERNC_WAIT_OTHERS] = "others", [KERNC_WAIT_BARRIER] = "barrier"};
    text_printf(t, "[\"%" PRIx64 "\", \"%" PRIx64 "\", [", r->step->active, r->step->live);
    for (uint32_t i = 0; i < r->groups.count; i++) {
        const kernc_group *g = r->groups.at[i].group;
        text_printf(t, "%s[\"%" PRIx64 "\", \"%s\", %" PRIu32 ", %" PRIu32, i ? ", " : "", g->lanes,
                    words[g->wait], g->code, g->line);
        if (g->wait == KERNC_WAIT_BARRIER)
            text_printf(t, ", %" PRIu32 ", \"%" PRIx64 "\"", g->barrier, g->joined);
        text_char(t, ']');
    }
    text_addz(t, "]]");
}
