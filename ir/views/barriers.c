/* barriers.c: convergence barriers, shown ("Speculative Reconvergence", section 4.2.1): whose each is, where
 * threads join it, wait, leave and come back; the joined sets of equation 1 and the live ones of equation 2;
 * and which barriers' threads wait for each other (section 4.3).
 *
 * Calls that lead to predicted functions, and barriers that callers hand on, are not followed: only what stands
 * in the function counts.
 */
#include "ir/analysis/barrier_flow.h"
#include "ir/views/view.h"

static const struct ir_barrier_flow *find(struct ir_viewer *v)
{
    static const struct ir_barrier_context placed = {.branches_join = true};
    if (!v->barriers)
        v->barriers = ir_barrier_flow_new(v->arena, v->cfg, &placed);
    return v->barriers;
}

/* At the start of each block, and at each operation on a barrier. */
static bool is_shown_at(const struct ir_function *f, ir_ref r)
{
    return ir_block_at(f, ir_at(f, r)->block)->first == r || ir_is_convergence_barrier(ir_at(f, r)->op);
}

/* ---- text ------------------------------------------------------------------------------------------------ */

static void add_set(const struct ir_barrier_flow *w, struct bitset set, struct text *out)
{
    const char *separator = "{";
    bitset_each(n, set) {
        text_printf(out, "%s%u", separator, w->registers.at[n]);
        separator = ", ";
    }
    text_addz(out, separator[0] == '{' ? "{}" : "}");
}

static void add_sets_before(const struct ir_barrier_flow *w, ir_ref r, const char *separator,
                            struct text *out)
{
    text_addz(out, "joined ");
    add_set(w, ir_barrier_joined_before(w, r), out);
    text_printf(out, "%slive ", separator);
    add_set(w, ir_barrier_live_before(w, r), out);
}

/* Blocks with the operation on barrier n. */
static u32_vec places_of(const struct ir_barrier_flow *w, uint32_t n, enum ir_op op)
{
    u32_vec blocks = {0};
    for (uint32_t i = 0; i < w->g->rpo_count; i++) {
        uint32_t b = w->g->rpo[i];
        bool has = op == IR_cb_join && ir_barrier_of_branch(w, b) == n;
        ir_each_ins(r, w->g->fn, b)
            has |= ir_at(w->g->fn, r)->op == op && (uint32_t)ir_at(w->g->fn, r)->imm == w->registers.at[n];
        if (has)
            vec_push(w->arena, &blocks, b);
    }
    return blocks;
}

/* By block: barriers that threads may be in at its start, or at an operation on one, and still come to a wait
 * for. */
static struct bitset *find_live_ranges(const struct ir_barrier_flow *w)
{
    struct bitset *ranges = arena_array(w->arena, struct bitset, w->g->blocks);
    for (uint32_t i = 0; i < w->g->rpo_count; i++) {
        uint32_t b = w->g->rpo[i];
        ranges[b] = bitset_new(w->arena, w->registers.count);
        ir_each_ins(r, w->g->fn, b) {
            if (!is_shown_at(w->g->fn, r))
                continue;
            struct bitset in = ir_barrier_joined_before(w, r);
            bitset_intersect(in, ir_barrier_live_before(w, r));
            bitset_union(ranges[b], in);
        }
    }
    return ranges;
}

static u32_vec blocks_with(const struct ir_barrier_flow *w, const struct bitset *sets, uint32_t n)
{
    u32_vec blocks = {0};
    for (uint32_t i = 0; i < w->g->rpo_count; i++)
        if (bitset_has(sets[w->g->rpo[i]], n))
            vec_push(w->arena, &blocks, w->g->rpo[i]);
    return blocks;
}

/* Threads join a prediction's barrier so that they gather again. */
static bool is_prediction(const struct ir_barrier_flow *w, uint32_t n, place *at)
{
    bool gathers = false;
    for (uint32_t i = 0; i < w->g->rpo_count; i++)
        ir_each_ins(r, w->g->fn, w->g->rpo[i]) {
            const struct ir_ins *ins = ir_at(w->g->fn, r);
            if (!ir_is_convergence_barrier(ins->op) || (uint32_t)ins->imm != w->registers.at[n])
                continue;
            gathers |= ins->op == IR_cb_join && ins->imm2;
            *at = ins->op == IR_cb_wait ? ins->at : *at;
        }
    return gathers;
}

