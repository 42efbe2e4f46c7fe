/* plan.c: copies of launch directives, and whether they make a plan. */
#include "launch/layout.h"

static const char *copy_text(struct arena *a, const char *text)
{
    return text ? arena_strdup(a, text, strlen(text)) : NULL;
}

static struct launch_argument copy_argument(struct arena *a, const struct launch_argument *from)
{
    struct launch_argument to = *from;
    to.name = copy_text(a, from->name);
    to.value.text = copy_text(a, from->value.text);
    memset(&to.value.list, 0, sizeof to.value.list);
    for (uint32_t i = 0; i < from->value.list.count; i++)
        vec_push(a, &to.value.list, from->value.list.at[i]);
    return to;
}

struct launch launch_copy(struct arena *a, const struct launch *from)
{
    struct launch to = *from;
    to.kernel = copy_text(a, from->kernel);
    to.name = copy_text(a, from->name);
    to.layout = copy_text(a, from->layout);
    for (unsigned c = 0; c < LAUNCH_CLAUSES; c++)
        to.by_round[c] = copy_text(a, from->by_round[c]);
    memset(&to.arguments, 0, sizeof to.arguments);
    memset(&to.outputs, 0, sizeof to.outputs);
    for (uint32_t i = 0; i < from->arguments.count; i++)
        vec_push(a, &to.arguments, copy_argument(a, &from->arguments.at[i]));
    for (uint32_t i = 0; i < from->outputs.count; i++) {
        struct launch_output o = from->outputs.at[i];
        o.name = copy_text(a, o.name);
        o.file = copy_text(a, o.file);
        o.path = copy_text(a, o.path);
        vec_push(a, &to.outputs, o);
    }
    return to;
}

/* ---- directives taken together ----------------------------------------------------------------------- */

static bool has_names(const struct launch *l)
{
    bool good = l->step != LAUNCH_KERNEL || l->kernel;
    if (l->step == LAUNCH_BUFFER)
        good = l->name && l->arguments.count == 1 && l->element <= LAUNCH_DOUBLE;
    for (uint32_t i = 0; i < l->arguments.count; i++) {
        const struct launch_argument *a = &l->arguments.at[i];
        good = good && a->name && (!launch_has_text(a->value.kind) || a->value.text);
    }
    for (uint32_t i = 0; i < l->outputs.count; i++)
        good = good && l->outputs.at[i].name && (!l->outputs.at[i].save || l->outputs.at[i].file);
    return good;
}

static bool has_sizes(const struct launch *l)
{
    return l->step != LAUNCH_BUFFER || launch_scalars(l->element, l->element_bytes) > 0;
}

/* Each clause is given whole or not at all, arrays from the first on. */
static bool has_gaps(const struct launch *l)
{
    bool gap = false;
    for (enum launch_clause c = 0; c < LAUNCH_CLAUSES; c++) {
        uint32_t count, *n = launch_sizes((struct launch *)l, c, &count);
        for (uint32_t i = 1; i < count; i++)
            gap |= c == LAUNCH_SHARED ? !n[i - 1] && n[i] : !n[i - 1] != !n[i];
    }
    return gap;
}

static bool has_ranges(const struct launch *l)
{
    bool good = true;
    for (uint32_t i = 0; i < l->outputs.count; i++) {
        const struct launch_output *o = &l->outputs.at[i];
        good = good && (o->last ? o->first < o->last : !o->first);
    }
    return good;
}

/* What expressions over the round say in the first one. */
static const char *check_rounds(const struct launch *l)
{
    struct launch first = *l;
    struct launch_number n;
    enum launch_clause c;
    const char *why = launch_at_round(&first, 0, &c);
    bool same = memcmp(first.grid, l->grid, sizeof l->grid) == 0 &&
                memcmp(first.block, l->block, sizeof l->block) == 0 &&
                memcmp(first.shared, l->shared, sizeof l->shared) == 0;
    for (uint32_t i = 0; !why && i < l->arguments.count; i++)
        if (l->arguments.at[i].value.kind == LAUNCH_ROUND)
            why = launch_evaluate(l->arguments.at[i].value.text, 0, &n, NULL);
    return why || same ? why : "the sizes of a launch are not those of its first round";
}

const char *launch_check_plan(const struct launch *all, uint32_t count, uint32_t *at)
{
    bool repeating = false;
    for (*at = 0; *at < count; ++*at) {
        const struct launch *l = &all[*at];
        if (!has_names(l))
            return "a name is missing";
        const char *why = check_rounds(l);
        if (why)
            return why;
        if (has_gaps(l))
            return "the sizes of a launch have gaps";
        if (!has_ranges(l))
            return "the range of an output is empty";
        if (!has_sizes(l))
            return "the elements of a buffer have another size than their type";
        if (!layout_is_good(l->layout, l->element_bytes))
            return "the layout of a buffer's elements is none, or of another size";
        if (l->step == LAUNCH_REPEAT && repeating)
            return "a repeat stands in another one";
        if (l->step == LAUNCH_REPEAT && !l->rounds && !l->name)
            return "a repeat has neither a number nor a flag";
        if (l->step == LAUNCH_END && !repeating)
            return "an end stands behind no repeat";
        repeating = l->step == LAUNCH_REPEAT || (repeating && l->step != LAUNCH_END);
    }
    *at = count ? count - 1 : 0;
    return repeating ? "a repeat has no end" : NULL;
}
