/* print.c: values of launch arguments as launch_parse_value reads them, but what is known by a text,
 * which may hold any character: that is quoted, behind a word.
 */
#include "launch/launch.h"

static void number(const struct launch_number *n, struct text *out)
{
    if (n->is_float)
        text_double(out, n->f);
    else if (n->i < 0 && n->f > 0)
        text_printf(out, "%llu", (unsigned long long)n->i);
    else
        text_printf(out, "%lld", (long long)n->i);
}

static void pair(const struct launch_value *v, struct text *out)
{
    number(&v->n[0], out);
    text_addz(out, ", ");
    number(&v->n[1], out);
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

static const struct {
    enum launch_value_kind kind;
    const char *word;
} words[] = {
    {LAUNCH_FILE, "file"}, {LAUNCH_NAMED, "buffer"}, {LAUNCH_ROUND, "round"}, {LAUNCH_STRUCTS, "list"}};

bool launch_find_word(const char *word, enum launch_value_kind *kind)
{
    for (size_t i = 0; i < COUNT(words); i++)
        if (strcmp(words[i].word, word) == 0) {
            *kind = words[i].kind;
            return true;
        }
    return false;
}

const char *launch_from_text(enum launch_value_kind kind, const char *text, struct launch_value *v)
{
    *v = (struct launch_value){.kind = kind, .text = text};
    return kind == LAUNCH_ROUND ? launch_evaluate(text, 0, &v->n[0], NULL) : NULL;
}

static void quoted(const struct launch_value *v, struct text *out)
{
    for (size_t i = 0; i < COUNT(words); i++)
        if (words[i].kind == v->kind)
            text_printf(out, "%s ", words[i].word);
    text_quoted(out, v->text, strlen(v->text));
}

void launch_print_value(const struct launch_value *v, struct text *out)
{
    unsigned long long count = v->count, seed = v->seed;
    switch (v->kind) {
    case LAUNCH_SCALAR: number(&v->n[0], out); break;
    case LAUNCH_ZEROS: text_printf(out, "zeros(%llu)", count); break;
    case LAUNCH_IOTA: text_printf(out, "iota(%llu)", count); break;
    case LAUNCH_RAMP: text_addz(out, "ramp("), pair(v, out), text_printf(out, ", %llu)", count); break;
    case LAUNCH_RANDOM:
        text_printf(out, "random(%llu, %llu, ", count, seed), pair(v, out), text_char(out, ')');
        break;
    case LAUNCH_NORMAL:
        text_printf(out, "normal(%llu, %llu, ", count, seed), pair(v, out), text_char(out, ')');
        break;
    case LAUNCH_FILE:
    case LAUNCH_NAMED:
    case LAUNCH_STRUCTS:
    case LAUNCH_ROUND: quoted(v, out); break;
    case LAUNCH_NULL: text_addz(out, "null"); break;
    case LAUNCH_LIST: list(v, out); break;
    case LAUNCH_KINDS: break;
    }
}
