/* print_vectors.c: the source of programs of class h: each statement by vectors, then by scalars. */
#include "fuzz/vectors.h"

struct printer {
    const struct fz_vectors *v;
    struct text *out;
    uint32_t loops;
    uint64_t labels;
};

static const char *type_text(uint8_t t)
{
    return fz_type_info[t].text;
}

/* The elements in one of the ways to name them. */
static void print_elements(struct text *out, const uint8_t at[], uint32_t count, uint32_t style)
{
    static const char *const sets[] = {"xyzw", "rgba", "0123"};
    const char *set = sets[style % 3];
    text_addz(out, style % 3 == 2 ? ".s" : ".");
    for (uint32_t i = 0; i < count; i++)
        text_char(out, set[at[i]]);
}

/* One element: by its name, its number, or a number that nobody knows before the kernel runs. */
static void print_element(struct text *out, uint8_t at, uint32_t style)
{
    if (style == 1)
        text_printf(out, "[%u]", at);
    else if (style == 3)
        text_printf(out, "[(gid >> 28) + %u]", at);
    else
        print_elements(out, &at, 1, style);
}

/* Where element i of an INPUT lies: within FZ_INPUTS. */
static void print_input_place(struct text *out, const struct fz_vector *n, uint32_t i)
{
    text_printf(out, "%u%s", (uint32_t)n->number + i, n->style & 1 ? " + (gid * 4 & 12)" : "");
}

/* ---- by vectors -------------------------------------------------------------------------------------- */

static void print_whole(struct text *out, const struct fz_vector *n);

static void print_list(struct text *out, const struct fz_vector *n)
{
    const struct fz_vector *parts[] = {n->a, n->b, n->c, n->d};
    for (uint32_t i = 0; i < COUNT(parts) && parts[i]; i++) {
        text_addz(out, i ? ", " : "");
        print_whole(out, parts[i]);
    }
}

static void print_pair(struct text *out, const struct fz_vector *a, const char *op, const struct fz_vector *b)
{
    text_char(out, '(');
    print_whole(out, a);
    text_printf(out, " %s ", op);
    print_whole(out, b);
    text_char(out, ')');
}

static void print_call(struct text *out, const char *name, const struct fz_vector *n)
{
    text_printf(out, "%s(", name);
    print_list(out, n);
    text_char(out, ')');
}

static void print_whole(struct text *out, const struct fz_vector *n)
{
    const char *t = type_text(n->type);
    switch (n->kind) {
    case FZ_VECTOR_VARIABLE: text_printf(out, "v%d", n->number); break;
    case FZ_VECTOR_ROW: text_printf(out, "rows%d[gid & 3]", n->number); break;
    case FZ_VECTOR_INPUT:
        text_printf(out, "(*(const global int%u *)(in + ", n->count);
        print_input_place(out, n, 0);
        text_addz(out, "))");
        break;
    case FZ_VECTOR_SELECT:
        print_whole(out, n->a);
        print_elements(out, n->at, n->count, n->style);
        break;
    case FZ_VECTOR_ELEMENT:
        print_whole(out, n->a);
        print_element(out, n->at[0], n->style);
        break;
    case FZ_VECTOR_MADE:
    case FZ_VECTOR_WIDENED:
        text_printf(out, n->style & 1 ? "make_%s%u(" : "((%s%u)(", t, n->count);
        print_list(out, n);
        text_addz(out, n->style & 1 ? ")" : "))");
        break;
    case FZ_VECTOR_OPERATION:
    case FZ_VECTOR_COMPARE: print_pair(out, n->a, n->op, n->b); break;
    case FZ_VECTOR_NEGATE:
        text_printf(out, "(%s", n->op);
        print_whole(out, n->a);
        text_char(out, ')');
        break;
    case FZ_VECTOR_CONVERT:
        text_printf(out, "convert_%s%u(", t, n->count);
        print_whole(out, n->a);
        text_char(out, ')');
        break;
    case FZ_VECTOR_CALL: print_call(out, fz_vector_builtins[n->number].name, n); break;
    case FZ_VECTOR_CHOOSE: print_call(out, "select", n); break;
    case FZ_VECTOR_CONDITION:
        text_char(out, '(');
        print_pair(out, n->c, "<", n->d);
        text_addz(out, " ? ");
        print_whole(out, n->a);
        text_addz(out, " : ");
        print_whole(out, n->b);
        text_char(out, ')');
        break;
    case FZ_VECTOR_CONSTANT: text_printf(out, "((%s)%d)", t, n->number); break;
    case FZ_VECTOR_DOT: print_call(out, "dot", n); break;
    }
}

/* ---- by scalars -------------------------------------------------------------------------------------- */

static void print_one(struct text *out, const struct fz_vector *n, uint32_t i);

