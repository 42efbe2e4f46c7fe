/* order.c: which pass comes before which (opt/pass_order.def), and whether a list keeps to it. */
#include "opt/runner/internal.h"

const struct opt_order opt_orders[OPT_ORDERS] = {
#define ORDER(before, after, reason)  {OPT_PASS_##before, OPT_PASS_##after, true, reason},
#define BETTER(before, after, reason) {OPT_PASS_##before, OPT_PASS_##after, false, reason},
#include "opt/pass_order.def"
};

static uint32_t first(const enum opt_pass passes[], uint32_t count, enum opt_pass pass)
{
    uint32_t i = 0;
    while (i < count && passes[i] != pass)
        i++;
    return i;
}

bool opt_keeps_order(const enum opt_pass passes[], uint32_t count, const struct opt_order *o)
{
    uint32_t before = first(passes, count, o->before), after = first(passes, count, o->after);
    return before < after || before == count || after == count;
}

void opt_check_order(const enum opt_pass passes[], uint32_t count, bool given, struct diagnostics *d)
{
    for (const struct opt_order *o = opt_orders; o < opt_orders + OPT_ORDERS; o++) {
        const char *before = opt_pass_info[o->before].name, *after = opt_pass_info[o->after].name;
        if (opt_keeps_order(passes, count, o))
            continue;
        if (!given)
            BUG("'%s' runs before '%s': %s", after, before, o->reason);
        diag_warn(d, DIAG_GROUP_passes, (span){0}, "the pass '%s' runs before '%s', and %s behind it: %s",
                  after, before, o->needed ? "has to run" : "does more", o->reason);
    }
}
