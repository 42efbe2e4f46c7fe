/* metrics.c: what a launch cost, from how often each block of code ran and what its memory accesses touched.
 *
 * The core counts blocks (times run, active lanes) and, if asked, transactions; everything for each
 * instruction follows from the block table: an instruction runs as often as its block.
 */
#include "runtime/launch/block_warp.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- sums over workers; those that could not be started have no counts, and none after them has ------ */

static struct rt_total block_total(const struct rt_launch *l, uint32_t block)
{
    struct rt_total sum = {0};
    for (uint32_t i = 0; i < l->worker_count && l->workers[i].counts; i++) {
        const struct rt_count *own = &l->workers[i].counts[block];
        sum.warps += own->full + own->some;
        sum.empty += l->workers[i].empty[block];
        sum.threads += own->full * l->core->lanes + own->threads;
    }
    return sum;
}

static struct rt_site_count site_total(const struct rt_launch *l, uint32_t site)
{
    struct rt_site_count sum = {0};
    for (uint32_t i = 0; i < l->worker_count && l->workers[i].sites; i++) {
        sum.transactions += l->workers[i].sites[site].transactions;
        sum.divergences += l->workers[i].sites[site].divergences;
    }
    return sum;
}

static struct rt_bank_count bank_total(const struct rt_launch *l, uint32_t site)
{
    struct rt_bank_count sum = {0};
    for (uint32_t i = 0; i < l->worker_count && l->workers[i].banks; i++) {
        sum.passes += l->workers[i].banks[site].passes;
        sum.conflicts += l->workers[i].banks[site].conflicts;
    }
    return sum;
}

/* Times that all lanes of the core ran it. */
static uint64_t full_total(const struct rt_launch *l, uint32_t block)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < l->worker_count && l->workers[i].counts; i++)
        sum += l->workers[i].counts[block].full;
    return sum;
}

/* ---- lines ------------------------------------------------------------------------------------------- */

static int by_line(const void *a, const void *b)
{
    const kernc_line_metrics *x = a, *y = b;
    return (x->line > y->line) - (x->line < y->line);
}

void rt_statistics_sort_lines(kernc_statistics *s)
{
    uint32_t n = s->lines.count, kept = 0;
    if (n)
        qsort(s->lines.at, n, sizeof *s->lines.at, by_line);
    for (uint32_t i = 0; i < n; i++)
        if (kept == 0 || s->lines.at[kept - 1].line != s->lines.at[i].line)
            s->lines.at[kept++] = s->lines.at[i];
    s->lines.count = kept;
}

/* Rows for all lines that the program mentions. */
static void list_lines(kernc_statistics *s, const struct bc_program *p)
{
    uint32_t n = 0;
    vec_resize(&s->arena, &s->lines, p->lines.count + p->sites.count);
    for (uint32_t i = 0; i < p->lines.count; i++)
        s->lines.at[n++] = (kernc_line_metrics){.line = p->lines.at[i].line};
    for (uint32_t i = 0; i < p->sites.count; i++)
        s->lines.at[n++] = (kernc_line_metrics){.line = p->sites.at[i].line};
    rt_statistics_sort_lines(s);
}

kernc_line_metrics *rt_statistics_line(kernc_statistics *s, uint32_t line)
{
    kernc_line_metrics key = {.line = line};
    return bsearch(&key, s->lines.at, s->lines.count, sizeof key, by_line);
}

