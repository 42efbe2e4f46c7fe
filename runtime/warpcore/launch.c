/* launch.c: a launch of an image's kernel: the words are decoded, arguments laid out, blocks run, all is
 * counted. */
#include "runtime/warpcore/simulator.h"
#include "runtime/warpcore/trace.h"
#include "runtime/warpcore/watch.h"

#include <stdlib.h>

/* ---- instruction sets of the host -------------------------------------------------------------------- */

/* Rows CORE(isa) of CORES are the makefile's, best first. */
#define CORE(isa) extern const struct rt_sim_core rt_sim_core_##isa, rt_sim_core_##isa##_steps;
CORES
#undef CORE

const struct rt_sim_core *rt_sim_core_choose(const char *isa, bool steps)
{
    static const struct rt_sim_core *const cores[] = {
#define CORE(isa) &rt_sim_core_##isa, &rt_sim_core_##isa##_steps,
        CORES
#undef CORE
    };
    for (size_t i = 0; i < COUNT(cores); i++)
        if (cores[i]->steps == steps && (!isa || strcmp(isa, cores[i]->isa) == 0) &&
            rt_runs_here(cores[i]->isa))
            return cores[i];
    return NULL;
}

/* ---- preparing --------------------------------------------------------------------------------------- */

/* Registers and predicates that always read the same can be written: that goes to a row nobody reads. */
static uint8_t destination(const struct wc_ins *ins)
{
    char letter = wc_op_info[ins->op].operands[0];
    if (ins->d == 0 && letter == 'D')
        return WC_REGISTERS;
    return ins->d == 0 && letter == 'P' ? WC_PREDICATES : ins->d;
}

static struct rt_sim_ins decoded(const struct wc_ins *ins, uint32_t word, rt_sim_handler *handler)
{
    return (struct rt_sim_ins){.run = handler,
                               .imm = ins->imm,
                               .op = ins->op,
                               .rpc = ins->rpc,
                               .word = (uint16_t)word,
                               .d = destination(ins),
                               .a = ins->a,
                               .b = ins->b,
                               .c = ins->c};
}

/* The place behind the code is no instruction: being there is a fault. */
static void decode(struct rt_sim *s)
{
    uint32_t words = s->image->code.count;
    const struct rt_sim_core *core = s->core;
    for (int all = 0; all < 2; all++) {
        s->codes[all] = arena_array(&s->arena, struct rt_sim_ins, words + 1);
        s->codes[all][words] = (struct rt_sim_ins){.run = core->illegal, .word = (uint16_t)words};
    }
    for (uint32_t i = 0; i < words; i++) {
        struct wc_ins ins;
        if (!wc_decode(s->image->code.at[i], &ins))
            BUG("word %u of a verified image is no instruction", i);
        rt_sim_handler *handler = core->handlers[ins.op], *handler_all = core->handlers_all[ins.op];
        if (s->image->mode == WC_MODE_FRONTIER && ins.rpc != WC_NONE && core->handlers_two[ins.op])
            handler = core->handlers_two[ins.op];
        s->codes[0][i] = decoded(&ins, i, handler);
        s->codes[1][i] = decoded(&ins, i, handler_all ? handler_all : handler);
    }
}

static bool reads_clock(const struct wc_image *m)
{
    struct wc_ins ins;
    for (uint32_t i = 0; i < m->code.count; i++)
        if (wc_decode(m->code.at[i], &ins) && ins.op == WC_csrr &&
            (ins.imm == WC_CSR_CYCLE || ins.imm == WC_CSR_CYCLEH))
            return true;
    return false;
}

/* Values narrower than a word come extended already; see image.h. */
uint32_t rt_argument_words(const kernc_kernel *k, const uint64_t *bits, const struct rt_shared *shared,
                           uint32_t words[WC_ARGUMENT_WORDS])
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < k->param_count; i++) {
        words[n++] = (uint32_t)bits[i];
        if (k->params[i].type == BE_I64)
            words[n++] = (uint32_t)(bits[i] >> 32);
    }
    for (uint32_t i = 0; i < k->unsized_count; i++)
        words[n++] = shared->at[i];
    return n;
}

static kernc_status check(const struct rt_sim *s)
{
    if (s->given.warp != WC_LANES)
        return rt_fail(s->context, KERNC_INVALID, "a warp of the warp-core machine has %d threads, not %u",
                       WC_LANES, s->given.warp);
    if (!s->core)
        return rt_fail(s->context, KERNC_NOT_FOUND, "no simulator for instruction set %s on this machine",
                       s->given.isa);
    if (s->sizes.shared.bytes > s->context->memory.limit - s->context->memory.used)
        return rt_fail_shared(s->context, s->sizes.shared.bytes);
    return KERNC_OK;
}

