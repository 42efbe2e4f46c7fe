/* match.c: "Common Sub-Expression Detection" (section 3.1).
 *
 *   T(i, j) = weight of the operation + the sum over operands of max(T(a, b), - copy)
 *
 * for nodes i and j of one kind; operands that are the same value cost nothing, different ones from outside a
 * copy. Commutative operands are matched in both orders. Operands stand before their users, so that the table
 * is filled row by row, each pair once. What several operands share counts for each of them in equal parts:
 * the paper's sum would double at each value that is used twice.
 */
#include "opt/csc/csc.h"

#include <stdlib.h>

/* In an entry's last bit, which is too little to count. */
enum { EQUAL = 1 };

/* ---- the table ----------------------------------------------------------------------------------- */

/* Rank in arm 1 of the first node that the one of this rank in arm 0 is compared with. */
static uint32_t first_rank(const struct csc_kind *k, uint32_t rank)
{
    uint64_t middle = (uint64_t)rank * k->count[1] / k->count[0];
    uint64_t most = k->count[1] - k->width, low = middle > k->width / 2 ? middle - k->width / 2 : 0;
    return (uint32_t)(low < most ? low : most);
}

static int32_t *entry(const struct csc_arms *a, uint32_t i, uint32_t j)
{
    const struct csc_node *x = &a->nodes.at[i], *y = &a->nodes.at[j];
    if (x->kind != y->kind || x->kind == CSC_NONE)
        return NULL;
    const struct csc_kind *k = &a->table.kinds.at[x->kind];
    uint32_t low = first_rank(k, x->rank);
    return y->rank < low || y->rank - low >= k->width
               ? NULL
               : a->table.at + k->first + (uint64_t)x->rank * k->width + (y->rank - low);
}

int32_t csc_profit(const struct csc_arms *a, uint32_t i, uint32_t j)
{
    const int32_t *t = entry(a, i, j);
    return t ? *t : INT32_MIN;
}

static uint32_t node_of(const struct csc *p, ir_ref r)
{
    return r < p->instructions && p->number[r] ? p->number[r] - 1 : CSC_NONE;
}

bool csc_is_same(struct csc *p, ir_ref x, ir_ref y)
{
    return x == y || opt_renamed(&p->renaming, x) == opt_renamed(&p->renaming, y) ||
           map_get(&p->assumed, x) == y;
}

/* Whether the graphs of x in arm 0 and y in arm 1 are equal: no operand needs to be renamed. */
static bool are_equal(struct csc_arms *a, ir_ref x, ir_ref y)
{
    uint32_t i = node_of(a->p, x), j = node_of(a->p, y);
    if (csc_is_same(a->p, x, y))
        return true;
    const int32_t *t =
        i != CSC_NONE && j != CSC_NONE && i < a->first && j >= a->first ? entry(a, i, j) : NULL;
    return t && *t & EQUAL;
}

/* What an operand's value x in arm 0 and y in arm 1 adds. */
static int32_t operand_profit(struct csc_arms *a, ir_ref x, ir_ref y)
{
    uint32_t i = node_of(a->p, x), j = node_of(a->p, y);
    bool outside = a->branch != a->p->root && csc_is_outside(a->p, x) && csc_is_outside(a->p, y);
    if (csc_is_same(a->p, x, y) || outside)
        return 0;
    if (i == CSC_NONE || j == CSC_NONE || i >= a->first || j < a->first)
        return -CSC_COPY * CSC_UNIT;
    int32_t t = csc_profit(a, i, j);
    uint32_t uses = a->nodes.at[i].uses > a->nodes.at[j].uses ? a->nodes.at[i].uses : a->nodes.at[j].uses;
    return t <= -CSC_COPY * CSC_UNIT ? -CSC_COPY * CSC_UNIT : t > 0 && uses ? t / (int32_t)uses : t;
}

static bool is_swapped(struct csc_arms *a, const struct ir_ins *x, const struct ir_ins *y)
{
    if (!(ir_op_info[x->op].flags & IR_COMMUTES) || x->argc != 2)
        return false;
    int64_t straight =
        (int64_t)operand_profit(a, x->args[0], y->args[0]) + operand_profit(a, x->args[1], y->args[1]);
    int64_t crossed =
        (int64_t)operand_profit(a, x->args[0], y->args[1]) + operand_profit(a, x->args[1], y->args[0]);
    return crossed > straight;
}

