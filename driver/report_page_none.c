/* report_page_none.c: without the viewer, which who has this build of kernc has already. */
#include "driver/report.h"

bool report_page(const struct text *experiment, struct text *out)
{
    UNUSED(experiment);
    UNUSED(out);
    return false;
}
