/* correspond.c: blocks of the two arms of a branch that may be executed together though they are not its
 * first ones: those behind a loop or a conditional that one arm alone has, the bodies of loops, the sides of
 * conditionals (end of section 3.2).
 *
 * An arm is a list of elements: the blocks that each of its threads executes, from one to its immediate
 * post-dominator, where a loop is one element. Elements of both arms are aligned in their order, so that no
 * thread waits for one behind it; two conditionals may correspond with their sides, straight or crosswise, and
 * two loops with their bodies. The best alignment is found by dynamic programming, by what the pairs of blocks
 * save.
 *
 * Correspond blocks x and y, all edges to them lead to one new block, whose branch on the old condition leads
 * to x or y. That changes no thread's path, and makes a branch with arms of one block each, for the next
 * steps. Where threads of loops of different numbers of iterations go round together, each leaves by its own
 * condition: so loops need neither be peeled nor split to have equal domains.
 */
#include "opt/csc/elements.h"

enum { TRIPS = COST_TRIPS };
#define NEVER INT32_MIN / 2

/* What a pair saves and costs, or nothing: they are no pair. */
struct bill {
    uint64_t saved, overhead;
    bool any;
};

struct finder {
    struct csc *p;
    uint32_t branch, entry[2]; /* its arms' first blocks */
    ir_ref condition;
    const struct ir_dominators *post;
    const struct ir_cycles *cycles;
    struct map known; /* (x, y) -> its bill's place in bills */
    VEC(struct bill) bills;
    struct map sides; /* (x, y) -> what sides that begin so save: place in gains */
    VEC(int32_t) gains;
    uint32_t depth, exchanges; /* at work; pairs of conditionals that were tried with exchanged sides */
};

static int32_t align(struct finder *s, const struct csc_list *x, const struct csc_list *y, bool joined,
                     bool forced, csc_pairs *out);

/* ---- what pairs save ----------------------------------------------------------------------------- */

static int32_t bounded(int64_t gain)
{
    return gain <= NEVER ? NEVER : gain < INT32_MAX / 64 ? (int32_t)gain : INT32_MAX / 64;
}

/* Of blocks x and y; the last bits tell which pair of them. */
static uint64_t pair_key(uint32_t x, uint32_t y)
{
    return ((uint64_t)x << 32 | y) << 3;
}

/* What is nested in the two blocks is weighed as if their pairs were made. */
static void assume(const struct csc_arms *a)
{
    for (uint32_t n = 0; n < a->first; n++)
        if (a->nodes.at[n].partner != CSC_NONE)
            map_set(a->p->arena, &a->p->assumed, a->nodes.at[n].ins, a->nodes.at[a->nodes.at[n].partner].ins);
}

static void assume_parameters(struct csc *p, uint32_t x, uint32_t y)
{
    u32_vec shared = csc_shared_parameters(p, x, y);
    for (uint32_t k = 0; k < shared.count; k++)
        if (shared.at[k] != CSC_NONE)
            map_set(p->arena, &p->assumed, ir_block_at(p->f, x)->params.at[shared.at[k]],
                    ir_block_at(p->f, y)->params.at[k]);
}

/* Of the blocks of a pair that become the arms of a branch of their own. A guard has nothing of the block that
 * it guards. `whole`: what follows them corresponds, too, so that they end alike. */
static struct bill bill_of_pair(struct finder *s, struct csc_pair q, bool whole)
{
    uint32_t block[2] = {q.guarded == CSC_FIRST_GUARDED ? IR_NO_BLOCK : q.x,
                         q.guarded == CSC_SECOND_GUARDED ? IR_NO_BLOCK : q.y};
    struct csc_arms a;
    struct bill bill = {0};
    assume_parameters(s->p, q.x, q.y);
    bool first = s->entry[0] == q.x && s->entry[1] == q.y;
    if (csc_arms_new(s->p, first ? s->branch : IR_NO_BLOCK, block, s->condition, &a)) {
        a.same_end |= whole;
        csc_match(&a);
        csc_schedule(&a);
        assume(&a);
        bill = (struct bill){a.saved - (first || !a.flat ? 0 : CSC_BRANCH),
                             a.overhead + (first || a.flat ? 0 : CSC_BRANCH), true};
    }
    csc_arms_forget(&a);
    return bill;
}

