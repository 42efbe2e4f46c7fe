/* context.h: the state of one compilation, shared by all parts of the front end, and how they say things. */
#ifndef KERNC_FRONTEND_CONTEXT_H
#define KERNC_FRONTEND_CONTEXT_H

#include "frontend/ast/ast.h"
#include "frontend/frontend.h"

/* Which version of a function is being checked; name NULL: the only one. Its errors get a note, which waits for
 * their own notes and fix-its. */
struct fe_instance_note {
    const char *name, *type;
    span at;
    bool is_due;
};

/* A word `auto` that has been reported. */
struct fe_auto {
    uint32_t which; /* the diagnostic */
    span where;
    const char *type; /* what to write; NULL: not known, or not to be written by words */
    bool is_known;    /* a variable has been seen: */
    bool differs;     /* several of them have different types */
};

/* A macro with parameters that has been reported, if its text is arithmetic of these and of constants. */
#define FE_MACRO_PARAMETERS 8
struct fe_macro {
    uint32_t which; /* the diagnostic */
    span where;     /* the #define */
    const char *name, *text;
    const char *parameters[FE_MACRO_PARAMETERS];
    uint32_t count;
    enum fe_word constants;                  /* the type of its numbers; VOID: it has none */
    bool has_shift, has_choice;              /* << or >>; ?: */
    enum fe_word given[FE_MACRO_PARAMETERS]; /* the types of arguments; VOID: no call has been seen */
    bool differs; /* calls give several types, or such as a function could not take */
};
/* The type of an operation on numbers of both types: of INT and those behind it in ast.def; VOID: of none. */
static inline enum fe_word fe_wider_number(enum fe_word a, enum fe_word b)
{
    return a > b ? a : b;
}
/* The index of the interned name among the parameters; FE_MACRO_PARAMETERS: it is none, or m is NULL. */
uint32_t fe_macro_parameter(const struct fe_macro *m, const char *name);
/* Sets has_shift and has_choice by the text. False: no function with that text could be it; comparisons may
 * decide, but are no value. */
bool fe_read_macro(struct fe_macro *m);

/* Whose fix-its are known only when their uses have been checked. */
struct fe_deferred {
    VEC(struct fe_reference *) references; /* to be reported then */
    VEC(struct fe_auto) autos;             /* autos_at: their places -> indices */
    struct map autos_at;
    VEC(struct fe_macro) macros; /* macros_of: their names -> indices */
    struct map macros_of;
};

/* What a part of the source that is in no tree may declare. */
struct fe_excused {
    struct map names; /* interned: nothing is said where they are not */
    bool all;         /* a file is left out that may declare any name */
};

struct frontend {
    struct arena arena;     /* tree and everything else that ends with the compilation */
    struct strings strings; /* names: equal names are equal pointers */
    struct source *source;
    struct diagnostics *diags;
    struct fe_options options;
    struct fe_instance_note instance;
    bool is_repeating; /* what is checked has been before: no warnings */
    bool stopped;      /* the parser has given up: there is no tree to go on with */
    bool incomplete;   /* a syntax error has left a part of the source out of the tree: no warnings, nor
                          errors that may only follow from that */
    bool in_host;      /* the function at hand is code of the host, which has been said: nothing more of it */
    struct fe_excused excused;
    struct fe_deferred deferred;
    bool muted; /* the last warning was not given: nor are its notes and fix-its */
};

/* ---- messages: fe_report(fe, FE_MSG(undeclared_name), name->where, name->name) ----------------------- */

enum fe_message {
#define MSG(id, severity, group, format) FE_MSG_##id,
#include "frontend/messages.def"
    FE_MESSAGES
};
struct fe_message_info {
    const char *id, *format;
    uint8_t severity, group;
};
extern const struct fe_message_info fe_message_info[FE_MESSAGES];

/* The formats by name, so that the compiler checks the arguments of each use. */
#define MSG(id, severity, group, format) __attribute__((unused)) static const char fe_format_##id[] = format;
#include "frontend/messages.def"
#define FE_MSG(id) FE_MSG_##id, fe_format_##id

