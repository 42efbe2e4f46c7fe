/* program.c: see base/program.h. The page that WebAssembly runs in may stand for programs, such as Graphviz. */
#include "base/program.h"

#include <errno.h>

/* Runs the words, each ended by a zero, on n bytes of input. The number of bytes that the program writes, which
 * `fetch` then puts into memory; negative: there is no such program. */
__attribute__((import_module("kernc"), import_name("run"))) int
host_run(const char *words, size_t words_bytes, const char *input, size_t n);
__attribute__((import_module("kernc"), import_name("fetch"))) void host_fetch(char *to);

struct program_end program_run(const char *const *words, const struct program_streams *s)
{
    struct program_end end = {0};
    struct scratch scratch;
    struct text line = {.arena = scratch_begin(&scratch)};
    for (; *words; words++)
        text_add(&line, *words, strlen(*words) + 1);
    int n = host_run(line.at, line.length, s->input ? s->input->at : NULL, s->input ? s->input->length : 0);
    end.problem = n < 0 ? ENOSYS : 0;
    end.fits = n >= 0 && (size_t)n <= s->most;
    if (end.fits) {
        char *text = arena_alloc(line.arena, (size_t)n + 1);
        host_fetch(text);
        text_add(s->output, text, (size_t)n);
    }
    end.is_well = end.fits;
    scratch_end(&scratch);
    return end;
}
