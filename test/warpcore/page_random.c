/* page_random.c: random assembly. Registers r1 to r15 and predicates p1 to p6 are anybody's; r17 and p7 are for
 * one instruction's use, r20 to r23 count loops, r24 to r26 point to the thread's results, the shared buffer of
 * words and the constant data, r27 to the function, r31 is the return address. Warps race for the words: what
 * they get depends on the clock.
 */
#include "test/warpcore/page_random.h"

enum { WORDS = 64, RESULTS = 24, DEPTH = 2 };
struct random {
    const struct page_tables *t;
    uint64_t state;
    struct text *out;
    uint32_t labels, depth;
};

static uint32_t below(struct random *r, uint32_t n)
{
    r->state += 0x9e3779b97f4a7c15u;
    return (uint32_t)(hash_mix(r->state, 1) >> 33) % n;
}

#define SAY(...) text_printf(r->out, __VA_ARGS__)

/* A number that is special to some instruction in half of the cases. */
static uint32_t word(struct random *r)
{
    static const uint32_t special[] = {
        0,          1,           UINT32_MAX, 0x80000000u, 0x7fffffff, 0x3f800000,  0xbf800000u,
        0x7f800000, 0xff800000u, 0x7fc00000, 0xffc12345u, 0x7f812345, 0x00000001,  0x80000001u,
        0x4f000000, 0x5f000000,  31,         32,          0x3effffff, 0xc0200000u,
    };
    if (below(r, 2))
        return special[below(r, COUNT(special))];
    return below(r, 65536) << 16 | below(r, 65536);
}

static uint32_t any_register(struct random *r)
{
    return below(r, 16);
}

static void load_word(struct random *r, uint32_t reg, uint32_t x)
{
    SAY("    lui r%u, %u\n    ori r%u, r%u, %u\n", reg, x >> 10, reg, reg, x & 1023);
}

/* ---- single instructions ------------------------------------------------------------------------------- */

static void say_operand(struct random *r, const struct page_row *row, const char *operand)
{
    if (*operand == 'r')
        SAY("r%u", any_register(r));
    else if (*operand == 'p')
        SAY("p%u", below(r, 7));
    else if (row->format == 'I')
        SAY("%d", below(r, 2) ? (int)below(r, 64) - 32 : (int)below(r, 4096) - 2048);
    else
        SAY("%u", below(r, !strcmp(row->mnemonic, "lui") ? 1 << 22 : 1 << 21));
}

static void plain(struct random *r, const struct page_row *row)
{
    SAY("    %s", row->mnemonic);
    for (int i = 0; i < PAGE_OPERANDS && *row->operand[i]; i++) {
        SAY("%s", i ? ", " : " ");
        say_operand(r, row, row->operand[i]);
    }
    SAY("\n");
}

/* The index of a word, in r17: a random one, or the same in all lanes. */
static void access(struct random *r, const struct page_row *row)
{
    uint32_t size = row->size, space = (uint32_t)row->space;
    bool constant = space == 'g' && row->kind == PAGE_LOAD && !below(r, 4);
    SAY("    andi r17, r%u, %u\n", any_register(r), (constant ? 7 : WORDS - 1) * 4 & ~(size - 1));
    if (space == 'g')
        SAY("    add r17, r17, r%u\n", constant ? 26 : 25);
    else
        SAY("    addi r17, r17, 16\n");
    if (row->kind == PAGE_ATOM) {
        SAY("    %s r%u, r17, r%u", row->mnemonic, any_register(r), any_register(r));
        if (*row->operand[3])
            SAY(", r%u", any_register(r));
        SAY("\n");
    } else {
        SAY("    %s r%u, [r17 + 0]\n", row->mnemonic, any_register(r));
    }
}

static void system_instruction(struct random *r, const struct page_row *row)
{
    if (row->kind == PAGE_LDARG) {
        SAY("    ldarg r%u, %u\n", any_register(r), 2 + below(r, 6));
    } else if (row->kind == PAGE_CSRR) {
        uint32_t n = below(r, 0x26);
        while (!*r->t->csr[n])
            n = below(r, 0x26);
        SAY("    csrr r%u, %s\n", any_register(r), r->t->csr[n]);
    } else if (row->kind == PAGE_CSRW) {
        SAY("    csrw r%u, %s\n", any_register(r), r->depth || below(r, 3) ? "yield" : "barrier");
    } else if (row->kind == PAGE_ASSERT) {
        SAY("    assert p0, 0\n");
    } else {
        SAY(row->operand[0][0] ? "    %s r30, 1\n" : "    %s\n", row->mnemonic);
    }
}

static void instruction(struct random *r)
{
    const struct page_row *row;
    do
        row = &r->t->row[below(r, 32)][below(r, 128)];
    while (row->kind == PAGE_ILLEGAL || row->kind >= PAGE_EXIT || row->kind == PAGE_TRAP);
    if (row->kind == PAGE_LOAD || row->kind == PAGE_STORE || row->kind == PAGE_ATOM)
        access(r, row);
    else if (row->kind >= PAGE_LDARG)
        system_instruction(r, row);
    else
        plain(r, row);
}

/* ---- control flow -------------------------------------------------------------------------------------- */

