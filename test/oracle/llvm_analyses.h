/* llvm_analyses.h: what the files of llvm_analyses share: a graph, and what LLVM says of it. */
#ifndef KERNC_TEST_ORACLE_LLVM_ANALYSES_H
#define KERNC_TEST_ORACLE_LLVM_ANALYSES_H

#include "ir/analysis/analysis.h"
#include <stdio.h>

enum { MOST = 12, BATCH = 1000, NAMES = 64 };

struct graph {
    uint32_t n, degree[MOST], to[MOST][2];
    bool divergent[MOST]; /* the branch's condition */
    struct ir_module *module;
    struct ir_function *fn;
    ir_ref param[MOST], def[MOST], use[MOST][MOST]; /* use[x][y]: in x, of y's definition */
    struct arena arena;
    struct ir_cfg *cfg;
    struct ir_cycles *cycles;
    struct ir_dominators *dom, *post;
    struct ir_uniformity *uniform;
    bool reaches_exit; /* every block does */
};

/* What LLVM says of a graph, by block. */
struct answer {
    bool branch[MOST], param[MOST], use[MOST][MOST];
    bool unconverged[MOST]; /* in a cycle that is assumed to be divergent */
    uint32_t idom[MOST], ipdom[MOST];
    char cycles[MOST][NAMES];
    uint32_t cycle_count;
};

/* llvm_answers.c: graph k as a function of a module of LLVM's; what LLVM prints of all of a batch. */
void llvm_write(const struct graph *g, uint32_t k, FILE *f);
void llvm_read(FILE *in, struct answer *answers);
/* A cycle as it stands in an answer; the order of such texts. */
void llvm_name_cycle(char *out, uint32_t depth, uint32_t *entries, uint32_t count);
int llvm_by_text(const void *a, const void *b);
/* llvm_witness.c: whether threads that are run show x's value of y (IR_NO_BLOCK: of its parameter) to differ;
 * the blocks that are not m-converged by the definition. */
bool graph_witness(const struct graph *g, uint32_t x, uint32_t y);
void graph_unconverged(const struct graph *g, bool *unconverged);

#endif
