/* print_expr.c: expressions as source. Everything is parenthesised; an operand gets a cast only where its
 * operator takes no floating number, so that C's implicit conversions are tried as well.
 */
#include "fuzz/print.h"

/* ---- conversions ------------------------------------------------------------------------------------- */

void fz_begin_cast(struct printer *w, const char *type)
{
    text_printf(w->out, w->to && w->to->casts_by_call ? "%s(" : "(%s)", type);
}

void fz_end_cast(struct printer *w)
{
    text_addz(w->out, w->to && w->to->casts_by_call ? ")" : "");
}

void fz_print_as(struct printer *w, const char *type, const char *value)
{
    fz_begin_cast(w, type);
    text_addz(w->out, value);
    fz_end_cast(w);
}

/* ---- literals and names ------------------------------------------------------------------------------ */

static void print_double(struct text *out, uint64_t bits)
{
    double d;
    memcpy(&d, &bits, 8);
    if (d - d == 0)
        text_printf(out, "(%.17e)", d);
    else
        text_printf(out, "as_double(0x%llxul)", (unsigned long long)bits);
}

static void print_float(struct text *out, uint64_t bits)
{
    uint32_t single = (uint32_t)bits;
    float f;
    memcpy(&f, &single, 4);
    if (f - f == 0)
        text_printf(out, "(%.9ef)", (double)f);
    else
        text_printf(out, "as_float(0x%xu)", single);
}

void fz_print_literal(struct text *out, enum fz_type type, uint64_t bits)
{
    int shift = 64 - fz_type_info[type].bits;
    long long value = fz_type_info[type].family == 's' ? (int64_t)(bits << shift) >> shift : (long long)bits;
    switch (type) {
    case FZ_BOOL: text_addz(out, bits & 1 ? "true" : "false"); break;
    case FZ_FLOAT: print_float(out, bits); break;
    case FZ_DOUBLE: print_double(out, bits); break;
    case FZ_UINT: text_printf(out, "%uu", (uint32_t)bits); break;
    case FZ_ULONG: text_printf(out, "0x%llxul", value); break;
    case FZ_INT:
        text_printf(out, value == INT32_MIN ? "(-2147483647 - 1)" : value < 0 ? "(%lld)" : "%lld", value);
        break;
    case FZ_LONG:
        text_printf(out, value == INT64_MIN ? "(-9223372036854775807l - 1)" : "(%lldl)", value);
        break;
    default: text_printf(out, "(%s)%lld", fz_type_info[type].text, value); break;
    }
}

void fz_print_name(struct printer *w, uint32_t variable)
{
    const struct fz_variable *v = &w->f->variables.at[variable];
    static const char letters[] = {
        [FZ_SCALAR] = 'v',  [FZ_ARRAY] = 'a',   [FZ_STRUCT] = 's',   [FZ_VECTOR] = 'x', [FZ_ROWS] = 'r',
        [FZ_TARGETS] = 'c', [FZ_POINTER] = 'p', [FZ_POINTERS] = 't', [FZ_LINK] = 'n',   [FZ_LEADER] = 'w',
    };
    text_printf(w->out, "%c%u", v->counter ? 'i' : letters[v->shape], variable);
}

/* ---- operators --------------------------------------------------------------------------------------- */

static void print_operand(struct printer *w, const struct fz_node *n, char wanted)
{
    if (wanted == 'I' && fz_is_float(fz_type_of(w->p, w->f, n)))
        text_addz(w->out, "(int)");
    fz_print_expr(w, n);
}

static void print_unary(struct printer *w, const struct fz_node *n)
{
    text_printf(w->out, "(%s", fz_operator_info[n->op].text);
    print_operand(w, n->first, fz_operator_info[n->op].operands);
    text_char(w->out, ')');
}

void fz_print_masked(struct printer *w, const struct fz_node *n, uint64_t mask)
{
    if (n->kind == FZ_NODE_CONSTANT && !fz_is_float(n->type)) {
        text_printf(w->out, "%llu", (unsigned long long)(n->value & mask));
        return;
    }
    text_char(w->out, '(');
    print_operand(w, n, 'I');
    text_printf(w->out, " & %llu)", (unsigned long long)mask);
}

/* In checked programs by less bits than any type has that is shifted. */
static void print_amount(struct printer *w, const struct fz_node *n)
{
    if (w->p->checked)
        fz_print_masked(w, n, 31);
    else
        print_operand(w, n, 'I');
}

static void print_binary(struct printer *w, const struct fz_node *n)
{
    bool shift = n->op == FZ_OP_SHL || n->op == FZ_OP_SHR;
    text_char(w->out, '(');
    print_operand(w, n->first, fz_operator_info[n->op].operands);
    text_printf(w->out, " %s ", fz_operator_info[n->op].text);
    if (shift)
        print_amount(w, n->first->next);
    else
        print_operand(w, n->first->next, fz_operator_info[n->op].operands);
    text_char(w->out, ')');
}

