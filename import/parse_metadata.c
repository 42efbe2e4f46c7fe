/* parse_metadata.c: metadata: nodes of debug information and others, attachments, and debug records. */
#include "base/number_read.h"
#include "import/parse.h"

/* ---- nodes --------------------------------------------------------------------------------------------- */

static uint32_t new_node(struct parser *p, const struct token *first)
{
    vec_push(p->arena, &p->m->nodes, ((struct ll_node){.at = first->where.at}));
    vec_push(p->arena, &p->node_first, *first);
    p->node_first.at[p->node_first.count - 1].kind = first->kind == LEX_NODE ? LEX_NODE : LEX_END;
    return p->m->nodes.count - 1;
}

static uint32_t numbered_node(struct parser *p, const struct token *name)
{
    uint32_t index = map_get(&p->node_index, name->number);
    if (index == MAP_NONE) {
        index = new_node(p, name);
        map_set(p->arena, &p->node_index, name->number, index);
    }
    return index;
}

/* Items up to the closing bracket. */
static void parse_items(struct parser *p, uint32_t node, int close)
{
    uint32_t from = p->items.count;
    while (!ll_sees(p, close) && !ll_sees(p, LEX_END)) {
        if (p->items.count > from)
            ll_expect(p, ',');
        const char *key = p->token.text;
        bool has_key = close == ')' && ll_accept(p, LEX_LABEL);
        struct ll_item one = ll_parse_item(p);
        one.key = has_key ? key : NULL;
        vec_push(p->arena, &p->items, one);
    }
    ll_expect(p, close);
    uint32_t n = p->items.count - from;
    struct ll_node *to = &p->m->nodes.at[node];
    to->count = n;
    to->items = arena_array(p->arena, struct ll_item, n + 1);
    for (uint32_t i = 0; i < n; i++)
        to->items[i] = p->items.at[from + i];
    p->items.count = from;
}

/* [distinct] !{…} | !DIName(…) of a node that has a number already. */
static void parse_node_body(struct parser *p, uint32_t node)
{
    const char *kind = p->token.text;
    if (ll_enter(p)) {
        if (ll_accept(p, LEX_METADATA)) {
            p->m->nodes.at[node].kind = kind;
            ll_expect(p, '(');
            parse_items(p, node, ')');
        } else if (ll_accept(p, '!')) {
            ll_expect(p, '{');
            parse_items(p, node, '}');
        } else {
            ll_wanted(p, "a node of metadata");
        }
    }
    ll_leave(p);
}

uint32_t ll_parse_node(struct parser *p)
{
    struct token first = p->token;
    if (ll_accept(p, LEX_NODE))
        return numbered_node(p, &first);
    ll_accept_word(p, "distinct");
    uint32_t node = new_node(p, &first);
    parse_node_body(p, node);
    return node;
}

/* !12 = [distinct] … */
void ll_parse_node_definition(struct parser *p)
{
    struct token name = p->token;
    uint32_t node = numbered_node(p, &name);
    ll_advance(p);
    ll_expect(p, '=');
    if (p->node_first.at[node].kind == LEX_END)
        ll_error(p, name.where, "import-syntax", "metadata !%s is defined twice", name.text);
    p->node_first.at[node].kind = LEX_END;
    p->m->nodes.at[node].at = name.where.at;
    ll_accept_word(p, "distinct");
    parse_node_body(p, node);
}

/* !name = !{!0, !1} */
void ll_parse_named_node(struct parser *p)
{
    struct ll_named_node all = {.name = p->token.text};
    ll_advance(p);
    ll_expect(p, '=');
    ll_expect(p, '!');
    ll_expect(p, '{');
    while (!ll_sees(p, '}') && !ll_sees(p, LEX_END)) {
        if (all.nodes.count)
            ll_expect(p, ',');
        uint32_t node = ll_parse_node(p);
        vec_push(p->arena, &all.nodes, node);
    }
    ll_expect(p, '}');
    vec_push(p->arena, &p->m->named, all);
}

/* ---- what stands in nodes ------------------------------------------------------------------------------ */