static kernc_status read_timing(struct rt_sim *s, const char *text)
{
    char why[160];
    s->timing = wc_timing_default;
    if (!text || wc_timing_read(&s->timing, text, strlen(text), why, sizeof why))
        return KERNC_OK;
    return rt_fail(s->context, KERNC_INVALID, "the table of cycles, %s", why);
}

static kernc_status prepare(struct rt_sim *s)
{
    const kernc_launch *o = &s->given;
    s->timed = (o->flags & KERNC_STATISTICS) || o->trace || reads_clock(s->image);
    s->core = rt_sim_core_choose(o->isa, s->timed || o->step);
    kernc_status status = rt_configure(s->kernel, o, &s->arena, &s->sizes);
    if (status == KERNC_OK)
        status = check(s);
    if (status == KERNC_OK)
        status = read_timing(s, o->timing);
    if (status != KERNC_OK)
        return status;
    rt_argument_words(s->kernel, s->sizes.params, &s->sizes.shared, s->arguments);
    decode(s);
    rt_sim_watch_new(s);
    rt_sim_endless_begin(s);
    s->data = s->kernel->module->data.address;
    s->tally = arena_new(&s->arena, struct rt_sim_tally);
    s->trace = rt_trace_new(s);
    return KERNC_OK;
}

/* ---- statistics -------------------------------------------------------------------------------------- */

static enum rt_class class_of_unit(uint8_t unit)
{
    static const uint8_t classes[WC_UNITS] = {
        [WC_UNIT_ALU] = RT_CLASS_move,      [WC_UNIT_TREE] = RT_CLASS_group,
        [WC_UNIT_CHAIN] = RT_CLASS_group,   [WC_UNIT_GLOBAL] = RT_CLASS_global,
        [WC_UNIT_SHARED] = RT_CLASS_shared, [WC_UNIT_PRIVATE] = RT_CLASS_private,
        [WC_UNIT_GATOM] = RT_CLASS_atomic,  [WC_UNIT_SATOM] = RT_CLASS_atomic,
        [WC_UNIT_CALL] = RT_CLASS_control,  [WC_UNIT_FLOW] = RT_CLASS_control,
        [WC_UNIT_HOST] = RT_CLASS_other};
    return (enum rt_class)classes[unit];
}

static enum rt_class class_of(const struct rt_sim_ins *ins)
{
    const struct wc_op_info *info = &wc_op_info[ins->op];
    if (info->lane >= 0)
        return rt_class_of_scalar((enum scalar_case)info->lane);
    if (info->major == WC_MAJOR_WARP)
        return RT_CLASS_group;
    if (ins->op == WC_csrw && ins->imm == WC_CSR_BARRIER)
        return RT_CLASS_barrier;
    if (ins->op == WC_csrr || ins->op == WC_csrw || ins->op == WC_nop)
        return RT_CLASS_other;
    return ins->op == WC_converge ? RT_CLASS_convergence : class_of_unit(info->unit);
}

/* What one word has come to: `ran` is how often it was executed. */
static void add_word(const struct rt_sim *s, kernc_statistics *to, uint32_t word, struct rt_sim_count ran)
{
    const struct rt_sim_tally *t = s->tally;
    enum wc_op op = (enum wc_op)s->codes[0][word].op;
    kernc_line_metrics all = {.warp_instructions = ran.warps,
                              .thread_instructions = ran.threads,
                              .cycles = ran.warps * s->timing.cycles[wc_op_info[op].unit] + t->more[word],
                              .memory_instructions = rt_sim_is_global(op) ? ran.warps : 0,
                              .memory_transactions = t->transactions[word],
                              .divergences = t->divergences[word],
                              .shared_instructions = rt_sim_is_shared(op) ? ran.warps : 0,
                              .shared_passes = t->banks[word].passes,
                              .bank_conflicts = t->banks[word].conflicts};
#define LINE_METRIC(key) to->metrics.key += all.key;
#include "include/kernc-metrics.def"
    rt_statistics_add_class(to, class_of(&s->codes[0][word]), (struct rt_total){ran.warps, ran.threads, 0});
    to->metrics.converges += op == WC_converge ? ran.warps : 0;
    place at = word < s->image->places.count ? s->image->places.at[word] : (place){0};
    if (at.line)
        rt_line_metrics_add(rt_statistics_line(to, at.line), &all);
    if (op == WC_br || op == WC_brn)
        rt_statistics_add_branch(to, (kernc_branch_metrics){.line = at.line,
                                                            .column = at.column,
                                                            .executed = ran.warps,
                                                            .diverged = t->divergences[word]});
}

