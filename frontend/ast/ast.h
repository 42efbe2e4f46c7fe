/* ast.h: the syntax tree, from the parser through the checker to lowering.
 *
 * The parser builds it, the checker annotates it in place (fields marked [checker]; zero before), lowering
 * only reads it. Nodes live in the context's arena; names are interned in the context's strings, so
 * that equal names are equal pointers. Lists are singly linked through `next`, in source order.
 *
 * Depth. Every node knows the depth of the tree below it, and the parser refuses what is deeper than
 * the limits `nesting` and `expression_depth` (frontend/limits.def): recursion over a tree is safe.
 *
 * Spans run from the first character of the construct to just behind its last one.
 */
#ifndef KERNC_FRONTEND_AST_AST_H
#define KERNC_FRONTEND_AST_AST_H

#include "base/diag.h"
#include "base/scalar.h"
#include "launch/launch.h"

enum fe_expr_kind {
#define FE_EXPR(kind, text, meaning) FE_EXPR_##kind,
#include "frontend/ast/ast.def"
    FE_EXPR_KINDS
};
enum fe_stmt_kind {
#define FE_STMT(kind, text, meaning) FE_STMT_##kind,
#include "frontend/ast/ast.def"
    FE_STMT_KINDS
};
enum fe_decl_kind {
#define FE_DECL(kind, text, meaning) FE_DECL_##kind,
#include "frontend/ast/ast.def"
    FE_DECL_KINDS
};
enum fe_form_kind {
#define FE_FORM(kind, text, meaning) FE_FORM_##kind,
#include "frontend/ast/ast.def"
    FE_FORM_KINDS
};
enum fe_word {
#define FE_WORD(kind, text, meaning) FE_WORD_##kind,
#include "frontend/ast/ast.def"
    FE_WORDS
};
enum fe_op {
#define FE_OP(kind, text, meaning) FE_OP_##kind,
#include "frontend/ast/ast.def"
    FE_OPS
};
/* Words of the tables, for dumps and messages. */
extern const char *const fe_expr_text[FE_EXPR_KINDS], *const fe_stmt_text[FE_STMT_KINDS];
extern const char *const fe_decl_text[FE_DECL_KINDS], *const fe_form_text[FE_FORM_KINDS];
extern const char *const fe_word_text[FE_WORDS], *const fe_op_text[FE_OPS];

/* Address space as written; NONE: none was, which means private, or for what a pointer points to, private. */
enum fe_space {
    FE_SPACE_NONE,
    FE_SPACE_GLOBAL,
    FE_SPACE_SHARED,
    FE_SPACE_CONSTANT,
    FE_SPACE_PRIVATE,
    FE_SPACES
};
extern const char *const fe_space_text[FE_SPACES]; /* "" for NONE */

struct fe_type;     /* frontend/types/types.h */
struct fe_builtin;  /* a row of frontend/types/builtins.def */
struct fe_variable; /* frontend/check/program.h */
struct fe_expr;
struct fe_stmt;
struct fe_decl;

/* ---- types as written ------------------------------------------------------------------------------ */

/* A type, outermost first: `global int *a[4]` is array 4 of pointer to (global) int; `int (*f)(float)`
 * is pointer to function(float) returning int. Qualifiers stand on the level they qualify: `const` and
 * the space of declaration specifiers on the innermost, those behind a `*` on that pointer. A variable
 * lives in the space of its outermost level that is no array (`shared float t[16]`: shared).
 * The innermost level is shared by all declarators of one declaration (`int a, *b;`). */
