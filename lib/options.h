/* options.h: what a caller asks for, checked and handed to those who do it. */
#ifndef KERNC_LIB_OPTIONS_H
#define KERNC_LIB_OPTIONS_H

#include "frontend/frontend.h"
#include "lib/result.h"

/* A caller built with an older, shorter header gets the defaults of what it does not know. */
kernc_options options_own(const kernc_options *given);
/* False if an option is bad: then the result says which and why. */
bool options_take(kernc_result *r, const kernc_options *o, struct fe_options *fe, struct opt_options *opt);
/* The same of options that name functions, when the module has been read. */
bool options_name_functions(kernc_result *r, const kernc_options *o);

#endif
