/* lower_printf.c: printf. One operation of the IR, unless it prints strings that are only known as the kernel
 * runs: then one for each piece between them and one for each character. All but the last end in %_, which
 * keeps what a thread has printed until its last one. The characters are loaded like others.
 */
#include "base/conversion.h"
#include "frontend/lower/lower.h"

#define FIELD_MAX CONVERSION_MAX_FIELD

struct pieces {
    struct lowering *l;
    const struct fe_expr *e, *argument; /* argument: the next one */
    const ir_ref *value;                /* its value */
    struct text text;                   /* the piece that is being made */
    u32_vec operands;
};

static ir_ref number(struct pieces *p, uint32_t n)
{
    return ir_const_i32(p->l->f, n);
}

/* Bytes in which %s looks for the end of a string: at most what limits.def says, so that one more is an i32. */
static uint32_t longest(const struct pieces *p)
{
    return p->l->fe->options.limits.printed_length;
}

static ir_ref op(struct pieces *p, enum ir_op o, ir_ref a, ir_ref b)
{
    enum ir_type t = o == IR_ult || o == IR_slt || o == IR_ne ? IR_TYPE_I1 : IR_TYPE_I32;
    return ir_emit2(&p->l->c, o, t, a, b);
}

static ir_ref choose(struct pieces *p, ir_ref condition, ir_ref a, ir_ref b)
{
    return ir_emit3(&p->l->c, IR_select, IR_TYPE_I32, condition, a, b);
}

static void take_value(struct pieces *p)
{
    vec_push(p->l->arena, &p->operands, *p->value++);
    p->argument = p->argument->next;
}

static void print(struct pieces *p, const char *text, size_t n, uint32_t count, const ir_ref *operands)
{
    ir_ref r = ir_emit(&p->l->c, IR_printf, IR_TYPE_VOID, count, operands);
    ir_at(p->l->f, r)->imm = ir_text_add(p->l->module, text, (uint32_t)n);
}

static void end_piece(struct pieces *p)
{
    print(p, p->text.at ? p->text.at : "", p->text.length, p->operands.count, p->operands.at);
    p->text.length = 0;
    vec_clear(&p->operands);
}

/* ---- a string ---------------------------------------------------------------------------------------- */

struct field {
    bool left;
    ir_ref width, precision; /* 0: none */
};

/* A number of the format, or what an argument says; 0: none. */
static ir_ref read_number(struct pieces *p, const char **at)
{
    uint32_t n = 0;
    if (**at == '*') {
        ++*at;
        p->argument = p->argument->next;
        return *p->value++;
    }
    if (**at < '0' || **at > '9')
        return 0;
    for (; **at >= '0' && **at <= '9'; ++*at)
        n = n > longest(p) ? n : 10 * n + (uint32_t)(**at - '0');
    return number(p, n);
}

static struct field read_field(struct pieces *p, const struct conversion *v)
{
    struct field f = {0};
    const char *at = v->start + 1;
    for (; strchr("-+ #0", *at); at++)
        f.left |= *at == '-';
    f.width = read_number(p, &at);
    if (*at == '.') {
        at++;
        f.precision = read_number(p, &at);
        f.precision = f.precision ? f.precision : number(p, 0);
    }
    return f;
}

/* for (; i < end; i++) goes on in `body`, which fe_loop_ends leaves; *i is its counter's value there. */
struct counting {
    struct address counter;
    uint32_t test, done;
    ir_ref i;
};

static struct counting count_to(struct pieces *p, ir_ref end)
{
    struct lowering *l = p->l;
    const struct fe_type *t = l->program->types.basic[FE_TYPE_UINT];
    struct counting c = {.counter = {fe_alloca(l, 4, 4, NULL), 0, NULL}};
    uint32_t body = fe_block(l, "text");
    c.test = fe_block(l, "text.test"), c.done = fe_block(l, "text.end");
    fe_store(l, c.counter, t, number(p, 0));
    fe_branch(l, c.test);
    fe_start(l, c.test);
    c.i = fe_load(l, c.counter, t);
    fe_branch_if(l, op(p, IR_ult, c.i, end), body, c.done);
    fe_start(l, body);
    return c;
}

static void count_ends(struct pieces *p, struct counting *c)
{
    fe_store(p->l, c->counter, p->l->program->types.basic[FE_TYPE_UINT], op(p, IR_add, c->i, number(p, 1)));
    fe_branch(p->l, c->test);
    fe_start(p->l, c->done);
}

static ir_ref character(struct pieces *p, ir_ref string, ir_ref i, const struct fe_type *t)
{
    ir_ref at = ir_emit2(&p->l->c, IR_ptradd, ir_at(p->l->f, string)->type, string, i);
    return fe_load(p->l, (struct address){at, 0, NULL}, t);
}

