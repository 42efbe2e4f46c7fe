/* verbs_none.c: verbs that a build for the browser leaves out: kernc fuzz needs processes to try programs in,
 * kernc tune runs a program for minutes. */
#include "driver/driver.h"

int verb_fuzz(struct command *c)
{
    return complain(c, EXIT_USAGE, "this build of kernc has no random programs");
}

int verb_tune(struct command *c)
{
    return complain(c, EXIT_USAGE, "this build of kernc does not tune thresholds");
}
