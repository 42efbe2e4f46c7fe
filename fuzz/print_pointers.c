/* print_pointers.c: pointers of class a as source: "&c0[3]", "p1", "t2[1]", "n3.to", "(*w4)", and what is
 * done with them.
 */
#include "fuzz/print.h"

const char *fz_pointer_type(const struct fz_program *p)
{
    return p->shared_targets ? "shared int *" : "int *";
}

/* ---- expressions ------------------------------------------------------------------------------------- */

/* Before the index: shared memory has the targets of all threads. */
static void print_address(struct printer *w, uint32_t targets)
{
    text_char(w->out, '&');
    fz_print_name(w, targets);
    text_char(w->out, '[');
    if (w->p->shared_targets)
        text_printf(w->out, "threadIdx.x * %d + ", FZ_TARGET_COUNT);
}

static void print_equality(struct printer *w, const struct fz_node *n)
{
    text_char(w->out, '(');
    fz_print_expr(w, n->first);
    text_addz(w->out, " == ");
    fz_print_expr(w, n->first->next);
    text_char(w->out, ')');
}

void fz_print_pointer(struct printer *w, const struct fz_node *n)
{
    switch (n->kind) {
    case FZ_NODE_SAME: print_equality(w, n); return;
    case FZ_NODE_CHOSEN: fz_print_choice(w, n); return;
    case FZ_NODE_AT: print_address(w, n->name); break;
    case FZ_NODE_DEREF:
        text_addz(w->out, "(*");
        fz_print_expr(w, n->first);
        break;
    default:
        text_addz(w->out, n->kind == FZ_NODE_BEHIND ? "(*" : "");
        fz_print_name(w, n->name);
        text_addz(w->out, n->kind == FZ_NODE_MEMBER ? ".to" : n->kind == FZ_NODE_ENTRY ? "[" : "");
    }
    bool index = n->kind == FZ_NODE_AT || n->kind == FZ_NODE_ENTRY;
    if (index)
        fz_print_masked(w, n->first, FZ_TARGET_COUNT - 1);
    text_addz(w->out, index ? "]" : n->kind == FZ_NODE_DEREF || n->kind == FZ_NODE_BEHIND ? ")" : "");
}

/* ---- declarations ------------------------------------------------------------------------------------ */

static void print_first_address(struct printer *w, const struct fz_variable *v, uint32_t i)
{
    print_address(w, fz_find_shape(w->f, FZ_TARGETS));
    text_printf(w->out, "%u]", (unsigned)(fz_initial(v, FZ_UINT, i) % FZ_TARGET_COUNT));
}

static void print_list(struct printer *w, const struct fz_variable *v)
{
    for (uint32_t i = 0; i < FZ_TARGET_COUNT; i++) {
        text_addz(w->out, i ? ", " : "{");
        if (v->shape == FZ_TARGETS)
            fz_print_literal(w->out, FZ_INT, fz_initial(v, FZ_INT, i));
        else
            print_first_address(w, v, i);
    }
    text_char(w->out, '}');
}

static void print_value(struct printer *w, const struct fz_variable *v)
{
    switch (v->shape) {
    case FZ_POINTER: print_first_address(w, v, 0); break;
    case FZ_LINK:
        text_addz(w->out, "{0, ");
        print_first_address(w, v, 0);
        text_char(w->out, '}');
        break;
    case FZ_LEADER:
        text_char(w->out, '&');
        fz_print_name(w, fz_find_shape(w->f, FZ_POINTER));
        break;
    default: print_list(w, v);
    }
}

void fz_print_pointer_variable(struct printer *w, uint32_t variable)
{
    const struct fz_variable *v = &w->f->variables.at[variable];
    bool shared = v->shape == FZ_TARGETS && w->p->shared_targets;
    fz_print_indent(w);
    text_printf(w->out, "%s%s", v->shape == FZ_LINK ? "struct link " : fz_pointer_type(w->p),
                v->shape == FZ_LEADER ? "*" : "");
    if (v->shape == FZ_TARGETS)
        w->out->at[w->out->length -= 1] = 0; /* ints, no pointers */
    fz_print_name(w, variable);
    if (v->shape == FZ_POINTERS || v->shape == FZ_TARGETS)
        text_printf(w->out, "[%u]", (unsigned)FZ_TARGET_COUNT * (shared ? w->p->threads : 1));
    text_addz(w->out, shared ? "" : " = ");
    if (!shared)
        print_value(w, v);
    text_addz(w->out, ";\n");
    if (shared && w->p->checked) {
        fz_print_indent(w);
        text_printf(w->out, "for (uint c = 0; c < %d; c++) ", FZ_TARGET_COUNT);
        fz_print_name(w, variable);
        text_printf(w->out, "[threadIdx.x * %d + c] = 0;\n", FZ_TARGET_COUNT);
    }
}

/* ---- statements -------------------------------------------------------------------------------------- */

void fz_print_point(struct printer *w, const struct fz_node *n)
{
    fz_print_indent(w);
    fz_print_expr(w, n->first);
    text_addz(w->out, " = ");
    fz_print_expr(w, n->first->next);
    text_addz(w->out, ";\n");
}

void fz_print_lead(struct printer *w, const struct fz_node *n)
{
    fz_print_indent(w);
    fz_print_name(w, n->name);
    text_addz(w->out, " = &");
    fz_print_expr(w, n->first);
    text_addz(w->out, ";\n");
}
