/* vectors.c: vector types, their names and those of their elements.
 *
 * A vector type is a structure with the members x, y, z and w that the compiler declares itself, so that
 * whatever takes a structure takes a vector. Its alignment is CUDA's: a vector of 2 or 4 elements is aligned
 * to its size (at most 16), one of 3 like its element; there is no room for a fourth.
 */
#include "frontend/types.h"

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
