/* timeline.c: see timeline.h.
 *
 * VCD: for each warp whether it runs, its block of code, the block's first line, the active lanes and how many
 * groups wait; a cycle is 1 ns. JSON: the trace event format that Perfetto reads; a block of the grid is a
 * process, a warp a thread, a step a slice; a cycle is 1 us. Text: a line for each step.
 */
#include "runtime/launch/timeline.h"
#include "runtime/launch/vcd.h"
#include "runtime/launch/watch.h"

struct rt_timeline {
    const struct rt_launch *launch;
    struct arena *arena;
    uint64_t from, to;
    bool ended;                    /* what comes now is behind the window */
    VEC(struct rt_moment) moments; /* behind the last step of a turn its end */
    VEC(struct rt_moment) first;   /* of each warp that has some, in their order */
    struct map numbers;            /* of these warps: places in `first` */
    u32_vec lines;
    struct text out;
};

struct rt_timeline *rt_timeline_new(struct rt_launch *l, const kernc_launch *o)
{
    struct rt_timeline *t = arena_new(&l->arena, struct rt_timeline);
    *t = (struct rt_timeline){.launch = l, .arena = &l->arena, .from = o->trace_from};
    t->to = o->trace_to ? o->trace_to : o->trace_from + RT_TRACE_WINDOW;
    t->out.arena = &l->arena;
    return t;
}

/* ---- moments ----------------------------------------------------------------------------------------- */

