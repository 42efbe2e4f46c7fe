/* pairs.c: which pairs of a schedule are hoisted, split and sunk (section 2): listed, and in words. */
#include "opt/csc/csc.h"

enum { NAMED_MAX = 6 }; /* pairs of each, by their places */
enum way { HOISTED, SPLIT, SUNK };
static const char *const way_names[] = {[HOISTED] = "hoisted", [SPLIT] = "split", [SUNK] = "sunk"};

static enum way way_of(const struct csc_arms *a, uint32_t n)
{
    uint32_t stage = a->nodes.at[n].stage;
    return stage == 0 ? HOISTED : stage < csc_last_own_stage(a) ? SPLIT : SUNK;
}

static place place_of(const struct csc_arms *a, uint32_t n)
{
    return ir_at(a->p->f, a->nodes.at[n].ins)->at;
}

csc_remark_pairs csc_list_pairs(const struct csc_arms *a, struct arena *arena)
{
    csc_remark_pairs pairs = {0};
    for (enum way way = HOISTED; way <= SUNK; way++)
        for (uint32_t i = 0; i < a->order.count; i++) {
            const struct csc_node *n = &a->nodes.at[a->order.at[i]];
            if (n->partner == CSC_NONE || way_of(a, a->order.at[i]) != way)
                continue;
            struct opt_remark_pair p = {way_names[way], ir_op_info[ir_at(a->p->f, n->ins)->op].text,
                                        place_of(a, a->order.at[i]), place_of(a, n->partner)};
            vec_push(arena, &pairs, p);
        }
    return pairs;
}

/* Pairs whose places nobody knows are only counted. */
static void add_way(const struct csc_arms *a, const csc_remark_pairs *pairs, enum way way, struct text *out)
{
    uint32_t count = 0, named = 0;
    struct text places = {.arena = a->p->arena};
    for (uint32_t i = 0; i < pairs->count; i++) {
        const struct opt_remark_pair *p = &pairs->at[i];
        if (p->way != way_names[way])
            continue;
        count++;
        if (!p->x.line || named++ >= NAMED_MAX)
            continue;
        text_printf(&places, "%s%s %u:%u = %u:%u", places.length ? ", " : "", p->operation, p->x.line,
                    p->x.column, p->y.line, p->y.column);
    }
    if (count == 0)
        return;
    text_printf(out, "%s %s %u", out->length ? "," : ";", way_names[way], count);
    if (places.length)
        text_printf(out, " (%.*s%s)", (int)places.length, places.at, named > NAMED_MAX ? ", …" : "");
}

const char *csc_name_pairs(const struct csc_arms *a)
{
    struct text out = {.arena = a->p->arena};
    csc_remark_pairs pairs = csc_list_pairs(a, a->p->arena);
    for (enum way way = HOISTED; way <= SUNK; way++)
        add_way(a, &pairs, way, &out);
    return arena_strdup(a->p->arena, out.length ? out.at : "", out.length);
}
