/* print_classes.c: statements of classes b, c, f and j alone, and predictions, as source. What they mean is
 * written here in Kern and in reference.c in C: the two have to say the same.
 */
#include "fuzz/print.h"

/* ---- class b ----------------------------------------------------------------------------------------- */

/* What the statement's operation gives of the operand. */
static void print_observation(struct printer *w, const struct fz_node *n, const struct fz_node *operand)
{
    static const struct {
        const char *before, *after;
    } text[FZ_OBSERVATIONS] = {
        [FZ_BALLOT_ALL] = {"ballot(true)", NULL},
        [FZ_BALLOT] = {"ballot((bool)", ")"},
        [FZ_ACTIVE_MASK] = {"active_mask()", NULL},
        [FZ_REDUCE_ADD] = {"reduce_add((uint)", ")"},
        [FZ_REDUCE_XOR] = {"reduce_xor((uint)", ")"},
        [FZ_REDUCE_MAX] = {"reduce_max((uint)", ")"},
        [FZ_SCAN_ADD] = {"scan_add((uint)", ")"},
        [FZ_BROADCAST_FIRST] = {"broadcast_first((uint)", ")"},
        [FZ_SHUFFLE_XOR] = {"shuffle_xor((uint)", ", "},
        [FZ_SHUFFLE_UP] = {"shuffle_up((uint)", ", "},
        [FZ_ANY] = {"any((bool)", ")"},
        [FZ_ALL] = {"all((bool)", ")"},
    };
    text_addz(w->out, text[n->op].before);
    if (text[n->op].after) {
        fz_print_expr(w, operand);
        text_addz(w->out, text[n->op].after);
    }
    if (n->op == FZ_SHUFFLE_XOR || n->op == FZ_SHUFFLE_UP)
        text_printf(w->out, "%u)", (unsigned)n->value);
    text_addz(w->out, ";\n");
}

static void print_log(struct printer *w, const struct fz_node *n)
{
    bool used = n->flag || n->name;
    fz_print_indent(w);
    text_addz(w->out, used ? "{ ulong r = " : "");
    if (!used)
        text_printf(w->out, "log[n++ * %u + gid] = ", w->p->blocks * w->p->threads);
    print_observation(w, n, n->first);
    if (!used)
        return;
    fz_print_line(w, "  log[n++ * %u + gid] = r;", w->p->blocks * w->p->threads);
    if (n->name)
        fz_print_line(w, n->flag ? "  s = r;" : "  s = r; }");
    if (n->flag)
        fz_print_line(w, "  h = (h ^ (uint)r) * %uu; }", FZ_HASH_FACTOR);
}

static void print_stir(struct printer *w, const struct fz_node *n)
{
    fz_print_line(w, "h = %s(h ^ %uu, gid);", n->flag ? "(laneId % 2 == 0 ? stir : stir_twice)" : "stir",
                  (unsigned)n->value);
}

void fz_print_helpers(struct printer *w)
{
    if (fz_count(w->p, FZ_NODE_STIR))
        text_printf(w->out,
                    "uint stir(uint h, uint gid)\n{\n"
                    "    for (int i = 0; i < 3; i++)\n"
                    "        h = h * %uu + (h >> 16);\n"
                    "    return h + gid;\n}\n"
                    "uint stir_twice(uint h, uint gid) { return stir(stir(h, gid) ^ gid, 1); }\n",
                    FZ_HASH_FACTOR);
    if (fz_count(w->p, FZ_NODE_GATE) || fz_count(w->p, FZ_NODE_BARRIER))
        text_addz(w->out, "void meet() { barrier(); }\n");
}

static void print_invoke(struct printer *w, const struct fz_node *n)
{
    fz_print_indent(w);
    text_addz(w->out, "{ ulong r = ");
    if (n->flag)
        text_printf(w->out, "(laneId %% 2 == 0 ? f%u : f%u)", n->name, (unsigned)n->value);
    else
        text_printf(w->out, "f%u", n->name);
    text_addz(w->out, "(gid, input, log, noise, n, h); n = (uint)r; h = (uint)(r >> 32); }\n");
}