/* Numbers beyond int64_t wrap. */
static int64_t small_number(const struct token *t)
{
    uint64_t n = 0;
    for (const char *c = t->text + (*t->text == '-'); number_digit(*c) < 10; c++)
        n = n * 10 + number_digit(*c);
    return (int64_t)(*t->text == '-' ? -n : n);
}

/* DIFlagPublic | DIFlagPrototyped */
static const char *parse_words(struct parser *p)
{
    const char *all = p->token.text;
    ll_advance(p);
    if (!ll_sees(p, '|'))
        return all;
    struct text t = {.arena = p->arena};
    text_addz(&t, all);
    while (ll_accept(p, '|')) {
        text_printf(&t, " | %s", p->token.text);
        if (!ll_accept(p, LEX_WORD))
            ll_wanted(p, "a flag");
    }
    return intern(&p->strings, t.at, t.length);
}

/* null | !12 | !{…} | !DIName(…) | [!]"string" | 12 | word | type value */
struct ll_item ll_parse_item(struct parser *p)
{
    struct ll_item item = {.kind = LL_ITEM_NULL, .node = UINT32_MAX};
    struct token t = p->token;
    if (ll_accept_word(p, "null"))
        return item;
    if (ll_accept(p, LEX_INTEGER)) {
        item.kind = LL_ITEM_NUMBER;
        item.number = small_number(&t);
    } else if (ll_sees_type(p) && t.kind != '{') {
        item.kind = LL_ITEM_VALUE;
        item.value = ll_parse_typed(p);
    } else if (ll_sees(p, LEX_WORD) && !ll_sees_word(p, "distinct")) {
        item.kind = LL_ITEM_WORD;
        item.text = parse_words(p);
    } else if (ll_sees(p, LEX_STRING) || (ll_sees(p, '!') && *p->cursor == '"')) {
        ll_accept(p, '!');
        item.kind = LL_ITEM_STRING;
        item.text = ll_parse_string(p, "a string");
    } else {
        item.kind = LL_ITEM_NODE;
        item.node = ll_parse_node(p);
    }
    return item;
}

/* ---- attachments and records --------------------------------------------------------------------------- */

bool ll_parse_attachment(struct parser *p, struct ll_metadata_use *use)
{
    *use = (struct ll_metadata_use){p->token.text, UINT32_MAX};
    if (!ll_accept(p, LEX_METADATA)) {
        use->kind = NULL;
        return false;
    }
    use->node = ll_parse_node(p);
    return true;
}

/* What a record or a call of llvm.dbg.* says: the value, its variable, and last the place. */
static void add_variable(struct parser *p, const struct ll_item *items, uint32_t n)
{
    if (n >= 3 && items[0].kind == LL_ITEM_VALUE && items[1].kind == LL_ITEM_NODE &&
        items[n - 1].kind == LL_ITEM_NODE)
        vec_push(p->arena, &p->f->variables,
                 ((struct ll_variable){items[0].value, items[1].node, items[n - 1].node}));
}

/* #dbg_value(value, variable, expression, place) */
void ll_parse_record(struct parser *p)
{
    uint32_t from = p->items.count;
    ll_advance(p);
    ll_expect(p, '(');
    while (!ll_sees(p, ')') && !ll_sees(p, LEX_END)) {
        if (p->items.count > from)
            ll_expect(p, ',');
        struct ll_item one = ll_parse_item(p);
        vec_push(p->arena, &p->items, one);
    }
    ll_expect(p, ')');
    add_variable(p, p->items.at + from, p->items.count - from);
    p->items.count = from;
}

bool ll_take_debug_call(struct parser *p, const struct ll_ins *call)
{
    const char *name = call->callee->kind == LL_ASM ? NULL : call->callee->text;
    if (!name || strncmp(name, "llvm.dbg.", 9) != 0)
        return false;
    if (call->argc >= 2 && call->args[0]->kind == LL_METADATA_REF && call->args[0]->argc &&
        call->args[1]->kind == LL_METADATA_REF && call->args[1]->number != UINT32_MAX)
        vec_push(p->arena, &p->f->variables,
                 ((struct ll_variable){call->args[0]->args[0], call->args[1]->number, call->debug}));
    return true;
}
