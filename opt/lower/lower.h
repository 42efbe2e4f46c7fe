/* lower.h: what passes that check for a target and those that lower for it both have to know. */
#ifndef KERNC_OPT_LOWER_LOWER_H
#define KERNC_OPT_LOWER_LOWER_H

#include "opt/pass.h"

/* Whether a double is one that a float has been made, or a constant that a float can be. (check_target.c) */
bool opt_is_float(const struct ir_function *f, ir_ref r);
/* How many 32-bit words the parameters of a function take. (check_target.c) */
uint32_t opt_words_of_params(const struct ir_function *f);

#endif
