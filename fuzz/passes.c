/* passes.c: which passes a setup runs. A pass has to be right on every valid module, not only where its level
 * puts it: some setups leave passes of the level out, others run a list drawn at random. */
#include "fuzz/fuzz.h"
#include "fuzz/random.h"

_Static_assert(OPT_PASSES <= 64, "struct fz_passes has a bit for each");

enum { OFF_PERCENT = 25, FIRST_PERCENT = 60 };

static void draw_list(struct fz_random *r, struct fz_passes *p)
{
    p->count = (uint8_t)(1 + fz_below(r, FZ_MAX_PASSES));
    for (uint32_t i = 0; i < p->count; i++)
        p->at[i] = (uint8_t)fz_below(r, OPT_PASSES);
    if (fz_chance(r, FIRST_PERCENT))         /* most passes have more to do on values than on memory */
        p->at[0] = OPT_PASS_mem2reg;
}

static void draw_switches(struct fz_random *r, struct fz_passes *p)
{
    for (unsigned i = 0; i < OPT_PASSES; i++)
        if (opt_pass_info[i].level && fz_chance(r, OFF_PERCENT))
            p->off |= (uint64_t)1 << i;
}

struct fz_passes fz_passes_draw(struct fz_random *r)
{
    struct fz_passes p = {0};
    (fz_chance(r, 60) ? draw_list : draw_switches)(r, &p);
    return p;
}

bool fz_passes_equal(const struct fz_passes *a, const struct fz_passes *b)
{
    return a->count == b->count && a->off == b->off && memcmp(a->at, b->at, a->count) == 0;
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

/* The names behind "no-" of the passes that are switched off. */
const char **fz_passes_switches(struct arena *a, const struct fz_passes *p, size_t *count)
{
    const char **switches = arena_array(a, const char *, OPT_PASSES);
    *count = 0;
    for (unsigned i = 0; i < OPT_PASSES; i++)
        if (p->off >> i & 1)
            switches[(*count)++] = arena_printf(a, "no-%s", opt_pass_info[i].name);
    return switches;
}

const char *fz_passes_text(struct arena *a, const struct fz_passes *p)
{
    size_t n;
    const char **switches = fz_passes_switches(a, p, &n);
    const char *text = p->count ? arena_printf(a, " --passes=%s", fz_passes_list(a, p)) : "";
    for (size_t i = 0; i < n; i++)
        text = arena_printf(a, "%s -f%s", text, switches[i]);
    return text;
}

uint32_t fz_passes_reduce(struct fz_passes *p, bool (*fails)(const struct fz_passes *, void *), void *data)
{
    uint32_t tries = 0;
    for (uint32_t i = p->count; i-- > 0 && p->count > 1;) {
        struct fz_passes less = *p;
        less.count--;
        memmove(less.at + i, less.at + i + 1, less.count - i);
        tries++;
        if (fails(&less, data))
            *p = less;
    }
    for (unsigned i = 0; i < OPT_PASSES; i++) {
        struct fz_passes more = *p;
        more.off &= ~((uint64_t)1 << i);
        if (more.off == p->off)
            continue;
        tries++;
        if (fails(&more, data))
            *p = more;
    }
    return tries;
}
