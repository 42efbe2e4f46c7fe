/* llvm_analyses.c: dominators, cycles and uniformity against LLVM's, on random control-flow graphs.
 *
 *     llvm_analyses [GRAPHS [SEED]]        (needs opt-19)
 *
 * Each graph becomes a kernel in our IR and in LLVM's: branches on a uniform or a divergent condition, in
 * every join a parameter that tells its predecessors apart, and in every block a use of one value of each
 * block that dominates it (which shows temporal divergence).
 *
 * LLVM is not always right: it calls some values uniform that are not. So where we say divergent and LLVM
 * says uniform, threads are run through the graph until two of them, in converged instances (equal iterations
 * of all cycles around), hold different values: a witness. A difference without witness fails, and so does
 * any value that we call uniform and LLVM divergent, but for two cases without witness: LLVM took the wrong
 * cycle to be left in different iterations, because the exit stands in a cycle of its own (it compares
 * depths); and graphs with irreducible cycles, where it takes a branch with both ways to one block to part
 * threads. Two kinds are counted as caution of ours: uses beyond a cycle one of whose several exits diverges
 * (we don't tell the exits apart), and values of irreducible cycles.
 *
 * Which blocks are m-converged is compared with LLVM's "cycles assumed divergent", and with the definition: a
 * join of a branch is a block that disjoint paths from it reach. LLVM 19 misses some, since it stops early.
 */
#include "test/oracle/llvm_analyses.h"
#include <stdlib.h>
#include <unistd.h>

static uint64_t state;
static uint32_t draw(uint32_t below)
{
    state = hash_mix(state, 0x9e3779b97f4a7c15u);
    return (uint32_t)(state >> 20) % below;
}

/* ---- making graphs ----------------------------------------------------------------------------------- */

static void shape(struct graph *g)
{
    g->n = 3 + draw(MOST - 2);
    uint32_t jumpy = 2 + draw(6);
    for (uint32_t b = 0; b < g->n; b++) {
        g->degree[b] = b == g->n - 1 ? 0 : draw(12) == 0 ? 0 : 1 + (draw(3) > 0);
        g->divergent[b] = draw(2);
        for (uint32_t e = 0; e < 2; e++) {
            uint32_t near = b + 1 + draw(2);
            g->to[b][e] = draw(jumpy) == 0 ? 1 + draw(g->n - 1) : near < g->n ? near : g->n - 1;
        }
    }
}

static bool block_reaches_exit(const struct ir_cfg *c, uint32_t from)
{
    uint32_t seen = 1u << from, todo = seen;
    while (todo) {
        uint32_t b = (uint32_t)__builtin_ctz(todo);
        const struct ir_block *block = ir_block_at(c->fn, b);
        todo &= todo - 1;
        if (block->edges.count == 0)
            return true;
        for (uint32_t e = 0; e < block->edges.count; e++) {
            uint32_t bit = 1u << block->edges.at[e].block;
            todo |= bit & ~seen;
            seen |= bit;
        }
    }
    return false;
}

/* Parameters of joins carry the number of the predecessor; edges to them an argument each. */
static void add_params(struct graph *g)
{
    for (uint32_t b = 1; b < g->n; b++)
        g->param[b] = ir_param_new(g->fn, b, IR_TYPE_I32, "p");
    for (uint32_t b = 0; b < g->n; b++)
        for (uint32_t e = 0; e < g->degree[b]; e++)
            ir_edge_arg(g->fn, &ir_block_at(g->fn, b)->edges.at[e], ir_const_i32(g->fn, b + 1));
}

static void build(struct graph *g)
{
    g->module = ir_module_new("random");
    g->fn = ir_function_new(g->module, "k", IR_TYPE_VOID, IR_FN_KERNEL);
    for (uint32_t b = 0; b < g->n; b++)
        ir_block_new(g->fn, NULL);
    ir_ref n = ir_param_new(g->fn, 0, IR_TYPE_GLOBAL, "n"), u = ir_param_new(g->fn, 0, IR_TYPE_I1, "u");
    struct ir_cursor c = {g->fn, 0, 0, {0, 0}};
    ir_ref tid = ir_emit0(&c, IR_special, IR_TYPE_I32);
    ir_at(g->fn, tid)->imm = IR_SPECIAL_TID_X;
    ir_ref d = ir_emit2(&c, IR_slt, IR_TYPE_I1, tid, ir_const_i32(g->fn, 5));
    for (uint32_t b = 0; b < g->n; b++) {
        c = (struct ir_cursor){g->fn, b, 0, {0, 0}};
        g->def[b] = ir_emit_load(&c, IR_MEM_I32, IR_TYPE_I32, n, (int32_t)(4 * b));
        if (g->degree[b] == 0)
            ir_emit_ret(&c, 0);
        else if (g->degree[b] == 1)
            ir_emit_br(&c, g->to[b][0]);
        else
            ir_emit_brif(&c, g->divergent[b] ? d : u, g->to[b][0], g->to[b][1]);
    }
    add_params(g);
}

