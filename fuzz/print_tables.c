/* print_tables.c: tables of functions at file scope, constant ones, through which the kernel of class a calls
 * one of two functions of a type. In three quarters of the programs: an array of pointers, one inside of
 * structures that nested designators initialise, or an array of structures. In half of them the kernel calls
 * the entry at a place that it knows, instead of the one that a condition chooses.
 */
#include "fuzz/print.h"

enum form { CHOSEN, ARRAY, NESTED, STRUCTURES };

static enum form form_of(const struct fz_program *p)
{
    return p->class == 'a' || p->class == 'd' ? (enum form)(p->seed / 4 % 4) : CHOSEN;
}

/* ---- calls ------------------------------------------------------------------------------------------- */

static void print_place(struct printer *w, const struct fz_node *n)
{
    if (w->p->seed / 16 % 2) {
        text_addz(w->out, (n->name + n->value) % 2 ? "1" : "0");
        return;
    }
    fz_print_expr(w, n->first);
    text_addz(w->out, " ? 0 : 1");
}

void fz_print_callee(struct printer *w, const struct fz_node *n)
{
    static const char *const before[] = {[ARRAY] = "[", [NESTED] = ".in[1].of[", [STRUCTURES] = "["};
    enum form form = form_of(w->p);
    if (form == CHOSEN) {
        text_char(w->out, '(');
        fz_print_expr(w, n->first);
        text_printf(w->out, " ? f%u : f%u)", n->name, (unsigned)n->value);
        return;
    }
    text_printf(w->out, "t%u_%u%s", n->name, (unsigned)n->value, before[form]);
    print_place(w, n);
    text_addz(w->out, form == STRUCTURES ? "].to" : "]");
}

/* ---- tables ------------------------------------------------------------------------------------------ */

enum { MOST = 8 }; /* functions of a program */
struct pairs {
    uint64_t called; /* bit a * MOST + b: there is a call of function a or b */
};

static void note_pair(const struct fz_node *n, void *data)
{
    struct pairs *p = data;
    if (n->kind == FZ_NODE_CALL_EITHER)
        p->called |= (uint64_t)1 << (n->name * MOST + n->value);
}

/* A pointer to functions of this one's type, `name` of them. */
static void print_declarator(struct printer *w, uint32_t function, const char *name)
{
    const struct fz_function *outer = w->f;
    w->f = &w->p->functions.at[function];
    text_printf(w->out, "%s (*%s)(uint gid, const global int *input", fz_type_info[w->f->result].text, name);
    fz_print_parameters(w);
    text_char(w->out, ')');
    w->f = outer;
}

static void print_table(struct printer *w, uint32_t a, uint32_t b)
{
    char name[32];
    enum form form = form_of(w->p);
    snprintf(name, sizeof name, "const t%u_%u[2]", a, b);
    if (form == ARRAY) {
        print_declarator(w, a, name);
        text_printf(w->out, " = {f%u, f%u};\n", a, b);
        return;
    }
    text_printf(w->out, "struct ops%u_%u { int n; ", a, b);
    if (form == NESTED) {
        text_addz(w->out, "struct { ");
        print_declarator(w, a, "of[2]");
        text_addz(w->out, "; } in[2]; };\n");
        text_printf(w->out,
                    "const struct ops%u_%u t%u_%u = {.in[1].of[1] = f%u, .n = 3, .in[1].of[0] = f%u};\n", a,
                    b, a, b, b, a);
    } else {
        print_declarator(w, a, "to");
        text_printf(w->out,
                    "; };\nconst struct ops%u_%u t%u_%u[] = {[1].to = f%u, [1].n = 5, [0] = {1, f%u}};\n", a,
                    b, a, b, b, a);
    }
}

void fz_print_tables(struct printer *w)
{
    struct pairs p = {0};
    if (form_of(w->p) == CHOSEN)
        return;
    fz_walk(fz_kernel(w->p)->body, note_pair, &p);
    text_addz(w->out, p.called ? "\n" : "");
    for (uint32_t i = 0; i < MOST * MOST; i++)
        if (p.called >> i & 1)
            print_table(w, i / MOST, i % MOST);
}