/* ---- class f ----------------------------------------------------------------------------------------- */

static void print_inside(struct printer *w, const struct fz_node *n)
{
    fz_print_line(w, "{");
    w->indent++;
    fz_print_indent(w);
    text_addz(w->out, "uint ");
    fz_print_name(w, n->name);
    text_addz(w->out, " = ");
    fz_print_masked(w, n->first, 2 * FZ_ARRAY_LENGTH - 1);
    text_addz(w->out, ";\n");
    fz_print_indent(w);
    text_addz(w->out, "if (");
    fz_print_name(w, n->name);
    text_printf(w->out, " < %d) ", FZ_ARRAY_LENGTH);
    fz_print_block(w, n->first->next);
    text_addz(w->out, " else ");
    fz_print_block(w, n->first->next->next);
    text_char(w->out, '\n');
    w->indent--;
    fz_print_line(w, "}");
}

static void print_converge(struct printer *w, const struct fz_node *n)
{
    fz_print_indent(w);
    fz_print_expr(w, n->first);
    text_addz(w->out, " = ");
    print_observation(w, n, n->first->next);
}

/* ---- class c ----------------------------------------------------------------------------------------- */

/* "goto L3;", with what is added on the way. */
static const char *jump(struct printer *w, const struct fz_node *target)
{
    struct arena *a = w->p->arena;
    char *label = target->value == FZ_END ? "end" : arena_printf(a, "L%u", (unsigned)target->value);
    return target->name ? arena_printf(a, "{ h += %u; goto %s; }", target->name, label)
                        : arena_printf(a, "goto %s;", label);
}

static void print_targets(struct printer *w, const struct fz_node *target, uint32_t shift)
{
    uint32_t count = 0;
    for (const struct fz_node *t = target; t; t = t->next)
        count++;
    if (count == 2)
        fz_print_line(w, "if ((g >> %u & 1) == 0) %s", shift, jump(w, target));
    if (count > 2)
        fz_print_line(w, "switch (g >> %u & 3) {", shift);
    for (uint32_t i = 0; count > 2 && i < count - 1; i++, target = target->next)
        fz_print_line(w, "case %u: %s", i, jump(w, target));
    if (count > 2)
        fz_print_line(w, "}");
    while (target && target->next)
        target = target->next;
    if (target)
        fz_print_line(w, "%s", jump(w, target));
}

static void print_row(struct printer *w)
{
    fz_print_line(w, "trace[n * %u + gid] = h;", w->p->blocks * w->p->threads);
    fz_print_line(w, "g = h & -(uint)(++n < %u);", FZ_FUEL);
}

static void print_state(struct printer *w, const struct fz_node *n)
{
    text_printf(w->out, "L%u:\n", n->name);
    fz_print_line(w, "h = (h ^ %uu) * %uu;", (unsigned)n->value, FZ_HASH_FACTOR);
    print_row(w);
    fz_print_list(w, n->first);
    print_targets(w, n->first->next, n->op);
}

static void print_spin(struct printer *w, const struct fz_node *n)
{
    fz_print_indent(w);
    text_addz(w->out, "while (");
    fz_print_expr(w, n->first);
    text_addz(w->out, ") {\n");
    w->indent++;
    fz_print_line(w, "h = h * %uu + 1;", FZ_HASH_FACTOR);
    print_row(w);
    fz_print_list(w, n->first->next);
    w->indent--;
    fz_print_line(w, "}");
}

/* ---- predictions ------------------------------------------------------------------------------------- */

static void print_predict(struct printer *w, const struct fz_node *n)
{
    static const char letters[] = {
        [FZ_PREDICTED_LABEL] = 'P', [FZ_PREDICTED_STATE] = 'L', [FZ_PREDICTED_FUNCTION] = 'f'};
    fz_print_indent(w);
    text_printf(w->out, "Predict(%c%llu", letters[n->op], (unsigned long long)n->value);
    text_printf(w->out, n->name ? ", %u);\n" : ");\n", n->name);
}

