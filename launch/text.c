/* text.c: the text form of a launch argument's value, as --arg NAME=SPEC takes it.
 *
 *   SPEC   = number | true | false | "zeros" "(" count ")" | "iota" "(" count ")"
 *          | "ramp" "(" number "," number "," count ")"
 *          | "random" "(" count "," seed "," number "," number ")"
 *          | "normal" "(" count "," seed "," number "," number ")"
 *          | "null" | expression | "@" path | "file" "(" '"' path '"' ")" | "{" number { "," number } "}"
 *   number = ["-" | "+"] (number, see base/number_read.h | "inf" | "nan")
 *
 * Of an integer in a launch's text a leading 0 means nothing: it is decimal, as in files of data.
 *
 * An expression is one over the round, as expression.c has it; without the round it is its value.
 * Blanks may stand between the parts. What follows "@" is the path, up to the end.
 */
#include "base/number_read.h"
#include "launch/launch.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>

struct parser {
    const char *at;
    struct arena *arena;
    unsigned forms; /* enum number_form */
    bool is_octal;  /* the latest number */
};

static void skip_blanks(struct parser *p)
{
    while (*p->at == ' ' || *p->at == '\t')
        p->at++;
}

static bool accept(struct parser *p, char c)
{
    skip_blanks(p);
    if (*p->at != c)
        return false;
    p->at++;
    return true;
}

static bool accept_word(struct parser *p, const char *word)
{
    size_t n = strlen(word);
    skip_blanks(p);
    if (strncmp(p->at, word, n) != 0 || isalnum((unsigned char)p->at[n]) || p->at[n] == '_')
        return false;
    p->at += n;
    return true;
}

/* ---- numbers ------------------------------------------------------------------------------------- */

static const char no_number[] = "a number is wanted here";

/* What is wrong with a number lives in the arena, or where there is none in the thread's own buffer until the
 * next. */
static const char *keep_problem(struct parser *p, const char *problem)
{
    static _Thread_local char last[sizeof((struct number *)0)->problem];
    if (p->arena)
        return arena_printf(p->arena, "%s", problem);
    memcpy(last, problem, sizeof last);
    return last;
}

static const char *parse_unsigned(struct parser *p, bool negative, struct launch_number *n)
{
    struct number read;
    size_t length = number_length(p->at, strlen(p->at));
    if (!isdigit((unsigned char)p->at[*p->at == '.']))
        return no_number;
    bool good = number_read(p->at, length, p->forms, &read);
    if (good && negative && !read.is_float && read.integer > (uint64_t)INT64_MAX + 1) {
        good = false;
        snprintf(read.problem, sizeof read.problem,
                 "this number does not fit in 64 bits; the least is -9223372036854775808");
    }
    if (!good)
        return keep_problem(p, read.problem);
    p->at += length;
    p->is_octal = read.base == 8;
    *n = (struct launch_number){.is_float = read.is_float, .f = negative ? -read.value : read.value};
    if (!read.is_float)
        n->i = (int64_t)(negative ? -read.integer : read.integer);
    return NULL;
}

static const char *parse_number(struct parser *p, struct launch_number *n)
{
    skip_blanks(p);
    bool yes = accept_word(p, "true");
    if (yes || accept_word(p, "false")) {
        *n = (struct launch_number){.i = yes, .f = yes};
        return NULL;
    }
    bool negative = *p->at == '-';
    if (*p->at == '-' || *p->at == '+')
        p->at++;
    bool infinite = accept_word(p, "inf") || accept_word(p, "infinity");
    if (!infinite && !accept_word(p, "nan"))
        return parse_unsigned(p, negative, n);
    double value = infinite ? INFINITY : NAN;
    *n = (struct launch_number){.is_float = true, .f = negative ? -value : value};
    return NULL;
}

const char *launch_parse_number(const char **at, struct launch_number *n)
{
    struct parser p = {.at = *at};
    const char *problem = parse_number(&p, n);
    *at = p.at;
    return problem;
}

const char *launch_parse_source_number(struct arena *a, const char *text, struct launch_number *n,
                                       bool *is_octal)
{
    struct parser p = {.at = text, .arena = a, .forms = NUMBER_OCTAL};
    const char *problem = parse_number(&p, n);
    *is_octal = p.is_octal;
    return !problem && *p.at ? "something follows the number" : problem;
}

static const char *parse_count(struct parser *p, uint64_t *count)
{
    struct launch_number n = {0};
    const char *problem = parse_number(p, &n);
    if (!problem && (n.is_float || (n.i < 0 && n.f < 0)))
        problem = "a count or seed is an integer, 0 or more";
    *count = (uint64_t)n.i;
    return problem;
}

