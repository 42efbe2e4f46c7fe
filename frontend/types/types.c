/* types.c: makes types once each, lays out structures, arrays and vectors, prints types as source text, and
 * lists the scalars that a value consists of.
 *
 * Layout is C's natural one: a field's offset is the next multiple of its alignment, a structure's alignment
 * the largest of its fields', its size rounded up to that. Sizes saturate instead of wrapping.
 *
 * A vector type is a structure with the members x, y, z and w that the compiler declares itself, so that
 * whatever takes a structure takes a vector. Its alignment is CUDA's: a vector of 2 or 4 elements is aligned
 * to its size (at most 16), one of 3 like its element; there is no room for a fourth.
 */
#include "frontend/types/types.h"
#include "launch/layout.h"

/* What each scalar kind is: bytes, signedness, registers, memory, element of a launch's buffer. */
static const struct {
    uint8_t bytes, ir, mem, element;
    bool is_signed;
} scalar_facts[] = {
    [FE_TYPE_VOID] = {0, IR_TYPE_VOID, IR_MEM_NONE, LAUNCH_BYTES, false},
    [FE_TYPE_BOOL] = {1, IR_TYPE_I1, IR_MEM_B8, LAUNCH_BOOL, false},
    [FE_TYPE_CHAR] = {1, IR_TYPE_I32, IR_MEM_S8, LAUNCH_CHAR, true},
    [FE_TYPE_UCHAR] = {1, IR_TYPE_I32, IR_MEM_U8, LAUNCH_UCHAR, false},
    [FE_TYPE_SHORT] = {2, IR_TYPE_I32, IR_MEM_S16, LAUNCH_SHORT, true},
    [FE_TYPE_USHORT] = {2, IR_TYPE_I32, IR_MEM_U16, LAUNCH_USHORT, false},
    [FE_TYPE_INT] = {4, IR_TYPE_I32, IR_MEM_I32, LAUNCH_INT, true},
    [FE_TYPE_UINT] = {4, IR_TYPE_I32, IR_MEM_I32, LAUNCH_UINT, false},
    [FE_TYPE_LONG] = {8, IR_TYPE_I64, IR_MEM_I64, LAUNCH_LONG, true},
    [FE_TYPE_ULONG] = {8, IR_TYPE_I64, IR_MEM_I64, LAUNCH_ULONG, false},
    [FE_TYPE_FLOAT] = {4, IR_TYPE_F32, IR_MEM_F32, LAUNCH_FLOAT, true},
    [FE_TYPE_DOUBLE] = {8, IR_TYPE_F64, IR_MEM_F64, LAUNCH_DOUBLE, true},
    [FE_TYPE_TOKEN] = {0, IR_TYPE_TOKEN, IR_MEM_NONE, LAUNCH_BYTES, false},
};
#define POINTER_BYTES 4

/* ---- making ------------------------------------------------------------------------------------------ */

static struct fe_type *type_new(struct fe_types *ts, enum fe_type_kind kind)
{
    struct fe_type *t = arena_new(ts->arena, struct fe_type);
    t->kind = (uint8_t)kind;
    t->plain = t;
    return t;
}

void fe_types_init(struct fe_types *ts, struct arena *a)
{
    memset(ts, 0, sizeof *ts);
    ts->arena = a;
    for (int k = FE_TYPE_VOID; k <= FE_TYPE_TOKEN; k++) {
        struct fe_type *t = ts->basic[k] = type_new(ts, k);
        t->size = t->align = scalar_facts[k].bytes;
        t->is_complete = t->size != 0;
        t->scalars = t->is_complete;
    }
    ts->error = type_new(ts, FE_TYPE_ERROR);
    ts->error->is_complete = true;
    ts->error->align = 1;
}

/* The depth of a type that contains `a` and something of depth_b. */
static uint16_t deeper(const struct fe_type *a, unsigned depth_b)
{
    unsigned d = (a->depth > depth_b ? a->depth : depth_b) + 1;
    return d > UINT16_MAX ? UINT16_MAX : (uint16_t)d;
}