static void print_barrier(struct printer *w, const struct fz_node *n)
{
    fz_print_line(w, n->flag ? "meet();" : "barrier();");
}

/* A side of a gate that is a branch: all return, or come to a barrier. */
static void print_side(struct printer *w, const struct fz_node *n, uint32_t side)
{
    w->indent++;
    fz_print_list(w, fz_child(n, 1 + side));
    fz_print_line(w, "if (input[%u] %% 2 == %u) return;", (unsigned)n->value, side);
    print_barrier(w, n);
    fz_print_list(w, fz_child(n, 3 + side));
    if (n->op == FZ_GATE_SWITCH)
        fz_print_line(w, "break;");
    w->indent--;
}

static void print_condition(struct printer *w, const char *before, const struct fz_node *n,
                            const char *behind)
{
    fz_print_indent(w);
    text_addz(w->out, before);
    fz_print_expr(w, n->first);
    text_printf(w->out, "%s\n", behind);
}

static void print_gate_loop(struct printer *w, const struct fz_node *n)
{
    fz_print_line(w, "uint turn = 0;");
    fz_print_line(w, "for (; turn < %d; turn++) {", FZ_GATE_TURNS);
    w->indent++;
    print_condition(w, "if (", n, ") break;");
    fz_print_list(w, fz_child(n, 1));
    print_barrier(w, n);
    fz_print_list(w, fz_child(n, 3));
    w->indent--;
    fz_print_line(w, "}");
    fz_print_list(w, fz_child(n, 2));
    fz_print_line(w, "if (turn < %d) return;", FZ_GATE_TURNS);
    print_barrier(w, n);
    fz_print_list(w, fz_child(n, 4));
}

static void print_gate_branch(struct printer *w, const struct fz_node *n)
{
    bool is_if = n->op == FZ_GATE_IF;
    print_condition(w, is_if ? "if (" : "switch (", n, is_if ? ") {" : " ? 1 : 0) {");
    if (!is_if)
        fz_print_line(w, "case 1:");
    print_side(w, n, 0);
    fz_print_line(w, is_if ? "} else {" : "default:");
    print_side(w, n, 1);
    fz_print_line(w, "}");
}

static void print_gate(struct printer *w, const struct fz_node *n)
{
    fz_print_line(w, n->name > 1 ? "for (uint pass = 0; pass < %u; pass++) {" : "{", n->name);
    w->indent++;
    if (n->op == FZ_GATE_LOOP)
        print_gate_loop(w, n);
    else
        print_gate_branch(w, n);
    w->indent--;
    fz_print_line(w, "}");
}

bool fz_print_of_class(struct printer *w, const struct fz_node *n)
{
    switch (n->kind) {
    case FZ_NODE_PREDICT: print_predict(w, n); break;
    case FZ_NODE_LOG: print_log(w, n); break;
    case FZ_NODE_STIR: print_stir(w, n); break;
    case FZ_NODE_INVOKE: print_invoke(w, n); break;
    case FZ_NODE_GATE: print_gate(w, n); break;
    case FZ_NODE_BARRIER: print_barrier(w, n); break;
    case FZ_NODE_JUMP:
        fz_print_line(w, "goto %c%llu;", n->flag ? 'E' : 'R', (unsigned long long)n->value);
        break;
    case FZ_NODE_TRAP: fz_print_line(w, n->op ? "assert(gid == ~0u);" : "trap();"); break;
    case FZ_NODE_INSIDE: print_inside(w, n); break;
    case FZ_NODE_CONVERGE: print_converge(w, n); break;
    case FZ_NODE_STATE: print_state(w, n); break;
    case FZ_NODE_SPIN: print_spin(w, n); break;
    case FZ_NODE_GOTO: fz_print_line(w, "%s", jump(w, n->first)); break;
    default: return false;
    }
    return true;
}
