/* launch_print.c: values of launch arguments as launch_parse_value reads them, but files and named buffers,
 * whose names may hold any character.
 */
#include "base/launch.h"

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
    case LAUNCH_FILE: text_addz(out, "file "), text_quoted(out, v->file, strlen(v->file)); break;
    case LAUNCH_NAMED: text_addz(out, "buffer "), text_quoted(out, v->file, strlen(v->file)); break;
    case LAUNCH_ROUND: text_addz(out, "round"); break;
    case LAUNCH_LIST: list(v, out); break;
    }
}