/* Adds the diagnostic with the severity of its row. A warning whose group is off, there or everywhere, is not
 * given. True if it was. */
bool fe_report(struct frontend *fe, enum fe_message id, const char *format, span where, ...)
    __attribute__((format(printf, 3, 5)));
/* A note on the latest diagnostic that is no note; nothing if that was not given. */
void fe_note(struct frontend *fe, enum fe_message id, const char *format, span where, ...)
    __attribute__((format(printf, 3, 5)));
/* No version of a function is checked any more. */
void fe_end_instance(struct frontend *fe);
/* A fix-it for the latest diagnostic, a note too. */
void fe_fixit(struct frontend *fe, span where, const char *insert);
/* One more edit of the latest fix-it. */
void fe_fix_also(struct frontend *fe, span where, const char *insert);
/* The index of the message that was just given; UINT32_MAX: it was not. For what only the checker knows to
 * mend. */
uint32_t fe_latest(const struct frontend *fe);
/* The fix-it that removes what stands there, with the blanks that kept it from what is beside it, or with its
 * lines if they hold nothing else. */
void fe_fix_removal(struct frontend *fe, span where);
span fe_removal(const struct frontend *fe, span where); /* what that removes */
/* The same of "did you mean", where hardly anything else was: what is guessed only is no fix-it, for it may
 * compile to something else. */
void fe_fix_slip(struct frontend *fe, span where, const char *word, const char *meant);

/* Says of all references what to write instead, with the edits that have been noted. */
void fe_report_references(struct frontend *fe);
/* The message just given is about the word `auto` there (cxx.c). */
void fe_note_auto(struct frontend *fe, span where);
/* Gives the messages of these, and of macros with parameters (macro.c), the fix-its that have been found. */
void fe_fix_autos(struct frontend *fe);
void fe_fix_macros(struct frontend *fe);

/* ---- what is in no tree -------------------------------------------------------------------------------- */

/* From here on it is no mistake that the name is not declared. */
void fe_excuse(struct frontend *fe, const char *name, size_t length);
/* The same of all words between two places. */
void fe_excuse_words(struct frontend *fe, span s);
bool fe_is_excused(const struct frontend *fe, const char *name); /* name: interned */

/* ---- places ------------------------------------------------------------------------------------------ */

static inline span span_join(span a, span b)
{
    return (span){a.at, b.end};
}
static inline span span_after(span s) /* the empty range just behind s */
{
    return (span){s.end, s.end};
}
/* The source text that the span covers. */
const char *fe_span_text(const struct frontend *fe, span s, size_t *length);

/* A row of foreign.def (foreign.c). */
struct fe_foreign_name {
    const char *text;
    const char *advice;     /* NULL: `kern` is exactly what it means */
    const char *kern;       /* what is put there, "" for nothing; NULL: only its reader knows */
    const char *parameters; /* of a FUNCTION; NULL: `kern` stands for the name alone */
    bool is_type;
};
/* A value's or function's name, also one of a family, whose row is made in the arena; a type's, or a word's
 * that stands before one; a word of an attribute, n bytes. NULL: there is none. */
const struct fe_foreign_name *fe_find_foreign(struct arena *a, const char *name);
const struct fe_foreign_name *fe_find_foreign_type(const char *name);
/* Whether it is of the host's code alone. */
bool fe_is_of_host(const struct fe_foreign_name *row);
const struct fe_foreign_name *fe_find_attribute(const char *text, size_t n);

/* ---- the steps --------------------------------------------------------------------------------------- */

struct fe_program;
/* Text to tree. With errors in fe->diags the unit is incomplete. */
struct fe_unit *fe_parse(struct frontend *fe);
/* Annotates the tree; NULL after errors. */
struct fe_program *fe_check(struct frontend *fe, struct fe_unit *u);
/* The module, the caller's (ir_module_free); NULL after errors. */
struct ir_module *fe_lower(struct frontend *fe, struct fe_program *p);

#endif
