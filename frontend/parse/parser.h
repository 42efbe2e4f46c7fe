/* parser.h: what lexer, parser, tree constructors and syntax messages share. Private to fe_parse.
 *
 * Names of types. C's grammar needs to know which names are types. The lexer asks `words`, where the parser
 * has noted it; declarations in inner scopes undo themselves by a log when the scope closes.
 *
 * Brackets. The lexer keeps a stack of open brackets: for the limit on nesting, for the note "to close this",
 * and for recovery, which knows from it how much of a broken statement lies inside parentheses.
 */
#ifndef KERNC_FRONTEND_PARSE_PARSER_H
#define KERNC_FRONTEND_PARSE_PARSER_H

#include "frontend/context.h"

enum parser_qualifier {
    QUALIFIER_CONST,
    QUALIFIER_GLOBAL,
    QUALIFIER_SHARED,
    QUALIFIER_CONSTANT,
    QUALIFIER_PRIVATE,
    QUALIFIER_KERNEL,
    QUALIFIER_EXTERN,
    QUALIFIER_CONVERGENT,
    QUALIFIERS,
};

/* Words before and behind a type or star. */
struct qualifiers {
    uint32_t set; /* bit per enum parser_qualifier */
    span at[QUALIFIERS];
};

/* qualifiers NULL: none */
struct specifiers {
    struct fe_form *form;
    struct qualifiers *qualifiers;
};

/* A declarator while it is read: `head` leads to the type from the name outwards, *hole is where the
 * declaration's own type goes. */
struct declarator {
    const char *name; /* NULL: abstract */
    span name_at, where;
    struct fe_form *head, **hole;
    bool is_word;                   /* the name is a word of a type: a typedef that names what has the name */
    struct fe_reference *reference; /* NULL: it is none */
    struct fe_expr *init;
    struct declarator *next;
};

struct list {
    void *first, *last; /* of nodes linked by `next` */
};

/* Values of the parser's symbols. */
union value {
    uint32_t word;
    const char *name;
    struct fe_expr *expr;
    struct fe_init *init;
    struct fe_designator *designator;
    struct fe_stmt *stmt;
    struct fe_form *form;
    struct fe_decl *decl;
    struct fe_launch_item *item;
    struct declarator *declarator;
    struct qualifiers *qualifiers;
    struct specifiers specifiers;
    struct list list;
    struct fe_launch *launch;
};

/* what the name was outside the scope */
struct undo {
    const char *name;
    uint32_t token;
};
/* what stands before it */
struct bracket {
    char open;
    bool is_for, is_condition;
    span where;
};

/* A block or member list: how many brackets and scopes are open inside it. Recovery goes back to that. */
struct block {
    uint32_t brackets, scopes;
    bool members; /* of a structure */
};

/* What stands before the token that the parser has read last. */
struct history {
    span previous, current;
    int previous_token, current_token;
    const char *previous_name, *current_name; /* of names, else NULL */
    span first;                               /* first word of the statement, if it is a name */
    const char *first_name;
};

/* The file that is being read, and how far. */
struct reader {
    const struct source *file;
    const char *cursor, *line_start, *end;
    uint32_t line; /* of the whole program (struct source) */
};

/* A file that is being read because another includes it. */
struct fe_including {
    const struct source *file;
    const char *real;    /* its name without links and dots */
    struct reader after; /* where reading goes on behind it */
};

/* include.c */
struct includes {
    VEC(struct fe_including) open; /* those inside each other, but for the program's own */
    const char *own_name;          /* the real name of that; NULL: not asked for yet */
    struct map read;               /* real names of files that were read */
};

/* Of a launch directive. */
struct launch_words {
    bool is_open; /* grid, block, show and save are words here */
    bool in_arguments;
    const char *kernel; /* in the arguments: of the launch */
    uint32_t argument;  /* how many stand before the one being read */
    uint32_t repeats;   /* open ones, from the word on; their braces are among the brackets */
};

/* words.c: what names mean, and what they meant outside the scopes that are open. */
struct names {
    struct map words; /* name -> what words.c knows of it */
    struct map tags;  /* of structures and enumerations -> enum fe_decl_kind */
    VEC(struct undo) undo;
    u32_vec scopes; /* lengths of undo */
};

/* directive.c */
struct directives {
    struct map macros; /* names -> the enum fe_word of a constant's type, FE_WORD_VOID: of no number */
    bool no_branches;  /* no #else, #elif or #endif follows */
};

