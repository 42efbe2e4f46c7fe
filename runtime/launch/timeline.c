/* timeline.c: see timeline.h.
 *
 * VCD: for each warp whether it runs, its block of code, the block's first line, the active lanes and how many
 * groups wait. JSON: a block of the grid is a process, a warp a thread, a step a slice. Text: a line for each
 * step.
 */
#include "runtime/launch/timeline.h"
#include "runtime/launch/trace.h"
#include "runtime/launch/watch.h"

struct rt_timeline {
    const struct rt_launch *launch;
    struct arena *arena;
    struct rt_trace_file file;
    bool ended;                    /* what comes now is behind the window */
    VEC(struct rt_moment) moments; /* behind the last step of a turn its end */
    VEC(struct rt_moment) first;   /* of each warp that has some, in their order */
    struct map numbers;            /* of these warps: places in `first` */
    u32_vec lines;
};

struct rt_timeline *rt_timeline_new(struct rt_launch *l)
{
    struct rt_timeline *t = arena_new(&l->arena, struct rt_timeline);
    *t = (struct rt_timeline){.launch = l, .arena = &l->arena};
    rt_trace_open(&t->file, &l->given, &l->arena);
    return t;
}

/* ---- moments ----------------------------------------------------------------------------------------- */

static uint64_t key_of(const struct rt_timeline *t, const struct rt_moment *m)
{
    return m->block * t->launch->sizes.warps + m->warp;
}

static bool is_end(const struct rt_moment *m)
{
    return m->row == RT_NO_ROW;
}

static void add(struct rt_timeline *t, struct rt_moment m)
{
    vec_push(t->arena, &t->moments, m);
    if (map_get(&t->numbers, key_of(t, &m)) != MAP_NONE)
        return;
    map_set(t->arena, &t->numbers, key_of(t, &m), t->first.count);
    vec_push(t->arena, &t->first, m);
}

/* The end of a turn whose steps began before the window is not kept; one that goes on behind it ends there. */
void rt_timeline_add(struct rt_timeline *t, struct rt_moment m)
{
    bool open = t->moments.count && !is_end(&vec_last(&t->moments));
    if (t->ended || m.time < t->file.from || (is_end(&m) && !open))
        return;
    t->ended = m.time >= t->file.to;
    if (t->ended && !open)
        return;
    if (t->ended) {
        m = vec_last(&t->moments);
        m.time = t->file.to;
        m.row = RT_NO_ROW;
    }
    add(t, m);
}

/* The first one's; 0: none is known. */
static uint32_t line_of(struct rt_timeline *t, const struct rt_moment *m)
{
    rt_list_lines(t->arena, &t->lines, t->launch->program, m->row);
    return t->lines.count ? t->lines.at[0] : 0;
}

/* ---- text -------------------------------------------------------------------------------------------- */

static void add_line(struct rt_timeline *t, const struct rt_moment *m)
{
    struct text *out = &t->file.out;
    text_printf(out, "%llu %llu %llu %u %u %0*llx %u", (unsigned long long)m->time,
                (unsigned long long)(m[1].time - m->time), (unsigned long long)m->block, m->warp, m->row,
                (int)(t->launch->given.warp + 3) / 4, (unsigned long long)m->active, m->groups);
    rt_list_lines(t->arena, &t->lines, t->launch->program, m->row);
    for (uint32_t i = 0; i < t->lines.count; i++)
        text_printf(out, "%c%u", i ? ',' : ' ', t->lines.at[i]);
    text_addz(out, t->lines.count ? "\n" : " -\n");
}

static void write_text(struct rt_timeline *t)
{
    text_addz(&t->file.out, "# cycle cycles block warp code active groups lines\n");
    for (uint32_t i = 0; i < t->moments.count; i++)
        if (!is_end(&t->moments.at[i]))
            add_line(t, &t->moments.at[i]);
}

/* ---- JSON -------------------------------------------------------------------------------------------- */

static void write_json(struct rt_timeline *t)
{
    struct text *out = &t->file.out;
    rt_events_begin(out);
    for (uint32_t i = 0; i < t->first.count; i++) {
        const struct rt_moment *m = &t->first.at[i];
        if (i == 0 || m[-1].block != m->block)
            rt_events_name(out, "process_name", m->block, 0, "block", m->block);
        rt_events_name(out, "thread_name", m->block, m->warp, "warp", m->warp);
    }
    for (uint32_t i = 0; i < t->moments.count; i++) {
        const struct rt_moment *m = &t->moments.at[i];
        if (is_end(m))
            continue;
        rt_events_slice(out, m->block, m->warp, m->time, m[1].time - m->time, line_of(t, m), "code", m->row);
        text_printf(out, "\"code\": %u", m->row);
        rt_events_active(out, m->active, t->launch->given.warp);
        text_printf(out, ", \"groups\": %u}}", m->groups);
    }
    rt_events_end(out);
}

/* ---- VCD --------------------------------------------------------------------------------------------- */

enum { BUSY, CODE, LINE, ACTIVE, GROUPS, SIGNALS };

static void add_changes(struct rt_timeline *t, struct rt_vcd *v, const struct rt_moment *m)
{
    uint32_t warp = map_get(&t->numbers, key_of(t, m));
    rt_vcd_change(v, warp, BUSY, m->time, !is_end(m));
    if (is_end(m))
        return;
    rt_vcd_change(v, warp, CODE, m->time, m->row);
    rt_vcd_change(v, warp, LINE, m->time, line_of(t, m));
    rt_vcd_change(v, warp, ACTIVE, m->time, m->active);
    rt_vcd_change(v, warp, GROUPS, m->time, m->groups);
}

static void write_vcd(struct rt_timeline *t)
{
    const struct rt_signal signals[SIGNALS] = {
        {"busy", 1}, {"code", 32}, {"line", 32}, {"active", t->launch->given.warp}, {"groups", 16}};
    struct rt_vcd v;
    rt_vcd_begin(&v, &t->file.out, "interpreter", signals, SIGNALS, t->file.from);
    for (uint32_t i = 0; i < t->first.count; i++) {
        const struct rt_moment *m = &t->first.at[i];
        text_printf(v.out, "$scope module block%llu_warp%u $end\n", (unsigned long long)m->block, m->warp);
        rt_vcd_declare(&v);
    }
    rt_vcd_start(&v, t->arena);
    for (uint32_t i = 0; i < t->moments.count; i++)
        add_changes(t, &v, &t->moments.at[i]);
}

void rt_timeline_write(struct rt_timeline *t)
{
    if (t->file.given->trace == KERNC_TRACE_VCD)
        write_vcd(t);
    else if (t->file.given->trace == KERNC_TRACE_JSON)
        write_json(t);
    else
        write_text(t);
    rt_trace_close(&t->file);
}
