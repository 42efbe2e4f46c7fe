/* fuzz_whole.c: the whole way. The first bytes choose what `kernc` can be told: source or IR, any divergence
 * scheme, level, list of passes, switches, limits, checks, width; the rest is the text. It is refused, or
 * compiles with the IR verified after each pass and is run; all that can be asked of the result is printed.
 */
#include "base/checks.h"
#include "frontend/frontend.h"
#include "kernc.h"
#include "opt/opt.h"
#include "test/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>

enum { HEADER = 32, MOST_PASSES = 8, SWITCHES = 3, LIMITS = 3 };

struct chooser {
    struct arena arena;
    const uint8_t *at, *end;
};

static uint32_t choose(struct chooser *c, uint32_t below)
{
    return c->at < c->end ? *c->at++ % below : 0;
}

static const char *choose_passes(struct chooser *c)
{
    const char *list = NULL;
    uint32_t n = choose(c, 2 * MOST_PASSES); /* as often those of the level */
    for (uint32_t i = 0; i < MOST_PASSES; i++) {
        uint32_t p = choose(c, OPT_PASSES);
        if (i < n && n <= MOST_PASSES)
            list =
                arena_printf(&c->arena, "%s%s%s", list ? list : "", list ? "," : "", opt_pass_info[p].name);
    }
    return list;
}

/* A word of a choice, or a number from the least to the most; or a pass of a level that is left out. */
static const char *choose_switch(struct chooser *c)
{
    uint32_t k = choose(c, OPT_OPTIONS + 8), value = choose(c, 256), words = 0, word = 0;
    if (k >= OPT_OPTIONS)
        return arena_printf(&c->arena, "no-%s", opt_pass_info[value % OPT_PASSES].name);
    const struct opt_option_info *o = &opt_option_info[k];
    if (o->kind != OPT_CHOICE)
        return opt_option_text(k, o->least + value % (o->most - o->least + 1), &c->arena);
    for (uint32_t w = 0; w < OPT_WORDS; w++)
        words += opt_word_info[w].option == k;
    for (uint32_t w = 0, i = 0; w < OPT_WORDS; w++)
        if (opt_word_info[w].option == k && i++ == value % words)
            word = w;
    return opt_option_text(k, word, &c->arena);
}

/* Small, as large as the bytes let it be, or one that nothing comes to. */
static const char *choose_limit(struct chooser *c)
{
    static const uint32_t values[] = {1, 2, 3, 5, 10, 30, 100, 1000};
    uint32_t l = choose(c, OPT_LIMITS + FE_LIMITS), value = values[choose(c, COUNT(values))];
    bool mine = l < OPT_LIMITS;
    const char *name = mine ? opt_limit_info[l].name : fe_limit_info[l - OPT_LIMITS].name;
    uint32_t most = mine ? opt_limit_info[l].most : fe_limit_info[l - OPT_LIMITS].most;
    return arena_printf(&c->arena, "%s=%u", name, value < most ? value : most);
}

/* One that the scheme has, or NULL. */
static const char *check_under(const char *scheme, uint32_t choice)
{
    static const char *const of_memory[] = {"race", "bounds", "uninit", "barrier", "all"};
    enum scheme s = scheme_find(scheme);
    if (choice >= COUNT(of_memory) || !check_bits_under(s))
        return NULL;
    return scheme_check(s) && (choice == 0 || s == SCHEME_REFERENCE) ? scheme_check(s) : of_memory[choice];
}

static void drop(void *data, const char *text, size_t n)
{
}

static void try(struct chooser *c, const void *text, size_t size, bool print)
{
    const char *switches[SWITCHES], *limits[LIMITS];
    kernc_options o;
    kernc_options_init(&o);
    o.input = choose(c, 4) ? KERNC_INPUT_SOURCE : KERNC_INPUT_IR;
    o.scheme = scheme_info[choose(c, SCHEMES)].name;
    o.level = choose(c, 3);
    o.checks = check_under(o.scheme, choose(c, 8));
    o.passes = choose_passes(c);
    o.switch_count = choose(c, SWITCHES + 1);
    for (uint32_t i = 0; i < SWITCHES; i++)
        switches[i] = choose_switch(c);
    o.limit_count = choose(c, LIMITS + 1);
    for (uint32_t i = 0; i < LIMITS; i++)
        limits[i] = choose_limit(c);
    uint32_t warp = 1 + choose(c, KERNC_MAX_WARP);
    o.switches = switches;
    o.limits = limits;
    o.warp = warp;
    o.verify_each = true;
    o.collect = choose(c, 2);
    o.divergence = choose(c, 2);
    o.analyses =
        choose(c, 4) ? NULL : "cfg,dominators,post-dominators,cycles,pst,pdg,uniformity,tokens,frontier";
    o.print = drop;
    if (print)
        fprintf(stderr,
                "--scheme=%s -O%u --check=%s --passes=%s -f%s -f%s -f%s --limit=%s --limit=%s --limit=%s "
                "(%zu, %zu)\n",
                o.scheme, o.level, o.checks, o.passes, switches[0], switches[1], switches[2], limits[0],
                limits[1], limits[2], o.switch_count, o.limit_count);
    kernc_result *r = kernc_compile("fuzz.kern", text, size, &o);
    fuzz_no_internal_error(r);
    for (int t = 0; t < KERNC_TEXTS; t++)
        kernc_result_text(r, (enum kernc_text)t, NULL);
    size_t n;
    const char *bytes = kernc_result_text(r, KERNC_TEXT_BYTECODE, &n);
    if (bytes)
        fuzz_run_program(bytes, n, scheme_target(scheme_find(o.scheme))->lanes ? 8 : warp);
    kernc_result_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEADER)
        return 0;
    struct chooser c = {.at = data, .end = data + HEADER};
    try(&c, data + HEADER, size - HEADER, getenv("KERNC_FUZZ_SHOW"));
    arena_free(&c.arena);
    return 0;
}
