/* help.c: --help, made from the tables. */
#include "driver/driver.h"

#include <stdio.h>

#define COLUMN 32 /* where the explanations begin */
#define WIDTH  110

/* Words of the text, broken at WIDTH, continued at COLUMN. */
static void print_wrapped(const char *text, int column)
{
    int used = column;
    while (*text) {
        int n = (int)strcspn(text, " ");
        if (used + 1 + n > WIDTH && used > column) {
            printf("\n%*s", column, "");
            used = column;
        }
        used += printf("%s%.*s", used > column ? " " : "", n, text);
        text += n + (text[n] == ' ');
    }
    printf("\n");
}

static int print_name(const struct option_info *o)
{
    if (!*o->name)
        return printf("  -%c%s", o->letter, *o->argument == '=' ? o->argument + 1 : o->argument);
    int n = o->letter ? printf("  -%c, --%s", o->letter, o->name) : printf("  --%s", o->name);
    return n + printf("%s", o->argument);
}

static void print_option(const struct option_info *o)
{
    int n = print_name(o);
    if (n >= COLUMN)
        printf("\n%*s", COLUMN, "");
    else
        printf("%*s", COLUMN - n, "");
    print_wrapped(o->help, COLUMN);
}

void command_help(const struct command *c)
{
    const char *title = NULL;
    printf("usage: kernc %s [options] %s\n       %s\n", c->verb->name, c->verb->arguments, c->verb->help);
    for (size_t i = 0; i < option_row_count; i++) {
        const struct option_row *row = &option_rows[i];
        if (row->id == OPTIONS) {
            title = row->title;
        } else if (verb_in(c->verb, option_info[row->id].verbs)) {
            if (title)
                printf("\n%s:\n", title);
            title = NULL;
            print_option(&option_info[row->id]);
        }
    }
    printf("\nExit codes:\n");
    for (size_t i = 0; i < exit_count; i++)
        printf("  %-4d%s\n", exit_info[i].code, exit_info[i].meaning);
    printf("\n- as a file is standard input or output.\n");
}

void help(void)
{
    printf("kernc %s: compiler and SIMT interpreter for Kern, a small C-like kernel language\n\n"
           "usage: kernc VERB [options] FILE\n\n",
           KERNC_VERSION);
    for (size_t i = 0; i < VERBS; i++) {
        int n = printf("  kernc %s [options] %s", verbs[i].name, verbs[i].arguments);
        printf("%*s%s\n", n < 42 ? 42 - n : 1, "", verbs[i].help);
    }
    printf("\n  kernc VERB --help    the options of a verb\n  kernc --version\n\n"
           "A file named - is standard input or output. "
           "First steps: kernc run FILE.kern --stats\n");
}