struct fe_type *fe_pointer_to(struct fe_types *ts, struct fe_type *to, enum fe_space space)
{
    if (fe_is_error(to))
        return to;
    if (space == FE_SPACE_NONE)
        space = FE_SPACE_PRIVATE;
    if (to->pointers[space])
        return to->pointers[space];
    struct fe_type *t = type_new(ts, FE_TYPE_POINTER);
    t->of = to;
    t->space = (uint8_t)space;
    t->size = t->align = POINTER_BYTES;
    t->is_complete = true;
    t->scalars = 1;
    t->depth = deeper(to, 0);
    return to->pointers[space] = t;
}

static bool same_composite(const struct fe_type *a, const struct fe_type *b)
{
    if (a->kind != b->kind || a->of != b->of || a->count != b->count || a->param_count != b->param_count)
        return false;
    for (uint32_t i = 0; i < a->param_count; i++)
        if (a->params[i] != b->params[i])
            return false;
    return true;
}

/* The type equal to the candidate, which is entered if there is none. *is_new tells which. */
static struct fe_type *cons(struct fe_types *ts, struct fe_type *candidate, bool *is_new)
{
    uint64_t h = hash_mix(hash_mix(candidate->kind, (uintptr_t)candidate->of), candidate->count);
    for (uint32_t i = 0; i < candidate->param_count; i++)
        h = hash_mix(h, (uintptr_t)candidate->params[i]);
    uint32_t first = map_get(&ts->composite, h);
    for (struct fe_type *t = first == MAP_NONE ? NULL : ts->all.at[first]; t; t = t->next_same_hash)
        if (same_composite(t, candidate)) {
            *is_new = false;
            return t;
        }
    candidate->next_same_hash = first == MAP_NONE ? NULL : ts->all.at[first];
    vec_push(ts->arena, &ts->all, candidate);
    map_set(ts->arena, &ts->composite, h, ts->all.count - 1);
    *is_new = true;
    return candidate;
}

static uint64_t saturating_mul(uint64_t a, uint64_t b)
{
    uint64_t r;
    return __builtin_mul_overflow(a, b, &r) ? FE_UNSIZED : r;
}

static uint64_t saturating_add(uint64_t a, uint64_t b)
{
    return a > FE_UNSIZED - b ? FE_UNSIZED : a + b;
}

static uint32_t clamp_u32(uint64_t x)
{
    return x > UINT32_MAX ? UINT32_MAX : (uint32_t)x;
}

struct fe_type *fe_array_of(struct fe_types *ts, struct fe_type *element, uint64_t count)
{
    if (fe_is_error(element))
        return element;
    struct fe_type *candidate = type_new(ts, FE_TYPE_ARRAY);
    candidate->of = element;
    candidate->count = count;
    bool is_new;
    struct fe_type *t = cons(ts, candidate, &is_new);
    if (!is_new)
        return t;
    t->align = element->align;
    t->depth = deeper(element, 0);
    t->is_const = element->is_const;
    t->has_const = element->has_const;
    t->is_complete = element->is_complete && count != FE_UNSIZED;
    t->size = t->is_complete ? saturating_mul(element->size, count) : 0;
    t->scalars = t->is_complete ? clamp_u32(saturating_mul(element->scalars, count)) : 0;
    if (element->is_const)
        t->plain = fe_array_of(ts, element->plain, count);
    return t;
}

struct fe_type *fe_function_of(struct fe_types *ts, struct fe_type *result, uint32_t n,
                               struct fe_type *const *params)
{
    struct fe_type *candidate = type_new(ts, FE_TYPE_FUNCTION);
    candidate->of = result->plain;
    candidate->param_count = n;
    candidate->params = arena_array(ts->arena, struct fe_type *, n ? n : 1);
    for (uint32_t i = 0; i < n; i++)
        candidate->params[i] = params[i]->plain;
    bool is_new;
    struct fe_type *t = cons(ts, candidate, &is_new);
    if (is_new) {
        t->depth = deeper(result, 0);
        for (uint32_t i = 0; i < n; i++)
            t->depth = deeper(params[i], t->depth ? t->depth - 1u : 0);
        t->signature = ts->functions.count;
        vec_push(ts->arena, &ts->functions, t);
    }
    return t;
}

