/* pointers.c: the origins of pointers that are in memory, or in registers of the checker between a call and the
 * function; see check.h and opt/check/origins.h.
 *
 * There is a record for each cell of memory that a pointer was ever stored in: which one, and its origin. It is
 * void while another value is in the cell. Those of buffers are the context's, since buffers outlive launches.
 */
#include "runtime/check/shadow.h"

/* A cell's name: that of its memory in the upper half. */
static uint64_t key_of(const struct rt_warp *w, char space, unsigned lane, uint32_t address)
{
    uint64_t thread = w->index * w->lanes + lane;
    uint64_t memory = space == 'g' ? 0 : space == 'h' ? 1 : 2 + 2 * thread + (space == 'x');
    return memory << 32 | address;
}

static struct rt_pointers *records_of(struct rt_check *c, char space)
{
    return space == 'g' ? &c->launch->context->pointers : &c->pointers;
}

static struct rt_pointer *find(struct rt_pointers *all, uint64_t key)
{
    uint32_t i = all->at.count ? map_get(&all->index, key) : MAP_NONE;
    return i == MAP_NONE ? NULL : &all->at.at[i];
}

static void keep(struct rt_check *c, char space, uint64_t key, struct rt_pointer pointer)
{
    struct rt_pointers *all = records_of(c, space);
    struct arena *a = space == 'g' ? &c->launch->context->arena : &c->arena;
    struct rt_pointer *known = find(all, key);
    if (known) {
        *known = pointer;
    } else if (pointer.origin != pointer.pointer) {
        vec_push(a, &all->at, pointer); /* first: memory may run out between the two */
        map_set(a, &all->index, key, all->at.count - 1);
    }
}

void rt_pointer_store(const struct visit *v, uint64_t value)
{
    char space = v->text->space;
    keep(v->c, space, key_of(v->w, space, v->lane, v->address),
         (struct rt_pointer){(uint32_t)value, v->root});
}

/* Pointers lie in whole cells: where the two are shifted against each other none is copied. */
void rt_pointer_copy(const struct visit *v)
{
    char to = v->text->space, from = *v->text->name;
    uint32_t n = v->text->bytes;
    bool valid = rt_locate(v->w, rt_space_of(to), true, v->lane, v->address, n, 1) &&
                 rt_locate(v->w, rt_space_of(from), false, v->lane, v->root, n, 1);
    if (!valid || (v->address ^ v->root) % CELL_BYTES)
        return;
    for (uint32_t at = -v->root % CELL_BYTES; at + CELL_BYTES <= n; at += CELL_BYTES) {
        struct rt_pointer *p = find(records_of(v->c, from), key_of(v->w, from, v->lane, v->root + at));
        keep(v->c, to, key_of(v->w, to, v->lane, v->address + at), p ? *p : (struct rt_pointer){0});
    }
}

void rt_check_origin(struct rt_warp *w, const struct bc_ins *ins)
{
    struct rt_check *c = w->worker->launch->check;
    const uint32_t *cells = rt_v(w, ins->a), *pointers = rt_v(w, ins->b);
    uint32_t *origins = rt_v(w, ins->d);
    char space = c ? rt_check_text(c, ins->imm)->space : 0;
    rt_each_lane(i, w->active) {
        struct rt_pointer *p = c ? find(records_of(c, space), key_of(w, space, (unsigned)i, cells[i])) : NULL;
        origins[i] = p && p->pointer == pointers[i] ? p->origin : pointers[i];
    }
}
