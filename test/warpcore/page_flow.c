/* page_flow.c: the divergence unit in its modes, calls and returns. */
#include "test/warpcore/page.h"

static struct page_entry *top(struct page_warp *w)
{
    return w->depth ? &w->stack[w->depth - 1] : NULL;
}

static void push(struct page_warp *w, struct page_entry entry, struct page_effect *e)
{
    if (w->depth == PAGE_STACK)
        e->fault = "stack-overflow";
    else
        w->stack[w->depth++] = entry;
}

/* ---- mode frontier ------------------------------------------------------------------------------------- */

/* Waiting lanes, in no order: `pending` at `target`. */
static void frontier_wait(struct page_warp *w, uint32_t lanes, uint32_t word)
{
    for (uint32_t i = 0; i < w->depth; i++)
        if (w->stack[i].target == word) {
            w->stack[i].pending |= lanes;
            return;
        }
    w->stack[w->depth++] = (struct page_entry){.pending = lanes, .target = word};
}

static uint32_t frontier_lowest(const struct page_warp *w)
{
    uint32_t lowest = 0;
    for (uint32_t i = 1; i < w->depth; i++)
        if (w->stack[i].target < w->stack[lowest].target)
            lowest = i;
    return lowest;
}

static void frontier_run(struct page_warp *w)
{
    uint32_t lowest = frontier_lowest(w);
    w->active = w->stack[lowest].pending;
    w->pc = w->stack[lowest].target;
    w->stack[lowest] = w->stack[--w->depth];
}

static void frontier_converge(const struct page_machine *m, struct page_warp *w, struct page_effect *e)
{
    uint32_t lowest = w->depth ? w->stack[frontier_lowest(w)].target : PAGE_NONE;
    if (lowest > w->pc) {
        w->pc++;
        return;
    }
    bool gives_way = lowest < w->pc;
    frontier_wait(w, w->active, w->pc);
    frontier_run(w);
    e->more += gives_way ? m->tables->parameter[PAGE_DIVERGE] : 0;
    w->pc += !gives_way;
}

/* ---- branches ------------------------------------------------------------------------------------------ */

struct branch {
    uint32_t target, reconverge, taken, others;
    bool pushes;
};

static void branch_rpc(struct page_warp *w, struct branch b, struct page_effect *e)
{
    struct page_entry *t = top(w);
    bool shared = t && t->place == b.reconverge;
    struct page_entry nobody = {.saved = w->active, .place = b.reconverge};
    if (b.reconverge == PAGE_NONE) {
        e->fault = "not-uniform";
        return;
    }
    if (b.target == b.reconverge || w->pc + 1 == b.reconverge) {
        if (!shared)
            push(w, nobody, e);
        w->active = b.target == b.reconverge ? b.others : b.taken;
        w->pc = b.target == b.reconverge ? w->pc + 1 : b.target;
        return;
    }
    if (shared && (!t->pending || t->target == b.target)) {
        t->pending |= b.taken;
        t->target = b.target;
    } else {
        push(w, (struct page_entry){w->active, b.taken, b.target, b.reconverge, 0}, e);
    }
    w->active = b.others;
    w->pc++;
}

static void branch_source(struct page_warp *w, struct branch b, struct page_effect *e)
{
    struct page_entry *t = top(w);
    if (t && t->place == w->pc && !b.pushes)
        t->pending |= b.taken;
    else
        push(w, (struct page_entry){w->active, b.taken, b.target, w->pc, 0}, e);
    w->active = b.others;
    w->pc++;
}

static void branch(struct page_machine *m, struct page_warp *w, const struct page_row *row, uint32_t word,
                   struct page_effect *e)
{
    bool diverge = !strcmp(row->mnemonic, "diverge"), article = m->job->mode == PAGE_ARTICLE;
    struct branch b = {
        .target = word >> 12 & 0xfff, .reconverge = word & 0xfff, .pushes = article && diverge};
    page_each_active(l, w) if (w->p[l][word >> 24 & 7] != row->inverted) b.taken |= 1u << l;
    b.others = w->active & ~b.taken;
    if (b.pushes && !b.others)
        e->fault = "diverge-empty";
    else if (!b.others)
        w->pc = b.target;
    else if (!b.taken && !b.pushes)
        w->pc = m->job->mode == PAGE_FRONTIER && b.reconverge != PAGE_NONE ? b.reconverge : w->pc + 1;
    else {
        e->more += m->tables->parameter[PAGE_DIVERGE];
        if (m->job->mode == PAGE_FRONTIER && b.reconverge == PAGE_NONE)
            e->fault = "not-uniform";
        else if (m->job->mode == PAGE_FRONTIER) {
            frontier_wait(w, b.others, b.reconverge);
            frontier_wait(w, b.taken, b.target);
            frontier_run(w);
        } else if (m->job->mode == PAGE_RPC)
            branch_rpc(w, b, e);
        else
            branch_source(w, b, e);
    }
}

