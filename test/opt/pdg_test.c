/* pdg_test.c: the program dependence graph of random functions and of their regions, compared with brute
 * force, with what really is accessed, and with what becomes of a function whose instructions are permuted as
 * far as the graph allows. `opt_pdg SEED [PASSES]` shows one. KERNC_TEST_PROGRAMS: how many modules.
 */
#include "test/opt/evaluate.h"
#include "test/opt/optimize.h"
#include "test/opt/permute.h"
#include "test/opt/random_ir.h"
#include "test/programs.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { INPUTS = 3, FUEL = 60000, MOST = 120 };
static const uint64_t inputs[INPUTS][3] = {{0, 0, 1}, {256, 5, 0xfffffff0}, {1024, 77777, 3}};

static uint32_t seeds;

static struct ir_function *main_of(const struct ir_module *m)
{
    return m->functions.at[m->functions.count - 1];
}

struct analyses {
    struct arena arena;
    const struct ir_function *f;
    const struct ir_cfg *c;
    const struct ir_cycles *cycles;
    const struct ir_control_dependence *control;
    const struct ir_pst *pst;
    const struct ir_memory *m;
};

static void analyse(struct analyses *x, const struct ir_function *f)
{
    *x = (struct analyses){.f = f};
    x->c = ir_cfg_new(&x->arena, f);
    x->cycles = ir_cycles_new(&x->arena, x->c);
    x->control = ir_control_dependence_new(&x->arena, x->c, ir_post_dominators_new(&x->arena, x->c));
    x->pst = ir_pst_new(&x->arena, x->c);
    x->m = ir_memory_new(&x->arena, f, x->c);
}

static struct ir_pdg *graph_of(struct analyses *x, uint32_t region)
{
    return ir_pdg_new(&x->arena, x->m, x->c, x->cycles, x->control, x->pst, region);
}

/* ---- transitive closures ----------------------------------------------------------------------------- */

struct relation {
    uint32_t n;
    bool *has;
};

static struct relation relation_new(struct arena *a, uint32_t n)
{
    return (struct relation){n, arena_array(a, bool, n *n + 1)};
}

static void close_transitively(struct relation r)
{
    for (uint32_t j = 0; j < r.n; j++)
        for (uint32_t i = 0; i < r.n; i++)
            for (uint32_t k = 0; r.has[i * r.n + j] && k < r.n; k++)
                r.has[i * r.n + k] |= r.has[j * r.n + k];
}

static uint32_t place_in(const struct ir_pdg *g, ir_ref r)
{
    for (uint32_t i = 0; i < g->memory.count; i++)
        if (g->memory.at[i] == r)
            return i;
    return UINT32_MAX;
}

/* has[i * n + k]: the rows say that memory.at[i] comes before memory.at[k]. */
static struct relation closure_of(struct arena *a, const struct ir_pdg *g, bool carried)
{
    struct relation r = relation_new(a, g->memory.count);
    for (uint32_t k = 0; k < r.n; k++)
        for (uint32_t at = g->start[k]; at < g->start[k + 1]; at++)
            if (carried || g->on.at[at].cycle == IR_NO_CYCLE)
                r.has[place_in(g, g->on.at[at].from) * r.n + k] = true;
    close_transitively(r);
    return r;
}

/* ---- brute force ------------------------------------------------------------------------------------- */

static bool is_back_edge(const struct analyses *x, uint32_t from, uint32_t to, uint32_t *cycle)
{
    *cycle = x->cycles->innermost[to];
    return *cycle != IR_NO_CYCLE && x->cycles->at[*cycle].header == to &&
           ir_cycle_has(x->cycles, *cycle, from);
}

static bool defines_root(const struct analyses *x, uint32_t cycle, struct ir_location l)
{
    const struct ir_ins *root = ir_at(x->f, l.root);
    return l.root && root->op != IR_alloca && root->op != IR_object && root->block != IR_NO_BLOCK &&
           ir_cycle_has(x->cycles, cycle, root->block);
}

/* Walks all paths in the region from behind i; states are (block, whether a root of i may have another
 * value). `once`: without the back edges of cycles around both i and k. Whether i meets k in conflict on
 * one. */
