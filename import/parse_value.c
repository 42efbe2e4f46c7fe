/* parse_value.c: constants and operands of LLVM IR, and the rules of types for the operations on them. */
#include "base/number_read.h"
#include "import/parse.h"

struct ll_value *ll_value_new(struct parser *p, enum ll_value_kind kind, struct ll_type *type, place at)
{
    struct ll_value *v = arena_new(p->arena, struct ll_value);
    *v = (struct ll_value){.kind = (uint8_t)kind, .type = type, .number = UINT32_MAX, .text = "", .at = at};
    return v;
}

struct ll_value **ll_take_operands(struct parser *p, uint32_t from, uint32_t *count)
{
    *count = p->operands.count - from;
    struct ll_value **all = arena_array(p->arena, struct ll_value *, *count + 1);
    for (uint32_t i = 0; i < *count; i++)
        all[i] = p->operands.at[from + i];
    p->operands.count = from;
    return all;
}

static void push(struct parser *p, struct ll_value *v)
{
    vec_push(p->arena, &p->operands, v);
}

static const char *type_text(struct parser *p, const struct ll_type *t)
{
    return ll_type_text(p->arena, t);
}

/* ---- symbols ------------------------------------------------------------------------------------------- */

struct ll_value *ll_symbol(struct parser *p, const struct token *name, struct ll_type *type)
{
    uint64_t key = (uintptr_t)name->text;
    uint32_t index = map_get(&p->symbol_index, key);
    if (index == MAP_NONE) {
        struct ll_value *v = ll_value_new(p, LL_BLOCK_ADDRESS, type, name->where.at);
        v->text = name->text;
        index = p->symbols.count;
        map_set(p->arena, &p->symbol_index, key, index);
        vec_push(p->arena, &p->symbols, v);
    }
    struct ll_value *v = p->symbols.at[index];
    if (v->type != type)
        ll_error(p, name->where, "import-syntax", "'@%s' is of type %s, and is %s here", name->text,
                 type_text(p, v->type), type_text(p, type));
    return v;
}

void ll_define_symbol(struct parser *p, const struct token *name, enum ll_value_kind kind, uint32_t number,
                      struct ll_type *type)
{
    struct ll_value *v = ll_symbol(p, name, type);
    if (v->kind != LL_BLOCK_ADDRESS)
        ll_error(p, name->where, "import-syntax", "'@%s' is defined twice", name->text);
    v->kind = (uint8_t)kind;
    v->number = number;
}

/* ---- numbers ------------------------------------------------------------------------------------------- */

/* Digits of the base, wrapped to the words. */
static void read_words(const char *at, uint32_t base, uint64_t *words, uint32_t n)
{
    for (; number_digit(*at) < base; at++) {
        __uint128_t carry = number_digit(*at);
        for (uint32_t i = 0; i < n; i++) {
            carry += (__uint128_t)words[i] * base;
            words[i] = (uint64_t)carry;
            carry >>= 64;
        }
    }
}

static struct ll_value *new_int(struct parser *p, struct ll_type *type, place at)
{
    struct ll_value *v = ll_value_new(p, LL_CONST_INT, type, at);
    v->words = arena_array(p->arena, uint64_t, (type->bits + 63) / 64);
    return v;
}

static struct ll_value *parse_integer(struct parser *p, struct ll_type *type)
{
    struct token t = p->token;
    uint32_t bits = type->bits, n = (bits + 63) / 64;
    if (type->kind != LL_INT) {
        ll_error(p, t.where, "import-syntax", "the integer %s stands for a value of type %s", t.text,
                 type_text(p, type));
        return ll_value_new(p, LL_ZERO, type, t.where.at);
    }
    struct ll_value *v = new_int(p, type, t.where.at);
    bool is_hex = t.text[0] == 'u' || t.text[0] == 's', is_negative = *t.text == '-';
    read_words(t.text + (is_hex ? 3 : is_negative), is_hex ? 16 : 10, v->words, n);
    for (uint32_t i = 0, carry = 1; is_negative && i < n; i++) {
        v->words[i] = ~v->words[i] + carry;
        carry &= v->words[i] == 0;
    }
    if (bits % 64)
        v->words[n - 1] &= ((uint64_t)1 << bits % 64) - 1;
    ll_advance(p);
    return v;
}

