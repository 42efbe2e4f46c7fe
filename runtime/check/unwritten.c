/* unwritten.c: private memory that its thread has not written; see check.h and opt/check/check_memory.c.
 *
 * A byte is unwritten from where its variable begins without a value until it is written. Copies carry that
 * along, and are no reads: a structure may have members that nobody needs, and gaps. Whatever else has its
 * address taken is reported as written where its function begins, since functions use the same memory one after
 * the other.
 */
#include "runtime/check/shadow.h"

static uint8_t *bytes_of(const struct visit *v)
{
    struct rt_check *c = v->c;
    uint8_t **own = &c->unwritten[v->w->index * c->launch->given.warp + v->lane];
    if (!*own && v->text->kind == 'u')
        *own = arena_array(&c->arena, uint8_t, v->w->spaces.private_bytes + 1);
    return *own;
}

/* A pointer may lead to it from elsewhere: then it has a name. at: its bytes, NULL: all of the thread's memory
 * has been written. */
static void begin(const struct visit *v, uint8_t *at)
{
    struct rt_check *c = v->c;
    struct rt_object object = {v->address, v->text->size, v->text->name, v->text->layout};
    rt_objects_tell(&c->arena, &c->own[v->w->index * c->launch->given.warp + v->lane], object);
    if (at)
        memset(at, v->text->kind == 'u', v->text->size);
}

static bool is_all_unwritten(const uint8_t *bytes, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!bytes[i])
            return false;
    return n;
}

static void copy(const struct visit *v, uint8_t *bytes, uint32_t from)
{
    uint32_t n = v->text->bytes;
    if (rt_locate(v->w, RT_PRIVATE, false, v->lane, from, n, 1))
        memmove(bytes + v->address, bytes + from, n);
}

void rt_check_private(const struct visit *v, uint64_t value)
{
    uint8_t *bytes = bytes_of(v), *at = bytes ? bytes + v->address : NULL;
    const uint8_t *unwritten;
    uint32_t n = v->text->bytes;
    if (v->text->kind == 'u' || v->text->kind == 'v') {
        begin(v, at);
        return;
    }
    if (!bytes)
        return;
    switch (v->text->kind) {
    case 'w':
    case 'W': memset(at, 0, n); return;
    case 'C': copy(v, bytes, (uint32_t)value); return;
    case 'c':
        if (is_all_unwritten(at, n))
            rt_report_own_unwritten(v, v->address);
        return;
    case 'r':
        unwritten = memchr(at, 1, n);
        if (unwritten)
            rt_report_own_unwritten(v, (uint32_t)(unwritten - bytes));
    }
}
