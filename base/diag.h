/* diag.h: source buffers, places in them, and collected diagnostics.
 *
 * A diagnostic is kept until diag_print shows all of them in order, so that a tool can ask for JSON
 * instead. Every message of the front end has a row in frontend/messages.def; other users give the
 * format themselves.
 */
#ifndef KERNC_DIAG_H
#define KERNC_DIAG_H

#include "base/base.h"
#include <stdio.h>

/* A place: 1-based line and column (column in bytes); 0 is "nowhere". */
typedef struct {
    uint32_t line, column;
} place;
/* A range of source text from `at` to just before `end`; end.line == 0 marks one character. */
typedef struct {
    place at, end;
} span;

/* From the line behind the marker on, lines of a file are those of another, of which only the name is known:
 * what a preprocessor says of its output. */
struct source_marker {
    uint32_t line;  /* of the file that it stands in */
    uint32_t shown; /* the number of the line behind it */
    const struct source *as;
};

/* Lines of a whole program are counted on through the files that it includes: first those of its own file, then
 * those of each other one, in the order in which they were included. Such a number names the file, too. */
struct source {
    const char *name; /* as shown in messages */
    const char *text; /* NUL-terminated copy in the arena */
    size_t length;
    uint32_t *lines;               /* offset of each line's first byte; line n begins at lines[n - 1] */
    uint32_t line_count;           /* of this file */
    uint32_t before;               /* lines of the files before it: its line n is before + n of the whole */
    VEC(struct source *) included; /* of the program's own file: all others; `before` ascends */
    VEC(struct source_marker) markers; /* `line` ascends */
};
/* Copies the text and finds its lines. */
struct source *source_new(struct arena *a, const char *name, const char *text, size_t length);
/* Adds a file to the whole program. NULL: the lines are too many to be counted. */
struct source *source_include(struct arena *a, struct source *whole, const char *name, const char *text,
                              size_t length);
/* A marker in that line of the whole program; it is behind all others. `name` NULL: the file stays the same. */
void source_mark(struct arena *a, struct source *whole, uint32_t line, uint32_t shown, const char *name);
/* The file that has the line of the whole program, by the markers before it; *line becomes the line's number in
 * it. */
const struct source *source_of(const struct source *whole, uint32_t *line);
/* The other way: a line of the file of that name becomes one of the whole program, 0 stays 0. False: there is
 * no such file, or it has no such line. */
bool source_whole_line(const struct source *whole, const char *name, uint32_t *line);
/* The text of a line of the whole program, without its newline; *n gets its length. Lines out of range give
 * "". */
const char *source_line(const struct source *whole, uint32_t line, uint32_t *n);
/* Of the texts of all files. */
uint64_t source_hash(const struct source *whole);

/* A compiled program knows its files by one string: the name of its own file, and behind a newline for each
 * other run of lines how many lines are before it, a blank, and the name; before this, `=N ` where its
 * first line is not line 1 but N, or the name begins with a `=`. */
void source_names(const struct source *whole, struct text *names);
/* The name, of *n bytes, of the file that has the line; *line becomes the line's number in it. */
const char *source_names_find(const char *names, uint32_t *line, size_t *n);

enum diag_group {
#define GROUP(name, is_on, meaning) DIAG_GROUP_##name,
#include "base/groups.def"
    DIAG_GROUPS
};
struct diag_group_info {
    const char *name, *meaning;
    bool is_on;
};
extern const struct diag_group_info diag_group_info[DIAG_GROUPS];

enum diag_severity { DIAG_NOTE, DIAG_REMARK, DIAG_WARNING, DIAG_ERROR };

/* Replace `where` by `insert`; where.end equal to where.at, or absent, means to insert before where.at. */
struct diag_fix {
    span where;
    const char *insert;
};

struct diagnostic {
    enum diag_severity severity;
    const char *id; /* stable name, e.g. "undeclared-name"; the warning group of -W */
    span where;
    const char *text;
    struct diag_fix fix;       /* if has_fix */
    VEC(struct diag_fix) also; /* edits that belong to it: all are made, or none */
    bool has_fix;
    bool promoted;   /* a warning that -Werror made an error */
    uint32_t parent; /* of a note: index of the diagnostic it explains; else UINT32_MAX */
};

