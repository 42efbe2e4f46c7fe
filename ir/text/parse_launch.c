/* parse_launch.c: launch directives of the text form. The values of arguments are read by base's
 * launch_parse_value; here they are only cut out.
 */
#include "ir/text/parse.h"

static struct token parse_plain_name(struct parser *p, const char *what)
{
    return ir_parse_take(p, p->token.kind == TOKEN_STRING ? TOKEN_STRING : TOKEN_WORD, what);
}

static const char *parse_quoted(struct parser *p)
{
    struct token t = ir_parse_take(p, TOKEN_STRING, "a text in quotes");
    if (t.length > IR_MAX_STRING)
        ir_parse_error(p, t.where, MSG_LIMIT, IR_MAX_STRING, "bytes in a string");
    return t.text;
}

/* Skips to the comma or parenthesis behind a value; the length of what was skipped. */
static size_t skip_value(struct parser *p)
{
    size_t start = p->token.start;
    for (uint32_t depth = 0; p->token.kind != TOKEN_END && p->token.kind != TOKEN_ERROR;
         ir_parse_advance(p)) {
        uint64_t c = p->token.kind == TOKEN_PUNCTUATION ? p->token.number : 0;
        if (depth == 0 && (c == ',' || c == ')'))
            break;
        depth += c == '(' || c == '{';
        depth -= depth && (c == ')' || c == '}');
    }
    return p->token.start - start;
}

static struct launch_value parse_value(struct parser *p)
{
    struct launch_value v = {0};
    enum launch_value_kind kind;
    const char *problem;
    span where = p->token.where;
    bool has_text = p->token.kind == TOKEN_WORD && launch_find_word(p->token.text, &kind);
    if (has_text) {
        ir_parse_advance(p);
        const char *text = parse_quoted(p);
        problem = p->failed ? NULL : launch_from_text(kind, text, &v);
    } else {
        const char *text = p->lexer.source->text + p->token.start;
        size_t n = skip_value(p);
        while (n && strchr(" \t\r\n", text[n - 1]))
            n--;
        problem = launch_parse_value(p->arena, arena_strdup(p->arena, text, n), &v);
    }
    if (problem)
        ir_parse_error(p, where, MSG_LAUNCH, problem);
    return v;
}

static void parse_arguments(struct parser *p, struct launch *l)
{
    ir_parse_expect(p, '(');
    if (p->failed || ir_parse_accept(p, ')'))
        return;
    do {
        if (!ir_parse_within(p, l->arguments.count, IR_MAX_ARGS, "arguments"))
            return;
        struct launch_argument a = {.name = parse_plain_name(p, "the name of an argument").text};
        ir_parse_expect(p, '=');
        if (!p->failed)
            a.value = parse_value(p);
        vec_push(p->arena, &l->arguments, a);
    } while (ir_parse_accept(p, ','));
    ir_parse_expect(p, ')');
}

/* word "(" ( x ["," y ["," z]] | "sizes by the round" ) ")" */
static void parse_clause(struct parser *p, struct launch *l, enum launch_clause c)
{
    uint32_t count, *n = launch_sizes(l, c, &count);
    if (!ir_parse_accept_word(p, launch_clause_names[c]))
        return;
    ir_parse_expect(p, '(');
    span where = p->token.where;
    if (p->token.kind == TOKEN_STRING) {
        const char *text = parse_quoted(p), *problem = launch_parse_sizes(p->arena, text, c, l);
        if (problem)
            ir_parse_error(p, where, MSG_LAUNCH, problem);
    } else {
        for (uint32_t i = 0; i < count && (i == 0 || ir_parse_accept(p, ',')); i++)
            n[i] = (uint32_t)ir_parse_integer(p, UINT32_MAX, "a size");
    }
    ir_parse_expect(p, ')');
}

/* [ "[" first ".." last "]" ], the element after the last shown */
static void parse_range(struct parser *p, struct launch_output *o)
{
    if (!ir_parse_accept(p, '['))
        return;
    o->first = ir_parse_integer(p, UINT64_MAX, "an element's number");
    ir_parse_take(p, TOKEN_RANGE, "'..'");
    o->last = ir_parse_integer(p, UINT64_MAX, "an element's number");
    ir_parse_expect(p, ']');
}

