/* manual.c: a program of the build that writes what derives from the tables of verbs and options:
 *
 *   manual kernc.1 | kernc.bash | _kernc | kernc.fish
 *
 * the manual page, and completion for bash, zsh and fish.
 */
#include "driver/driver.h"
#include "opt/opt.h"

#include <ctype.h>
#include <stdio.h>

static bool belongs(const struct option_info *o, const struct verb *v)
{
    return verb_in(v, o->verbs);
}

/* ---- manual page ------------------------------------------------------------------------------------- */

/* Text for troff: a backslash or a hyphen stands for itself, a dot at the start of a line is harmless. */
static void man_text(const char *s)
{
    for (; *s; s++) {
        if (*s == '-' || *s == '\\')
            printf("\\%s", *s == '\\' ? "e" : "-");
        else
            putchar(*s);
    }
}

static void man_option(const struct option_info *o)
{
    printf(".TP\n.B ");
    if (o->letter)
        printf("\\-%c", o->letter);
    if (o->letter && *o->name)
        printf(", ");
    if (*o->name)
        printf("\\-\\-");
    man_text(o->name);
    man_text(*o->name || *o->argument != '=' ? o->argument : o->argument + 1);
    printf("\n");
    man_text(o->help);
    printf(" (");
    const char *separator = "";
    for (size_t i = 0; i < VERBS; i++)
        if (belongs(o, &verbs[i])) {
            printf("%s%s", separator, verbs[i].name);
            separator = ", ";
        }
    printf(")\n");
}

static void man_verbs(void)
{
    printf(".SH VERBS\n");
    for (size_t i = 0; i < VERBS; i++) {
        printf(".TP\n.B kernc %s \\fR[\\fIoptions\\fR] ", verbs[i].name);
        man_text(verbs[i].arguments);
        printf("\n");
        man_text(verbs[i].help);
        printf("\n");
    }
}

static void man_options(void)
{
    printf(".SH OPTIONS\nLong names take one dash or two. Behind each stand the verbs that know it.\n");
    for (size_t i = 0; i < option_row_count; i++) {
        if (option_rows[i].id == OPTIONS)
            printf(".SS %s\n", option_rows[i].title);
        else
            man_option(&option_info[option_rows[i].id]);
    }
}

static void man_pass_options(void)
{
    struct arena a = {0};
    char value[OPT_NAME_MAX];
    printf(".SH OPTIONS OF PASSES\n");
    for (unsigned k = 0; k < OPT_OPTIONS; k++) {
        printf(".TP\n.B ");
        man_text(opt_option_usage(k, &a));
        printf("\n");
        man_text(arena_printf(&a, "%s (%s; %s by default)\n", opt_option_info[k].meaning,
                              opt_option_values(k, &a), opt_option_default(k, value)));
    }
    arena_free(&a);
}

static void man_page(void)
{
    printf(".TH KERNC 1 \"\" \"kernc %s\" \"User Commands\"\n"
           ".SH NAME\nkernc \\- compiler and SIMT interpreter for the Kern kernel language\n"
           ".SH SYNOPSIS\n.B kernc\n.I verb\n.RI [ options ]\n.I file\n"
           ".SH DESCRIPTION\nKern is a small C-like language for SIMT kernels. kernc compiles it through an "
           "SSA intermediate representation to bytecode and runs that in warps of 1 to 64 threads, counting "
           "how convergent the execution was. The file may be a source (.kern), the text of an IR module "
           "(.kir), compiled bytecode (.kbc) or an image for the warp-core machine (.wcb); which one is seen "
           "from its content. A source may carry a launch directive, so that it runs without any option.\n",
           KERNC_VERSION);
    man_verbs();
    man_options();
    man_pass_options();
    printf(".SH EXIT STATUS\n");
    for (size_t i = 0; i < exit_count; i++)
        printf(".TP\n.B %d\n%s\n", exit_info[i].code, exit_info[i].meaning);
    printf(".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nif set, messages are never coloured.\n"
           ".SH EXAMPLES\n.nf\nkernc run saxpy.kern \\-\\-stats\n"
           "kernc run saxpy.kern \\-\\-grid=64 \\-\\-block=256 \\-\\-arg n=16384 \\-\\-show 'y[0..8]'\n"
           "kernc build \\-O2 saxpy.kern \\-o saxpy.kbc\n"
           "kernc dump saxpy.kern \\-\\-print\\-changed=diff\n.fi\n");
}

/* ---- completion -------------------------------------------------------------------------------------- */

/* All that -f can be followed by: passes, flags, a choice's words, a number's name. */
static void each_switch(void (*write)(const char *))
{
    struct arena a = {0};
    char name[OPT_NAME_MAX];
    for (unsigned i = 0; i < OPT_PASSES; i++)
        if (opt_pass_info[i].level)
            write(arena_printf(&a, "no-%s", opt_pass_info[i].name));
    for (unsigned k = 0; k < OPT_OPTIONS; k++)
        if (opt_option_info[k].kind == OPT_NUMBER)
            write(arena_printf(&a, "%s=", opt_spelled(opt_option_info[k].name, name)));
        else if (opt_option_info[k].kind == OPT_FLAG)
            write(opt_option_text(k, 0, &a));
    for (unsigned w = 0; w < OPT_WORDS; w++)
        write(opt_option_text(opt_word_info[w].option, w, &a));
    write("help");
    arena_free(&a);
}