/* Element i of what parts make. */
static void print_part(struct text *out, const struct fz_vector *n, uint32_t i)
{
    const struct fz_vector *parts[] = {n->a, n->b, n->c, n->d};
    uint32_t at = 0;
    for (; i >= parts[at]->count; at++)
        i -= parts[at]->count;
    print_one(out, parts[at], i);
}

static void print_scalar_pair(struct text *out, const struct fz_vector *a, const char *op,
                              const struct fz_vector *b, uint32_t i)
{
    text_char(out, '(');
    print_one(out, a, i);
    text_printf(out, " %s ", op);
    print_one(out, b, i);
    text_char(out, ')');
}

static void print_scalar_call(struct text *out, const struct fz_vector *n, uint32_t i)
{
    const struct fz_vector *arguments[] = {n->a, n->b, n->c};
    text_printf(out, "((%s)%s(", type_text(n->type), fz_vector_builtins[n->number].name);
    for (uint32_t k = 0; k < COUNT(arguments) && arguments[k]; k++) {
        text_addz(out, k ? ", " : "");
        print_one(out, arguments[k], i);
    }
    text_addz(out, "))");
}

static void print_dot(struct text *out, const struct fz_vector *n)
{
    text_char(out, '(');
    for (uint32_t i = 0; i < n->a->count; i++) {
        text_addz(out, i ? " + " : "");
        print_scalar_pair(out, n->a, "*", n->b, i);
    }
    text_char(out, ')');
}

static void print_chosen(struct text *out, const struct fz_vector *n, uint32_t i)
{
    bool by_element = n->kind == FZ_VECTOR_CHOOSE;
    text_char(out, '(');
    if (by_element) {
        print_one(out, n->c, i);
        text_addz(out, " < 0");
    } else {
        print_scalar_pair(out, n->c, "<", n->d, i);
    }
    text_addz(out, " ? ");
    print_one(out, by_element ? n->b : n->a, i);
    text_addz(out, " : ");
    print_one(out, by_element ? n->a : n->b, i);
    text_char(out, ')');
}

/* A scalar has one for every i. */
static void print_one(struct text *out, const struct fz_vector *n, uint32_t i)
{
    const char *t = type_text(n->type);
    switch (n->kind) {
    case FZ_VECTOR_VARIABLE: text_printf(out, "s%d_%u", n->number, i); break;
    case FZ_VECTOR_ROW: text_printf(out, "row%d_%u[gid & 3]", n->number, i); break;
    case FZ_VECTOR_INPUT:
        text_addz(out, "in[");
        print_input_place(out, n, i);
        text_char(out, ']');
        break;
    case FZ_VECTOR_SELECT: print_one(out, n->a, n->at[i]); break;
    case FZ_VECTOR_ELEMENT: print_one(out, n->a, n->at[0]); break;
    case FZ_VECTOR_MADE: print_part(out, n, i); break;
    case FZ_VECTOR_WIDENED: print_one(out, n->a, 0); break;
    case FZ_VECTOR_OPERATION:
        text_printf(out, "((%s)", t);
        print_scalar_pair(out, n->a, n->op, n->b, i);
        text_char(out, ')');
        break;
    case FZ_VECTOR_COMPARE:
        text_printf(out, "((%s)(", t);
        print_scalar_pair(out, n->a, n->op, n->b, i);
        text_addz(out, " ? -1 : 0))");
        break;
    case FZ_VECTOR_NEGATE:
    case FZ_VECTOR_CONVERT:
        text_printf(out, "((%s)%s", t, n->kind == FZ_VECTOR_NEGATE ? n->op : "");
        print_one(out, n->a, i);
        text_char(out, ')');
        break;
    case FZ_VECTOR_CALL: print_scalar_call(out, n, i); break;
    case FZ_VECTOR_CHOOSE:
    case FZ_VECTOR_CONDITION: print_chosen(out, n, i); break;
    case FZ_VECTOR_CONSTANT: text_printf(out, "((%s)%d)", t, n->number); break;
    case FZ_VECTOR_DOT: print_dot(out, n); break;
    }
}

/* ---- statements -------------------------------------------------------------------------------------- */

static void print_target(struct text *out, const struct fz_vector_statement *s)
{
    text_printf(out, "v%u", s->variable);
    if (!s->whole && s->count == 1)
        print_element(out, s->at[0], s->style);
    else if (!s->whole)
        print_elements(out, s->at, s->count, s->style);
}

/* All values are taken before the first element changes. */
static void print_assignment(struct printer *w, const struct fz_vector_statement *s)
{
    const char *t = type_text(w->v->variables[s->variable].type);
    print_target(w->out, s);
    text_printf(w->out, " %s= ", s->op);
    print_whole(w->out, s->value);
    text_addz(w->out, ";\n{\n");
    for (uint32_t i = 0; i < s->count; i++) {
        text_printf(w->out, "%s t%u = ", t, i);
        print_one(w->out, s->value, i);
        text_addz(w->out, ";\n");
    }
    for (uint32_t i = 0; i < s->count; i++)
        text_printf(w->out, "s%u_%u %s= t%u;\n", s->variable, s->at[i], s->op, i);
    text_addz(w->out, "}\n");
}

