/* verify.c: may this image run?
 *
 * What is promised of an image that passes: every code word is an instruction whose targets are code words
 * and whose texts are in the table, none is run on beyond the last one, a kernel uses no register above those
 * it names, and no table is read beyond its end. Where a return leads is the machine's to check: a register
 * holds it. Two steps, then the divergence mode's own (verify_divergence.c):
 *
 *   1. tables: limits, names, texts with their operands, kernels, symbols;
 *   2. words: each decoded and its operands checked; from each kernel's entry the words it reaches, over
 *      branches, calls and the words behind calls, for the registers it uses. A kernel that reaches an
 *      indirect call may reach all.
 */
#include "backend/format/warpcore/verify.h"
#include "base/rows.h"

#include <stdio.h>

bool wc_verify_fail(struct wc_verifier *v, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(v->buffer, v->size, fmt, ap);
    va_end(ap);
    return false;
}

/* ---- tables ------------------------------------------------------------------------------------------ */

static bool check_limits(struct wc_verifier *v)
{
    const struct wc_image *m = v->m;
    const struct {
        const char *what;
        uint32_t n, most;
    } limits[] = {
        {"code words", m->code.count, WC_MAX_WORDS},
        {"texts", m->texts.count, WC_MAX_TEXTS},
        {"kernels", m->kernels.count, WC_MAX_KERNELS},
        {"symbols", m->symbols.count, WC_MAX_SYMBOLS},
        {"bytes of constant data", m->data_bytes, WC_MAX_DATA},
        {"bytes of shared memory", m->shared_bytes, WC_MAX_SHARED},
    };
    if (!m->file)
        return wc_verify_fail(v, "no source name");
    if (m->mode >= WC_MODES)
        return wc_verify_fail(v, "unknown divergence mode %u", m->mode);
    if (m->code.count == 0)
        return wc_verify_fail(v, "no code");
    if (m->places.count != m->code.count)
        return wc_verify_fail(v, "%u places of %u code words", m->places.count, m->code.count);
    for (size_t i = 0; i < COUNT(limits); i++)
        if (limits[i].n > limits[i].most)
            return wc_verify_fail(v, "%u %s, %u more than there can be", limits[i].n, limits[i].what,
                                  limits[i].n - limits[i].most);
    return true;
}

/* A printf takes an operand a conversion; a float stands for C's double. */
static enum conversion_operand printed(const void *from, uint32_t i)
{
    enum be_value t = (enum be_value)((const uint8_t *)from)[i];
    return t == BE_F64 ? CONVERSION_NONE : be_printed(t); /* the machine has no doubles */
}

/* A text without operands may be a message, in which % is a character like others. */
static bool check_text(struct wc_verifier *v, uint32_t i)
{
    const struct wc_text *t = &v->m->texts.at[i];
    struct conversion_operands o = {t->operands.count, printed, t->operands.at};
    const char *wrong = o.count ? conversion_check(t->bytes, t->length, &o) : NULL;
    return !wrong || wc_verify_fail(v, "text %u: %s", i, wrong);
}

static bool check_params(struct wc_verifier *v, const struct wc_kernel *k)
{
    for (uint32_t i = 0; i < k->params.count; i++) {
        const struct be_param *x = &k->params.at[i];
        if (!be_param_is_good(x) || x->type == BE_F64)
            return wc_verify_fail(v, "kernel %s: bad parameter %u", k->name, i);
    }
    if (k->params.count > WC_ARGUMENT_WORDS || wc_argument_words(k) + k->unsized.count > WC_ARGUMENT_WORDS)
        return wc_verify_fail(v, "kernel %s: more argument words than %u", k->name, WC_ARGUMENT_WORDS);
    return true;
}

