/* checks.h: the names behind --check. */
#ifndef KERNC_CHECKS_H
#define KERNC_CHECKS_H

#include "base/scheme.h"

/* In the text of a check of memory, as an object's size: that of unsized array i of the kernel, which the
 * launch gives. No object is that large. */
#define CHECK_UNSIZED(i) (UINT32_MAX - (i))

enum check_claim {
#define CLAIM_CHECK(name, where, meaning) CHECK_CLAIM_##name,
#include "base/checks.def"
    CHECK_CLAIMS
};

/* Schemes for bytecode that run warps, all but the reference; all for bytecode; the reference; those for
 * bytecode that run thread frontiers. */
enum check_where { CHECK_ON_WARPS, CHECK_ON_BYTECODE, CHECK_ON_REFERENCE, CHECK_ON_FRONTIERS };
/* Checks of memory and what else the kernel does, then "all", which is all those that the scheme has, then of
 * claims. memory: their bits, 0 of a claim. */
struct check_info {
    const char *name, *meaning;
    unsigned memory;
    enum check_where where; /* not of "all" */
};
enum {
#define MEMORY_CHECK(id, name, bit, where, meaning) CHECK_##id,
#include "base/checks.def"
    CHECK_ALL,
    CHECK_FIRST_CLAIM,
    CHECKS = CHECK_FIRST_CLAIM + CHECK_CLAIMS
};
extern const struct check_info check_info[CHECKS];

/* The bits of a list of checks of memory, all or those alone that it names one by one; 0: something else is
 * in it. */
unsigned check_memory_bits(const char *list);
unsigned check_named_bits(const char *list);
/* Whether the check, a row of check_info but CHECK_ALL, can be made as kernels run under the scheme; the bits
 * of all checks of memory that can. */
bool check_has_scheme(unsigned check, enum scheme s);
unsigned check_bits_under(enum scheme s);
/* CHECK_CLAIMS: it is none. */
enum check_claim check_find_claim(const char *name);
static inline const char *check_claim_name(enum check_claim k)
{
    return check_info[CHECK_FIRST_CLAIM + k].name;
}
/* The rows from `from` to before `to`, for messages: "race, bounds or uninit", where `last` is " or ". */
const char *check_names(struct arena *a, unsigned from, unsigned to, const char *last);

#endif
