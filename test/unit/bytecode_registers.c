/* bytecode_registers.c: parallel moves against their definition; register allocation against liveness
 * computed the slow way, on random control flow: no definition may hit a register that holds a live value of
 * another.
 */
#include "backend/bytecode/emit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static uint64_t seed;
static unsigned trial;

static uint32_t draw(uint32_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % below;
}

/* ---- parallel moves ---------------------------------------------------------------------------------- */

enum { SLOTS = 24, SCRATCH = 100, FROM_SCALAR = 1000 };
struct machine {
    uint32_t slots[200], scratch, emitted;
};

static void run_move(void *data, struct be_transfer t)
{
    struct machine *m = data;
    m->emitted++;
    for (uint32_t i = 0; i <= t.wide; i++)
        m->slots[t.to + i] = t.from_scalar ? FROM_SCALAR + t.from : m->slots[t.from + i];
}

static uint32_t take_scratch(void *data, bool wide)
{
    struct machine *m = data;
    m->scratch += 2;
    return SCRATCH + m->scratch - 2;
}

/* Destinations are disjoint; sources are anything. */
static uint32_t random_moves(struct be_transfer *t)
{
    uint32_t n = 0;
    for (uint32_t slot = 0; slot < SLOTS; slot += 2) {
        bool wide = draw(3) == 0;
        for (uint32_t k = 0; k < (wide ? 1u : 2u); k++) {
            if (draw(4) == 0)
                continue;
            bool scalar = draw(6) == 0;
            uint32_t from = draw(SLOTS);
            t[n++] = (struct be_transfer){slot + k, wide && !scalar ? from & ~1u : from, wide, scalar};
        }
    }
    return n;
}

static void parallel_moves(void **state)
{
    for (seed = 1; seed < 3000; seed++) {
        uint64_t start = seed;
        struct arena a = {0};
        struct be_transfer t[SLOTS], copy[SLOTS];
        struct machine m = {0};
        struct be_mover mover = {run_move, take_scratch, &m};
        uint32_t n = random_moves(t), expected[SLOTS];
        for (uint32_t i = 0; i < SLOTS; i++)
            m.slots[i] = expected[i] = i;
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t k = 0; k <= t[i].wide; k++)
                expected[t[i].to + k] = t[i].from_scalar ? FROM_SCALAR + t[i].from : t[i].from + k;
        memcpy(copy, t, sizeof t);
        be_parallel_moves(&a, &mover, copy, n);
        assert_memory_equal(m.slots, expected, sizeof expected);
        assert_true(m.emitted <= n + m.scratch / 2);
        arena_free(&a);
        seed = start;
    }
}

/* Only cycles need a scratch register, one each. */
static void scratch_for_cycles_only(void **state)
{
    struct arena a = {0};
    struct machine m = {0};
    struct be_mover mover = {run_move, take_scratch, &m};
    struct be_transfer chain[] = {{1, 0, false, false}, {2, 1, false, false}, {3, 2, false, false}};
    be_parallel_moves(&a, &mover, chain, 3);
    assert_int_equal(m.scratch, 0);
    struct be_transfer swaps[] = {
        {0, 2, true, false}, {2, 0, true, false}, {4, 5, false, false}, {5, 4, false, false}};
    be_parallel_moves(&a, &mover, swaps, 4);
    assert_int_equal(m.scratch, 4);
    arena_free(&a);
}

/* ---- random functions -------------------------------------------------------------------------------- */

enum { BLOCKS = 14 };

static ir_ref pick(u32_vec *known)
{
    return known->at[draw(known->count)];
}

