/* parse.c: the text form of modules: recursive descent over the words of lexer.c. docs/ir.md has the
 * grammar. What is written is checked only as far as is needed to build it; the verifier does the rest.
 */
#include "ir/text/parse.h"

/* ---- words ----------------------------------------------------------------------------------------- */

void ir_parse_advance(struct parser *p)
{
    if (p->stopped)
        return;
    p->token = ir_lex(&p->lexer);
    p->broken |= p->token.kind == TOKEN_ERROR;
    if (p->d->stopped) {
        p->stopped = true;
        p->token.kind = TOKEN_END;
    }
}

void ir_parse_error(struct parser *p, span where, enum ir_message m, ...)
{
    if (p->failed)
        return;
    p->failed = p->broken = true;
    va_list args;
    va_start(args, m);
    diag_addv(p->d, DIAG_ERROR, ir_message_info[m].name, where, ir_message_info[m].format, args);
    va_end(args);
}

/* The token as it stands in the text, cut if it is long. */
static const char *found(struct parser *p)
{
    enum { SHOWN_MAX = 40 };
    size_t n = p->lexer.at - p->token.start;
    if (p->token.kind == TOKEN_END)
        return "the end of the text";
    return arena_printf(p->arena, "'%.*s'", (int)(n < SHOWN_MAX ? n : SHOWN_MAX),
                        p->lexer.source->text + p->token.start);
}

void ir_parse_wanted(struct parser *p, const char *what)
{
    if (p->token.kind == TOKEN_ERROR)
        p->failed = true;
    if (!p->failed)
        ir_parse_error(p, p->token.where, MSG_SYNTAX, what, found(p));
}

bool ir_parse_within(struct parser *p, uint32_t count, uint32_t limit, const char *what)
{
    if (count < limit)
        return true;
    ir_parse_error(p, p->token.where, MSG_LIMIT, limit, what);
    p->stopped = true;
    p->token.kind = TOKEN_END;
    return false;
}

bool ir_parse_accept(struct parser *p, char punctuation)
{
    if (p->failed || p->token.kind != TOKEN_PUNCTUATION || p->token.number != (unsigned char)punctuation)
        return false;
    ir_parse_advance(p);
    return true;
}

bool ir_parse_accept_word(struct parser *p, const char *word)
{
    if (p->failed || p->token.kind != TOKEN_WORD || p->token.first_on_line ||
        strcmp(p->token.text, word) != 0)
        return false;
    ir_parse_advance(p);
    return true;
}

void ir_parse_expect(struct parser *p, char punctuation)
{
    char what[] = {'\'', punctuation, '\'', 0};
    if (!ir_parse_accept(p, punctuation))
        ir_parse_wanted(p, what);
}

void ir_parse_expect_word(struct parser *p, const char *word)
{
    if (!ir_parse_accept_word(p, word))
        ir_parse_wanted(p, word);
}

struct token ir_parse_take(struct parser *p, enum token_kind kind, const char *what)
{
    struct token t = p->token;
    if (p->failed || t.kind != kind) {
        ir_parse_wanted(p, what);
        return (struct token){.kind = TOKEN_ERROR, .text = "", .where = t.where};
    }
    ir_parse_advance(p);
    return t;
}

uint64_t ir_parse_integer(struct parser *p, uint64_t limit, const char *what)
{
    struct token t = ir_parse_take(p, TOKEN_INTEGER, what);
    if (t.kind == TOKEN_INTEGER && (t.negative || t.suffix || t.number > limit))
        ir_parse_error(p, t.where, MSG_RANGE, t.text ? t.text : "0x…", what);
    return p->failed ? 0 : t.number;
}

uint32_t ir_parse_word(struct parser *p, const struct map *words, const char *what, enum ir_message unknown)
{
    struct token t = ir_parse_take(p, TOKEN_WORD, what);
    uint32_t number = t.kind == TOKEN_WORD ? map_get(words, name_key(t.text)) : 0;
    if (number != MAP_NONE)
        return number;
    ir_parse_error(p, t.where, unknown, t.text);
    return 0;
}

enum ir_type ir_parse_type(struct parser *p)
{
    return (enum ir_type)ir_parse_word(p, &p->types, "a type", MSG_TYPE);
}

place ir_parse_location(struct parser *p)
{
    place at = {0, 0};
    if (ir_parse_accept(p, '!')) {
        at.line = (uint32_t)ir_parse_integer(p, UINT32_MAX, "a line");
        if (ir_parse_accept(p, ':'))
            at.column = (uint32_t)ir_parse_integer(p, UINT32_MAX, "a column");
    }
    return at;
}

