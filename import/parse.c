/* parse.c: a module of LLVM IR: globals, functions, attributes and what else stands outside of functions. */
#include "import/parse.h"

/* ---- errors -------------------------------------------------------------------------------------------- */

void ll_error(struct parser *p, span where, const char *id, const char *fmt, ...)
{
    va_list args;
    if (p->failed)
        return;
    va_start(args, fmt);
    diag_addv(p->d, DIAG_ERROR, id, where, fmt, args);
    va_end(args);
    p->failed = true;
    p->token.kind = LEX_END;
    p->token.text = "";
}

void ll_wanted(struct parser *p, const char *what)
{
    const struct token *t = &p->token;
    struct text found = {.arena = p->arena};
    uint32_t n, from = t->where.at.column - 1;
    const char *line = source_line(p->source, t->where.at.line, &n);
    size_t length = t->where.end.column > t->where.at.column ? t->where.end.column - t->where.at.column : 0;
    if (t->kind == LEX_END)
        text_addz(&found, "the end of the text");
    else if (from < n)
        text_visible_line(&found, line + from, length < 40 ? length : 40);
    ll_error(p, t->where, "import-syntax",
             t->kind == LEX_END ? "expected %s, found %s" : "expected %s, found '%s'", what,
             found.at ? found.at : "");
}

void ll_refuse(struct parser *p, span where, const char *what, const char *advice)
{
    ll_error(p, where, "import-refused", "%s cannot be imported: %s", what, advice);
}

bool ll_enter(struct parser *p)
{
    if (p->depth++ < IMPORT_MAX_NESTING)
        return true;
    ll_error(p, p->token.where, "import-limit",
             "more than %u types, constants or metadata inside each other (IMPORT_MAX_NESTING)",
             IMPORT_MAX_NESTING);
    return false;
}

void ll_leave(struct parser *p)
{
    p->depth--;
}

/* ---- tokens -------------------------------------------------------------------------------------------- */

bool ll_sees_word(const struct parser *p, const char *word)
{
    return p->token.kind == LEX_WORD && strcmp(p->token.text, word) == 0;
}

bool ll_accept(struct parser *p, int kind)
{
    bool is = p->token.kind == kind && kind != LEX_END;
    if (is)
        ll_advance(p);
    return is;
}

bool ll_accept_word(struct parser *p, const char *word)
{
    bool is = ll_sees_word(p, word);
    if (is)
        ll_advance(p);
    return is;
}

void ll_expect(struct parser *p, int kind)
{
    char text[] = {'\'', (char)kind, '\'', 0};
    if (!ll_accept(p, kind))
        ll_wanted(p, text);
}

void ll_expect_word(struct parser *p, const char *word)
{
    if (!ll_accept_word(p, word))
        ll_wanted(p, arena_printf(p->arena, "'%s'", word));
}

uint32_t ll_parse_number(struct parser *p, const char *what)
{
    uint32_t n = p->token.number;
    if (!ll_sees(p, LEX_INTEGER) || *p->token.text == '-' || n == UINT32_MAX) {
        ll_wanted(p, what);
        return 0;
    }
    ll_advance(p);
    return n;
}

const char *ll_parse_string(struct parser *p, const char *what)
{
    const char *text = p->token.text;
    if (!ll_accept(p, LEX_STRING)) {
        ll_wanted(p, what);
        return "";
    }
    return text;
}

void ll_skip_brackets(struct parser *p, int close)
{
    int open = close == ')' ? '(' : '{';
    uint32_t depth = 1;
    for (; depth && !ll_sees(p, LEX_END); ll_advance(p)) {
        depth += ll_sees(p, open);
        depth -= ll_sees(p, close);
    }
    if (depth)
        ll_wanted(p, close == ')' ? "')'" : "'}'");
}

uint32_t ll_parse_space(struct parser *p, uint32_t otherwise)
{
    if (!ll_accept_word(p, "addrspace"))
        return otherwise;
    ll_expect(p, '(');
    uint32_t n = ll_parse_number(p, "the number of an address space");
    ll_expect(p, ')');
    return n;
}

/* ---- attributes ---------------------------------------------------------------------------------------- */

uint32_t ll_group(struct parser *p, uint32_t number)
{
    struct ll_attribute_group none = {0};
    uint32_t index = map_get(&p->group_index, number);
    if (index == MAP_NONE) {
        index = p->m->attributes.count;
        map_set(p->arena, &p->group_index, number, index);
        vec_push(p->arena, &p->m->attributes, none);
    }
    return index;
}

