/* pairs.c: which pairs of a schedule are hoisted, split and sunk (section 2), in words. */
#include "opt/csc/csc.h"

enum { NAMED_MAX = 6 }; /* pairs of each, by their places */
enum way { HOISTED, SPLIT, SUNK };

static enum way way_of(const struct csc_arms *a, uint32_t n)
{
    uint32_t stage = a->nodes.at[n].stage;
    return stage == 0 ? HOISTED : stage < csc_last_own_stage(a) ? SPLIT : SUNK;
}

static place place_of(const struct csc_arms *a, uint32_t n)
{
    return ir_at(a->p->f, a->nodes.at[n].ins)->at;
}

static void add_pair(const struct csc_arms *a, uint32_t n, struct text *out)
{
    place x = place_of(a, n), y = place_of(a, a->nodes.at[n].partner);
    text_printf(out, "%s %u:%u = %u:%u", ir_op_info[ir_at(a->p->f, a->nodes.at[n].ins)->op].text, x.line,
                x.column, y.line, y.column);
}

/* Pairs whose places nobody knows are only counted. */
static void add_way(const struct csc_arms *a, enum way way, const char *name, struct text *out)
{
    uint32_t count = 0, named = 0;
    struct text places = {.arena = a->p->arena};
    for (uint32_t i = 0; i < a->order.count; i++) {
        uint32_t n = a->order.at[i];
        if (a->nodes.at[n].partner == CSC_NONE || way_of(a, n) != way)
            continue;
        count++;
        if (!place_of(a, n).line || named++ >= NAMED_MAX)
            continue;
        text_addz(&places, places.length ? ", " : "");
        add_pair(a, n, &places);
    }
    if (count == 0)
        return;
    text_printf(out, "%s %s %u", out->length ? "," : ";", name, count);
    if (places.length)
        text_printf(out, " (%.*s%s)", (int)places.length, places.at, named > NAMED_MAX ? ", …" : "");
}

const char *csc_name_pairs(const struct csc_arms *a)
{
    struct text out = {.arena = a->p->arena};
    add_way(a, HOISTED, "hoisted", &out);
    add_way(a, SPLIT, "split", &out);
    add_way(a, SUNK, "sunk", &out);
    return arena_strdup(a->p->arena, out.length ? out.at : "", out.length);
}
