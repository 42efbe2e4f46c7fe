/* fault.c: how a warp stops that has gone wrong: the trap as the interpreter would report
 * it, and the state. */
#include "runtime/warpcore/simulator.h"

#include <stdio.h>

/* ---- the state, for people --------------------------------------------------------------------------- */

/* Lane 0 on the right, as the numbers of masks have it. */
static void add_mask(struct text *t, uint8_t mask)
{
    for (unsigned lane = WC_LANES; lane-- > 0;)
        text_char(t, mask >> lane & 1 ? '1' : '.');
}

/* A code word with the symbol before it and the source line. */
static void add_word(struct text *t, const struct wc_image *m, uint32_t word)
{
    const struct wc_symbol *in = NULL;
    for (uint32_t i = 0; i < m->symbols.count && m->symbols.at[i].word <= word; i++)
        in = &m->symbols.at[i];
    text_printf(t, "%u", word);
    if (in && in->word == word)
        text_printf(t, " <%s>", in->name);
    else if (in)
        text_printf(t, " <%s+%u>", in->name, word - in->word);
    if (word < m->places.count && m->places.at[word].line)
        text_printf(t, " line %u", m->places.at[word].line);
}

static void add_entry(struct text *t, const struct rt_sim_warp *w, uint32_t i)
{
    const struct rt_divergence_entry *e = &w->flow.stack[i];
    bool rpc = w->flow.mode == WC_MODE_RPC;
    if (w->flow.mode == WC_MODE_FRONTIER) {
        text_printf(t, "  %2u%s  waiting ", i, i + 1 == w->flow.depth ? " top" : "    ");
        add_mask(t, e->pending);
        text_addz(t, " at ");
        add_word(t, w->sim->image, e->target);
        text_char(t, '\n');
        return;
    }
    text_printf(t, "  %2u%s  saved ", i, i + 1 == w->flow.depth ? " top" : "    ");
    add_mask(t, e->saved);
    text_addz(t, "  pending ");
    add_mask(t, e->pending);
    if (e->pending) {
        text_addz(t, " at ");
        add_word(t, w->sim->image, e->target);
    }
    text_addz(t, rpc ? "  reconverge at " : "  of the branch ");
    add_word(t, w->sim->image, e->key);
    text_addz(t, rpc || !e->phase ? "\n" : "  second group\n");
}

static const struct wc_trap_info *trap_info(enum wc_trap code)
{
    for (size_t i = 0; i < wc_trap_count; i++)
        if (wc_trap_info[i].code == code)
            return &wc_trap_info[i];
    BUG("trap %d", code);
}

static void write_report(const struct rt_sim_warp *w, uint32_t word, enum wc_trap code)
{
    struct text *t = &w->sim->report;
    text_printf(t, "FAULT %d (%s) in warp %u at word ", code, trap_info(code)->name, w->index);
    add_word(t, w->sim->image, word);
    text_addz(t, ": ");
    wc_print_word(w->sim->image->code.at[word], NULL, t);
    text_printf(t, "\nmode %s; active ", wc_mode_info[w->flow.mode].name);
    add_mask(t, w->flow.active);
    text_addz(t, ", live ");
    add_mask(t, w->flow.live);
    text_printf(t, "; divergence stack:%s\n", w->flow.depth ? "" : " empty");
    for (uint32_t i = w->flow.depth; i-- > 0;)
        add_entry(t, w, i);
}

/* ---- the trap ---------------------------------------------------------------------------------------- */

static void thread_of(const struct rt_sim_warp *w, unsigned lane, uint32_t thread[3])
{
    const uint32_t *block = w->sim->given.block;
    uint32_t t = w->index * WC_LANES + lane;
    thread[0] = t % block[0];
    thread[1] = t / block[0] % block[1];
    thread[2] = t / block[0] / block[1];
}

/* Where the lane stands. */
static void record_place(const struct rt_sim_warp *w, uint32_t word, unsigned lane)
{
    struct rt_sim *s = w->sim;
    s->trap = (struct rt_trap_record){0};
    memcpy(s->trap.block, w->block->index, sizeof s->trap.block);
    thread_of(w, lane, s->trap.thread);
    if (word < s->image->places.count) {
        s->trap.line = s->image->places.at[word].line;
        s->trap.column = s->image->places.at[word].column;
    }
}

static void record(struct rt_sim_warp *w, uint32_t word, enum wc_trap code, unsigned lane)
{
    record_place(w, word, lane);
    w->sim->trap.set = true;
    w->stop = RT_TRAPPED;
    if (word < w->sim->image->code.count)
        write_report(w, word, code);
}

