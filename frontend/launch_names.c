/* launch_names.c: what the names in launch directives mean: kernels, their parameters, named buffers. */
#include "base/nearest.h"
#include "frontend/check_launch.h"

/* ---- named buffers, repeats -------------------------------------------------------------------------- */

struct fe_decl *fe_launch_buffer(const struct checker *c, const struct fe_decl *before, const char *name)
{
    for (struct fe_decl *d = c->program->unit->first; d != before; d = d->next)
        if (d->kind == FE_DECL_LAUNCH && d->launch->step == LAUNCH_BUFFER && d->name == name)
            return d;
    return NULL;
}

uint64_t fe_launch_rounds(const struct checker *c, const struct fe_decl *directive)
{
    uint64_t rounds = 0;
    for (const struct fe_decl *d = c->program->unit->first; d != directive; d = d->next) {
        if (d->kind != FE_DECL_LAUNCH)
            continue;
        if (d->launch->step == LAUNCH_REPEAT)
            rounds = d->launch->built.rounds && !d->launch->flag ? d->launch->built.rounds : UINT64_MAX;
        else if (d->launch->step == LAUNCH_END)
            rounds = 0;
    }
    return rounds;
}

bool fe_launch_in_repeat(const struct checker *c, const struct fe_decl *directive)
{
    return fe_launch_rounds(c, directive) > 0;
}

struct fe_decl *fe_launch_parameter(const struct fe_launched *t, const char *name, uint32_t *index)
{
    *index = 0;
    if (!t->kernel)
        return NULL;
    for (struct fe_decl *p = fe_params(t->kernel->decl); p; p = p->next, ++*index)
        if (p->name == name)
            return p;
    return NULL;
}

/* "; did you mean 'count'?", or "". */
static const char *advise(struct checker *c, const struct nearest *n)
{
    const char *near = c->fe->diags->stopped ? NULL : nearest_name(n);
    return near ? arena_printf(c->arena, "; did you mean '%s'?", near) : "";
}

static const char *near_parameter(struct checker *c, const struct fe_launched *t, const char *name)
{
    struct nearest n = nearest_to(name);
    for (struct fe_decl *p = fe_params(t->kernel->decl); p; p = p->next)
        if (p->name)
            nearest_consider(&n, p->name);
    return advise(c, &n);
}

const char *fe_launch_near_kernel(struct checker *c, const char *name)
{
    struct nearest n = nearest_to(name);
    for (uint32_t i = 0; i < c->program->functions.count; i++)
        if (c->program->functions.at[i]->is_kernel)
            nearest_consider(&n, c->program->functions.at[i]->name);
    return advise(c, &n);
}

/* The parameter that an argument without a name would be for. */
static const char *parameter_at(const struct fe_launched *t, const struct fe_launch_item *i)
{
    struct fe_decl *p = fe_params(t->kernel->decl);
    for (struct fe_launch_item *a = t->directive->launch->arguments; a && p && a != i; a = a->next)
        p = p->next;
    return p && p->name ? p->name : "NAME";
}

struct fe_decl *fe_launch_need_parameter(struct checker *c, struct fe_launched *t,
                                         const struct fe_launch_item *i, uint32_t *at)
{
    struct fe_decl *p = fe_launch_parameter(t, i->name, at);
    if (!p && i->is_short && !fe_launch_buffer(c, t->directive, i->name)) {
        fe_report(c->fe, FE_MSG(launch_positions), i->name_at, parameter_at(t, i));
    } else if (!p) {
        fe_report(c->fe, FE_MSG(launch_parameter), i->name_at, t->kernel->name, i->name,
                  near_parameter(c, t, i->name));
        fe_note(c->fe, FE_MSG(declared_here), t->kernel->decl->name_at, t->kernel->name);
    }
    if (p && fe_is_unsized(p))
        fe_report(c->fe, FE_MSG(launch_shared), i->name_at, i->name);
    return p && !fe_is_error(p->type) && !fe_is_unsized(p) ? p : NULL;
}
