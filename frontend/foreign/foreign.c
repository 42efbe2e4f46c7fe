/* foreign.c: the Kern of names of other languages. */
#include "frontend/context.h"
#include "frontend/types/builtins.h"

#define WRITE(kern, more) "write " kern more

static const struct fe_foreign_name names[] = {
#define FOREIGN_NAME(text, advice)             {text, advice, NULL, NULL, false},
#define FOREIGN_TYPE(text, as, advice)         {text, advice, as, NULL, true},
#define FUNCTION(text, parameters, kern, more) {text, WRITE(kern, more), kern, parameters, false},
#define VALUE(text, kern, more)                {text, WRITE(kern, more), kern, NULL, false},
#define NAME_SPELLING(text, kern)              {text, NULL, kern, NULL, false},
#include "frontend/foreign/foreign.def"
};

static const struct fe_foreign_name families[] = {
#define FAMILY(text, advice, one)                          {text, advice, NULL, NULL, false},
#define FAMILY_FUNCTION(text, parameters, kern, more, one) {text, WRITE(kern, more), kern, parameters, false},
#define FAMILY_SPELLING(text, kern, one)                   {text, NULL, kern, NULL, false},
#include "frontend/foreign/foreign.def"
};

static const struct fe_foreign_name attributes[] = {
#define ATTRIBUTE(text, advice) {text, advice, NULL, NULL, false},
#include "frontend/foreign/foreign.def"
};

static const struct fe_foreign_name *find(const char *name, bool is_type)
{
    for (size_t i = 0; i < COUNT(names); i++)
        if (names[i].is_type == is_type && strcmp(names[i].text, name) == 0)
            return &names[i];
    return NULL;
}

/* ---- families ---------------------------------------------------------------------------------------- */

static bool is_wild(char c)
{
    return c == '*' || c == '#';
}

/* The shortest of what a * may stand for is tried first. */
static bool fits(const char *pattern, const char *name)
{
    if (*pattern == '*')
        return fits(pattern + 1, name) || (*name && fits(pattern, name + 1));
    if (*pattern == '#')
        return *name >= '2' && *name <= '4' && fits(pattern + 1, name + 1);
    return *pattern == *name && (!*pattern || fits(pattern + 1, name + 1));
}

/* What the first wildcards of a pattern that fits stand for. */
static const char *part(struct arena *a, const char *pattern, const char *name)
{
    size_t fixed = strcspn(pattern, "*#"), n = 0;
    const char *behind = pattern + fixed, *at = name + fixed;
    while (is_wild(*behind))
        behind++;
    while (!fits(behind, at + n))
        n++;
    return arena_strdup(a, at, n);
}

static const char *replace(struct arena *a, const char *text, const char *with)
{
    struct text t = {.arena = a};
    for (; *text; text++)
        if (*text == '$')
            text_addz(&t, with);
        else
            text_char(&t, *text);
    return t.at;
}

static bool is_builtin(const char *name)
{
    for (uint32_t i = 0; i < fe_builtin_count; i++)
        if (strcmp(fe_builtins[i].name, name) == 0)
            return true;
    return false;
}

const struct fe_foreign_name *fe_find_foreign(struct arena *a, const char *name)
{
    const struct fe_foreign_name *row = find(name, false);
    for (size_t i = 0; !row && i < COUNT(families); i++) {
        const struct fe_foreign_name *f = &families[i];
        if (!fits(f->text, name))
            continue;
        const char *with = part(a, f->text, name);
        struct fe_foreign_name *made = arena_new(a, struct fe_foreign_name);
        *made = *f;
        made->text = name;
        made->advice = f->advice ? replace(a, f->advice, with) : NULL;
        made->kern = f->kern ? replace(a, f->kern, with) : NULL;
        row = made->advice || is_builtin(made->kern) ? made : find(made->kern, false);
    }
    return row;
}

bool fe_is_of_host(const struct fe_foreign_name *row)
{
    return row->advice && strcmp(row->advice, FOREIGN_HOST) == 0;
}

const struct fe_foreign_name *fe_find_foreign_type(const char *name)
{
    return find(name, true);
}

/* ---- attributes -------------------------------------------------------------------------------------- */

const struct fe_foreign_name *fe_find_attribute(const char *text, size_t n)
{
    for (size_t i = 0; i < COUNT(attributes); i++)
        if (strlen(attributes[i].text) == n && memcmp(attributes[i].text, text, n) == 0)
            return &attributes[i];
    return NULL;
}
