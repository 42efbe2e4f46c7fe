/* metadata.c: see metadata.h. Lines of kernels are read by the parser of kernc's IR, in a module of its own
 * that has what they name. */
#include "import/metadata.h"
#include "ir/text/syntax.h"

#include <stdlib.h>

struct lines {
    const struct ll_module *ll;
    struct ir_module *m;
    struct diagnostics *d;
    struct arena *arena;
    VEC(place) places; /* of lines of kernels */
    u32_vec objects;   /* of the module's objects: those of the other one, in its order */
};

/* Calls `visit` for each string of the named nodes of this name. */
static void each_line(struct lines *l, const char *name,
                      void (*visit)(struct lines *, const char *line, place at, void *data), void *data)
{
    for (uint32_t n = 0; n < l->ll->named.count; n++) {
        const struct ll_named_node *named = &l->ll->named.at[n];
        for (uint32_t k = 0; strcmp(named->name, name) == 0 && k < named->nodes.count; k++) {
            const struct ll_node *node = &l->ll->nodes.at[named->nodes.at[k]];
            for (uint32_t i = 0; i < node->count; i++)
                if (node->items[i].kind == LL_ITEM_STRING)
                    visit(l, node->items[i].text, node->at, data);
        }
    }
}

static void complain(struct lines *l, place at, const char *why)
{
    diag_add(l->d, DIAG_ERROR, "import-metadata", (span){at, {0}}, "metadata of kernc's own: %s", why);
}

/* ---- kernels ------------------------------------------------------------------------------------------- */

/* The kernel without instructions. */
static void print_stub(const struct ir_function *f, struct text *t)
{
    const u32_vec *params = &ir_block_at(f, ir_entry(f))->params;
    text_addz(t, "define kernel void @");
    ir_print_name(f->name, t);
    text_char(t, '(');
    for (uint32_t p = 0; p < params->count; p++)
        text_printf(t, "%s%%%u: %s", p ? ", " : "", p, ir_type_info[ir_at(f, params->at[p])->type].text);
    text_addz(t, ") {\nentry:\n  ret\n}\n");
}

/* A module with what the line may name. */
static void print_frame(struct lines *l, struct text *t)
{
    text_addz(t, "module \"\"\n");
    for (uint32_t i = 0; i < l->m->objects.count; i++) {
        const struct ir_object *o = &l->m->objects.at[i];
        if (!o->unit)
            continue;
        text_addz(t, "object @");
        ir_print_name(o->name, t);
        text_printf(t, " : ptr.shared unsized %u align %u\n", o->unit, o->align);
        vec_push(l->arena, &l->objects, i);
    }
    for (uint32_t i = 0; i < l->m->kernels.count; i++)
        print_stub(l->m->functions.at[l->m->kernels.at[i].function], t);
}

static const char *copied(struct ir_module *m, const char *text)
{
    return text ? arena_strdup(&m->arena, text, strlen(text)) : NULL;
}

static bool same_types(const struct ir_kernel_info *a, const struct ir_kernel_info *b)
{
    bool same = a->params.count == b->params.count;
    for (uint32_t p = 0; same && p < a->params.count; p++)
        same = a->params.at[p].type == b->params.at[p].type;
    return same;
}

/* The kernel's own array of this name, which may have a number behind it, becomes number n. */
static bool bring_forward(struct lines *l, u32_vec *unsized, uint32_t n, const char *name)
{
    size_t length = strlen(name);
    for (uint32_t i = n; i < unsized->count; i++) {
        const char *its = l->m->objects.at[unsized->at[i]].name;
        if (strncmp(its, name, length) == 0 && (!its[length] || its[length] == '.')) {
            uint32_t old = unsized->at[n];
            unsized->at[n] = unsized->at[i];
            unsized->at[i] = old;
            return true;
        }
    }
    return false;
}

