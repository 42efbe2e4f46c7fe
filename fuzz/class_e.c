/* class_e.c: class e: modules of random graphs, reducible and not, with random valid tokens. Each thread
 * writes what its convergent operations gave to its log, row after row, and mixes it into a hash; branches
 * are on data, results, counters and lanes. Kern's statements make few of these graphs, so the programs are
 * IR.
 *
 * Nothing in a log depends on which threads an anchor gathers: of the operations by its token only facts that
 * hold for every choice are used (class_e_operations.c).
 */
#include "fuzz/class_e.h"

enum { MAX_TRIES = 60, MOST_WAITING_TRIES = 40, MAX_CALLEES = 3, MOST_RUNS = 260 };

/* ---- how long a thread may run ----------------------------------------------------------------------- */

/* How often a block runs at most in a call. */
static uint64_t times(const struct fz_e_function *g, uint32_t b)
{
    uint64_t n = 1;
    for (uint32_t c = g->cycles->innermost[b]; c != IR_NO_CYCLE; c = g->cycles->at[c].parent) {
        const struct ir_cycle *cycle = &g->cycles->at[c];
        n *= 1 + (cycle->entries.count > 1 ? FZ_E_FUEL : g->blocks[cycle->header].most_trips);
    }
    return n;
}

/* Blocks that a call runs at most. */
static uint64_t length(const struct fz_e_function *g, const uint64_t *callees)
{
    uint64_t sum = 0;
    ir_each_block(i, b, g->fn) {
        uint64_t once = 1;
        ir_each_ins(r, g->fn, b) {
            const struct ir_ins *ins = ir_at(g->fn, r);
            uint64_t most = ins->op == IR_call ? callees[ins->imm] : 0;
            for (uint32_t k = 0; ins->op == IR_icall && k < g->fn->id; k++)
                most = most < callees[k] ? callees[k] : most;
            once += most;
        }
        sum += once * times(g, b);
    }
    return sum;
}

/* ---- modules ----------------------------------------------------------------------------------------- */

static void kernel_info(struct ir_module *m, uint32_t function)
{
    struct ir_kernel_info info = {.function = function};
    struct ir_param_info log = {"log", "global ulong *", IR_TYPE_GLOBAL, LAUNCH_ULONG, 8, NULL};
    struct ir_param_info input = {"input", "global const int *", IR_TYPE_GLOBAL, LAUNCH_INT, 4, NULL};
    vec_push(&m->arena, &info.params, log);
    vec_push(&m->arena, &info.params, input);
    vec_push(&m->arena, &m->kernels, info);
}

static void make_params(struct fz_e_function *g)
{
    enum ir_type t = g->is_kernel ? IR_TYPE_GLOBAL : IR_TYPE_I32;
    ir_param_new(g->fn, 0, t, g->is_kernel ? "log" : "h");
    ir_param_new(g->fn, 0, t, g->is_kernel ? "input" : "x");
}

static void make_function(struct fz_program *p, struct fz_random *r, struct ir_module *m, bool is_kernel,
                          bool may_wait, uint64_t *lengths)
{
    struct arena scratch = {0};
    struct fz_e_function g = {
        .p = p, .r = r, .arena = &scratch, .is_kernel = is_kernel, .may_wait = may_wait};
    uint32_t id = m->functions.count, blocks = is_kernel ? 8 + fz_below(r, 18) : 1 + fz_below(r, 10);

    struct fz_random calm = fz_random(p->seed, 'Q');
    g.is_calm = fz_is_predicted(p) && fz_chance(&calm, 70);
    g.is_free = !is_kernel && (fz_chance(r, 25) || g.is_calm);
    g.fn = ir_function_new(m, is_kernel ? "k" : arena_printf(&m->arena, "f%u", id),
                           is_kernel ? IR_TYPE_VOID : IR_TYPE_I32,
                           (is_kernel ? IR_FN_KERNEL : 0) | (g.is_free ? 0 : IR_FN_CONVERGENT));
    g.may_wait &= !g.is_calm;
    g.for_good = is_kernel && g.may_wait && fz_chance(r, 20);
    fz_e_make_graph(&g, blocks);
    make_params(&g);
    fz_e_place_tokens(&g, g.is_calm ? 2 : is_kernel ? 4 + fz_below(r, 14) : 1 + fz_below(r, 5));
    fz_e_fill(&g);
    lengths[id] = length(&g, lengths);
    arena_free(&scratch);
}

/* Whether threads wait at barriers for nobody who does not come, at the widths that are tried. */
static bool waits_end(const struct fz_program *p)
{
    static const uint32_t widths[] = {1, 4, 8, 32, 64};
    struct arena a = {0};
    void *log = arena_alloc_array(&a, 8, fz_elements(p, &p->buffers.at[0]));
    bool ok = true;
    for (size_t w = 0; ok && strstr(p->module, "barrier") && w < COUNT(widths); w++)
        ok = fz_expect_e(p, widths[w], &log);
    arena_free(&a);
    return ok;
}

static bool try_generate(struct fz_program *p, uint32_t attempt)
{
    struct fz_random r = fz_random(p->seed, 'e' + 256 * attempt);
    struct ir_module *m = ir_module_new("random");
    uint64_t lengths[MAX_CALLEES + 1];
    uint32_t callees = fz_below(&r, MAX_CALLEES + 1);
    struct text t = {0};
    for (uint32_t i = 0; i <= callees; i++)
        make_function(p, &r, m, i == callees, attempt <= MOST_WAITING_TRIES, lengths);
    kernel_info(m, callees);
    struct fz_random places = fz_random(p->seed, 'L' + 256 * attempt);
    for (uint32_t i = 0; fz_is_predicted(p) && i <= callees; i++)
        fz_e_predict(m->functions.at[i], &places);
    ir_print_module(m, &t);
    p->module = arena_strdup(p->arena, t.at, t.length);
    text_free(&t);
    ir_module_free(m);
    return lengths[callees] <= MOST_RUNS && waits_end(p);
}

static void generate(struct fz_program *p)
{
    static const uint8_t threads[] = {4, 8, 13, 16, 32, 32, 40, 64};
    struct fz_random r = fz_random(p->seed, 'e');
    struct fz_buffer log = {"log", FZ_ULONG, false, FZ_E_ROWS, 0},
                     input = {"input", FZ_INT, true, 0, FZ_INPUTS};
    p->blocks = fz_chance(&r, 80) ? 1 : 2;
    p->threads = threads[fz_below(&r, COUNT(threads))];
    vec_push(p->arena, &p->buffers, log);
    vec_push(p->arena, &p->buffers, input);
    for (uint32_t i = 0; i < FZ_INPUTS; i++)
        p->inputs[i] = (int32_t)fz_below(&r, 100);
    for (uint32_t attempt = 1; attempt <= MAX_TRIES; attempt++)
        if (try_generate(p, attempt))
            return;
}

const struct fz_class fz_class_e = {
    'e',      "graphs with tokens", "the sets of threads of convergent operations in any graph, by reference",
    generate, fz_expect_e,          NULL};