struct fe_type *fe_struct_new(struct fe_types *ts, const char *tag, bool is_union)
{
    struct fe_type *t = type_new(ts, FE_TYPE_STRUCT);
    t->tag = tag;
    t->align = 1;
    t->words = is_union ? ts->basic[FE_TYPE_UCHAR] : NULL;
    return t;
}

static void copy_layout(struct fe_type *to, const struct fe_type *from)
{
    to->decl = from->decl;
    to->words = from->words;
    to->size = from->size;
    to->align = from->align;
    to->scalars = from->scalars;
    to->is_complete = from->is_complete;
    to->depth = from->depth;
}

/* What a union of this alignment is copied by. */
static struct fe_type *words_of(struct fe_types *ts, uint32_t align)
{
    return ts->basic[align >= 4 ? FE_TYPE_UINT : align == 2 ? FE_TYPE_USHORT : FE_TYPE_UCHAR];
}

/* Members of a structure lie behind each other, those of a union all at its beginning. */
void fe_struct_define(struct fe_types *ts, struct fe_type *t, struct fe_decl *decl)
{
    uint64_t end = 0, scalars = 0;
    t->decl = decl;
    for (struct fe_decl *f = decl->members.first; f; f = f->next) {
        uint64_t align = f->type->align ? f->type->align : 1;
        uint64_t offset = t->words ? 0 : saturating_add(end, align - 1) / align * align;
        f->offset = clamp_u32(offset);
        offset = saturating_add(offset, f->type->size);
        end = offset > end ? offset : end;
        scalars = saturating_add(scalars, f->type->scalars);
        t->has_const |= f->type->has_const;
        t->depth = deeper(f->type, t->depth ? t->depth - 1u : 0);
        if (align > t->align)
            t->align = (uint32_t)align;
    }
    t->size = saturating_add(end, t->align - 1) / t->align * t->align;
    if (t->words) {
        t->words = words_of(ts, t->align);
        scalars = t->size / t->words->size;
    }
    t->scalars = clamp_u32(scalars);
    t->is_complete = true;
    if (t->qualified)
        copy_layout(t->qualified, t);
}

struct fe_type *fe_const_of(struct fe_types *ts, struct fe_type *t)
{
    if (t->is_const || fe_is_error(t) || t->kind == FE_TYPE_FUNCTION)
        return t;
    if (t->kind == FE_TYPE_ARRAY)
        return fe_array_of(ts, fe_const_of(ts, t->of), t->count);
    if (t->qualified)
        return t->qualified;
    struct fe_type *c = arena_new(ts->arena, struct fe_type);
    *c = *t;
    c->is_const = c->has_const = true;
    memset(c->pointers, 0, sizeof c->pointers);
    return t->qualified = c;
}

/* ---- questions --------------------------------------------------------------------------------------- */

bool fe_is_signed(const struct fe_type *t)
{
    return t->kind <= FE_TYPE_TOKEN && scalar_facts[t->kind].is_signed;
}

enum ir_type fe_ir_space(enum fe_space s)
{
    static const uint8_t types[FE_SPACES] = {
        [FE_SPACE_NONE] = IR_TYPE_PRIVATE,    [FE_SPACE_GLOBAL] = IR_TYPE_GLOBAL,
        [FE_SPACE_SHARED] = IR_TYPE_SHARED,   [FE_SPACE_CONSTANT] = IR_TYPE_CONSTANT,
        [FE_SPACE_PRIVATE] = IR_TYPE_PRIVATE,
    };
    return types[s];
}

enum ir_type fe_ir_type(const struct fe_type *t)
{
    if (t->kind == FE_TYPE_POINTER)
        return t->of->kind == FE_TYPE_FUNCTION ? IR_TYPE_FUNCTION : fe_ir_space(t->space);
    INVARIANT(t->kind <= FE_TYPE_TOKEN);
    return scalar_facts[t->kind].ir;
}