/* A double in a format with so many bits of exponent and fraction; *exact: it is the same number. */
static uint64_t narrowed(uint64_t d, int exponent_bits, int fraction_bits, bool *exact)
{
    int bias = (1 << (exponent_bits - 1)) - 1, exponent = (int)(d >> 52 & 0x7ff) - 1023,
        drop = 52 - fraction_bits;
    uint64_t sign = d >> 63 << (exponent_bits + fraction_bits), fraction = d & (((uint64_t)1 << 52) - 1);
    uint64_t all_ones = ((uint64_t)1 << exponent_bits) - 1, field;
    if (exponent == 1024) {
        field = all_ones;
    } else if (exponent > bias) {
        *exact = false;
        return sign | all_ones << fraction_bits;
    } else if (exponent >= 1 - bias) {
        field = (uint64_t)(exponent + bias);
    } else {
        field = 0;
        if (exponent > -1023)
            fraction |= (uint64_t)1 << 52;
        drop += exponent > -1023 ? 1 - bias - exponent : 0;
        if (exponent == -1023 && fraction)
            drop = 64;
    }
    if (drop >= 64) {
        *exact = fraction == 0;
        return sign;
    }
    *exact = fraction >> drop << drop == fraction;
    return sign | field << fraction_bits | fraction >> drop;
}

static struct ll_value *parse_float(struct parser *p, struct ll_type *type)
{
    struct token t = p->token;
    struct ll_value *v = ll_value_new(p, LL_CONST_FLOAT, type, t.where.at);
    char format = t.kind == LEX_HEX && number_digit(t.text[2]) > 15 ? t.text[2] : 0;
    enum ll_kind of = format == 'H' ? LL_HALF : format == 'R' ? LL_BFLOAT : (enum ll_kind)type->kind;
    bool is_good = type->kind >= LL_HALF && type->kind <= LL_DOUBLE && type->kind == of, exact = true;
    uint64_t bits = t.bits;
    v->words = arena_array(p->arena, uint64_t, 1);
    ll_advance(p);
    if (format && format != 'H' && format != 'R')
        ll_refuse(p, t.where, "a number of 80 or 128 bits", "use float or double");
    if (!is_good)
        ll_error(p, t.where, "import-syntax", "the number %s stands for a value of type %s", t.text,
                 type_text(p, type));
    if (t.kind == LEX_DECIMAL) {
        struct number n;
        bool has_sign = *t.text == '-' || *t.text == '+';
        if (!number_read(t.text + has_sign, t.length - has_sign, 0, &n))
            ll_error(p, t.where, "import-syntax", "%s is no number: %s", t.text, n.problem);
        memcpy(&bits, &n.value, 8);
        bits |= (uint64_t)(*t.text == '-') << 63;
    }
    if (format || type->kind == LL_DOUBLE)
        v->words[0] = bits;
    else
        v->words[0] = type->kind == LL_HALF     ? narrowed(bits, 5, 10, &exact)
                      : type->kind == LL_BFLOAT ? narrowed(bits, 8, 7, &exact)
                                                : narrowed(bits, 8, 23, &exact);
    if (!exact)
        ll_error(p, t.where, "import-syntax", "%s is not quite a number of type %s", t.text,
                 type_text(p, type));
    return v;
}

/* ---- aggregates ---------------------------------------------------------------------------------------- */

static struct ll_value *byte(struct parser *p, struct ll_type *i8, uint8_t b, place at)
{
    if (!p->bytes[b]) {
        p->bytes[b] = new_int(p, i8, at);
        p->bytes[b]->words[0] = b;
    }
    return p->bytes[b];
}

/* Whether an aggregate of type t has n parts, and part i is of this type. */
static bool part_fits(const struct ll_type *t, uint64_t i, const struct ll_type *part)
{
    bool is_struct = t->kind == LL_STRUCT;
    return (is_struct || t->kind == LL_ARRAY || t->kind == LL_VECTOR) &&
           i < (is_struct ? t->argc : t->count) && t->args[is_struct ? i : 0] == part;
}