/* Goes on behind a broken statement that began at that offset, at the next word that begins a line. */
void ir_parse_skip_line(struct parser *p, size_t statement_start)
{
    if (p->token.start == statement_start && p->token.kind != TOKEN_END)
        ir_parse_advance(p);
    while (p->token.kind != TOKEN_END && !p->token.first_on_line)
        ir_parse_advance(p);
    p->failed = false;
}

/* ---- tables of the module -------------------------------------------------------------------------- */

/* "#n =" with n the next number of its table. */
static void table_index(struct parser *p, uint32_t next, uint32_t limit, const char *kind)
{
    ir_parse_within(p, next, limit, "table rows");
    struct token t = ir_parse_take(p, TOKEN_INDEX, "a number '#n'");
    if (t.kind == TOKEN_INDEX && t.number != next)
        ir_parse_error(p, t.where, MSG_ORDER, kind, next, (unsigned long long)t.number);
    ir_parse_expect(p, '=');
}

/* What is equal to an earlier row shares its number, so it cannot have its own. */
static void check_new(struct parser *p, span where, uint32_t number, uint32_t wanted, const char *kind)
{
    if (!p->failed && number != wanted)
        ir_parse_error(p, where, MSG_ORDER, kind, number, (unsigned long long)wanted);
}

static void parse_module_name(struct parser *p)
{
    struct token t = ir_parse_take(p, TOKEN_STRING, "the name of the source file");
    if (!p->failed)
        p->m->file = intern(&p->m->strings, t.text, strlen(t.text));
}

static void parse_text(struct parser *p)
{
    uint32_t next = p->m->texts.count;
    table_index(p, next, IR_MAX_STRINGS, "text");
    struct token t = ir_parse_take(p, TOKEN_STRING, "a string");
    if (t.length > IR_MAX_STRING)
        ir_parse_error(p, t.where, MSG_LIMIT, IR_MAX_STRING, "bytes in a string");
    if (!p->failed)
        check_new(p, t.where, ir_text_add(p->m, t.text, t.length), next, "text");
}

/* type (type, …) [convergent] */
static struct ir_signature parse_signature_type(struct parser *p)
{
    struct ir_signature s = {.result = (uint8_t)ir_parse_type(p)};
    ir_parse_expect(p, '(');
    if (ir_parse_accept(p, ')'))
        s.argc = 0;
    else {
        do {
            if (ir_parse_within(p, s.argc, IR_MAX_ARGS, "parameters"))
                s.args[s.argc++] = (uint8_t)ir_parse_type(p);
        } while (ir_parse_accept(p, ','));
        ir_parse_expect(p, ')');
    }
    s.convergent = ir_parse_accept_word(p, "convergent");
    return s;
}

static void parse_signature(struct parser *p)
{
    uint32_t next = p->m->signatures.count;
    span where = p->token.where;
    table_index(p, next, IR_MAX_SIGNATURES, "signature");
    struct ir_signature s = parse_signature_type(p);
    if (!p->failed)
        check_new(p, where, ir_signature_add(p->m, s), next, "signature");
}

/* Enters a name in the map of its kind; an error if it is there. */
static void declare(struct parser *p, struct map *names, const struct token *t, uint32_t number,
                    const char *kind)
{
    if (p->failed)
        return;
    if (map_get(names, name_key(t->text)) != MAP_NONE)
        ir_parse_error(p, t->where, MSG_DUP_GLOBAL, kind, t->text);
    else
        map_set(p->arena, names, name_key(t->text), number);
}

static void parse_object_bytes(struct parser *p, struct ir_object *o)
{
    struct token t = ir_parse_take(p, TOKEN_BYTES, "bytes x\"…\"");
    if (t.kind == TOKEN_BYTES && t.length != o->size)
        ir_parse_error(p, t.where, MSG_SIZE, o->size, (unsigned long long)t.length);
    o->bytes = (const uint8_t *)t.text;
}

static void parse_object(struct parser *p)
{
    ir_parse_within(p, p->m->objects.count, IR_MAX_OBJECTS, "objects");
    struct token name = ir_parse_take(p, TOKEN_GLOBAL, "the object's name '@name'");
    struct ir_object o = {.name = name.text};
    ir_parse_expect(p, ':');
    o.space = (uint8_t)ir_parse_type(p);
    if (ir_parse_accept_word(p, "unsized"))
        o.unit = (uint32_t)ir_parse_integer(p, IR_MAX_OBJECT_BYTES, "the size of an element");
    else
        o.size = (uint32_t)ir_parse_integer(p, IR_MAX_OBJECT_BYTES, "the size of an object");
    ir_parse_expect_word(p, "align");
    o.align = (uint32_t)ir_parse_integer(p, IR_MAX_ALIGN, "an alignment");
    if (ir_parse_accept(p, '='))
        parse_object_bytes(p, &o);
    o.at = ir_parse_location(p);
    declare(p, &p->objects, &name, p->m->objects.count, "object");
    if (!p->failed)
        vec_push(p->arena, &p->m->objects, o);
}