static uint64_t greater(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* ---- places ------------------------------------------------------------------------------------------ */

static int by_place(const void *a, const void *b)
{
    const kernc_place_metrics *x = a, *y = b;
    if (x->line != y->line)
        return (x->line > y->line) - (x->line < y->line);
    return x->column != y->column ? (x->column > y->column) - (x->column < y->column)
                                  : (x->copy > y->copy) - (x->copy < y->copy);
}

static void add_place(kernc_statistics *s, uint32_t line, uint32_t column, uint64_t lanes)
{
    kernc_place_metrics at = {.line = line, .column = column, .copy = s->places.count, .lanes = lanes};
    if (line)
        vec_push(&s->arena, &s->places, at);
}

/* Copies, which are in the order of the program so far, get their numbers; those of lines become one. */
static void number_places(kernc_statistics *s)
{
    uint32_t n = s->places.count, kept = 0;
    if (n)
        qsort(s->places.at, n, sizeof *s->places.at, by_place);
    for (uint32_t i = 0; i < n; i++) {
        kernc_place_metrics at = s->places.at[i], *last = kept ? &s->places.at[kept - 1] : NULL;
        bool same = last && last->line == at.line && last->column == at.column;
        if (same && at.column == 0) {
            last->lanes = greater(last->lanes, at.lanes);
            continue;
        }
        at.copy = same ? last->copy + 1 : 0;
        s->places.at[kept++] = at;
    }
    s->places.count = kept;
}

static void list_places(kernc_statistics *s, const struct rt_launch *l)
{
    const struct bc_program *p = l->program;
    for (uint32_t i = 0; i < p->blocks.count; i++) {
        const struct bc_block *b = &p->blocks.at[i];
        for (uint32_t k = b->first_line; k < b->first_line + b->line_count; k++)
            add_place(s, p->lines.at[k].line, 0, block_total(l, i).threads);
    }
    for (uint32_t i = 0; i < p->sites.count; i++) {
        const struct bc_site *site = &p->sites.at[i];
        if (site->kind == BC_SITE_BRANCH && site->column)
            add_place(s, site->line, site->column, block_total(l, site->block).threads);
    }
    number_places(s);
}

/* ---- branches ---------------------------------------------------------------------------------------- */

static int by_branch(const void *a, const void *b)
{
    const kernc_branch_metrics *x = a, *y = b;
    if (x->line != y->line)
        return (x->line > y->line) - (x->line < y->line);
    return (x->column > y->column) - (x->column < y->column);
}

void rt_statistics_add_branch(kernc_statistics *s, kernc_branch_metrics b)
{
    if (b.line && b.executed)
        vec_push(&s->arena, &s->branches, b);
}

void rt_statistics_sort_branches(kernc_statistics *s)
{
    uint32_t n = s->branches.count, kept = 0;
    if (n)
        qsort(s->branches.at, n, sizeof *s->branches.at, by_branch);
    for (uint32_t i = 0; i < n; i++) {
        kernc_branch_metrics at = s->branches.at[i], *last = kept ? &s->branches.at[kept - 1] : NULL;
        if (last && by_branch(last, &at) == 0) {
            last->executed += at.executed;
            last->diverged += at.diverged;
        } else {
            s->branches.at[kept++] = at;
        }
    }
    s->branches.count = kept;
}

static void list_branches(kernc_statistics *s, const struct rt_launch *l)
{
    const struct bc_program *p = l->program;
    for (uint32_t i = 0; i < p->sites.count; i++) {
        const struct bc_site *site = &p->sites.at[i];
        kernc_branch_metrics b = {.line = site->line, .column = site->column};
        if (site->kind != BC_SITE_BRANCH)
            continue;
        b.executed = rt_executed(block_total(l, site->block));
        b.diverged = site_total(l, i).divergences;
        rt_statistics_add_branch(s, b);
    }
    rt_statistics_sort_branches(s);
}

/* ---- one launch -------------------------------------------------------------------------------------- */

static void add_block(kernc_statistics *s, const struct bc_program *p, uint32_t block, struct rt_total ran)
{
    const struct bc_block *b = &p->blocks.at[block];
    s->metrics.warp_instructions += ran.warps * b->instructions;
    s->metrics.thread_instructions += ran.threads * b->instructions;
    s->metrics.overhead_instructions += ran.warps * b->overhead;
    s->metrics.cycles += ran.warps * b->cycles;
    for (uint32_t i = b->first_line; i < b->first_line + b->line_count; i++) {
        kernc_line_metrics *row = rt_statistics_line(s, p->lines.at[i].line);
        row->warp_instructions += ran.warps * p->lines.at[i].instructions;
        row->thread_instructions += ran.threads * p->lines.at[i].instructions;
        row->cycles += ran.warps * p->lines.at[i].cycles;
    }
}

static void add_site(kernc_statistics *s, const struct rt_launch *l, uint32_t index)
{
    const struct bc_site *site = &l->program->sites.at[index];
    struct rt_site_count seen = site_total(l, index);
    kernc_line_metrics *row = rt_statistics_line(s, site->line);
    struct rt_bank_count banks = bank_total(l, index);
    s->metrics.shared_passes += banks.passes;
    s->metrics.bank_conflicts += banks.conflicts;
    row->shared_passes += banks.passes;
    row->bank_conflicts += banks.conflicts;
    row->divergences += seen.divergences;
    if (site->kind != BC_SITE_GLOBAL)
        return;
    uint64_t instructions = rt_executed(block_total(l, site->block));
    uint64_t more = seen.transactions > instructions ? seen.transactions - instructions : 0;
    s->metrics.memory_instructions += instructions;
    s->metrics.memory_transactions += seen.transactions;
    s->metrics.cycles += more * RT_TRANSACTION_CYCLES;
    row->memory_instructions += instructions;
    row->memory_transactions += seen.transactions;
    row->cycles += more * RT_TRANSACTION_CYCLES;
}

static double ratio(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : -1;
}

void rt_statistics_set_ratios(kernc_statistics *s)
{
    kernc_metrics *m = &s->metrics;
    m->simt_efficiency = ratio(m->thread_instructions, s->thread_slots);
    m->activity_factor = s->whole_block ? ratio(m->thread_instructions, s->block_slots) : -1;
    m->shared_efficiency = s->counted ? ratio(m->shared_passes - m->bank_conflicts, m->shared_passes) : -1;
    m->memory_efficiency = s->counted ? ratio(m->memory_instructions, m->memory_transactions) : -1;
}

static void add_events(kernc_metrics *to, const struct rt_events *from)
{
#define ADD_COUNT(key)
#define ADD_EVENT(key)   to->key += from->key;
#define ADD_MAXIMUM(key) to->key = greater(to->key, from->key);
#define ADD_MACHINE(key)
#define ADD_MODEL(key)
#define ADD_RATIO(key)
#define ADD_SECONDS(key)
#define METRIC(key, type, meaning) ADD_##type(key)
#include "include/kernc-metrics.def"
}

void rt_statistics_of(struct rt_launch *l, kernc_status status, double seconds, kernc_statistics **statistics)
{
    const struct bc_program *p = l->program;
    kernc_statistics *s = *statistics = mem_alloc(sizeof *s);
    arena_init(&s->arena);
    list_lines(s, p);
    for (uint32_t i = 0; i < p->blocks.count; i++) {
        add_block(s, p, i, block_total(l, i));
        rt_statistics_add_code(s, p, i, block_total(l, i));
        s->widths[l->core->lanes] += full_total(l, i) * p->blocks.at[i].instructions;
    }
    for (uint32_t i = 0; i < p->sites.count; i++)
        add_site(s, l, i);
    list_places(s, l);
    list_branches(s, l);
    for (uint32_t i = 0; i < l->worker_count; i++) {
        const struct rt_worker *k = &l->workers[i];
        s->thread_slots += k->thread_slots;
        add_events(&s->metrics, &k->events);
        rt_widths_add(s->widths, k->events.widths);
    }
    s->metrics.seconds = seconds;
    s->counted = l->count_transactions;
    s->whole_block = l->sizes.warps == 1;
    s->block_slots = s->thread_slots;
    if (l->block_warp && status == KERNC_OK) {
        struct rt_block_warp_total model = rt_block_warp_total(l->block_warp);
        s->metrics.block_warp_instructions = model.instructions;
        s->block_slots = model.slots;
        s->whole_block = true;
    }
    rt_statistics_set_ratios(s);
}
