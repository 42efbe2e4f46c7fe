/* elements.c: see elements.h. From an element to the next it goes by immediate post-dominators.
 *
 * A loop that can correspond to another has one entry, and one last block, which leads back and leaves. Other
 * blocks may leave too, where each iteration passes, as `break` does: all that have left, whatever else they
 * do, have to reconverge where the last block leads.
 */
#include "opt/csc/elements.h"

static uint32_t next_of(struct csc *p, uint32_t b)
{
    return opt_post_dominators(p->c, p->f)->idom[b];
}

/* ---- loops --------------------------------------------------------------------------------------- */

/* The only block of the cycle that leads to its header; IR_NO_BLOCK: there are several. */
static uint32_t last_of(struct csc *p, uint32_t cycle)
{
    const struct ir_cycles *cycles = opt_cycles(p->c, p->f);
    uint32_t last = IR_NO_BLOCK;
    ir_each_pred(q, cycles->at[cycle].header, opt_cfg(p->c, p->f)) {
        if (!ir_cycle_has(cycles, cycle, q))
            continue;
        if (last != IR_NO_BLOCK)
            return IR_NO_BLOCK;
        last = q;
    }
    return last;
}

/* Whether all that leave the cycle reconverge in the block that follows `last` at the latest. */
static bool meet_behind(struct csc *p, uint32_t cycle, uint32_t last)
{
    const struct ir_cycles *cycles = opt_cycles(p->c, p->f);
    uint32_t b = cycles->at[cycle].header;
    while (b != IR_NO_BLOCK && ir_cycle_has(cycles, cycle, b))
        b = next_of(p, b);
    return b != IR_NO_BLOCK && b == next_of(p, last);
}

static bool is_plain_loop(struct csc *p, uint32_t cycle, uint32_t last)
{
    const struct ir_cycles *cycles = opt_cycles(p->c, p->f);
    if (cycles->at[cycle].entries.count != 1 || last == IR_NO_BLOCK ||
        ir_at(p->f, ir_terminator(p->f, last))->op != IR_brif)
        return false;
    const struct ir_block *b = ir_block_at(p->f, last);
    bool turned = b->edges.at[0].block != cycles->at[cycle].header;
    return !ir_cycle_has(cycles, cycle, b->edges.at[!turned].block) && meet_behind(p, cycle, last);
}

/* The loop that begins with block b: `own` or one around it, in the given cycle. */
static struct csc_element loop_at(struct csc *p, uint32_t b, uint32_t cycle, uint32_t own)
{
    const struct ir_cycles *cycles = opt_cycles(p->c, p->f);
    struct csc_element x = {.first = b, .last = b, .form = CSC_FORM_OTHER};
    while (own != IR_NO_CYCLE && cycles->at[own].parent != cycle)
        own = cycles->at[own].parent;
    if (own == IR_NO_CYCLE)
        return x;
    uint32_t last = last_of(p, own);
    if (cycles->at[own].header == b && is_plain_loop(p, own, last)) {
        x.form = CSC_FORM_LOOP;
        x.last = last;
        return x;
    }
    for (uint32_t next = next_of(p, b); next != IR_NO_BLOCK && ir_cycle_has(cycles, own, next);
         next = next_of(p, next))
        x.last = next;
    return x;
}

/* ---- elements and lists -------------------------------------------------------------------------- */

/* The element that begins with block b, in the given cycle. */
static struct csc_element element_at(struct csc *p, uint32_t b, uint32_t cycle)
{
    uint32_t own = opt_cycles(p->c, p->f)->innermost[b];
    bool branches = ir_at(p->f, ir_terminator(p->f, b))->op == IR_brif;
    if (own != cycle)
        return loop_at(p, b, cycle, own);
    return (struct csc_element){
        .first = b, .last = b, .form = branches ? CSC_FORM_CONDITIONAL : CSC_FORM_BLOCK};
}

bool csc_is_below(struct csc *p, enum opt_limit limit, uint32_t n)
{
    if (n < p->c->options->limits[limit])
        return true;
    if (!(p->reported & 1u << limit)) {
        p->reported |= 1u << limit;
        opt_below(p->c, p->f, limit, n);
    }
    return false;
}

struct csc_list csc_list_of_one(struct csc *p, struct csc_element x)
{
    struct csc_list l = {.stop = IR_NO_BLOCK};
    vec_push(p->arena, &l.e, x);
    return l;
}