/* The first active lane stands at the word, or behind the last one before it that has a line. */
static void record_line(const struct rt_sim_warp *w, uint32_t word)
{
    const struct wc_image *m = w->sim->image;
    while (word > 0 && word < m->places.count && m->places.at[word].line == 0)
        word--;
    record_place(w, word, w->flow.active ? rt_lowest(w->flow.active) : 0);
}

void rt_sim_out_of_fuel(struct rt_sim_warp *w, uint32_t word)
{
    record_line(w, word);
    bool interrupted = rt_interrupted(w->sim->given.interrupt);
    rt_fuel_text(&w->sim->trap, interrupted, interrupted ? w->sim->total : w->sim->given.fuel, w->index,
                 w->flow.active, w->flow.live);
}

/* Lanes that wait, as the stack has them: of each entry those that have come to where they reconverge, if that
 * is known, and those that run before. groups: room for two of each. */
static uint32_t list_waiting(const struct rt_sim_warp *w, kernc_group *groups)
{
    const struct wc_image *m = w->sim->image;
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->flow.depth; i++) {
        const struct rt_divergence_entry *e = &w->flow.stack[i];
        uint16_t meet = w->flow.mode == WC_MODE_RPC ? e->key : e->reconverge;
        if (w->flow.mode == WC_MODE_RPC || w->flow.mode == WC_MODE_SOURCE_PC)
            groups[count++] = (kernc_group){.lanes = e->saved, .code = meet};
        groups[count++] = (kernc_group){.lanes = e->pending, .code = e->target};
    }
    for (uint32_t i = 0; i < count; i++)
        groups[i].line = groups[i].code < m->places.count ? m->places.at[groups[i].code].line : 0;
    return count;
}

void rt_sim_trap_endless(const struct rt_sim_warp *w, uint32_t word)
{
    kernc_group waiting[2 * WC_STACK];
    record_line(w, word);
    w->sim->trap.set = w->sim->trap.endless = true;
    uint32_t count = list_waiting(w, waiting);
    rt_endless_text(&w->sim->trap, SCHEME_warp_core_rpc, w->index, w->flow.active, w->flow.live, waiting,
                    count);
}

void rt_sim_fault(struct rt_sim_warp *w, const struct rt_sim_ins *pc, enum wc_trap code, unsigned lane,
                  const char *fmt, ...)
{
    if (w->begin)
        rt_sim_end_run(w, pc);
    record(w, pc->word, code, lane);
    va_list args;
    va_start(args, fmt);
    vsnprintf(w->sim->trap.text, sizeof w->sim->trap.text, fmt, args);
    va_end(args);
}

void rt_sim_fault_event(struct rt_sim_warp *w, const struct rt_sim_ins *pc, enum rt_divergence_event event)
{
    static const uint8_t codes[] = {
        [RT_STACK_FULL - RT_FIRST_FAULT] = WC_TRAP_STACK_OVERFLOW,
        [RT_NOT_UNIFORM - RT_FIRST_FAULT] = WC_TRAP_NOT_UNIFORM,
        [RT_EMPTY_DIVERGE - RT_FIRST_FAULT] = WC_TRAP_DIVERGE_EMPTY,
        [RT_NO_LANES - RT_FIRST_FAULT] = WC_TRAP_NO_RECONVERGENCE,
        [RT_LANES_LOST - RT_FIRST_FAULT] = WC_TRAP_NO_RECONVERGENCE,
    };
    enum wc_trap code = (enum wc_trap)codes[event - RT_FIRST_FAULT];
    const char *text = event == RT_NO_LANES ? "the swap leaves no lane active" : trap_info(code)->meaning;
    rt_sim_fault(w, pc, code, w->flow.active ? rt_lowest(w->flow.active) : 0, "%s", text);
}

void rt_sim_fault_text(struct rt_sim_warp *w, const struct rt_sim_ins *pc, enum wc_trap code, unsigned lane)
{
    const struct wc_text *text = &w->sim->image->texts.at[pc->imm];
    rt_sim_fault(w, pc, code, lane, "%.*s", (int)(text->length < 400 ? text->length : 400), text->bytes);
}

void rt_sim_fault_access(struct rt_sim_warp *w, const struct rt_sim_ins *pc, unsigned lane,
                         enum wc_space space, bool store, uint32_t address, uint32_t bytes)
{
    char text[400];
    struct rt_bad_access a = {.space = "ghp"[space], .store = store, .address = address, .bytes = bytes};
    a.aligned = (address & ((bytes & -bytes) - 1)) == 0;
    a.limit = space == WC_SPACE_shared ? w->spaces.shared_bytes : w->spaces.private_bytes;
    const struct rt_region *named = rt_describe_access(&w->sim->context->memory, a, text, sizeof text);
    rt_sim_fault(w, pc, WC_TRAP_ACCESS, lane, "%s", text);
    w->sim->trap.buffer = named;
    w->sim->trap.has_address = true;
    w->sim->trap.address = address;
}