/* by[n]: barriers that threads are in, and that others may wait for, where they wait for n. */
static struct bitset *find_waits(const struct ir_barrier_flow *w)
{
    struct bitset *by = arena_array(w->arena, struct bitset, w->registers.count);
    for (uint32_t n = 0; n < w->registers.count; n++)
        by[n] = bitset_new(w->arena, w->registers.count);
    for (uint32_t i = 0; i < w->g->rpo_count; i++)
        ir_each_ins(r, w->g->fn, w->g->rpo[i]) {
            if (ir_at(w->g->fn, r)->op != IR_cb_wait)
                continue;
            uint32_t n = ir_barrier_number(w, (uint32_t)ir_at(w->g->fn, r)->imm);
            struct bitset joined = ir_barrier_joined_before(w, r);
            bitset_intersect(joined, ir_barrier_live_before(w, r));
            bitset_remove(joined, n);
            bitset_union(by[n], joined);
        }
    return by;
}

ir_view_barriers ir_view_list_barriers(struct ir_viewer *v)
{
    const struct ir_barrier_flow *w = find(v);
    const struct bitset *ranges = find_live_ranges(w);
    ir_view_barriers all = {0};
    for (uint32_t n = 0; n < w->registers.count; n++) {
        struct ir_view_barrier b = {.reg = w->registers.at[n]};
        b.prediction = is_prediction(w, n, &b.at);
        b.joined = places_of(w, n, IR_cb_join);
        b.waited = places_of(w, n, IR_cb_wait);
        b.rejoined = places_of(w, n, IR_cb_rejoin);
        b.cancelled = places_of(w, n, IR_cb_cancel);
        b.live = blocks_with(w, ranges, n);
        vec_push(v->arena, &all, b);
    }
    return all;
}

static void add_blocks(struct ir_viewer *v, const char *what, const u32_vec *blocks, struct text *out)
{
    for (uint32_t i = 0; i < blocks->count; i++)
        text_printf(out, "%s %s", i ? "," : what, ir_view_block(v, blocks->at[i]));
}

void ir_view_barriers_text(struct ir_viewer *v, struct text *out)
{
    const struct ir_barrier_flow *w = find(v);
    const struct bitset *waits = find_waits(w);
    const ir_view_barriers all = ir_view_list_barriers(v);
    for (uint32_t n = 0; n < all.count; n++) {
        const struct ir_view_barrier *b = &all.at[n];
        text_printf(out, "  barrier %u, of %s", b->reg, b->prediction ? "a prediction" : "post-dominators");
        if (b->prediction && b->at.line)
            text_printf(out, " in line %u", b->at.line);
        add_blocks(v, ": joined in", &b->joined, out);
        add_blocks(v, "; waited for in", &b->waited, out);
        add_blocks(v, "; rejoined in", &b->rejoined, out);
        add_blocks(v, "; cancelled in", &b->cancelled, out);
        text_addz(out, "\n    live range:");
        for (uint32_t i = 0; i < b->live.count; i++)
            text_printf(out, " %s", ir_view_block(v, b->live.at[i]));
        text_addz(out, "\n");
        bitset_each(m, waits[n])
            text_printf(out, "    threads wait for it where they are in %u%s\n", w->registers.at[m],
                        bitset_has(waits[m], n) ? ", and for that where they are in it: they conflict" : "");
    }
    if (!all.count) {
        text_addz(out, "  no convergence barriers: --scheme=barrier and hanoi place them\n");
        return;
    }
    for (uint32_t i = 0; i < v->cfg->rpo_count; i++) {
        uint32_t b = v->cfg->rpo[i];
        text_printf(out, "  %s: ", ir_view_block(v, b));
        add_sets_before(w, ir_block_at(w->g->fn, b)->first, ", ", out);
        text_addz(out, "\n");
    }
}

/* ---- graphs and comments --------------------------------------------------------------------------------- */

void ir_view_barriers_dot(struct ir_viewer *v, struct text *out)
{
    const struct ir_barrier_flow *w = find(v);
    for (uint32_t i = 0; i < v->cfg->rpo_count; i++) {
        uint32_t b = v->cfg->rpo[i];
        struct text label = {.arena = v->arena};
        text_addz(&label, ", xlabel=\"");
        add_sets_before(w, ir_block_at(w->g->fn, b)->first, "\\n", &label);
        text_addz(&label, "\"");
        ir_view_dot_block(v, b, label.at, out);
        for (uint32_t e = 0; e < ir_block_at(w->g->fn, b)->edges.count; e++)
            ir_view_dot_edge(v, b, ir_block_at(w->g->fn, b)->edges.at[e].block, "", out);
    }
}

/* The sets before r, where they are shown. */
void ir_view_barriers_comment(struct ir_viewer *v, ir_ref r, struct text *out)
{
    if (bitset_has(v->cfg->reachable, ir_at(v->fn, r)->block) && is_shown_at(v->fn, r))
        add_sets_before(find(v), r, ", ", out);
}
