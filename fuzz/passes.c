/* passes.c: which passes a setup runs. A pass has to be right on every valid module, not only where its level
 * puts it: some setups leave passes of the level out, others run a list drawn at random. */
#include "fuzz/fuzz.h"
#include "fuzz/random.h"

_Static_assert(OPT_PASSES <= 64, "struct fz_passes has a bit for each");

enum { OFF_PERCENT = 25, FIRST_PERCENT = 60 };

/* Most passes of a lowering may run at any place, since it runs again behind the list. What they have led round
 * a call, though, is in the way of a barrier that is inlined for it (opt/pass_order.def). */
static void inline_barriers_first(struct fz_passes *p)
{
    enum opt_pass passes[FZ_MAX_PASSES + 1];
    bool kept = true;
    for (uint32_t i = 0; i < p->count; i++)
        passes[i] = (enum opt_pass)p->at[i];
    passes[p->count] = OPT_PASS_inline_barriers; /* of the lowering */
    for (uint32_t o = 0; o < OPT_ORDERS; o++)
        kept &= opt_orders[o].before != OPT_PASS_inline_barriers ||
                opt_keeps_order(passes, p->count + 1u, &opt_orders[o]);
    if (kept)
        return;
    p->count += p->count < FZ_MAX_PASSES;
    memmove(p->at + 1, p->at, p->count - 1);
    p->at[0] = OPT_PASS_inline_barriers;
}

static void draw_list(struct fz_random *r, struct fz_passes *p)
{
    p->count = (uint8_t)(1 + fz_below(r, FZ_MAX_PASSES));
    for (uint32_t i = 0; i < p->count; i++)
        p->at[i] = (uint8_t)fz_below(r, OPT_PASSES);
    if (fz_chance(r, FIRST_PERCENT)) /* most passes have more to do on values than on memory */
        p->at[0] = OPT_PASS_mem2reg;
    inline_barriers_first(p);
}

/* Of the words of a choice, or from the least to the most. */
static uint32_t draw_value(struct fz_random *r, enum opt_option k)
{
    uint32_t least = opt_option_info[k].least, most = opt_option_info[k].most;
    if (opt_option_info[k].kind != OPT_CHOICE)
        return least + fz_below(r, most - least + 1);
    uint32_t words = 0, chosen = 0;
    for (unsigned w = 0; w < OPT_WORDS; w++)
        if (opt_word_info[w].option == k && fz_below(r, ++words) == 0)
            chosen = w;
    return chosen;
}

static void draw_switches(struct fz_random *r, struct fz_passes *p)
{
    for (unsigned i = 0; i < OPT_PASSES; i++)
        if (opt_pass_info[i].level && fz_chance(r, OFF_PERCENT))
            p->off |= (uint64_t)1 << i;
    for (unsigned k = 0; k < OPT_OPTIONS; k++)
        if (fz_chance(r, OFF_PERCENT))
            p->values[k] = draw_value(r, (enum opt_option)k) + 1;
}

struct fz_passes fz_passes_draw(struct fz_random *r)
{
    struct fz_passes p = {0};
    (fz_chance(r, 60) ? draw_list : draw_switches)(r, &p);
    return p;
}

bool fz_passes_equal(const struct fz_passes *a, const struct fz_passes *b)
{
    return a->count == b->count && !a->check == !b->check && a->off == b->off &&
           memcmp(a->at, b->at, a->count) == 0 && memcmp(a->values, b->values, sizeof a->values) == 0;
}

bool fz_passes_have(const struct fz_passes *p, uint32_t level, enum opt_pass pass)
{
    if (p->count == 0)
        return opt_pass_info[pass].level <= level && !(p->off >> pass & 1);
    return memchr(p->at, (int)pass, p->count) != NULL;
}

bool fz_passes_given(const struct fz_passes *p)
{
    return !fz_passes_equal(p, &(struct fz_passes){0});
}

bool fz_passes_parse(struct fz_passes *p, const char *list)
{
    for (p->count = 0; *list;) {
        size_t n = strcspn(list, ",");
        enum opt_pass pass = opt_pass_find(list, n);
        if (pass == OPT_PASSES || p->count == FZ_MAX_PASSES)
            return false;
        p->at[p->count++] = (uint8_t)pass;
        list += n + (list[n] == ',');
    }
    return p->count;
}

char *fz_passes_list(struct arena *a, const struct fz_passes *p)
{
    struct text t = {0};
    for (uint32_t i = 0; i < p->count; i++)
        text_printf(&t, "%s%s", i ? "," : "", opt_pass_info[p->at[i]].name);
    char *list = p->count ? arena_strdup(a, t.at, t.length) : NULL;
    text_free(&t);
    return list;
}

const char **fz_passes_switches(struct arena *a, const struct fz_passes *p, size_t *count)
{
    const char **switches = arena_array(a, const char *, OPT_PASSES + OPT_OPTIONS);
    *count = 0;
    for (unsigned i = 0; i < OPT_PASSES; i++)
        if (p->off >> i & 1)
            switches[(*count)++] = arena_printf(a, "no-%s", opt_pass_info[i].name);
    for (unsigned k = 0; k < OPT_OPTIONS; k++)
        if (p->values[k])
            switches[(*count)++] = opt_option_text((enum opt_option)k, p->values[k] - 1, a);
    return switches;
}

const char *fz_passes_text(struct arena *a, const struct fz_passes *p)
{
    size_t n;
    const char **switches = fz_passes_switches(a, p, &n);
    const char *text = p->count ? arena_printf(a, " --passes=%s", fz_passes_list(a, p)) : "";
    for (size_t i = 0; i < n; i++)
        text = arena_printf(a, "%s -f%s", text, switches[i]);
    return p->check ? arena_printf(a, "%s --check=%s", text, p->check) : text;
}

/* Takes `less` instead if it is another one that fails too. How often it asked. */
static uint32_t try_less(struct fz_passes *p, const struct fz_passes *less,
                         bool (*fails)(const struct fz_passes *, void *), void *data)
{
    if (fz_passes_equal(p, less))
        return 0;
    if (fails(less, data))
        *p = *less;
    return 1;
}

uint32_t fz_passes_reduce(struct fz_passes *p, bool (*fails)(const struct fz_passes *, void *), void *data)
{
    uint32_t tries = 0;
    for (uint32_t i = p->count; i-- > 0 && p->count > 1;) {
        struct fz_passes less = *p;
        less.count--;
        memmove(less.at + i, less.at + i + 1, less.count - i);
        tries += try_less(p, &less, fails, data);
    }
    for (unsigned i = 0; i < OPT_PASSES; i++) {
        struct fz_passes less = *p;
        less.off &= ~((uint64_t)1 << i);
        tries += try_less(p, &less, fails, data);
    }
    for (unsigned k = 0; k < OPT_OPTIONS; k++) {
        struct fz_passes less = *p;
        less.values[k] = 0;
        tries += try_less(p, &less, fails, data);
    }
    return tries;
}
