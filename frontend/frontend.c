/* frontend.c: the steps of the front end in order, and what they share. */
#include "frontend/parse/grammar.h"
#include "frontend/parse/parser.h"

struct fe_unit *fe_parse(struct frontend *fe)
{
    struct parser p = {.fe = fe, .arena = &fe->arena, .unit = arena_new(&fe->arena, struct fe_unit)};
    fe_lexer_init(&p);
    fe_parser_parse(&p);
    fe_fix_groups(&p);
    fe->stopped = p.stopped;
    fe->incomplete = p.recovery.has_gaps;
    return p.unit;
}

static void frontend_init(struct frontend *fe, struct source *s, struct diagnostics *d,
                          const struct fe_options *o)
{
    *fe = (struct frontend){.source = s, .diags = d};
    arena_init(&fe->arena);
    fe->strings.arena = &fe->arena;
    if (o)
        fe->options = *o;
    else
        fe_options_init(&fe->options);
}

/* What is done with the source, under the guard of with_frontend. */
typedef void (*job)(struct frontend *fe, void *result);

/* Runs the job; if memory runs out in it, frees what it took before passing that on. */
static void with_frontend(struct source *s, struct diagnostics *d, const struct fe_options *o, job run,
                          void *result)
{
    struct frontend fe;
    struct mem_guard guard;
    frontend_init(&fe, s, d, o);
    if (mem_guard_enter(&guard)) {
        arena_free(&fe.arena);
        mem_fail(0);
    }
    run(&fe, result);
    mem_guard_leave(&guard);
    arena_free(&fe.arena);
}

static void compile(struct frontend *fe, void *result)
{
    struct fe_unit *unit = fe_parse(fe);
    struct fe_program *program = fe->stopped ? NULL : fe_check(fe, unit);
    fe_report_references(fe);
    fe_fix_autos(fe);
    fe_fix_macros(fe);
    if (program && !fe->diags->errors)
        *(struct ir_module **)result = fe_lower(fe, program);
}

struct ir_module *fe_compile(struct source *s, struct diagnostics *d, const struct fe_options *o)
{
    struct ir_module *m = NULL;
    with_frontend(s, d, o, compile, &m);
    return m;
}

static void dump_tree(struct frontend *fe, void *result)
{
    struct fe_unit *unit = fe_parse(fe);
    fe_report_references(fe);
    if (!fe->diags->errors)
        fe_print_unit(unit, result);
}

bool fe_dump_tree(struct source *s, struct diagnostics *d, const struct fe_options *o, struct text *out)
{
    with_frontend(s, d, o, dump_tree, out);
    return d->errors == 0;
}