static struct ll_value *finish_aggregate(struct parser *p, struct ll_type *type, uint32_t from, span where)
{
    struct ll_value *v = ll_value_new(p, LL_AGGREGATE, type, where.at);
    v->args = ll_take_operands(p, from, &v->argc);
    for (uint32_t i = 0; i < v->argc && !p->failed; i++)
        if (!part_fits(type, i, v->args[i]->type))
            ll_error(p, where, "import-syntax", "element %u, of type %s, has no place in a value of type %s",
                     i, type_text(p, v->args[i]->type), type_text(p, type));
    if (!p->failed && v->argc != (type->kind == LL_STRUCT ? type->argc : type->count))
        ll_error(p, where, "import-syntax", "%u elements for a value of type %s", v->argc,
                 type_text(p, type));
    return v;
}

/* Elements, each with its type, up to the closing brackets. */
static struct ll_value *parse_aggregate(struct parser *p, struct ll_type *type)
{
    uint32_t from = p->operands.count;
    span where = p->token.where;
    bool is_packed = ll_accept(p, '<') && ll_sees(p, '{');
    bool is_struct = ll_accept(p, '{'), is_array = !is_struct && ll_accept(p, '[');
    int close = is_struct ? '}' : is_array ? ']' : '>';
    bool fits = type->kind == (is_struct  ? LL_STRUCT
                               : is_array ? LL_ARRAY
                                          : LL_VECTOR) &&
                (!is_struct || type->packed == is_packed);
    if (!fits)
        ll_error(p, where, "import-syntax", "the constant is not of type %s", type_text(p, type));
    while (!ll_sees(p, close) && !ll_sees(p, LEX_END)) {
        if (p->operands.count > from)
            ll_expect(p, ',');
        push(p, ll_parse_typed(p));
    }
    ll_expect(p, close);
    if (is_packed)
        ll_expect(p, '>');
    return finish_aggregate(p, type, from, where);
}

static struct ll_value *parse_bytes(struct parser *p, struct ll_type *type)
{
    uint32_t from = p->operands.count;
    struct token t = p->token;
    struct ll_type *i8 = ll_simple(p, LL_INT, 8);
    for (size_t i = 0; i < t.length; i++)
        push(p, byte(p, i8, (uint8_t)t.text[i], t.where.at));
    ll_advance(p);
    return finish_aggregate(p, type, from, t.where);
}

/* splat (type value) */
static struct ll_value *parse_splat(struct parser *p, struct ll_type *type)
{
    uint32_t from = p->operands.count;
    span where = p->token.where;
    ll_advance(p);
    ll_expect(p, '(');
    struct ll_value *each = ll_parse_typed(p);
    ll_expect(p, ')');
    for (uint64_t i = 0; type->kind == LL_VECTOR && i < type->count; i++)
        push(p, each);
    if (type->kind != LL_VECTOR)
        ll_error(p, where, "import-syntax", "'splat' is a vector, and stands for a value of type %s",
                 type_text(p, type));
    return finish_aggregate(p, type, from, where);
}

/* ---- what operations take and give --------------------------------------------------------------------- */

enum type_class { INTEGER = 1, FLOATING = 2, ADDRESS = 4 };
static uint32_t class_of(struct ll_type *t)
{
    t = ll_scalar(t);
    return t->kind == LL_INT                            ? INTEGER
           : t->kind >= LL_HALF && t->kind <= LL_DOUBLE ? FLOATING
           : t->kind == LL_POINTER                      ? ADDRESS
                                                        : 0;
}

static bool same_shape(const struct ll_type *a, const struct ll_type *b)
{
    return (a->kind == LL_VECTOR) == (b->kind == LL_VECTOR) && (a->kind != LL_VECTOR || a->count == b->count);
}

static uint64_t value_bits(struct ll_type *t)
{
    struct ll_type *s = ll_scalar(t);
    uint64_t each = s->kind == LL_INT ? s->bits : s->kind == LL_FLOAT ? 32 : s->kind == LL_DOUBLE ? 64 : 16;
    return each * (t->kind == LL_VECTOR ? t->count : 1);
}

