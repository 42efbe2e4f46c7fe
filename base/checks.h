/* checks.h: the names behind --check. */
#ifndef KERNC_CHECKS_H
#define KERNC_CHECKS_H

#include "base/base.h"

enum check_claim {
#define CLAIM_CHECK(name, meaning) CHECK_CLAIM_##name,
#include "base/checks.def"
    CHECK_CLAIMS
};

/* Checks of memory, then "all", which is all those, then of claims. memory: their bits, 0 of a claim. */
struct check_info {
    const char *name, *meaning;
    unsigned memory;
};
enum {
#define MEMORY_CHECK(id, name, bit, meaning) CHECK_##id,
#include "base/checks.def"
    CHECK_ALL,
    CHECK_FIRST_CLAIM,
    CHECKS = CHECK_FIRST_CLAIM + CHECK_CLAIMS
};
extern const struct check_info check_info[CHECKS];

/* The bits of a list of checks of memory; 0: something else is in it. */
unsigned check_memory_bits(const char *list);
/* CHECK_CLAIMS: it is none. */
enum check_claim check_find_claim(const char *name);
static inline const char *check_claim_name(enum check_claim k)
{
    return check_info[CHECK_FIRST_CLAIM + k].name;
}
/* The rows from `from` to before `to`, for messages: "race, bounds or uninit", where `last` is " or ". */
const char *check_names(struct arena *a, unsigned from, unsigned to, const char *last);

#endif
