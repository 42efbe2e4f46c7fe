/* view.h: what the files of the views share. Private to ir/. */
#ifndef KERNC_IR_VIEW_H
#define KERNC_IR_VIEW_H

#include "ir/text/syntax.h"
#include "ir/views/views.h"

struct ir_barrier_flow;
struct ir_viewer {
    struct arena *arena;
    const struct ir_function *fn;
    uint32_t number; /* of the cluster that is drawn: names of nodes begin with it */
    struct ir_names names;
    struct ir_cfg *cfg;
    struct ir_dominators *dominators, *post_dominators;
    struct ir_cycles *cycles;
    struct ir_pst *pst;
    struct ir_control_dependence *control;
    struct ir_tokens *tokens;
    struct ir_uniformity *uniformity;
    struct ir_barrier_flow *barriers; /* once they have been asked for */
};

/* "%x", "5", or the operation itself for instructions without value. */
void ir_view_value(const struct ir_viewer *v, ir_ref r, struct text *out);
const char *ir_view_block(const struct ir_viewer *v, uint32_t b); /* "exit" for IR_NO_BLOCK */
/* In graphs: `b` or the function's end as a node, with attributes behind its label ("" or ", color=red"); the
 * name of this node; an edge between two. */
void ir_view_dot_block(const struct ir_viewer *v, uint32_t b, const char *attributes, struct text *out);
/* Appends the node's name, "g<number>_b<block>", or "g<number>_exit" for IR_NO_BLOCK. */
void ir_view_dot_name(const struct ir_viewer *v, uint32_t b, struct text *out);
/* Appends an edge; `attributes` as above. */
void ir_view_dot_edge(const struct ir_viewer *v, uint32_t from, uint32_t to, const char *attributes,
                      struct text *out);
/* Text between the quotes of a label. */
void ir_view_dot_label(const char *s, size_t n, struct text *out);
/* What leads along edge e of a block: "yes" or "no" of a brif, "default" or "case 5" of a switch, else "". */
const char *ir_view_edge(const struct ir_viewer *v, uint32_t b, uint32_t e, char buffer[32]);
/* "uniform" or "divergent"; NULL for what is neither a value nor a branch, or is not reachable. */
const char *ir_view_mark(const struct ir_viewer *v, ir_ref r);
/* The block as IR: its name with its parameters, and its instructions, a line each. */
void ir_view_block_text(const struct ir_viewer *v, uint32_t b, struct text *out);
/* Blocks by priority and their frontiers: as the pass has laid them out, else as it would. */
struct ir_frontier *ir_view_find_frontier(struct ir_viewer *v);
/* In a few words, why a value or branch is divergent: "tid.x", "data", "joins"; nothing if it is uniform. */
void ir_view_why(const struct ir_viewer *v, ir_ref r, struct text *out);
/* The same with what it comes from: "data <- %x", "lane", …; nothing if it is uniform. */
void ir_view_divergence(const struct ir_viewer *v, ir_ref r, struct text *out);

/* A convergence barrier: blocks where threads join it, wait, come back and leave; `live`: where they may be
 * in it and still come to a wait for it. `at`: of a prediction's wait, if it is known. */
struct ir_view_barrier {
    uint32_t reg;
    bool prediction;
    place at;
    u32_vec joined, waited, rejoined, cancelled, live;
};
typedef VEC(struct ir_view_barrier) ir_view_barriers;
/* Those of the function, by the place of their first operation. */
ir_view_barriers ir_view_list_barriers(struct ir_viewer *v);

#define VIEW(name, word, meaning)                                                                            \
    void ir_view_##name##_text(struct ir_viewer *v, struct text *out);                                       \
    void ir_view_##name##_dot(struct ir_viewer *v, struct text *out);                                        \
    void ir_view_##name##_comment(struct ir_viewer *v, ir_ref r, struct text *out);
#include "ir/views/views.def"

#endif