static void print_choice(struct printer *w, const struct fz_node *n)
{
    text_char(w->out, '(');
    fz_print_expr(w, n->first);
    text_addz(w->out, " ? ");
    fz_print_expr(w, n->first->next);
    text_addz(w->out, " : ");
    fz_print_expr(w, n->first->next->next);
    text_char(w->out, ')');
}

static void print_at(struct printer *w, const char *array, const struct fz_node *index, uint64_t mask)
{
    text_printf(w->out, "%s[", array);
    fz_print_masked(w, index, mask);
    text_char(w->out, ']');
}

/* n's index behind what has been printed of it. */
static void print_element(struct printer *w, const char *array, const struct fz_node *n, uint64_t mask)
{
    print_at(w, array, n->first, n == w->beyond ? 2 * mask + 1 : mask);
}

static void print_increment(struct printer *w, const struct fz_node *n)
{
    const char *sign = n->op & 1 ? "--" : "++";
    text_printf(w->out, "(%s", n->op < 2 ? "" : sign);
    fz_print_expr(w, n->first);
    text_printf(w->out, "%s)", n->op < 2 ? sign : "");
}

/* ---- pointers ---------------------------------------------------------------------------------------- */

const char *fz_pointer_type(const struct fz_program *p)
{
    return p->shared_targets ? "shared int *" : "int *";
}

void fz_print_address(struct printer *w, uint32_t targets)
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