/* Whether operand k is the one before once more, in both: one copy will do. */
static bool is_repeated(const struct ir_ins *x, const struct ir_ins *y, uint32_t k, bool swapped)
{
    return k == 1 && !swapped && x->args[0] == x->args[1] && y->args[0] == y->args[1];
}

uint32_t csc_segments(struct csc_arms *a, uint32_t i, uint32_t j)
{
    const struct ir_function *f = a->p->f;
    const struct ir_ins *x = ir_at(f, a->nodes.at[i].ins), *y = ir_at(f, a->nodes.at[j].ins);
    int32_t distance;
    if (!cost_is_access(f, a->nodes.at[i].ins) || (x->imm == y->imm && are_equal(a, x->args[0], y->args[0])))
        return 0;
    if (!csc_find_distance(a->p, x->args[0], y->args[0], &distance))
        return COST_NEXT_SEGMENT;
    distance = (int32_t)((uint32_t)distance + (uint32_t)x->imm - (uint32_t)y->imm);
    return distance < COST_SEGMENT && distance > -COST_SEGMENT ? 0 : COST_NEXT_SEGMENT;
}

/* What arms that end alike save besides if i and j are the conditions by which they do: one condition needs
 * no copy. */
static int32_t condition_profit(const struct csc_arms *a, uint32_t i, uint32_t j)
{
    const struct ir_function *f = a->p->f;
    if (!a->same_end)
        return 0;
    const struct ir_ins *x = ir_at(f, ir_terminator(f, a->block[0]));
    const struct ir_ins *y = ir_at(f, ir_terminator(f, a->block[1]));
    bool are = x->op == IR_brif && y->op == IR_brif && x->args[0] == a->nodes.at[i].ins &&
               y->args[0] == a->nodes.at[j].ins;
    return are ? CSC_COPY * CSC_UNIT : 0;
}

static int32_t profit(struct csc_arms *a, uint32_t i, uint32_t j)
{
    const struct ir_ins *x = ir_at(a->p->f, a->nodes.at[i].ins), *y = ir_at(a->p->f, a->nodes.at[j].ins);
    int64_t sum = (int64_t)a->nodes.at[i].weight * CSC_UNIT + condition_profit(a, i, j);
    bool swapped = is_swapped(a, x, y), equal = x->imm == y->imm;
    if (!equal)
        sum -= CSC_OFFSET * CSC_UNIT;
    sum -= (int64_t)csc_segments(a, i, j) * CSC_UNIT;
    for (uint32_t k = 0; k < x->argc; k++) {
        if (!is_repeated(x, y, k, swapped))
            sum += operand_profit(a, x->args[k], y->args[swapped ? 1 - k : k]);
        equal &= are_equal(a, x->args[k], y->args[swapped ? 1 - k : k]);
    }
    int32_t bounded = (int32_t)(sum < INT32_MAX / 4 ? sum : INT32_MAX / 4);
    return equal ? bounded | EQUAL : bounded & ~EQUAL;
}

/* Gives kinds their ranges of the table. With more pairs than work is left each node is compared with
 * fewer. */
static uint32_t lay_out(struct csc_arms *a)
{
    uint64_t all = 0, rows = 0, size = 0, work = a->p->work;
    for (uint32_t k = 0; k < a->table.kinds.count; k++) {
        const struct csc_kind *kind = &a->table.kinds.at[k];
        all += (uint64_t)kind->count[0] * kind->count[1];
        rows += kind->count[1] ? kind->count[0] : 0;
    }
    a->table.cut = all > work;
    uint64_t most = a->table.cut ? (work > rows ? work / rows : 1) : UINT32_MAX;
    for (uint32_t k = 0; k < a->table.kinds.count; k++) {
        struct csc_kind *kind = &a->table.kinds.at[k];
        kind->first = (uint32_t)size;
        kind->width = kind->count[1] < most ? kind->count[1] : (uint32_t)most;
        size += (uint64_t)kind->count[0] * kind->width;
    }
    a->p->work -= size < work ? size : work;
    return (uint32_t)size;
}

