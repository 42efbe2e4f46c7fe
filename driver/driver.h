/* driver.h: the command line: tables of verbs and options, what was given, and what all verbs share.
 *
 * A verb is a function of struct command that returns an exit code. Nothing here is global but the tables.
 */
#ifndef KERNC_DRIVER_H
#define KERNC_DRIVER_H

#include "base/base.h"
#include "base/diag.h"
#include "base/scheme.h"
#include "driver/progress.h"
#include "kernc.h"

/* ---- how kernc exits (exits.c) ----------------------------------------------------------------------- */

enum exit_code {
#define EXIT_CODE(name, code, meaning) EXIT_##name = code,
#include "driver/exits.def"
};
struct exit_info {
    enum exit_code code;
    const char *meaning;
};
extern const struct exit_info exit_info[];
extern const size_t exit_count;
/* What kernc exits with after this. */
enum exit_code exit_of_run(kernc_status status);
enum exit_code exit_of_compilation(kernc_compile_status status);

/* ---- tables (options.c) ------------------------------------------------------------------------------ */

enum verb_id {
#define VERB(id, name, arguments, help) VERB_##id,
#include "driver/verbs.def"
    VERBS
};
/* Sets of verbs. */
enum {
#define VERB(id, name, arguments, help) IN_##id = 1 << VERB_##id,
#include "driver/verbs.def"
    IN_COMPILING = IN_BUILD | IN_RUN | IN_DUMP | IN_COMPARE | IN_REPORT | IN_TUNE | IN_VALIDATE,
    IN_ALL = (1 << VERBS) - 1
};
enum option_id {
#define OPTION(id, name, letter, argument, verbs, help) OPTION_##id,
#include "driver/options.def"
    OPTIONS
};
struct option_info {
    const char *name;
    char letter;
    const char *argument;
    uint32_t verbs; /* a set */
    const char *help;
};
extern const struct option_info option_info[OPTIONS];
/* The table's rows in order, titles (id == OPTIONS) between them. */
struct option_row {
    enum option_id id;
    const char *title;
};
extern const struct option_row option_rows[];
extern const size_t option_row_count;

struct command;
struct verb {
    enum verb_id id;
    const char *name, *arguments, *help;
    int (*run)(struct command *);
};
#define VERB(id, name, arguments, help) int verb_##name(struct command *);
#include "driver/verbs.def"
extern const struct verb verbs[VERBS];
static inline bool verb_in(const struct verb *v, uint32_t set)
{
    return set >> v->id & 1;
}

/* ---- what was given ---------------------------------------------------------------------------------- */

/* value: "" if the option has none */
struct given {
    enum option_id id;
    const char *value;
};
struct command {
    const struct verb *verb;
    struct arena arena;
    VEC(struct given) given; /* in the order of the command line */
    const char *file;
    const char *other;    /* of a verb that takes two: the second file */
    bool is_llvm;         /* what has been read is LLVM IR */
    struct text origin;   /* then: the source that clang has made it of; without text: it was in the file */
    bool json;            /* --diagnostics=json, from the beginning */
    struct text messages; /* then: one JSON array of all messages so far, printed at the end */
    struct progress progress; /* of what takes long; outlives whoever runs out of memory */
    bool once;                /* show_diagnostics leaves out what it has shown before */
    struct map shown;         /* then: what that is, hashed */
};

/* Reads argv[1] and the rest; returns EXIT_OK, or says what is wrong and returns EXIT_USAGE. */
int command_parse(struct command *c, int argc, char **argv);
void command_help(const struct command *c); /* to stdout */
void help(void);                            /* the verbs, to stdout */
/* The value that counts, of the last time the option was given; NULL: not given. */
const char *option_value(const struct command *c, enum option_id id);
/* Whether --diagnostics=json is among the words. */
bool wants_json(int argc, char **argv);
/* All values of an option that may be given several times. */
const char *const *option_values(struct command *c, enum option_id id, size_t *n);
/* All that was given, spelled as "--warp=8", "-O1", in the order of the command line. */
const char *const *options_spelled(struct command *c, size_t *n);
static inline bool option_given(const struct command *c, enum option_id id)
{
    return option_value(c, id) != NULL;
}

