/* check.h: the checker's state and the parts of it that call each other (check*.c, scope.c).
 *
 * Checking annotates the tree in place. An expression that has been complained about gets the type ERROR,
 * which every rule accepts silently, so that one mistake gives one message. fe_check_ functions return the
 * expression to be put where the checked one stood: it may have been wrapped in an implicit conversion.
 */
#ifndef KERNC_FRONTEND_CHECK_CHECK_H
#define KERNC_FRONTEND_CHECK_CHECK_H

#include "frontend/check/program.h"
#include "frontend/context.h"

enum fe_namespace { FE_NAMES, FE_TAGS };

struct fe_symbol {
    struct fe_decl *decl;
    uint64_t key;      /* name and namespace */
    uint32_t shadowed; /* symbol that the same name meant before, or 0 */
    uint32_t level;
};

struct fe_label {
    struct fe_stmt *stmt;
    bool used;
};

struct fe_switch {
    struct fe_type *type; /* of the value, promoted */
    struct fe_stmt *stmt, **last_case, *otherwise;
    uint32_t loop;
    bool fresh;        /* no statement between this point and the case before it */
    struct map values; /* case value -> index into cases */
    VEC(struct fe_stmt *) cases;
};

/* What the statement being checked stands in. */
struct fe_nest {
    struct fe_switch *in_switch; /* innermost, or NULL */
    struct fe_variable *visible; /* of the function's variables in scope the one declared last */
    uint32_t loop;
    bool *broken, *continued; /* set by break and continue; NULL where they can't stand */
    bool in_try;
    bool heart_allowed; /* this is the first statement of a loop's body */
};

/* scope.c: what names mean here. */
struct fe_scopes {
    VEC(struct fe_symbol) symbols; /* symbols.at[0] is none */
    struct map names;              /* key -> innermost symbol */
    uint32_t level;                /* 0: file scope */
};

struct fe_fields {
    struct map index; /* (structure, name) -> index into list */
    VEC(struct fe_decl *) list;
};

/* The function's body up to the point that the walk has come to. */
struct fe_body {
    uint32_t point; /* of the text: fe_entered */
    bool reachable, warned_unreachable;
    VEC(struct fe_stmt *) jumps; /* a goto or Predict, whose label is found at the function's end */
    VEC(struct fe_label) labels;
    struct map label_names;
    struct fe_variable *own_value; /* scalar whose initialiser is being checked, or NULL */
};

/* What the expression that is checked next stands in. */
struct fe_context {
    uint32_t unevaluated;            /* > 0 inside sizeof */
    const struct fe_decl *launch;    /* whose numbers are being checked, or NULL */
    bool names_round;                /* they do name the round of its repeat */
    const struct fe_expr *called;    /* the call whose callee is checked next */
    const struct fe_expr *addressed; /* the operand of the & whose operand is checked next */
    const struct fe_expr *indexed;   /* the array that decays for its index alone */
};

/* instance.c */
struct fe_instances {
    VEC(struct fe_function *) needed; /* open functions and instances whose bodies are to be checked */
    uint32_t checked;                 /* of these */
    uint32_t count;                   /* of instances that were made */
};

struct checker {
    struct frontend *fe;
    struct fe_program *program;
    struct fe_types *types;
    struct arena *arena;

    struct fe_scopes scopes;
    struct map builtins; /* interned name -> row */
    struct fe_fields fields;
    struct fe_function *function; /* being checked, or NULL */
    struct fe_nest nest;
    struct fe_body body;
    struct fe_context context;
    struct fe_instances instances;
    VEC(struct fe_expr *) undefined_targets; /* names of functions without a body so far, address taken */
    struct fe_use no_use;                    /* stands for uses in sizeof and outside functions */
};

/* ---- messages ---------------------------------------------------------------------------------------- */

/* fe_type_print's text, in the checker's arena. */
const char *fe_type_text(struct checker *c, const struct fe_type *t);
struct fe_expr *fe_poison(struct checker *c, struct fe_expr *e); /* gives it the type ERROR */

/* ---- check_decl.c ---------------------------------------------------------------------------------------- */

/* The declaration of a constant of the file, whose initialiser has been checked, gets the value that the caller
 * gives it, if any. */
void fe_define(struct checker *c, struct fe_decl *d);
/* Complains about values given to what is no such constant. */
void fe_check_defines(struct checker *c);

/* ---- scope.c ----------------------------------------------------------------------------------------- */

