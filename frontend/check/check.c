/* check.c: the order in which a file is checked: declarations, then bodies, then what needs all of them.
 *
 * Because bodies come second, functions may be called before the place where they are declared.
 */
#include "frontend/check/check.h"

static struct fe_program *program_new(struct frontend *fe, struct fe_unit *u)
{
    struct fe_program *p = arena_new(&fe->arena, struct fe_program);
    p->arena = &fe->arena;
    p->unit = u;
    fe_types_init(&p->types, p->arena);
    return p;
}

static void check_targets(struct checker *c)
{
    for (uint32_t i = 0; i < c->undefined_targets.count; i++) {
        struct fe_function *f = fe_function(c->undefined_targets.at[i]->name.decl);
        if (f->is_defined)
            continue;
        fe_report(c->fe, FE_MSG(undefined_function), c->undefined_targets.at[i]->where, f->name);
        fe_note(c->fe, FE_MSG(declared_here), f->decl->name_at, f->name);
    }
}

static void check_unused(struct checker *c)
{
    for (uint32_t i = 0; i < c->program->functions.count; i++) {
        struct fe_function *f = c->program->functions.at[i];
        if (f->is_defined && !f->is_kernel && !f->decl->used && !f->versions.written)
            fe_report(c->fe, FE_MSG(unused_function), f->decl->name_at, f->name);
    }
}

struct fe_program *fe_check(struct frontend *fe, struct fe_unit *u)
{
    struct checker c = {.fe = fe, .program = program_new(fe, u), .arena = &fe->arena};
    c.types = &c.program->types;
    vec_push(c.arena, &c.scopes.symbols, (struct fe_symbol){0});
    fe_builtins_enter(&fe->strings, c.arena, &c.builtins);

    for (struct fe_decl *d = u->first; d; d = d->next)
        fe_check_decl(&c, d);
    fe_check_bodies(&c);
    for (struct fe_decl *d = u->first; d; d = d->next)
        if (d->kind == FE_DECL_LAUNCH)
            fe_check_launch(&c, d);
    fe_check_defines(&c);
    check_targets(&c);
    check_unused(&c);
    fe_check_calls(fe, c.program);
    fe_infer_tokens(fe, c.program);
    return fe->diags->errors ? NULL : c.program;
}
