/* parse_type.c: types of LLVM IR as the text writes them. */
#include "base/number_read.h"
#include "import/parse.h"

static const struct {
    const char *word;
    enum ll_kind kind;
} simple_types[] = {
    {"void", LL_VOID},   {"half", LL_HALF},     {"bfloat", LL_BFLOAT},
    {"float", LL_FLOAT}, {"double", LL_DOUBLE}, {"ptr", LL_POINTER},
    {"token", LL_TOKEN}, {"label", LL_LABEL},   {"metadata", LL_METADATA},
};
static const char *const refused_types[] = {"x86_fp80", "fp128", "ppc_fp128", "x86_mmx", "x86_amx"};

/* i32: 32. 0: no such word; UINT32_MAX: more than there is. */
static uint32_t integer_bits(const struct token *t)
{
    uint32_t bits = 0;
    if (t->kind != LEX_WORD || *t->text != 'i' || t->length < 2)
        return 0;
    for (size_t i = 1; i < t->length; i++) {
        if (number_digit(t->text[i]) > 9)
            return 0;
        bits = bits < 1u << 24 ? bits * 10 + number_digit(t->text[i]) : bits;
    }
    return bits ? bits : UINT32_MAX;
}

bool ll_sees_type(const struct parser *p)
{
    for (size_t i = 0; i < COUNT(simple_types); i++)
        if (ll_sees_word(p, simple_types[i].word))
            return true;
    for (size_t i = 0; i < COUNT(refused_types); i++)
        if (ll_sees_word(p, refused_types[i]))
            return true;
    return integer_bits(&p->token) || ll_sees(p, LEX_LOCAL) || ll_sees(p, LEX_LOCAL_NUMBER) ||
           ll_sees(p, '[') || ll_sees(p, '{') || ll_sees(p, '<');
}

/* ---- named types --------------------------------------------------------------------------------------- */

/* OPAQUE until its definition comes. */
static struct ll_type *named_type(struct parser *p, const struct token *name, uint32_t *number)
{
    uint64_t key = (uintptr_t)name->text;
    uint32_t index = map_get(&p->named_types, key);
    if (index == MAP_NONE) {
        struct ll_type *t = arena_new(p->arena, struct ll_type);
        *t = (struct ll_type){.kind = LL_OPAQUE, .name = name->text};
        index = p->named.count;
        map_set(p->arena, &p->named_types, key, index);
        vec_push(p->arena, &p->named, t);
        vec_push(p->arena, &p->named_first, *name);
        vec_push(p->arena, &p->m->types, t);
    }
    *number = index;
    return p->named.at[index];
}

/* %T = type { … } | <{ … }> | opaque */
void ll_parse_type_definition(struct parser *p)
{
    struct token name = p->token;
    uint32_t index;
    struct ll_type *t = named_type(p, &name, &index);
    ll_advance(p);
    ll_expect(p, '=');
    ll_expect_word(p, "type");
    if (p->named_first.at[index].kind == LEX_END)
        ll_error(p, name.where, "import-syntax", "the type %%%s is defined twice", name.text);
    p->named_first.at[index].kind = LEX_END;
    if (ll_accept_word(p, "opaque"))
        return;
    span where = p->token.where;
    struct ll_type *body = ll_parse_type(p);
    if (body->kind != LL_STRUCT || body->name)
        ll_error(p, where, "import-syntax", "expected a structure { … } or 'opaque' for the type %%%s",
                 name.text);
    else
        t->kind = LL_STRUCT, t->packed = body->packed, t->argc = body->argc, t->args = body->args;
}

/* ---- types --------------------------------------------------------------------------------------------- */

/* Types up to the closing bracket, on p->type_stack. */
static void parse_type_list(struct parser *p, int close, bool *variadic)
{
    for (bool first = true; !ll_sees(p, close) && !ll_sees(p, LEX_END); first = false) {
        if (!first)
            ll_expect(p, ',');
        if (variadic && ll_accept(p, LEX_DOTS)) {
            *variadic = true;
            break;
        }
        struct ll_type *t = ll_parse_type(p);
        vec_push(p->arena, &p->type_stack, t);
    }
    ll_expect(p, close);
}

static struct ll_type *parse_struct(struct parser *p, bool is_packed)
{
    uint32_t from = p->type_stack.count;
    ll_expect(p, '{');
    parse_type_list(p, '}', NULL);
    if (is_packed)
        ll_expect(p, '>');
    struct ll_type *t = ll_compound(p, (struct ll_type){.kind = LL_STRUCT, .packed = is_packed},
                                    p->type_stack.at + from, p->type_stack.count - from);
    p->type_stack.count = from;
    return t;
}