/* Closing a scope leaves its declarations, innermost last; those not used get their warnings. */
void fe_scope_open(struct checker *c);
void fe_scope_close(struct checker *c);
struct fe_decl *fe_find(struct checker *c, enum fe_namespace ns, const char *name);      /* or NULL */
struct fe_decl *fe_find_here(struct checker *c, enum fe_namespace ns, const char *name); /* this scope only */
/* Enters it; if the scope has the name already, says so and returns that. */
struct fe_decl *fe_enter(struct checker *c, enum fe_namespace ns, struct fe_decl *d);
/* The row of builtins.def of an interned name; NULL: there is none. */
const struct fe_builtin *fe_find_builtin(struct checker *c, const char *name);
/* The visible name most like this one, or NULL if none is near. */
const char *fe_suggest(struct checker *c, enum fe_namespace ns, const char *name);
/* The member most like the name; NULL: none is near. */
const char *fe_suggest_field(const struct fe_decl *structure, const char *name);

/* ---- check_type.c, check_decl.c ---------------------------------------------------------------------- */

/* The type that is written, noted in f->type; ERROR after a message. */
struct fe_type *fe_check_form(struct checker *c, struct fe_form *f);
/* The space a variable of this form is declared to live in; NONE: none was written. */
enum fe_space fe_form_space(const struct fe_form *f);
/* Defines and lays out the structure, once; what is wrong with it is reported. */
void fe_check_struct(struct checker *c, struct fe_decl *d);
/* Enters the tag and the enumerators, once; their type is int. */
void fe_check_enum(struct checker *c, struct fe_decl *d);
/* The FIELD of an interned name; NULL: there is none. Constant time on average. */
struct fe_decl *fe_find_field(struct checker *c, const struct fe_type *structure, const char *name);
void fe_check_decl(struct checker *c, struct fe_decl *d); /* any, except a function's body */
/* Makes its variable and enters the name; nothing if it has none. */
void fe_enter_parameter(struct checker *c, struct fe_decl *p);
void fe_leave_decl(struct checker *c, struct fe_decl *d); /* its scope closes: was it used? */

/* ---- check_expr.c, check_ops.c, check_call.c, convert.c, check_init.c -------------------------------- */

struct fe_expr *fe_check_expr(struct checker *c, struct fe_expr *e); /* may be an lvalue, array or function */
/* arrays and functions become pointers */
struct fe_expr *fe_check_value(struct checker *c, struct fe_expr *e);
struct fe_expr *fe_check_condition(struct checker *c, struct fe_expr *e); /* of type bool */
/* The kinds of fe_check_expr that have a file of their own or much to say. Each gives the node that takes e's
 * place, poisoned after a message. */
struct fe_expr *fe_check_call(struct checker *c, struct fe_expr *e);
struct fe_expr *fe_check_printf(struct checker *c, struct fe_expr *e);
struct fe_expr *fe_check_unary(struct checker *c, struct fe_expr *e);
struct fe_expr *fe_check_binary(struct checker *c, struct fe_expr *e);
struct fe_expr *fe_check_assign(struct checker *c, struct fe_expr *e);
/* An integer constant expression within low..high; `what` names it in messages. False after a message. */
bool fe_check_constant(struct checker *c, struct fe_expr **e, const char *what, int64_t low, int64_t high,
                       int64_t *v);
/* The token that a convergent operation (or the heart of the innermost loop) names: sets the name's decl, or
 * reports why it can't be this one. */
void fe_check_token_use(struct checker *c, struct fe_expr *name, bool is_heart);
/* Notes a convergent operation or call in the function at hand. Valid until the next; one that does not count
 * in sizeof and outside functions. */
struct fe_use *fe_add_use(struct checker *c, enum fe_use_kind kind, span where, bool has_token);

/* Notes that the address of the function (or what a pointer leads to) is taken; false after a message. */
bool fe_take_function(struct checker *c, struct fe_expr *e);
/* C's conversion of arrays and functions to pointers; all else stays. */
struct fe_expr *fe_decay(struct checker *c, struct fe_expr *e);
/* Warns of a fraction that was lost before a conversion to this type: 1 / 2 given to a float. */
void fe_check_quotient(struct checker *c, const struct fe_expr *e, const struct fe_type *to);
/* between scalars; no rules */
struct fe_expr *fe_convert(struct checker *c, struct fe_expr *e, struct fe_type *to);
/* As by assignment; `what` is the place for messages ("initialiser", "argument 2 of 'f'", …). */
struct fe_expr *fe_convert_assign(struct checker *c, struct fe_expr *e, struct fe_type *to, const char *what);
/* C's integer promotions and usual arithmetic conversions; without const. */
struct fe_type *fe_promoted(struct checker *c, struct fe_type *t);
struct fe_type *fe_common_type(struct checker *c, struct fe_type *a, struct fe_type *b);
/* As fe_check_call. */
struct fe_expr *fe_check_cast(struct checker *c, struct fe_expr *e);
/* C's null pointer constant, as an integer. */
bool fe_is_null_constant(const struct fe_expr *e);
/* Where the lvalue (or structure value) lies, and the variable it is part of if that is certain. */
enum fe_space fe_space_of(const struct fe_expr *e);
/* The same of an lvalue whose address is taken: a pointer without a decided space that leads to it is
 * settled. */