static bool cast_fits(enum ll_op op, struct ll_type *from, struct ll_type *to)
{
    static const struct {
        uint8_t from, to;
        int grows; /* bits: -1 fewer, 1 more, 0 any */
    } rules[LL_OPS] = {
        [LL_OP_trunc] = {INTEGER, INTEGER, -1},   [LL_OP_zext] = {INTEGER, INTEGER, 1},
        [LL_OP_sext] = {INTEGER, INTEGER, 1},     [LL_OP_fptrunc] = {FLOATING, FLOATING, -1},
        [LL_OP_fpext] = {FLOATING, FLOATING, 1},  [LL_OP_fptoui] = {FLOATING, INTEGER, 0},
        [LL_OP_fptosi] = {FLOATING, INTEGER, 0},  [LL_OP_uitofp] = {INTEGER, FLOATING, 0},
        [LL_OP_sitofp] = {INTEGER, FLOATING, 0},  [LL_OP_ptrtoint] = {ADDRESS, INTEGER, 0},
        [LL_OP_inttoptr] = {INTEGER, ADDRESS, 0}, [LL_OP_addrspacecast] = {ADDRESS, ADDRESS, 0},
    };
    if (op == LL_OP_bitcast)
        return from == to || (class_of(from) & (INTEGER | FLOATING) && class_of(to) & (INTEGER | FLOATING) &&
                              value_bits(from) == value_bits(to));
    int grows = value_bits(to) > value_bits(from) ? 1 : value_bits(to) < value_bits(from) ? -1 : 0;
    return class_of(from) == rules[op].from && class_of(to) == rules[op].to && same_shape(from, to) &&
           (!rules[op].grows || grows == rules[op].grows);
}

static bool binary_fits(enum ll_op op, struct ll_type *a, struct ll_type *b)
{
    bool is_float = op >= LL_OP_fadd && op <= LL_OP_frem;
    return a == b && class_of(a) == (is_float ? FLOATING : INTEGER);
}

static bool is_i1(struct ll_type *t)
{
    return ll_scalar(t)->kind == LL_INT && ll_scalar(t)->bits == 1;
}

/* A vector of addresses, if any operand is a vector. */
static struct ll_type *step_type(struct parser *p, struct ll_value *const *args, uint32_t argc, bool *good)
{
    struct ll_type *t = argc ? args[0]->type : NULL;
    *good = t && class_of(t) == ADDRESS;
    for (uint32_t i = 1; *good && i < argc; i++) {
        *good = class_of(args[i]->type) == INTEGER &&
                (same_shape(args[i]->type, t) || args[i]->type->kind != LL_VECTOR || t->kind != LL_VECTOR);
        if (t->kind != LL_VECTOR)
            t = ll_shaped(p, args[i]->type, t);
    }
    return t;
}

uint32_t ll_operand_count(enum ll_op op)
{
    switch (ll_shapes[op]) {
    case SHAPE_UNARY:
    case SHAPE_CAST: return 1;
    case SHAPE_BINARY:
    case SHAPE_COMPARE: return 2;
    default: return op == LL_OP_freeze || op == LL_OP_va_arg ? 1 : op == LL_OP_extractelement ? 2 : 3;
    }
}

/* The type of the result, if operands of these types fit; NULL: they don't. */
static struct ll_type *result_type(struct parser *p, enum ll_op op, struct ll_value *const *v, uint32_t argc,
                                   struct ll_type *type)
{
    struct ll_type *a = v[0]->type, *b = argc > 1 ? v[1]->type : NULL, *c = argc > 2 ? v[2]->type : NULL;
    bool good;
    switch (op) {
    case LL_OP_fneg: return class_of(a) == FLOATING ? a : NULL;
    case LL_OP_icmp:
        good = a == b && class_of(a) & (INTEGER | ADDRESS);
        return good ? ll_shaped(p, a, ll_simple(p, LL_INT, 1)) : NULL;
    case LL_OP_fcmp:
        return a == b && class_of(a) == FLOATING ? ll_shaped(p, a, ll_simple(p, LL_INT, 1)) : NULL;
    case LL_OP_getelementptr: a = step_type(p, v, argc, &good); return good ? a : NULL;
    case LL_OP_select: return b == c && is_i1(a) && (a->kind != LL_VECTOR || same_shape(a, b)) ? b : NULL;
    case LL_OP_extractelement: return a->kind == LL_VECTOR && b->kind == LL_INT ? a->args[0] : NULL;
    case LL_OP_insertelement: return a->kind == LL_VECTOR && b == a->args[0] && c->kind == LL_INT ? a : NULL;
    case LL_OP_shufflevector:
        good =
            a == b && a->kind == LL_VECTOR && c->kind == LL_VECTOR && c->args[0] == ll_simple(p, LL_INT, 32);
        return good ? ll_shaped(p, c, a->args[0]) : NULL;
    case LL_OP_freeze: return a->kind != LL_VOID && a->kind != LL_LABEL && a->kind != LL_METADATA ? a : NULL;
    case LL_OP_va_arg: return class_of(a) == ADDRESS ? type : NULL;
    default:
        if (ll_shapes[op] == SHAPE_CAST)
            return cast_fits(op, a, type) ? type : NULL;
        return binary_fits(op, a, b) ? a : NULL;
    }
}