static void print_count(struct printer *w, const struct fz_vector_statement *s)
{
    text_addz(w->out, s->behind ? "" : s->op);
    print_target(w->out, s);
    text_printf(w->out, "%s;\n", s->behind ? s->op : "");
    for (uint32_t i = 0; i < s->count; i++)
        text_printf(w->out, "s%u_%u%s;\n", s->variable, s->at[i], s->op);
}

static void print_statements(struct printer *w, const struct fz_vector_statement *s);

static void print_statement(struct printer *w, const struct fz_vector_statement *s)
{
    uint32_t loop;
    switch (s->step) {
    case FZ_STEP_ASSIGN: print_assignment(w, s); break;
    case FZ_STEP_COUNT: print_count(w, s); break;
    case FZ_STEP_STORE:
        text_printf(w->out, "rows%u[gid & 3] = v%u;\n", s->variable, s->variable);
        for (uint32_t i = 0; i < w->v->variables[s->variable].count; i++)
            text_printf(w->out, "row%u_%u[gid & 3] = s%u_%u;\n", s->variable, i, s->variable, i);
        break;
    case FZ_STEP_IF:
        text_addz(w->out, "if (");
        print_whole(w->out, s->value);
        text_addz(w->out, " > 0) {\n");
        print_statements(w, s->then);
        text_addz(w->out, s->otherwise ? "} else {\n" : "");
        print_statements(w, s->otherwise);
        text_addz(w->out, "}\n");
        break;
    case FZ_STEP_LOOP:
        loop = w->loops++;
        text_printf(w->out, "for (int i%u = (", loop);
        print_one(w->out, s->value, 0);
        text_printf(w->out, ") & 3; i%u >= 0; i%u--) {\n", loop, loop);
        print_statements(w, s->then);
        text_addz(w->out, "}\n");
        break;
    }
}

static void print_statements(struct printer *w, const struct fz_vector_statement *s)
{
    for (; s; s = s->next) {
        fz_print_predict(&s->marks, w->labels, w->out);
        fz_print_label(&s->marks, w->out);
        print_statement(w, s);
    }
}

/* ---- the kernel -------------------------------------------------------------------------------------- */

static void print_variable(struct printer *w, uint32_t k)
{
    uint32_t count = w->v->variables[k].count;
    const char *t = type_text(w->v->variables[k].type);
    text_printf(w->out, "%s%u v%u, rows%u[%d] = {0};\n%s ", t, count, k, k, FZ_VECTOR_ROWS, t);
    for (uint32_t i = 0; i < count; i++)
        text_printf(w->out, "%ss%u_%u = in[gid * %u + %u & %d], row%u_%u[%d] = {0}", i ? ", " : "", k, i,
                    3 + k, i, FZ_INPUTS - 1, k, i, FZ_VECTOR_ROWS);
    text_addz(w->out, ";\n");
    for (uint32_t i = 0; i < count; i++)
        text_printf(w->out, "v%u.%c = s%u_%u;\n", k, "xyzw"[i], k, i);
}

/* A NaN's bits are one NaN's. */
static const char *bits_of(uint8_t type)
{
    return type == FZ_FLOAT ? "as_uint" : type == FZ_DOUBLE ? "as_ulong" : "";
}

static void print_check(struct printer *w, uint32_t k)
{
    uint8_t t = w->v->variables[k].type;
    for (uint32_t i = 0; i < w->v->variables[k].count; i++) {
        text_printf(w->out, "assert(%s(v%u.%c) == %s(s%u_%u));\n", bits_of(t), k, "xyzw"[i], bits_of(t), k,
                    i);
        text_printf(w->out, "out[gid * %d + %u] = (uint)%s(v%u.%c)", FZ_MOST_VECTORS * FZ_MOST_ELEMENTS,
                    k * FZ_MOST_ELEMENTS + i, bits_of(t), k, "xyzw"[i]);
        if (fz_type_info[t].bits == 64)
            text_printf(w->out, " ^ (uint)(%s(v%u.%c) >> 32)", bits_of(t), k, "xyzw"[i]);
        text_addz(w->out, ";\n");
    }
}

void fz_print_vectors(const struct fz_program *p, struct text *out)
{
    struct printer w = {p->vectors, out, 0, fz_vectors_labels(p)};
    text_addz(out, "kernel void k(global uint *out, const global int *in)\n{\n"
                   "uint gid = blockIdx.x * blockDim.x + threadIdx.x;\n");
    for (uint32_t k = 0; k < w.v->count; k++)
        print_variable(&w, k);
    print_statements(&w, w.v->first);
    for (uint32_t k = 0; k < w.v->count; k++)
        print_check(&w, k);
    text_addz(out, "}\n");
}
