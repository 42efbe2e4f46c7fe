/* print_stmt.c: statements as source, and predictions. What they mean is written here in Kern and in
 * reference.c in C: the two have to say the same.
 */
#include "fuzz/plant.h"

static void print_stmt(struct printer *w, const struct fz_node *n);

void fz_print_indent(struct printer *w)
{
    text_printf(w->out, "%*s", (int)(4 * w->indent), "");
}

void fz_print_line(struct printer *w, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fz_print_indent(w);
    text_vprintf(w->out, fmt, args);
    text_char(w->out, '\n');
    va_end(args);
}

void fz_print_list(struct printer *w, const struct fz_node *block)
{
    for (const struct fz_node *s = block->first; s; s = s->next)
        print_stmt(w, s);
}

static void print_block(struct printer *w, const struct fz_node *block)
{
    text_addz(w->out, "{\n");
    w->indent++;
    fz_print_list(w, block);
    w->indent--;
    fz_print_indent(w);
    text_char(w->out, '}');
}

/* Text on the statement's own line, the indentation before it. */
static void begin(struct printer *w, const char *text)
{
    fz_print_indent(w);
    text_addz(w->out, text);
}

static void print_semicolon(struct printer *w)
{
    text_addz(w->out, ";\n");
}

/* ---- branches ---------------------------------------------------------------------------------------- */

static void print_if(struct printer *w, const struct fz_node *n)
{
    const struct fz_node *then = fz_child(n, 1), *otherwise = fz_child(n, 2);
    begin(w, "if (");
    fz_print_expr(w, n->first);
    text_addz(w->out, ") ");
    print_block(w, then);
    if (otherwise->first) {
        text_addz(w->out, " else ");
        print_block(w, otherwise);
    }
    text_char(w->out, '\n');
}

static void print_case(struct printer *w, const struct fz_node *n)
{
    if (n->flag)
        fz_print_line(w, "default:");
    else
        fz_print_line(w, "case %llu:", (unsigned long long)n->value);
    w->indent++;
    fz_print_list(w, n->first);
    if (!n->first->first && !n->next)
        fz_print_line(w, ";"); /* C wants a statement behind the last label */
    w->indent--;
}

static void print_switch(struct printer *w, const struct fz_node *n)
{
    begin(w, "switch (");
    fz_print_masked(w, n->first, n->value);
    text_addz(w->out, ") {\n");
    for (const struct fz_node *c = fz_child(n, 1)->first; c; c = c->next)
        print_case(w, c);
    fz_print_line(w, "}");
}

static void print_try(struct printer *w, const struct fz_node *n)
{
    begin(w, "try ");
    print_block(w, n->first);
    text_addz(w->out, " catch ");
    print_block(w, n->first->next);
    text_char(w->out, '\n');
}

static void print_return(struct printer *w, const struct fz_node *n)
{
    begin(w, "return");
    if (fz_has_log(w->p) && !w->f->is_void) {
        text_char(w->out, ' ');
        fz_print_as(w, "ulong", "h");
        text_addz(w->out, " << 32 | n");
    } else if (n->first) {
        text_char(w->out, ' ');
        fz_print_expr(w, n->first);
    }
    print_semicolon(w);
}

/* ---- loops ------------------------------------------------------------------------------------------- */

static void print_bound(struct printer *w, const struct fz_node *n)
{
    fz_begin_cast(w, "int");
    fz_print_masked(w, n->first, n->value);
    fz_end_cast(w);
}

/* "i < bound && condition" */
static void print_goes_on(struct printer *w, const struct fz_node *n)
{
    const struct fz_node *condition = fz_child(n, 1);
    fz_print_name(w, n->name);
    if (n->flag) {
        text_addz(w->out, " > 0");
    } else {
        text_addz(w->out, " < ");
        print_bound(w, n);
    }
    if (condition->kind == FZ_NODE_CONSTANT && condition->type == FZ_BOOL && condition->value)
        return;
    text_addz(w->out, " && ");
    fz_print_expr(w, condition);
}

static void print_for(struct printer *w, const struct fz_node *n)
{
    begin(w, "for (");
    fz_print_name(w, n->name);
    text_addz(w->out, " = ");
    if (n->flag)
        print_bound(w, n);
    else
        text_char(w->out, '0');
    text_addz(w->out, "; ");
    print_goes_on(w, n);
    text_addz(w->out, "; ");
    fz_print_name(w, n->name);
    text_addz(w->out, n->flag ? "--) " : "++) ");
    print_block(w, fz_child(n, 2));
    text_char(w->out, '\n');
}