static bool check_kernel(struct wc_verifier *v, struct strings *names, uint32_t i)
{
    const struct wc_kernel *k = &v->m->kernels.at[i];
    if (!k->name)
        return wc_verify_fail(v, "kernel %u: it has no name", i);
    intern_z(names, k->name);
    if (names->count != i + 1)
        return wc_verify_fail(v, "kernel %s: there are two of this name", k->name);
    if (k->entry >= v->m->code.count)
        return wc_verify_fail(v, "kernel %s: its entry is no code word", k->name);
    if (k->registers > WC_REGISTERS || k->predicates > WC_PREDICATES)
        return wc_verify_fail(v, "kernel %s: more registers or predicates than the machine has", k->name);
    if (k->private_bytes % 16)
        return wc_verify_fail(v, "kernel %s: private memory is no multiple of 16 bytes", k->name);
    if (k->private_bytes > WC_MAX_PRIVATE)
        return wc_verify_fail(v, "kernel %s: more bytes of private memory than %u", k->name, WC_MAX_PRIVATE);
    if (!be_unsized_are_good(&k->unsized, WC_MAX_SHARED))
        return wc_verify_fail(v, "kernel %s: " BE_BAD_UNSIZED, k->name);
    if (k->stack > WC_STACK)
        return wc_verify_fail(v, "kernel %s: a divergence stack of %u entries, %u more than there are",
                              k->name, k->stack, k->stack - WC_STACK);
    return check_params(v, k);
}

static bool check_symbols(struct wc_verifier *v)
{
    const struct wc_image *m = v->m;
    struct strings names = {.arena = &v->arena};
    for (uint32_t i = 0; i < m->symbols.count; i++) {
        const struct wc_symbol *s = &m->symbols.at[i];
        if (!s->name || !*s->name || *s->name == '.')
            return wc_verify_fail(v, "symbol %u: its name is missing, empty or begins with a point", i);
        intern_z(&names, s->name);
        if (names.count != i + 1)
            return wc_verify_fail(v, "symbol %s: there are two of this name", s->name);
        if (s->word >= m->code.count)
            return wc_verify_fail(v, "symbol %s: it names no code word", s->name);
        if (i && s->word < m->symbols.at[i - 1].word)
            return wc_verify_fail(v, "symbol %s: the symbols are not sorted", s->name);
    }
    return true;
}

static bool check_tables(struct wc_verifier *v)
{
    const struct wc_image *m = v->m;
    struct strings names = {.arena = &v->arena};
    if (!check_limits(v))
        return false;
    for (uint32_t i = 0; i < m->texts.count; i++)
        if (!check_text(v, i))
            return false;
    for (uint32_t i = 0; i < m->kernels.count; i++)
        if (!check_kernel(v, &names, i))
            return false;
    uint32_t at;
    const char *problem = launch_check_plan(m->launches.at, m->launches.count, &at);
    if (problem)
        return wc_verify_fail(v, "launch %u: %s", at, problem);
    return check_symbols(v);
}

/* ---- words ------------------------------------------------------------------------------------------- */

static bool check_imm(struct wc_verifier *v, uint32_t at)
{
    const struct wc_ins *ins = &v->ins[at];
    switch (wc_op_info[ins->op].operands[4]) {
    case 'k':
        return (uint32_t)ins->imm < v->m->code.count ||
               wc_verify_fail(v, "word %u: target %d is no code word", at, ins->imm);
    case 's':
        return ins->imm == WC_NONE || (uint32_t)ins->imm < v->m->code.count ||
               wc_verify_fail(v, "word %u: branch %d is no code word", at, ins->imm);
    case 'n':
        return (uint32_t)ins->imm < v->m->texts.count ||
               wc_verify_fail(v, "word %u: no text %d", at, ins->imm);
    default: return true;
    }
}

static bool check_word(struct wc_verifier *v, uint32_t at)
{
    v->at = at;
    struct wc_ins *ins = &v->ins[at];
    if (!wc_decode(v->m->code.at[at], ins))
        return wc_verify_fail(v, "word %u: 0x%08x is no instruction", at, v->m->code.at[at]);
    if (wc_op_info[ins->op].operands[5] == 'R' && ins->rpc != WC_NONE && ins->rpc >= v->m->code.count)
        return wc_verify_fail(v, "word %u: reconvergence point %u is no code word", at, ins->rpc);
    return check_imm(v, at);
}

