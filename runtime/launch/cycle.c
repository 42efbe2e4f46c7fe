/* cycle.c: see cycle.h. */
#include "runtime/launch/cycle.h"

enum { FIRST_LIMIT = 4 };

void rt_digest_bytes(struct rt_digest *d, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    uint64_t words[4];
    rt_digest_word(d, size);
    for (; size >= sizeof words; size -= sizeof words, at += sizeof words) {
        memcpy(words, at, sizeof words);
        for (int i = 0; i < 4; i++)
            d->part[i] = rt_digest_mix(d->part[i], words[i]);
    }
    memset(words, 0, sizeof words);
    if (size) /* of no bytes the address may be NULL */
        memcpy(words, at, size);
    for (size_t i = 0; i * sizeof *words < size; i++)
        rt_digest_word(d, words[i]);
}

/* The digest of so many bytes, if there is time for them. */
static bool see(struct rt_cycle *c, uint64_t bytes, void (*part)(void *from, struct rt_digest *d), void *from,
                struct rt_digest *d)
{
    if (bytes > c->bytes)
        return false;
    c->bytes -= bytes;
    *d = (struct rt_digest){0};
    part(from, d);
    return true;
}

static enum rt_found begin(struct rt_cycle *c, const struct rt_sight *s)
{
    c->stores = s->stores;
    return RT_BEGINS;
}

/* Global memory is looked at: it may have changed since the begin. */
static enum rt_found compare_memory(struct rt_cycle *c, const struct rt_sight *s)
{
    struct rt_digest memory;
    if (!s->alone)
        return begin(c, s);
    if (!see(c, s->memory_bytes, s->memory, s->from, &memory))
        return RT_ELSEWHERE;
    if (c->has_memory)
        return rt_digest_equal(&memory, &c->memory) ? RT_CLOSED : RT_ELSEWHERE;
    c->memory = memory;
    c->has_memory = true;
    return begin(c, s);
}

static enum rt_found compare(struct rt_cycle *c, const struct rt_sight *s)
{
    struct rt_digest own;
    if (!rt_digest_equal(&s->near, &c->near) || !see(c, s->own_bytes, s->own, s->from, &own))
        return RT_ELSEWHERE;
    if (c->has_own) {
        if (!rt_digest_equal(&own, &c->own))
            return RT_ELSEWHERE;
        return c->stores == s->stores ? RT_CLOSED : compare_memory(c, s);
    }
    c->own = own;
    c->has_own = true;
    return begin(c, s);
}

static enum rt_found keep(struct rt_cycle *c, const struct rt_sight *s)
{
    c->near = s->near;
    c->has_own = c->has_memory = false;
    c->limit = c->limit ? 2 * c->limit : FIRST_LIMIT;
    c->left = c->limit;
    return begin(c, s);
}

enum rt_found rt_cycle_look(struct rt_cycle *c, const struct rt_sight *s)
{
    c->bytes += s->ran;
    enum rt_found found = c->limit ? compare(c, s) : RT_ELSEWHERE;
    if (found == RT_CLOSED)
        c->left = c->limit;
    else if (c->left == 0 || --c->left == 0)
        return keep(c, s);
    return found;
}
