/* scope.c: which declaration a name means.
 *
 * All visible symbols stand on one stack; a map leads from a name to its innermost symbol, and each symbol
 * remembers the one it shadows, so that opening a scope is free and closing it costs what was declared in it.
 * Builtins lie outside the file's scope: any declaration may take their names.
 */
#include "base/nearest.h"
#include "frontend/check/check.h"

static uint64_t key_of(enum fe_namespace ns, const char *name)
{
    return (uint64_t)(uintptr_t)name << 1 | ns;
}

void fe_scope_open(struct checker *c)
{
    c->scopes.level++;
}

void fe_scope_close(struct checker *c)
{
    uint32_t first = c->scopes.symbols.count;
    while (first > 1 && c->scopes.symbols.at[first - 1].level == c->scopes.level)
        first--;
    c->body.point++;
    for (uint32_t i = first; i < c->scopes.symbols.count; i++)
        fe_leave_decl(c, c->scopes.symbols.at[i].decl);
    while (c->scopes.symbols.count > first) {
        struct fe_symbol s = vec_pop(&c->scopes.symbols);
        map_set(c->arena, &c->scopes.names, s.key, s.shadowed);
    }
    c->scopes.level--;
}

static struct fe_symbol *find_symbol(struct checker *c, enum fe_namespace ns, const char *name)
{
    uint32_t i = map_get(&c->scopes.names, key_of(ns, name));
    return i == MAP_NONE || i == 0 ? NULL : &c->scopes.symbols.at[i];
}

struct fe_decl *fe_find(struct checker *c, enum fe_namespace ns, const char *name)
{
    struct fe_symbol *s = find_symbol(c, ns, name);
    return s ? s->decl : NULL;
}

struct fe_decl *fe_find_here(struct checker *c, enum fe_namespace ns, const char *name)
{
    struct fe_symbol *s = find_symbol(c, ns, name);
    return s && s->level == c->scopes.level ? s->decl : NULL;
}

struct fe_decl *fe_enter(struct checker *c, enum fe_namespace ns, struct fe_decl *d)
{
    struct fe_decl *there = fe_find_here(c, ns, d->name);
    if (there) {
        fe_report(c->fe, FE_MSG(redefinition), d->name_at, d->name);
        fe_note(c->fe, FE_MSG(previous_declaration), there->name_at, d->name);
        return there;
    }
    uint64_t key = key_of(ns, d->name);
    uint32_t shadowed = map_get(&c->scopes.names, key);
    struct fe_symbol s = {d, key, shadowed == MAP_NONE ? 0 : shadowed, c->scopes.level};
    vec_push(c->arena, &c->scopes.symbols, s);
    map_set(c->arena, &c->scopes.names, key, c->scopes.symbols.count - 1);
    return NULL;
}

const struct fe_builtin *fe_find_builtin(struct checker *c, const char *name)
{
    uint32_t i = map_get(&c->builtins, (uintptr_t)name);
    return i == MAP_NONE ? NULL : &fe_builtins[i];
}

/* ---- suggestions ------------------------------------------------------------------------------------- */

/* The name, of threadIdx.x only what stands before the dot. */
static const char *builtin_head(struct checker *c, const char *name)
{
    size_t n = strcspn(name, ".");
    return name[n] ? arena_strdup(c->arena, name, n) : name;
}

/* Names of the file come before builtins. */
const char *fe_suggest(struct checker *c, enum fe_namespace ns, const char *name)
{
    struct nearest n = nearest_to(name);
    if (c->fe->diags->stopped)
        return NULL;
    for (uint32_t i = c->scopes.symbols.count; i-- > 1;)
        if ((c->scopes.symbols.at[i].key & 1) == ns)
            nearest_consider(&n, c->scopes.symbols.at[i].decl->name);
    bool builtins = ns == FE_NAMES && !n.name;
    for (uint32_t i = 0; builtins && i < fe_builtin_count; i++)
        nearest_consider(&n, builtin_head(c, fe_builtins[i].name));
    if (builtins)
        fe_consider_constants(&n);
    return nearest_name(&n);
}

const char *fe_suggest_field(const struct fe_decl *structure, const char *name)
{
    struct nearest n = nearest_to(name);
    for (const struct fe_decl *f = structure->members.first; f; f = f->next)
        if (f->name)
            nearest_consider(&n, f->name);
    return nearest_name(&n);
}