static void parse_host(struct parser *p)
{
    ir_parse_within(p, p->m->hosts.count, IR_MAX_HOSTS, "host functions");
    struct token name = ir_parse_take(p, TOKEN_GLOBAL, "the host function's name '@name'");
    ir_parse_expect(p, ':');
    struct ir_signature s = parse_signature_type(p);
    struct ir_host h = {.name = name.text, .at = ir_parse_location(p)};
    declare(p, &p->hosts, &name, p->m->hosts.count, "host function");
    if (p->failed)
        return;
    h.signature = ir_signature_add(p->m, s);
    vec_push(p->arena, &p->m->hosts, h);
}

/* ---- kernels --------------------------------------------------------------------------------------- */

/* enum launch_element; 0 after an error */
static uint8_t parse_element(struct parser *p)
{
    struct token t = ir_parse_take(p, TOKEN_WORD, "an element type");
    enum launch_element e;
    if (t.kind == TOKEN_WORD && launch_find_element(t.text, &e))
        return (uint8_t)e;
    ir_parse_error(p, t.where, MSG_ELEMENT, t.text);
    return 0;
}

/* name: type "type as written" of element bytes ["layout"] */
static struct ir_param_info parse_param_info(struct parser *p)
{
    struct ir_param_info i = {0};
    bool quoted = p->token.kind == TOKEN_STRING;
    i.name = ir_parse_take(p, quoted ? TOKEN_STRING : TOKEN_WORD, "a parameter's name").text;
    ir_parse_expect(p, ':');
    i.type = (uint8_t)ir_parse_type(p);
    i.text = ir_parse_take(p, TOKEN_STRING, "the type as written, a string").text;
    ir_parse_expect_word(p, "of");
    i.element = parse_element(p);
    i.element_bytes = (uint32_t)ir_parse_integer(p, IR_MAX_OBJECT_BYTES, "the size of an element");
    i.layout = p->token.kind == TOKEN_STRING ? ir_parse_take(p, TOKEN_STRING, "a layout").text : NULL;
    return i;
}

/* shared @name {, @name}: of the kernel that is being read. */
static void parse_unsized(struct parser *p)
{
    uint32_t n = 0;
    do {
        struct token object = ir_parse_take(p, TOKEN_GLOBAL, "the object's name '@name'");
        if (!ir_parse_within(p, n++, LAUNCH_MAX_SHARED, "unsized arrays of a kernel") || p->failed)
            return;
        vec_push(p->arena, &p->uses,
                 ((struct global_use){.kind = IR_IMM_OBJECT,
                                      .name = object.text,
                                      .where = object.where,
                                      .kernel = p->m->kernels.count}));
    } while (ir_parse_accept(p, ','));
}

static void parse_kernel(struct parser *p)
{
    struct ir_kernel_info k = {.function = IR_NO_BLOCK};
    struct token name = ir_parse_take(p, TOKEN_GLOBAL, "the kernel's name '@name'");
    ir_parse_expect(p, '(');
    if (!ir_parse_accept(p, ')')) {
        do {
            if (ir_parse_within(p, k.params.count, IR_MAX_ARGS, "parameters"))
                vec_push(p->arena, &k.params, parse_param_info(p));
        } while (ir_parse_accept(p, ','));
        ir_parse_expect(p, ')');
    }
    if (ir_parse_accept_word(p, "shared"))
        parse_unsized(p);
    declare(p, &p->kernels, &name, p->m->kernels.count, "kernel");
    if (p->failed)
        return;
    struct global_use use = {.name = name.text, .where = name.where, .kernel = p->m->kernels.count};
    vec_push(p->arena, &p->uses, use);
    vec_push(p->arena, &p->m->kernels, k);
}

/* ---- names of the module --------------------------------------------------------------------------- */

static uint32_t find_global(const struct parser *p, const struct global_use *u)
{
    uint64_t key = name_key(u->name);
    switch (u->kind) {
    case IR_IMM_OBJECT: return map_get(&p->objects, key);
    case IR_IMM_HOST: return map_get(&p->hosts, key);
    default: return map_get(&p->functions, key);
    }
}

static void resolve_globals(struct parser *p)
{
    for (uint32_t i = 0; i < p->uses.count; i++) {
        const struct global_use *u = &p->uses.at[i];
        const char *kind = u->kind == IR_IMM_OBJECT ? "object"
                           : u->kind == IR_IMM_HOST ? "host function"
                                                    : "function";
        uint32_t number = find_global(p, u);
        p->broken |= number == MAP_NONE;
        if (number == MAP_NONE)
            ir_message(p->d, u->where, MSG_UNDEF_GLOBAL, kind, u->name);
        else if (u->kind == IR_IMM_NONE)
            p->m->kernels.at[u->kernel].function = number;
        else if (!u->fn)
            vec_push(&p->m->arena, &p->m->kernels.at[u->kernel].unsized, number);
        else
            ir_at(u->fn, u->ins)->imm = number;
    }
}

