/* optimize.c: see optimize.h. */
#include "test/opt/optimize.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void run(struct ir_module *m, const char *passes, int level, unsigned properties)
{
    struct arena a = {0};
    struct opt_options o;
    struct opt_report r;
    struct diagnostics d;
    opt_options_init(&o);
    opt_report_init(&r);
    diag_init(&d, &a, NULL);
    o.level = level;
    o.properties = properties;
    o.passes = passes;
    o.verify_each = o.check_analyses = passes != NULL;
    assert_true(opt_run(m, &o, &r, &d));
    opt_report_free(&r);
    arena_free(&a);
}

void optimize(struct ir_module *m, const char *passes, int level)
{
    struct opt_options o;
    opt_options_init(&o);
    run(m, passes, level, o.properties);
}

void optimize_for(struct ir_module *m, const char *passes, enum scheme scheme)
{
    run(m, passes, 0, scheme_info[scheme].properties);
}