/* Values that block b may use: those of the blocks that dominate it. */
static void fill_block(struct ir_module *m, struct ir_function *f, uint32_t b, u32_vec *known)
{
    struct ir_cursor c = {.fn = f, .block = b, .before = ir_terminator(f, b)};
    for (uint32_t n = draw(5); n > 0; n--) {
        ir_ref x = pick(known), y = pick(known), r;
        switch (draw(4)) {
        case 0:
            r = ir_emit2(&c, IR_slt, IR_TYPE_I1, x, y);
            r = ir_emit3(&c, IR_select, IR_TYPE_I32, r, x, y);
            break;
        case 1:
            r = ir_emit1(&c, IR_trunc, IR_TYPE_I32,
                         ir_emit2(&c, IR_mul, IR_TYPE_I64, ir_emit1(&c, IR_sext, IR_TYPE_I64, x),
                                  ir_emit1(&c, IR_zext, IR_TYPE_I64, y)));
            break;
        case 2:
            r = ir_emit_load(&c, IR_MEM_I32, IR_TYPE_I32, ir_block_at(f, ir_entry(f))->params.at[0], 0);
            r = ir_emit2(&c, IR_add, IR_TYPE_I32, r, x);
            break;
        default: r = ir_emit2(&c, IR_sub, IR_TYPE_I32, x, y);
        }
        vec_push(&m->arena, known, r);
    }
    ir_emit_store(&c, IR_MEM_I32, ir_block_at(f, ir_entry(f))->params.at[0], 4 * (int32_t)b, pick(known));
}

static void make_edges(struct ir_function *f, uint32_t b)
{
    struct ir_cursor c = {.fn = f, .block = b};
    uint32_t n = draw(8);
    if (b + 1 == BLOCKS || n == 0)
        ir_emit_ret(&c, 0);
    else if (n < 4)
        ir_emit_br(&c, draw(5) ? b + 1 : 1 + draw(BLOCKS - 1));
    else if (n < 7)
        ir_emit_brif(&c, ir_const_i1(f, true), b + 1, 1 + draw(BLOCKS - 1));
    else {
        ir_emit_switch(&c, ir_const_i32(f, 1), 1 + draw(BLOCKS - 1));
        ir_edge_add(f, b, 1 + draw(BLOCKS - 1), 1);
        ir_edge_add(f, b, b + 1, 2);
    }
}

/* Arguments of the edges, and conditions that differ between lanes. */
static void finish_block(struct ir_module *m, struct ir_function *f, uint32_t b, u32_vec *known)
{
    struct ir_ins *t = ir_at(f, ir_terminator(f, b));
    struct ir_cursor c = {.fn = f, .block = b, .before = ir_terminator(f, b)};
    if (t->op == IR_brif) {
        ir_ref compare = ir_emit2(&c, IR_slt, IR_TYPE_I1, pick(known), pick(known));
        ir_at(f, ir_terminator(f, b))->args[0] = compare;
    } else if (t->op == IR_switch) {
        t->args[0] = pick(known);
    }
    for (uint32_t e = 0; e < ir_block_at(f, b)->edges.count; e++)
        for (uint32_t i = 0; i < ir_block_at(f, ir_block_at(f, b)->edges.at[e].block)->params.count; i++)
            ir_edge_arg(f, &ir_block_at(f, b)->edges.at[e], draw(9) ? pick(known) : ir_const_i32(f, draw(5)));
}