enum ir_mem fe_ir_mem(const struct fe_type *t)
{
    if (t->kind == FE_TYPE_POINTER)
        return IR_MEM_PTR;
    INVARIANT(t->kind <= FE_TYPE_DOUBLE);
    return scalar_facts[t->kind].mem;
}

enum launch_element fe_launch_element(const struct fe_type *t)
{
    t = fe_is_vector(t) ? t->of : t;
    return t->kind <= FE_TYPE_TOKEN ? (enum launch_element)scalar_facts[t->kind].element : LAUNCH_BYTES;
}

/* ---- printing ---------------------------------------------------------------------------------------- */

static bool needs_brackets(const struct fe_type *pointer)
{
    return pointer->of->kind == FE_TYPE_ARRAY || pointer->of->kind == FE_TYPE_FUNCTION;
}

static void print_space(enum fe_space s, struct text *out)
{
    if (s != FE_SPACE_NONE && s != FE_SPACE_PRIVATE)
        text_printf(out, "%s ", fe_space_text[s]);
}

/* What stands before the declared name: `space` is where the thing of type t lives. */
static void print_before(const struct fe_type *t, enum fe_space space, struct text *out)
{
    switch (t->kind) {
    case FE_TYPE_POINTER:
        print_before(t->of, t->space, out);
        text_addz(out, out->length && out->at[out->length - 1] == '*' ? "" : " ");
        text_addz(out, needs_brackets(t) ? "(*" : "*");
        if (space != FE_SPACE_NONE && space != FE_SPACE_PRIVATE)
            text_printf(out, " %s", fe_space_text[space]);
        text_addz(out, t->is_const ? " const" : "");
        break;
    case FE_TYPE_ARRAY: print_before(t->of, space, out); break;
    case FE_TYPE_FUNCTION: print_before(t->of, FE_SPACE_NONE, out); break;
    case FE_TYPE_STRUCT:
        print_space(space, out);
        text_printf(out, "%s%s%s", t->is_const ? "const " : "",
                    fe_is_vector(t) ? ""
                    : t->words      ? "union "
                                    : "struct ",
                    t->tag ? t->tag : "(unnamed)");
        break;
    case FE_TYPE_ERROR: text_addz(out, "(unknown)"); break;
    default:
        print_space(space, out);
        text_printf(out, "%s%s", t->is_const ? "const " : "", fe_word_text[t->kind]);
    }
}

static void print_after(const struct fe_type *t, struct text *out)
{
    if (t->kind == FE_TYPE_POINTER) {
        text_addz(out, needs_brackets(t) ? ")" : "");
        print_after(t->of, out);
    } else if (t->kind == FE_TYPE_ARRAY) {
        if (t->count == FE_UNSIZED)
            text_addz(out, "[]");
        else
            text_printf(out, "[%llu]", (unsigned long long)t->count);
        print_after(t->of, out);
    } else if (t->kind == FE_TYPE_FUNCTION) {
        text_addz(out, "(");
        for (uint32_t i = 0; i < t->param_count; i++) {
            text_addz(out, i ? ", " : "");
            fe_type_print(t->params[i], out);
        }
        text_addz(out, t->param_count ? ")" : "void)");
        print_after(t->of, out);
    }
}

void fe_type_print(const struct fe_type *t, struct text *out)
{
    print_before(t, FE_SPACE_NONE, out);
    if (t->kind == FE_TYPE_ARRAY || t->kind == FE_TYPE_FUNCTION)
        text_char(out, ' ');
    print_after(t, out);
}

/* ---- parts without a value --------------------------------------------------------------------------- */

static const struct fe_type *element_of(const struct fe_type *t)
{
    while (t->kind == FE_TYPE_ARRAY)
        t = t->of;
    return t;
}

static const struct fe_decl *first_member(const struct fe_type *t)
{
    return t->kind == FE_TYPE_STRUCT && !fe_is_vector(t) && t->decl ? t->decl->members.first : NULL;
}