static void bash_switch(const char *text)
{
    printf(" -f%s", text);
}

/* Whether several names may stand behind "=", between commas. */
static bool takes_list(const struct option_info *o)
{
    return strchr(o->argument, ',');
}

static bool takes_file(const struct option_info *o)
{
    return strstr(o->argument, "FILE") || strstr(o->argument, "DIR");
}

static void bash_words_of(const struct verb *v)
{
    for (int i = 0; i < OPTIONS; i++) {
        const struct option_info *o = &option_info[i];
        if (belongs(o, v) && *o->name)
            printf(" --%s%s", o->name, *o->argument == '=' ? "=" : "");
    }
    if (!belongs(&option_info[OPTION_WARNING], v))
        return;
    struct value_names groups;
    value_names(OPTION_WARNING, &groups);
    printf(" -O0 -O1 -O2 -D");
    for (uint32_t i = 0; i < groups.rows.count; i++)
        printf(" -W%s", groups.rows.at[i].name);
    arena_free(&groups.arena);
    each_switch(bash_switch);
}

/* The words behind "--scheme=", as a case of bash. */
static void bash_values(const struct option_info *o)
{
    struct value_names v;
    if (!*o->name || !value_names((enum option_id)(o - option_info), &v))
        return;
    printf("    --%s|-%s)%s%s values=\"", o->name, o->name, takes_list(o) ? " list=1" : "",
           takes_file(o) ? " files=1" : "");
    for (uint32_t i = 0; i < v.rows.count; i++)
        printf("%s%s", i ? " " : "", v.rows.at[i].name);
    printf("\" ;;\n");
    arena_free(&v.arena);
}

/* Readline takes = for a word of its own: the value's beginning is what stands behind it. */
static const char bash_begin[] =
    "# bash completion for kernc\n"
    "# NAME= of each constant of the command line's files, for -D.\n"
    "_kernc_constants()\n{\n    local file\n    for file in \"${COMP_WORDS[@]}\"; do\n"
    "        [[ $file == *.kern && -r $file ]] &&\n"
    "            sed -n 's/^const[ant]* [^=;(]* \\([A-Za-z_][A-Za-z_0-9]*\\) *=.*/\\1=/p' \"$file\"\n"
    "    done\n}\n"
    "_kernc()\n{\n    local word=${COMP_WORDS[COMP_CWORD]} words=\n"
    "    local option= values= list= files= prefix= i=$COMP_CWORD\n"
    "    [[ $word == = ]] && option=${COMP_WORDS[i-1]} word=\n"
    "    [[ ${COMP_WORDS[i-1]} == = ]] && option=${COMP_WORDS[i-2]}\n"
    "    [[ ${COMP_WORDS[i-1]} == -D ]] && option=-D\n"
    "    [[ $word == -D?* && $word != -D*=* ]] && option=-D prefix=-D word=${word#-D}\n"
    "    case $option in\n    -D|--define|-define) values=$(_kernc_constants) ;;\n";
static const char bash_end[] =
    "    if [[ -n $list && $word == *,* ]]; then\n        prefix=${word%,*}, word=${word##*,}\n    fi\n"
    "    if [[ -n $values ]]; then\n"
    "        COMPREPLY=($(compgen -P \"$prefix\" -W \"$values\" -- \"$word\"))\n"
    "        [[ -n $files ]] && COMPREPLY+=($(compgen -f -- \"$word\"))\n"
    "    elif [[ $word == -* ]]; then\n"
    "        COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n    else\n"
    "        COMPREPLY=($(compgen -f -- \"$word\"))\n    fi\n"
    "    [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n}\n"
    "complete -o filenames -F _kernc kernc\n";

static void bash_completion(void)
{
    fputs(bash_begin, stdout);
    for (int i = 0; i < OPTIONS; i++)
        bash_values(&option_info[i]);
    printf("    esac\n    case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; i < VERBS; i++) {
        printf("    %s) words=\"", verbs[i].name);
        bash_words_of(&verbs[i]);
        printf("\" ;;\n");
    }
    printf("    esac\n    COMPREPLY=()\n    [[ $COMP_CWORD == 1 ]] && values=\"");
    for (size_t i = 0; i < VERBS; i++)
        printf("%s ", verbs[i].name);
    printf("--help --version\"\n");
    fputs(bash_end, stdout);
}

/* Brackets and colons have a meaning in zsh's specifications, quotes in the shell. */
static void zsh_text(const char *s)
{
    for (; *s; s++) {
        if (*s == '\'')
            printf("'\\''");
        else if (strchr("[]:\\", *s))
            printf("\\%c", *s);
        else
            putchar(*s);
    }
}