/* ---- values -------------------------------------------------------------------------------------- */

const struct launch_form launch_forms[LAUNCH_FORMS] = {
    {"zeros", "c", "this is written zeros(count)", LAUNCH_ZEROS},
    {"iota", "c", "this is written iota(count)", LAUNCH_IOTA},
    {"ramp", "01c", "this is written ramp(first, last, count)", LAUNCH_RAMP},
    {"random", "cs01", "this is written random(count, seed, lo, hi)", LAUNCH_RANDOM},
    {"normal", "cs01", "this is written normal(count, seed, mean, deviation)", LAUNCH_NORMAL},
};

static const char *parse_argument(struct parser *p, char what, struct launch_value *v)
{
    switch (what) {
    case 'c': return parse_count(p, &v->count);
    case 's': return parse_count(p, &v->seed);
    default: return parse_number(p, &v->n[what - '0']);
    }
}

static const char *parse_form(struct parser *p, const struct launch_form *f, struct launch_value *v)
{
    v->kind = f->kind;
    for (const char *a = f->arguments; *a; a++) {
        if (!accept(p, a == f->arguments ? '(' : ','))
            return f->usage;
        const char *problem = parse_argument(p, *a, v);
        if (problem)
            return problem;
    }
    if (!accept(p, ')'))
        return f->usage;
    return v->count ? NULL : "a buffer needs at least one element";
}

/* Behind its '{'. With braces or names in it, it is kept as it is: what it is for says what they mean. */
static const char *parse_list(struct parser *p, struct launch_value *v)
{
    size_t inner = strcspn(p->at, "{}.[");
    while (p->at[inner] == '.' && !isalpha((unsigned char)p->at[inner + 1]) && p->at[inner + 1] != '_')
        inner += 1 + strcspn(p->at + inner + 1, "{}.[");
    if (p->at[inner] && p->at[inner] != '}') {
        *v = (struct launch_value){.kind = LAUNCH_STRUCTS, .text = arena_printf(p->arena, "{%s", p->at)};
        p->at += strlen(p->at);
        return NULL;
    }
    v->kind = LAUNCH_LIST;
    do {
        struct launch_number n;
        const char *problem = parse_number(p, &n);
        if (problem)
            return problem;
        vec_push(p->arena, &v->list, n);
    } while (accept(p, ','));
    v->count = v->list.count;
    return accept(p, '}') ? NULL : "a list is written {1, 2, 3}";
}

static const char *parse_path(struct parser *p, size_t length, struct launch_value *v)
{
    v->kind = LAUNCH_FILE;
    v->text = arena_strdup(p->arena, p->at, length);
    p->at += length;
    return length ? NULL : "the name of a file is missing";
}

static const char *parse_file_call(struct parser *p, struct launch_value *v)
{
    static const char usage[] = "a file is written @name or file(\"name\")";
    if (!accept(p, '(') || !accept(p, '"'))
        return usage;
    const char *problem = parse_path(p, strcspn(p->at, "\""), v);
    if (problem)
        return problem;
    return accept(p, '"') && accept(p, ')') ? NULL : usage;
}

static const char *parse_value(struct parser *p, struct launch_value *v)
{
    if (accept(p, '@'))
        return parse_path(p, strlen(p->at), v);
    if (accept(p, '{'))
        return parse_list(p, v);
    if (accept_word(p, "file"))
        return parse_file_call(p, v);
    if (accept_word(p, "null")) {
        v->kind = LAUNCH_NULL;
        return NULL;
    }
    for (size_t i = 0; i < LAUNCH_FORMS; i++)
        if (accept_word(p, launch_forms[i].name))
            return parse_form(p, &launch_forms[i], v);
    bool uses_round;
    const char *problem = launch_evaluate(p->at, 0, &v->n[0], &uses_round);
    v->kind = uses_round ? LAUNCH_ROUND : LAUNCH_SCALAR;
    v->text = uses_round ? arena_strdup(p->arena, p->at, strlen(p->at)) : NULL;
    p->at += problem ? 0 : strlen(p->at);
    return problem == no_number ? "wanted: a number, zeros, iota, ramp, random, normal, @file or {list}"
                                : problem;
}

const char *launch_parse_value(struct arena *a, const char *text, struct launch_value *v)
{
    struct parser p = {.at = text, .arena = a};
    *v = (struct launch_value){0};
    const char *problem = parse_value(&p, v);
    if (problem)
        return problem;
    skip_blanks(&p);
    return *p.at ? "something follows the value" : NULL;
}