struct ll_type *ll_result_type(struct parser *p, span where, enum ll_op op, struct ll_value *const *args,
                               uint32_t argc, struct ll_type *type)
{
    struct ll_type *t = argc ? result_type(p, op, args, argc, type) : NULL;
    struct text types = {.arena = p->arena};
    if (t)
        return t;
    for (uint32_t i = 0; i < argc && i < 4; i++)
        text_printf(&types, "%s%s", i ? ", " : "", type_text(p, args[i]->type));
    ll_error(p, where, "import-syntax", ll_shapes[op] == SHAPE_CAST ? "'%s' from %s to %s" : "'%s' of %s",
             ll_op_names[op], types.at ? types.at : "nothing", type_text(p, type));
    return type;
}

/* ---- constant expressions ------------------------------------------------------------------------------ */

void ll_skip_flags(struct parser *p)
{
    while (ll_sees_class(p, WORD_FLAG)) {
        bool is_range = ll_sees_word(p, "inrange");
        ll_advance(p);
        if (is_range && ll_accept(p, '('))
            ll_skip_brackets(p, ')');
    }
}

uint8_t ll_parse_predicate(struct parser *p, enum ll_op op)
{
    ll_skip_flags(p);
    uint32_t word = ll_word(p), n = word & 0xff;
    if (op == LL_OP_icmp && n >= LL_ugt && n <= LL_ule)
        n += LL_i_ugt - LL_ugt;
    if (!(word & WORD_PREDICATE) || (op == LL_OP_icmp) != (n >= LL_eq))
        ll_wanted(p, op == LL_OP_icmp ? "a comparison of integers, such as ult"
                                      : "a comparison of numbers, such as olt");
    ll_advance(p);
    return (uint8_t)n;
}

/* operation [flags] ([element type,] operands [to type]) */
static struct ll_value *parse_expression(struct parser *p, struct ll_type *type)
{
    uint32_t from = p->operands.count;
    span where = p->token.where;
    enum ll_op op = (enum ll_op)(ll_word(p) & 0xff);
    struct ll_value *v = ll_value_new(p, LL_EXPRESSION, type, where.at);
    v->op = (uint8_t)op;
    if (ll_shapes[op] < SHAPE_BINARY)
        ll_wanted(p, "a constant");
    ll_advance(p);
    ll_skip_flags(p);
    if (ll_shapes[op] == SHAPE_COMPARE)
        v->number = ll_parse_predicate(p, op);
    ll_expect(p, '(');
    if (op == LL_OP_getelementptr) {
        v->element = ll_parse_type(p);
        ll_expect(p, ',');
    }
    do {
        ll_accept_word(p, "inrange");
        push(p, ll_parse_typed(p));
    } while (ll_accept(p, ','));
    struct ll_type *to = type;
    if (ll_shapes[op] == SHAPE_CAST) {
        ll_expect_word(p, "to");
        to = ll_parse_type(p);
    }
    ll_expect(p, ')');
    v->args = ll_take_operands(p, from, &v->argc);
    if (!p->failed && op != LL_OP_getelementptr && v->argc != ll_operand_count(op))
        ll_error(p, where, "import-syntax", "'%s' has %u operands", ll_op_names[op], ll_operand_count(op));
    if (!p->failed && ll_result_type(p, where, op, v->args, v->argc, to) != type)
        ll_error(p, where, "import-syntax", "the constant is not of type %s", type_text(p, type));
    return v;
}

/* ---- values -------------------------------------------------------------------------------------------- */

/* asm [sideeffect] [alignstack] [inteldialect] [unwind] "template", "constraints" */
static struct ll_value *parse_asm(struct parser *p, struct ll_type *type)
{
    struct ll_value *v = ll_value_new(p, LL_ASM, type, p->token.where.at);
    while (ll_accept(p, LEX_WORD))
        ;
    v->text = ll_parse_string(p, "the text of assembly");
    ll_expect(p, ',');
    ll_parse_string(p, "the constraints of assembly");
    return v;
}