static void analyse(struct graph *g)
{
    arena_init(&g->arena);
    struct ir_cfg *c = g->cfg = ir_cfg_new(&g->arena, g->fn);
    g->dom = ir_dominators_new(&g->arena, c);
    for (uint32_t x = 1; x < g->n; x++)
        for (uint32_t y = 0; y < g->n; y++)
            if (x != y && ir_dominates(g->dom, y, x)) {
                struct ir_cursor at = {g->fn, x, ir_terminator(g->fn, x), {0, 0}};
                g->use[x][y] = ir_emit2(&at, IR_add, IR_TYPE_I32, g->def[y], ir_const_i32(g->fn, x));
            }
    c = g->cfg = ir_cfg_new(&g->arena, g->fn);
    g->dom = ir_dominators_new(&g->arena, c);
    g->post = ir_post_dominators_new(&g->arena, c);
    g->cycles = ir_cycles_new(&g->arena, c);
    g->uniform = ir_uniformity_new(&g->arena, c, g->cycles, NULL, NULL);
    g->reaches_exit = true;
    for (uint32_t i = 0; i < c->rpo_count; i++)
        g->reaches_exit &= block_reaches_exit(c, c->rpo[i]);
}

static void graph_free(struct graph *g)
{
    arena_free(&g->arena);
    ir_module_free(g->module);
}

/* ---- comparison -------------------------------------------------------------------------------------- */

static struct {
    uint32_t values, equal, witnessed, several_exits, depth, irreducible, llvm_cautious, unconverged;
    uint32_t llvm_missed, failures;
} totals;

static void difference(const struct graph *g, uint32_t k, const char *what, uint32_t x, uint32_t y)
{
    totals.failures++;
    printf("graph %u: %s, block %u (%u):", k, what, x, y);
    for (uint32_t b = 0; b < g->n; b++)
        printf(" %u%s>%u,%u", b,
               g->degree[b] < 2  ? "-"
               : g->divergent[b] ? "~"
                                 : "=",
               g->degree[b] > 0 ? g->to[b][0] : 99, g->degree[b] > 1 ? g->to[b][1] : 99);
    printf("\n");
}

static bool reducible(const struct graph *g)
{
    for (uint32_t k = 0; k < g->cycles->count; k++)
        if (g->cycles->at[k].entries.count > 1)
            return false;
    return true;
}

static bool in_irreducible(const struct graph *g, uint32_t b)
{
    for (uint32_t k = g->cycles->innermost[b]; k != IR_NO_CYCLE; k = g->cycles->at[k].parent)
        if (g->cycles->at[k].entries.count > 1)
            return true;
    return false;
}

/* The use in x of y's value is outside a cycle with several exits, of which one is taken in different
 * iterations. */
static bool beyond_several_exits(const struct graph *g, uint32_t x, uint32_t y)
{
    if (y == IR_NO_BLOCK)
        return false;
    for (uint32_t k = g->cycles->innermost[y]; k != IR_NO_CYCLE && !ir_cycle_has(g->cycles, k, x);
         k = g->cycles->at[k].parent) {
        uint32_t exits = 0;
        for (uint32_t b = 0; b < g->n; b++)
            for (uint32_t e = 0; ir_cycle_has(g->cycles, k, b) && e < g->degree[b]; e++)
                exits += !ir_cycle_has(g->cycles, k, g->to[b][e]);
        if (exits > 1 && g->uniform->divergent_exit[k] != IR_NO_CYCLE)
            return true;
    }
    return false;
}

/* Some edge leaves a cycle into another one. */
static bool exit_in_own_cycle(const struct graph *g)
{
    for (uint32_t i = 0; i < g->cfg->rpo_count; i++) {
        uint32_t b = g->cfg->rpo[i];
        for (uint32_t e = 0; e < g->degree[b]; e++) {
            uint32_t from = g->cycles->innermost[b], to = g->cycles->innermost[g->to[b][e]];
            if (from != IR_NO_CYCLE && to != IR_NO_CYCLE && !ir_cycle_contains(g->cycles, to, from) &&
                !ir_cycle_contains(g->cycles, from, to))
                return true;
        }
    }
    return false;
}

static void compare_value(const struct graph *g, uint32_t k, const char *what, uint32_t x, uint32_t y,
                          bool ours, bool llvm)
{
    totals.values++;
    if (ours == llvm)
        totals.equal++;
    else if (!ours && reducible(g) && exit_in_own_cycle(g) && !graph_witness(g, x, y))
        totals.depth++;
    else if (!ours && !reducible(g) && !graph_witness(g, x, y))
        totals.llvm_cautious++;
    else if (!ours)
        difference(g, k, "LLVM alone diverges", x, y);
    else if (graph_witness(g, x, y))
        totals.witnessed++;
    else if (in_irreducible(g, x) || (y != IR_NO_BLOCK && in_irreducible(g, y)))
        totals.irreducible++;
    else if (beyond_several_exits(g, x, y))
        totals.several_exits++;
    else
        difference(g, k, what, x, y);
}

