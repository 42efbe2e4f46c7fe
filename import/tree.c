/* tree.c: types of LLVM IR: equal ones are one object; their places in memory; and how the tree is asked. */
#include "base/number_read.h"
#include "import/parse.h"

const char *const ll_op_names[LL_OPS] = {
#define LL_OP(name, shape) #name,
#include "import/instructions.def"
};

/* ---- equal types are one ------------------------------------------------------------------------------- */

static uint32_t arg_count(const struct ll_type *t)
{
    return t->kind == LL_VECTOR || t->kind == LL_ARRAY ? 1 : t->kind == LL_FUNCTION ? t->argc + 1 : t->argc;
}

static bool is_like(const struct ll_type *a, const struct ll_type *b)
{
    return a->kind == b->kind && a->packed == b->packed && a->variadic == b->variadic && a->bits == b->bits &&
           a->count == b->count && a->argc == b->argc && !a->name &&
           (!arg_count(b) || memcmp(a->args, b->args, arg_count(b) * sizeof *b->args) == 0);
}

/* Different types of one hash have keys behind each other. */
struct ll_type *ll_intern_type(struct parser *p, struct ll_type t)
{
    uint64_t key = hash_mix(
        hash_mix((uint64_t)t.kind << 32 | t.bits, t.count << 2 | t.packed << 1 | t.variadic), t.argc);
    uint32_t index;
    for (uint32_t i = 0; i < arg_count(&t); i++)
        key = hash_mix(key, (uintptr_t)t.args[i]);
    for (; (index = map_get(&p->type_index, key)) != MAP_NONE; key++)
        if (is_like(p->m->types.at[index], &t))
            return p->m->types.at[index];
    struct ll_type *made = arena_new(p->arena, struct ll_type);
    *made = t;
    made->args = arena_array(p->arena, struct ll_type *, arg_count(&t));
    for (uint32_t i = 0; i < arg_count(&t); i++)
        made->args[i] = t.args[i];
    map_set(p->arena, &p->type_index, key, p->m->types.count);
    vec_push(p->arena, &p->m->types, made);
    return made;
}

struct ll_type *ll_simple(struct parser *p, enum ll_kind kind, uint32_t bits)
{
    return ll_intern_type(p, (struct ll_type){.kind = (uint8_t)kind, .bits = bits});
}

struct ll_type *ll_compound(struct parser *p, struct ll_type like, struct ll_type *const *args, uint32_t n)
{
    like.argc = like.kind == LL_STRUCT || like.kind == LL_FUNCTION ? n : 0;
    like.args = (struct ll_type **)args;
    return ll_intern_type(p, like);
}

struct ll_type *ll_scalar(struct ll_type *t)
{
    return t->kind == LL_VECTOR ? t->args[0] : t;
}

struct ll_type *ll_shaped(struct parser *p, const struct ll_type *like, struct ll_type *element)
{
    return like->kind == LL_VECTOR
               ? ll_compound(p, (struct ll_type){.kind = LL_VECTOR, .count = like->count}, &element, 1)
               : element;
}

/* ---- in memory ----------------------------------------------------------------------------------------- */

/* More than any memory has: sums and products of sizes stay there. */
#define TOO_LARGE ((uint64_t)1 << 48)

static uint64_t rounded_up(uint64_t n, uint64_t align)
{
    return (n + align - 1) / align * align;
}

static uint32_t power_of_two(uint64_t n)
{
    uint32_t p = 1;
    while (p < n && p < 1u << 30)
        p *= 2;
    return p;
}

/* "p3:32:32-p:64:64-…": bits of pointers. */
void ll_read_datalayout(struct parser *p, const char *text)
{
    p->m->pointer_bytes = 8;
    for (const char *at = text; *at; at += strcspn(at, "-"), at += *at == '-') {
        uint32_t space = 0, bits = 0;
        const char *c = at + 1;
        if (*at != 'p')
            continue;
        for (; number_digit(*c) < 10 && space < 1u << 24; c++)
            space = space * 10 + number_digit(*c);
        for (c += *c == ':'; number_digit(*c) < 10 && bits < 1024; c++)
            bits = bits * 10 + number_digit(*c);
        if (bits == 0 || bits % 8 || bits > 256)
            continue;
        if (space == 0)
            p->m->pointer_bytes = bits / 8;
        else
            vec_push(p->arena, &p->m->pointers, ((struct ll_pointer_size){space, bits / 8}));
    }
}

