/* asm_tables.c: the directives of assembly: what an image holds besides its words (docs/isa.md). */
#include "backend/format/warpcore/asm.h"

/* ---- the image as a whole ---------------------------------------------------------------------------- */

static void take_file(struct wc_assembler *a)
{
    a->m->file = wc_take_name(a, "a file's name");
    a->has_file = true;
}

/* The name source-pc is a word, a mark and a word. */
static const char *take_dashed_name(struct wc_assembler *a, const char *what)
{
    const char *name = wc_take_name(a, what);
    while (!a->failed && wc_accept_mark(a, '-'))
        name = arena_printf(&a->arena, "%s-%s", name, wc_take_name(a, what));
    return name;
}

static void take_mode(struct wc_assembler *a)
{
    static const char wanted[] = "a divergence mode, rpc, source-pc or article,";
    span where = a->lexer.token.where;
    const char *name = take_dashed_name(a, wanted);
    a->m->mode = 0;
    while (a->m->mode < WC_MODES && strcmp(wc_mode_info[a->m->mode].name, name) != 0)
        a->m->mode++;
    if (a->m->mode == WC_MODES)
        wc_asm_error_at(a, where, "operand", "%s is wanted here", wanted);
}

static void take_shared(struct wc_assembler *a)
{
    a->m->shared_bytes = wc_take_u32(a, WC_MAX_SHARED, "a number of bytes");
}

static void take_loc(struct wc_assembler *a)
{
    a->has_file = true;
    a->loc.line = wc_take_u32(a, UINT32_MAX, "a line");
    wc_expect_mark(a, ',');
    a->loc.column = wc_take_u32(a, UINT32_MAX, "a column");
}

static void take_raw_word(struct wc_assembler *a)
{
    span where = a->lexer.token.where;
    do {
        uint32_t word = wc_take_u32(a, UINT32_MAX, "a word");
        if (!a->failed)
            wc_put_word(a, (struct wc_ins){0}, true, word, where);
    } while (wc_accept_mark(a, ','));
}

/* ---- data and texts ---------------------------------------------------------------------------------- */

static void put_data(struct wc_assembler *a, const void *bytes, size_t n)
{
    const uint8_t *at = bytes;
    if (a->data.count > WC_MAX_DATA - n)
        wc_asm_error(a, "limit", "more constant data than %u bytes", WC_MAX_DATA);
    for (size_t i = 0; i < n && !a->failed; i++)
        vec_push(&a->arena, &a->data, at[i]);
}

static void put_data_word(struct wc_assembler *a, uint32_t word)
{
    const uint8_t bytes[] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
                             (uint8_t)(word >> 24)};
    put_data(a, bytes, sizeof bytes);
}

static int hex_digit(char c)
{
    const char *at = c ? strchr("0123456789abcdef", c) : NULL;
    return at ? (int)(at - "0123456789abcdef") : -1;
}

/* .bytes "00ff…" */
static void take_bytes(struct wc_assembler *a)
{
    struct wc_token t = wc_take_string(a, "bytes as hexadecimal digits");
    for (uint32_t i = 0; i < t.length && !a->failed; i += 2) {
        int high = hex_digit(t.text[i]), low = i + 1 < t.length ? hex_digit(t.text[i + 1]) : -1;
        uint8_t byte = (uint8_t)(high * 16 + low);
        if (high < 0 || low < 0)
            wc_asm_error_at(a, t.where, "string", "bytes are pairs of the digits 0123456789abcdef");
        else
            put_data(a, &byte, 1);
    }
}

static void take_ints(struct wc_assembler *a)
{
    do
        put_data_word(a, (uint32_t)wc_take_integer(a, INT32_MIN, UINT32_MAX, "an integer"));
    while (!a->failed && wc_accept_mark(a, ','));
}