void fe_note_unset(const struct fe_type *t)
{
    t = element_of(t);
    if (t->kind != FE_TYPE_STRUCT || t->plain->begins_unset)
        return;
    t->plain->begins_unset = true;
    for (const struct fe_decl *m = first_member(t); m; m = m->next)
        fe_note_unset(m->type);
}

bool fe_may_be_unset(const struct fe_type *t)
{
    t = element_of(t);
    if (t->kind == FE_TYPE_STRUCT && !fe_is_vector(t) && t->plain->begins_unset)
        return true;
    for (const struct fe_decl *m = first_member(t); m; m = m->next)
        if (fe_may_be_unset(m->type))
            return true;
    return false;
}

/* ---- vectors ------------------------------------------------------------------------------------------- */

#define ALIGN_MAX 16

/* Names of elements, of the languages that have vectors: geometry's, OpenCL's numbers are behind an s. */
static const char *const element_names[] = {"xyzw", "rgba"};

struct fe_type *fe_vector_of(struct fe_types *ts, const struct fe_type *element, uint32_t count)
{
    element = element->plain;
    if (!fe_is_arithmetic(element) || element->kind == FE_TYPE_BOOL || count < 2 || count > FE_VECTOR_MAX)
        return NULL;
    if (ts->vectors[element->kind][count])
        return ts->vectors[element->kind][count];
    struct fe_decl *d = arena_new(ts->arena, struct fe_decl), **field = &d->members.first;
    struct fe_type *t =
        fe_struct_new(ts, arena_printf(ts->arena, "%s%u", fe_word_text[element->kind], count), false);
    d->kind = FE_DECL_STRUCT;
    d->members.count = count;
    d->name = t->tag;
    d->type = t;
    for (uint32_t i = 0; i < count; i++, field = &(*field)->next) {
        *field = arena_new(ts->arena, struct fe_decl);
        (*field)->kind = FE_DECL_FIELD;
        (*field)->name = arena_printf(ts->arena, "%c", element_names[0][i]);
        (*field)->type = ts->basic[element->kind];
    }
    uint64_t whole = element->size * count;
    t->of = ts->basic[element->kind];
    t->count = count;
    t->align = count == 3 ? element->align : whole < ALIGN_MAX ? (uint32_t)whole : ALIGN_MAX;
    fe_struct_define(ts, t, d);
    return ts->vectors[element->kind][count] = t;
}

struct fe_type *fe_find_vector(struct fe_types *ts, const char *name)
{
    size_t n = strlen(name);
    for (int k = FE_TYPE_CHAR; n && k <= FE_TYPE_DOUBLE; k++)
        if (strlen(fe_word_text[k]) == n - 1 && memcmp(name, fe_word_text[k], n - 1) == 0)
            return fe_vector_of(ts, ts->basic[k], (uint32_t)(name[n - 1] - '0'));
    return NULL;
}

void fe_each_vector_name(void (*enter)(void *to, const char *name), void *to)
{
    for (int k = FE_TYPE_CHAR; k <= FE_TYPE_DOUBLE; k++)
        for (uint32_t count = 2; count <= FE_VECTOR_MAX; count++) {
            char name[16];
            snprintf(name, sizeof name, "%s%u", fe_word_text[k], count);
            enter(to, name);
        }
}

/* ---- members ----------------------------------------------------------------------------------------- */

/* OpenCL's halves; of three elements the upper half would have one that is not there. */
static uint32_t half(const char *member, uint32_t count, uint8_t elements[])
{
    bool lower = strcmp(member, "lo") == 0, even = strcmp(member, "even") == 0,
         odd = strcmp(member, "odd") == 0;
    if ((!lower && !even && !odd && strcmp(member, "hi") != 0) || count == 3)
        return 0;
    for (uint32_t i = 0; i < count / 2; i++)
        elements[i] = (uint8_t)(lower ? i : even ? 2 * i : odd ? 2 * i + 1 : count / 2 + i);
    return count / 2;
}

/* The elements that the letters name, all of them in one set. */
static uint32_t letters(const char *member, const char *set, uint32_t count, uint8_t elements[])
{
    uint32_t n = 0;
    for (; member[n]; n++) {
        const char *at = strchr(set, member[n]);
        if (!at || at - set >= (ptrdiff_t)count || n == FE_VECTOR_MAX)
            return 0;
        elements[n] = (uint8_t)(at - set);
    }
    return n;
}