static void print_pointer(struct printer *w, const struct fz_node *n)
{
    switch (n->kind) {
    case FZ_NODE_SAME: print_equality(w, n); return;
    case FZ_NODE_CHOSEN: print_choice(w, n); return;
    case FZ_NODE_AT: fz_print_address(w, n->name); break;
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

/* ---- calls ------------------------------------------------------------------------------------------- */

static void print_builtin(struct printer *w, const struct fz_node *n)
{
    const struct fe_builtin *b = &fe_builtins[n->value];
    const char *letter = b->signature + 2;
    text_printf(w->out, "%s(", b->name);
    for (const struct fz_node *a = n->first; a && *letter; a = a->next, letter++) {
        if (fz_length_of(w->f, a) == 1)
            text_printf(w->out, "(%s)", fz_type_info[fz_letter_type(*letter, (enum fz_type)n->type)].text);
        fz_print_expr(w, a);
        text_addz(w->out, a->next ? ", " : "");
    }
    text_char(w->out, ')');
}

static void print_arguments(struct printer *w, const struct fz_node *argument)
{
    text_addz(w->out, "(gid, input");
    for (; argument; argument = argument->next) {
        text_addz(w->out, ", ");
        fz_print_expr(w, argument);
    }
    text_char(w->out, ')');
}

static void print_call_either(struct printer *w, const struct fz_node *n)
{
    fz_print_callee(w, n);
    print_arguments(w, n->first->next);
}

/* ---- vectors ----------------------------------------------------------------------------------------- */

static void print_list(struct printer *w, const char *before, const struct fz_node *n)
{
    text_printf(w->out, "%s(", before);
    for (const struct fz_node *part = n->first; part; part = part->next) {
        fz_print_expr(w, part);
        text_addz(w->out, part->next ? ", " : ")");
    }
}

static void print_make(struct printer *w, const struct fz_node *n)
{
    text_printf(w->out, n->flag ? "make_%s%u" : "((%s%u)", fz_type_info[n->type].text, n->op);
    print_list(w, "", n);
    text_addz(w->out, n->flag ? "" : ")");
}

/* Elements in one of the ways to name them; one of them by its number, too, or by a number that nobody knows
 * before the kernel runs. */
static void print_swizzle(struct printer *w, const struct fz_node *n)
{
    static const char *const sets[] = {".xyzw", ".rgba", "s0123"};
    const char *set = sets[n->name % 3];
    fz_print_expr(w, n->first);
    if (n->op == 1 && n->name > 2) {
        text_printf(w->out, n->name == 3 ? "[%u]" : "[(gid >> 28) + %u]", (unsigned)n->value & 3);
        return;
    }
    text_addz(w->out, *set == '.' ? "." : ".s");
    for (uint32_t i = 0; i < n->op; i++)
        text_char(w->out, set[1 + (n->value >> (2 * i) & 3)]);
}

/* A NaN's bits are one NaN's. */
static void print_bits(struct printer *w, const struct fz_node *n)
{
    enum fz_type t = fz_type_of(w->p, w->f, n->first);
    print_list(w, t == FZ_FLOAT ? "as_uint" : t == FZ_DOUBLE ? "as_ulong" : "", n);
}

static void print_cast(struct printer *w, const struct fz_node *n)
{
    uint32_t length = fz_length_of(w->f, n);
    if (length > 1)
        text_printf(w->out, "convert_%s%u(", fz_type_info[n->type].text, length);
    else
        fz_begin_cast(w, fz_type_info[n->type].text);
    fz_print_expr(w, n->first);
    if (length > 1)
        text_char(w->out, ')');
    else
        fz_end_cast(w);
}

/* ---- class b ----------------------------------------------------------------------------------------- */

/* The input holds numbers below 100, and no block has more than 64 threads. */
static void print_never(struct printer *w, const struct fz_node *n)
{
    unsigned which = (unsigned)n->value % FZ_INPUTS;
    switch ((enum fz_never)n->op) {
    case FZ_NEVER_INPUT: text_printf(w->out, "(input[%u] >= 1000)", which); break;
    case FZ_NEVER_OWN_INPUT:
        text_printf(w->out, "(input[(gid + %u) %% %d] >= 1000)", which, FZ_INPUTS);
        break;
    case FZ_NEVER_SIZE: text_printf(w->out, "(blockDim.x == %u)", 500 + which); break;
    default: text_printf(w->out, "(threadIdx.x >= %u)", 500 + which); break;
    }
}

/* ---- all --------------------------------------------------------------------------------------------- */

void fz_print_expr(struct printer *w, const struct fz_node *n)
{
    switch (n->kind) {
    case FZ_NODE_CONSTANT: fz_print_literal(w->out, n->type, n->value); break;
    case FZ_NODE_VARIABLE:
    case FZ_NODE_ADDRESS:
    case FZ_NODE_STRUCTURE: fz_print_name(w, n->name); break;
    case FZ_NODE_ELEMENT:
        fz_print_name(w, n->name);
        if (n->flag) {
            text_char(w->out, '[');
            fz_print_expr(w, n->first);
            text_char(w->out, ']');
            break;
        }
        print_element(w, "", n, FZ_ARRAY_LENGTH - 1);
        break;
    case FZ_NODE_FIELD:
        fz_print_name(w, n->name);
        text_printf(w->out, ".m%u", (unsigned)n->value);
        break;
    case FZ_NODE_CELL:
        text_printf(w->out, "cells_%s[gid * %d + ", fz_type_info[n->type].text, FZ_CELLS);
        fz_print_masked(w, n->first, FZ_CELLS - 1);
        text_char(w->out, ']');
        break;
    case FZ_NODE_OWN:
        text_printf(w->out, "own[threadIdx.x * %d + ", FZ_CELLS);
        fz_print_masked(w, n->first, FZ_CELLS - 1);
        text_char(w->out, ']');
        break;
    case FZ_NODE_INPUT: print_at(w, "input", n->first, FZ_INPUTS - 1); break;
    case FZ_NODE_TABLE: print_element(w, "table", n, FZ_TABLE - 1); break;
    case FZ_NODE_GEOMETRY: text_addz(w->out, fz_geometry[n->op]); break;
    case FZ_NODE_UNARY: print_unary(w, n); break;
    case FZ_NODE_BINARY: print_binary(w, n); break;
    case FZ_NODE_CHOICE: print_choice(w, n); break;
    case FZ_NODE_CAST: print_cast(w, n); break;
    case FZ_NODE_BITS: print_bits(w, n); break;
    case FZ_NODE_SWIZZLE: print_swizzle(w, n); break;
    case FZ_NODE_MAKE: print_make(w, n); break;
    case FZ_NODE_SELECT: print_list(w, "select", n); break;
    case FZ_NODE_DOT: print_list(w, "dot", n); break;
    case FZ_NODE_ROW:
        fz_print_name(w, n->name);
        text_printf(w->out, "[gid & %d]", FZ_ROW_COUNT - 1);
        break;
    case FZ_NODE_WIDE:
        text_printf(w->out, "(*(const global int%u *)(input + %u%s))", n->op, (unsigned)n->value,
                    n->flag ? " + (gid * 4 & 12)" : "");
        break;
    case FZ_NODE_BUILTIN: print_builtin(w, n); break;
    case FZ_NODE_CALL:
        text_printf(w->out, "f%u", n->name);
        print_arguments(w, n->first);
        break;
    case FZ_NODE_CALL_EITHER: print_call_either(w, n); break;
    case FZ_NODE_INCREMENT: print_increment(w, n); break;
    case FZ_NODE_DEREF:
    case FZ_NODE_SAME:
    case FZ_NODE_AT:
    case FZ_NODE_POINTER:
    case FZ_NODE_ENTRY:
    case FZ_NODE_MEMBER:
    case FZ_NODE_BEHIND:
    case FZ_NODE_CHOSEN: print_pointer(w, n); break;
    case FZ_NODE_HASH: text_char(w->out, 'h'); break;
    case FZ_NODE_SEEN: text_char(w->out, 's'); break;
    case FZ_NODE_GUIDE: text_char(w->out, 'g'); break;
    case FZ_NODE_NOISE: text_addz(w->out, "noise[gid]"); break;
    case FZ_NODE_NEVER: print_never(w, n); break;
    case FZ_NODE_ELECT: text_addz(w->out, "elect()"); break;
    case FZ_NODE_VOTE:
        text_addz(w->out, n->op ? "all(" : "any(");
        fz_print_expr(w, n->first);
        text_char(w->out, ')');
        break;
    default: BUG("%s is no expression", fz_node_info[n->kind].name);
    }
}