/* Their values: =4, ="text", (…), and of `align` and `cc` a number. */
static void skip_attribute_value(struct parser *p, bool takes_number)
{
    if (ll_accept(p, '(')) {
        ll_skip_brackets(p, ')');
    } else if (ll_accept(p, '=')) {
        if (!ll_accept(p, LEX_INTEGER) && !ll_accept(p, LEX_STRING))
            ll_wanted(p, "an attribute's value");
    } else if (takes_number) {
        ll_accept(p, LEX_INTEGER);
    }
}

bool ll_parse_attribute(struct parser *p, struct ll_attribute_group *to, uint32_t *group)
{
    const char *text = p->token.text;
    if (ll_sees(p, LEX_GROUP)) {
        *group = ll_group(p, p->token.number);
        ll_advance(p);
    } else if (ll_accept(p, LEX_STRING)) {
        bool has_value = ll_accept(p, '=');
        struct ll_string_attribute one = {text,
                                          has_value ? ll_parse_string(p, "an attribute's value") : NULL};
        vec_push(p->arena, &to->strings, one);
    } else if (ll_sees(p, LEX_WORD) && !ll_sees_class(p, WORD_OP | WORD_VALUE | WORD_TAIL | WORD_BEGIN)) {
        to->is_convergent |= ll_sees_word(p, "convergent");
        to->is_noconvergent |= ll_sees_word(p, "noconvergent");
        to->is_noinline |= ll_sees_word(p, "noinline");
        to->is_alwaysinline |= ll_sees_word(p, "alwaysinline");
        bool takes_number = ll_sees_word(p, "align") || ll_sees_word(p, "alignstack");
        ll_advance(p);
        skip_attribute_value(p, takes_number);
    } else {
        return false;
    }
    return true;
}

/* attributes #0 = { … } */
static void parse_attribute_group(struct parser *p)
{
    struct ll_attribute_group all = {.is_given = true};
    struct token number = p->token;
    uint32_t index, nested = UINT32_MAX;
    if (!ll_accept(p, LEX_GROUP)) {
        ll_wanted(p, "the number of an attribute group, such as #0");
        return;
    }
    index = ll_group(p, number.number);
    ll_expect(p, '=');
    ll_expect(p, '{');
    while (nested == UINT32_MAX && ll_parse_attribute(p, &all, &nested))
        ;
    ll_expect(p, '}');
    if (p->m->attributes.at[index].is_given)
        ll_error(p, number.where, "import-syntax", "the attribute group #%s is given twice", number.text);
    p->m->attributes.at[index] = all;
}

/* Linkage, visibility, calling convention and attributes of a result: words before a type. */
struct linkage {
    bool is_external, is_internal, is_kernel;
    uint32_t space;
};
static struct linkage parse_linkage(struct parser *p)
{
    static const char *const kernels[] = {"spir_kernel", "ptx_kernel", "amdgpu_kernel"};
    struct ll_attribute_group ignored = {0};
    struct linkage l = {.space = UINT32_MAX};
    while (!ll_sees_type(p) && !ll_sees_word(p, "global") && !ll_sees_word(p, "constant") &&
           !ll_sees_word(p, "alias") && !ll_sees_word(p, "ifunc")) {
        span where = p->token.where;
        uint32_t group;
        l.is_external |= ll_sees_word(p, "external") || ll_sees_word(p, "extern_weak");
        l.is_internal |= ll_sees_word(p, "internal") || ll_sees_word(p, "private");
        for (size_t k = 0; k < COUNT(kernels); k++)
            l.is_kernel |= ll_sees_word(p, kernels[k]);
        bool takes_number = ll_sees_word(p, "cc");
        if (ll_sees_word(p, "thread_local"))
            ll_refuse(p, where, "a thread_local variable", "use a local variable of the kernel");
        if (ll_sees_word(p, "addrspace"))
            l.space = ll_parse_space(p, 0);
        else if (!ll_parse_attribute(p, &ignored, &group))
            break;
        if (takes_number)
            ll_accept(p, LEX_INTEGER);
    }
    return l;
}

/* ---- globals ------------------------------------------------------------------------------------------- */