static void compare_convergence(const struct graph *g, uint32_t k, uint32_t x, bool defined, bool llvm)
{
    bool ours = !ir_is_converged(g->uniform, x);
    totals.unconverged += ours;
    totals.llvm_missed += ours && !llvm && defined;
    if (!ours && (llvm || defined))
        difference(g, k, "m-converged by us alone", x, 0);
    if (ours && !llvm && !defined)
        difference(g, k, "not m-converged by us alone", x, 0);
}

static void compare_uniformity(const struct graph *g, uint32_t k, const struct answer *a)
{
    bool unconverged[MOST] = {false};
    if (!reducible(g))
        graph_unconverged(g, unconverged);
    for (uint32_t i = 0; i < g->cfg->rpo_count; i++) {
        uint32_t x = g->cfg->rpo[i];
        compare_convergence(g, k, x, unconverged[x], a->unconverged[x]);
        if (g->degree[x] == 2 && bitset_has(g->uniform->branches, x) != a->branch[x] && reducible(g))
            difference(g, k, "branch", x, 0);
        if (x > 0)
            compare_value(g, k, "parameter", x, IR_NO_BLOCK, bitset_has(g->uniform->divergent, g->param[x]),
                          a->param[x]);
        for (uint32_t y = 0; y < g->n; y++)
            if (g->use[x][y] != 0)
                compare_value(g, k, "use", x, y, bitset_has(g->uniform->divergent, g->use[x][y]),
                              a->use[x][y]);
    }
}

static void compare_structure(const struct graph *g, uint32_t k, const struct answer *a)
{
    char ours[MOST][NAMES];
    for (uint32_t c = 0; c < g->cycles->count; c++)
        llvm_name_cycle(ours[c], g->cycles->at[c].depth, g->cycles->at[c].entries.at,
                        g->cycles->at[c].entries.count);
    qsort(ours, g->cycles->count, NAMES, llvm_by_text);
    if (g->cycles->count != a->cycle_count)
        difference(g, k, "number of cycles", g->cycles->count, a->cycle_count);
    for (uint32_t c = 0; c < g->cycles->count && c < a->cycle_count; c++)
        if (strcmp(ours[c], a->cycles[c]) != 0)
            difference(g, k, "cycle", c, 0);
    for (uint32_t i = 0; i < g->cfg->rpo_count; i++) {
        uint32_t b = g->cfg->rpo[i];
        if (g->dom->idom[b] != a->idom[b])
            difference(g, k, "immediate dominator", b, a->idom[b]);
        if (g->reaches_exit && g->post->idom[b] != a->ipdom[b])
            difference(g, k, "immediate post-dominator", b, a->ipdom[b]);
    }
}

static bool run_batch(uint32_t first, uint32_t count)
{
    static struct graph graphs[BATCH];
    static struct answer answers[BATCH];
    char path[] = "/tmp/kernc-llvm-XXXXXX", command[256];
    int fd = mkstemp(path);
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (f == NULL)
        return false;
    memset(graphs, 0, sizeof graphs);
    memset(answers, 0, sizeof answers);
    fprintf(f, "declare i32 @llvm.amdgcn.workitem.id.x()\n");
    for (uint32_t i = 0; i < count; i++) {
        shape(&graphs[i]);
        build(&graphs[i]);
        analyse(&graphs[i]);
        llvm_write(&graphs[i], i, f);
    }
    fclose(f);
    snprintf(command, sizeof command,
             "opt-19 -mtriple=amdgcn-- -passes='print<cycles>,print<uniformity>,print<domtree>,"
             "print<postdomtree>' -disable-output %s 2>&1",
             path);
    FILE *in = popen(command, "r");
    if (in == NULL)
        return false;
    llvm_read(in, answers);
    bool fine = pclose(in) == 0;
    unlink(path);
    for (uint32_t i = 0; i < count; i++) {
        compare_structure(&graphs[i], first + i, &answers[i]);
        compare_uniformity(&graphs[i], first + i, &answers[i]);
        graph_free(&graphs[i]);
    }
    return fine;
}

int main(int argc, char **argv)
{
    uint32_t count = argc > 1 ? (uint32_t)atoi(argv[1]) : 10000;
    state = argc > 2 ? (uint64_t)atoll(argv[2]) : 1;
    for (uint32_t done = 0; done < count; done += BATCH)
        if (!run_batch(done, count - done < BATCH ? count - done : BATCH)) {
            fprintf(stderr, "opt-19 failed\n");
            return 1;
        }
    printf("%u graphs, %u values: %u equal; we say divergent, LLVM uniform: %u with a witness, %u beyond a "
           "cycle's several exits, %u in irreducible cycles; LLVM alone divergent: %u by an exit in another "
           "cycle, %u in irreducible graphs\n",
           count, totals.values, totals.equal, totals.witnessed, totals.several_exits, totals.irreducible,
           totals.depth, totals.llvm_cautious);
    printf("%u blocks not m-converged, by the definition as well; LLVM misses %u\n", totals.unconverged,
           totals.llvm_missed);
    printf("%u differences unexplained\n", totals.failures);
    return totals.failures != 0;
}