static void zsh_switch(const char *text)
{
    printf(" %s", text);
}

/* What the value may be: "(a b c)", a list of such, or a file. */
static void zsh_values(const struct option_info *o)
{
    struct value_names v;
    if (takes_file(o))
        printf("_files");
    if (takes_file(o) || !value_names((enum option_id)(o - option_info), &v))
        return;
    printf(takes_list(o) ? "_sequence compadd -" : "(");
    for (uint32_t i = 0; i < v.rows.count; i++) {
        printf(i || takes_list(o) ? " " : "");
        zsh_text(v.rows.at[i].name);
    }
    printf(takes_list(o) ? "" : ")");
    arena_free(&v.arena);
}

static void zsh_option(const struct option_info *o)
{
    bool is_switch = o == &option_info[OPTION_SWITCH];
    if (*o->name)
        printf("            '--%s%s[", o->name, *o->argument == '=' ? "=" : "");
    else
        printf("            '-%c%s[", o->letter, *o->argument ? "-" : "");
    zsh_text(o->help);
    printf("]%s", *o->argument == '=' ? ":value:" : *o->argument ? "::value:" : "");
    if (is_switch) {
        printf("(");
        each_switch(zsh_switch);
        printf(" )");
    } else {
        zsh_values(o);
    }
    printf("' \\\n");
}

static void zsh_completion(void)
{
    printf("#compdef kernc\nif (( CURRENT == 2 )); then\n    local -a verbs=(\n");
    for (size_t i = 0; i < VERBS; i++) {
        printf("        '%s:", verbs[i].name);
        zsh_text(verbs[i].help);
        printf("'\n");
    }
    printf("    )\n    _describe verb verbs\nelse\n"
           "    local verb=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $verb in\n");
    for (size_t i = 0; i < VERBS; i++) {
        printf("    %s)\n        _arguments \\\n", verbs[i].name);
        for (int k = 0; k < OPTIONS; k++)
            if (belongs(&option_info[k], &verbs[i]))
                zsh_option(&option_info[k]);
        printf("            '*:file:_files'\n        ;;\n");
    }
    printf("    esac\nfi\n");
}

/* Text between the quotes of fish. */
static void fish_text(const char *s)
{
    for (; *s; s++)
        printf(strchr("'\\", *s) ? "\\%c" : "%c", *s);
}

static void fish_switch(const char *text)
{
    fish_text(text);
    putchar(' ');
}

/* The verbs that have the option, as words of fish. */
static void fish_condition(const struct option_info *o)
{
    printf(" -n '__fish_seen_subcommand_from");
    for (size_t i = 0; i < VERBS; i++)
        if (belongs(o, &verbs[i]))
            printf(" %s", verbs[i].name);
    printf("'");
}

/* The values to choose from; without such a list, files where the option takes one. */
static void fish_values(const struct option_info *o)
{
    struct value_names v;
    bool is_switch = o == &option_info[OPTION_SWITCH], has_names = false;
    if (*o->argument == '=')
        printf(" -r");
    if (!is_switch && !(has_names = value_names((enum option_id)(o - option_info), &v)))
        return;
    printf("%s -a '%s", takes_file(o) ? "" : " -f", has_names && takes_list(o) ? "(__fish_append , " : "");
    if (is_switch)
        each_switch(fish_switch);
    for (uint32_t i = 0; has_names && i < v.rows.count; i++)
        fish_switch(v.rows.at[i].name);
    printf("%s'", has_names && takes_list(o) ? ")" : "");
    if (has_names)
        arena_free(&v.arena);
}

static void fish_option(const struct option_info *o)
{
    printf("complete -c kernc");
    fish_condition(o);
    if (*o->name)
        printf(" -l %s", o->name);
    if (o->letter)
        printf(" -s %c", o->letter);
    fish_values(o);
    printf(" -d '");
    fish_text(o->help);
    printf("'\n");
}

static void fish_completion(void)
{
    printf("# fish completion for kernc\n");
    for (size_t i = 0; i < VERBS; i++) {
        printf("complete -c kernc -n __fish_use_subcommand -f -a %s -d '", verbs[i].name);
        fish_text(verbs[i].help);
        printf("'\n");
    }
    printf("complete -c kernc -n __fish_use_subcommand -l help -d 'show the verbs'\n"
           "complete -c kernc -n __fish_use_subcommand -l version -d 'show the version'\n");
    for (int i = 0; i < OPTIONS; i++)
        fish_option(&option_info[i]);
}

static const struct page {
    const char *name;
    void (*write)(void);
} pages[] = {
    {"kernc.1", man_page},
    {"kernc.bash", bash_completion},
    {"_kernc", zsh_completion},
    {"kernc.fish", fish_completion},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < COUNT(pages); i++)
        if (strcmp(argv[1], pages[i].name) == 0) {
            pages[i].write();
            return fflush(stdout) == 0 ? 0 : 1;
        }
    fprintf(stderr, "usage: manual kernc.1|kernc.bash|_kernc|kernc.fish\n");
    return 64;
}