/* Cycles that the pair saves; negative: what it costs. */
static int32_t gain_of_pair(struct finder *s, struct csc_pair q, bool whole)
{
    uint64_t key = pair_key(q.x, q.y) | q.guarded << 1 | whole;
    if (map_get(&s->known, key) == MAP_NONE) {
        struct bill bill = bill_of_pair(s, q, whole);
        map_set(s->p->arena, &s->known, key, s->bills.count);
        vec_push(s->p->arena, &s->bills, bill);
    }
    struct bill bill = s->bills.at[map_get(&s->known, key)];
    return bill.any ? bounded(csc_expected(s->p, s->branch, q, bill.saved, bill.overhead)) : NEVER;
}

static int32_t gain_of_blocks(struct finder *s, uint32_t x, uint32_t y, bool whole)
{
    return gain_of_pair(s, (struct csc_pair){.x = x, .y = y}, whole);
}

static void pair_up(struct finder *s, csc_pairs *out, uint32_t x, uint32_t y, bool exchanged)
{
    if (out)
        vec_push(s->p->arena, out, ((struct csc_pair){.x = x, .y = y, .exchanged = exchanged}));
}

/* Side e of conditional x and side d of y, unless it is empty in one of them only. */
static int32_t gain_of_side(struct finder *s, struct csc_element x, struct csc_element y, uint32_t e,
                            uint32_t d, csc_pairs *out)
{
    struct csc_side a = csc_side_of(s->p, x, e), b = csc_side_of(s->p, y, d);
    if (x.leaves != y.leaves || (x.leaves && (x.way == e) != (y.way == d)))
        return NEVER;
    if (a.to == b.to || (a.to == a.stop && b.to == b.stop))
        return 0;
    if (a.to == a.stop || b.to == b.stop || !csc_is_arm(s->p, x.first, a.to) ||
        !csc_is_arm(s->p, y.first, b.to) || !csc_is_below(s->p, OPT_LIMIT_csc_depth, s->depth))
        return NEVER;
    uint64_t key = pair_key(a.to, b.to);
    uint32_t known = map_get(&s->sides, key);
    if (known != MAP_NONE && !out)
        return s->gains.at[known];
    struct csc_list l = csc_list_from(s->p, a.to, a.stop, a.cycle);
    struct csc_list m = csc_list_from(s->p, b.to, b.stop, b.cycle);
    int32_t gain = l.stop == a.stop && m.stop == b.stop ? align(s, &l, &m, true, true, out) : NEVER;
    if (known == MAP_NONE) {
        map_set(s->p->arena, &s->sides, key, s->gains.count);
        vec_push(s->p->arena, &s->gains, gain);
    }
    return gain;
}

/* The sides of two conditionals; `exchanged`: of y in the other order. */
static int32_t gain_of_sides(struct finder *s, struct csc_element x, struct csc_element y, bool exchanged,
                             csc_pairs *out)
{
    int64_t gain = exchanged ? -CSC_COPY : 0;
    for (uint32_t e = 0; e < 2 && gain > NEVER; e++)
        gain += gain_of_side(s, x, y, e, e ^ exchanged, out);
    return bounded(gain);
}

/* Two conditionals with their sides. The elements behind them have to correspond too. */
static int32_t gain_of_conditionals(struct finder *s, struct csc_element x, struct csc_element y,
                                    csc_pairs *out)
{
    int64_t gain = gain_of_blocks(s, x.first, y.first, true);
    if (gain <= NEVER)
        return NEVER;
    int32_t straight = gain_of_sides(s, x, y, false, NULL);
    bool may_cross =
        csc_may_exchange(s->p, y.first) && csc_is_below(s->p, OPT_LIMIT_csc_exchanges, s->exchanges++);
    int32_t crossed = may_cross ? gain_of_sides(s, x, y, true, NULL) : NEVER;
    bool exchanged = crossed > straight;
    pair_up(s, out, x.first, y.first, exchanged);
    if (out)
        gain_of_sides(s, x, y, exchanged, out);
    return bounded(gain + (exchanged ? crossed : straight));
}

/* A conditional with one side, and a block that corresponds to that and is executed in any case. */
static int32_t gain_of_guard(struct finder *s, struct csc_element x, struct csc_element y, csc_pairs *out)
{
    const struct ir_function *f = s->p->f;
    bool second = x.form == CSC_FORM_CONDITIONAL;
    uint32_t branch = second ? x.first : y.first, body = second ? y.first : x.first;
    uint32_t side = csc_guarded_side(s->p, branch), stop = s->post->idom[branch];
    struct csc_pair q = {
        .x = x.first, .y = y.first, .guarded = second ? CSC_SECOND_GUARDED : CSC_FIRST_GUARDED};
    if (x.leaves || y.leaves || side == CSC_NONE || ir_at(f, ir_terminator(f, body))->op != IR_br ||
        !csc_is_below(s->p, OPT_LIMIT_csc_depth, s->depth))
        return NEVER;
    struct csc_list l =
        csc_list_from(s->p, ir_block_at(f, branch)->edges.at[side].block, stop, s->cycles->innermost[branch]);
    struct csc_list m = csc_list_of_one(s->p, second ? y : x);
    if (l.stop != stop)
        return NEVER;
    int64_t gain = gain_of_pair(s, q, true);
    if (out)
        vec_push(s->p->arena, out, q);
    return bounded(gain + align(s, second ? &l : &m, second ? &m : &l, true, true, out));
}

