/* fuzz_none.c: kernc fuzz, where no processes can be started to try programs in. */
#include "driver/driver.h"

int verb_fuzz(struct command *c)
{
    return complain(c, EXIT_USAGE, "this build of kernc has no random programs");
}