static void print_counter(struct printer *w, const struct fz_node *n, const char *what)
{
    fz_print_indent(w);
    fz_print_name(w, n->name);
    text_printf(w->out, "%s;\n", what);
}

static void print_body_of_loop(struct printer *w, const struct fz_node *n)
{
    text_addz(w->out, "{\n");
    w->indent++;
    print_counter(w, n, "++");
    fz_print_list(w, fz_child(n, 2));
    w->indent--;
    begin(w, "}");
}

static void print_while(struct printer *w, const struct fz_node *n)
{
    print_counter(w, n, " = 0");
    begin(w, "while (");
    print_goes_on(w, n);
    text_addz(w->out, ") ");
    print_body_of_loop(w, n);
    text_char(w->out, '\n');
}

static void print_do(struct printer *w, const struct fz_node *n)
{
    print_counter(w, n, " = 0");
    begin(w, "do ");
    print_body_of_loop(w, n);
    text_addz(w->out, " while (");
    print_goes_on(w, n);
    text_addz(w->out, ");\n");
}

static void print_endless(struct printer *w, const struct fz_node *n)
{
    begin(w, "for (");
    fz_print_name(w, n->name);
    text_addz(w->out, " = 0;; ");
    fz_print_name(w, n->name);
    text_addz(w->out, "++) {\n");
    w->indent++;
    begin(w, "if (!(");
    print_goes_on(w, n);
    text_addz(w->out, ")) {\n");
    w->indent++;
    fz_print_list(w, fz_child(n, 3));
    fz_print_line(w, "break;");
    w->indent--;
    fz_print_line(w, "}");
    fz_print_list(w, fz_child(n, 2));
    w->indent--;
    fz_print_line(w, "}");
}

static void print_loop(struct printer *w, const struct fz_node *n)
{
    switch ((enum fz_loop_form)n->op) {
    case FZ_FOR: print_for(w, n); break;
    case FZ_WHILE: print_while(w, n); break;
    case FZ_DO: print_do(w, n); break;
    default: print_endless(w, n); break;
    }
}

static void print_forever(struct printer *w, const struct fz_node *n)
{
    begin(w, "for (;;) ");
    print_block(w, n->first);
    text_char(w->out, '\n');
}

/* A goto to the label with the node's number, if its child `condition` holds. */
static void print_goto(struct printer *w, const struct fz_node *n, uint32_t condition, char label)
{
    begin(w, "if (");
    fz_print_expr(w, fz_child(n, condition));
    text_printf(w->out, ") goto %c%llu;\n", label, (unsigned long long)n->value);
}

static void print_label(struct printer *w, char label, uint64_t number)
{
    fz_print_line(w, "%c%llu:;", label, (unsigned long long)number);
}

static void print_repeat(struct printer *w, const struct fz_node *n)
{
    print_label(w, 'R', n->value);
    fz_print_list(w, n->first);
    print_goto(w, n, 1, 'R');
    print_label(w, 'E', n->value);
}

static void print_irreducible(struct printer *w, const struct fz_node *n)
{
    print_goto(w, n, 0, 'B');
    print_label(w, 'A', n->value);
    fz_print_list(w, fz_child(n, 1));
    print_label(w, 'B', n->value);
    fz_print_list(w, fz_child(n, 2));
    print_goto(w, n, 3, 'A');
}

/* ---- class a ----------------------------------------------------------------------------------------- */

static void print_assign(struct printer *w, const struct fz_node *n)
{
    bool integers = n->op != FZ_OPERATORS && fz_operator_info[n->op].operands == 'I';
    fz_print_indent(w);
    fz_print_expr(w, n->first);
    text_printf(w->out, " %s= ", n->op == FZ_OPERATORS ? "" : fz_operator_info[n->op].text);
    if (w->p->checked && (n->op == FZ_OP_SHL || n->op == FZ_OP_SHR)) {
        fz_print_masked(w, n->first->next, 31);
        print_semicolon(w);
        return;
    }
    if (integers && fz_is_float(fz_type_of(w->p, w->f, n->first->next)))
        text_addz(w->out, "(int)");
    fz_print_expr(w, n->first->next);
    print_semicolon(w);
}

static void print_step(struct printer *w, const struct fz_node *n)
{
    const char *sign = n->op & 1 ? "--" : "++";
    begin(w, n->op < 2 ? "" : sign);
    fz_print_expr(w, n->first);
    text_printf(w->out, "%s;\n", n->op < 2 ? sign : "");
}

