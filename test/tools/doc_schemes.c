/* doc_schemes.c: the tables of docs/schemes.md. */
#include "backend/format/warpcore/isa.h"
#include "test/tools/doc_tables.h"

/* "a,b" as `a`, `b`. */
static const char *passes(struct arena *a, const char *list)
{
    const char *out = "";
    for (const char *at = list; *at;) {
        size_t n = strcspn(at, ",");
        out = arena_printf(a, "%s%s`%.*s`", out, *out ? ", " : "", (int)n, at);
        at += n + (at[n] == ',');
    }
    return *out ? out : "none";
}

static const char *properties(enum scheme s)
{
    return scheme_has(s, SCHEME_TOKENS)         ? "groups are decided by tokens"
           : scheme_has(s, SCHEME_WARP_SCALARS) ? "scalars may live across blocks"
                                                : "nothing";
}

static const char *code(struct arena *a, const char *name)
{
    return arena_printf(a, "`%s`", name);
}

#define MACHINE_bytecode(machine)  "`runtime/schemes/" #machine ".c`"
#define MACHINE_warp_core(machine) NULL
static const char *const files[SCHEMES] = {
#define SCHEME(id, name, target, machine, lowering, properties, meaning)                                     \
    [SCHEME_##id] = MACHINE_##target(machine),
#include "base/schemes.def"
};

static const char *machine(struct arena *a, enum scheme s)
{
    return files[s] ? files[s] : arena_printf(a, "mode `%s`", wc_mode_info[wc_mode_of(s)].name);
}

void doc_schemes(struct text *out)
{
    struct arena a = {0};
    doc_heading(out, "scheme", "target", "lowering", "machine", "code may assume", "meaning", NULL);
    for (unsigned s = 0; s < SCHEMES; s++) {
        const struct scheme_info *i = &scheme_info[s];
        doc_row(out, code(&a, i->name), code(&a, target_info[i->target].name), passes(&a, i->lowering),
                machine(&a, (enum scheme)s), properties((enum scheme)s), i->meaning, NULL);
    }
    arena_free(&a);
}

void doc_targets(struct text *out)
{
    struct arena a = {0};
    doc_heading(out, "target", "threads of a warp", "scheme, if none is said", "lowering", "runs on", NULL);
    for (unsigned t = 0; t < TARGETS; t++) {
        const struct target_info *i = &target_info[t];
        doc_row(out, code(&a, i->name), i->lanes ? arena_printf(&a, "%u", i->lanes) : "as the launch says",
                code(&a, scheme_info[i->scheme].name), passes(&a, i->lowering), i->meaning, NULL);
    }
    arena_free(&a);
}
