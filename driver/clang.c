/* clang.c: see clang.h. The program is `$KERNC_CLANG`, or else clang-19. It is started without a shell, and
 * what it writes comes through a pipe: a name is an argument whatever its letters are, and no file is left
 * behind.
 *
 * What kernels call is declared by headers of kernc's own (share/kernc/include), which stand in the folder
 * that KERNC_INCLUDE names, or else in one that is found from where kernc itself is: in the tree that it
 * was built in, or below the prefix that it is installed under.
 */
#include "driver/clang.h"
#include "base/program.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

typedef VEC(const char *) words;

/* A language by its name for -x and by the ending of files; `header` is read before the file. */
static const struct language {
    const char *name, *ending, *header;
} languages[] = {
    {"cuda", ".cu", "cuda_runtime.h"},
    {"hip", ".hip", "hip/hip_runtime.h"},
    {"c++", ".cpp", "kern.h"},
    {"cl", ".cl", "kern/opencl.h"},
};

/* No optimisation, but no mark that forbids it; names and types of all that a launch can say. Addresses in
 * OpenCL have 32 bits, as in kernc. In CUDA they have 64, as structures have that a host program shares
 * with its kernels. */
static const char *const of_all[] = {"-S",
                                     "-emit-llvm",
                                     "-o",
                                     "-",
                                     "-O0",
                                     "-Xclang",
                                     "-disable-O0-optnone",
                                     "-g",
                                     "-fno-discard-value-names",
                                     "-ffp-contract=off"};
/* A function that is inline has a body, too, as compilers of OpenCL give it one. */
static const char *const of_opencl[] = {"-x", "cl", "-target", "spir", "-cl-std=CL3.0", "-fgnu89-inline"};
/* Calls of C's functions stay calls, by -fmath-errno, so that the headers can define them. */
static const char *const of_cuda[] = {"-x",
                                      "cuda",
                                      "--cuda-device-only",
                                      "--cuda-gpu-arch=sm_70",
                                      "-nocudainc",
                                      "-nocudalib",
                                      "-Wno-unknown-cuda-version",
                                      "-Wno-reserved-user-defined-literal",
                                      "-Wno-register",
                                      "-Xclang",
                                      "-fcuda-allow-variadic-functions",
                                      "-fmath-errno",
                                      "-fno-builtin-printf"};

static const struct language *language_of(const struct command *c)
{
    const char *name = option_value(c, OPTION_LANGUAGE), *ending = strrchr(c->file, '.');
    for (size_t i = 0; i < COUNT(languages); i++)
        if (name ? strcmp(name, languages[i].name) == 0 : ending && strcmp(ending, languages[i].ending) == 0)
            return &languages[i];
    return NULL;
}

bool clang_reads(const struct command *c)
{
    const char *name = option_value(c, OPTION_LANGUAGE);
    bool kern = (name && strcmp(name, "kern") == 0) || c->verb->id == VERB_FIX;
    return !kern && !option_given(c, OPTION_CPP) && (name || language_of(c));
}

/* ---- its headers ------------------------------------------------------------------------------------- */

/* The folder, or NULL. */
static const char *header_folder(struct command *c)
{
    const char *named = getenv("KERNC_INCLUDE");
    if (named && *named)
        return named;
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    for (int up = 0; n > 0 && up < 4; up++) {
        while (n > 0 && self[--n] != '/')
            ;
        const char *folder = arena_printf(&c->arena, "%.*s/share/kernc/include", (int)n, self);
        if (access(arena_printf(&c->arena, "%s/kern.h", folder), R_OK) == 0)
            return folder;
    }
    return NULL;
}

/* ---- its command ------------------------------------------------------------------------------------- */

static void add(struct command *c, words *w, const char *const *all, size_t n)
{
    for (size_t i = 0; i < n; i++)
        vec_push(&c->arena, w, all[i]);
}