uint32_t fe_selected(const char *member, uint32_t count, uint8_t elements[FE_VECTOR_MAX])
{
    uint32_t n = half(member, count, elements);
    for (size_t i = 0; !n && i < COUNT(element_names); i++)
        n = letters(member, element_names[i], count, elements);
    return n || (*member != 's' && *member != 'S') ? n : letters(member + 1, "0123", count, elements);
}

/* ---- leaves ------------------------------------------------------------------------------------------ */

/* The scalars that a value consists of, by name: of `struct { float x; int n[2]; } p` they are p.x, p.n.0 and
 * p.n.1. A structure that a kernel takes is passed so: a parameter for each. Of those in buffers the layout's
 * text goes along, for who shows them. */

static void add_leaves(struct arena *a, const char *name, const struct fe_type *t, uint64_t offset,
                       fe_leaves *out)
{
    if (t->kind == FE_TYPE_ARRAY) {
        for (uint64_t i = 0; i < t->count; i++)
            add_leaves(a, arena_printf(a, "%s.%llu", name, (unsigned long long)i), t->of,
                       offset + i * t->of->size, out);
    } else if (fe_is_union(t)) {
        for (uint64_t i = 0; i < t->size / t->words->size; i++)
            add_leaves(a, arena_printf(a, "%s.%llu", name, (unsigned long long)i), t->words,
                       offset + i * t->words->size, out);
    } else if (t->kind == FE_TYPE_STRUCT) {
        for (const struct fe_decl *f = t->decl->members.first; f; f = f->next)
            add_leaves(a, f->name ? arena_printf(a, "%s.%s", name, f->name) : name, f->type,
                       offset + f->offset, out);
    } else {
        vec_push(a, out, ((struct fe_leaf){name, t, (uint32_t)offset}));
    }
}

fe_leaves fe_leaves_of(struct arena *a, const char *name, const struct fe_type *t)
{
    fe_leaves out = {0};
    add_leaves(a, name ? name : "", t, 0, &out);
    return out;
}

/* ---- layouts ----------------------------------------------------------------------------------------- */

static void print_layout(const struct fe_type *t, struct text *out);

/* Of members without a name those in them, in their place. */
static void print_members(const struct fe_type *t, uint32_t offset, bool *first, struct text *out)
{
    for (const struct fe_decl *f = t->decl->members.first; f; f = f->next) {
        const struct fe_type *of = f->type;
        if (!of->size || out->length > LAYOUT_MAX_TEXT)
            continue;
        if (!f->name) {
            print_members(of, offset + f->offset, first, out);
            continue;
        }
        text_printf(out, "%s%s:", *first ? "" : ",", f->name);
        *first = false;
        while (of->kind == FE_TYPE_ARRAY)
            of = of->of;
        print_layout(of, out);
        for (of = f->type; of->kind == FE_TYPE_ARRAY; of = of->of)
            text_printf(out, "[%llu]", (unsigned long long)of->count);
        text_printf(out, "@%u", offset + f->offset);
    }
}

static void print_layout(const struct fe_type *t, struct text *out)
{
    bool first = true;
    if (t->kind != FE_TYPE_STRUCT || fe_is_vector(t)) {
        text_addz(out, fe_is_vector(t) ? t->tag : fe_is_pointer(t) ? "pointer" : fe_word_text[t->kind]);
        return;
    }
    text_char(out, '{');
    print_members(t, 0, &first, out);
    text_printf(out, "}%llu", (unsigned long long)t->size);
}

const char *fe_layout_text(struct arena *a, const struct fe_type *t)
{
    struct text out = {.arena = a};
    if (t->kind != FE_TYPE_STRUCT || fe_is_vector(t) || !t->size || t->size > UINT32_MAX)
        return NULL;
    print_layout(t, &out);
    return layout_is_good(out.at, (uint32_t)t->size) ? out.at : NULL;
}