/* ---- converge, exit ------------------------------------------------------------------------------------ */

static void swap(struct page_warp *w)
{
    struct page_entry *t = top(w);
    w->active = t->pending;
    w->pc = t->target;
    t->pending = 0;
    t->phase = 1;
}

static void converge(struct page_machine *m, struct page_warp *w, uint32_t source, struct page_effect *e)
{
    if (m->job->mode == PAGE_FRONTIER) {
        frontier_converge(m, w, e);
        return;
    }
    struct page_entry *t = top(w);
    bool rpc = m->job->mode == PAGE_RPC;
    if (!t || (rpc && t->place != w->pc) || (m->job->mode == PAGE_SOURCE_PC && t->place != source)) {
        w->pc++;
        return;
    }
    if (rpc ? t->pending != 0 : !t->phase && t->target != w->pc) {
        swap(w);
    } else {
        w->active = t->saved & w->live;
        w->depth--;
        w->pc += !(rpc && top(w) && top(w)->place == w->pc);
    }
    if (!w->active)
        e->fault = "no-reconvergence";
}

static void unwind(struct page_machine *m, struct page_warp *w, struct page_effect *e)
{
    while (!w->active && !e->fault) {
        struct page_entry *t = top(w);
        if (!t) {
            e->ended = true;
            return;
        }
        if (m->job->mode == PAGE_FRONTIER) {
            frontier_run(w);
            e->more += m->tables->parameter[PAGE_POP];
            return;
        }
        if (t->pending) {
            swap(w);
            continue;
        }
        w->depth--;
        e->more += m->tables->parameter[PAGE_POP];
        if (!(t->saved & w->live))
            continue;
        w->active = t->saved & w->live;
        w->pc = m->job->mode == PAGE_RPC ? t->place : m->job->code[t->place] & 0xfff;
        if (m->job->mode == PAGE_ARTICLE || w->pc == PAGE_NONE)
            e->fault = "no-reconvergence";
    }
}

/* ---- calls --------------------------------------------------------------------------------------------- */

/* Goes where a register says, on which the active lanes agree. */
static void jump_by(struct page_machine *m, struct page_warp *w, uint32_t reg, struct page_effect *e)
{
    bool first = true;
    uint32_t to = 0;
    page_each_active(l, w)
    {
        if (!first && w->r[l][reg] != to)
            e->fault = "not-uniform";
        to = w->r[l][reg];
        first = false;
    }
    if (!e->fault && to >= m->job->words)
        e->fault = "bad-pc";
    w->pc = to;
}

static void call(struct page_machine *m, struct page_warp *w, const struct page_row *row, uint32_t word,
                 struct page_effect *e)
{
    uint32_t d = page_field(word, 'd'), next = w->pc + 1;
    if (row->kind == PAGE_CALL)
        w->pc = word & 0xfff;
    else
        jump_by(m, w, page_field(word, 'a'), e);
    if (row->kind != PAGE_RET && d)
        page_each_active(l, w) w->r[l][d] = next;
}

void page_flow(struct page_machine *m, struct page_warp *w, const struct page_row *row, uint32_t word,
               struct page_effect *e)
{
    if (row->kind == PAGE_BRANCH) {
        branch(m, w, row, word, e);
    } else if (row->kind == PAGE_CONVERGE) {
        converge(m, w, word & 0xfff, e);
    } else if (row->kind == PAGE_EXIT) {
        w->live &= ~w->active;
        w->active = 0;
        unwind(m, w, e);
    } else {
        call(m, w, row, word, e);
    }
}
