/* text.c: the text form of a launch argument's value, read and written: --arg NAME=SPEC, and what directive.c
 * has for each argument.
 *
 *   SPEC   = number | true | false | "zeros" "(" count ")" | "iota" "(" count ")"
 *          | "ramp" "(" number "," number "," count ")"
 *          | "random" "(" count "," seed "," number "," number ")"
 *          | "normal" "(" count "," seed "," number "," number ")"
 *          | "null" | expression | "@" path | "file" "(" text ")" | "{" number { "," number } "}"
 *          | ( "file" | "buffer" | "round" | "list" ) text
 *   text   = '"' characters, \n \t \" \\ \xHH '"'
 *   number = ["-" | "+"] (number, see base/number_read.h | "inf" | "nan")
 *
 * Of an integer in a launch's text a leading 0 means nothing: it is decimal, as in files of data.
 *
 * An expression is one over the round, as expression.c has it; without the round it is its value.
 * Blanks may stand between the parts. What follows "@" is the path, up to the end.
 */
#include "base/number_read.h"
#include "launch/launch.h"
#include "launch/scan.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>

struct parser {
    const char *at;
    struct arena *arena;
    unsigned forms; /* enum number_form */
    bool is_octal;  /* the latest number */
};

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
    p->at += strspn(p->at, " \t"); /* of a file's line: no further */
    bool yes = scan_word(&p->at, "true");
    if (yes || scan_word(&p->at, "false")) {
        *n = (struct launch_number){.i = yes, .f = yes};
        return NULL;
    }
    bool negative = *p->at == '-';
    if (*p->at == '-' || *p->at == '+')
        p->at++;
    p->at += strspn(p->at, " \t");
    bool infinite = scan_word(&p->at, "inf") || scan_word(&p->at, "infinity");
    if (!infinite && !scan_word(&p->at, "nan"))
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

/* ---- texts ------------------------------------------------------------------------------------------- */

static int hex_digit(char c)
{
    return isdigit((unsigned char)c) ? c - '0' : isxdigit((unsigned char)c) ? (c | 32) - 'a' + 10 : -1;
}

/* The character of an escape, whose backslash is behind *at; -1: there is none. */
static int read_escape(const char **at)
{
    char c = *(*at)++;
    if (c == 'n' || c == 't')
        return c == 'n' ? '\n' : '\t';
    if (c == '"' || c == '\\')
        return c;
    int high = c == 'x' ? hex_digit((*at)[0]) : -1, low = high < 0 ? -1 : hex_digit((*at)[1]);
    *at += low < 0 ? 0 : 2;
    return low < 0 ? -1 : high * 16 + low;
}

const char *scan_quoted(struct arena *a, const char **at, const char **text)
{
    struct text bytes = {.arena = a};
    int c = 0;
    for (++*at; **at && **at != '\n' && **at != '"' && c >= 0;) {
        c = (unsigned char)*(*at)++;
        if (c == '\\' && (c = read_escape(at)) < 0)
            return "no such escape: there are \\n \\t \\\" \\\\ and \\x with two hexadecimal digits";
        if (c == 0)
            return "a text has no NUL bytes";
        text_char(&bytes, (char)c);
    }
    if (*(*at)++ != '"')
        return --*at, "the text is not closed on its line";
    *text = bytes.at ? bytes.at : "";
    return bytes.length > LAUNCH_MAX_TEXT ? "a text has more than 65536 bytes" : NULL;
}

_Static_assert(LAUNCH_MAX_TEXT == 65536, "as the message says");

/* Kinds that are known by a text stand behind a word. */
static const struct {
    enum launch_value_kind kind;
    const char *word;
} words[] = {
    {LAUNCH_FILE, "file"}, {LAUNCH_NAMED, "buffer"}, {LAUNCH_ROUND, "round"}, {LAUNCH_STRUCTS, "list"}};

const char *launch_from_text(enum launch_value_kind kind, const char *text, struct launch_value *v)
{
    *v = (struct launch_value){.kind = kind, .text = text};
    return kind == LAUNCH_ROUND ? launch_evaluate(text, 0, &v->n[0], NULL) : NULL;
}

/* A word and a text behind it, if they stand here. */
static bool accept_text(struct parser *p, struct launch_value *v, const char **problem)
{
    for (size_t i = 0; i < COUNT(words); i++) {
        const char *at = p->at, *text;
        if (!scan_word(&at, words[i].word) || (scan_blanks(&at), *at != '"'))
            continue;
        *problem = scan_quoted(p->arena, &at, &text);
        if (!*problem)
            *problem = launch_from_text(words[i].kind, text, v);
        p->at = at;
        return true;
    }
    return false;
}

/* ---- values ------------------------------------------------------------------------------------------ */

const struct launch_form launch_forms[LAUNCH_FORMS] = {
    {"zeros", "this is written zeros(count)", LAUNCH_ZEROS, {LAUNCH_COUNT}},
    {"iota", "this is written iota(count)", LAUNCH_IOTA, {LAUNCH_COUNT}},
    {"ramp", "this is written ramp(first, last, count)", LAUNCH_RAMP, {LAUNCH_N0, LAUNCH_N1, LAUNCH_COUNT}},
    {"random",
     "this is written random(count, seed, lo, hi)",
     LAUNCH_RANDOM,
     {LAUNCH_COUNT, LAUNCH_SEED, LAUNCH_N0, LAUNCH_N1}},
    {"normal",
     "this is written normal(count, seed, mean, deviation)",
     LAUNCH_NORMAL,
     {LAUNCH_COUNT, LAUNCH_SEED, LAUNCH_N0, LAUNCH_N1}},
};

