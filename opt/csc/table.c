/* table.c: T(i, j) as the paper's Figure 1b shows it: a row for each operation of the one arm, a column for
 * each of the other, in cycles; what the two have no operator in common for costs a copy. */
#include "opt/csc/csc.h"

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