/* What the user gives, in the order of the command line. */
static void add_given(struct command *c, words *w)
{
    for (uint32_t i = 0; i < c->given.count; i++) {
        const struct given *g = &c->given.at[i];
        if (g->id == OPTION_DEFINE || g->id == OPTION_UNDEFINE || g->id == OPTION_INCLUDE)
            vec_push(&c->arena, w, arena_printf(&c->arena, "-%c%s", option_info[g->id].letter, g->value));
        else if (g->id == OPTION_STANDARD)
            vec_push(&c->arena, w, arena_printf(&c->arena, "-std=%s", g->value));
        else if (g->id == OPTION_QUIET)
            vec_push(&c->arena, w, "-w");
    }
}

static words command_of(struct command *c, const struct language *l, const char *folder)
{
    words w = {0};
    const char *clang = getenv("KERNC_CLANG");
    vec_push(&c->arena, &w, clang && *clang ? clang : "clang-19");
    if (strcmp(l->name, "cl") == 0)
        add(c, &w, of_opencl, COUNT(of_opencl));
    else
        add(c, &w, of_cuda, COUNT(of_cuda));
    add(c, &w, of_all, COUNT(of_all));
    vec_push(&c->arena, &w, "-D__KERN__=1");
    add_given(c, &w);
    const char *const headers[] = {"-isystem", folder, "-include", l->header};
    add(c, &w, headers, COUNT(headers));
    /* An option begins with '-', a file of further arguments with '@'. */
    bool plain = !(*c->file == '-' && c->file[1]) && *c->file != '@';
    vec_push(&c->arena, &w, plain ? c->file : arena_printf(&c->arena, "./%s", c->file));
    vec_push(&c->arena, &w, NULL);
    return w;
}

/* Large pages, and large steps of its heap: clang touches what it gets once, and each page
 * costs a fault. Another C library reads over the variable. */
static void choose_pages(void)
{
    setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1:glibc.malloc.top_pad=16777216", 0);
}

int clang_translate(struct command *c, struct text *text)
{
    const struct language *l = language_of(c);
    const char *folder = header_folder(c);
    if (!l)
        return complain(c, EXIT_USAGE, "there is no language '%s'; there are cuda, hip, c++, cl and kern",
                        option_value(c, OPTION_LANGUAGE));
    if (!folder)
        return fail(c, EXIT_INPUT, "input", NULL, (place){0},
                    "kernc's own headers are missing: share/kernc/include below the prefix where kernc is "
                    "installed; the variable KERNC_INCLUDE names another folder");
    bool from_stdin = strcmp(c->file, "-") == 0;
    c->is_llvm = true;
    c->origin.arena = &c->arena;
    const char *problem = from_stdin ? file_read(c->file, INPUT_LIMIT, &c->origin) : NULL;
    words w = command_of(c, l, folder);
    choose_pages();
    struct program_end end =
        program_run(w.at, &(struct program_streams){
                              .input = from_stdin ? &c->origin : NULL, .output = text, .most = INPUT_LIMIT});
    if (!from_stdin && end.is_well)
        problem = file_read(c->file, INPUT_LIMIT, &c->origin);
    if (problem)
        return fail(c, EXIT_INPUT, "input", NULL, (place){0}, "cannot read %s: %s", input_name(c), problem);
    if (end.problem)
        return fail(
            c, EXIT_INPUT, "input", NULL, (place){0},
            "cannot run %s, which reads %s: %s; Debian has it in the package clang-19, and the variable "
            "KERNC_CLANG names another",
            w.at[0], input_name(c), strerror(end.problem));
    if (!end.fits)
        return fail(c, EXIT_INPUT, "input", NULL, (place){0}, "cannot read what %s makes of %s: %s", w.at[0],
                    input_name(c), file_too_large);
    if (WIFSIGNALED(end.status))
        return fail(c, EXIT_INPUT, "input", NULL, (place){0}, "%s was ended by signal %d", w.at[0],
                    WTERMSIG(end.status));
    if (WEXITSTATUS(end.status))
        return fail(c, EXIT_INPUT, "input", NULL, (place){0}, "%s cannot read %s (exit code %d)", w.at[0],
                    input_name(c), WEXITSTATUS(end.status));
    return EXIT_OK;
}