static void fill(struct csc_arms *a)
{
    for (uint32_t i = 0; i < a->first; i++) {
        if (a->nodes.at[i].kind == CSC_NONE)
            continue;
        const struct csc_kind *kind = &a->table.kinds.at[a->nodes.at[i].kind];
        uint32_t low = kind->width ? first_rank(kind, a->nodes.at[i].rank) : 0;
        for (uint32_t r = low; r < low + kind->width; r++) {
            uint32_t j = kind->nodes[1].at[r];
            *entry(a, i, j) = profit(a, i, j);
        }
    }
}

/* ---- taking pairs -------------------------------------------------------------------------------- */

void csc_operands(struct csc_arms *a, uint32_t i, uint32_t j, ir_ref *x, ir_ref *y, uint32_t n)
{
    const struct ir_ins *p = ir_at(a->p->f, a->nodes.at[i].ins), *q = ir_at(a->p->f, a->nodes.at[j].ins);
    bool swapped = is_swapped(a, p, q);
    for (uint32_t k = 0; k < n; k++) {
        x[k] = p->args[k];
        y[k] = q->args[swapped ? 1 - k : k];
    }
}

struct pair {
    uint32_t i, j;
};

static bool is_free(const struct csc_arms *a, uint32_t i, uint32_t j)
{
    return a->nodes.at[i].partner == CSC_NONE && a->nodes.at[j].partner == CSC_NONE;
}

/* Takes the pair, and those of its operands that are better than a copy. */
static void take(struct csc_arms *a, uint32_t i, uint32_t j)
{
    VEC(struct pair) work = {0};
    vec_push(a->p->arena, &work, ((struct pair){i, j}));
    while (work.count) {
        struct pair q = vec_pop(&work);
        if (!is_free(a, q.i, q.j))
            continue;
        a->nodes.at[q.i].partner = q.j;
        a->nodes.at[q.j].partner = q.i;
        const struct ir_ins *x = ir_at(a->p->f, a->nodes.at[q.i].ins),
                            *y = ir_at(a->p->f, a->nodes.at[q.j].ins);
        bool swapped = is_swapped(a, x, y);
        for (uint32_t k = 0; k < x->argc; k++) {
            uint32_t v = node_of(a->p, x->args[k]), w = node_of(a->p, y->args[swapped ? 1 - k : k]);
            if (v != CSC_NONE && w != CSC_NONE && v < a->first && w >= a->first &&
                csc_profit(a, v, w) > -CSC_COPY * CSC_UNIT)
                vec_push(a->p->arena, &work, ((struct pair){v, w}));
        }
    }
}

/* The free node of arm 1 with which i saves most, the last of them, of those that `equal` asks for; CSC_NONE:
 * none saves anything. */
static uint32_t best_of(const struct csc_arms *a, uint32_t i, bool equal)
{
    const struct csc_kind *kind = &a->table.kinds.at[a->nodes.at[i].kind];
    uint32_t low = kind->width ? first_rank(kind, a->nodes.at[i].rank) : 0, best = CSC_NONE;
    int32_t most = 0;
    for (uint32_t r = low + kind->width; r-- > low;) {
        uint32_t j = kind->nodes[1].at[r];
        int32_t t = csc_profit(a, i, j);
        if (t > most && (!equal || t & EQUAL) && is_free(a, i, j)) {
            best = j;
            most = t;
        }
    }
    return best;
}

/* What the pair saves now that some operands have partners. */
static int64_t profit_now(struct csc_arms *a, uint32_t i, uint32_t j)
{
    const struct ir_ins *x = ir_at(a->p->f, a->nodes.at[i].ins), *y = ir_at(a->p->f, a->nodes.at[j].ins);
    bool swapped = is_swapped(a, x, y);
    int64_t sum = (int64_t)a->nodes.at[i].weight * CSC_UNIT + condition_profit(a, i, j) -
                  (x->imm != y->imm ? CSC_OFFSET * CSC_UNIT : 0) - (int64_t)csc_segments(a, i, j) * CSC_UNIT;
    for (uint32_t k = 0; k < x->argc; k++) {
        ir_ref v = x->args[k], w = y->args[swapped ? 1 - k : k];
        uint32_t m = node_of(a->p, v), n = node_of(a->p, w);
        bool partners = m != CSC_NONE && n != CSC_NONE && a->nodes.at[m].partner == n;
        bool taken = m != CSC_NONE && n != CSC_NONE && !is_free(a, m, n);
        if (!is_repeated(x, y, k, swapped))
            sum += partners ? 0 : taken ? -CSC_COPY * CSC_UNIT : operand_profit(a, v, w);
    }
    return sum;
}