/* digits ["." digits] ["e" ["+" | "-"] digits] */
static bool is_decimal(const char *at)
{
    at += strspn(at, "0123456789");
    at += *at == '.' ? 1 + strspn(at + 1, "0123456789") : 0;
    if (*at == 'e' || *at == 'E') {
        at += at[1] == '+' || at[1] == '-' ? 2 : 1;
        size_t digits = strspn(at, "0123456789");
        return digits && at[digits] == '\0';
    }
    return *at == '\0';
}

static float take_float(struct wc_assembler *a)
{
    bool negative = wc_accept_mark(a, '-');
    struct wc_token t = a->lexer.token;
    float f = 0;
    if (t.kind == WC_TOKEN_WORD && (strcmp(t.text, "inf") == 0 || strcmp(t.text, "nan") == 0))
        f = scalar_from_f32(*t.text == 'i' ? 0x7f800000u : SCALAR_NAN_F32);
    else if (t.kind != WC_TOKEN_NUMBER || !is_decimal(t.text) || !decimal_float(t.text, &f))
        wc_asm_error(a, "number", "a float is wanted here");
    if (!a->failed)
        wc_lexer_advance(&a->lexer);
    return negative ? -f : f;
}

static void take_floats(struct wc_assembler *a)
{
    do
        put_data_word(a, scalar_raw_f32(take_float(a)));
    while (!a->failed && wc_accept_mark(a, ','));
}

static uint8_t take_type(struct wc_assembler *a)
{
    for (uint8_t i = 0; i < COUNT(wc_value_names); i++)
        if (wc_value_names[i] && wc_accept_word(a, wc_value_names[i]))
            return i;
    wc_asm_error(a, "operand", "a type is wanted here: i1, i32, i64, f32 or ptr");
    return BE_VOID;
}

/* .text "…" {, type} */
static void take_text(struct wc_assembler *a)
{
    struct wc_token t = wc_take_string(a, "a text");
    struct wc_text text = {.bytes = arena_strdup(&a->m->arena, t.text, t.length), .length = t.length};
    while (wc_accept_mark(a, ','))
        vec_push(&a->m->arena, &text.operands, take_type(a));
    if (!a->failed)
        vec_push(&a->m->arena, &a->m->texts, text);
}

/* ---- kernels ----------------------------------------------------------------------------------------- */

static void take_unsized(struct wc_assembler *a, struct wc_kernel *k)
{
    struct be_unsized u = {.bytes = wc_take_u32(a, WC_MAX_SHARED, "an element's bytes")};
    u.name = wc_take_name(a, "an array's name");
    vec_push(&a->m->arena, &k->unsized, u);
}

static void take_attribute(struct wc_assembler *a, struct wc_kernel *k)
{
    if (wc_accept_word(a, "entry"))
        k->entry = wc_take_target(a, WC_FIX_ENTRY, a->m->kernels.count, "the kernel's first word");
    else if (wc_accept_word(a, "registers"))
        k->registers = wc_take_u32(a, WC_REGISTERS, "a number of registers");
    else if (wc_accept_word(a, "predicates"))
        k->predicates = wc_take_u32(a, WC_PREDICATES, "a number of predicates");
    else if (wc_accept_word(a, "private"))
        k->private_bytes = wc_take_u32(a, WC_MAX_PRIVATE, "a number of bytes");
    else if (wc_accept_word(a, "stack"))
        k->stack = wc_take_u32(a, WC_STACK, "a number of entries");
    else if (wc_accept_word(a, "line"))
        k->line = wc_take_u32(a, UINT32_MAX, "a line");
    else if (wc_accept_word(a, "barrier"))
        k->has_barrier = true;
    else if (wc_accept_word(a, "unsized"))
        take_unsized(a, k);
    else
        wc_asm_error(a, "operand",
                     "entry, registers, predicates, private, stack, line, barrier or unsized is wanted here");
}

