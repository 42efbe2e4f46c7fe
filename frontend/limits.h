/* limits.h: the limits of the front end by name. */
#ifndef KERNC_FRONTEND_LIMITS_H
#define KERNC_FRONTEND_LIMITS_H

#include <stdint.h>

struct fe_limits {
#define LIMIT(name, value, most, meaning) uint32_t name;
#include "frontend/limits.def"
};

/* What limits.def says. */
extern const struct fe_limits fe_default_limits;

#define FE_LIMITS (sizeof(struct fe_limits) / sizeof(uint32_t))
struct fe_limit_info {
    const char *name, *meaning;
    uint32_t value, most;
};
extern const struct fe_limit_info fe_limit_info[FE_LIMITS]; /* in the order of the members */

#endif