static void print_copy(struct printer *w, const struct fz_node *n)
{
    fz_print_indent(w);
    fz_print_expr(w, n->first);
    text_addz(w->out, " = ");
    fz_print_expr(w, n->first->next);
    print_semicolon(w);
}

static void print_lead(struct printer *w, const struct fz_node *n)
{
    fz_print_indent(w);
    fz_print_name(w, n->name);
    text_addz(w->out, " = &");
    fz_print_expr(w, n->first);
    text_addz(w->out, ";\n");
}

static void print_scope(struct printer *w, const struct fz_node *n)
{
    begin(w, "{\n");
    w->indent++;
    fz_print_indent(w);
    text_printf(w->out, "%s ", fz_type_info[w->f->variables.at[n->name].type].text);
    fz_print_name(w, n->name);
    text_addz(w->out, " = ");
    fz_print_expr(w, n->first);
    print_semicolon(w);
    fz_print_list(w, n->first->next);
    w->indent--;
    fz_print_line(w, "}");
}

static void print_output(struct printer *w, const struct fz_node *n)
{
    enum fz_type t = fz_type_of(w->p, w->f, n->first);
    fz_print_indent(w);
    text_printf(w->out, "out[gid * %d + %u] = (%s", FZ_SLOTS, (unsigned)n->value,
                t == FZ_FLOAT    ? "ulong)as_uint((float)"
                : t == FZ_DOUBLE ? "ulong)as_ulong((double)"
                                 : "ulong)(");
    fz_print_expr(w, n->first);
    text_addz(w->out, ");\n");
}

static void print_atomic(struct printer *w, const struct fz_node *n)
{
    bool doubles = n->flag && n->value == 0 && fz_adds_doubles(w->p);
    fz_print_indent(w);
    text_printf(w->out, "atomic_%s(&%s[", fz_atomics[n->value],
                doubles   ? "adds"
                : n->flag ? "counts"
                          : "sums");
    fz_print_masked(w, n->first, FZ_COUNTERS / FZ_ATOMICS - 1);
    text_printf(w->out, " * %d + %u], %s(int)", FZ_ATOMICS, (unsigned)n->value, doubles ? "(double)" : "");
    fz_print_expr(w, n->first->next);
    text_addz(w->out, ");\n");
}

static void print_publish(struct printer *w)
{
    fz_print_line(w, "barrier();");
    fz_print_line(w, "for (uint c = threadIdx.x; c < %d; c += blockDim.x)", FZ_COUNTERS);
    fz_print_line(w, "    atomic_add(&sums[%d + c], counts[c]%s);", FZ_COUNTERS,
                  fz_adds_doubles(w->p) ? " + (int)((long)adds[c] & 0xffffff)" : "");
}

static void print_exchange(struct printer *w, const struct fz_node *n)
{
    const char *type = fz_type_info[n->type].text;
    fz_print_indent(w);
    text_printf(w->out, "tile_%s[threadIdx.x] = ", type);
    fz_print_expr(w, n->first->next);
    print_semicolon(w);
    fz_print_line(w, "barrier();");
    fz_print_indent(w);
    fz_print_expr(w, n->first);
    text_printf(w->out, " = tile_%s[(threadIdx.x + %u) %% blockDim.x];\n", type, (unsigned)n->value);
    fz_print_line(w, "barrier();");
}

/* ---- class b ----------------------------------------------------------------------------------------- */

/* What the statement's operation gives of the operand. */
static void print_observation(struct printer *w, const struct fz_node *n, const struct fz_node *operand)
{
    static const struct {
        const char *call, *type, *after; /* type: what the operand is converted to */
    } text[FZ_OBSERVATIONS + 1] = {
        [FZ_BALLOT_ALL] = {"ballot(true", NULL, ")"},
        [FZ_BALLOT] = {"ballot(", "bool", ")"},
        [FZ_ACTIVE_MASK] = {"active_mask(", NULL, ")"},
        [FZ_REDUCE_ADD] = {"reduce_add(", "uint", ")"},
        [FZ_REDUCE_XOR] = {"reduce_xor(", "uint", ")"},
        [FZ_REDUCE_MAX] = {"reduce_max(", "uint", ")"},
        [FZ_SCAN_ADD] = {"scan_add(", "uint", ")"},
        [FZ_BROADCAST_FIRST] = {"broadcast_first(", "uint", ")"},
        [FZ_SHUFFLE_XOR] = {"shuffle_xor(", "uint", ", "},
        [FZ_SHUFFLE_UP] = {"shuffle_up(", "uint", ", "},
        [FZ_ANY] = {"any(", "bool", ")"},
        [FZ_ALL] = {"all(", "bool", ")"},
        [FZ_ALONE] = {"", "uint", ""},
    };
    text_addz(w->out, text[n->op].call);
    if (text[n->op].type) {
        fz_begin_cast(w, text[n->op].type);
        fz_print_expr(w, operand);
        fz_end_cast(w);
    }
    text_addz(w->out, text[n->op].after);
    if (n->op == FZ_SHUFFLE_XOR || n->op == FZ_SHUFFLE_UP)
        text_printf(w->out, "%u)", (unsigned)n->value);
    text_addz(w->out, w->to && (n->op == FZ_ANY || n->op == FZ_ALL) ? " ? 1 : 0;\n" : ";\n");
}