static uint64_t key_of(const struct rt_timeline *t, const struct rt_moment *m)
{
    return m->block * t->launch->warps + m->warp;
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
    if (t->ended || m.time < t->from || (is_end(&m) && !open))
        return;
    t->ended = m.time >= t->to;
    if (t->ended && !open)
        return;
    if (t->ended) {
        m = vec_last(&t->moments);
        m.time = t->to;
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
    struct text *out = &t->out;
    text_printf(out, "%llu %llu %llu %u %u %0*llx %u", (unsigned long long)m->time,
                (unsigned long long)(m[1].time - m->time), (unsigned long long)m->block, m->warp, m->row,
                (int)(t->launch->width + 3) / 4, (unsigned long long)m->active, m->groups);
    rt_list_lines(t->arena, &t->lines, t->launch->program, m->row);
    for (uint32_t i = 0; i < t->lines.count; i++)
        text_printf(out, "%c%u", i ? ',' : ' ', t->lines.at[i]);
    text_addz(out, t->lines.count ? "\n" : " -\n");
}

static void write_text(struct rt_timeline *t)
{
    text_addz(&t->out, "# cycle cycles block warp code active groups lines\n");
    for (uint32_t i = 0; i < t->moments.count; i++)
        if (!is_end(&t->moments.at[i]))
            add_line(t, &t->moments.at[i]);
}

/* ---- JSON -------------------------------------------------------------------------------------------- */

static void add_slice(struct rt_timeline *t, const struct rt_moment *m)
{
    struct text *out = &t->out;
    uint32_t line = line_of(t, m);
    text_printf(out, ",\n{\"ph\": \"X\", \"pid\": %llu, \"tid\": %u, \"ts\": %llu, \"dur\": %llu, \"name\": ",
                (unsigned long long)m->block, m->warp, (unsigned long long)m->time,
                (unsigned long long)(m[1].time - m->time));
    text_printf(out, line ? "\"line %u\"" : "\"code %u\"", line ? line : m->row);
    text_printf(out, ", \"args\": {\"code\": %u, \"active\": \"", m->row);
    for (uint32_t lane = t->launch->width; lane-- > 0;)
        text_char(out, m->active >> lane & 1 ? '1' : '.');
    text_printf(out, "\", \"groups\": %u}}", m->groups);
}

static void add_name(struct text *out, const char *what, uint64_t block, uint32_t warp, const char *name,
                     uint64_t number)
{
    text_printf(out, ",\n{\"ph\": \"M\", \"pid\": %llu, \"tid\": %u, \"name\": \"%s\", ",
                (unsigned long long)block, warp, what);
    text_printf(out, "\"args\": {\"name\": \"%s %llu\"}}", name, (unsigned long long)number);
}

static void write_json(struct rt_timeline *t)
{
    struct text *out = &t->out;
    size_t start;
    text_addz(out, "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [");
    start = out->length;
    for (uint32_t i = 0; i < t->first.count; i++) {
        const struct rt_moment *m = &t->first.at[i];
        if (i == 0 || m[-1].block != m->block)
            add_name(out, "process_name", m->block, 0, "block", m->block);
        add_name(out, "thread_name", m->block, m->warp, "warp", m->warp);
    }
    for (uint32_t i = 0; i < t->moments.count; i++)
        if (!is_end(&t->moments.at[i]))
            add_slice(t, &t->moments.at[i]);
    if (out->length > start)
        out->at[start] = ' '; /* of the first one's comma */
    text_addz(out, "\n]}\n");
}

/* ---- VCD --------------------------------------------------------------------------------------------- */

enum signal { BUSY, CODE, LINE, ACTIVE, GROUPS, SIGNALS };

static unsigned bits_of(const struct rt_timeline *t, enum signal s)
{
    static const unsigned bits[SIGNALS] = {[BUSY] = 1, [CODE] = 32, [LINE] = 32, [GROUPS] = 16};
    return s == ACTIVE ? t->launch->width : bits[s];
}

static void declare(struct rt_timeline *t)
{
    static const char *const names[SIGNALS] = {"busy", "code", "line", "active", "groups"};
    struct text *out = &t->out;
    text_addz(out, "$version kernc interpreter $end\n$timescale 1 ns $end\n");
    for (uint32_t i = 0; i < t->first.count; i++) {
        const struct rt_moment *m = &t->first.at[i];
        text_printf(out, "$scope module block%llu_warp%u $end\n", (unsigned long long)m->block, m->warp);
        for (unsigned s = 0; s < SIGNALS; s++) {
            text_printf(out, "$var wire %u ", bits_of(t, s));
            rt_vcd_identifier(out, i * SIGNALS + s);
            text_printf(out, " %s $end\n", names[s]);
        }
        text_addz(out, "$upscope $end\n");
    }
    text_printf(out, "$enddefinitions $end\n#%llu\n$dumpvars\n", (unsigned long long)t->from);
    for (uint32_t i = 0; i < t->first.count * SIGNALS; i++)
        rt_vcd_value(out, i, 0, bits_of(t, i % SIGNALS));
    text_addz(out, "$end\n");
}

/* Only values that change are written; `latest` has them, of one warp. */
static void add_changes(struct rt_timeline *t, const struct rt_moment *m, uint32_t number, uint64_t *latest)
{
    bool ends = is_end(m);
    uint64_t values[SIGNALS] = {[BUSY] = !ends, [CODE] = m->row, [ACTIVE] = m->active, [GROUPS] = m->groups};
    values[LINE] = ends ? 0 : line_of(t, m);
    for (unsigned s = 0; s < (ends ? BUSY + 1 : SIGNALS); s++) {
        if (values[s] != latest[s])
            rt_vcd_value(&t->out, number * SIGNALS + s, values[s], bits_of(t, s));
        latest[s] = values[s];
    }
}

static void write_vcd(struct rt_timeline *t)
{
    uint64_t *latest = arena_array(t->arena, uint64_t, (size_t)t->first.count * SIGNALS), time = t->from;
    declare(t);
    for (uint32_t i = 0; i < t->moments.count; i++) {
        const struct rt_moment *m = &t->moments.at[i];
        uint32_t number = map_get(&t->numbers, key_of(t, m));
        if (m->time != time)
            text_printf(&t->out, "#%llu\n", (unsigned long long)m->time);
        time = m->time;
        add_changes(t, m, number, latest + (size_t)number * SIGNALS);
    }
}

void rt_timeline_write(struct rt_timeline *t, const kernc_launch *o)
{
    if (o->trace == KERNC_TRACE_VCD)
        write_vcd(t);
    else if (o->trace == KERNC_TRACE_JSON)
        write_json(t);
    else
        write_text(t);
    struct mem_outside outside = mem_go_outside();
    o->trace_output(o->trace_user, t->out.at, t->out.length);
    mem_come_back(outside);
}