/* The characters in front of the string's end, at most `most`. */
static ir_ref length(struct pieces *p, ir_ref string, ir_ref most, const struct fe_type *t)
{
    struct lowering *l = p->l;
    struct counting c = count_to(p, most);
    uint32_t more = fe_block(l, "text.more");
    fe_branch_if(l, op(p, IR_ne, character(p, string, c.i, t), number(p, 0)), more, c.done);
    fe_start(l, more);
    count_ends(p, &c);
    return fe_load(l, c.counter, l->program->types.basic[FE_TYPE_UINT]);
}

/* A precision below 0 is none. */
static ir_ref checked_length(struct pieces *p, ir_ref string, const struct field *f, const struct fe_type *t)
{
    struct text text = {.arena = p->l->arena};
    ir_ref most = number(p, longest(p) + 1), precision = f->precision;
    if (precision)
        most = choose(p, op(p, IR_ult, precision, most), precision, most);
    ir_ref n = length(p, string, most, t);
    ir_ref ends = ir_emit1(&p->l->c, IR_assert, IR_TYPE_VOID, op(p, IR_ult, n, number(p, longest(p) + 1)));
    text_printf(&text, "a string that printf prints has no end within %u bytes (--limit=printed_length=N)",
                longest(p));
    ir_at(p->l->f, ends)->imm = ir_text_add(p->l->module, text.at, (uint32_t)text.length);
    return n;
}

static void print_blanks(struct pieces *p, ir_ref n)
{
    struct counting c = count_to(p, n);
    print(p, " %_", 3, 0, NULL);
    count_ends(p, &c);
}

/* What is missing from a field's width; a negative one is one from the left. */
static ir_ref missing(struct pieces *p, ir_ref width, ir_ref n)
{
    width = op(p, IR_smin, width, number(p, FIELD_MAX));
    return op(p, IR_smax, op(p, IR_sub, width, n), number(p, 0));
}

static void print_string(struct pieces *p, const struct conversion *v)
{
    struct field f = read_field(p, v);
    const struct fe_type *t = p->argument->type->of->plain;
    ir_ref string = *p->value++, n = checked_length(p, string, &f, t), before = 0, behind = 0;
    p->argument = p->argument->next;
    if (f.width) {
        ir_ref left = op(p, IR_slt, f.width, number(p, 0)), zero = number(p, 0);
        ir_ref right = missing(p, f.width, n), other = missing(p, op(p, IR_sub, zero, f.width), n);
        before = f.left ? 0 : choose(p, left, zero, right);
        behind = choose(p, left, other, f.left ? right : zero);
    }
    if (before)
        print_blanks(p, before);
    struct counting c = count_to(p, n);
    ir_ref one = character(p, string, c.i, t);
    print(p, "%c%_", 4, 1, &one);
    count_ends(p, &c);
    if (behind)
        print_blanks(p, behind);
}

/* ---- the whole --------------------------------------------------------------------------------------- */

static bool is_string(const struct conversion *v)
{
    return !v->letter && v->start[v->length - 1] == 's';
}

static void print_pieces(struct pieces *p, const char *at, const char *end)
{
    struct conversion v;
    for (const char *next; (next = conversion_next(at, end, &v)) != NULL; at = next) {
        text_add(&p->text, at, (size_t)((is_string(&v) ? v.start : next) - at));
        if (is_string(&v)) {
            text_addz(&p->text, "%_");
            end_piece(p);
            print_string(p, &v);
        } else if (v.letter != '%') {
            for (unsigned i = 0; i <= v.stars; i++)
                take_value(p);
        }
    }
    text_add(&p->text, at, (size_t)(end - at));
    end_piece(p);
}

/* A string that is written as an argument lies in constant memory. */
static ir_ref literal(struct lowering *l, const struct fe_expr *string)
{
    uint32_t n = string->string.length, number = l->module->objects.count;
    uint8_t *bytes = arena_array(&l->module->arena, uint8_t, n + 1);
    memcpy(bytes, string->string.bytes, n);
    const char *name = intern_z(&l->module->strings, arena_printf(l->arena, "string %u", number));
    struct ir_object o = {.name = name,
                          .space = IR_TYPE_CONSTANT,
                          .size = n + 1,
                          .align = 1,
                          .bytes = bytes,
                          .at = string->where.at};
    vec_push(&l->module->arena, &l->module->objects, o);
    ir_ref r = ir_emit0(&l->c, IR_object, IR_TYPE_CONSTANT);
    ir_at(l->f, r)->imm = number;
    return r;
}

ir_ref fe_lower_printf(struct lowering *l, const struct fe_expr *e)
{
    const struct fe_expr *format = e->call.args;
    u32_vec values = {0};
    for (const struct fe_expr *a = format->next; a; a = a->next)
        vec_push(l->arena, &values, a->kind == FE_EXPR_STRING ? literal(l, a) : fe_lower_value(l, a));
    fe_place(l, e->where);
    struct pieces p = {
        .l = l, .e = e, .argument = format->next, .value = values.at, .text = {.arena = l->arena}};
    print_pieces(&p, format->string.bytes, format->string.bytes + format->string.length);
    return 0;
}
