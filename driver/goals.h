/* goals.h: what a source asks for in comments, `kern:goal(…)`: puzzles say so what is to be reached. */
#ifndef KERNC_DRIVER_GOALS_H
#define KERNC_DRIVER_GOALS_H

#include "driver/launch.h"
#include "lib/result.h"

enum { GOAL_STEPS = 10000 }; /* that a goal may be about */

/* Runs the program under each scheme that a goal names, says of each goal what was reached, and how many
 * were. EXIT_OK: all, or there are none; EXIT_FOUND: some were not; EXIT_INPUT, after having said so: one
 * cannot be read. `compiled` is the program as `text` and the options have made it. */
int goals_check(struct command *c, const kernc_options *o, const struct text *text,
                const kernc_result *compiled);

#endif