/* ---- limits (limits.c) ------------------------------------------------------------------------------- */

/* most 0: fixed. option: another option that sets it; OPTIONS: none. verbs: whose own it is, which have
 * asked for it by limit_own; 0: it is no verb's own. */
struct limit_row {
    const char *name;
    uint64_t value, most;
    enum option_id option;
    const char *meaning;
    uint32_t verbs;
    uint64_t least;
};
/* The verbs' own. */
enum limit_id {
#define VERBS_OWN(name, verbs, value, least, most, meaning) LIMIT_##name,
#include "driver/limits.def"
    LIMITS
};
extern const struct limit_row limit_rows[];
extern const size_t limit_row_count;
/* The default ("cores" for 0), and the most that can be set ("any", "fixed"), in the buffer or static. */
const char *limit_value(const struct limit_row *l, char buffer[32]);
const char *limit_most(const struct limit_row *l, char buffer[32]);
void limits_help(void);                       /* the table, to stdout */
bool limits_asked(const struct command *c);   /* --limit=help */
void switches_help(void);                     /* passes and their options, to stdout */
bool switches_asked(const struct command *c); /* -fhelp (limits.c) */
bool timing_asked(const struct command *c);   /* --timing=help (trace.c) */
void timing_help(void);                       /* the table, to stdout */
/* --limit=NAME=N: where NAME has an option of its own, makes it that one. EXIT_OK, or EXIT_USAGE after having
 * said that there is no such limit to change. */
int limit_take(struct command *c, struct given *g);
uint64_t limit_own(const struct command *c, enum limit_id l);
/* Those that are for the compiler, as kernc_options.limits has them. */
const char *const *limits_of_compiler(struct command *c, size_t *n);

/* ---- names that options take (values.c) -------------------------------------------------------------- */

struct value_name {
    const char *name, *meaning; /* meaning may be NULL */
};
struct value_names {
    struct arena arena;
    VEC(struct value_name) rows;
};
/* The names that the option takes, the caller's to free (v->arena). False: it takes none that are known. */
bool value_names(enum option_id id, struct value_names *v);
bool values_asked(const struct command *c); /* --OPTION=help, of one that takes names */
void values_help(const struct command *c);  /* them, to stdout */

/* ---- messages (messages.c) --------------------------------------------------------------------------- */