/* In another language, threads that went astray write to the last row again and again. */
static void print_row_of_log(struct printer *w)
{
    uint32_t threads = w->p->blocks * w->p->threads;
    if (w->to)
        text_printf(w->out, "log[min(n, %uu) * %u + gid] = ", w->p->buffers.at[0].per_thread - 1, threads);
    else
        text_printf(w->out, "log[n++ * %u + gid] = ", threads);
}

static void print_log(struct printer *w, const struct fz_node *n)
{
    bool used = n->flag || n->name || w->to;
    fz_print_indent(w);
    if (used)
        text_addz(w->out, "{ ulong r = ");
    else
        print_row_of_log(w);
    print_observation(w, n, n->first);
    if (!used)
        return;
    begin(w, "  ");
    print_row_of_log(w);
    text_addz(w->out, w->to ? "r; n++;" : "r;");
    text_addz(w->out, n->flag || n->name ? "\n" : " }\n");
    if (n->name)
        fz_print_line(w, n->flag ? "  s = r;" : "  s = r; }");
    if (!n->flag)
        return;
    begin(w, "  h = (h ^ ");
    fz_print_as(w, "uint", "r");
    text_printf(w->out, ") * %uu; }\n", FZ_HASH_FACTOR);
}

static void print_stir(struct printer *w, const struct fz_node *n)
{
    fz_print_line(w, "h = %s(h ^ %uu, gid);", n->flag ? "(laneId % 2 == 0 ? stir : stir_twice)" : "stir",
                  (unsigned)n->value);
}

void fz_print_helpers(struct printer *w)
{
    const char *mark = w->to ? w->to->function : "";
    if (fz_count(w->p, FZ_NODE_STIR))
        text_printf(w->out,
                    "%suint stir(uint h, uint gid)\n{\n"
                    "    for (int i = 0; i < 3; i++)\n"
                    "        h = h * %uu + (h >> 16);\n"
                    "    return h + gid;\n}\n"
                    "%suint stir_twice(uint h, uint gid) { return stir(stir(h, gid) ^ gid, 1); }\n",
                    mark, FZ_HASH_FACTOR, mark);
    if (fz_count(w->p, FZ_NODE_GATE) || fz_count(w->p, FZ_NODE_BARRIER))
        text_printf(w->out, "%svoid meet() { barrier(); }\n", mark);
}