static bool is_element(const struct ll_type *t)
{
    return t->kind != LL_VOID && t->kind != LL_FUNCTION && t->kind != LL_TOKEN && t->kind != LL_LABEL &&
           t->kind != LL_METADATA;
}

/* N x type, and the closing bracket. */
static struct ll_type *parse_sequence(struct parser *p, enum ll_kind kind)
{
    struct ll_type like = {.kind = (uint8_t)kind};
    struct token count = p->token;
    struct number n = {0};
    if (ll_sees_word(p, "vscale"))
        ll_refuse(p, count.where, "a vector of a length that only the machine knows",
                  "use a fixed number of elements");
    else if (!ll_sees(p, LEX_INTEGER) || !number_read(count.text, count.length, 0, &n))
        ll_wanted(p, "a number of elements");
    like.count = n.integer;
    if (kind == LL_VECTOR && !p->failed && (like.count == 0 || like.count > IMPORT_MAX_ELEMENTS))
        ll_error(p, count.where, like.count ? "import-limit" : "import-syntax",
                 "a vector has 1 to %u elements (IMPORT_MAX_ELEMENTS)", IMPORT_MAX_ELEMENTS);
    ll_advance(p);
    ll_expect_word(p, "x");
    span where = p->token.where;
    struct ll_type *element = ll_parse_type(p);
    if (!is_element(element) || (kind == LL_VECTOR && element->kind > LL_POINTER))
        ll_error(p, where, "import-syntax", "no array or vector has elements of type %s",
                 ll_type_text(p->arena, element));
    ll_expect(p, kind == LL_VECTOR ? '>' : ']');
    return ll_compound(p, like, &element, 1);
}

/* target("spirv.Event"): what async copies of OpenCL give, an i32 here. Others are images and samplers. */
static bool accept_event(struct parser *p)
{
    span where = p->token.where;
    if (!ll_accept_word(p, "target"))
        return false;
    ll_expect(p, '(');
    const char *name = ll_parse_string(p, "a type's name");
    if (!p->failed && strcmp(name, "spirv.Event") != 0)
        ll_refuse(p, where, arena_printf(p->arena, "the type '%s'", name), "pass the data in an array");
    ll_skip_brackets(p, ')');
    return true;
}

static struct ll_type *parse_word_type(struct parser *p)
{
    struct token word = p->token;
    uint32_t bits = integer_bits(&word);
    if (accept_event(p))
        return ll_simple(p, LL_INT, 32);
    for (size_t i = 0; i < COUNT(refused_types); i++)
        if (ll_sees_word(p, refused_types[i]))
            ll_refuse(p, word.where, arena_printf(p->arena, "the type '%s'", word.text),
                      "use float or double");
    for (size_t i = 0; i < COUNT(simple_types); i++)
        if (ll_accept_word(p, simple_types[i].word))
            return ll_simple(p, simple_types[i].kind,
                             simple_types[i].kind == LL_POINTER ? ll_parse_space(p, 0) : 0);
    if (!bits)
        ll_wanted(p, "a type");
    else if (bits > IMPORT_MAX_BITS)
        ll_error(p, word.where, "import-limit", "an integer has 1 to %u bits (IMPORT_MAX_BITS)",
                 IMPORT_MAX_BITS);
    ll_advance(p);
    return ll_simple(p, LL_INT, p->failed ? 32 : bits);
}

static struct ll_type *parse_plain_type(struct parser *p)
{
    struct token t = p->token;
    uint32_t index;
    switch (t.kind) {
    case LEX_LOCAL:
    case LEX_LOCAL_NUMBER: ll_advance(p); return named_type(p, &t, &index);
    case '[': ll_advance(p); return parse_sequence(p, LL_ARRAY);
    case '{': return parse_struct(p, false);
    case '<': ll_advance(p); return ll_sees(p, '{') ? parse_struct(p, true) : parse_sequence(p, LL_VECTOR);
    default: return parse_word_type(p);
    }
}

/* A type, and behind it the parameters of a function type. */
struct ll_type *ll_parse_type(struct parser *p)
{
    struct ll_type *t = ll_enter(p) ? parse_plain_type(p) : ll_simple(p, LL_INT, 32);
    while (ll_accept(p, '(')) {
        uint32_t from = p->type_stack.count;
        struct ll_type like = {.kind = LL_FUNCTION};
        parse_type_list(p, ')', &like.variadic);
        vec_push(p->arena, &p->type_stack, t);
        t = ll_compound(p, like, p->type_stack.at + from, p->type_stack.count - from - 1);
        p->type_stack.count = from;
    }
    if (ll_sees(p, '*'))
        ll_refuse(p, p->token.where, "a pointer that says what it points to",
                  "make the text by LLVM 15 or later, which writes ptr");
    ll_leave(p);
    return t;
}