/* .kernel name {, attribute}; its entry is the label of its name unless it says another */
static void take_kernel(struct wc_assembler *a)
{
    span where = a->lexer.token.where;
    struct wc_kernel k = {.registers = WC_COMPUTED, .predicates = WC_COMPUTED, .stack = WC_LANES - 1};
    k.name = wc_take_name(a, "a kernel's name");
    k.line = a->has_file ? 0 : where.at.line;
    uint32_t fixups = a->fixups.count;
    k.entry = WC_COMPUTED;
    while (wc_accept_mark(a, ','))
        take_attribute(a, &k);
    if (a->failed)
        return;
    if (k.entry == WC_COMPUTED && fixups == a->fixups.count) {
        struct wc_fixup f = {WC_FIX_ENTRY, a->m->kernels.count, intern_z(&a->names, k.name), where};
        vec_push(&a->arena, &a->fixups, f);
    }
    vec_push(&a->m->arena, &a->m->kernels, k);
}

static uint8_t take_element(struct wc_assembler *a)
{
    enum launch_element e;
    if (!a->failed && a->lexer.token.kind == WC_TOKEN_WORD && launch_find_element(a->lexer.token.text, &e)) {
        wc_lexer_advance(&a->lexer);
        return (uint8_t)e;
    }
    wc_asm_error(a, "operand", "an element's type is wanted here, as Kern calls it: int, float, struct");
    return 0;
}

/* .param name, type ["*"], element, bytes [, "text"] [, layout "text"]: of the kernel before it */
static void take_param(struct wc_assembler *a)
{
    struct be_param p = {0};
    if (a->m->kernels.count == 0) {
        wc_asm_error(a, "syntax", "there is no kernel before this parameter");
        return;
    }
    p.name = wc_take_name(a, "a parameter's name");
    wc_expect_mark(a, ',');
    p.type = a->failed ? 0 : take_type(a);
    p.pointer = wc_accept_mark(a, '*');
    wc_expect_mark(a, ',');
    p.element = a->failed ? 0 : take_element(a);
    wc_expect_mark(a, ',');
    p.element_bytes = wc_take_u32(a, UINT32_MAX, "an element's bytes");
    while (wc_accept_mark(a, ',')) {
        if (wc_accept_word(a, "layout")) {
            struct wc_token t = wc_take_string(a, "a layout");
            p.layout = arena_strdup(&a->m->arena, t.text, t.length);
            continue;
        }
        struct wc_token t = wc_take_string(a, "the type as the source has it");
        p.text = arena_strdup(&a->m->arena, t.text, t.length);
    }
    if (!a->failed)
        vec_push(&a->m->arena, &vec_last(&a->m->kernels).params, p);
}

/* ---- launches ---------------------------------------------------------------------------------------- */

bool wc_launch_directive(struct wc_assembler *a)
{
    struct wc_token t = a->lexer.token;
    struct launch l;
    size_t n;
    if (*t.text != '.' || !launch_is_directive(t.text + 1))
        return false;
    uint32_t start = t.start + 1;
    const char *why = launch_read_directive(&a->m->arena, a->lexer.source->text + start, &n, &l);
    span where = wc_lexer_go(&a->lexer, start, start + (uint32_t)n);
    if (why) {
        wc_asm_error_at(a, where, "launch", "%s", why);
        wc_lexer_skip_line(&a->lexer);
    } else {
        l.line = l.line || a->has_file ? l.line : t.where.at.line;
        vec_push(&a->m->arena, &a->m->launches, l);
    }
    wc_lexer_advance(&a->lexer);
    return true;
}

/* ---- all --------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*take)(struct wc_assembler *);
} directives[] = {
    {".file", take_file},     {".mode", take_mode},     {".shared", take_shared}, {".loc", take_loc},
    {".word", take_raw_word}, {".bytes", take_bytes},   {".int", take_ints},      {".float", take_floats},
    {".text", take_text},     {".kernel", take_kernel}, {".param", take_param},
};

void wc_directive(struct wc_assembler *a, struct wc_token name)
{
    for (size_t i = 0; i < COUNT(directives); i++)
        if (strcmp(directives[i].name, name.text) == 0) {
            directives[i].take(a);
            return;
        }
    wc_asm_error_at(a, name.where, "directive", "there is no directive '%s'", name.text);
}