static void list_lines(const struct rt_sim *s, kernc_statistics *to)
{
    for (uint32_t i = 0; i < s->image->places.count; i++)
        if (s->image->places.at[i].line)
            vec_push(&to->arena, &to->lines, ((kernc_line_metrics){.line = s->image->places.at[i].line}));
    rt_statistics_sort_lines(to);
}

/* Runs that began before a word or there, less those that ended before it. */
static void add_words(const struct rt_sim *s, kernc_statistics *to)
{
    struct rt_sim_count ran = {0};
    for (uint32_t i = 0; i < s->image->code.count; i++) {
        ran.warps += s->tally->begins[i].warps - s->tally->ends[i].warps;
        ran.threads += s->tally->begins[i].threads - s->tally->ends[i].threads;
        add_word(s, to, i, ran);
    }
}

static void make_statistics(struct rt_sim *s, double seconds, kernc_statistics **made)
{
    kernc_statistics *to = *made = mem_alloc(sizeof *to);
    arena_init(&to->arena);
    list_lines(s, to);
    add_words(s, to);
    rt_statistics_sort_branches(to);
    memcpy(to->widths, s->tally->widths, sizeof s->tally->widths);
    to->metrics.overhead_instructions = to->metrics.converges;
    to->metrics.effective_converges = s->tally->effective;
    to->metrics.reconvergences = s->tally->joined;
    to->metrics.max_stack_depth = s->tally->deepest;
    to->metrics.core_cycles = s->core_cycles;
    to->metrics.seconds = seconds;
    to->thread_slots = s->thread_slots;
    to->counted = s->timed;
    to->whole_block = s->sizes.warps == 1;
    rt_statistics_set_ratios(to);
}

/* ---- running ----------------------------------------------------------------------------------------- */

/* How the launch went. */
static kernc_status outcome(struct rt_sim *s)
{
    kernc_context *c = s->context;
    if (s->trap.set) {
        text_add(&c->trap_report, s->report.at ? s->report.at : "", s->report.length);
        return rt_report_stop(s->kernel, s->trap.endless ? KERNC_DEADLOCK : KERNC_TRAP, &s->trap);
    }
    if (s->over_memory)
        return rt_fail(c, KERNC_LIMIT,
                       "kernel %s: its registers, memory and printed text are over the limit (max_memory, "
                       "--max-memory)",
                       s->kernel->name);
    if (s->out_of_fuel && *s->trap.text)
        return rt_report_stop(s->kernel, KERNC_LIMIT, &s->trap);
    if (s->out_of_fuel)
        return rt_fail(c, KERNC_LIMIT, "kernel %s: %s after %llu warp instructions", s->kernel->name,
                       RT_FUEL_WORDS(rt_interrupted(s->given.interrupt)), (unsigned long long)s->total);
    return KERNC_OK;
}

/* What is allocated on the way is in *s, *made and *spare, so that a failure leaks nothing. */
static kernc_status run(struct rt_sim *s, kernc_statistics **made, kernc_statistics **spare,
                        kernc_statistics **wanted)
{
    kernc_status status = prepare(s);
    if (status != KERNC_OK)
        return status;
    double start = rt_now();
    if (s->timed)
        rt_sim_run_clock(s, s->given.cores);
    else
        rt_sim_schedule(s);
    double seconds = rt_now() - start;
    status = outcome(s);
    if (s->trace)
        rt_trace_write(s->trace);
    make_statistics(s, seconds, made);
    rt_statistics_keep(s->kernel, made, spare, wanted);
    return status;
}

kernc_status rt_sim_launch(kernc_kernel *kernel, const kernc_launch *o, kernc_statistics **statistics)
{
    kernc_context *c = kernel->module->context;
    struct rt_sim *s = c->launch = calloc(1, sizeof *s);
    kernc_statistics *made = NULL, *spare = NULL;
    struct mem_guard guard;
    kernc_status status;
    if (!s)
        return rt_fail_memory(c);
    s->context = c;
    s->kernel = kernel;
    s->given = *o;
    s->image = kernel->module->image;
    s->entry = kernel->entry;
    arena_init(&s->arena);
    if (mem_guard_enter(&guard)) {
        c->trapped = false;
        status = rt_fail_memory(c);
    } else
        status = run(s, &made, &spare, statistics);
    mem_guard_leave(&guard);
    kernc_statistics_free(made);
    kernc_statistics_free(spare);
    rt_sim_free(s);
    free(s);
    c->launch = NULL;
    return status;
}
