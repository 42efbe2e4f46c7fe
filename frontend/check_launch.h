/* check_launch.h: what the parts of the check of launch directives share (check_launch.c, check_show.c,
 * launch_names.c). */
#ifndef KERNC_FRONTEND_CHECK_LAUNCH_H
#define KERNC_FRONTEND_CHECK_LAUNCH_H

#include "frontend/check.h"

/* ---- launch_names.c, check_launch.c ---- */

struct fe_launched {
    struct fe_decl *directive;
    struct fe_function *kernel; /* NULL: the directive only has outputs */
    struct bitset given;        /* its parameters that are */
};

/* The BUFFER of this name before the directive; NULL: there is none. Linear in the file. */
struct fe_decl *fe_launch_buffer(const struct checker *c, const struct fe_decl *before, const char *name);
/* The rounds of the repeat that the directive stands in; UINT64_MAX: they are not known, 0: it stands in
 * none. */
uint64_t fe_launch_rounds(const struct checker *c, const struct fe_decl *directive);
/* "; did you mean 'scale'?" of a kernel's name that is none; "": none is near. */
const char *fe_launch_near_kernel(struct checker *c, const char *name);
/* The kernel's parameter and its index; NULL: there is none. */
struct fe_decl *fe_launch_parameter(const struct fe_launched *t, const char *name, uint32_t *index);
/* The same; NULL after a message, or of one whose type is wrong. */
struct fe_decl *fe_launch_need_parameter(struct checker *c, struct fe_launched *t,
                                         const struct fe_launch_item *i, uint32_t *at);
/* A constant from `low` on, which messages call `what`. False after a message, and below. */
bool fe_launch_to_count(struct checker *c, struct fe_expr **e, const char *what, int64_t low,
                        uint64_t *count);
/* ---- launch_numbers.c ---- */

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

/* The name of a file whose ending is known. */
bool fe_launch_file_name(struct checker *c, const struct fe_expr *e, struct launch_value *v);
/* check_show.c: the directive's shows and saves. */
void fe_check_outputs(struct checker *c, struct fe_launch *l, struct fe_launched *t);

#endif