/* ---- launches ---------------------------------------------------------------------------------------- */

/* At its first word. */
static void parse_directive(struct parser *p)
{
    struct launch l;
    size_t n, start = p->token.start;
    const char *why = launch_read_directive(p->arena, p->lexer.source->text + start, &n, &l);
    span where = ir_lexer_go(&p->lexer, start, start + n);
    if (why)
        ir_parse_error(p, where, MSG_LAUNCH, why);
    else if (l.element_bytes > IR_MAX_OBJECT_BYTES)
        ir_parse_error(p, where, MSG_LIMIT, IR_MAX_OBJECT_BYTES, "bytes of an element");
    p->token.where = where;
    if (p->failed)
        ir_lexer_skip_line(&p->lexer);
    else if (ir_parse_within(p, p->m->launches.count, IR_MAX_LAUNCHES, "launches") &&
             (!l.arguments.count || ir_parse_within(p, l.arguments.count - 1, IR_MAX_ARGS, "arguments")) &&
             (!l.outputs.count || ir_parse_within(p, l.outputs.count - 1, IR_MAX_ARGS, "outputs")))
        vec_push(p->arena, &p->m->launches, l);
    ir_parse_advance(p);
}

/* ---- the module ------------------------------------------------------------------------------------ */

struct statement {
    const char *word;
    void (*parse)(struct parser *p);
};
static const struct statement statements[] = {
    {"module", parse_module_name}, {"text", parse_text}, {"signature", parse_signature},
    {"object", parse_object},      {"host", parse_host}, {"kernel", parse_kernel},
    {"define", ir_parse_define},
};

static void parse_statement(struct parser *p)
{
    if (p->token.kind == TOKEN_WORD && launch_is_directive(p->token.text)) {
        parse_directive(p);
        return;
    }
    for (size_t i = 0; i < COUNT(statements); i++) {
        if (p->token.kind == TOKEN_WORD && strcmp(p->token.text, statements[i].word) == 0) {
            ir_parse_advance(p);
            statements[i].parse(p);
            return;
        }
    }
    ir_parse_wanted(p, "module, text, signature, object, host, kernel, define, launch, buffer, repeat, "
                       "end or output");
}

static void parse_statements(struct parser *p)
{
    while (p->token.kind != TOKEN_END) {
        size_t start = p->token.start;
        parse_statement(p);
        if (!p->failed && !p->token.first_on_line && p->token.kind != TOKEN_END)
            ir_parse_wanted(p, "the end of the line");
        if (p->failed)
            ir_parse_skip_line(p, start);
    }
}

static void enter_word(struct parser *p, struct map *words, const char *text, uint32_t number)
{
    if (*text)
        map_set(p->arena, words, name_key(intern_z(&p->m->strings, text)), number);
}

static void enter_words(struct parser *p)
{
    for (uint32_t i = 0; i < IR_OPS; i++)
        if (i != IR_none && i != IR_constant && i != IR_param)
            enter_word(p, &p->operations, ir_op_info[i].text, i);
    for (uint32_t i = 0; i < IR_TYPES; i++)
        enter_word(p, &p->types, ir_type_info[i].text, i);
    for (uint32_t i = 0; i < IR_MEMS; i++)
        enter_word(p, &p->accesses, ir_mem_info[i].text, i);
    for (uint32_t i = 0; i < IR_SPECIALS; i++)
        enter_word(p, &p->specials, ir_special_info[i].text, i);
}

struct parse_job {
    const struct source *source;
    struct diagnostics *diagnostics;
    bool fine;
};

static void parse_module(struct ir_module *m, void *data)
{
    struct parse_job *j = data;
    struct parser p = {.m = m, .d = j->diagnostics, .arena = &m->arena};
    enter_words(&p);
    ir_lexer_init(&p.lexer, j->source, p.d, &m->strings);
    ir_parse_advance(&p);
    parse_statements(&p);
    if (!p.stopped)
        resolve_globals(&p);
    j->fine = !p.broken;
}

struct ir_module *ir_parse(const struct source *s, struct diagnostics *d)
{
    if (s->length > IR_MAX_TEXT) {
        ir_message(d, (span){{1, 1}, {0, 0}}, MSG_LIMIT, IR_MAX_TEXT, "bytes of text");
        return NULL;
    }
    struct ir_module *m = ir_module_new(s->name);
    struct parse_job job = {s, d, false};
    ir_module_fill(m, parse_module, &job);
    if (job.fine)
        return m;
    ir_module_free(m);
    return NULL;
}