/* Two loops. Their first elements correspond, which threads of both go round to, and their last blocks; what
 * one of the two alone has between them is executed by its own threads. */
static int32_t gain_of_loops(struct finder *s, struct csc_element x, struct csc_element y, csc_pairs *out)
{
    const struct ir_function *f = s->p->f;
    bool turned = (ir_block_at(f, x.last)->edges.at[0].block == x.first) !=
                  (ir_block_at(f, y.last)->edges.at[0].block == y.first);
    struct csc_list l = csc_list_of_body(s->p, x), m = csc_list_of_body(s->p, y);
    if ((turned && !csc_may_exchange(s->p, y.last)) || l.stop != IR_NO_BLOCK || m.stop != IR_NO_BLOCK ||
        (l.e.count == 1) != (m.e.count == 1) || !csc_is_below(s->p, OPT_LIMIT_csc_depth, s->depth))
        return NEVER;
    l.e.count--;
    m.e.count--;
    int64_t gain = l.e.count ? align(s, &l, &m, true, true, out) : 0;
    gain += gain_of_blocks(s, x.last, y.last, true);
    pair_up(s, out, x.last, y.last, turned);
    return bounded(gain > 0 && !csc_is_known(s->p, s->branch) ? gain * TRIPS : gain);
}

/* ---- alignment ----------------------------------------------------------------------------------- */

enum choice { SKIP_X, SKIP_Y, TAKE, PLAIN, MELD };
/* Of elements i and j. */
struct cell {
    int32_t free, first; /* the best from them on, and the same if they correspond */
    uint8_t how_free, how_first;
};
struct table {
    uint32_t width;
    struct cell *at;
};

static struct cell *cell(const struct table *t, uint32_t i, uint32_t j)
{
    return &t->at[i * t->width + j];
}

static bool is_plain(struct csc_element x)
{
    return x.form == CSC_FORM_BLOCK || x.form == CSC_FORM_CONDITIONAL;
}

/* Elements i and j correspond, as blocks, or with all that is in them: then what follows does, too. */
static void fill_first(struct finder *s, struct table *t, const struct csc_list *x, const struct csc_list *y,
                       uint32_t i, uint32_t j)
{
    struct csc_element a = x->e.at[i], b = y->e.at[j];
    int64_t plain = NEVER, whole = NEVER, behind = cell(t, i + 1, j + 1)->first;
    if (is_plain(a) && is_plain(b))
        plain = (int64_t)gain_of_blocks(s, a.first, b.first, false) + cell(t, i + 1, j + 1)->free;
    if (behind > NEVER && a.form == CSC_FORM_CONDITIONAL && b.form == CSC_FORM_CONDITIONAL)
        whole = (int64_t)gain_of_conditionals(s, a, b, NULL) + behind;
    if (behind > NEVER && a.form == CSC_FORM_BLOCK && b.form == CSC_FORM_BLOCK)
        whole = (int64_t)gain_of_blocks(s, a.first, b.first, true) + behind;
    if (behind > NEVER && is_plain(a) && is_plain(b) && a.form != b.form)
        whole = (int64_t)gain_of_guard(s, a, b, NULL) + behind;
    if (behind > NEVER && a.form == CSC_FORM_LOOP && b.form == CSC_FORM_LOOP)
        whole = (int64_t)gain_of_loops(s, a, b, NULL) + behind;
    cell(t, i, j)->first = bounded(whole > plain ? whole : plain);
    cell(t, i, j)->how_first = whole > plain ? MELD : PLAIN;
}

static void fill_free(struct table *t, uint32_t i, uint32_t j)
{
    struct cell *k = cell(t, i, j);
    k->free = cell(t, i + 1, j)->free;
    k->how_free = SKIP_X;
    if (cell(t, i, j + 1)->free > k->free) {
        k->free = cell(t, i, j + 1)->free;
        k->how_free = SKIP_Y;
    }
    if (k->first > k->free) {
        k->free = k->first;
        k->how_free = TAKE;
    }
}

