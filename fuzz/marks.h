/* marks.h: predictions in programs of class g, which are no trees of struct fz_node: statements are
 * marked. A mark goes with its statement, so that whatever is dropped, a program of the class is left.
 */
#ifndef KERNC_FUZZ_MARKS_H
#define KERNC_FUZZ_MARKS_H

#include "fuzz/program.h"

struct fz_marks {
    uint8_t label, predict; /* number of the label that stands here, of the one that is predicted, plus 1; 0:
                               none */
    uint8_t threshold;      /* 0: the Predict names none */
};
/* The labels that stand in the program, a bit each. */
uint64_t fz_sequence_labels(const struct fz_program *p, uint32_t stage);
/* "Predict(L0, 8);", if the label is one of these. */
void fz_print_predict(const struct fz_marks *m, uint64_t labels, struct text *out);
void fz_print_label(const struct fz_marks *m, struct text *out); /* "L0: ;" */
/* Marks statements of half of the programs of the class; nothing that is computed depends on it. */
void fz_mark(struct fz_program *p);
struct fz_reducer;
/* Drops the marks, if the program still fails. */
void fz_reduce_marks(struct fz_reducer *r, struct fz_marks *m);

#endif