/* From the module of the lines. */
static void take_kernel(struct lines *l, const struct ir_kernel_info *from, const char *name, place at)
{
    const struct ir_function *f = ir_function_find(l->m, name);
    struct ir_kernel_info *to = NULL;
    for (uint32_t k = 0; f && k < l->m->kernels.count; k++)
        if (l->m->kernels.at[k].function == f->id)
            to = &l->m->kernels.at[k];
    if (!to || !same_types(to, from)) {
        complain(l, at, arena_printf(l->arena, "'%s' has other parameters", name));
        return;
    }
    for (uint32_t p = 0; p < to->params.count; p++) {
        struct ir_param_info one = from->params.at[p];
        one.name = copied(l->m, one.name);
        one.text = copied(l->m, one.text);
        one.layout = copied(l->m, one.layout);
        to->params.at[p] = one;
    }
    for (uint32_t i = 0, n = 0; i < from->unsized.count; i++)
        n += bring_forward(l, &to->unsized, n, l->m->objects.at[l->objects.at[from->unsized.at[i]]].name);
}

static void take_kernels(struct ir_module *from, void *data)
{
    struct lines *l = data;
    for (uint32_t k = 0; k < from->kernels.count; k++)
        take_kernel(l, &from->kernels.at[k], from->functions.at[from->kernels.at[k].function]->name,
                    l->places.at[k]);
}

static void add_line(struct lines *l, const char *line, place at, void *data)
{
    text_printf(data, "%s\n", line);
    vec_push(l->arena, &l->places, at);
}

static void read_kernels(struct lines *l)
{
    struct text t = {.arena = l->arena};
    struct diagnostics own;
    print_frame(l, &t);
    each_line(l, "kern.kernels", add_line, &t);
    if (!l->places.count)
        return;
    struct source *s = source_new(l->arena, "metadata", t.at, t.length);
    diag_init(&own, l->arena, s);
    struct ir_module *m = ir_parse(s, &own);
    if (!m || m->kernels.count != l->places.count)
        complain(l, l->places.at[0], own.all.count ? own.all.at[0].text : "a line is no kernel's");
    else
        ir_module_fill(m, take_kernels, l);
    ir_module_free(m);
}

/* ---- functions in tables ------------------------------------------------------------------------------- */

/* NUMBER @name: constants of the program hold the number, which the function must have again. */
static void check_taken(struct lines *l, const char *line, place at, void *data)
{
    unsigned long number = strtoul(line, NULL, 10);
    const char *name = strchr(line, '@');
    const struct ir_function *f = name ? ir_function_find(l->m, name + 1) : NULL;
    if (!f || f->id != number)
        complain(l, at,
                 arena_printf(l->arena,
                              "a table in constant memory holds the function '%s' by its number %lu, "
                              "and it is not that one any more",
                              name ? name + 1 : "", number));
    else
        l->m->functions.at[number]->flags |= IR_FN_TAKEN;
}

/* ---- launches ------------------------------------------------------------------------------------------ */

static void read_launch(struct lines *l, const char *line, place at, void *data)
{
    struct launch one;
    size_t n;
    const char *why = launch_read_directive(&l->m->arena, line, &n, &one);
    if (why)
        complain(l, at, why);
    else if (one.element_bytes > IR_MAX_OBJECT_BYTES || one.arguments.count > IR_MAX_ARGS ||
             one.outputs.count > IR_MAX_ARGS || l->m->launches.count >= IR_MAX_LAUNCHES)
        complain(l, at, "a launch is larger than kernc's text of it may be");
    else
        vec_push(&l->m->arena, &l->m->launches, one);
}

void import_metadata(const struct ll_module *ll, struct ir_module *m, struct diagnostics *d)
{
    struct scratch scratch;
    struct lines l = {.ll = ll, .m = m, .d = d, .arena = scratch_begin(&scratch)};
    read_kernels(&l);
    each_line(&l, "kern.taken", check_taken, NULL);
    each_line(&l, "kern.launches", read_launch, NULL);
    scratch_end(&scratch);
}