/* !12 | !"string" | type value, as an argument */
static struct ll_value *parse_metadata_value(struct parser *p, struct ll_type *type)
{
    struct ll_value *v = ll_value_new(p, LL_METADATA_REF, type, p->token.where.at);
    uint32_t from = p->operands.count;
    struct ll_item item = ll_parse_item(p);
    if (item.kind == LL_ITEM_VALUE)
        push(p, item.value);
    v->number = item.node;
    v->text = item.text ? item.text : "";
    v->args = ll_take_operands(p, from, &v->argc);
    return v;
}

static struct ll_value *parse_word_value(struct parser *p, struct ll_type *type)
{
    struct token t = p->token;
    bool is_truth = ll_sees_word(p, "true") || ll_sees_word(p, "false");
    if (is_truth && is_i1(type) && type->kind == LL_INT) {
        struct ll_value *v = new_int(p, type, t.where.at);
        v->words[0] = ll_accept_word(p, "true");
        ll_accept_word(p, "false");
        return v;
    }
    if (ll_sees_word(p, "asm")) {
        ll_advance(p);
        return parse_asm(p, type);
    }
    if (ll_sees_word(p, "splat"))
        return parse_splat(p, type);
    if (ll_sees_word(p, "blockaddress"))
        ll_refuse(p, t.where, "the address of a block", "branch to the block by a switch");
    if (ll_accept_word(p, "dso_local_equivalent") || ll_accept_word(p, "no_cfi"))
        return ll_parse_value(p, type);
    bool is_null = ll_sees_word(p, "null"), is_undef = ll_sees_word(p, "undef") || ll_sees_word(p, "poison");
    bool is_none = ll_sees_word(p, "none");
    if (is_truth || (is_null && type->kind != LL_POINTER) || is_none != (type->kind == LL_TOKEN))
        ll_error(p, t.where, "import-syntax", "'%s' stands for a value of type %s", t.text,
                 type_text(p, type));
    ll_advance(p);
    return ll_value_new(p, is_null ? LL_NULL : is_undef ? LL_UNDEF : LL_ZERO, type, t.where.at);
}

static struct ll_value *parse_plain_value(struct parser *p, struct ll_type *type)
{
    struct token t = p->token;
    switch (t.kind) {
    case LEX_GLOBAL:
        ll_advance(p);
        if (type->kind != LL_POINTER)
            ll_error(p, t.where, "import-syntax", "'@%s' stands for a value of type %s", t.text,
                     type_text(p, type));
        return ll_symbol(p, &t, type);
    case LEX_LOCAL:
    case LEX_LOCAL_NUMBER: ll_advance(p); return ll_use_local(p, &t, type);
    case LEX_INTEGER: return parse_integer(p, type);
    case LEX_DECIMAL:
    case LEX_HEX: return parse_float(p, type);
    case LEX_BYTES: return parse_bytes(p, type);
    case '<':
    case '[':
    case '{': return parse_aggregate(p, type);
    default: break;
    }
    if (ll_sees_class(p, WORD_VALUE))
        return parse_word_value(p, type);
    if (ll_sees_class(p, WORD_OP))
        return parse_expression(p, type);
    ll_wanted(p, "a value");
    return ll_value_new(p, LL_UNDEF, type, t.where.at);
}

struct ll_value *ll_parse_value(struct parser *p, struct ll_type *type)
{
    span where = p->token.where;
    struct ll_value *v = NULL;
    if (!ll_enter(p))
        v = NULL;
    else if (type->kind == LL_METADATA)
        v = parse_metadata_value(p, type);
    else if (type->kind == LL_VOID || type->kind == LL_LABEL || type->kind == LL_FUNCTION)
        ll_error(p, where, "import-syntax", "there are no values of type %s", type_text(p, type));
    else
        v = parse_plain_value(p, type);
    ll_leave(p);
    return v ? v : ll_value_new(p, LL_UNDEF, type, where.at);
}

struct ll_value *ll_parse_typed(struct parser *p)
{
    struct ll_type *type = ll_parse_type(p);
    return ll_parse_value(p, type);
}
