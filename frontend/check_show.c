/* check_show.c: what a launch directive shows and saves: buffers that exist, parts that their elements have. */
#include "frontend/check_launch.h"
#include "launch/layout.h"

/* A parameter that is one, or a named buffer. */
static bool need_buffer(struct checker *c, struct fe_launched *t, const struct fe_launch_item *i)
{
    uint32_t at;
    struct fe_decl *p = fe_launch_parameter(t, i->name, &at);
    if (!p && fe_launch_buffer(c, t->directive, i->name))
        return true;
    if (!t->kernel && fe_is_excused(c->fe, i->name))
        return false;
    if (!t->kernel) {
        fe_report(c->fe, FE_MSG(launch_no_buffer), i->name_at, i->name, "int ", i->name);
        return false;
    }
    p = fe_launch_need_parameter(c, t, i, &at);
    if (p && !fe_is_pointer(p->type))
        fe_report(c->fe, FE_MSG(launch_not_buffer), i->name_at, i->name);
    return p && fe_is_pointer(p->type);
}

/* Of a parameter that is a buffer, or of a named buffer. */
static const struct fe_type *element_of(const struct checker *c, const struct fe_launched *t,
                                        const char *name)
{
    uint32_t at;
    const struct fe_decl *p = fe_launch_parameter(t, name, &at);
    const struct fe_type *type = p ? p->type->of : fe_launch_buffer(c, t->directive, name)->type;
    return type->plain;
}

/* The elements that stand behind the buffer's name: [first..last], [first]. */
static bool shown_range(struct checker *c, struct fe_launch_item *part, struct launch_output *o)
{
    if (!fe_launch_to_count(c, &part->first, "the start of a range", 0, &o->first))
        return false;
    o->last = o->first + 1;
    return !part->last ||
           fe_launch_to_count(c, &part->last, "the end of a range", (int64_t)o->first + 1, &o->last);
}

/* Adds .name or [index] to the path. */
static bool shown_part(struct checker *c, const struct fe_launch_item *i, struct fe_launch_item *part,
                       struct text *path)
{
    int64_t index;
    if (part->name) {
        text_printf(path, ".%s", part->name);
    } else if (part->last) {
        fe_report(c->fe, FE_MSG(show_range), part->name_at, i->name, path->at ? path->at : "");
        return false;
    } else if (!fe_check_constant(c, &part->first, "an index", 0, UINT32_MAX, &index)) {
        return false;
    } else {
        text_printf(path, "[%lld]", (long long)index);
    }
    return true;
}

static bool check_path(struct checker *c, const struct fe_type *element, const struct fe_launch_item *i,
                       const char *path)
{
    struct layout part, whole = layout_of(c->arena, fe_launch_element(element), (uint32_t)element->size,
                                          fe_layout_text(c->arena, element));
    const char *problem = layout_find(c->arena, &whole, path, &part);
    if (problem)
        fe_report(c->fe, FE_MSG(show_part), i->parts->name_at, i->name, problem);
    return !problem;
}

static void check_show(struct checker *c, struct fe_launch *l, struct fe_launched *t,
                       struct fe_launch_item *i)
{
    struct launch_output o = {.name = i->name, .hex = i->hex};
    struct text path = {.arena = c->arena};
    struct fe_launch_item *part = i->parts;
    if (!need_buffer(c, t, i))
        return;
    if (part && !part->name) {
        if (!shown_range(c, part, &o))
            return;
        part = part->next;
    }
    for (; part; part = part->next)
        if (!shown_part(c, i, part, &path))
            return;
    const struct fe_type *element = element_of(c, t, i->name);
    o.path = path.at;
    if (!path.at || fe_is_error(element) || check_path(c, element, i, path.at))
        vec_push(c->arena, &l->built.outputs, o);
}

static void check_save(struct checker *c, struct fe_launch *l, struct fe_launched *t,
                       struct fe_launch_item *i)
{
    struct launch_output o = {.name = i->name, .save = true};
    struct launch_value file;
    int64_t width = 0, height = 0;
    if (!need_buffer(c, t, i) || !fe_launch_file_name(c, i->value, &file))
        return;
    if (i->first && !i->last) {
        fe_report(c->fe, FE_MSG(save_form), i->first->where);
        return;
    }
    if (i->first && (!fe_check_constant(c, &i->first, "the width of a picture", 1, 65535, &width) ||
                     !fe_check_constant(c, &i->last, "the height of a picture", 1, 65535, &height)))
        return;
    o.file = file.text;
    o.width = (uint32_t)width;
    o.height = (uint32_t)height;
    vec_push(c->arena, &l->built.outputs, o);
}

void fe_check_outputs(struct checker *c, struct fe_launch *l, struct fe_launched *t)
{
    for (struct fe_launch_item *i = l->shows; i; i = i->next)
        check_show(c, l, t, i);
    for (struct fe_launch_item *i = l->saves; i; i = i->next)
        check_save(c, l, t, i);
}