/* A token of translate.c that the parser is given before the lexer goes on. */
struct queued {
    int token;
    union value value;
    span where;
};

/* A cooperative group that is declared (groups.c). */
struct fe_group {
    uint8_t kind;   /* enum group */
    bool is_needed; /* by what is not understood */
    uint32_t which; /* the diagnostic that says to remove the declaration; UINT32_MAX: none */
    span where;     /* what is removed then */
};

/* NAME<arguments>( of the file that is read. */
struct template_use {
    const char *arguments; /* interned */
    span where;            /* < to > */
    uint32_t before;       /* the use of the name before it, or 0 */
};

/* translate.c */
struct translation {
    VEC(struct queued) queue;
    uint32_t given;       /* how many of the queue have been; all when the lexer goes on */
    struct queued type;   /* the latest token of a type */
    bool in_value;        /* behind the = of a variable outside functions */
    const char *cast_end; /* the > that stands for the ) of a cast; NULL: none */
    uint32_t blocks;      /* { of other languages that are left out: so are their } */
};

/* template.c */
struct templates {
    VEC(struct template_use) uses; /* of the file; [0] is none */
    struct map latest;             /* names -> the latest use */
    struct map plain;              /* names in front of a ( -> how often */
};

/* groups.c */
struct groups {
    VEC(struct fe_group) decls;
    struct map names; /* -> index of the latest */
};

/* recover.c */
struct recovery {
    bool insert_semicolon; /* go on as if one stood here */
    bool skip_body;        /* go on behind the block that begins here */
    place at;              /* token at which it ended last */
    bool has_gaps;         /* something is in no tree */
};

#define FE_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"