struct fe_form {
    uint8_t kind;  /* enum fe_form_kind */
    uint8_t word;  /* enum fe_word of WORD */
    uint8_t space; /* enum fe_space */
    bool is_const;
    uint16_t depth;
    span where;         /* POINTER: the star and qualifiers; ARRAY, FUNCTION: the bracketed part */
    span space_at;      /* the space's word, if any */
    struct fe_form *of; /* POINTER, ARRAY: element; FUNCTION: result */
    union {
        struct fe_expr *count; /* ARRAY: NULL for [] */
        /* PARAMETERs; (void) and () have none */
        struct {
            struct fe_decl *params;
            uint32_t param_count;
        } function;
        struct {                  /* NAME, STRUCT, ENUM */
            const char *name;     /* NULL: a structure or enumeration without a tag */
            struct fe_decl *decl; /* STRUCT, ENUM with members: the definition; NAME: the TYPEDEF
                                   * [checker]; STRUCT, ENUM that only refer: the definition
                                   * [checker] */
            bool defines;         /* members are written here; resolve once though the node may be
                                     shared */
            bool is_union;        /* STRUCT */
        } named;
    };
    struct fe_type *type; /* what it denotes [checker] */
};

/* ---- expressions ------------------------------------------------------------------------------------ */

/* Suffixes and spelling of a literal. */
enum fe_literal_flag {
    FE_LIT_UNSIGNED = 1,
    FE_LIT_LONG = 2,
    FE_LIT_FLOAT = 4,
    FE_LIT_DECIMAL = 8,
    FE_LIT_CHARACTER = 16,
    FE_LIT_OCTAL = 32,
    FE_LIT_INEXACT = 64 /* a FLOAT whose decimals are not quite its value */
};

struct fe_expr {
    uint8_t kind;       /* enum fe_expr_kind */
    uint8_t op;         /* enum fe_op of UNARY, BINARY; of ASSIGN the binary operator, NONE for plain
                           = */
    uint8_t literal;    /* enum fe_literal_flag of INT, FLOAT */
    bool parenthesised; /* silences the warning on if (a = b) */
    bool implicit;      /* CAST: made by the checker, not written */
    bool lvalue;        /* designates an object [checker] */
    bool constant;      /* `value` holds its value, in the scalar type of `type` [checker] */
    uint16_t depth;
    span where;           /* the whole expression, without the parentheses around it */
    span op_at;           /* operator; CALL: the opening parenthesis; MEMBER: the member's name */
    struct fe_type *type; /* [checker] */
    scalar_bits value;    /* INT, BOOL: the literal's; FLOAT: bits of the double; else the constant's
                             [checker] */
    struct fe_expr *next; /* in a list of arguments or initialisers */
    union {
        /* STRING, FILE: escapes resolved */
        struct {
            const char *bytes;
            uint32_t length;
        } string;
        struct { /* NAME */
            const char *name;
            struct fe_decl *decl;             /* [checker] */
            const struct fe_builtin *builtin; /* [checker] */
        } name;
        struct {
            struct fe_expr *a, *b, *c;
        } sub; /* UNARY a; BINARY, ASSIGN, COMMA,
                * INDEX a b; CONDITIONAL a b c;
                * SIZEOF_EXPR a */
        struct {
            struct fe_form *form;
            struct fe_expr *a;
        } cast;  /* CAST (form NULL if implicit),
                  * SIZEOF_TYPE (a NULL), LITERAL (a is
                  * the INIT) */
        struct { /* CALL */
            struct fe_expr *callee, *args;
            uint32_t arg_count;
            struct fe_expr *token; /* NAME behind @, or NULL */
            void *target;          /* for the checker's use */
        } call;
        struct { /* MEMBER */
            struct fe_expr *object;
            const char *name;
            struct fe_decl *field; /* [checker] */
            bool arrow;
            uint8_t selects;     /* of a vector, so many elements: those
                                  * of `elements`; then there is no
                                  * field [checker] */
            uint8_t elements[4]; /* FE_VECTOR_MAX */
        } member;
        /* INIT */
        struct {
            struct fe_init *items;
            uint32_t count;
        } init;
    };
};

/* Whether it is a MEMBER that selects several elements of a vector. */
static inline bool fe_selects(const struct fe_expr *e)
{
    return e->kind == FE_EXPR_MEMBER && e->member.selects;
}

/* A step into an object: to a member or an element. */
struct fe_designator {
    const char *field;     /* NULL: */
    struct fe_expr *index; /* an element */
    span where;
    struct fe_designator *next;
};

