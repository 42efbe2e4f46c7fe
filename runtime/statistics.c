/* statistics.c: what launches cost, added up, kept by kernels, and handed to the program; see metrics.c. */
#include "runtime/launch/grid.h"

/* ---- sums over launches ------------------------------------------------------------------------------ */

void rt_line_metrics_add(kernc_line_metrics *to, const kernc_line_metrics *from)
{
#define LINE_METRIC(key) to->key += from->key;
#include "include/kernc-metrics.def"
}

void rt_widths_add(uint64_t *to, const uint64_t *from)
{
    for (unsigned n = 0; n <= KERNC_MAX_WARP; n++)
        to[n] += from[n];
}

/* All but the ratios. */
static void add_metrics(kernc_metrics *to, const kernc_metrics *from)
{
#define ADD_EVENT(key)   to->key += from->key;
#define ADD_MAXIMUM(key) to->key = to->key > from->key ? to->key : from->key;
#define ADD_RATIO(key)
#define ADD_COUNT(key)             ADD_EVENT(key)
#define ADD_MACHINE(key)           ADD_EVENT(key)
#define ADD_MODEL(key)             ADD_EVENT(key)
#define ADD_SECONDS(key)           ADD_EVENT(key)
#define METRIC(key, type, meaning) ADD_##type(key)
#include "include/kernc-metrics.def"
}

/* Both are of the same program. */
void rt_statistics_add(kernc_statistics *to, const kernc_statistics *from)
{
    add_metrics(&to->metrics, &from->metrics);
    rt_widths_add(to->widths, from->widths);
    for (unsigned c = 0; c < RT_CLASSES; c++)
        rt_statistics_add_class(to, (enum rt_class)c, from->classes[c]);
    to->thread_slots += from->thread_slots;
    to->block_slots += from->block_slots;
    to->counted &= from->counted;
    to->whole_block &= from->whole_block;
    rt_statistics_set_ratios(to);
    for (uint32_t i = 0; i < from->branches.count; i++)
        vec_push(&to->arena, &to->branches, from->branches.at[i]);
    rt_statistics_sort_branches(to);
    for (uint32_t i = 0; i < to->lines.count; i++)
        rt_line_metrics_add(&to->lines.at[i], &from->lines.at[i]);
    for (uint32_t i = 0; i < to->places.count; i++)
        to->places.at[i].lanes += from->places.at[i].lanes;
}

void rt_statistics_copy(const kernc_statistics *from, kernc_statistics **to)
{
    kernc_statistics *s = *to = mem_alloc(sizeof *s);
    *s = *from;
    arena_init(&s->arena);
    s->lines.at = NULL;
    s->lines.capacity = s->lines.count = 0;
    vec_resize(&s->arena, &s->lines, from->lines.count);
    if (from->lines.count)
        memcpy(s->lines.at, from->lines.at, from->lines.count * sizeof *from->lines.at);
    s->places.at = NULL;
    s->places.capacity = s->places.count = 0;
    vec_resize(&s->arena, &s->places, from->places.count);
    if (from->places.count)
        memcpy(s->places.at, from->places.at, from->places.count * sizeof *from->places.at);
    s->branches.at = NULL;
    s->branches.capacity = s->branches.count = 0;
    for (uint32_t i = 0; i < from->branches.count; i++)
        vec_push(&s->arena, &s->branches, from->branches.at[i]);
}

void rt_statistics_keep(kernc_kernel *k, kernc_statistics **made, kernc_statistics **spare,
                        kernc_statistics **wanted)
{
    if (k->total)
        rt_statistics_add(k->total, *made);
    else {
        rt_statistics_copy(*made, spare);
        k->total = *spare;
        *spare = NULL;
    }
    if (wanted) {
        *wanted = *made;
        *made = NULL;
    }
}

/* ---- public ------------------------------------------------------------------------------------------ */

void kernc_statistics_free(kernc_statistics *statistics)
{
    if (!statistics)
        return;
    arena_free(&statistics->arena);
    mem_free(statistics);
}

bool kernc_statistics_metrics(const kernc_statistics *statistics, kernc_metrics *metrics)
{
    return statistics && metrics && sized_write(metrics, &statistics->metrics, sizeof *metrics);
}

bool kernc_statistics_active_lanes(const kernc_statistics *statistics,
                                   uint64_t instructions[KERNC_MAX_WARP + 1])
{
    bool counted = statistics && instructions && statistics->counted;
    if (counted)
        memcpy(instructions, statistics->widths, sizeof statistics->widths);
    return counted;
}

bool kernc_statistics_class(const kernc_statistics *statistics, uint32_t index, kernc_class_metrics *class)
{
    static const struct {
        const char *key, *meaning;
    } names[] = {
#define CLASS(key, meaning) {#key, meaning},
#include "runtime/classes.def"
    };
    if (!statistics || !class || index >= RT_CLASSES)
        return false;
    kernc_class_metrics c = {.size = sizeof c,
                             .key = names[index].key,
                             .meaning = names[index].meaning,
                             .warp_instructions = statistics->classes[index].warps,
                             .thread_instructions = statistics->classes[index].threads};
    return sized_write(class, &c, sizeof c);
}

uint32_t kernc_statistics_line_count(const kernc_statistics *statistics)
{
    return statistics ? statistics->lines.count : 0;
}

bool kernc_statistics_line(const kernc_statistics *statistics, uint32_t index, kernc_line_metrics *line)
{
    return statistics && line && index < statistics->lines.count &&
           sized_write(line, &statistics->lines.at[index], sizeof *line);
}

bool kernc_statistics_place(const kernc_statistics *statistics, uint32_t index, kernc_place_metrics *at)
{
    return statistics && at && index < statistics->places.count &&
           sized_write(at, &statistics->places.at[index], sizeof *at);
}

bool kernc_statistics_branch(const kernc_statistics *statistics, uint32_t index, kernc_branch_metrics *branch)
{
    return statistics && branch && index < statistics->branches.count &&
           sized_write(branch, &statistics->branches.at[index], sizeof *branch);
}

kernc_status kernc_kernel_statistics(kernc_kernel *kernel, kernc_statistics **statistics)
{
    if (!kernel || !statistics)
        return KERNC_INVALID;
    *statistics = NULL;
    if (!kernel->total)
        return rt_fail(kernel->module->context, KERNC_NOT_FOUND, "kernel %s has not run", kernel->name);
    struct mem_guard guard;
    if (mem_guard_enter(&guard)) {
        kernc_statistics_free(*statistics);
        *statistics = NULL;
        return rt_fail_memory(kernel->module->context);
    }
    rt_statistics_copy(kernel->total, statistics);
    mem_guard_leave(&guard);
    return KERNC_OK;
}
