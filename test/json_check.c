/* json_check.c: json_check [KEY...]: is standard input exactly one JSON value, an object with these keys at
 * least if any are named? Prints "valid" or the offset of the error.
 */
#include "base/base.h"

#include <ctype.h>
#include <stdio.h>

#define DEEPEST 100

struct parser {
    const char *start, *at;
    unsigned depth;
};

static bool value(struct parser *p);

static void blanks(struct parser *p)
{
    p->at += strspn(p->at, " \t\r\n");
}

static bool accept(struct parser *p, char c)
{
    blanks(p);
    if (*p->at != c)
        return false;
    p->at++;
    return true;
}

static bool string(struct parser *p)
{
    if (!accept(p, '"'))
        return false;
    for (; *p->at != '"'; p->at++) {
        if ((unsigned char)*p->at < 0x20)
            return false;
        if (*p->at == '\\' && !strchr("\"\\/bfnrtu", *++p->at))
            return false;
    }
    p->at++;
    return true;
}

static bool digits(struct parser *p)
{
    const char *first = p->at;
    while (isdigit((unsigned char)*p->at))
        p->at++;
    return p->at > first;
}

static bool number(struct parser *p)
{
    p->at += *p->at == '-';
    if (!digits(p))
        return false;
    if (*p->at == '.') {
        p->at++;
        if (!digits(p))
            return false;
    }
    if (*p->at != 'e' && *p->at != 'E')
        return true;
    p->at++;
    p->at += *p->at == '-' || *p->at == '+';
    return digits(p);
}

/* The elements up to `end`, with their keys if it is an object. */
static bool elements(struct parser *p, char end)
{
    if (accept(p, end))
        return true;
    do {
        if (end == '}' && !(string(p) && accept(p, ':')))
            return false;
        if (!value(p))
            return false;
    } while (accept(p, ','));
    return accept(p, end);
}

static bool word(struct parser *p, const char *w)
{
    if (strncmp(p->at, w, strlen(w)) != 0)
        return false;
    p->at += strlen(w);
    return true;
}

static bool value(struct parser *p)
{
    if (++p->depth > DEEPEST)
        return false;
    blanks(p);
    bool good = *p->at == '"'    ? string(p)
                : accept(p, '{') ? elements(p, '}')
                : accept(p, '[') ? elements(p, ']')
                                 : word(p, "true") || word(p, "false") || word(p, "null") || number(p);
    p->depth--;
    return good;
}

static bool has_key(const char *text, const char *key)
{
    char quoted[80];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    return strstr(text, quoted) != NULL;
}

int main(int argc, char **argv)
{
    struct text t = {0};
    if (file_read("-", 1u << 30, &t) != NULL)
        return 2;
    struct parser p = {t.at, t.at, 0};
    bool good = value(&p);
    blanks(&p);
    if (!good || *p.at) {
        printf("error at byte %td\n", p.at - p.start);
        return 1;
    }
    for (int i = 1; i < argc; i++)
        if (!has_key(t.at, argv[i])) {
            printf("no key %s\n", argv[i]);
            return 1;
        }
    printf("valid\n");
    text_free(&t);
    return 0;
}
