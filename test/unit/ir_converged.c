/* ir_converged.c: m-converged blocks of graphs worked out by hand ("Convergent Operation Semantics",
 * Controlled m-converged Static Instances; the criteria of LLVM's "Convergence And Uniformity"). Blocks are
 * in the order of the text; %t differs between threads, %n does not.
 */
#include "test/unit/ir_files.h"

#include "ir/analysis/analysis.h"

#define HEAD                                                                                                 \
    "module \"m\"\nkernel @k(n: i32 \"int\" of int 4)\n"                                                     \
    "define kernel void @k(%n: i32) convergent {\nentry:\n"                                                  \
    "  %t = special tid.x\n  %c = slt %t, 3\n  %u = slt %n, 3\n  %e = token.entry\n"

/* The blocks that are not m-converged, with a blank before and behind each. */
static void expect(const char *body, const char *unconverged)
{
    struct reading r;
    struct text text = {0}, found = {0};
    text_addz(&text, HEAD);
    text_addz(&text, body);
    text_addz(&text, "}\n");
    reading_start(&r, "graph", text.at, text.length);
    assert_non_null(r.module);
    assert_true(ir_verify(r.module, &r.diagnostics));
    const struct ir_function *f = r.module->functions.at[0];
    const struct ir_cfg *g = ir_cfg_new(&r.arena, f);
    const struct ir_tokens *t = ir_tokens_new(&r.arena, g);
    const struct ir_uniformity *u = ir_uniformity_new(&r.arena, g, ir_cycles_new(&r.arena, g), t, NULL);
    text_addz(&found, " ");
    ir_each_block(i, b, f)
        if (!ir_is_converged(u, b))
            text_printf(&found, "%s ", ir_block_at(f, b)->name);
    assert_string_equal(found.at, unconverged);
    text_free(&found);
    text_free(&text);
    reading_end(&r);
}

/* Divergent exits and a divergent branch outside: a natural loop has one entry, so both criteria hold. */
static void test_reducible(void **state)
{
    expect("  brif %c, head, aside\naside:\n  br head\nhead:\n  brif %c, body, out\nbody:\n"
           "  brif %c, head, out\nout:\n  ret\n",
           " ");
}

/* Two entries, but all threads go the same way. */
static void test_uniform(void **state)
{
    expect("  brif %u, one, two\none:\n  br two\ntwo:\n  brif %u, one, out\nout:\n  ret\n", " ");
}

/* Diverged Paths reaching a Cycle: threads diverge outside and reconverge in the cycle, entered by both
 * entries. */
static void test_reached(void **state)
{
    expect("  brif %c, one, two\none:\n  br two\ntwo:\n  brif %u, one, out\nout:\n  ret\n", " one two ");
}

/* They part and reconverge outside, before they enter. */
static void test_met_before(void **state)
{
    expect("  brif %c, left, reconverge\nleft:\n  br reconverge\nreconverge:\n  brif %u, one, two\none:\n  "
           "br two\ntwo:\n"
           "  brif %u, one, out\nout:\n  ret\n",
           " ");
}

/* Diverged Entry Criterion: threads diverge at `one` and reconverge at `turn`; `two`, on a way between, is an
 * entry. */
static void test_entered(void **state)
{
    expect("  brif %u, one, two\none:\n  brif %c, two, turn\ntwo:\n  br turn\nturn:\n"
           "  brif %u, one, out\nout:\n  ret\n",
           " one two turn ");
}

/* The same, but no way between where they diverge and reconverge has an entry: `turn` comes back by `two`. */
static void test_not_entered(void **state)
{
    expect("  brif %u, one, two\none:\n  brif %c, left, turn\nleft:\n  br turn\nturn:\n  br two\ntwo:\n"
           "  brif %u, one, out\nout:\n  ret\n",
           " ");
}

/* Some leave at a divergent branch: nobody reconverges inside who was apart. */
static void test_left(void **state)
{
    expect("  brif %u, one, two\none:\n  brif %c, two, out\ntwo:\n  br one\nout:\n  ret\n", " ");
}

/* The irreducible cycle inside a loop: the loop around it, whose header comes before, stays m-converged. */
static void test_nested(void **state)
{
    expect("  br head\nhead:\n  brif %c, one, two\none:\n  br two\ntwo:\n  brif %u, one, latch\nlatch:\n"
           "  brif %u, head, out\nout:\n  ret\n",
           " one two ");
}

/* A token in whose region a point stands is to be defined at an m-converged point: so not behind either. */
static void test_region(void **state)
{
    expect("  brif %c, one, two\none:\n  br two\ntwo:\n  %a = token.anchor\n  brif %u, one, behind\nbehind:\n"
           "  syncwarp [%a]\n  br out\nout:\n  ret\n",
           " one two behind ");
}

/* With an edge from one entry to itself, a natural loop inside: every cycle around a point counts. */
static void test_inner_loop(void **state)
{
    expect("  brif %c, one, two\none:\n  brif %u, one, two\ntwo:\n  brif %u, one, out\nout:\n  ret\n",
           " one two ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reducible),  cmocka_unit_test(test_uniform), cmocka_unit_test(test_reached),
        cmocka_unit_test(test_met_before), cmocka_unit_test(test_entered), cmocka_unit_test(test_not_entered),
        cmocka_unit_test(test_left),       cmocka_unit_test(test_nested),  cmocka_unit_test(test_region),
        cmocka_unit_test(test_inner_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