static inline bool fe_begins_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
/* A NUL byte is in no word, though strchr finds it in every string. */
static inline bool fe_in_word(char c)
{
    return fe_begins_word(c) || (c >= '0' && c <= '9');
}
static inline size_t fe_word_length(const char *at)
{
    size_t n = 0;
    while (fe_in_word(at[n]))
        n++;
    return n;
}
/* The next character of the line that is no blank. */
static inline const char *fe_behind_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
}
/* The same over lines. */
static inline const char *fe_behind_space(const char *at)
{
    while (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')
        at++;
    return at;
}
/* Whether the text goes on so, or is this word. Most differ in the first character. */
static inline bool fe_goes_on(const char *at, const char *text)
{
    return *at == *text && strncmp(at, text, strlen(text)) == 0;
}
static inline bool fe_is_same(const char *name, const char *word)
{
    return *name == *word && strcmp(name, word) == 0;
}

struct parser {
    struct frontend *fe;
    struct arena *arena;
    struct reader in;
    struct includes includes;
    struct names names;

    /* tokens */
    VEC(struct bracket) brackets;
    struct bracket unclosed; /* opener that the latest closing bracket did not fit; open 0: none */
    struct history history;
    span qualifier;       /* const between the words of the type just read: the next token; line 0: none */
    bool falls_through;   /* a comment before the next token says that a case is gone on into */
    place broken_literal; /* the latest string or character that is not closed */
    struct launch_words launch;

    /* other languages */
    struct directives directives;
    struct translation translation;
    struct templates templates;
    struct groups groups;

    /* the tree */
    VEC(struct block) blocks; /* enclosing blocks and member lists */
    struct list definitions;  /* structs and enums defined within the declaration being read */
    struct fe_unit *unit;
    struct recovery recovery;
    bool stopped; /* no use going on: only the end of the file follows */
};

/* ---- lexer.re, literals.c, words.c ------------------------------------------------------------------- */

/* At the start of the source, behind a byte order mark; fills in the words. */
void fe_lexer_init(struct parser *p);
/* At the start of a file. */
void fe_lexer_begin(struct parser *p, const struct source *s);
/* The next token, its value and place, for the parser; clause words of a launch directive are told from names
 * here. TOK_END for good at the end and once `stopped`. */
int fe_parser_lex(union value *value, span *where, struct parser *p);
/* A literal's token and value; n bytes of text that end at the cursor, which goes back where `1..` begins a
 * range. What is wrong with it is reported, and it counts as INT. */
int fe_lex_number(struct parser *p, const char *text, size_t n, span where, union value *value);
int fe_lex_string(struct parser *p, place at, union value *value);    /* the cursor is behind the " */
int fe_lex_character(struct parser *p, place at, union value *value); /* the cursor is behind the ' */
/* The place of a byte of the line that the cursor is in. */
place fe_here(const struct parser *p, const char *at);
/* Goes on at `to`, which may lie on a later line. */
void fe_go_on(struct parser *p, const char *to);
/* Moves the cursor behind the comment that begins at `start`, and notes its kern:ignore or fallthrough; a block
 * comment without end is reported. */
void fe_skip_comment(struct parser *p, const char *start, bool is_block);

/* Goes on with the file that the string names, unless it was read before (include.c). What is wrong is
 * reported. */
void fe_include(struct parser *p, const struct fe_expr *string, span where);
/* Whether the # at `at` begins a line marker (directive.c). Then it has been noted, or reported, and the
 * cursor is at the end of its line. */
bool fe_skip_line_marker(struct parser *p, const char *at);
/* The same as a fix-it for C's #include, which covers `line`: where there is such a file. `string` begins
 * with its
 * quote. */
void fe_fix_include(struct parser *p, span line, const char *string);
/* At the end of a file, behind a declaration: goes back to the one that includes it. False: none does, or it
 * ends in the middle of something. */
bool fe_end_include(struct parser *p);

/* Enters keywords and the words of foreign.def; to be called once, before names are looked up. */
void fe_words_init(struct parser *p);
/* The token of a name or keyword, which may be made of several words; sets *value. 0: a foreign word, to be
 * skipped after the report. `text` ends at the cursor. */
int fe_word_token(struct parser *p, const char *text, size_t n, span where, union value *value);
/* The keyword that the word is a slip for, and whether it is a part of a type; NULL: none. */
const char *fe_nearest_keyword(const char *word, bool *of_type);
/* From here on names of types are undone when the scope closes. */
void fe_type_scope_open(struct parser *p);
void fe_type_scope_close(struct parser *p, uint32_t scopes); /* until so many are open */
void fe_block_open(struct parser *p);                        /* with a scope */
void fe_members_open(struct parser *p);                      /* the same of a structure */
/* Closes its scope and those left open in it. */
void fe_block_close(struct parser *p);
/* The name is that of a type, or of none, until the innermost scope closes. */
void fe_declare_name(struct parser *p, const char *name, bool is_type);
/* The parameters' names are no types. */
void fe_declare_params(struct parser *p, const struct fe_form *function);

/* Whether the interned name is a word of the language or of another; whether it begins a type. */
bool fe_is_word(const struct parser *p, const char *name);
bool fe_is_type_word(const struct parser *p, const char *name);
/* The token for a row of FOREIGN_TYPE, after the report; 0: nothing stands for it; negative: it is some
 * type. */
int fe_foreign_type_token(struct parser *p, const struct fe_foreign_name *row, span where,
                          union value *value);
/* The token of the keyword that the name is a slip for, after the report; 0: of none. */
int fe_misspelt_token(struct parser *p, const char *name, span where, union value *value);

/* ---- directive.c: a line that begins with # at `at`: it is reported, and the cursor behind it ------------ */

void fe_directive_line(struct parser *p, const char *at);

/* ---- translate.c --------------------------------------------------------------------------------------- */

/* What the parser is given for a token of the lexer, whose value and place may change; others may wait
 * behind it.
 * 0: nothing. */
int fe_translate(struct parser *p, int token, union value *value, span *where);
/* At the start of a parameter, as far as that can be seen. */
bool fe_in_parameters(const struct parser *p);
/* Whether the name is followed by what a template has in < >, of its declaration or of a use: then it is
 * reported, and the cursor behind it (template.c). */
bool fe_skip_template(struct parser *p, const char *name, span where);
bool fe_skip_template_arguments(struct parser *p, const char *name);
/* The token follows those that wait already. */
void fe_queue_token(struct parser *p, int token, union value value, span where);
/* The same as fe_translate of a name of cooperative groups (groups.c); negative: it is none. */
int fe_translate_group(struct parser *p, union value *value, span *where);
/* At the end: declarations of groups that nothing needs any more get the fix-it that removes them. */
void fe_fix_groups(struct parser *p);
/* Whether the } at `at` closes what is left out; then it is reported. */
bool fe_skip_brace(struct parser *p, const char *at);

/* ---- attributes (syntax_foreign.c); false: none is there. Else it is reported, and the cursor behind it -- */

/* Behind a word of FOREIGN_CALL at `where`: what stands in parentheses there. fixes: with a fix-it that removes
 * both. */
bool fe_skip_call(struct parser *p, const char *word, const char *advice, span where, bool fixes);
/* Whether the [ at `at` begins one; may_begin: a declaration or statement may begin there. */
bool fe_skip_brackets(struct parser *p, const char *at, bool may_begin);

/* ---- syntax_error.c ---------------------------------------------------------------------------------- */

#define MAX_EXPECTED 6
struct syntax_error {
    int token;
    const char *unexpected; /* as the grammar names it */
    const char *expected[MAX_EXPECTED];
    unsigned count; /* may be more than MAX_EXPECTED */
    bool wants_semicolon, wants_parenthesis, wants_square, wants_name, wants_expression, wants_statement;
};
/* Reports it, by the likeliest of the slips that it may be. Nothing where it follows from one that has been
 * reported. */
void fe_syntax_error(struct parser *p, const struct syntax_error *e);
bool fe_is_vector_name(const char *name);
/* Reports a word for which a keyword, which is returned, is probably meant; NULL: none is. */
const char *fe_suggest_keyword(struct parser *p, const char *word, span where);
/* ---- syntax_foreign.c: guesses that report and return true if they apply ------------------------------- */

/* A type, word or operator of another language. */
bool fe_guess_foreign(struct parser *p, const struct syntax_error *e);
/* A launch in a function that is not closed, or one whose arguments have no names. */
bool fe_guess_launch(struct parser *p, const struct syntax_error *e);
void fe_note_opener(struct parser *p, struct bracket b);

/* ---- recover.c --------------------------------------------------------------------------------------- */

/* The innermost block or member list; where none is open, one without brackets and scopes. */
struct block fe_around(const struct parser *p);
bool fe_same_place(place a, place b);
bool fe_begins_declaration(int token);
/* Whether a statement or declaration may begin behind this token. */
bool fe_ends_statement(int token);
/* Words that begin a statement or continue one, and nothing else. */
bool fe_is_statement_word(int token);
/* Skips the rest of a broken statement, declaration or member, which the parser has dropped from `from` on: on
 * return *token is where to go on. False: at the end of the file. */
bool fe_recover(struct parser *p, int *token, union value *value, span *where, place from);
/* The same where only the semicolon was missing, or what should be the semicolon is not. */
bool fe_recover_semicolon(struct parser *p, int *token, union value *value, span *where, place from);

/* ---- tree.c: constructors. They take over what they are given and refuse trees that are too deep. ----- */

#define list_add(l, node)                                                                                    \
    ((l)->last ? (((__typeof__(node))(l)->last)->next = (node)) : ((l)->first = (node)), (l)->last = (node))

/* A node of the kind with nothing in it. All nodes lie in the parser's arena. Of the constructors below
 * `where` is the whole construct, `op_at` as in struct fe_expr; NULL stands for what is left out. */
struct fe_expr *fe_expr_new(struct parser *p, enum fe_expr_kind kind, span where);
struct fe_expr *fe_expr_unary(struct parser *p, enum fe_op op, span where, span op_at, struct fe_expr *a);
struct fe_expr *fe_expr_binary(struct parser *p, enum fe_expr_kind kind, enum fe_op op, span op_at,
                               struct fe_expr *a, struct fe_expr *b);
struct fe_expr *fe_expr_conditional(struct parser *p, span op_at, struct fe_expr *a, struct fe_expr *b,
                                    struct fe_expr *c);
struct fe_expr *fe_expr_index(struct parser *p, span where, span op_at, struct fe_expr *a, struct fe_expr *b);
struct fe_expr *fe_expr_name(struct parser *p, span where, const char *name);
struct fe_expr *fe_expr_call(struct parser *p, span where, span op_at, struct fe_expr *callee,
                             struct list args);
/* call@token. */
struct fe_expr *fe_expr_at(struct parser *p, span where, struct fe_expr *call, struct fe_expr *token);
struct fe_expr *fe_expr_member(struct parser *p, span where, struct fe_expr *object, bool arrow,
                               const char *name, span name_at);
/* CAST, LITERAL or SIZEOF_TYPE (then `a` is NULL). */
struct fe_expr *fe_expr_form(struct parser *p, enum fe_expr_kind kind, span where, struct fe_form *form,
                             struct fe_expr *a);
/* Of struct fe_init; may be empty. */
struct fe_expr *fe_expr_init(struct parser *p, span where, struct list items);
/* adjacent strings make one */
struct fe_expr *fe_expr_join(struct parser *p, struct list strings, span where);
/* `.field` or, that being NULL, `[index]`. */
struct fe_designator *fe_designator_new(struct parser *p, const char *field, struct fe_expr *index,
                                        span where);
/* `path`: of struct fe_designator; may be empty. */
struct fe_init *fe_init_designated(struct parser *p, struct list path, struct fe_expr *value);

/* A node of the kind with nothing in it. */
struct fe_stmt *fe_stmt_new(struct parser *p, enum fe_stmt_kind kind, span where);
/* EXPR, RETURN (`e` may be NULL). */
struct fe_stmt *fe_stmt_expr(struct parser *p, enum fe_stmt_kind kind, span where, struct fe_expr *e);
/* `items`: statements. */
struct fe_stmt *fe_stmt_block(struct parser *p, span where, struct list items, span close);
/* `otherwise` may be NULL. */
struct fe_stmt *fe_stmt_if(struct parser *p, span where, struct fe_expr *condition, struct fe_stmt *then,
                           struct fe_stmt *otherwise);
/* WHILE or DO. */
struct fe_stmt *fe_stmt_loop(struct parser *p, enum fe_stmt_kind kind, span where, struct fe_expr *condition,
                             struct fe_stmt *body);
/* Any part but the body may be NULL. */
struct fe_stmt *fe_stmt_for(struct parser *p, span where, struct fe_stmt *init, struct fe_expr *condition,
                            struct fe_expr *step, struct fe_stmt *body);
/* The labels are found by the checker. */
struct fe_stmt *fe_stmt_switch(struct parser *p, span where, struct fe_expr *value, struct fe_stmt *body);
/* LABEL, GOTO or PREDICT; only a PREDICT has a threshold, which may be NULL. */
struct fe_stmt *fe_stmt_jump(struct parser *p, enum fe_stmt_kind kind, span where, const char *name,
                             span name_at, struct fe_expr *threshold);
/* Both are BLOCKs. */
struct fe_stmt *fe_stmt_try(struct parser *p, span where, struct fe_stmt *body, struct fe_stmt *handler);
/* The label and what it stands before, as one implicit block. */
struct fe_stmt *fe_stmt_labelled(struct parser *p, span where, struct fe_stmt *label, struct fe_stmt *body);

/* A level of a type with nothing in it. */
struct fe_form *fe_form_new(struct parser *p, enum fe_form_kind kind, span where);
/* `word`: enum fe_word. */
struct fe_form *fe_form_word(struct parser *p, span where, uint32_t word);
/* NAME; or STRUCT, ENUM that refer to a definition elsewhere. */
struct fe_form *fe_form_named(struct parser *p, enum fe_form_kind kind, span where, const char *name);
/* STRUCT or ENUM that defines its members; joins p->definitions. `tag` may be NULL. */
struct fe_form *fe_form_members(struct parser *p, enum fe_form_kind kind, span where, const char *tag,
                                span tag_at, struct list members);

/* A STRUCT form of either kind, made that of a union if it is one. */
struct fe_form *fe_form_union(struct fe_form *f, bool is_union);

/* ---- declare.c: declarations from specifiers and declarators ----------------------------------------- */

/* Adds the word (enum parser_qualifier) to the set, a new one if `to` is NULL. A word given twice and a
 * second address space are reported and left out. */
struct qualifiers *fe_qualifier(struct parser *p, struct qualifiers *to, uint32_t word, span where);
/* The words before and behind the type together; either may be NULL. */
struct specifiers fe_specifiers(struct parser *p, struct qualifiers *before, struct fe_form *f,
                                struct qualifiers *behind);
/* The declarator of a name, and one without, of no length at the start of `where`. */
struct declarator *fe_declarator_name(struct parser *p, const char *name, span where);
struct declarator *fe_declarator_abstract(struct parser *p, span where);
/* The declarator with a star before it; `q` NULL: no qualifiers. */
struct declarator *fe_declarator_pointer(struct parser *p, struct declarator *d, struct qualifiers *q,
                                         span where);
/* The same with C++'s &, which is reported by fe_report_references. */
struct declarator *fe_declarator_reference(struct parser *p, struct declarator *d, span where);
/* With [count] behind it; NULL: []. */
struct declarator *fe_declarator_array(struct parser *p, struct declarator *d, struct fe_expr *count,
                                       span where);
/* With parameters behind it; (void) counts as none. */
struct declarator *fe_declarator_function(struct parser *p, struct declarator *d, struct list params,
                                          span where);
/* The type of a cast or sizeof; `d` NULL: the specifiers alone. One that is defined here is reported. */
struct fe_form *fe_type_name(struct parser *p, struct specifiers s, struct declarator *d);
/* A PARAMETER; `d` may be abstract. */
struct fe_decl *fe_param(struct parser *p, struct specifiers s, struct declarator *d, span where);
/* FIELDs, one a declarator. */
/* `struct { … };` or `union { … };` in a structure: a FIELD without a name; of other types a complaint. */
struct list fe_anonymous_field(struct parser *p, struct specifiers s, span where);
struct list fe_fields(struct parser *p, struct specifiers s, struct list declarators, span where);
/* From here on the name is no type. `value` NULL: the one after the enumerator before. */
struct fe_decl *fe_enumerator(struct parser *p, const char *name, span where, struct fe_expr *value);
/* `text` NULL: none was given. */
struct fe_decl *fe_static_assert(struct parser *p, struct fe_expr *condition, struct fe_expr *text,
                                 span where);
/* Variables, functions without bodies, or typedefs; the types defined on the way come first. */
struct list fe_type_declaration(struct parser *p, struct specifiers s, bool complain, span where);
/* The types defined on the way come first. Each declarator becomes a TYPEDEF, a FUNCTION if it has
 * parameters, or else a VARIABLE. */
struct list fe_declaration(struct parser *p, struct specifiers s, struct list declarators, bool is_typedef,
                           span where);
/* A FUNCTION up to its body, whose parameters are declared in a scope of their own. Without a parameter list,
 * which is reported, it gets an empty one. */
struct fe_decl *fe_function_begin(struct parser *p, struct specifiers s, struct declarator *d);
/* The definitions in the function, and behind them the function with its body; closes the scope of its
 * parameters. */
struct list fe_function_end(struct parser *p, struct fe_decl *f, struct fe_stmt *body);
/* `l` has the clauses but the arguments. */
struct fe_decl *fe_launch_decl(struct parser *p, span where, const char *kernel, span kernel_at,
                               struct fe_launch *l, struct list arguments);
/* `name` alone: the value is what has this name outside. */
/* The width or height of the last buffer saved, or another one, `name = "file"`. */
struct list fe_save_more(struct parser *p, struct list saves, struct fe_expr *e);
struct fe_launch_item *fe_launch_short(struct parser *p, const char *name, span where);
/* A directive of outputs, or an END; `name_at` is for messages. */
struct fe_decl *fe_directive(struct parser *p, enum launch_step step, span where, const char *name,
                             span name_at, struct fe_launch *l);
struct fe_decl *fe_buffer_decl(struct parser *p, span where, struct specifiers s, const char *name,
                               span name_at, struct fe_expr *value);
struct fe_launch *fe_launch_new(struct parser *p, struct fe_launch_item *shows, struct fe_launch_item *saves);
/* `rounds` or `flag` may be NULL. */
struct fe_launch *fe_repetition(struct parser *p, struct fe_expr *rounds, const char *flag, span flag_at);
/* The REPEAT, its directives, the END. */
struct list fe_repeat(struct parser *p, span where, struct fe_launch *l, struct list directives, span end);
/* `name` NULL in grid, block and shared; value, first and last as in struct fe_launch_item. */
struct fe_launch_item *fe_launch_item(struct parser *p, const char *name, span name_at, struct fe_expr *value,
                                      struct fe_expr *first, struct fe_expr *last);
/* Adds a part, which lies at `where`, to an item of show. */
struct fe_launch_item *fe_shown_part(struct fe_launch_item *item, struct fe_launch_item *part, span where);
/* `as hex` behind an item of show; other words are reported. */
struct fe_launch_item *fe_shown_as(struct parser *p, struct fe_launch_item *item, const char *as, span as_at,
                                   const char *how, span how_at);
/* The items behind those of `to` (NULL: none), whose first is returned. Linear in `to`. */
struct fe_launch_item *fe_launch_append(struct fe_launch_item *to, struct list items);
/* An item without name for each expression. */
struct list fe_launch_numbers(struct parser *p, struct list values);
/* Sets what a clause says; one given twice, or a grid or block of more than three numbers, is reported. */
void fe_launch_size(struct parser *p, struct fe_launch *l, enum launch_clause clause, span where,
                    struct list numbers);
struct list fe_list_join(struct list a, struct list b); /* of declarations */
/* Appends to the unit. */
void fe_unit_add(struct fe_unit *u, struct list decls);

#endif