/* Of wrong usage, or where no input is to blame; returns exit_code. */
int complain(struct command *c, int exit_code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* What is done all the same, but may not be meant; nothing with -w. */
void warn(struct command *c, const char *id, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Of a wrong input or a failed run, at a place in the source if there is one; returns exit_code. */
int fail(struct command *c, int exit_code, const char *id, const struct source *s, place at, const char *fmt,
         ...) __attribute__((format(printf, 6, 7)));
/* Shows the diagnostics of a compilation, as --diagnostics says. */
void show_diagnostics(struct command *c, kernc_result *r);
/* The same of diagnostics collected by the driver itself. */
void show_messages(struct command *c, const struct diagnostics *d);
/* The first error's line, and the text of a note that explains it. */
const char *first_error(struct command *c, const kernc_result *r);
/* The same, which leaves out what it has shown before; what is new as a JSON array in the command's arena. */
const char *show_new_diagnostics(struct command *c, kernc_result *r);
/* Prints the array of all messages with --diagnostics=json, and frees them; to be called once, as the
 * last. */
void messages_end(struct command *c);
/* The one that a process ends with in the middle of its work: takes no memory, and may be called by the
 * handler of a signal. `earlier`: the array of messages that it is the last of, or NULL. */
void last_message(bool json, const struct text *earlier, const char *id, const char *text);
/* Shows a note on stderr that is no diagnostic (times, counts). */
void show_note(const char *text);

/* ---- shared by verbs --------------------------------------------------------------------------------- */

/* The option's value as a number; *n stays as it is if the option was not given. EXIT_OK, or EXIT_USAGE after
 * having said what is wrong. */
int option_number(struct command *c, enum option_id id, uint64_t least, uint64_t most, uint64_t *n);
/* Several, up to the first that is wrong; `power`: it has to be a power of two. */
struct option_range {
    enum option_id id;
    uint64_t least, most, *n;
    bool power;
};
int option_numbers(struct command *c, const struct option_range *all, size_t count);
/* --warp. *block (NULL: the caller does not mind): it is `block`, which verbs take that can model such warps;
 * then *warp stays as it is. */
int option_warp(struct command *c, uint64_t *warp, bool *block);
/* The same for a number of bytes with K, M or G behind it. */
int option_size(struct command *c, enum option_id id, uint64_t *n);
/* Reads a decimal number from *s, which moves behind it. False: there is none, or it does not fit. */
bool scan_number(const char **s, uint64_t *n);
/* Sets c->json as --diagnostics says. EXIT_OK or EXIT_USAGE. */
int take_diagnostics(struct command *c);
/* -o, or without it the input's name with this ending, in the working directory; standard input to standard
 * output. */
const char *output_name(struct command *c, const char *ending);
/* Writes a whole file or standard output; EXIT_OK, or EXIT_INPUT after having said why not. An input is not
 * written over, but with --in-place. */
int write_output(struct command *c, const char *file, const char *bytes, size_t n);

/* ---- divergence schemes (schemes.c) ------------------------------------------------------------------ */

bool schemes_asked(const struct command *c); /* --scheme=help */
void schemes_help(void);                     /* the table, to stdout */
typedef VEC(enum scheme) scheme_list;
/* Add to the list what is not in it. schemes_add: EXIT_OK, or EXIT_USAGE after having said that there is none
 * of this name. */
void schemes_add_all(struct command *c, scheme_list *list, bool unsound);
/* All of the target, unsound ones too. */
void schemes_add_target(struct command *c, scheme_list *list, enum target target, bool unsound);
/* The one of this name. */
int schemes_add(struct command *c, scheme_list *list, const char *name);
/* Those of --schemes; without it, all that are sound. EXIT_OK or EXIT_USAGE. */
int schemes_take(struct command *c, scheme_list *list);
/* Threads of a warp under the scheme: `warp`, unless its machine has warps of one width. */
uint32_t schemes_warp(enum scheme s, uint32_t warp);
/* --schedule: a kernc_schedule; without it *schedule stays. An exit code. */
int schedule_take(struct command *c, int *schedule);

/* ---- reading and compiling (input.c) ----------------------------------------------------------------- */

#define INPUT_LIMIT ((size_t)256 << 20) /* bytes of a source, IR or bytecode file */

#define FIX_ROUNDS 100

#define PROFILE_LIMIT ((size_t)16 << 20) /* bytes of a profile */

/* The options of kernc_compile that the command line asks for; `o` is initialised. EXIT_OK or EXIT_USAGE. */
int compile_options(struct command *c, kernc_options *o);
/* Reads and compiles c->file, shows diagnostics, times and remarks. *r is the caller's if EXIT_OK comes back.
 * `text` gets the file's bytes and is the caller's in any case. */
int compile_file(struct command *c, const kernc_options *o, struct text *text, kernc_result **r);
/* The two halves of it. The first refuses what the verb does not take, by check_kind (kinds.c). */
int read_input(struct command *c, struct text *text);
int check_kind(struct command *c, const struct text *text);
/* The result, good or bad, without a word. */
kernc_result *compile_text(struct command *c, const kernc_options *o, const struct text *text);
/* The file through the system's preprocessor. */
int preprocess(struct command *c, struct text *text);
/* *r is NULL unless EXIT_OK comes back. */
int compile_input(struct command *c, const kernc_options *o, const struct text *text, kernc_result **r);
const char *input_name(const struct command *c); /* as it stands in messages */

#endif
