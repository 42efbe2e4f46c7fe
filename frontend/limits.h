/* limits.h: the limits of the front end by name. */
#ifndef KERNC_FRONTEND_LIMITS_H
#define KERNC_FRONTEND_LIMITS_H

#include <stdint.h>

struct fe_limits {
#define LIMIT(name, value, meaning) uint32_t name;
#include "frontend/limits.def"
};

/* What limits.def says. */
extern const struct fe_limits fe_default_limits;

#endif