/* One initialiser of a brace list; designators are optional: `.name = v`, `[index] = v`, `.name[index] = v`. */
struct fe_init {
    struct fe_expr *value;      /* may be an INIT itself */
    struct fe_designator *path; /* from the object of the braces inwards; [checker] what is left of it */
    bool entered;               /* a part of the path has been followed [checker] */
    uint32_t offset;            /* bytes from the start of the initialised object [checker] */
    struct fe_init *next;       /* after checking: the next scalar or whole structure, braces flattened */
};

/* ---- statements ------------------------------------------------------------------------------------- */

struct fe_stmt {
    uint8_t kind;  /* enum fe_stmt_kind */
    bool implicit; /* BLOCK: made by the parser around a labelled statement; opens no scope of
                      its own */
    uint16_t depth;
    span where;
    struct fe_stmt *next; /* in the list of its block */
    union {
        struct fe_expr *expr;  /* EXPR; RETURN (or NULL); CASE */
        struct fe_decl *decls; /* DECL: linked by next */
        struct {
            struct fe_stmt *first;
            span close;
        } block; /* BLOCK; close: its } */
        /* IF; otherwise or NULL */
        struct {
            struct fe_expr *condition;
            struct fe_stmt *then, *otherwise;
        } branch;
        struct {                       /* WHILE, DO, FOR */
            struct fe_stmt *init;      /* FOR: EXPR, DECL or NULL; its scope is the loop */
            struct fe_expr *condition; /* FOR: or NULL */
            struct fe_expr *step;      /* FOR: or NULL */
            struct fe_stmt *body;
            uint32_t number; /* among the function's loops [checker] */
        } loop;
        struct { /* SWITCH */
            struct fe_expr *value;
            struct fe_stmt *body;
            struct fe_stmt *cases; /* its CASEs and DEFAULT, linked by next_case [checker] */
            uint32_t point;        /* fe_entered [checker] */
        } select;
        struct {                         /* CASE, DEFAULT; at expr's place */
            struct fe_expr *value;       /* CASE */
            struct fe_stmt *next_case;   /* [checker] */
            struct fe_variable *visible; /* the one declared last, or NULL [checker] */
            uint32_t block;              /* for lowering's use */
        } label;
        struct { /* LABEL, GOTO, PREDICT */
            const char *name;
            span name_at;
            struct fe_expr *threshold;   /* PREDICT: or NULL */
            struct fe_stmt *label;       /* GOTO, PREDICT: the LABEL [checker] */
            struct fe_decl *function;    /* PREDICT: the FUNCTION, if it names one [checker] */
            bool is_predicted;           /* LABEL: some PREDICT names it [checker] */
            struct fe_variable *visible; /* LABEL: the one declared last, or NULL [checker] */
            uint32_t point;              /* GOTO: fe_entered [checker] */
            uint32_t block, prediction;  /* LABEL: for lowering's use */
        } jump;
        struct {
            struct fe_stmt *body, *handler; /* TRY: both are BLOCKs */
        } attempt;
    };
};

/* ---- declarations ----------------------------------------------------------------------------------- */

enum fe_decl_flag {
    FE_DECL_KERNEL = 1,
    FE_DECL_EXTERN = 2,
    FE_DECL_CONVERGENT = 4,
    FE_DECL_UNION = 8,
    FE_DECL_WORD = 16
};

/* C++'s & in a declarator, and what a pointer in its place would need besides: edits of the text. */
struct fe_edit {
    span where;
    const char *insert;
};
struct fe_reference {
    span where;
    bool is_const; /* what it refers to: then a copy does as well */
    VEC(struct fe_edit) edits;
};

