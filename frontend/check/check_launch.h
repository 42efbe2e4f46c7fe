/* check_launch.h: what the parts of the check of launch directives share. */
#ifndef KERNC_FRONTEND_CHECK_CHECK_LAUNCH_H
#define KERNC_FRONTEND_CHECK_CHECK_LAUNCH_H

#include "frontend/check/check.h"

/* ---- check_launch.c ---------------------------------------------------------------------------------- */

struct fe_launched {
    struct fe_decl *directive;
    struct fe_function *kernel; /* NULL: the directive only has outputs */
    struct bitset given;        /* its parameters that are */
};

/* The rounds of the repeat that the directive stands in; UINT64_MAX: they are not known, 0: it stands in
 * none. */
uint64_t fe_launch_rounds(const struct checker *c, const struct fe_decl *directive);

/* ---- launch_numbers.c -------------------------------------------------------------------------------- */

/* Of a checked constant. */
struct launch_number fe_launch_number(const struct fe_expr *x);
/* Of a checked expression: a constant, or one over the round. False after a message. */
bool fe_launch_value(struct checker *c, const struct fe_expr *x, struct launch_value *v);
/* Checks it first. */
bool fe_launch_check_number(struct checker *c, const struct fe_launched *t, struct fe_expr **e,
                            struct launch_value *v);
/* A clause with sizes, which messages call `what`, of `most` together. */
void fe_launch_check_sizes(struct checker *c, struct fe_launched *t, enum launch_clause clause,
                           struct fe_launch_item *items, span where, const char *what, int64_t most);

#endif