/* Warnings and remarks of this id are not wanted on this line: kern:ignore(id). Kept here, since remarks come
 * after the front end, which alone sees the comments, has ended. */
struct diag_ignore {
    uint32_t line;
    const char *id;
};

struct diagnostics {
    struct arena *arena;
    const struct source *source; /* may be NULL */
    VEC(struct diagnostic) all;
    VEC(struct diag_ignore) ignored; /* lines ascend */
    uint32_t groups;                 /* bit per enum diag_group: its warnings are given */
    uint32_t errors, warnings;
    uint32_t error_limit; /* 0: 20; after so many, "too many errors, stopping" and silence */
    bool warnings_off, warnings_are_errors, stopped;
    bool of_options; /* what has no place is about an option, and names no file */
    bool dropping;   /* the latest diagnostic was dropped: so are its notes and fix-its */
};
/* No diagnostics yet, groups as base/groups.def has them. Texts go to the arena. `s` NULL: no source is
 * shown. */
void diag_init(struct diagnostics *d, struct arena *a, const struct source *s);
/* The file that a diagnostic at this place names, whose line is then counted in it; NULL: none. */
const char *diag_file(const struct diagnostics *d, uint32_t *line);
/* The text behind -W: "all", "GROUP", "no-GROUP", "no-all". False: there is no such group. */
bool diag_set_groups(struct diagnostics *d, const char *text);
/* Whether warnings of this group are given on this line; 0: on some. */
bool diag_is_on(const struct diagnostics *d, enum diag_group group, uint32_t line);
/* From here on. Constant where lines ascend. */
void diag_ignore(struct diagnostics *d, struct diag_ignore ignore);
/* Whether a comment kern:ignore(id) covers the line. Logarithmic in such comments. */
bool diag_is_ignored(const struct diagnostics *d, const char *id, uint32_t line);

/* Adds a diagnostic; notes attach to the latest one that is no note. */
void diag_add(struct diagnostics *d, enum diag_severity s, const char *id, span where, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* The same with the arguments in a list. */
void diag_addv(struct diagnostics *d, enum diag_severity s, const char *id, span where, const char *fmt,
               va_list ap);
/* Drops the diagnostics from the index on: as if they had never come. */
void diag_drop(struct diagnostics *d, uint32_t from);
/* A warning of the group, whose name is its id, if the group is on there. */
void diag_warn(struct diagnostics *d, enum diag_group group, span where, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void diag_fixit(struct diagnostics *d, span where, const char *insert); /* to the latest diagnostic */
/* One more edit of the fix-it that the latest diagnostic has. */
void diag_fix_also(struct diagnostics *d, span where, const char *insert);
/* An edit of the fix-it of an earlier one, by its index in `all`: the first is the fix-it, the others belong
 * to it. */
void diag_fix_later(struct diagnostics *d, uint32_t which, span where, const char *insert);
/* Appends the text of the program's own file with as many fix-its applied as do not overlap; those of
 * other files are
 * left. *applied, in the arena of `out`, gets the indices of their diagnostics. */
void diag_apply_fixes(const struct diagnostics *d, struct text *out, u32_vec *applied);

/* "note", "remark", "warning" or "error"; static. */
const char *diag_severity_name(enum diag_severity s);

/* file:line:col: warning: text [-Wid], the line, a caret with ~~~ under the range, the fix-it below. */
void diag_print(const struct diagnostics *d, FILE *out, bool color);
void diag_text(const struct diagnostics *d, struct text *t, bool color); /* the same, appended to t */
/* The first line of one of them, without its end, appended to t. */
void diag_heading(const struct diagnostics *d, const struct diagnostic *g, struct text *t, bool color);
/* Appends an array of
 * {"severity","id","file","line","column","endLine","endColumn","message","fix"?,"notes":[…]}; fix is
 * {"line","column","endLine","endColumn","insert","also"?:[…]}, the same of other edits. */
void diag_json_text(const struct diagnostics *d, struct text *t);
/* Whether colour fits this stream: a terminal, NO_COLOR unset, TERM not dumb. */
bool diag_color_wanted(FILE *out);

#endif
