/* leaves.c: the scalars that a value consists of, by name: of `struct { float x; int n[2]; } p` they are p.x,
 * p.n.0 and p.n.1. A structure that a kernel takes is passed so: a parameter for each. Of those in
 * buffers the layout's text goes along, for who shows them.
 */
#include "frontend/types.h"
#include "launch/layout.h"

static void add(struct arena *a, const char *name, const struct fe_type *t, uint64_t offset, fe_leaves *out)
{
    if (t->kind == FE_TYPE_ARRAY) {
        for (uint64_t i = 0; i < t->count; i++)
            add(a, arena_printf(a, "%s.%llu", name, (unsigned long long)i), t->of, offset + i * t->of->size,
                out);
    } else if (fe_is_union(t)) {
        for (uint64_t i = 0; i < t->size / t->words->size; i++)
            add(a, arena_printf(a, "%s.%llu", name, (unsigned long long)i), t->words,
                offset + i * t->words->size, out);
    } else if (t->kind == FE_TYPE_STRUCT) {
        for (const struct fe_decl *f = t->decl->members.first; f; f = f->next)
            add(a, f->name ? arena_printf(a, "%s.%s", name, f->name) : name, f->type, offset + f->offset,
                out);
    } else {
        vec_push(a, out, ((struct fe_leaf){name, t, (uint32_t)offset}));
    }
}

fe_leaves fe_leaves_of(struct arena *a, const char *name, const struct fe_type *t)
{
    fe_leaves out = {0};
    add(a, name ? name : "", t, 0, &out);
    return out;
}

/* ---- layouts ----------------------------------------------------------------------------------------- */

static void print_layout(const struct fe_type *t, struct text *out);

/* Of members without a name those in them, in their place. */
static void print_members(const struct fe_type *t, uint32_t offset, bool *first, struct text *out)
{
    for (const struct fe_decl *f = t->decl->members.first; f; f = f->next) {
        const struct fe_type *of = f->type;
        if (!of->size || out->length > LAYOUT_MAX_TEXT)
            continue;
        if (!f->name) {
            print_members(of, offset + f->offset, first, out);
            continue;
        }
        text_printf(out, "%s%s:", *first ? "" : ",", f->name);
        *first = false;
        while (of->kind == FE_TYPE_ARRAY)
            of = of->of;
        print_layout(of, out);
        for (of = f->type; of->kind == FE_TYPE_ARRAY; of = of->of)
            text_printf(out, "[%llu]", (unsigned long long)of->count);
        text_printf(out, "@%u", offset + f->offset);
    }
}

static void print_layout(const struct fe_type *t, struct text *out)
{
    bool first = true;
    if (t->kind != FE_TYPE_STRUCT || fe_is_vector(t)) {
        text_addz(out, fe_is_vector(t) ? t->tag : fe_is_pointer(t) ? "pointer" : fe_word_text[t->kind]);
        return;
    }
    text_char(out, '{');
    print_members(t, 0, &first, out);
    text_printf(out, "}%llu", (unsigned long long)t->size);
}

const char *fe_layout_text(struct arena *a, const struct fe_type *t)
{
    struct text out = {.arena = a};
    if (t->kind != FE_TYPE_STRUCT || fe_is_vector(t) || !t->size || t->size > UINT32_MAX)
        return NULL;
    print_layout(t, &out);
    return layout_is_good(out.at, (uint32_t)t->size) ? out.at : NULL;
}