static uint64_t scalar_bits_of(const struct ll_module *m, const struct ll_type *t)
{
    switch ((enum ll_kind)t->kind) {
    case LL_INT: return t->bits;
    case LL_HALF:
    case LL_BFLOAT: return 16;
    case LL_FLOAT: return 32;
    case LL_DOUBLE: return 64;
    case LL_POINTER:
        for (uint32_t i = 0; i < m->pointers.count; i++)
            if (m->pointers.at[i].space == t->bits)
                return 8 * m->pointers.at[i].bytes;
        return 8 * m->pointer_bytes;
    default: return 0;
    }
}

static void layout_struct(struct parser *p, struct ll_type *t)
{
    uint64_t at = 0;
    t->fields = arena_array(p->arena, uint64_t, t->argc + 1);
    for (uint32_t i = 0; i < t->argc; i++) {
        uint32_t align = t->packed ? 1 : t->args[i]->align;
        t->align = align > t->align ? align : t->align;
        t->fields[i] = rounded_up(at, align);
        at = t->fields[i] + t->args[i]->bytes;
        at = at < TOO_LARGE ? at : TOO_LARGE;
    }
    t->bytes = rounded_up(at, t->align);
}

static void layout(struct parser *p, struct ll_type *t)
{
    uint64_t bits = scalar_bits_of(p->m, t);
    t->align = 1;
    if (t->kind == LL_STRUCT) {
        layout_struct(p, t);
    } else if (t->kind == LL_ARRAY) {
        uint64_t each = t->args[0]->bytes;
        t->align = t->args[0]->align;
        t->bytes = each && t->count > TOO_LARGE / each ? TOO_LARGE : each * t->count;
    } else if (t->kind == LL_VECTOR) {
        t->align = power_of_two((scalar_bits_of(p->m, t->args[0]) * t->count + 7) / 8);
        t->bytes = t->align;
    } else if (bits) {
        t->align = power_of_two((bits + 7) / 8);
        t->align = t->align < 16 ? t->align : 16;
        t->bytes = rounded_up((bits + 7) / 8, t->align);
    }
}

/* First the types in it. align: 0 not seen yet, UINT32_MAX while those are looked at. */
static void layout_deep(struct parser *p, struct ll_type *t)
{
    bool is_bounded = ll_enter(p);
    uint32_t parts = t->kind == LL_FUNCTION ? 0 : arg_count(t);
    t->align = UINT32_MAX;
    for (uint32_t i = 0; is_bounded && i < parts && !p->failed; i++) {
        struct ll_type *part = t->args[i];
        if (part->align == UINT32_MAX)
            ll_error(p, (span){{0}, {0}}, "import-syntax", "the type %s holds itself",
                     ll_type_text(p->arena, part));
        else if (part->align == 0)
            layout_deep(p, part);
        t->depth = part->depth >= t->depth ? part->depth + 1 : t->depth;
    }
    if (t->depth > IMPORT_MAX_NESTING)
        ll_error(p, (span){{0}, {0}}, "import-limit",
                 "the type %s holds more than %u types inside each other (IMPORT_MAX_NESTING)",
                 ll_type_text(p->arena, t), IMPORT_MAX_NESTING);
    layout(p, t);
    ll_leave(p);
}

void ll_layout_types(struct parser *p)
{
    for (uint32_t i = 0; i < p->named.count; i++)
        if (p->named_first.at[i].kind != LEX_END)
            ll_error(p, p->named_first.at[i].where, "import-syntax", "the type %%%s is not defined",
                     p->named.at[i]->name);
    for (uint32_t i = 0; i < p->m->types.count && !p->failed; i++)
        if (p->m->types.at[i]->align == 0)
            layout_deep(p, p->m->types.at[i]);
}

uint64_t ll_bytes(const struct ll_module *m, const struct ll_type *t)
{
    return t->bytes;
}

uint32_t ll_align(const struct ll_module *m, const struct ll_type *t)
{
    return t->align;
}