static void print_invoke(struct printer *w, const struct fz_node *n)
{
    fz_print_indent(w);
    text_addz(w->out, "{ ulong r = ");
    if (n->flag)
        text_printf(w->out, "(laneId %% 2 == 0 ? f%u : f%u)", n->name, (unsigned)n->value);
    else
        text_printf(w->out, "f%u", n->name);
    text_printf(w->out, "(gid%s, n, h); n = ", w->to ? w->to->arguments : ", input, log, noise");
    fz_print_as(w, "uint", "r");
    text_addz(w->out, "; h = ");
    fz_print_as(w, "uint", w->to && w->to->casts_by_call ? "r >> 32" : "(r >> 32)");
    text_addz(w->out, "; }\n");
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
    print_block(w, n->first->next);
    text_addz(w->out, " else ");
    print_block(w, n->first->next->next);
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
    uint32_t count = fz_list_length(target);
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

/* At a gate, which is in the kernel: of another language that is a function with a result. */
static const char *leave(const struct printer *w)
{
    return w->f->is_void ? "return;" : "return (ulong)h << 32 | n;";
}

/* A side of a gate that is a branch: all return, or come to a barrier. */
static void print_side(struct printer *w, const struct fz_node *n, uint32_t side)
{
    w->indent++;
    fz_print_list(w, fz_child(n, 1 + side));
    fz_print_line(w, "if (input[%u] %% 2 == %u) %s", (unsigned)n->value, side, leave(w));
    print_barrier(w, n);
    fz_print_list(w, fz_child(n, 3 + side));
    if (n->op == FZ_GATE_SWITCH)
        fz_print_line(w, "break;");
    w->indent--;
}

/* A side that comes to a barrier and returns behind it, or goes on; then some return behind the barrier that
 * they never come to, others do not. */
static void print_side_beside(struct printer *w, const struct fz_node *n, uint32_t side)
{
    uint32_t input = (uint32_t)w->p->inputs[n->value];
    bool waits = input % 2 != side, returns = input / 2 % 2;
    w->indent++;
    fz_print_list(w, fz_child(n, 1 + side));
    fz_print_line(w, "if (input[%u] %% 2 != %u) {", (unsigned)n->value, side);
    w->indent++;
    print_barrier(w, n);
    fz_print_list(w, fz_child(n, 3 + side));
    if (waits || returns)
        fz_print_line(w, "%s", leave(w));
    w->indent--;
    fz_print_line(w, "}");
    w->indent--;
}

static void print_with_condition(struct printer *w, const char *before, const struct fz_node *n,
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
    fz_print_line(w, "for (; turn < %d; turn++) {", FZ_GATE_ITERATIONS);
    w->indent++;
    print_with_condition(w, "if (", n, ") break;");
    fz_print_list(w, fz_child(n, 1));
    print_barrier(w, n);
    fz_print_list(w, fz_child(n, 3));
    w->indent--;
    fz_print_line(w, "}");
    fz_print_list(w, fz_child(n, 2));
    fz_print_line(w, "if (turn < %d) %s", FZ_GATE_ITERATIONS, leave(w));
    print_barrier(w, n);
    fz_print_list(w, fz_child(n, 4));
}

static void print_gate_branch(struct printer *w, const struct fz_node *n)
{
    bool is_if = n->op != FZ_GATE_SWITCH;
    void (*side)(struct printer *, const struct fz_node *, uint32_t) =
        n->op == FZ_GATE_BESIDE ? print_side_beside : print_side;
    print_with_condition(w, is_if ? "if (" : "switch (", n, is_if ? ") {" : " ? 1 : 0) {");
    if (!is_if)
        fz_print_line(w, "case 1:");
    side(w, n, 0);
    fz_print_line(w, is_if ? "} else {" : "default:");
    side(w, n, 1);
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

/* ---- all --------------------------------------------------------------------------------------------- */

static void print_stmt(struct printer *w, const struct fz_node *n)
{
    switch (n->kind) {
    case FZ_NODE_BLOCK:
        fz_print_indent(w);
        print_block(w, n);
        text_char(w->out, '\n');
        break;
    case FZ_NODE_IF: print_if(w, n); break;
    case FZ_NODE_LOOP: print_loop(w, n); break;
    case FZ_NODE_SWITCH: print_switch(w, n); break;
    case FZ_NODE_BREAK: fz_print_line(w, "break;"); break;
    case FZ_NODE_CONTINUE: fz_print_line(w, "continue;"); break;
    case FZ_NODE_RETURN: print_return(w, n); break;
    case FZ_NODE_TRY: print_try(w, n); break;
    case FZ_NODE_THROW: fz_print_line(w, "throw;"); break;
    case FZ_NODE_LABEL: print_label(w, 'P', n->value); break;
    case FZ_NODE_FOREVER: print_forever(w, n); break;
    case FZ_NODE_REPEAT: print_repeat(w, n); break;
    case FZ_NODE_IRREDUCIBLE: print_irreducible(w, n); break;
    case FZ_NODE_ASSIGN: print_assign(w, n); break;
    case FZ_NODE_STEP: print_step(w, n); break;
    case FZ_NODE_COPY:
    case FZ_NODE_POINT: print_copy(w, n); break;
    case FZ_NODE_LEAD: print_lead(w, n); break;
    case FZ_NODE_SCOPE: print_scope(w, n); break;
    case FZ_NODE_OUTPUT: print_output(w, n); break;
    case FZ_NODE_ATOMIC: print_atomic(w, n); break;
    case FZ_NODE_PUBLISH: print_publish(w); break;
    case FZ_NODE_PLANT: fz_print_plant(w); break;
    case FZ_NODE_EXCHANGE: print_exchange(w, n); break;
    case FZ_NODE_GRAPH: fz_print_list(w, n->first); break;
    case FZ_NODE_GATHER: fz_print_line(w, "{ token t = anchor(); ballot(true) @ t; }"); break;
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
    default: BUG("%s is no statement", fz_node_info[n->kind].name);
    }
}