static bool meets(struct analyses *x, struct bitset region, ir_ref i, ir_ref k, bool once)
{
    struct ir_effects fresh, to;
    uint32_t from = ir_at(x->f, i)->block, target = ir_at(x->f, k)->block;
    struct bitset seen = bitset_new(&x->arena, 2 * x->c->blocks);
    u32_vec work = {0};
    assert_true(ir_effects_of(x->m, i, &fresh) && ir_effects_of(x->m, k, &to));
    struct ir_effects stale = ir_effects_at_any_root(fresh);
    if (from == target)
        for (ir_ref r = ir_at(x->f, i)->next; r; r = ir_at(x->f, r)->next)
            if (r == k && ir_conflict_of(x->m, &fresh, &to))
                return true;
    vec_push(&x->arena, &work, 2 * from);
    while (work.count) {
        uint32_t state = vec_pop(&work), b = state / 2;
        const struct ir_block *block = ir_block_at(x->f, b);
        for (uint32_t e = 0; e < block->edges.count; e++) {
            uint32_t next = block->edges.at[e].block, old = state & 1, cycle;
            if (!bitset_has(region, next))
                continue;
            if (is_back_edge(x, b, next, &cycle)) {
                if (once && ir_cycle_has(x->cycles, cycle, from) && ir_cycle_has(x->cycles, cycle, target))
                    continue;
                old |= (fresh.reads && defines_root(x, cycle, fresh.from)) ||
                       (fresh.writes && defines_root(x, cycle, fresh.to));
            }
            if (bitset_has(seen, 2 * next + old))
                continue;
            bitset_add(seen, 2 * next + old);
            vec_push(&x->arena, &work, 2 * next + old);
            if (next == target && ir_conflict_of(x->m, old ? &stale : &fresh, &to))
                return true;
        }
    }
    return false;
}

static void check_row(struct analyses *x, struct bitset region, const struct ir_dependence *d, ir_ref k)
{
    uint32_t from = ir_at(x->f, d->from)->block, to = ir_at(x->f, k)->block;
    if (!meets(x, region, d->from, k, d->cycle == IR_NO_CYCLE))
        fail_msg("no dependence of %u on %u", k, d->from);
    assert_int_not_equal(d->kind, IR_DEP_NONE);
    if (d->cycle != IR_NO_CYCLE) {
        assert_true(ir_cycle_has(x->cycles, d->cycle, from));
        assert_true(ir_cycle_has(x->cycles, d->cycle, to));
    }
}

static void check_region(struct analyses *x, uint32_t number, uint32_t most)
{
    struct ir_pdg *g = graph_of(x, number);
    const struct ir_region *r = &x->pst->at[number];
    struct bitset region = bitset_new(&x->arena, x->c->blocks);
    for (uint32_t i = 0; i < r->count; i++)
        bitset_add(region, x->pst->blocks[r->first + i]);
    assert_true(g->precise);
    if (g->memory.count > most)
        return;
    struct relation all = closure_of(&x->arena, g, true), once = closure_of(&x->arena, g, false);
    for (uint32_t k = 0; k < all.n; k++)
        for (uint32_t at = g->start[k]; at < g->start[k + 1]; at++)
            check_row(x, region, &g->on.at[at], g->memory.at[k]);
    for (uint32_t i = 0; i < all.n; i++)
        for (uint32_t k = 0; k < all.n; k++) {
            ir_ref a = g->memory.at[i], b = g->memory.at[k];
            bool together =
                x->cycles->innermost[ir_at(x->f, a)->block] == x->cycles->innermost[ir_at(x->f, b)->block];
            if (!all.has[i * all.n + k] && meets(x, region, a, b, false))
                fail_msg("the dependence of %u on %u is lost", b, a);
            if (together && !once.has[i * all.n + k] && meets(x, region, a, b, true))
                fail_msg("the dependence of %u on %u within an iteration is lost", b, a);
        }
}