enum fe_space fe_settled_space(struct checker *c, const struct fe_expr *e);
/* NULL: none, or it is reached through a pointer. */
struct fe_variable *fe_root_variable(const struct fe_expr *e);
/* its value, not only its address, is used */
void fe_note_read(struct checker *c, struct fe_expr *e);

/* Checks an initialiser for an object of this type; an unsized array gets its size in *type, and a pointer that
 * is written as `form` (or NULL) the spaces that this leaves open. */
struct fe_expr *fe_check_init(struct checker *c, struct fe_expr *e, const struct fe_form *form,
                              struct fe_type **type);

/* ---- cxx.c --------------------------------------------------------------------------------------- */

/* Note what pointers in the place of C++'s references would need: a use of the name d; the argument of a
 * parameter;
 * the initialiser. */
void fe_note_reference_use(struct checker *c, const struct fe_decl *d, const struct fe_expr *name);
void fe_note_referred(struct checker *c, const struct fe_decl *d, const struct fe_expr *to);

/* ---- cxx.c, macro.c: fix-its of what the parser has said --------------------------------------------- */

/* A variable that is declared by `auto` gets the type of its initialiser, which has not been checked. */
void fe_deduce(struct checker *c, struct fe_decl *d);
/* Of a call of an unknown name, whose arguments have been checked: it may be a macro's. */
void fe_note_macro_call(struct checker *c, const struct fe_expr *call);

/* ---- rewrite.c --------------------------------------------------------------------------------------- */

/* The fix-it that writes the call, of which nothing has been checked yet, as the row says; none where that
 * is not
 * sure to be the same. */
void fe_fix_call(struct checker *c, const struct fe_foreign_name *row, const struct fe_expr *call);
/* Whether the value has an effect, as far as it is known before and behind its check. */
bool fe_changes(struct checker *c, const struct fe_expr *e);
/* Whether what is written instead has not this argument. */
bool fe_drops_argument(const struct fe_foreign_name *row, uint32_t which);

/* ---- check_vector.c ---------------------------------------------------------------------------------- */

/* v.xy, v.s0 of a vector: its object has been checked. */
struct fe_expr *fe_check_selection(struct checker *c, struct fe_expr *e, const struct fe_type *vector);
/* Whether such a MEMBER names an element twice: it is not assigned to then. */
bool fe_selects_twice(const struct fe_expr *e);
/* The scalar as each element of a vector; poisoned after a message. */
struct fe_expr *fe_widen(struct checker *c, struct fe_expr *e, struct fe_type *vector);
/* (float4)(a, b, c, d), (float4)(xy, zw), (float4)x; the operand has not been checked. */
struct fe_expr *fe_check_vector_cast(struct checker *c, struct fe_expr *e, struct fe_type *vector);
/* Calls of make_float4 and convert_float4; NULL: of something else. */
struct fe_expr *fe_check_vector_call(struct checker *c, struct fe_expr *e);
/* A binary operator, of whose checked operands one is a vector. */
struct fe_expr *fe_check_elements(struct checker *c, struct fe_expr *e);
/* The type of a call's first argument that is a vector, or NULL. */
struct fe_type *fe_vector_among(const struct fe_expr *e);
/* The same call, of an element of each vector: its arguments are there for their types. */
struct fe_expr *fe_as_elements(struct checker *c, const struct fe_expr *e);
/* The builtin works on these vectors by element; false after a message. */
bool fe_check_vector_builtin(struct checker *c, const struct fe_expr *e, const struct fe_builtin *b);
/* A vector's elements are what the parameter of each single call takes; false after a message. */
bool fe_check_vector_argument(struct checker *c, const struct fe_expr *a, struct fe_type *parameter);
/* What the calls together give, each of which gives `one`. */
struct fe_type *fe_vector_result(struct checker *c, const struct fe_type *vector, struct fe_type *one);
/* dot, cross and the like, whose arguments have been checked and counted. */
struct fe_expr *fe_check_whole_vectors(struct checker *c, struct fe_expr *e, const struct fe_builtin *b);

