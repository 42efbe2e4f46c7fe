/* passage.c: a program's way as LLVM IR through a command that reads it from standard input and writes what it
 * makes of it to standard output, such as `opt-19 -S -passes=licm`. */
#include "base/program.h"
#include "fuzz/fuzz.h"
#include "include/kernc.h"
#include "lib/result.h"

#include <stdio.h>
#include <sys/wait.h>

#define MOST_TEXT ((size_t)64 << 20)

bool fz_write_llvm(const struct fz_program *p, const struct text *source, struct text *to, char *why,
                   size_t size)
{
    kernc_options o;
    size_t n;
    kernc_options_init(&o);
    o.input = p->module ? KERNC_INPUT_IR : KERNC_INPUT_SOURCE;
    o.level = 0;
    o.ir_only = true;
    o.no_warnings = true;
    kernc_result *r = kernc_compile("program", source->at, source->length, &o);
    if (!r || kernc_result_status(r) == KERNC_COMPILE_NO_MEMORY)
        mem_fail(source->length);
    const char *text = result_text(r, KERNC_TEXT_LLVM, &n),
               *said = result_text(r, KERNC_TEXT_DIAGNOSTICS, NULL);
    if (text)
        text_add(to, text, n);
    else
        snprintf(why, size, "%s", said ? said : "it cannot be written as LLVM IR");
    kernc_result_free(r);
    return text != NULL;
}

/* The first line that it said, or how it ended. */
static void say_why(const struct program_end *end, const struct text *errors, char *why, size_t size)
{
    if (end->problem)
        snprintf(why, size, "it cannot be started: %s", strerror(end->problem));
    else if (end->is_late)
        snprintf(why, size, "no end in sight");
    else if (!end->fits)
        snprintf(why, size, "it writes more than %zu bytes", MOST_TEXT);
    else if (errors->length)
        snprintf(why, size, "%.*s", (int)(errors->length < size ? errors->length : size - 1), errors->at);
    else if (WIFSIGNALED(end->status))
        snprintf(why, size, "ended by signal %d", WTERMSIG(end->status));
    else
        snprintf(why, size, "exit code %d", WEXITSTATUS(end->status));
    why[strcspn(why, "\n")] = 0;
}

enum fz_outcome fz_pass_through(const struct fz_program *p, const struct text *source,
                                const char *const *words, uint32_t seconds, struct fz_passage *passage,
                                char *why, size_t size)
{
    struct text errors = {0};
    if (!fz_write_llvm(p, source, &passage->before, why, size))
        return FZ_LEFT_OUT;
    if (!*words) {
        text_add(&passage->after, passage->before.at, passage->before.length);
        return FZ_RIGHT;
    }
    struct program_end end = program_run(words, &(struct program_streams){.input = &passage->before,
                                                                          .output = &passage->after,
                                                                          .errors = &errors,
                                                                          .most = MOST_TEXT,
                                                                          .seconds = seconds});
    if (!end.is_well)
        say_why(&end, &errors, why, size);
    text_free(&errors);
    return end.is_well ? FZ_RIGHT : FZ_DECLINED;
}
