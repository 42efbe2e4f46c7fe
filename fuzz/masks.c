/* masks.c: see masks.h. What a LOOP's forms mean is written here in C and in print_stmt.c in Kern: the two
 * have to say the same.
 */
#include "fuzz/masks.h"

static uint64_t run_list(struct fz_masks *m, const struct fz_node *block, uint64_t mask)
{
    return m->rules->list(m, block, mask);
}

static uint64_t run_if(struct fz_masks *m, const struct fz_node *s, uint64_t mask)
{
    uint64_t yes = m->rules->holds(m, s->first, mask);
    uint64_t then = run_list(m, s->first->next, yes);
    return then | run_list(m, s->first->next->next, mask & ~yes);
}

/* ---- switches ---------------------------------------------------------------------------------------- */

static bool has_case(const struct fz_node *cases, uint32_t value)
{
    for (const struct fz_node *c = cases->first; c; c = c->next)
        if (!c->flag && c->value == value)
            return true;
    return false;
}

static uint64_t run_switch(struct fz_masks *m, const struct fz_node *s, uint64_t mask)
{
    const struct fz_node *cases = s->first->next;
    uint64_t outer = m->broken, falls = 0, left = mask;
    uint32_t value[FZ_MAX_LANES]; /* of all lanes, before any case changes something */
    fz_each_lane(lane, mask) value[lane] = m->rules->number(m, s->first, lane, s->value) & (uint32_t)s->value;
    m->broken = 0;
    for (const struct fz_node *c = cases->first; c; c = c->next) {
        uint64_t chosen = 0;
        fz_each_lane(lane, left) chosen |=
            (uint64_t)(c->flag ? !has_case(cases, value[lane]) : c->value == value[lane]) << lane;
        left &= ~chosen;
        falls = run_list(m, c->first, falls | chosen);
    }
    falls |= left | m->broken;
    m->broken = outer;
    return falls;
}

/* ---- loops ------------------------------------------------------------------------------------------- */

/* Lanes that go on, whose count is to be compared with the bound (or zero) now. */
static uint64_t goes_on(struct fz_masks *m, const struct fz_node *s, uint64_t mask)
{
    uint64_t result = 0;
    fz_each_lane(lane, mask)
    {
        int32_t i = (int32_t)m->rules->counted(m, s, lane);
        bool more = s->flag ? i > 0 : i < (int32_t)m->rules->number(m, s->first, lane, s->value);
        result |= (uint64_t)more << lane;
    }
    return m->rules->holds(m, s->first->next, result);
}

static void count(struct fz_masks *m, const struct fz_node *s, uint64_t mask, uint32_t by)
{
    fz_each_lane(lane, mask) m->rules->set_counter(m, s, lane, m->rules->counted(m, s, lane) + by);
}

/* One turn of the loop, from where its heart is; lanes that take another come back. */
static uint64_t run_turn(struct fz_masks *m, const struct fz_node *s, uint64_t mask, uint64_t *done)
{
    const struct fz_node *body = fz_child(s, 2), *leaving = fz_child(s, 3);
    enum fz_loop_form form = (enum fz_loop_form)s->op;
    uint64_t on = form == FZ_DO ? mask : goes_on(m, s, mask);
    m->broken = m->continued = 0;
    *done |= form == FZ_ENDLESS ? run_list(m, leaving, mask & ~on) : mask & ~on;
    if (form == FZ_WHILE || form == FZ_DO)
        count(m, s, on, 1);
    on = run_list(m, body, on) | m->continued;
    *done |= m->broken;
    if (form == FZ_FOR || form == FZ_ENDLESS)
        count(m, s, on, s->flag ? -1u : 1u);
    if (form != FZ_DO)
        return on;
    mask = goes_on(m, s, on);
    *done |= on & ~mask;
    return mask;
}

static uint64_t run_loop(struct fz_masks *m, const struct fz_node *s, uint64_t mask)
{
    uint64_t broken = m->broken, continued = m->continued, done = 0;
    fz_each_lane(lane, mask)
        m->rules->set_counter(m, s, lane, s->flag ? m->rules->number(m, s->first, lane, s->value) : 0);
    while (mask && m->rules->may_go_on(m))
        mask = run_turn(m, s, mask, &done);
    m->broken = broken, m->continued = continued;
    return done;
}

static uint64_t run_forever(struct fz_masks *m, const struct fz_node *s, uint64_t mask)
{
    uint64_t broken = m->broken, continued = m->continued, done = 0;
    while (mask && m->rules->may_go_on(m)) {
        m->broken = m->continued = 0;
        mask = run_list(m, s->first, mask) | m->continued;
        done |= m->broken;
    }
    m->broken = broken, m->continued = continued;
    return done;
}

/* Lists of irreducible cycles hold nothing convergent: lanes may pass them in any order. */
static uint64_t run_irreducible(struct fz_masks *m, const struct fz_node *s, uint64_t mask)
{
    uint64_t second = m->rules->holds(m, s->first, mask), first = mask & ~second, done = 0;
    while ((first | second) && m->rules->may_go_on(m)) {
        second |= run_list(m, fz_child(s, 1), first);
        second = run_list(m, fz_child(s, 2), second);
        first = m->rules->holds(m, fz_child(s, 3), second);
        done |= second & ~first;
        second = 0;
    }
    return done;
}

/* ---- the rest ---------------------------------------------------------------------------------------- */

static uint64_t run_try(struct fz_masks *m, const struct fz_node *s, uint64_t mask)
{
    uint64_t outer = m->thrown;
    m->thrown = 0;
    uint64_t through = run_list(m, s->first, mask), caught = m->thrown;
    m->thrown = outer;
    return through | run_list(m, s->first->next, caught);
}

static uint64_t leave(uint64_t *where, uint64_t mask)
{
    *where |= mask;
    return 0;
}

bool fz_run_masked(struct fz_masks *m, const struct fz_node *s, uint64_t *mask)
{
    switch (s->kind) {
    case FZ_NODE_BLOCK: *mask = run_list(m, s, *mask); break;
    case FZ_NODE_IF: *mask = run_if(m, s, *mask); break;
    case FZ_NODE_SWITCH: *mask = run_switch(m, s, *mask); break;
    case FZ_NODE_LOOP: *mask = run_loop(m, s, *mask); break;
    case FZ_NODE_FOREVER: *mask = run_forever(m, s, *mask); break;
    case FZ_NODE_IRREDUCIBLE: *mask = run_irreducible(m, s, *mask); break;
    case FZ_NODE_TRY: *mask = run_try(m, s, *mask); break;
    case FZ_NODE_PREDICT:
    case FZ_NODE_LABEL: break;
    case FZ_NODE_BREAK: *mask = leave(&m->broken, *mask); break;
    case FZ_NODE_CONTINUE: *mask = leave(&m->continued, *mask); break;
    case FZ_NODE_RETURN: *mask = leave(&m->returned, *mask); break;
    case FZ_NODE_THROW: *mask = leave(&m->thrown, *mask); break;
    default: return false;
    }
    return true;
}