static void check_rows(void **state)
{
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        struct ir_module *m = random_module(seed, true);
        struct analyses x;
        optimize(m, *state, 0);
        analyse(&x, main_of(m));
        for (uint32_t r = 0; r < x.pst->count && r < 20; r++)
            check_region(&x, r, MOST);
        arena_free(&x.arena);
        ir_module_free(m);
    }
}

/* ---- what really is accessed ------------------------------------------------------------------------- */

/* Who last wrote each byte, and who read it since: a row has to lead from them to whom writes it next. */
struct history {
    const struct ir_pdg *g;
    struct relation closure;
    uint64_t seed;
    struct event {
        ir_ref r;
        uint64_t step;
    } writer[IR_TYPES][MEMORY_BYTES];
    VEC(struct event) readers[IR_TYPES][MEMORY_BYTES];
    struct arena arena;
};

static void expect_row(const struct history *h, struct event from, struct event to)
{
    uint32_t i = place_in(h->g, from.r), k = place_in(h->g, to.r);
    if (from.r == 0 || from.step == to.step)
        return;
    if (i == UINT32_MAX || k == UINT32_MAX || !h->closure.has[i * h->closure.n + k])
        fail_msg("seed %" PRIu64 ": %u accesses what %u did, without a dependence", h->seed, to.r, from.r);
}

static void hear(void *data, ir_ref r, uint64_t step, enum ir_type space, uint32_t byte, bool writes)
{
    struct history *h = data;
    struct event now = {r, step};
    expect_row(h, h->writer[space][byte], now);
    for (uint32_t i = 0; writes && i < h->readers[space][byte].count; i++)
        expect_row(h, h->readers[space][byte].at[i], now);
    if (writes) {
        h->writer[space][byte] = now;
        vec_clear(&h->readers[space][byte]);
    } else {
        vec_push(&h->arena, &h->readers[space][byte], now);
    }
}

static void check_accesses(void **state)
{
    for (uint64_t seed = 10000; seed < 10000 + seeds; seed++) {
        struct ir_module *m = random_module(seed, true);
        struct analyses x;
        optimize(m, *state, 0);
        analyse(&x, main_of(m));
        struct ir_pdg *g = graph_of(&x, 0);
        for (unsigned i = 0; i < INPUTS && g->memory.count < 3 * MOST; i++) {
            struct history *h = calloc(1, sizeof *h);
            *h = (struct history){.g = g, .closure = closure_of(&x.arena, g, true), .seed = seed};
            evaluate_listening(x.f, inputs[i], seed + i, FUEL, &(struct access_listener){hear, h});
            arena_free(&h->arena);
            free(h);
        }
        arena_free(&x.arena);
        ir_module_free(m);
    }
}

/* ---- a consumer -------------------------------------------------------------------------------------- */

static uint32_t permute_all(struct ir_module *m, uint64_t seed)
{
    struct arena a = {0};
    struct diagnostics d;
    uint32_t moved = 0;
    for (uint32_t i = 0; i < m->functions.count; i++)
        moved += permute(m->functions.at[i], seed + i);
    diag_init(&d, &a, NULL);
    if (!ir_verify(m, &d))
        fail_msg("seed %" PRIu64 ": %s", seed, d.all.at[0].text);
    arena_free(&a);
    return moved;
}

static void compare(const struct ir_module *before, const struct ir_module *after, uint64_t seed)
{
    for (unsigned i = 0; i < INPUTS; i++) {
        struct evaluation x = evaluate(main_of(before), inputs[i], seed + i, FUEL);
        struct evaluation y = evaluate(main_of(after), inputs[i], seed + i, 4 * FUEL);
        if (x.finished && (!y.finished || x.result != y.result || x.memory != y.memory || x.trace != y.trace))
            fail_msg("seed %" PRIu64 ", input %u: permuted, it computes something else", seed, i);
    }
}

static void check_consumer(void **state)
{
    uint64_t moved = 0;
    for (uint64_t seed = 20000; seed < 20000 + 10 * seeds; seed++) {
        struct ir_module *before = random_module(seed, true), *after = random_module(seed, true);
        optimize(before, *state, 0);
        optimize(after, *state, 0);
        moved += permute_all(after, seed);
        compare(before, after, seed);
        ir_module_free(before);
        ir_module_free(after);
    }
    assert_true(moved > 100 * seeds);
}