/* ---- suspect.c: warnings of what is hardly meant ------------------------------------------------------ */

/* Of order or equality: < <= > >= == !=. */
bool fe_is_comparison(enum fe_op op);
/* A BINARY whose operands have been checked: how its operators bind. */
void fe_suspect_order(struct checker *c, const struct fe_expr *e);
/* The same of arithmetic operands, not converted yet; and its result, when constants have been folded. */
void fe_suspect_operands(struct checker *c, const struct fe_expr *e);
/* Of the amount, or the amounts of a vector that is written with its elements. */
void fe_suspect_shift(struct checker *c, const struct fe_expr *count, const struct fe_type *shifted);
void fe_suspect_result(struct checker *c, const struct fe_expr *e);
/* A checked expression that is a statement. */
void fe_suspect_unused(struct checker *c, const struct fe_expr *e);
/* A checked IF, WHILE or FOR whose body is a ';' right behind it. */
void fe_suspect_body(struct checker *c, const struct fe_stmt *s);

/* ---- check_stmt.c ------------------------------------------------------------------------------------ */

/* The function's statements, in its own scope; afterwards jumps and labels. */
void fe_check_body(struct checker *c, struct fe_function *f);

/* ---- instance.c -------------------------------------------------------------------------------------- */

/* The type t, written as f, whose pointers without a written space point into the spaces that those of `from`
 * point into; t itself where `from` is no pointer. */
struct fe_type *fe_adopt_spaces(struct checker *c, const struct fe_form *f, struct fe_type *t,
                                const struct fe_type *from);
/* The type of a function's variable, written as f, which is declared without a value or with a null one:
 * pointers that leave their space open get the space of the first pointer that they meet. */
struct fe_type *fe_undecided_of(struct checker *c, const struct fe_form *f, struct fe_type *t,
                                struct fe_decl *d);
/* Pointers of these types are assigned, compared or alternatives: one without a decided space takes that of the
 * other. */
void fe_unify_spaces(struct checker *c, struct fe_type *a, struct fe_type *b);
/* The space is asked for: where it is not decided it is private from here on. */
void fe_default_space(struct checker *c, struct fe_type *t);
/* The type itself in place of one that was undecided. */
struct fe_type *fe_resolve_type(struct checker *c, struct fe_type *t);
/* Gives a kernel's parameters the global space where they leave it open. */
void fe_close_kernel(struct fe_decl *kernel);
/* Sets is_open of a function with a body. */
void fe_note_open(struct fe_function *f);
/* What the call of f, whose arguments are as many as wanted and without errors, calls: f or an instance of it.
 * NULL after a message. */
struct fe_function *fe_instance(struct checker *c, struct fe_function *f, const struct fe_expr *call);
/* Its address is taken: it has to be there with private pointers. */
void fe_need_as_written(struct checker *c, struct fe_function *f, span where);
/* All bodies; functions that are only there as instances are not defined afterwards. */
void fe_check_bodies(struct checker *c);

/* ---- check_launch.c ---------------------------------------------------------------------------------- */

/* Checks the directive and fills d->launch->built. */
void fe_check_launch(struct checker *c, struct fe_decl *d);
/* Whether the directive stands in a repeat. */
bool fe_launch_in_repeat(const struct checker *c, const struct fe_decl *directive);

struct fe_launched {
    struct fe_decl *directive;
    struct fe_function *kernel; /* NULL: the directive only has outputs */
    struct bitset given;        /* its parameters that are */
};

/* The rounds of the repeat that the directive stands in; UINT64_MAX: they are not known, 0: it stands in
 * none. */
uint64_t fe_launch_rounds(const struct checker *c, const struct fe_decl *directive);

/* ---- launch_numbers.c -------------------------------------------------------------------------------- */

/* Of a checked constant. */
struct launch_number fe_launch_number(const struct fe_expr *x);
/* Of a checked expression: a constant, or one over the round. False after a message. */
bool fe_launch_value(struct checker *c, const struct fe_expr *x, struct launch_value *v);
/* Checks it first. */
bool fe_launch_check_number(struct checker *c, const struct fe_launched *t, struct fe_expr **e,
                            struct launch_value *v);
/* A clause with sizes, which messages call `what`, of `most` together. */
void fe_launch_check_sizes(struct checker *c, struct fe_launched *t, enum launch_clause clause,
                           struct fe_launch_item *items, span where, const char *what, int64_t most);

#endif