/* The most that node i of arm 0 can save. */
static int32_t most_of(const struct csc_arms *a, uint32_t i)
{
    const struct csc_kind *kind = &a->table.kinds.at[a->nodes.at[i].kind];
    const int32_t *row = a->table.at + kind->first + (uint64_t)a->nodes.at[i].rank * kind->width;
    int32_t most = 0;
    for (uint32_t r = 0; r < kind->width; r++)
        most = row[r] > most ? row[r] : most;
    return most;
}

struct root {
    int32_t most;
    uint32_t i;
};

static int by_most(const void *x, const void *y)
{
    const struct root *a = x, *b = y;
    if (a->most != b->most)
        return a->most > b->most ? -1 : 1;
    return a->i > b->i ? -1 : a->i < b->i;
}

/* Equal graphs first: renaming for the sake of a user would spoil them. */
void csc_match(struct csc_arms *a)
{
    VEC(struct root) roots = {0};
    a->table.at = arena_array(a->p->arena, int32_t, lay_out(a) + 1);
    fill(a);
    for (uint32_t i = 0; i < a->first; i++)
        if (a->nodes.at[i].kind != CSC_NONE && most_of(a, i) > 0)
            vec_push(a->p->arena, &roots, ((struct root){most_of(a, i), i}));
    if (roots.count)
        qsort(roots.at, roots.count, sizeof *roots.at, by_most);
    for (uint32_t k = 0; k < (a->hoist_only ? 1 : 2) * roots.count; k++) {
        uint32_t i = roots.at[k % roots.count].i;
        uint32_t j = a->nodes.at[i].partner == CSC_NONE ? best_of(a, i, k < roots.count) : CSC_NONE;
        if (j != CSC_NONE && profit_now(a, i, j) > 0)
            take(a, i, j);
    }
}

/* ---- printing ------------------------------------------------------------------------------------ */

/* T(i, j) as the paper's Figure 1b shows it: a row for each operation of the one arm, a column for each of the
 * other, in cycles; what the two have no operator in common for costs a copy. */
enum { COLUMNS_MAX = 24 };

static void add_name(const struct csc_arms *a, uint32_t n, struct text *out)
{
    const struct ir_ins *ins = ir_at(a->p->f, a->nodes.at[n].ins);
    char name[32];
    snprintf(name, sizeof name, "%u:%u %s", ins->at.line, ins->at.column, ir_op_info[ins->op].text);
    text_printf(out, " %14.14s", name);
}

void csc_print_table(const struct csc_arms *a)
{
    const struct opt_options *o = a->p->c->options;
    uint32_t columns = a->nodes.count - a->first, last = columns < COLUMNS_MAX ? columns : COLUMNS_MAX;
    struct text out = {.arena = a->p->arena};
    if (!o->print)
        return;
    text_printf(&out, "; *** CSC Table of %s, branch at %u:%u ***\n%15s", a->p->f->name,
                ir_at(a->p->f, a->condition)->at.line, ir_at(a->p->f, a->condition)->at.column, "");
    for (uint32_t j = 0; j < last; j++)
        add_name(a, a->first + j, &out);
    text_addz(&out, last < columns ? " …\n" : "\n");
    for (uint32_t i = 0; i < a->first; i++) {
        add_name(a, i, &out);
        for (uint32_t j = a->first; j < a->first + last; j++) {
            int32_t t = csc_profit(a, i, j);
            text_printf(&out, " %13.2f%c", t == INT32_MIN ? -CSC_COPY : t / (double)CSC_UNIT,
                        a->nodes.at[i].partner == j ? '*' : ' ');
        }
        text_char(&out, '\n');
    }
    text_addz(&out, "\n");
    o->print(o->data, out.at, out.length);
}
