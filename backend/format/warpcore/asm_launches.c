/* asm_launches.c: the directives of assembly that stand for those of a source: launches and their arguments,
 * named buffers, repeats, outputs (docs/isa.md).
 */
#include "backend/format/warpcore/asm.h"

/* x y z | "sizes by the round" */
static void take_sizes(struct wc_assembler *a, struct launch *l, enum launch_clause c)
{
    uint32_t count, *n = launch_sizes(l, c, &count);
    struct wc_token t = a->lexer.token;
    if (t.kind == WC_TOKEN_STRING) {
        const char *problem = launch_parse_sizes(&a->m->arena, wc_take_name(a, "sizes"), c, l);
        if (problem)
            wc_asm_error_at(a, t.where, "value", "%s", problem);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        if (c != LAUNCH_SHARED || i == 0 || a->lexer.token.kind == WC_TOKEN_NUMBER)
            n[i] = wc_take_u32(a, UINT32_MAX, "a size");
}

/* Whether a clause with sizes stands here. */
static bool take_clause(struct wc_assembler *a, struct launch *l)
{
    for (enum launch_clause c = 0; c < LAUNCH_CLAUSES; c++)
        if (wc_accept_word(a, launch_clause_names[c])) {
            take_sizes(a, l, c);
            return true;
        }
    return false;
}

/* What stands behind a directive's name: {, grid x y z | block x y z | shared n … | while name | layout "text"
 * | line n} */
static void take_clauses(struct wc_assembler *a, struct launch *l, bool comma)
{
    for (; !comma || wc_accept_mark(a, ','); comma = true) {
        if (l->step == LAUNCH_KERNEL && take_clause(a, l))
            continue;
        if (l->step == LAUNCH_REPEAT && wc_accept_word(a, "while"))
            l->name = wc_take_name(a, "a buffer's name");
        else if (l->step == LAUNCH_BUFFER && wc_accept_word(a, "layout"))
            l->layout = wc_take_layout(a);
        else if (wc_accept_word(a, "line"))
            l->line = wc_take_u32(a, UINT32_MAX, "a line");
        else if (comma)
            wc_asm_error(a, "operand", "%s is wanted here",
                         l->step == LAUNCH_KERNEL   ? "grid, block, shared or line"
                         : l->step == LAUNCH_REPEAT ? "while or line"
                         : l->step == LAUNCH_BUFFER ? "layout or line"
                                                    : "line");
    }
    if (!a->failed)
        vec_push(&a->m->arena, &a->m->launches, *l);
}

static struct launch new_directive(struct wc_assembler *a, enum launch_step step)
{
    return (struct launch){.step = step, .line = a->has_file ? 0 : a->lexer.token.where.at.line};
}

/* .launch kernel {, grid x y z | block x y z | shared n … | line n} */
void wc_take_launch(struct wc_assembler *a)
{
    struct launch l = new_directive(a, LAUNCH_KERNEL);
    l.kernel = wc_take_name(a, "a kernel's name");
    take_clauses(a, &l, true);
}

/* .buffer name, element, bytes {, layout "text" | line n}; .argument follows, of the same name */
void wc_take_buffer(struct wc_assembler *a)
{
    struct launch l = new_directive(a, LAUNCH_BUFFER);
    l.name = wc_take_name(a, "a buffer's name");
    wc_expect_mark(a, ',');
    l.element = (enum launch_element)(a->failed ? 0 : wc_take_element(a));
    wc_expect_mark(a, ',');
    l.element_bytes = wc_take_u32(a, UINT32_MAX, "an element's bytes");
    take_clauses(a, &l, true);
}

/* .repeat rounds {, while name | line n} */
void wc_take_repeat(struct wc_assembler *a)
{
    struct launch l = new_directive(a, LAUNCH_REPEAT);
    l.rounds = wc_take_u64(a, "a number of rounds");
    take_clauses(a, &l, true);
}

/* .end [line n] */
void wc_take_end(struct wc_assembler *a)
{
    struct launch l = new_directive(a, LAUNCH_END);
    take_clauses(a, &l, false);
}

/* .output [line n]; .show and .save follow */
void wc_take_output(struct wc_assembler *a)
{
    struct launch l = new_directive(a, LAUNCH_OUTPUT);
    take_clauses(a, &l, false);
}

/* Whether there is one; else that is an error. */
static bool has_launch(struct wc_assembler *a)
{
    if (a->m->launches.count == 0)
        wc_asm_error(a, "syntax", "there is no launch before this");
    return !a->failed;
}

/* The rest of the line, as launch_parse_value reads it. */
static void take_value(struct wc_assembler *a, struct launch_value *v)
{
    struct wc_token t = a->lexer.token;
    uint32_t end = t.start;
    while (a->lexer.token.kind != WC_TOKEN_LINE && a->lexer.token.kind != WC_TOKEN_END) {
        end = a->lexer.at; /* of the token; a comment may follow */
        wc_lexer_advance(&a->lexer);
    }
    const char *text = arena_strdup(&a->arena, a->lexer.source->text + t.start, end - t.start);
    const char *problem = launch_parse_value(&a->m->arena, text, v);
    if (problem)
        wc_asm_error_at(a, t.where, "value", "%s", problem);
}

/* .argument name, value; a file is written: file "name", a named buffer: buffer "name", what depends on the
 * round: round "expression" */
void wc_take_argument(struct wc_assembler *a)
{
    struct launch_argument x = {0};
    if (!has_launch(a))
        return;
    x.name = wc_take_name(a, "a parameter's name");
    wc_expect_mark(a, ',');
    if (a->failed)
        return;
    struct wc_token t = a->lexer.token;
    enum launch_value_kind kind;
    if (t.kind == WC_TOKEN_WORD && launch_find_word(t.text, &kind)) {
        wc_lexer_advance(&a->lexer);
        const char *text = wc_take_name(a, "a text in quotes");
        const char *problem = a->failed ? NULL : launch_from_text(kind, text, &x.value);
        if (problem)
            wc_asm_error_at(a, t.where, "value", "%s", problem);
    } else {
        take_value(a, &x.value);
    }
    if (!a->failed)
        vec_push(&a->m->arena, &vec_last(&a->m->launches).arguments, x);
}

static void put_output(struct wc_assembler *a, struct launch_output o)
{
    if (!a->failed)
        vec_push(&a->m->arena, &vec_last(&a->m->launches).outputs, o);
}

/* {, part "text" | hex} */
static void take_view(struct wc_assembler *a, struct launch_output *o)
{
    while (wc_accept_mark(a, ',')) {
        if (wc_accept_word(a, "part")) {
            struct wc_token t = wc_take_string(a, "a part of an element");
            o->path = arena_strdup(&a->m->arena, t.text, t.length);
        } else if (wc_accept_word(a, "hex")) {
            o->hex = true;
        } else {
            wc_asm_error(a, "operand", "part or hex is wanted here");
        }
    }
}

/* .show name [, first, last {, part "text" | hex}] */
void wc_take_show(struct wc_assembler *a)
{
    struct launch_output o = {0};
    if (!has_launch(a))
        return;
    o.name = wc_take_name(a, "a parameter's name");
    if (wc_accept_mark(a, ',')) {
        o.first = wc_take_u64(a, "an element's number");
        wc_expect_mark(a, ',');
        o.last = wc_take_u64(a, "an element's number");
        take_view(a, &o);
    }
    put_output(a, o);
}

/* .save name, "file" [, width, height] */
void wc_take_save(struct wc_assembler *a)
{
    struct launch_output o = {.save = true};
    if (!has_launch(a))
        return;
    o.name = wc_take_name(a, "a parameter's name");
    wc_expect_mark(a, ',');
    o.file = wc_take_name(a, "a file's name");
    if (wc_accept_mark(a, ',')) {
        o.width = wc_take_u32(a, UINT32_MAX, "a width");
        wc_expect_mark(a, ',');
        o.height = wc_take_u32(a, UINT32_MAX, "a height");
    }
    put_output(a, o);
}