struct fe_decl {
    uint8_t kind;  /* enum fe_decl_kind */
    uint8_t flags; /* enum fe_decl_flag: words before a FUNCTION (or wrongly elsewhere);
                      STRUCT: UNION; TYPEDEF: WORD, the name is that of a type of Kern */
    bool is_file_scope;
    bool used;                      /* [checker] */
    const char *name;               /* NULL: unnamed parameter, structure or enumeration without a tag */
    span where;                     /* the whole declaration */
    span name_at;                   /* the name; where there is none, the place it would stand */
    struct fe_form *form;           /* type as written; not of STRUCT, ENUM, ENUMERATOR; LAUNCH: of
                             a named buffer */
    struct fe_type *type;           /* [checker] */
    struct fe_reference *reference; /* VARIABLE, PARAMETER: it was declared as one; or NULL */
    struct fe_decl *next;           /* unit, DECL statement, parameters, fields, enumerators */
    union {
        struct fe_expr *init; /* VARIABLE, ENUMERATOR; or NULL; ASSERT:
                                 condition, its `next` text or NULL */
        struct fe_stmt *body; /* FUNCTION: a BLOCK, or NULL */
        struct {
            struct fe_decl *first;
            uint32_t count;
        } members;                /* STRUCT: FIELDs; ENUM: ENUMERATORs */
        struct fe_launch *launch; /* LAUNCH */
    };
    void *info;      /* checker and lowering keep here what they know of the thing [checker] */
    uint32_t offset; /* FIELD: byte offset; others: for lowering's use [checker] */
};

/* The parameters of a FUNCTION, whose form is always of kind FUNCTION. */
static inline struct fe_decl *fe_params(const struct fe_decl *function)
{
    return function->form->function.params;
}

/* `launch k(a = zeros(N), n = N) grid(8) block(128) show(a[0..8]) save(a = "out.pgm", 64, 64);`
 * Numbers are constant expressions. fe_launch_build (frontend/launch.c) makes a struct launch of it. */
struct fe_launch_item {
    const char *name; /* argument, or buffer of show and save; NULL in grid and block */
    span name_at;
    struct fe_expr *value;        /* argument: number, CALL of a maker, INIT or FILE; save: STRING; grid,
                                     block: number */
    struct fe_expr *first, *last; /* save: width and height, or NULL; show: of a part */
    struct fe_launch_item *parts; /* show: what stands behind the buffer's name, in order: .name, [first],
                                     [first..last] */
    bool hex;                     /* show: `as hex` */
    bool is_short;                /* argument: the value is the name itself */
    struct fe_launch_item *next;
};
/* Also `buffer int a = zeros(N);`, whose value is the only argument and whose type the decl's form,
 * `show(a) save(a = "file");` alone, and `repeat (rounds) while (flag) {`, whose directives follow it in the
 * unit up to an END. */
struct fe_launch {
    enum launch_step step;
    struct fe_expr *rounds; /* REPEAT: or NULL */
    const char *flag;       /* REPEAT: a buffer's name, or NULL */
    span flag_at;
    span kernel_at; /* the decl's name is the kernel's */
    struct fe_launch_item *arguments, *shows, *saves, *grid, *block;
    struct fe_launch_item *shared;     /* elements of the kernel's unsized shared arrays; NULL: not given */
    span grid_at, block_at, shared_at; /* the clause's word; line 0: not given */
    struct launch built;               /* by fe_launch_build */
};

/* A whole file: functions, variables, types and launches in source order. Every struct and enum that is
 * defined inside another declaration stands in the list before it as a declaration of its own. */
struct fe_unit {
    struct fe_decl *first, *last;
    uint32_t count;
};

/* A second tree of the body of a function, which nothing has annotated (frontend/ast/ast_copy.c). */
struct fe_stmt *fe_copy_body(struct arena *a, const struct fe_stmt *body);
/* The same of an expression. */
struct fe_expr *fe_copy_expr(struct arena *a, const struct fe_expr *e);

/* ---- printing (frontend/ast/ast_print.c) ----------------------------------------------------------------- */

/* A readable tree, one node a line, children indented; types are shown once the checker has set them. */
void fe_print_unit(const struct fe_unit *u, struct text *out);
/* A type as written, in C's notation: "global int *[4]". */
void fe_print_form(const struct fe_form *f, struct text *out);

#endif