/* [, section "s"] [, comdat] [, align 4] [, !dbg !1], attributes */
static void parse_global_rest(struct parser *p, struct ll_global *g)
{
    struct ll_attribute_group ignored = {0};
    struct ll_metadata_use use;
    uint32_t group;
    while (ll_accept(p, ',')) {
        if (ll_parse_attachment(p, &use)) {
            g->debug = strcmp(use.kind, "dbg") == 0 ? use.node : g->debug;
        } else if (ll_accept_word(p, "align")) {
            g->align = ll_parse_number(p, "an alignment");
        } else if (ll_sees(p, LEX_WORD)) {
            ll_advance(p);
            if (!ll_accept(p, LEX_STRING) && ll_accept(p, '('))
                ll_skip_brackets(p, ')');
        } else {
            ll_wanted(p, "'align', 'section' or metadata");
        }
    }
    while (ll_sees(p, LEX_GROUP))
        ll_parse_attribute(p, &ignored, &group);
}

/* @name = … global|constant type [value], … */
static void parse_global(struct parser *p)
{
    struct token name = p->token;
    struct ll_global g = {.name = name.text, .debug = UINT32_MAX, .at = name.where.at};
    ll_advance(p);
    ll_expect(p, '=');
    struct linkage l = parse_linkage(p);
    g.space = l.space == UINT32_MAX ? 0 : l.space;
    g.is_external = l.is_external;
    span what = p->token.where;
    if (ll_accept_word(p, "alias")) {
        g.type = ll_parse_type(p);
        ll_expect(p, ',');
        g.alias = ll_parse_typed(p);
        if (g.alias->type->kind != LL_POINTER)
            ll_error(p, what, "import-syntax", "an alias stands for a pointer");
        g.space = g.alias->type->bits;
    } else if (ll_sees_word(p, "ifunc")) {
        ll_refuse(p, what, "an ifunc", "call the function itself");
    } else {
        g.is_constant = ll_sees_word(p, "constant");
        if (!ll_accept_word(p, "global") && !ll_accept_word(p, "constant"))
            ll_wanted(p, "'global' or 'constant'");
        g.type = ll_parse_type(p);
        if (!g.is_external)
            g.initial = ll_parse_value(p, g.type);
    }
    parse_global_rest(p, &g);
    ll_define_symbol(p, &name, LL_GLOBAL, p->m->globals.count, ll_simple(p, LL_POINTER, g.space));
    vec_push(p->arena, &p->m->globals, g);
}

/* ---- functions ----------------------------------------------------------------------------------------- */

void ll_parse_param_attributes(struct parser *p, struct ll_param *param)
{
    struct ll_attribute_group ignored = {0};
    uint32_t group;
    do {
        struct ll_type **of = ll_sees_word(p, "byval")  ? &param->byval
                              : ll_sees_word(p, "sret") ? &param->sret
                                                        : NULL;
        param->sign_extended |= ll_sees_word(p, "signext");
        param->zero_extended |= ll_sees_word(p, "zeroext");
        param->noalias |= ll_sees_word(p, "noalias");
        if (of) {
            ll_advance(p);
            ll_expect(p, '(');
            *of = ll_parse_type(p);
            ll_expect(p, ')');
        } else if (ll_accept_word(p, "align")) {
            bool has_brackets = ll_accept(p, '(');
            param->align = ll_parse_number(p, "an alignment");
            if (has_brackets)
                ll_expect(p, ')');
        } else if (!ll_parse_attribute(p, &ignored, &group)) {
            break;
        }
    } while (!ll_sees(p, LEX_END));
}

/* (type attributes [%name], …, ...) */
static void parse_params(struct parser *p, struct ll_function *f, bool *variadic)
{
    VEC(struct ll_param) params = {0};
    vec_clear(&p->param_names);
    ll_expect(p, '(');
    while (!ll_sees(p, ')') && !*variadic && !ll_sees(p, LEX_END)) {
        if (params.count)
            ll_expect(p, ',');
        if (ll_accept(p, LEX_DOTS)) {
            *variadic = true;
            break;
        }
        struct ll_param one = {.type = ll_parse_type(p)};
        ll_parse_param_attributes(p, &one);
        struct token name = p->token;
        if (ll_accept(p, LEX_LOCAL))
            one.name = name.text;
        else if (!ll_accept(p, LEX_LOCAL_NUMBER))
            name.kind = LEX_END;
        vec_push(p->arena, &params, one);
        vec_push(p->arena, &p->param_names, name);
    }
    ll_expect(p, ')');
    f->params = params.at;
    f->param_count = params.count;
}

