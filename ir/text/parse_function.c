/* parse_function.c: functions, their blocks, and the names inside them.
 *
 * A value that is used before its definition gets a placeholder instruction; when the function has been
 * read, one substitution puts the values in the placeholders' stead. Blocks are made when first named and
 * put in the order of their labels at the end.
 */
#include "ir/text/parse.h"

/* ---- values ---------------------------------------------------------------------------------------- */

static bool within_instructions(struct parser *p)
{
    return ir_parse_within(p, p->fn->ins.count, IR_MAX_INSTRUCTIONS, "instructions in a function");
}

static struct local_value *value_named(struct parser *p, const struct token *name)
{
    uint32_t i = map_get(&p->value_names, name_key(name->text));
    if (i == MAP_NONE) {
        i = p->values.count;
        vec_push(p->arena, &p->values, ((struct local_value){.name = name->text, .first = name->where}));
        map_set(p->arena, &p->value_names, name_key(name->text), i);
    }
    return &p->values.at[i];
}

ir_ref ir_parse_value_ref(struct parser *p, const struct token *name)
{
    struct local_value *v = value_named(p, name);
    if (v->ref || v->placeholder)
        return v->ref ? v->ref : v->placeholder;
    if (!within_instructions(p))
        return 0;
    v->placeholder = p->fn->ins.count;
    vec_push(p->arena, &p->fn->ins, ((struct ir_ins){.op = IR_none, .block = IR_NO_BLOCK}));
    return v->placeholder;
}

void ir_parse_define_value(struct parser *p, const struct token *name, ir_ref r)
{
    struct local_value *v = value_named(p, name);
    if (v->ref)
        ir_parse_error(p, name->where, MSG_DUP_VALUE, name->text);
    v->ref = r;
    if (!ir_is_numbered_value(name->text))
        ir_at(p->fn, r)->name = name->text;
}

/* An error for each value that is used and nowhere defined; the others take their placeholders' places. */
static void resolve_values(struct parser *p)
{
    ir_ref *to = arena_array(p->arena, ir_ref, p->fn->ins.count);
    bool any = false;
    for (uint32_t i = 0; i < p->values.count; i++) {
        const struct local_value *v = &p->values.at[i];
        if (!v->ref)
            ir_message(p->d, v->first, MSG_UNDEF_VALUE, v->name);
        p->broken |= !v->ref;
        to[v->placeholder] = v->placeholder ? v->ref : 0;
        any |= v->placeholder != 0;
    }
    if (any)
        ir_substitute(p->fn, to);
}

/* ---- blocks ---------------------------------------------------------------------------------------- */

static struct local_block *block_named(struct parser *p, const struct token *name)
{
    uint32_t i = map_get(&p->block_names, name_key(name->text));
    if (i == MAP_NONE) {
        i = p->blocks.count;
        uint32_t b = ir_block_new(p->fn, ir_is_numbered_block(name->text) ? NULL : name->text);
        vec_push(p->arena, &p->blocks,
                 ((struct local_block){.first = name->where, .block = b, .name = name->text}));
        map_set(p->arena, &p->block_names, name_key(name->text), i);
    }
    return &p->blocks.at[i];
}

uint32_t ir_parse_block_ref(struct parser *p)
{
    struct token name = ir_parse_take(p, TOKEN_WORD, "a block");
    if (name.kind != TOKEN_WORD ||
        !ir_parse_within(p, p->blocks.count, IR_MAX_BLOCKS, "blocks in a function"))
        return IR_NO_BLOCK;
    return block_named(p, &name)->block;
}

static void resolve_blocks(struct parser *p)
{
    for (uint32_t i = 0; i < p->blocks.count; i++) {
        const struct local_block *b = &p->blocks.at[i];
        if (!b->defined)
            ir_message(p->d, b->first, MSG_UNDEF_BLOCK, b->name);
        p->broken |= !b->defined;
    }
    p->fn->order.count = 0;
    for (uint32_t i = 0; i < p->order.count; i++)
        vec_push(p->arena, &p->fn->order, p->order.at[i]);
}

/* ---- parameters ------------------------------------------------------------------------------------ */

struct named_param {
    struct token name;
    enum ir_type type;
    place at;
};
typedef VEC(struct named_param) param_list;

/* "(" [%name: type [location] {"," …}] ")", the first parenthesis being read */
static void parse_params(struct parser *p, param_list *list, uint32_t limit)
{
    if (ir_parse_accept(p, ')'))
        return;
    do {
        if (!ir_parse_within(p, list->count, limit, "parameters"))
            return;
        struct named_param n = {.name = ir_parse_take(p, TOKEN_LOCAL, "a parameter '%name'")};
        ir_parse_expect(p, ':');
        n.type = ir_parse_type(p);
        n.at = ir_parse_location(p);
        vec_push(p->arena, list, n);
    } while (ir_parse_accept(p, ','));
    ir_parse_expect(p, ')');
}

static void make_params(struct parser *p, uint32_t block, const param_list *list)
{
    for (uint32_t i = 0; i < list->count && !p->failed && within_instructions(p); i++) {
        const struct named_param *n = &list->at[i];
        ir_ref r = ir_param_new(p->fn, block, n->type, NULL);
        ir_at(p->fn, r)->at = n->at;
        ir_parse_define_value(p, &n->name, r);
    }
}

/* ---- the body -------------------------------------------------------------------------------------- */

