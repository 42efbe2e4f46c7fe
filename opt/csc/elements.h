/* elements.h: what an arm is made of, for correspond.c. An arm is a list of elements: the blocks that each of
 * its threads executes, where a loop is one element.
 */
#ifndef KERNC_OPT_CSC_ELEMENTS_H
#define KERNC_OPT_CSC_ELEMENTS_H

#include "opt/csc/csc.h"

enum csc_form { CSC_FORM_BLOCK, CSC_FORM_CONDITIONAL, CSC_FORM_LOOP, CSC_FORM_OTHER };
struct csc_element {
    uint32_t first, last;
    enum csc_form form;
    bool leaves;        /* a conditional that leaves the loop whose body the list is: by edge `way`, after */
    uint32_t way, stop; /* which its threads reconverge with those of the loop's other ends at block `stop` */
};
struct csc_list {
    VEC(struct csc_element) e;
    uint32_t stop; /* the block behind the last element; IR_NO_BLOCK: none */
};

/* One side of a conditional: the blocks from `to` on before `stop`, in the cycle; none if these are equal. */
struct csc_side {
    uint32_t to, stop, cycle;
};

/* Whether n is below the limit; says once for a function that there is more. */
bool csc_is_below(struct csc *p, enum opt_limit limit, uint32_t n);
struct csc_list csc_list_of_one(struct csc *p, struct csc_element x);
/* From `entry` on, as long as blocks are in the cycle and dominated by `entry`, up to `stop`. */
struct csc_list csc_list_from(struct csc *p, uint32_t entry, uint32_t stop, uint32_t cycle);
/* A loop's body, from its header to its last block; its `stop` is a block if there is a way around some. */
struct csc_list csc_list_of_body(struct csc *p, struct csc_element loop);
struct csc_side csc_side_of(struct csc *p, struct csc_element conditional, uint32_t e);

/* Why loops of the arms that begin with x and y are not merged, where none of the two correspond; NULL: one
 * arm has none, among its first blocks. */
const char *csc_why_not_merged(struct csc *p, uint32_t branch, uint32_t x, uint32_t y);

#endif