static const char *parse_operand(struct parser *p, enum launch_operand what, struct launch_value *v)
{
    switch (what) {
    case LAUNCH_COUNT: return parse_count(p, &v->count);
    case LAUNCH_SEED: return parse_count(p, &v->seed);
    default: return parse_number(p, &v->n[what == LAUNCH_N1]);
    }
}

static const char *parse_form(struct parser *p, const struct launch_form *f, struct launch_value *v)
{
    v->kind = f->kind;
    for (uint32_t i = 0; i < launch_operands_of(f); i++) {
        if (!scan_mark(&p->at, i == 0 ? '(' : ','))
            return f->usage;
        scan_blanks(&p->at);
        const char *problem = parse_operand(p, f->operands[i], v);
        if (problem)
            return problem;
    }
    if (!scan_mark(&p->at, ')'))
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
        scan_blanks(&p->at);
        const char *problem = parse_number(p, &n);
        if (problem)
            return problem;
        vec_push(p->arena, &v->list, n);
    } while (scan_mark(&p->at, ','));
    v->count = v->list.count;
    return scan_mark(&p->at, '}') ? NULL : "a list is written {1, 2, 3}";
}

static const char *parse_path(struct parser *p, size_t length, struct launch_value *v)
{
    v->kind = LAUNCH_FILE;
    v->text = arena_strdup(p->arena, p->at, length);
    p->at += length;
    return length ? NULL : "the name of a file is missing";
}

/* Behind the word. */
static const char *parse_file_call(struct parser *p, struct launch_value *v)
{
    static const char usage[] = "a file is written @name or file(\"name\")";
    if (!scan_mark(&p->at, '(') || (scan_blanks(&p->at), *p->at != '"'))
        return usage;
    v->kind = LAUNCH_FILE;
    const char *problem = scan_quoted(p->arena, &p->at, &v->text);
    if (!problem && !*v->text)
        problem = "the name of a file is missing";
    return problem || scan_mark(&p->at, ')') ? problem : usage;
}

static const char *parse_value(struct parser *p, struct launch_value *v)
{
    const char *problem;
    if (accept_text(p, v, &problem))
        return problem;
    if (scan_mark(&p->at, '@'))
        return parse_path(p, strlen(p->at), v);
    if (scan_mark(&p->at, '{'))
        return parse_list(p, v);
    if (scan_word(&p->at, "file"))
        return parse_file_call(p, v);
    if (scan_word(&p->at, "null")) {
        v->kind = LAUNCH_NULL;
        return NULL;
    }
    for (size_t i = 0; i < LAUNCH_FORMS; i++)
        if (scan_word(&p->at, launch_forms[i].name))
            return parse_form(p, &launch_forms[i], v);
    bool uses_round;
    problem = launch_evaluate(p->at, 0, &v->n[0], &uses_round);
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
    scan_blanks(&p.at);
    return *p.at ? "something follows the value" : NULL;
}

/* ---- written ----------------------------------------------------------------------------------------- */

static void number(const struct launch_number *n, struct text *out)
{
    if (n->is_float)
        text_double(out, n->f);
    else if (n->i < 0 && n->f > 0)
        text_printf(out, "%llu", (unsigned long long)n->i);
    else
        text_printf(out, "%lld", (long long)n->i);
}

static void list(const struct launch_value *v, struct text *out)
{
    text_char(out, '{');
    for (uint32_t i = 0; i < v->list.count; i++) {
        text_addz(out, i ? ", " : "");
        number(&v->list.at[i], out);
    }
    text_char(out, '}');
}

static void quoted(const struct launch_value *v, struct text *out)
{
    for (size_t i = 0; i < COUNT(words); i++)
        if (words[i].kind == v->kind)
            text_printf(out, "%s ", words[i].word);
    text_quoted(out, v->text, strlen(v->text));
}

static const struct launch_form *form_of(enum launch_value_kind kind)
{
    for (size_t i = 0; i < LAUNCH_FORMS; i++)
        if (launch_forms[i].kind == kind)
            return &launch_forms[i];
    return NULL;
}

static void print_form(const struct launch_form *f, const struct launch_value *v, struct text *out)
{
    text_addz(out, f->name);
    for (uint32_t i = 0; i < launch_operands_of(f); i++) {
        enum launch_operand what = f->operands[i];
        text_addz(out, i ? ", " : "(");
        if (what == LAUNCH_COUNT || what == LAUNCH_SEED)
            text_printf(out, "%llu", (unsigned long long)(what == LAUNCH_COUNT ? v->count : v->seed));
        else
            number(&v->n[what == LAUNCH_N1], out);
    }
    text_char(out, ')');
}

void launch_print_value(const struct launch_value *v, struct text *out)
{
    const struct launch_form *f = form_of(v->kind);
    if (f)
        print_form(f, v, out);
    else if (launch_has_text(v->kind))
        quoted(v, out);
    else if (v->kind == LAUNCH_SCALAR)
        number(&v->n[0], out);
    else if (v->kind == LAUNCH_LIST)
        list(v, out);
    else
        text_addz(out, "null");
}
