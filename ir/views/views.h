/* views.h: analyses shown to people: as text, as graphs, as comments in the printed IR. */
#ifndef KERNC_IR_VIEWS_H
#define KERNC_IR_VIEWS_H

#include "ir/analysis/analysis.h"

enum ir_view {
#define VIEW(name, word, meaning) IR_VIEW_##name,
#include "ir/views/views.def"
    IR_VIEWS
};
struct ir_view_info {
    const char *text, *meaning;
};
extern const struct ir_view_info ir_view_info[IR_VIEWS];
enum ir_view ir_view_find(const char *text, size_t n); /* IR_VIEWS: no such analysis */

/* All analyses of one function, computed once; lives in the arena. The function must be verified. */
struct ir_viewer;
/* Near-linear in the function. */
struct ir_viewer *ir_viewer_new(struct arena *a, const struct ir_function *f);
/* A heading and lines of text. */
void ir_view_text(struct ir_viewer *v, enum ir_view what, struct text *out);
/* A cluster of a graphviz digraph, which ir_view_dot_begin and _end enclose. `number` differs from those of
 * its other clusters. */
void ir_view_dot(struct ir_viewer *v, enum ir_view what, uint32_t number, struct text *out);
/* What stands before and behind all clusters. */
void ir_view_dot_begin(struct text *out);
void ir_view_dot_end(struct text *out);
/* The function printed with a comment behind each instruction that the analysis has something to say of. */
void ir_view_comments(struct ir_viewer *v, enum ir_view what, struct text *out);

/* The control-flow graph as an object of docs/experiment.md ("Graphs"). `code`: by block, the numbers of the
 * blocks of code that it became, or NULL. `layout`: what stands there, or NULL. */
void ir_view_graph_json(struct ir_viewer *v, const struct rows *code, bool frontiers, const char *layout,
                        struct text *out);
/* The same graph for Graphviz: nodes are numbered as its blocks, and as large as their text's first lines. */
void ir_view_boxes_dot(struct ir_viewer *v, struct text *out);
/* Its divergent values and branches as objects ("Divergence"), a comma before each but the text's first. Ids
 * are above `base` and below base + v->fn->ins.count. */
void ir_view_divergence_json(struct ir_viewer *v, uint32_t base, struct text *out);

/* For dumps: prints the function with each value and branch marked as uniform or divergent, and why. Computes
 * what it needs; a function that the verifier does not accept is printed without marks. */
void ir_print_divergence(const struct ir_function *f, struct text *out);
/* The same lines with the marks alone, without the causes: what has to be equal for a line to count as
 * unchanged. */
void ir_print_divergence_marks(const struct ir_function *f, struct text *out);

#endif
