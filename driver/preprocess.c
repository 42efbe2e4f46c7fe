/* preprocess.c: -cpp: the source as the system's preprocessor gives it: `$CPP`, or else `cc -E`. It is
 * started without a shell, and what it writes comes through a pipe: a name is an argument whatever its letters
 * are, and no file is left behind. Comments are kept (-C), since some are meant for kernc.
 */
#include "base/program.h"
#include "driver/driver.h"

#include <stdlib.h>
#include <sys/wait.h>

typedef VEC(const char *) words;

static void add_words(struct command *c, words *w, const char *text)
{
    for (size_t n; *(text += strspn(text, " \t")); text += n) {
        n = strcspn(text, " \t");
        vec_push(&c->arena, w, arena_strdup(&c->arena, text, n));
    }
}

/* Its command: -D, -U and -I in the order in which they are given. */
static words command_of(struct command *c)
{
    static const char *const own[] = {"-x", "c", "-C", "-D__KERN__=1"};
    words w = {0};
    const char *cpp = getenv("CPP");
    add_words(c, &w, cpp ? cpp : "");
    if (!w.count)
        add_words(c, &w, "cc -E");
    for (size_t i = 0; i < COUNT(own); i++)
        vec_push(&c->arena, &w, own[i]);
    for (uint32_t i = 0; i < c->given.count; i++) {
        const struct given *g = &c->given.at[i];
        if (g->id == OPTION_DEFINE || g->id == OPTION_UNDEFINE || g->id == OPTION_INCLUDE)
            vec_push(&c->arena, &w, arena_printf(&c->arena, "-%c%s", option_info[g->id].letter, g->value));
    }
    bool as_option = *c->file == '-' && c->file[1];
    vec_push(&c->arena, &w, as_option ? arena_printf(&c->arena, "./%s", c->file) : c->file);
    vec_push(&c->arena, &w, NULL);
    return w;
}

int preprocess(struct command *c, struct text *text)
{
    words w = command_of(c);
    struct program_end end =
        program_run(w.at, &(struct program_streams){.output = text, .most = INPUT_LIMIT});
    if (end.problem)
        return fail(
            c, EXIT_INPUT, "input", NULL, (place){0},
            "cannot run the preprocessor '%s': %s; the variable CPP names another, such as CPP='gcc -E'",
            w.at[0], strerror(end.problem));
    if (!end.fits)
        return fail(c, EXIT_INPUT, "input", NULL, (place){0}, "cannot read what '%s' makes of %s: %s",
                    w.at[0], c->file, file_too_large);
    if (WIFSIGNALED(end.status))
        return fail(c, EXIT_INPUT, "input", NULL, (place){0}, "the preprocessor '%s' was ended by signal %d",
                    w.at[0], WTERMSIG(end.status));
    if (WEXITSTATUS(end.status))
        return fail(c, EXIT_INPUT, "input", NULL, (place){0},
                    "the preprocessor '%s' fails on %s with exit code %d", w.at[0], c->file,
                    WEXITSTATUS(end.status));
    return EXIT_OK;
}