/* Attributes, section, comdat, metadata: what stands between a function's parameters and its body. */
static void parse_function_rest(struct parser *p, struct ll_function *f, struct ll_attribute_group *all)
{
    struct ll_metadata_use use;
    for (;;) {
        if (ll_accept_word(p, "prefix") || ll_accept_word(p, "prologue") || ll_accept_word(p, "personality"))
            ll_parse_typed(p);
        else if (ll_parse_attachment(p, &use) && strcmp(use.kind, "dbg") == 0)
            f->debug = use.node;
        else if (use.kind)
            vec_push(p->arena, &f->metadata, use);
        else if (!ll_parse_attribute(p, all, &f->attributes))
            return;
    }
}

/* define|declare … type @name(…) … [{ … }] */
static void parse_function(struct parser *p, bool is_defined)
{
    struct ll_function f = {.attributes = UINT32_MAX, .debug = UINT32_MAX, .is_defined = is_defined};
    struct ll_attribute_group all = {0};
    struct ll_type like = {.kind = LL_FUNCTION};
    struct ll_metadata_use ignored;
    while (ll_parse_attachment(p, &ignored))
        ;
    struct linkage l = parse_linkage(p);
    struct ll_type *result = ll_parse_type(p);
    struct token name = p->token;
    if (!ll_accept(p, LEX_GLOBAL))
        ll_wanted(p, "the function's name, such as @f");
    f.name = name.text;
    f.at = name.where.at;
    f.is_kernel = l.is_kernel;
    f.is_internal = l.is_internal;
    parse_params(p, &f, &like.variadic);
    uint32_t space = ll_parse_space(p, 0);
    parse_function_rest(p, &f, &all);
    struct ll_type **types = arena_array(p->arena, struct ll_type *, f.param_count + 1);
    for (uint32_t i = 0; i < f.param_count; i++)
        types[i] = f.params[i].type;
    types[f.param_count] = result;
    f.type = ll_compound(p, like, types, f.param_count);
    f.is_convergent = all.is_convergent;
    f.is_noinline = all.is_noinline;
    f.is_alwaysinline = all.is_alwaysinline;
    ll_define_symbol(p, &name, LL_FUNCTION_REF, p->m->functions.count, ll_simple(p, LL_POINTER, space));
    vec_push(p->arena, &p->m->functions, f);
    if (is_defined)
        ll_parse_body(p);
}

/* ---- the module ---------------------------------------------------------------------------------------- */

/* target triple|datalayout = "…" */
static void parse_target(struct parser *p)
{
    bool is_triple = ll_sees_word(p, "triple");
    if (!ll_accept_word(p, "triple") && !ll_accept_word(p, "datalayout"))
        ll_wanted(p, "'triple' or 'datalayout'");
    ll_expect(p, '=');
    const char *text = ll_parse_string(p, "a string");
    if (is_triple)
        p->m->triple = text;
    else
        ll_read_datalayout(p, text);
}

static void parse_definition(struct parser *p)
{
    span where = p->token.where;
    switch (p->token.kind) {
    case LEX_GLOBAL: parse_global(p); return;
    case LEX_LOCAL:
    case LEX_LOCAL_NUMBER: ll_parse_type_definition(p); return;
    case LEX_NODE: ll_parse_node_definition(p); return;
    case LEX_METADATA: ll_parse_named_node(p); return;
    case LEX_COMDAT:
        ll_advance(p);
        ll_expect(p, '=');
        ll_expect_word(p, "comdat");
        if (!ll_accept(p, LEX_WORD))
            ll_wanted(p, "what a comdat selects");
        return;
    case LEX_SUMMARY: ll_skip_line(p); return;
    default: break;
    }
    if (ll_accept_word(p, "define")) {
        parse_function(p, true);
    } else if (ll_accept_word(p, "declare")) {
        parse_function(p, false);
    } else if (ll_accept_word(p, "attributes")) {
        parse_attribute_group(p);
    } else if (ll_accept_word(p, "target")) {
        parse_target(p);
    } else if (ll_accept_word(p, "source_filename")) {
        ll_expect(p, '=');
        p->m->file = ll_parse_string(p, "a file's name");
    } else if (ll_accept_word(p, "uselistorder") || ll_accept_word(p, "uselistorder_bb")) {
        ll_skip_line(p);
    } else if (ll_sees_word(p, "module")) {
        ll_refuse(p, where, "assembly of a module", "leave it out");
    } else {
        ll_wanted(p, "a function, global, type or metadata");
    }
}