static void some(struct random *r, uint32_t n);

static void branch(struct random *r)
{
    static const char *const how[] = {"br", "brn", "diverge"};
    uint32_t n = r->labels++;
    r->depth++;
    SAY("    %s p%u, .T%u, .R%u\n", how[below(r, 3)], below(r, 7), n, n);
    some(r, 1 + below(r, 4));
    SAY("    br p0, .R%u\n.T%u:\n", n, n);
    some(r, 1 + below(r, 4));
    SAY(".R%u:\n    converge\n", n);
    r->depth--;
}

/* Between 1 and 4 times, for each lane another number. */
static void loop(struct random *r)
{
    uint32_t n = r->labels++, counter = 20 + r->depth++;
    SAY("    csrr r%u, lane\n    xori r%u, r%u, %u\n    andi r%u, r%u, 3\n", counter, counter, counter,
        below(r, 8), counter, counter);
    SAY(".L%u:\n", n);
    some(r, 1 + below(r, 5));
    SAY("    addi r%u, r%u, -1\n    slti p7, r%u, 0\n    brn p7, .L%u, .R%u\n.R%u:\n    converge\n", counter,
        counter, counter, n, n, n);
    r->depth--;
}

/* Lanes end; the stack keeps an entry for the others, which nobody but their own end takes away. */
static void end_early(struct random *r)
{
    uint32_t n = r->labels++;
    SAY(".B%u:\n    br p%u, .G%u, .B%u\n    exit\n.G%u:\n", n, below(r, 7), n, n, n);
}

static void call(struct random *r)
{
    if (below(r, 2))
        SAY("    call r31, function\n");
    else
        SAY("    callr r31, r27\n");
}

static void some(struct random *r, uint32_t n)
{
    while (n--)
        switch (r->depth < DEPTH ? below(r, 16) : 3 + below(r, 13)) {
        case 0: branch(r); break;
        case 1: loop(r); break;
        case 2: call(r); break;
        default: instruction(r); break;
        }
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static void head(struct random *r, uint32_t threads, const uint32_t grid[2])
{
    SAY(".shared %u\n.int 1, -2, 3, 4, 5, 0x7fc01234, 7, 8, 9, 10\n.text \"never\"\n.text \"p\"\n",
        16 + 4 * WORDS);
    SAY(".kernel k, private %u, barrier\n    .param out, ptr *, int, 4, \"global int *\"\n", 16 + 4 * WORDS);
    SAY("    .param words, ptr *, int, 4, \"global int *\"\n    .param n, i64, long, 8, \"long\"\n");
    SAY("    .param x, f32, float, 4, \"float\"\n");
    SAY(".launch k(out = zeros(%u), words = iota(%u), n = -12345678901, x = 2.75) grid(%u, %u) block(%u)\n",
        threads * grid[0] * grid[1] * RESULTS, WORDS, grid[0], grid[1], threads);
}

static void function(struct random *r)
{
    r->depth = DEPTH;
    SAY("k:\n    call r27, .begin\nfunction:\n");
    for (int i = 0; i < 4; i++)
        instruction(r);
    SAY("    ret r31\n");
    r->depth = 0;
}

/* r24: where the thread stores its results. */
static void prologue(struct random *r)
{
    SAY(".begin:\n    csrr r24, bid.y\n    csrr r1, gdim.x\n    mul r24, r24, r1\n    csrr r1, bid.x\n    "
        "add r24, r24, r1\n");
    SAY("    csrr r1, bdim.x\n    mul r24, r24, r1\n    csrr r1, tid.x\n    add r24, r24, r1\n    muli r24, "
        "r24, %u\n",
        4 * RESULTS);
    SAY("    ldarg r1, 0\n    add r24, r24, r1\n    ldarg r25, 1\n    csrr r26, data\n");
    for (uint32_t i = 2; i < 16; i++) {
        load_word(r, i, word(r));
        if (below(r, 2))
            SAY("    csrr r1, tid.x\n    %s r%u, r%u, r1\n", below(r, 2) ? "add" : "mul", i, i);
    }
    for (uint32_t i = 1; i < 7; i++)
        SAY("    andi r1, r%u, %u\n    nei p%u, r1, 0\n", 2 + below(r, 14), 1u << below(r, 4), i);
}

static void epilogue(struct random *r)
{
    for (uint32_t i = 1; i < 16; i++)
        SAY("    st.global.32 r%u, [r24 + %u]\n", i, 4 * i);
    for (uint32_t i = 1; i < 7; i++)
        SAY("    zext.p r1, p%u\n    st.global.32 r1, [r24 + %u]\n", i, 60 + 4 * i);
    SAY("    csrw r0, barrier\n    exit\n");
}

void page_random_assembly(const struct page_tables *t, uint64_t seed, struct text *out)
{
    struct random state = {.t = t, .state = seed << 32, .out = out}, *r = &state;
    const uint32_t grid[2] = {1 + below(r, 3), 1 + below(r, 2)};
    head(r, 1 + below(r, below(r, 2) ? 96 : 32), grid);
    function(r);
    prologue(r);
    for (int i = 0; i < 4; i++) {
        some(r, 10);
        if (!below(r, 3))
            end_early(r);
    }
    epilogue(r);
}
