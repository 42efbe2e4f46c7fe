/* divergence_test.c: what the verifier asks of code in each divergence mode (verify_divergence.c): a program
 * that has it, and for each obligation one that lacks it. And the stack bound, on graphs whose bound is
 * known.
 */
#include "backend/format/warpcore/image.h"
#include "backend/format/warpcore/stack_bound.h"
#include "base/diag.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

/* "" or the first error. */
static const char *assemble(const char *text)
{
    static char error[300];
    struct arena a = {0};
    struct diagnostics d;
    struct source *s = source_new(&a, "test.s", text, strlen(text));
    diag_init(&d, &a, s);
    struct wc_image *m = wc_assemble(s, &d);
    snprintf(error, sizeof error, "%s", d.all.count ? d.all.at[0].text : "");
    wc_image_free(m);
    arena_free(&a);
    return error;
}

static void refuses(const char *text, const char *why)
{
    const char *error = assemble(text);
    if (!strstr(error, why))
        fail_msg("'%s' is not in '%s'", why, error);
}

#define RPC(body)       ".kernel k, stack 7\nk:\n" body
#define FRONTIER(body)  ".mode frontier\n" RPC(body)
#define SOURCE_PC(body) ".mode source-pc\n" RPC(body)

/* ---- rpc --------------------------------------------------------------------------------------------- */

static void rpc_accepts(void **state)
{
    assert_string_equal(assemble(RPC("br p1, a, j\nnop\nbr p0, j\na: nop\nj: converge\nexit\n")), "");
    assert_string_equal(assemble(RPC("br p1, j, j\nnop\nj: converge\nexit\n")), "");
    assert_string_equal(assemble(RPC("l: nop\nbr p1, l, j\nj: converge\nexit\n")), "");
    /* what all who leave the loop pass is a jump */
    assert_string_equal(assemble(RPC("l: nop\nbr p1, l, j\nbr p0, j\nnop\nj: converge\nexit\n")), "");
    assert_string_equal(assemble(RPC("br p1, a\nnop\na: exit\n")), ""); /* uniform */
    /* behind where all ways meet, and where some leave before */
    assert_string_equal(assemble(RPC("br p1, a, j\nnop\nbr p0, m\na: nop\nm: nop\nj: converge\nexit\n")), "");
    assert_string_equal(assemble(RPC("br p1, a, j\nexit\na: nop\nj: converge\nexit\n")), "");
    /* endless side */
    assert_string_equal(assemble(RPC("br p1, t, j\nj: converge\nexit\nt: nop\nl: br p0, l\n")), "");
    /* never reconverge */
    assert_string_equal(assemble(RPC("l: br p1, l, l\nbr p0, l\n")), "");
    /* not reached */
    assert_string_equal(assemble(RPC("exit\nbr p1, k, k\nexit\n")), "");
}

static void rpc_refuses(void **state)
{
    refuses(RPC("br p1, a, j\nnop\nbr p0, j\na: nop\nj: nop\nexit\n"),
            "its lanes reconverge at word 4, which is no converge");
    refuses(RPC("br p1, a, j\nexit\na: nop\nexit\nj: converge\nexit\n"),
            "word 0: its lanes reconverge at word 4, and can't come there");
    refuses(RPC("l: nop\nj: converge\nbr p1, l, j\ne: br p2, x, j\nx: exit\n"),
            "word 3: its lanes reconverge at word 1, and can't come there");
}

static void functions(void **state)
{
    refuses(RPC("j: converge\ncall r31, f\nexit\nf: br p1, g, j\nnop\ng: ret r31\n"),
            "word 3: its lanes reconverge at word 0, and can't come there");
    assert_string_equal(assemble(RPC("call r31, f\nexit\nf: br p1, j, j\nnop\nj: converge\nret r31\n")), "");
    refuses(RPC("call r31, f\nexit\nf: br p1, g\nret r31\ng: ret r31\n"),
            "a second ret of the function at word 2");
}

/* ---- source-pc --------------------------------------------------------------------------------------- */

static void source_pc_accepts(void **state)
{
    assert_string_equal(assemble(SOURCE_PC("b: br p1, a, j\nnop\nbr p0, j\na: nop\nj: converge b\nexit\n")),
                        "");
    assert_string_equal(assemble(SOURCE_PC("h: nop\ne: br p1, x, x\nbr p0, h\nx: converge e\nexit\n")), "");
    /* a branch that is never reached */
    assert_string_equal(assemble(SOURCE_PC("br p0, j\nb: br p1, j, j\nnop\nj: converge b\nexit\n")), "");
    /* two that reconverge at one place, the inner one first */
    assert_string_equal(
        assemble(SOURCE_PC("o: br p1, j, jo\ni: br p2, j, j\nnop\nj: converge i\njo: converge o\nexit\n")),
        "");
    /* two of a cycle that reaches no end: their entries pile up, and no lane looks for one */
    assert_string_equal(assemble(SOURCE_PC("h: nop\nd: br p1, h, d\ne: br p2, h, e\nbr p0, h\nexit\n")), "");
}