/* name [params] ":" ["check"] ["frontier" name]; the first label is the entry, whose parameters are the
 * function's. */
static void parse_label(struct parser *p, const param_list *entry_params)
{
    struct token name = ir_parse_take(p, TOKEN_WORD, "a label");
    bool entry = p->order.count == 0;
    param_list list = {0};
    if (!entry && ir_parse_accept(p, '('))
        parse_params(p, &list, IR_MAX_INSTRUCTIONS);
    ir_parse_expect(p, ':');
    if (p->failed || !ir_parse_within(p, p->blocks.count, IR_MAX_BLOCKS, "blocks in a function"))
        return;
    struct local_block *b = block_named(p, &name);
    if (b->defined) {
        ir_parse_error(p, name.where, MSG_DUP_BLOCK, name.text);
        return;
    }
    b->defined = true;
    p->cursor.block = b->block;
    uint32_t block = b->block; /* a reference may move b */
    ir_block_at(p->fn, block)->check = ir_parse_accept_word(p, "check");
    if (ir_parse_accept_word(p, "frontier")) {
        uint32_t first = ir_parse_block_ref(p);
        ir_block_at(p->fn, block)->frontier = first;
    }
    vec_push(p->arena, &p->order, block);
    make_params(p, block, entry ? entry_params : &list);
}

/* A label is a word with ":" or "(" behind it; operations are written with neither. */
static bool at_label(struct parser *p)
{
    return p->token.kind == TOKEN_WORD && (ir_lexer_sees(&p->lexer, ':') || ir_lexer_sees(&p->lexer, '('));
}

static void parse_body_statement(struct parser *p, const param_list *entry_params)
{
    if (at_label(p))
        parse_label(p, entry_params);
    else if (p->order.count == 0)
        ir_parse_error(p, p->token.where, MSG_NO_BLOCK);
    else
        ir_parse_instruction(p);
    if (!p->failed && !p->token.first_on_line && p->token.kind != TOKEN_END)
        ir_parse_wanted(p, "the end of the line");
}

static bool at_body_end(const struct parser *p)
{
    return p->token.kind == TOKEN_END || (p->token.kind == TOKEN_PUNCTUATION && p->token.number == '}');
}

static void parse_body(struct parser *p, const param_list *params)
{
    while (!at_body_end(p)) {
        size_t start = p->token.start;
        parse_body_statement(p, params);
        if (p->failed)
            ir_parse_skip_line(p, start);
    }
    ir_parse_expect(p, '}');
}

/* ---- functions ------------------------------------------------------------------------------------- */

static void parse_flags(struct parser *p)
{
    static const struct {
        const char *word;
        uint32_t flag;
    } flags[] = {{"convergent", IR_FN_CONVERGENT},
                 {"noinline", IR_FN_NOINLINE},
                 {"inline", IR_FN_INLINE},
                 {"taken", IR_FN_TAKEN}};
    for (size_t i = 0; i < COUNT(flags); i++)
        if (ir_parse_accept_word(p, flags[i].word))
            p->fn->flags |= flags[i].flag;
    if (ir_parse_accept_word(p, "predictions"))
        p->fn->predictions = (uint32_t)ir_parse_integer(p, IR_MAX_PREDICTIONS, "the number of predictions");
}

static void start_function(struct parser *p, struct ir_function *f)
{
    p->fn = f;
    p->cursor = (struct ir_cursor){.fn = f};
    p->value_names = p->block_names = (struct map){0};
    vec_clear(&p->values);
    vec_clear(&p->blocks);
    vec_clear(&p->order);
}

static void declare_function(struct parser *p, const struct token *name)
{
    if (p->failed)
        return;
    if (map_get(&p->functions, name_key(name->text)) != MAP_NONE)
        ir_parse_error(p, name->where, MSG_DUP_GLOBAL, "function", name->text);
    else
        map_set(p->arena, &p->functions, name_key(name->text), p->fn->id);
}

/* Behind a broken header the body is still read, if "{" is on the line. */
static void recover_header(struct parser *p)
{
    while (p->failed && !p->token.first_on_line && p->token.kind != TOKEN_END) {
        bool body = p->token.kind == TOKEN_PUNCTUATION && p->token.number == '{';
        if (body)
            p->failed = false;
        else
            ir_parse_advance(p);
    }
}

/* define [kernel] type @name(params) [convergent] [noinline] [inline] [predictions n] [place] "{" body "}" */
void ir_parse_define(struct parser *p)
{
    ir_parse_within(p, p->m->functions.count, IR_MAX_FUNCTIONS, "functions");
    uint32_t flags = ir_parse_accept_word(p, "kernel") ? IR_FN_KERNEL : 0;
    enum ir_type result = ir_parse_type(p);
    struct token name = ir_parse_take(p, TOKEN_GLOBAL, "the function's name '@name'");
    param_list params = {0};
    start_function(p, ir_function_new(p->m, name.text, result, flags));
    ir_parse_expect(p, '(');
    if (!p->failed)
        parse_params(p, &params, IR_MAX_ARGS);
    parse_flags(p);
    p->fn->at = ir_parse_location(p);
    declare_function(p, &name);
    recover_header(p);
    ir_parse_expect(p, '{');
    if (p->failed)
        return;
    parse_body(p, &params);
    if (p->stopped)
        return;
    resolve_values(p);
    resolve_blocks(p);
}
