/* oracle.h: what the oracle knows of a program's control flow. Private to the oracle.
 *
 * Positions are code indices of the word a lane executes next. All paths stay inside one function: a call
 * goes on at the block behind it.
 */
#ifndef KERNC_RT_ORACLE_H
#define KERNC_RT_ORACLE_H

#include "backend/format/bytecode/program.h"
#include "base/rows.h"
#include "runtime/launch/grid.h"

#define ORACLE_NOWHERE UINT32_MAX

struct oracle_flow {
    const struct bc_program *program;
    struct rt_worker *worker; /* whose it is */
    struct arena *arena;      /* the worker's */
    u32_vec heads;            /* block words, ascending; blocks are named by their place here */
    uint32_t *block_of_row;   /* by row of the program's block table */
    uint32_t *function;       /* by block: index in the program's functions */
    u32_vec from, to;         /* edges between blocks */
    struct rows predecessors, successors;
    u32_vec definitions;      /* code indices of the operations that make tokens, ascending */
    struct map reach_index;   /* convergent operation -> place in reach */
    VEC(struct bitset) reach; /* blocks from whose start it can be reached */
};

/* Everything is allocated in the worker's arena, also what later questions add. */
struct oracle_flow *oracle_flow_new(struct rt_worker *k);
/* Index in the program's functions. Logarithmic. */
uint32_t oracle_function(const struct oracle_flow *f, uint32_t at);
/* Which of the definitions stands at `at`, counted from 0. */
uint32_t oracle_definition(const struct oracle_flow *f, uint32_t at);
/* Whether a lane at `at` can come to operation `op` without executing `definition` on the way
 * (ORACLE_NOWHERE: by any way). An operation is always asked with the same definition, or with none. What is
 * kept for later questions counts as memory of the launch; beyond its limit the answer is false, and the
 * worker is over_memory. */
bool oracle_reaches(struct oracle_flow *f, uint32_t at, uint32_t op, uint32_t definition);
/* How many operations of the program make tokens. */
uint32_t oracle_count_definitions(const struct bc_program *p);

#endif