uint64_t ll_field(const struct ll_module *m, const struct ll_type *t, uint32_t field)
{
    return t->fields[field];
}

enum ll_part ll_next_part(const struct ll_module *m, struct ll_way *w)
{
    const struct ll_type *in = w->type;
    bool is_first = w->at == 1; /* it goes over whole values of the type */
    if (w->at >= w->argc)
        return LL_PART_END;
    w->index = w->args[w->at++];
    if (!is_first && in->kind == LL_STRUCT) {
        uint64_t field = w->index->kind == LL_CONST_INT ? w->index->words[0] : UINT64_MAX;
        if (field >= in->argc)
            return LL_PART_NONE;
        w->bytes = ll_field(m, in, (uint32_t)field);
        w->type = in->args[field];
        return LL_PART_FIELD;
    }
    if (!is_first && in->kind != LL_ARRAY && in->kind != LL_VECTOR)
        return LL_PART_NONE;
    w->type = is_first ? in : in->args[0];
    w->bytes = ll_bytes(m, w->type);
    return LL_PART_ELEMENT;
}

/* ---- for messages and lookups -------------------------------------------------------------------------- */

static void print_types(struct text *to, struct ll_type *const *args, uint32_t n, int depth);

static void print_type(struct text *to, const struct ll_type *t, int depth)
{
    static const char *const words[] = {
        [LL_VOID] = "void",     [LL_HALF] = "half",   [LL_BFLOAT] = "bfloat", [LL_FLOAT] = "float",
        [LL_DOUBLE] = "double", [LL_TOKEN] = "token", [LL_LABEL] = "label",   [LL_METADATA] = "metadata"};
    if (to->length > 200 || depth > IMPORT_MAX_NESTING) {
        text_addz(to, "...");
        return;
    }
    if (t->name) {
        text_char(to, '%');
        text_visible_line(to, t->name, strlen(t->name));
        return;
    }
    switch ((enum ll_kind)t->kind) {
    case LL_INT: text_printf(to, "i%u", t->bits); break;
    case LL_POINTER: text_printf(to, t->bits ? "ptr addrspace(%u)" : "ptr", t->bits); break;
    case LL_VECTOR:
    case LL_ARRAY:
        text_printf(to, "%c%llu x ", t->kind == LL_ARRAY ? '[' : '<', (unsigned long long)t->count);
        print_type(to, t->args[0], depth + 1);
        text_char(to, t->kind == LL_ARRAY ? ']' : '>');
        break;
    case LL_STRUCT:
        text_addz(to, t->packed ? "<{" : "{");
        print_types(to, t->args, t->argc, depth);
        text_addz(to, t->packed ? "}>" : "}");
        break;
    case LL_FUNCTION:
        print_type(to, t->args[t->argc], depth + 1);
        text_addz(to, " (");
        print_types(to, t->args, t->argc, depth);
        text_addz(to, !t->variadic ? ")" : t->argc ? ", ...)" : "...)");
        break;
    default: text_addz(to, words[t->kind]); break;
    }
}

static void print_types(struct text *to, struct ll_type *const *args, uint32_t n, int depth)
{
    for (uint32_t i = 0; i < n && to->length <= 200; i++) {
        text_addz(to, i ? ", " : "");
        print_type(to, args[i], depth + 1);
    }
}

const char *ll_type_text(struct arena *a, const struct ll_type *t)
{
    struct text to = {.arena = a};
    print_type(&to, t, 0);
    return to.at;
}

const struct ll_item *ll_item(const struct ll_module *m, uint32_t node, const char *key)
{
    if (node >= m->nodes.count)
        return NULL;
    const struct ll_node *n = &m->nodes.at[node];
    for (uint32_t i = 0; i < n->count; i++)
        if (n->items[i].key && strcmp(n->items[i].key, key) == 0)
            return &n->items[i];
    return NULL;
}

uint64_t ll_number(const struct ll_module *m, uint32_t node, const char *key)
{
    const struct ll_item *i = ll_item(m, node, key);
    return i && i->kind == LL_ITEM_NUMBER && i->number > 0 ? (uint64_t)i->number : 0;
}
