/* objects.c: which variable an origin is of (opt/check/origins.h), where the compiler could not tell; see
 * check.h.
 *
 * An origin is in its variable, or at its end if it is a pointer of which nothing was known before; behind each
 * variable is a gap, so that the end of one is not the beginning of another.
 */
#include "runtime/check/shadow.h"

void rt_objects_tell(struct arena *a, rt_objects *all, struct rt_object object)
{
    uint32_t kept = 0;
    for (uint32_t i = all->count; i-- > 0;)
        if (all->at[i].address == object.address && all->at[i].size == object.size) {
            all->at[i].name = object.name; /* mostly the same, come into again */
            all->at[i].layout = object.layout ? object.layout : all->at[i].layout;
            return;
        }
    for (uint32_t i = 0; i < all->count; i++) {
        const struct rt_object *o = &all->at[i];
        bool disjoint = o->address + o->size <= object.address || object.address + object.size <= o->address;
        if (disjoint)
            all->at[kept++] = *o;
    }
    all->count = kept;
    vec_push(a, all, object);
}

/* The one found moves one place up, so that those looked for often are found soon. */
static struct rt_object find(rt_objects *all, uint32_t address)
{
    for (uint32_t i = all->count; i-- > 0;) {
        struct rt_object found = all->at[i];
        if (address - found.address > found.size)
            continue;
        if (i + 1 < all->count) {
            all->at[i] = all->at[i + 1];
            all->at[i + 1] = found;
        }
        return found;
    }
    return (struct rt_object){0};
}

static struct rt_object find_buffer(const struct rt_check *c, uint32_t address)
{
    for (const struct rt_region *r = c->launch->context->memory.regions; r; r = r->next)
        if (!r->constant && address - r->address <= r->bytes)
            return (struct rt_object){r->address, r->bytes, r->name, NULL};
    return (struct rt_object){0};
}

struct rt_object rt_own_object(const struct visit *v, uint32_t address)
{
    const rt_objects *all = &v->c->own[v->w->index * v->c->launch->given.warp + v->lane];
    for (uint32_t i = 0; i < all->count; i++)
        if (address - all->at[i].address < all->at[i].size)
            return all->at[i];
    return (struct rt_object){0};
}

struct rt_object rt_object_of(const struct visit *v)
{
    const struct check_text *t = v->text;
    struct rt_object constant;
    if (t->size)
        return (struct rt_object){v->root, t->size, t->name, NULL};
    switch (t->space) {
    case 'g': return find_buffer(v->c, v->root);
    case 'c':
        constant = find(&v->c->constants, v->root);
        return constant.size ? constant : find_buffer(v->c, v->root);
    case 'h': return find(&v->c->objects, v->root);
    default: return find(&v->c->own[v->w->index * v->c->launch->given.warp + v->lane], v->root);
    }
}
