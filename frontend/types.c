/* types.c: makes types once each, lays out structures and arrays, prints types as source text.
 *
 * Layout is C's natural one: a field's offset is the next multiple of its alignment, a structure's alignment
 * the largest of its fields', its size rounded up to that. Sizes saturate instead of wrapping.
 */
#include "frontend/types.h"

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