/* Groups are written behind the functions and calls that have them. */
static void resolve_attributes(struct parser *p)
{
    struct ll_module *m = p->m;
    for (uint32_t k = 0; k < m->functions.count; k++) {
        struct ll_function *f = &m->functions.at[k];
        if (f->attributes != UINT32_MAX) {
            const struct ll_attribute_group *g = &m->attributes.at[f->attributes];
            f->is_convergent |= g->is_convergent;
            f->is_noinline |= g->is_noinline;
            f->is_alwaysinline |= g->is_alwaysinline;
        }
        for (uint32_t b = 0; b < f->blocks.count; b++)
            for (uint32_t i = 0; i < f->blocks.at[b].ins.count; i++) {
                struct ll_ins *ins = &f->blocks.at[b].ins.at[i];
                if (ins->attributes != UINT32_MAX) {
                    ins->is_convergent |= m->attributes.at[ins->attributes].is_convergent;
                    ins->is_noconvergent |= m->attributes.at[ins->attributes].is_noconvergent;
                }
            }
    }
}

static void check_defined(struct parser *p)
{
    for (uint32_t i = 0; i < p->symbols.count; i++)
        if (p->symbols.at[i]->kind == LL_BLOCK_ADDRESS)
            ll_error(p, (span){p->symbols.at[i]->at, {0}}, "import-syntax", "'@%s' is not defined",
                     p->symbols.at[i]->text);
    for (uint32_t i = 0; i < p->node_first.count; i++)
        if (p->node_first.at[i].kind == LEX_NODE)
            ll_error(p, p->node_first.at[i].where, "import-syntax", "metadata !%s is not defined",
                     p->node_first.at[i].text);
}

static void init_words(struct parser *p)
{
    static const char *const predicates[] = {
#define LL_PREDICATE(name) #name,
#include "import/instructions.def"
    };
    static const struct {
        uint32_t classes;
        const char *words;
    } classes[] = {
        {WORD_FLAG,
         "nuw nsw exact disjoint nneg samesign inbounds nusw inrange fast nnan ninf nsz arcp contract afn "
         "reassoc"},
        {WORD_VALUE, "null undef poison zeroinitializer none true false asm splat blockaddress "
                     "dso_local_equivalent no_cfi"},
        {WORD_TAIL, "tail musttail notail"},
        {WORD_BEGIN, "define declare attributes target source_filename module uselistorder uselistorder_bb"},
    };
    for (uint32_t i = 0; i < LL_OPS; i++)
        map_set(p->arena, &p->words, (uintptr_t)intern_z(&p->strings, ll_op_names[i]), WORD_OP | i);
    for (uint32_t i = 0; i < LL_i_ugt; i++)
        map_set(p->arena, &p->words, (uintptr_t)intern_z(&p->strings, predicates[i]), WORD_PREDICATE | i);
    for (uint32_t i = LL_sgt; i <= LL_sle; i++)
        map_set(p->arena, &p->words, (uintptr_t)intern_z(&p->strings, predicates[i]), WORD_PREDICATE | i);
    for (size_t i = 0; i < COUNT(classes); i++)
        for (const char *at = classes[i].words; *at;) {
            size_t n = strcspn(at, " ");
            uintptr_t key = (uintptr_t)intern(&p->strings, at, n);
            uint32_t old = map_get(&p->words, key);
            map_set(p->arena, &p->words, key, (old == MAP_NONE ? 0 : old) | classes[i].classes);
            at += n + (at[n] == ' ');
        }
}

struct ll_module *llvm_parse(struct arena *a, const struct source *s, struct diagnostics *d)
{
    struct parser p = {
        .arena = a, .source = s, .d = d, .m = arena_new(a, struct ll_module), .strings = {.arena = a}};
    p.m->pointer_bytes = 8;
    init_words(&p);
    ll_lexer_init(&p);
    ll_advance(&p);
    while (!ll_sees(&p, LEX_END))
        parse_definition(&p);
    if (!p.failed)
        check_defined(&p);
    if (!p.failed)
        ll_layout_types(&p);
    if (p.failed)
        return NULL;
    resolve_attributes(&p);
    return p.m;
}
