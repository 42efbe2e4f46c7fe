/* profile.h: a profile of an earlier run (the places of kernc run --stats-json), read for the passes. */
#ifndef KERNC_LIB_PROFILE_H
#define KERNC_LIB_PROFILE_H

#include "lib/result.h"

enum { PROFILE_HASH = 17 };
/* A hash by which sources differ, as 16 digits; returns the buffer. */
const char *profile_hash(const struct source *s, char buffer[PROFILE_HASH]);
/* Reads the profile that the options name. False: the result says what is wrong with it. */
bool profile_take(kernc_result *r, const kernc_options *o, struct opt_options *opt);

#endif