struct csc_list csc_list_from(struct csc *p, uint32_t entry, uint32_t stop, uint32_t cycle)
{
    struct csc_list l = {.stop = entry};
    while (l.stop != stop && l.stop != IR_NO_BLOCK &&
           ir_dominates(opt_dominators(p->c, p->f), entry, l.stop) &&
           csc_is_below(p, OPT_LIMIT_csc_elements, l.e.count)) {
        struct csc_element x = element_at(p, l.stop, cycle);
        vec_push(p->arena, &l.e, x);
        l.stop = next_of(p, x.last);
    }
    return l;
}

/* Whether the conditional goes on in the cycle by one edge only; then the other one is `way`. */
static bool find_way_out(struct csc *p, struct csc_element *x, uint32_t cycle, uint32_t stop)
{
    const struct ir_cycles *cycles = opt_cycles(p->c, p->f);
    const struct ir_block *b = ir_block_at(p->f, x->first);
    if (x->form != CSC_FORM_CONDITIONAL)
        return false;
    bool stays = ir_cycle_has(cycles, cycle, b->edges.at[0].block);
    x->way = stays;
    x->stop = stop;
    x->leaves = stays != ir_cycle_has(cycles, cycle, b->edges.at[1].block);
    return x->leaves;
}

struct csc_list csc_list_of_body(struct csc *p, struct csc_element loop)
{
    const struct ir_cycles *cycles = opt_cycles(p->c, p->f);
    struct csc_list l = {.stop = loop.first};
    uint32_t cycle = cycles->innermost[loop.first], stop = next_of(p, loop.last);
    while (l.stop != IR_NO_BLOCK && ir_cycle_has(cycles, cycle, l.stop) &&
           csc_is_below(p, OPT_LIMIT_csc_elements, l.e.count)) {
        struct csc_element x = element_at(p, l.stop, cycle);
        bool is_last = x.last == loop.last;
        if (!is_last && find_way_out(p, &x, cycle, stop))
            l.stop = ir_block_at(p->f, x.first)->edges.at[!x.way].block;
        else
            l.stop = is_last ? IR_NO_BLOCK : next_of(p, x.last);
        vec_push(p->arena, &l.e, x);
    }
    return l;
}

struct csc_side csc_side_of(struct csc *p, struct csc_element x, uint32_t e)
{
    const struct ir_cycles *cycles = opt_cycles(p->c, p->f);
    uint32_t to = ir_block_at(p->f, x.first)->edges.at[e].block, cycle = cycles->innermost[x.first];
    if (!x.leaves)
        return (struct csc_side){to, next_of(p, x.first), cycle};
    if (e == x.way)
        return (struct csc_side){to, x.stop, cycles->at[cycle].parent};
    return (struct csc_side){to, to, cycle};
}

/* ---- why loops are not merged -------------------------------------------------------------------- */

enum { LOOKED_AT_MAX = 64 };

/* The first block below `entry` in the dominator tree that a loop begins with; IR_NO_BLOCK: there is none. */
static uint32_t first_loop(struct csc *p, uint32_t branch, uint32_t entry)
{
    const struct ir_dominators *d = opt_dominators(p->c, p->f);
    const struct ir_cycles *cycles = opt_cycles(p->c, p->f);
    for (uint32_t n = d->pre[entry]; n <= d->post[entry] && n < d->pre[entry] + LOOKED_AT_MAX; n++) {
        uint32_t b = d->order[n], cycle = cycles->innermost[b];
        if (cycle != IR_NO_CYCLE && !ir_cycle_has(cycles, cycle, branch) && cycles->at[cycle].header == b)
            return b;
    }
    return IR_NO_BLOCK;
}

const char *csc_why_not_merged(struct csc *p, uint32_t branch, uint32_t x, uint32_t y)
{
    const struct ir_cycles *cycles = opt_cycles(p->c, p->f);
    uint32_t first[2] = {first_loop(p, branch, x), first_loop(p, branch, y)}, parts[2];
    if (first[0] == IR_NO_BLOCK || first[1] == IR_NO_BLOCK)
        return NULL;
    for (uint32_t arm = 0; arm < 2; arm++) {
        struct csc_element loop = element_at(p, first[arm], cycles->at[cycles->innermost[first[arm]]].parent);
        if (loop.form != CSC_FORM_LOOP)
            return "one goes round from several places, or its threads do not reconverge right behind it";
        struct csc_list body = csc_list_of_body(p, loop);
        if (body.stop != IR_NO_BLOCK)
            return "one is left from within a conditional, or has too many parts";
        parts[arm] = body.e.count;
    }
    return (parts[0] == 1) != (parts[1] == 1) ? "the body of one is a single block, that of the other is not"
                                              : "nothing was found that they have in common and that pays";
}