/* [ "[" first ".." last "]" ] [ ".part" ] [ as hex ] */
static void parse_shown(struct parser *p, struct launch_output *o)
{
    parse_range(p, o);
    o->path = ir_parse_optional_string(p);
    o->hex = ir_parse_accept_word(p, "as");
    if (o->hex)
        ir_parse_expect_word(p, "hex");
}

/* "=" "file" ["," width "," height] */
static void parse_picture(struct parser *p, struct launch_output *o)
{
    ir_parse_expect(p, '=');
    o->file = parse_quoted(p);
    if (!ir_parse_accept(p, ','))
        return;
    o->width = (uint32_t)ir_parse_integer(p, UINT32_MAX, "a width");
    ir_parse_expect(p, ',');
    o->height = (uint32_t)ir_parse_integer(p, UINT32_MAX, "a height");
}

static bool parse_output(struct parser *p, struct launch *l)
{
    struct launch_output o = {.save = ir_parse_accept_word(p, "save")};
    if (!o.save && !ir_parse_accept_word(p, "show"))
        return false;
    ir_parse_within(p, l->outputs.count, IR_MAX_ARGS, "outputs");
    ir_parse_expect(p, '(');
    o.name = parse_plain_name(p, "the name of a buffer").text;
    if (o.save)
        parse_picture(p, &o);
    else
        parse_shown(p, &o);
    ir_parse_expect(p, ')');
    vec_push(p->arena, &l->outputs, o);
    return !p->failed;
}

/* Whatever the directive: its outputs, its line. */
static void end_directive(struct parser *p, struct launch *l)
{
    while (parse_output(p, l))
        continue;
    l->line = ir_parse_location(p).line;
    if (!p->failed && ir_parse_within(p, p->m->launches.count, IR_MAX_LAUNCHES, "launches"))
        vec_push(p->arena, &p->m->launches, *l);
}

/* launch @kernel(name = value, …) [grid(x, y, z)] [block(x, y, z)] [shared(elements)]
 *     {show(name[a..b] ".part" as hex) | save(name = "file")} */
void ir_parse_launch(struct parser *p)
{
    struct launch l = {.kernel = ir_parse_take(p, TOKEN_GLOBAL, "the kernel's name '@name'").text};
    parse_arguments(p, &l);
    for (enum launch_clause c = 0; c < LAUNCH_CLAUSES; c++)
        parse_clause(p, &l, c);
    end_directive(p, &l);
}

/* buffer name of element bytes ["layout"] (value) */
void ir_parse_buffer(struct parser *p)
{
    struct launch l = {.step = LAUNCH_BUFFER};
    struct launch_argument a = {.name = l.name = parse_plain_name(p, "the name of a buffer").text};
    ir_parse_expect_word(p, "of");
    l.element = (enum launch_element)ir_parse_element(p);
    l.element_bytes = (uint32_t)ir_parse_integer(p, IR_MAX_OBJECT_BYTES, "the size of an element");
    l.layout = ir_parse_optional_string(p);
    ir_parse_expect(p, '(');
    span where = p->token.where;
    if (p->failed)
        return;
    a.value = parse_value(p);
    ir_parse_expect(p, ')');
    if (a.value.kind == LAUNCH_NAMED || a.value.kind == LAUNCH_ROUND || a.value.kind == LAUNCH_SCALAR ||
        a.value.kind == LAUNCH_NULL)
        ir_parse_error(p, where, MSG_LAUNCH, "this makes no buffer");
    vec_push(p->arena, &l.arguments, a);
    end_directive(p, &l);
}

/* repeat [rounds] [while name] */
void ir_parse_repeat(struct parser *p)
{
    struct launch l = {.step = LAUNCH_REPEAT};
    if (p->token.kind == TOKEN_INTEGER)
        l.rounds = ir_parse_integer(p, UINT64_MAX, "a number of rounds");
    if (ir_parse_accept_word(p, "while"))
        l.name = parse_plain_name(p, "the name of a buffer").text;
    end_directive(p, &l);
}

void ir_parse_end(struct parser *p)
{
    struct launch l = {.step = LAUNCH_END};
    end_directive(p, &l);
}

/* output {show(name[a..b] ".part" as hex) | save(name = "file")} */
void ir_parse_output(struct parser *p)
{
    struct launch l = {.step = LAUNCH_OUTPUT};
    end_directive(p, &l);
}