static struct ir_module *random_function(void)
{
    struct ir_module *m = ir_module_new("random");
    struct ir_function *f = ir_function_new(m, "k", IR_TYPE_VOID, IR_FN_KERNEL);
    struct ir_kernel_info info = {.function = f->id};
    struct ir_param_info p = {"p", "global int *", IR_TYPE_GLOBAL, LAUNCH_INT, 4, NULL};
    struct arena a = {0};
    u32_vec known[BLOCKS] = {0};
    vec_push(&m->arena, &info.params, p);
    vec_push(&m->arena, &m->kernels, info);
    for (uint32_t b = 0; b < BLOCKS; b++)
        ir_block_new(f, NULL);
    ir_param_new(f, 0, IR_TYPE_GLOBAL, "p");
    for (uint32_t b = 1; b < BLOCKS; b++)
        for (uint32_t n = draw(4); n > 0; n--)
            ir_param_new(f, b, IR_TYPE_I32, NULL);
    for (uint32_t b = 0; b < BLOCKS; b++)
        make_edges(f, b);
    struct ir_cfg *cfg = ir_cfg_new(&a, f);
    struct ir_dominators *dom = ir_dominators_new(&a, cfg);
    for (uint32_t i = 0; i < dom->count; i++) {
        uint32_t b = dom->order[i];
        if (dom->idom[b] != IR_NO_BLOCK)
            for (uint32_t k = 0; k < known[dom->idom[b]].count; k++)
                vec_push(&a, &known[b], known[dom->idom[b]].at[k]);
        else {
            struct ir_cursor c = {.fn = f, .block = 0, .before = ir_block_at(f, 0)->first};
            ir_ref id = ir_emit0(&c, IR_special, IR_TYPE_I32);
            vec_push(&a, &known[b], id);
        }
        for (uint32_t k = 0; b && k < ir_block_at(f, b)->params.count; k++)
            vec_push(&a, &known[b], ir_block_at(f, b)->params.at[k]);
        fill_block(m, f, b, &known[b]);
        finish_block(m, f, b, &known[b]);
    }
    struct bitset dead = bitset_new(&a, BLOCKS);
    for (uint32_t b = 0; b < BLOCKS; b++)
        if (!bitset_has(cfg->reachable, b))
            bitset_add(dead, b);
    ir_blocks_remove(f, dead);
    arena_free(&a);
    return m;
}

/* ---- the slow way: live sets by iteration ------------------------------------------------------------ */

struct slow {
    struct be_function *f;
    struct bitset *live_in;
    struct arena a;
};

static bool is_own(const struct be_function *f, uint32_t v)
{
    return be_vreg(f, v)->home == BE_FRAME && be_vreg(f, v)->kind != BC_KIND_S;
}

/* Regions keep wide and narrow vectors apart. */
static bool same_register(const struct be_function *f, uint32_t v, uint32_t u)
{
    const struct be_vreg *x = be_vreg(f, v), *y = be_vreg(f, u);
    return be_region_of(x) == be_region_of(y) && x->reg == y->reg;
}

static void check_definition(struct slow *s, struct bitset live, uint32_t d, uint32_t copy_of)
{
    if (!is_own(s->f, d))
        return;
    bitset_each(v, live)
        if (v != d && v != copy_of && is_own(s->f, v) && same_register(s->f, v, d))
            fail_msg("trial %u: register of %u is overwritten by %u", trial, v, d);
}

static void add_uses(struct slow *s, struct bitset live, const struct be_word *w)
{
    uint32_t uses[5], more_count;
    const uint32_t *more = NULL;
    uint32_t n = be_uses(s->f, w, uses, &more, &more_count);
    for (uint32_t i = 0; i < n; i++)
        bitset_add(live, uses[i]);
}

/* Backwards through block k; with `check`, each definition is looked at. */
static void walk_block(struct slow *s, uint32_t k, struct bitset live, bool check)
{
    struct be_function *f = s->f;
    const struct be_block *b = &f->blocks.at[k];
    bitset_clear(live);
    for (uint32_t e = 0; e < ir_block_at(f->ir, b->ir)->edges.count; e++) {
        const struct be_edge *edge = &f->edges.at[b->first_edge + e];
        struct bitset in = bitset_new(&s->a, live.bits);
        bitset_copy(in, s->live_in[f->cfg->rpo_index[edge->target]]);
        for (uint32_t i = 0; i < edge->moves && check; i++) {
            const struct be_move *m = &f->moves.at[edge->first_move + i];
            if (be_vreg(f, m->to)->live)
                check_definition(s, in, m->to, m->to);
        }
        for (uint32_t i = 0; i < edge->moves; i++)
            bitset_remove(in, f->moves.at[edge->first_move + i].to);
        for (uint32_t i = 0; i < edge->moves; i++)
            if (be_vreg(f, f->moves.at[edge->first_move + i].to)->live)
                bitset_add(in, f->moves.at[edge->first_move + i].from);
        bitset_union(live, in);
    }
    for (uint32_t i = b->end; i-- > b->first;) {
        const struct be_word *w = &f->words.at[i];
        if (!w->live)
            continue;
        if (be_defines(w)) {
            bitset_remove(live, w->d);
            if (check)
                check_definition(s, live, w->d, 0);
        }
        add_uses(s, live, w);
    }
}

