/* barrier_storage.c: the room that the scheme barrier needs for a warp, and its state when lanes begin. */
#include "runtime/schemes/barrier.h"

static void find_rejoined(const struct bc_program *p, bool *rejoins)
{
    for (uint32_t i = 0; i < p->code.count; i++) {
        const struct bc_ins *ins = &p->code.at[i];
        bool again = ins->a == BC_CB_REJOIN || (ins->a == BC_CB_CANCEL && ins->d);
        if (ins->op == BC_wait ? ins->d : ins->op == BC_scheme && again)
            rejoins[ins->b] = true;
        i += bc_has_branch_word((enum bc_op)ins->op);
    }
}

/* Most registers have one record at a time, of the lanes that run together. There are no more than lanes that
 * have lanes, or members, as these are disjoint. */
struct parts {
    size_t copies, records, rejoins, total;
};
static struct parts parts_of(const struct bc_program *p, uint32_t lanes)
{
    size_t registers = rt_count_barriers(p);
    struct parts s = {.copies = sizeof(struct barriers)};
    s.records = s.copies + (size_t)lanes * rt_most_scalars(p) * sizeof(uint64_t);
    s.rejoins = s.records + (registers + lanes + 1) * sizeof(struct record);
    s.total = s.rejoins + registers * sizeof(bool);
    return s;
}

size_t barrier_data_bytes(const struct bc_program *p, uint32_t lanes)
{
    return parts_of(p, lanes).total;
}

void barrier_start(struct rt_warp *w)
{
    struct barriers *s = w->scheme_data;
    if (!s->at) {
        const struct bc_program *p = w->worker->launch->program;
        struct parts at = parts_of(p, w->lanes);
        uint8_t *bytes = w->scheme_data;
        s->copies = (uint64_t *)(void *)(bytes + at.copies);
        s->at = (struct record *)(void *)(bytes + at.records);
        s->rejoins = (bool *)(bytes + at.rejoins);
        s->registers = (uint32_t)((at.total - at.rejoins) / sizeof(bool));
        s->capacity = s->registers + w->lanes + 1;
        s->scalars = w->worker->launch->kernel->scalars;
        s->by_size = w->worker->launch->given.schedule == KERNC_SCHEDULE_LARGEST;
        find_rejoined(p, s->rejoins);
    }
    memset(s->at, 0, s->registers * sizeof *s->at);
    s->ready_count = s->spinning = 0;
    s->used = s->registers;
    s->free = BARRIER_NO_RECORD;
    s->copying = s->any_gathers = s->cancelled = false;
    w->released = 0;
    s->at_barrier.lanes = 0;
}

/* Ages count from the present time slice on, as they are compared; who has spun for longer than anybody is
 * made to spin no longer than that. */
void barrier_digest(const struct rt_warp *w, struct rt_digest *d)
{
    const struct barriers *s = w->scheme_data;
    struct parts at = parts_of(w->worker->launch->program, w->lanes);
    struct barriers now = *s;
    uint64_t slice = s->age / BARRIER_SLICE * BARRIER_SLICE;
    now.age -= slice;
    for (uint32_t i = 0; i < s->ready_count; i++)
        now.ready[i].age -= slice;
    memset(now.ready + s->ready_count, 0, (RT_MAX_LANES - s->ready_count) * sizeof *now.ready);
    now.spinning = s->spinning < BARRIER_PATIENCE ? s->spinning : BARRIER_PATIENCE;
    rt_digest_bytes(d, &now, sizeof now);
    rt_digest_bytes(d, s->at, s->used * sizeof *s->at);
    rt_digest_bytes(d, s->copies, at.records - at.copies);
}

bool barrier_more_records(struct rt_warp *w, struct barriers *s)
{
    struct rt_worker *k = w->worker;
    size_t bytes = (size_t)s->capacity * sizeof *s->at;
    if (!rt_memory_take(k->launch, 2 * bytes)) {
        k->over_memory = true;
        return false;
    }
    struct record *grown = arena_array(&k->arena, struct record, 2 * s->capacity);
    memcpy(grown, s->at, bytes);
    s->at = grown;
    s->capacity *= 2;
    return true;
}
