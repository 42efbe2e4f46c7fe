/* watch.c: see watch.h. */
#include "runtime/warpcore/watch.h"

struct rt_sim_watch {
    struct rt_steps steps;
    rt_sim_handler **real[2]; /* by word: what rt_sim.codes had */
};

/* ---- places ------------------------------------------------------------------------------------------ */

static uint32_t line_of(const struct rt_sim *s, uint32_t word)
{
    return word < s->image->places.count ? s->image->places.at[word].line : 0;
}

static bool ends_run(enum wc_op op)
{
    switch (op) {
    case WC_br:
    case WC_brn:
    case WC_diverge:
    case WC_converge:
    case WC_exit:
    case WC_call:
    case WC_callr:
    case WC_ret:
    case WC_csrw:
    case WC_trap: return true;
    default: return false;
    }
}

static void add_line(struct rt_steps *x, uint32_t line)
{
    uint32_t i = x->lines.count;
    while (i && x->lines.at[i - 1] > line)
        i--;
    if (!line || (i && x->lines.at[i - 1] == line))
        return;
    vec_push(x->groups.arena, &x->lines, line);
    for (uint32_t k = x->lines.count - 1; k > i; k--)
        x->lines.at[k] = x->lines.at[k - 1];
    x->lines.at[i] = line;
}

/* Of the run that begins at the word. */
static void list_lines(struct rt_steps *x, const struct rt_sim *s, uint32_t word)
{
    vec_clear(&x->lines);
    for (bool ended = false; !ended && word < s->image->code.count; word++) {
        add_line(x, line_of(s, word));
        ended = ends_run((enum wc_op)s->codes[0][word].op);
    }
}

/* ---- the divergence stack ---------------------------------------------------------------------------- */

static void add_group(struct rt_steps *x, const struct rt_sim *s, uint8_t lanes, uint32_t word)
{
    rt_add_group(&x->groups, KERNC_WAIT_TURN, lanes, word);
    vec_last(&x->groups.list).line = line_of(s, word);
}

/* The lanes of an entry that reconverge, and those of them that are still to run. Where the machine of mode
 * source-pc does not know the first ones' place, the branch stands for it. */
static void add_entry(struct rt_steps *x, const struct rt_sim_warp *w, const struct rt_divergence_entry *e)
{
    uint8_t live = w->flow.live, mode = w->flow.mode;
    bool named = mode != WC_MODE_RPC && e->reconverge != WC_NONE;
    if (mode != WC_MODE_FRONTIER)
        add_group(x, w->sim, e->saved & live, named ? e->reconverge : e->key);
    if (e->pending & live)
        add_group(x, w->sim, e->pending & live, e->target);
}

/* ---- steps ------------------------------------------------------------------------------------------- */

static void tell(struct rt_steps *x, const struct rt_sim_warp *w, uint32_t word)
{
    vec_clear(&x->groups.list);
    for (uint32_t i = 0; i < w->flow.depth; i++)
        add_entry(x, w, &w->flow.stack[i]);
    list_lines(x, w->sim, word);
    rt_steps_tell(x, (kernc_step){.active = w->flow.active,
                                  .live = w->flow.live,
                                  .lanes = w->threads,
                                  .code = word,
                                  .warp = w->index});
}

/* In the place of every instruction. */
static const struct rt_sim_ins *look(RT_SIM_PARAMS)
{
    const struct rt_sim *s = w->sim;
    struct rt_sim_watch *x = s->watch;
    bool all = pc >= s->codes[1] && pc <= s->codes[1] + s->image->code.count;
    if (pc == w->begin && rt_steps_wanted(&x->steps, w->block->number, w->index))
        tell(&x->steps, w, pc->word);
    return x->real[all][pc->word](w, pc);
}

void rt_sim_watch_new(struct rt_sim *s)
{
    if (!s->given.step)
        return;
    uint32_t words = s->image->code.count + 1;
    struct rt_sim_watch *x = s->watch = arena_new(&s->arena, struct rt_sim_watch);
    rt_steps_new(&x->steps, &s->given, &s->arena);
    for (int all = 0; all < 2; all++) {
        x->real[all] = arena_array(&s->arena, rt_sim_handler *, words);
        for (uint32_t i = 0; i < words; i++) {
            x->real[all][i] = s->codes[all][i].run;
            s->codes[all][i].run = look;
        }
    }
}