static void check_registers(struct be_function *f)
{
    struct slow s = {.f = f};
    s.live_in = arena_array(&s.a, struct bitset, f->blocks.count);
    for (uint32_t k = 0; k < f->blocks.count; k++)
        s.live_in[k] = bitset_new(&s.a, f->vregs.count);
    struct bitset live = bitset_new(&s.a, f->vregs.count);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = f->blocks.count; k-- > 0;) {
            walk_block(&s, k, live, false);
            changed |= bitset_union(s.live_in[k], live);
        }
    }
    for (uint32_t k = 0; k < f->blocks.count; k++)
        walk_block(&s, k, live, true);
    arena_free(&s.a);
}

static void allocation(void **state)
{
    for (trial = 1; trial <= 1500; trial++) {
        seed = trial;
        struct ir_module *m = random_function();
        struct arena a = {0};
        struct diagnostics d;
        struct be_context c = {.m = m, .scheme = SCHEME_pdom, .d = &d, .p = bc_program_new()};
        diag_init(&d, &a, NULL);
        if (!ir_verify(m, &d)) {
            diag_print(&d, stderr, false);
            fail();
        }
        assert_true(be_frames(&c));
        be_select(&c, c.functions[0]);
        be_liveness(&c, c.functions[0]);
        be_regalloc(&c, c.functions[0]);
        check_registers(c.functions[0]);
        arena_free(&c.arena);
        bc_program_free(c.p);
        ir_module_free(m);
        arena_free(&a);
    }
}

/* ---- pools ------------------------------------------------------------------------------------------- */

static void pools(void **state)
{
    struct arena a = {0};
    struct be_pool p = {0};
    assert_int_equal(be_pool_take(&a, &p, false, BE_INTEGERS), 0);
    assert_int_equal(be_pool_take(&a, &p, true, BE_INTEGERS), 2);
    assert_int_equal(be_pool_take(&a, &p, false, BE_INTEGERS), 1);
    assert_int_equal(be_pool_take(&a, &p, false, BE_INTEGERS), 4);
    be_pool_give(&p, 1, false);
    assert_int_equal(be_pool_take(&a, &p, true, BE_INTEGERS), 6);
    assert_int_equal(be_pool_take(&a, &p, false, BE_INTEGERS), 1);
    be_pool_give(&p, 2, true);
    assert_int_equal(be_pool_take(&a, &p, true, BE_INTEGERS), 2);
    for (unsigned i = 8; i < 300; i++)
        be_pool_take(&a, &p, i % 2, BE_INTEGERS);
    assert_true(p.most >= 300);
    be_pool_clear(&p);
    assert_int_equal(be_pool_take(&a, &p, true, BE_INTEGERS), 0);
    arena_free(&a);
}

/* A slot that has held integers never holds floats, though nobody has it. */
static void contents_are_disjoint(void **state)
{
    struct arena a = {0};
    struct be_pool p = {0};
    UNUSED(state);
    assert_int_equal(be_pool_take(&a, &p, false, BE_INTEGERS), 0);
    be_pool_give(&p, 0, false);
    assert_int_equal(be_pool_take(&a, &p, false, BE_FLOATS), 1);
    assert_int_equal(be_pool_take(&a, &p, true, BE_DOUBLES), 2);
    be_pool_clear(&p);
    assert_int_equal(be_pool_take(&a, &p, true, BE_INTEGERS), 4);
    assert_int_equal(be_pool_take(&a, &p, false, BE_FLOATS), 1);
    assert_int_equal(be_pool_take(&a, &p, true, BE_DOUBLES), 2);
    assert_int_equal(be_pool_take(&a, &p, false, BE_INTEGERS), 0);
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parallel_moves),
        cmocka_unit_test(scratch_for_cycles_only),
        cmocka_unit_test(allocation),
        cmocka_unit_test(pools),
        cmocka_unit_test(contents_are_disjoint),
    };
    return cmocka_run_group_tests_name("bytecode_registers", tests, NULL, NULL);
}