static void source_pc_refuses_converges(void **state)
{
    refuses(SOURCE_PC("b: br p1, j, j\nnop\nj: converge\nexit\n"),
            "word 2, which it names, is no converge that names it");
    refuses(SOURCE_PC("b: br p1, j, j\nnop\nj: converge b\nconverge b\nexit\n"),
            "word 3: converge names word 0, which is no branch that names it");
    refuses(SOURCE_PC("b: br p1, j\nnop\nj: converge b\nexit\n"),
            "converge names word 0, which is no branch that names it");
    refuses(SOURCE_PC("o: br p1, j, j\ni: br p2, j, ji\nnop\nj: converge o\nji: converge i\nexit\n"),
            "word 1: its converge stands behind that of word 0, around it");
}

static void source_pc_refuses_loops(void **state)
{
    /* the stay side is taken */
    refuses(
        SOURCE_PC("h: nop\ne: br p1, h, x\nx: converge e\nexit\n"),
        "word 1: it can run again before its lanes have reconverged, so its target has to be its converge");
    /* two exits */
    refuses(
        SOURCE_PC("h: nop\ne: br p1, x, x\nf: br p2, x, xf\nbr p0, h\nx: converge e\nxf: converge f\nexit\n"),
        "word 2: lanes leave a cycle here and at word 1, apart");
}

static void source_pc_refuses_ends(void **state)
{
    refuses(SOURCE_PC("br p1, a\nexit\na: exit\n"), "a second exit of the kernel at word 0");
    refuses(SOURCE_PC("call r31, f\nexit\nf: exit\n"), "exit in the function at word 2, which is called");
}

/* ---- the stack --------------------------------------------------------------------------------------- */

#define IF_IN_IF "br p1, x, x\nbr p2, y, y\nnop\ny: converge\nx: converge\nexit\n"

static void stack_of_kernels(void **state)
{
    refuses(".kernel k, stack 1\nk:\n" IF_IN_IF,
            "kernel k: its code may need 2 entries of the divergence stack, it names 1");
    assert_string_equal(assemble(".kernel k, stack 2\nk:\n" IF_IN_IF), "");
    refuses(".kernel k, stack 1\nk:\nbr p1, x, x\ncall r31, f\nx: converge\nexit\n"
            "f: br p1, j, j\nnop\nj: converge\nret r31\n",
            "may need 2 entries");
    refuses(".mode article\n.kernel k, stack 7\nk:\n" IF_IN_IF, "may need 16 entries");
}

static void too_much_in_common(void **state)
{
    struct text t = {0};
    text_addz(&t, ".kernel k\nk:\n");
    for (int i = 0; i < 40; i++)
        text_printf(&t, "call r31, f%d\n", i);
    text_addz(&t, "exit\n");
    for (int i = 0; i < 40; i++)
        text_printf(&t, "f%d: nop\n", i);
    for (int i = 0; i < 3000; i++)
        text_addz(&t, "nop\n");
    text_addz(&t, "ret r31\n");
    refuses(t.at, "functions share over 65536 words of code");
    text_free(&t);
}

#define BRANCH(a, b, m)                                                                                      \
    {                                                                                                        \
        .count = 2, .next = {a, b}, .reconverge = m, .diverges = (m) != WC_NO_NODE                           \
    }
#define GO(a)                                                                                                \
    {                                                                                                        \
        .count = 1, .next = {a}, .reconverge = WC_NO_NODE                                                    \
    }
#define END                                                                                                  \
    {                                                                                                        \
        .reconverge = WC_NO_NODE                                                                             \
    }

static uint32_t bound(const struct wc_node *nodes, uint32_t n, enum wc_mode mode)
{
    struct arena a = {0};
    struct wc_node copy[32];
    memcpy(copy, nodes, n * sizeof *nodes);
    struct wc_flow g = {n, copy};
    uint32_t most = wc_stack_bound(&a, &g, mode, NULL);
    arena_free(&a);
    return most;
}