static bool check_words(struct wc_verifier *v)
{
    uint32_t n = v->m->code.count;
    v->ins = arena_array(&v->arena, struct wc_ins, n);
    for (uint32_t i = 0; i < n; i++)
        if (!check_word(v, i))
            return false;
    if (!wc_never_falls_through(&v->ins[n - 1]))
        return wc_verify_fail(v, "word %u: the code falls off its end", n - 1);
    v->at = WC_NO_WORD;
    return true;
}

/* ---- registers of kernels ---------------------------------------------------------------------------- */

static void need_register(struct wc_need *need, char letter, uint32_t x)
{
    if ((letter == 'D' || letter == 'r') && x >= need->registers)
        need->registers = x + 1;
    if ((letter == 'P' || letter == 'p') && x >= need->predicates)
        need->predicates = x + 1;
}

static void need_operands(struct wc_need *need, const struct wc_ins *ins)
{
    const char *letters = wc_op_info[ins->op].operands;
    const uint8_t fields[] = {ins->d, ins->a, ins->b, ins->c};
    for (unsigned i = 0; i < COUNT(fields); i++)
        need_register(need, letters[i], fields[i]);
}

/* Unless it is outside of the code. */
static void add_word(struct walk *w, uint32_t at)
{
    if (at < w->seen.bits)
        walk_add(w, at);
}

struct wc_need wc_need_from(struct arena *arena, const struct wc_ins *ins, uint32_t n, uint32_t entry)
{
    struct wc_need need = {0};
    struct walk w = walk_new(arena, n);
    bool indirect = false;
    add_word(&w, entry);
    walk_each(at, &w) {
        need_operands(&need, &ins[at]);
        indirect = indirect || ins[at].op == WC_callr;
        if (wc_op_info[ins[at].op].operands[4] == 'k')
            add_word(&w, (uint32_t)ins[at].imm);
        if (ins[at].op == WC_br || ins[at].op == WC_brn || ins[at].op == WC_diverge)
            add_word(&w, ins[at].rpc);
        if (!wc_never_falls_through(&ins[at]))
            add_word(&w, at + 1);
    }
    for (uint32_t i = 0; indirect && i < n; i++)
        need_operands(&need, &ins[i]);
    return need;
}

/* Kernels of one entry have one need; the work is bounded by entries times words. */
static bool check_needs(struct wc_verifier *v)
{
    struct wc_need *needs = arena_array(&v->arena, struct wc_need, v->m->code.count);
    struct bitset known = bitset_new(&v->arena, v->m->code.count);
    for (uint32_t i = 0; i < v->m->kernels.count; i++) {
        const struct wc_kernel *k = &v->m->kernels.at[i];
        if (!bitset_has(known, k->entry))
            needs[k->entry] = wc_need_from(&v->arena, v->ins, v->m->code.count, k->entry);
        bitset_add(known, k->entry);
        struct wc_need need = needs[k->entry];
        if (need.registers > k->registers || need.predicates > k->predicates)
            return wc_verify_fail(
                v, "kernel %s: its code uses %u registers and %u predicates, it names %u and %u", k->name,
                need.registers, need.predicates, k->registers, k->predicates);
    }
    return true;
}

const char *wc_verify_at(const struct wc_image *m, char *buffer, size_t size, uint32_t *at)
{
    struct wc_verifier v = {.m = m, .buffer = buffer, .size = size, .at = WC_NO_WORD};
    struct mem_guard guard;
    arena_init(&v.arena);
    if (mem_guard_enter(&guard)) {
        arena_free(&v.arena);
        mem_fail(0);
    }
    bool good = check_tables(&v) && check_words(&v) && check_needs(&v) && wc_verify_divergence(&v);
    mem_guard_leave(&guard);
    arena_free(&v.arena);
    *at = v.at;
    return good ? NULL : v.buffer;
}

const char *wc_verify(const struct wc_image *m, char *buffer, size_t size)
{
    uint32_t at;
    return wc_verify_at(m, buffer, size, &at);
}