/* ---- large regions ----------------------------------------------------------------------------------- */

/* One block of n accesses: to `cells` words of an object at constant offsets, through an index, to global
 * memory. */
static struct ir_function *large(struct ir_module *m, uint32_t n, uint32_t cells)
{
    struct ir_function *f = ir_function_new(m, "f", IR_TYPE_VOID, 0);
    struct ir_cursor c = {.fn = f, .block = ir_block_new(f, "entry")};
    ir_ref p = ir_param_new(f, c.block, IR_TYPE_GLOBAL, "p"), x = ir_param_new(f, c.block, IR_TYPE_I32, "x");
    ir_ref own = ir_emit0(&c, IR_alloca, IR_TYPE_PRIVATE);
    ir_at(f, own)->imm = 4 * cells;
    ir_at(f, own)->imm2 = 4;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t random = hash_mix(i, 1);
        ir_ref base = random % 4 ? own : p, at = base;
        if (random / 4 % 4 < 2)
            at = ir_emit2(&c, IR_ptradd, (enum ir_type)ir_at(f, base)->type, base, x);
        int32_t offset = at == base ? 4 * (int32_t)(random / 16 % cells) : 0;
        if (at == own || (base == p && random / 8 % 2))
            ir_emit_store(&c, IR_MEM_I32, at, offset, x);
        else
            x = ir_emit_load(&c, IR_MEM_I32, IR_TYPE_I32, at, offset);
    }
    ir_emit_ret(&c, 0);
    return f;
}

static void check_large(void **state)
{
    static const struct {
        uint32_t n, cells;
        bool precise;
    } sizes[] = {
        {10000, 8, true},
        {30000, 64, true},
        {20000, 4000, false},
    };
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct ir_module *m = ir_module_new("large");
        struct analyses x;
        analyse(&x, large(m, sizes[i].n, sizes[i].cells));
        struct ir_pdg *g = graph_of(&x, 0);
        assert_int_equal(g->memory.count, sizes[i].n);
        assert_int_equal(g->precise, sizes[i].precise);
        assert_true(g->on.count > 0 || !g->precise);
        assert_true(g->on.count <= 100 * sizes[i].n && (g->precise || g->on.count == 0));
        arena_free(&x.arena);
        ir_module_free(m);
    }
}

/* More parts than are told apart. */
static void check_many_parts(void **state)
{
    for (uint32_t n = 300; n < 310; n++) {
        struct ir_module *m = ir_module_new("large");
        struct analyses x;
        analyse(&x, large(m, n, 200));
        check_region(&x, 0, n);
        arena_free(&x.arena);
        ir_module_free(m);
    }
}

static void show(uint64_t seed, const char *passes)
{
    struct ir_module *m = random_module(seed, true);
    struct text t = {0};
    optimize(m, passes, 0);
    ir_print_module(m, &t);
    text_addz(&t, "; ---- permuted\n");
    permute_all(m, seed);
    ir_print_module(m, &t);
    fwrite(t.at, 1, t.length, stdout);
    text_free(&t);
    ir_module_free(m);
}

int main(int argc, char **argv)
{
    static char values[] = "simplify_cfg,mem2reg",
                all[] = "simplify_cfg,mem2reg,sccp,gvn,memory,rotate,licm,gvn,dce";
    seeds = test_programs(15);
    if (argc > 1) {
        show(strtoull(argv[1], NULL, 0), argc > 2 ? argv[2] : values);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        {"rows, of variables in memory", check_rows, NULL, NULL, "simplify_cfg"},
        {"rows, of values", check_rows, NULL, NULL, values},
        {"accesses", check_accesses, NULL, NULL, values},
        {"accesses, optimized", check_accesses, NULL, NULL, all},
        {"permuted", check_consumer, NULL, NULL, values},
        {"permuted, optimized", check_consumer, NULL, NULL, all},
        {"large regions", check_large, NULL, NULL, NULL},
        {"many parts", check_many_parts, NULL, NULL, NULL},
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