static void take_pairs(struct finder *s, const struct table *t, const struct csc_list *x,
                       const struct csc_list *y, bool forced, csc_pairs *out)
{
    for (uint32_t i = 0, j = 0; i < x->e.count && j < y->e.count;) {
        if (!forced && cell(t, i, j)->how_free != TAKE) {
            *(cell(t, i, j)->how_free == SKIP_X ? &i : &j) += 1;
            continue;
        }
        forced = cell(t, i, j)->how_first == MELD;
        if (!forced || (x->e.at[i].form == CSC_FORM_BLOCK && y->e.at[j].form == CSC_FORM_BLOCK))
            pair_up(s, out, x->e.at[i].first, y->e.at[j].first, false);
        else if (x->e.at[i].form != y->e.at[j].form)
            gain_of_guard(s, x->e.at[i], y->e.at[j], out);
        else if (x->e.at[i].form == CSC_FORM_LOOP)
            gain_of_loops(s, x->e.at[i], y->e.at[j], out);
        else
            gain_of_conditionals(s, x->e.at[i], y->e.at[j], out);
        i++, j++;
    }
}

/* The most that the lists save. `joined`: what stands behind the two is one block, or will be; `forced`: the
 * first elements have to correspond. The pairs are added to `out`, if it is not NULL. */
static int32_t align(struct finder *s, const struct csc_list *x, const struct csc_list *y, bool joined,
                     bool forced, csc_pairs *out)
{
    struct table t = {y->e.count + 1, NULL};
    t.at = arena_array(s->p->arena, struct cell, (x->e.count + 1) * t.width);
    s->depth++;
    for (uint32_t i = 0; i <= x->e.count; i++)
        cell(&t, i, y->e.count)->first = NEVER;
    for (uint32_t j = 0; j <= y->e.count; j++)
        cell(&t, x->e.count, j)->first = NEVER;
    cell(&t, x->e.count, y->e.count)->first = joined ? 0 : NEVER;
    for (uint32_t i = x->e.count; i-- > 0;)
        for (uint32_t j = y->e.count; j-- > 0;) {
            fill_first(s, &t, x, y, i, j);
            fill_free(&t, i, j);
        }
    int32_t gain = forced ? cell(&t, 0, 0)->first : cell(&t, 0, 0)->free;
    if (out && gain > NEVER)
        take_pairs(s, &t, x, y, forced, out);
    s->depth--;
    return gain;
}

/* ---- arms ---------------------------------------------------------------------------------------- */

static struct finder finder_of(struct csc *p, uint32_t branch)
{
    p->assumed = (struct map){0};
    p->root = branch;
    return (struct finder){.p = p,
                           .branch = branch,
                           .condition = ir_at(p->f, ir_terminator(p->f, branch))->args[0],
                           .post = opt_post_dominators(p->c, p->f),
                           .cycles = opt_cycles(p->c, p->f)};
}

/* What the arms that begin with x and y save. */
static int32_t gain_of_arms(struct finder *s, uint32_t x, uint32_t y, csc_pairs *out)
{
    uint32_t cycle = s->cycles->innermost[s->branch];
    s->entry[0] = x;
    s->entry[1] = y;
    if (csc_arm_communicates(s->p, x) || csc_arm_communicates(s->p, y))
        return 0;
    struct csc_list l = csc_list_from(s->p, x, IR_NO_BLOCK, cycle),
                    m = csc_list_from(s->p, y, IR_NO_BLOCK, cycle);
    return align(s, &l, &m, l.stop == m.stop && l.stop != IR_NO_BLOCK, false, out);
}

int32_t csc_common(struct csc *p, uint32_t branch, uint32_t x, uint32_t y)
{
    struct finder s = finder_of(p, branch);
    int32_t gain = gain_of_arms(&s, x, y, NULL);
    p->assumed = (struct map){0};
    return gain;
}

csc_pairs csc_correspond(struct csc *p, uint32_t branch)
{
    const struct ir_block *b = ir_block_at(p->f, branch);
    struct finder s = finder_of(p, branch);
    csc_pairs pairs = {0};
    int32_t gain = gain_of_arms(&s, b->edges.at[0].block, b->edges.at[1].block, NULL);
    if (gain > 0 && !p->modelled) {
        csc_find_divergence(p);
        s.sides = (struct map){0};
        s.exchanges = 0;
        gain = gain_of_arms(&s, b->edges.at[0].block, b->edges.at[1].block, NULL);
    }
    if (gain > 0)
        gain_of_arms(&s, b->edges.at[0].block, b->edges.at[1].block, &pairs);
    if (2 * (int64_t)gain < (int64_t)pairs.count * opt_option(p->c, OPT_OPTION_csc_threshold))
        pairs.count = 0;
    p->assumed = (struct map){0};
    return pairs;
}
