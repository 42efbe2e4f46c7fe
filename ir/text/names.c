/* names.c: the names that the text form gives to values and blocks.
 *
 * A value is called by its hint, made unique by a number, or else by its position among the unnamed ones;
 * a block likewise, unnamed ones b0, b1, … by position. The parser takes names as hints and numbered forms as
 * none, so that printing what was parsed gives the same names: hints that are all different stay as they
 * are, and positions are those of the text.
 */
#include "ir/text/syntax.h"

#include "ir/limits.h"

static bool all_digits(const char *s)
{
    return *s && s[strspn(s, "0123456789")] == '\0';
}

bool ir_is_numbered_value(const char *name)
{
    return all_digits(name);
}

bool ir_is_numbered_block(const char *name)
{
    return name[0] == 'b' && all_digits(name + 1);
}

/* ---- unique names ---------------------------------------------------------------------------------- */

/* Interned strings are found again by their address. The value counts the numbers tried for that name. */
static bool take(struct ir_unique *u, const char *interned)
{
    uint64_t key = (uintptr_t)interned;
    if (map_get(&u->taken, key) != MAP_NONE)
        return false;
    map_set(u->arena, &u->taken, key, 0);
    return true;
}

/* The length of a name without a number at its end (x.1: that of x). */
static size_t stem_length(const char *name)
{
    size_t n = strlen(name), digits = n;
    while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
        digits--;
    return digits < n && digits > 1 && name[digits - 1] == '.' ? digits - 1 : n;
}

const char *ir_unique_name(struct ir_unique *u, const char *name)
{
    u->strings.arena = u->arena;
    const char *first = intern_z(&u->strings, name);
    if (take(u, first))
        return first;
    const char *stem = intern(&u->strings, name, stem_length(name)), *fresh;
    uint32_t tried = map_get(&u->taken, (uintptr_t)stem);
    if (tried == MAP_NONE)
        tried = 0;
    do {
        char numbered[IR_MAX_NAME + 16];
        int n = snprintf(numbered, sizeof numbered, "%.*s.%u", (int)IR_MAX_NAME, stem, ++tried);
        fresh = intern(&u->strings, numbered, (size_t)n);
    } while (!take(u, fresh));
    map_set(u->arena, &u->taken, (uintptr_t)stem, tried);
    return fresh;
}

/* ---- the names of a function ----------------------------------------------------------------------- */

#define HINT_MAX 200 /* what is longer is cut: the number has to fit as well */

/* A hint as a plain name: other characters become '_'. NULL if nothing is left of it. */
static const char *plain_hint(const char *hint, char buffer[HINT_MAX + 2])
{
    size_t n = 0;
    if (!hint || !*hint)
        return NULL;
    if ((*hint >= '0' && *hint <= '9') || *hint == '.')
        buffer[n++] = '_';
    for (; *hint && n < HINT_MAX; hint++)
        buffer[n++] = ir_is_name_char(*hint) ? *hint : '_';
    buffer[n] = '\0';
    return buffer;
}

static const char *name_value(struct ir_unique *u, const char *hint, uint32_t *unnamed)
{
    char buffer[HINT_MAX + 2];
    const char *plain = plain_hint(hint, buffer);
    return plain ? ir_unique_name(u, plain) : arena_printf(u->arena, "%u", (*unnamed)++);
}

static void name_values(struct ir_unique *u, const struct ir_function *f, struct ir_names *names)
{
    uint32_t unnamed = 0;
    ir_each_block(i, b, f) {
        const u32_vec *params = &ir_block_at(f, b)->params;
        for (uint32_t p = 0; p < params->count; p++)
            names->values[params->at[p]] = name_value(u, ir_at(f, params->at[p])->name, &unnamed);
        ir_each_ins(r, f, b)
            if (ir_at(f, r)->type != IR_TYPE_VOID)
                names->values[r] = name_value(u, ir_at(f, r)->name, &unnamed);
    }
}

static void name_blocks(struct ir_unique *u, const struct ir_function *f, struct ir_names *names)
{
    char buffer[HINT_MAX + 2];
    ir_each_block(i, b, f) {
        const char *plain = plain_hint(ir_block_at(f, b)->name, buffer);
        names->blocks[b] = plain && !ir_is_numbered_block(plain) ? ir_unique_name(u, plain)
                                                                 : arena_printf(u->arena, "b%u", i);
    }
}

struct ir_names ir_names_new(struct arena *a, const struct ir_function *f)
{
    struct ir_names names = {arena_array(a, const char *, f->ins.count),
                             arena_array(a, const char *, f->blocks.count)};
    struct ir_unique values = {.arena = a}, blocks = {.arena = a};
    name_values(&values, f, &names);
    name_blocks(&blocks, f, &names);
    return names;
}

const char *ir_block_name(const struct ir_function *f, uint32_t b, char buffer[64])
{
    struct scratch scratch;
    struct ir_names names = ir_names_new(scratch_begin(&scratch), f);
    const char *name = b < f->blocks.count ? names.blocks[b] : NULL;
    snprintf(buffer, 64, "%s", name ? name : "?");
    scratch_end(&scratch);
    return buffer;
}
