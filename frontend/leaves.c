/* leaves.c: the scalars that a value consists of, by name: of `struct { float x; int n[2]; } p` they are p.x,
 * p.n.0 and p.n.1. A structure that a kernel takes is passed so: a parameter for each.
 */
#include "frontend/types.h"

static void add(struct arena *a, const char *name, const struct fe_type *t, uint64_t offset, fe_leaves *out)
{
    if (t->kind == FE_TYPE_ARRAY) {
        for (uint64_t i = 0; i < t->count; i++)
            add(a, arena_printf(a, "%s.%llu", name, (unsigned long long)i), t->of, offset + i * t->of->size,
                out);
    } else if (t->kind == FE_TYPE_STRUCT) {
        for (const struct fe_decl *f = t->decl->members.first; f; f = f->next)
            add(a, arena_printf(a, "%s.%s", name, f->name), f->type, offset + f->offset, out);
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