static void bounds(void **state)
{
    const struct wc_node plain[] = {GO(1), END};
    /* if (a) if (b) X; both reconverge at 3: the second finds lanes that wait there already */
    const struct wc_node shared[] = {BRANCH(1, 3, 3), BRANCH(2, 3, 3), GO(3), END};
    const struct wc_node nested[] = {BRANCH(1, 4, 4), BRANCH(2, 3, 3), GO(3), GO(4), END};
    /* a loop whose exit is where its lanes reconverge; one that runs a block first; one with two exits to
     * different blocks */
    const struct wc_node loop[] = {GO(1), BRANCH(0, 2, 2), END};
    const struct wc_node late[] = {GO(1), BRANCH(0, 2, 2), GO(3), END};
    const struct wc_node exits[] = {BRANCH(1, 2, 4), BRANCH(0, 3, 4), GO(4), GO(4), END};
    /* two that wait for the same target share the entry, two that do not, do not */
    const struct wc_node same[] = {BRANCH(1, 3, 4), BRANCH(2, 3, 4), GO(4), GO(4), END};
    const struct wc_node other[] = {BRANCH(1, 3, 5), BRANCH(2, 4, 5), GO(5), GO(5), GO(5), END};
    assert_int_equal(bound(plain, 2, WC_MODE_RPC), 0);
    assert_int_equal(bound(shared, 4, WC_MODE_RPC), 1);
    assert_int_equal(bound(shared, 4, WC_MODE_SOURCE_PC), 2);
    assert_int_equal(bound(nested, 5, WC_MODE_RPC), 2);
    assert_int_equal(bound(loop, 3, WC_MODE_RPC), 1);
    assert_int_equal(bound(loop, 3, WC_MODE_SOURCE_PC), 1);
    assert_int_equal(bound(late, 4, WC_MODE_RPC), 1);
    assert_int_equal(bound(exits, 5, WC_MODE_RPC), WC_LANES - 1);
    assert_int_equal(bound(same, 5, WC_MODE_RPC), 1);
    assert_int_equal(bound(other, 6, WC_MODE_RPC), 2);
}

static void frontier_accepts(void **state)
{
    assert_string_equal(assemble(FRONTIER("br p1, a, f\nf: nop\nbr p0, j\na: nop\nj: converge\nexit\n")), "");
    assert_string_equal(assemble(FRONTIER("l: nop\nbr p1, l, j\nj: nop\nexit\n")), "");
    assert_string_equal(assemble(FRONTIER("br p1, a\nnop\na: exit\n")), ""); /* uniform */
    /* both sides above */
    assert_string_equal(assemble(FRONTIER("br p0, h\na: nop\nb: converge\nh: br p1, a, b\nexit\n")), "");
    assert_string_equal(assemble(".mode frontier\n.kernel k, stack 7\nf: br p1, j, g\ng: nop\nj: converge\n"
                                 "ret r31\nk: call r31, f\nexit\n"),
                        "");
}

static void frontier_refuses(void **state)
{
    refuses(FRONTIER("br p1, j, f\nf: nop\nj: nop\nexit\n"),
            "word 2: no converge, and others may wait at word 2");
    refuses(FRONTIER("br p1, j, m\nj: nop\nbr p0, m\nm: nop\nexit\n"),
            "word 3: no converge, and others may wait at word 3");
    refuses(FRONTIER("br p1, j, f\nf: br p0, m\nj: converge\nm: nop\nexit\n"),
            "word 3: no converge, and others may wait at word 2");
    refuses(FRONTIER("call r31, f\nexit\nf: ret r31\n"),
            "word 0: the function has a callee with words up to 2");
    refuses(FRONTIER("callr r31, r1\nexit\n"), "word 0: callr");
    refuses(".mode frontier\n.kernel k, stack 7\nf: br p1, j, g\ng: ret r31\nj: nop\nbr p0, f\n"
            "k: call r31, f\nexit\n",
            "word 1: lanes return while others may wait at word 2");
    refuses(".mode frontier\n.kernel k, stack 0\nk: br p1, j, f\nf: nop\nj: converge\nexit\n",
            "may need 1 entries");
}

/* Three branches around a body of so many nodes. */
static uint32_t bound_around(uint32_t body)
{
    struct arena a = {0};
    uint32_t end = body + 3;
    struct wc_flow g = {end + 1, arena_array(&a, struct wc_node, end + 1)};
    for (uint32_t i = 0; i < end; i++)
        g.at[i] = i < 3 ? (struct wc_node)BRANCH(i + 1, end, end) : (struct wc_node)GO(i + 1);
    g.at[end] = (struct wc_node)END;
    uint32_t most = wc_stack_bound(&a, &g, WC_MODE_SOURCE_PC, NULL);
    arena_free(&a);
    return most;
}

static void too_many_steps(void **state)
{
    assert_int_equal(bound_around(1000), 3);
    assert_int_equal(bound_around(WC_MAX_STACK_STEPS / 3 + 1), WC_LANES - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rpc_accepts),
        cmocka_unit_test(rpc_refuses),
        cmocka_unit_test(functions),
        cmocka_unit_test(source_pc_accepts),
        cmocka_unit_test(source_pc_refuses_converges),
        cmocka_unit_test(source_pc_refuses_loops),
        cmocka_unit_test(source_pc_refuses_ends),
        cmocka_unit_test(frontier_accepts),
        cmocka_unit_test(frontier_refuses),
        cmocka_unit_test(stack_of_kernels),
        cmocka_unit_test(too_much_in_common),
        cmocka_unit_test(bounds),
        cmocka_unit_test(too_many_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
