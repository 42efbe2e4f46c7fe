/* parse.h: what the files of the reader of LLVM IR share. Private to import/.
 *
 * There is a function for each rule of the grammar, which begins at the current token and leaves the one behind
 * the rule. The first error is reported and ends the parse: from then on the token is LEX_END, so that all
 * functions run to their end without a look at `failed`. No function returns NULL for a type or value.
 */
#ifndef KERNC_IMPORT_PARSE_H
#define KERNC_IMPORT_PARSE_H

#include "import/limits.h"
#include "import/llvm.h"

/* Punctuation is a token of its own character. */
enum lex_kind {
    LEX_END,
    LEX_WORD = 256,   /* text: define, i32, DW_TAG_member */
    LEX_LOCAL,        /* %name, %"name"; text without %: of names `"` is no part */
    LEX_LOCAL_NUMBER, /* %12 */
    LEX_GLOBAL,       /* @name, @"name", @12 */
    LEX_COMDAT,       /* $name */
    LEX_LABEL,        /* name: */
    LEX_LABEL_NUMBER, /* 12: */
    LEX_NODE,         /* !12 */
    LEX_METADATA,     /* !name; text without the ! */
    LEX_GROUP,        /* #12 */
    LEX_RECORD,       /* #dbg_value; text without the # */
    LEX_SUMMARY,      /* ^12 */
    LEX_INTEGER,      /* text: -12, u0xff, s0xff as written */
    LEX_DECIMAL,      /* text: 1.0e+00 as written */
    LEX_HEX,          /* number; text as written: 0xH3C00 */
    LEX_STRING,       /* text, length: its bytes */
    LEX_BYTES,        /* c"…", as STRING */
    LEX_DOTS,         /* ... */
};
struct token {
    int kind; /* enum lex_kind or a character */
    span where;
    const char *text; /* interned */
    size_t length;
    uint32_t number; /* UINT32_MAX: larger ones, too */
    uint64_t bits;   /* HEX */
};

/* A value or block by its name or number, from its first use on. A use of a value before its definition has the
 * same struct ll_value as the others, whose number comes with the definition. */
struct local {
    struct ll_value *value; /* of a value */
    uint32_t block;
    bool is_defined, is_block;
    struct token first;
};

typedef VEC(struct ll_value *) value_vec;
struct parser {
    struct arena *arena;
    const struct source *source;
    struct diagnostics *d;
    struct ll_module *m;
    struct strings strings;
    struct map words; /* interned word -> what it is: WORD_ below */
    bool failed;
    uint32_t depth;
    /* lexer */
    const char *cursor, *line_start, *end;
    uint32_t line;
    struct token token;
    /* module: names and numbers -> index */
    struct map type_index, named_types, symbol_index, node_index, group_index;
    VEC(struct ll_type *) named;
    VEC(struct ll_type *) type_stack; /* of types that are not done yet */
    VEC(struct token) named_first, node_first;
    VEC(struct token) param_names;  /* of the function; LEX_END: it has none */
    VEC(struct ll_value *) symbols; /* kind LL_BLOCK_ADDRESS until defined */
    struct ll_value *bytes[256];    /* of c"…" */
    /* function */
    struct ll_function *f;
    struct map local_names, local_numbers;
    VEC(struct local) locals;
    uint32_t next_number;
    value_vec operands; /* of rules that are not done yet, innermost last */
    u32_vec targets;
    VEC(struct ll_item) items;
};

/* How operations read, by instructions.def. Those from BINARY on are of constant expressions, too. */
enum ll_shape {
    SHAPE_RET,
    SHAPE_BR,
    SHAPE_SWITCH,
    SHAPE_UNREACHABLE,
    SHAPE_ALLOCA,
    SHAPE_LOAD,
    SHAPE_STORE,
    SHAPE_CMPXCHG,
    SHAPE_ATOMICRMW,
    SHAPE_FENCE,
    SHAPE_PHI,
    SHAPE_CALL,
    SHAPE_INDEXED,
    SHAPE_REFUSED,
    SHAPE_BINARY,
    SHAPE_UNARY,
    SHAPE_COMPARE,
    SHAPE_CAST,
    SHAPE_GEP,
    SHAPE_TYPED
};
extern const uint8_t ll_shapes[LL_OPS];

/* What words are beside names: bits of `words`, over the number of the operation or predicate. */
enum {
    WORD_OP = 0x100,
    WORD_PREDICATE = 0x200,
    WORD_FLAG = 0x400,   /* nuw, fast, …: what allows an optimiser more */
    WORD_VALUE = 0x800,  /* null, undef, … */
    WORD_TAIL = 0x1000,  /* tail, … */
    WORD_BEGIN = 0x2000, /* define, …: of the module */
};
static inline uint32_t ll_word(const struct parser *p)
{
    uint32_t w = p->token.kind == LEX_WORD ? map_get(&p->words, (uintptr_t)p->token.text) : MAP_NONE;
    return w == MAP_NONE ? 0 : w;
}
static inline bool ll_sees_class(const struct parser *p, uint32_t classes)
{
    return (ll_word(p) & classes) != 0;
}

/* ---- lexer.re ------------------------------------------------------------------------------------------ */

void ll_lexer_init(struct parser *p);
/* Makes the next token p->token. */
void ll_advance(struct parser *p);
/* To the end of the line, behind which the next token is. */
void ll_skip_line(struct parser *p);

/* ---- parse.c ------------------------------------------------------------------------------------------- */

void ll_error(struct parser *p, span where, const char *id, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Error: wanted this, found the token. */
void ll_wanted(struct parser *p, const char *what);
/* Error: the text is LLVM IR, but says what no kernel can do. */
void ll_refuse(struct parser *p, span where, const char *what, const char *advice);
/* Goes one level deeper; false, with an error, beyond IMPORT_MAX_NESTING. ll_leave either way. */
bool ll_enter(struct parser *p);
void ll_leave(struct parser *p);
static inline bool ll_sees(const struct parser *p, int kind)
{
    return p->token.kind == kind;
}
bool ll_sees_word(const struct parser *p, const char *word);
/* Takes the token if it is this one. */
bool ll_accept(struct parser *p, int kind);
bool ll_accept_word(struct parser *p, const char *word);
/* Takes the token; an error if it is another. */
void ll_expect(struct parser *p, int kind);
void ll_expect_word(struct parser *p, const char *word);
uint32_t ll_parse_number(struct parser *p, const char *what);
const char *ll_parse_string(struct parser *p, const char *what);
/* addrspace(3), if it stands here; else `otherwise`. */
uint32_t ll_parse_space(struct parser *p, uint32_t otherwise);
/* Behind an opening bracket: to the one that closes it, and over it. */
void ll_skip_brackets(struct parser *p, int close);
/* The index of an attribute group by its number. */
uint32_t ll_group(struct parser *p, uint32_t number);
/* An attribute of a function, its value and all; what it says goes to *to, a group's number to *group.
 * False: no attribute stands here. */
bool ll_parse_attribute(struct parser *p, struct ll_attribute_group *to, uint32_t *group);
void ll_parse_param_attributes(struct parser *p, struct ll_param *param);

/* ---- parse_type.c, tree.c ------------------------------------------------------------------------------ */

/* The one type that is like this one. */
struct ll_type *ll_intern_type(struct parser *p, struct ll_type t);
struct ll_type *ll_simple(struct parser *p, enum ll_kind kind, uint32_t bits);
/* A type of `args`, of which an array or vector has one; a function one more. */
struct ll_type *ll_compound(struct parser *p, struct ll_type like, struct ll_type *const *args, uint32_t n);
bool ll_sees_type(const struct parser *p);
struct ll_type *ll_parse_type(struct parser *p);
/* The element of a vector, or the type itself. */
struct ll_type *ll_scalar(struct ll_type *t);
/* Vectors as `like` of that element; that element itself if it is no vector. */
struct ll_type *ll_shaped(struct parser *p, const struct ll_type *like, struct ll_type *element);
/* %T = type …. */
void ll_parse_type_definition(struct parser *p);
/* What it says of pointers. */
void ll_read_datalayout(struct parser *p, const char *text);
/* All named types: defined, and none inside itself. Bytes, alignments and places of fields of all types. */
void ll_layout_types(struct parser *p);

/* ---- parse_value.c ------------------------------------------------------------------------------------- */

struct ll_value *ll_value_new(struct parser *p, enum ll_value_kind kind, struct ll_type *type, place at);
/* The values pushed since operands.count was `from`, off the stack. */
struct ll_value **ll_take_operands(struct parser *p, uint32_t from, uint32_t *count);
/* A value of the type. */
struct ll_value *ll_parse_value(struct parser *p, struct ll_type *type);
/* A type and a value of it. */
struct ll_value *ll_parse_typed(struct parser *p);
/* A function or variable of the module by its name. */
struct ll_value *ll_symbol(struct parser *p, const struct token *name, struct ll_type *type);
/* It is a function or variable of that number. */
void ll_define_symbol(struct parser *p, const struct token *name, enum ll_value_kind kind, uint32_t number,
                      struct ll_type *type);
/* Of operations that have a fixed number. */
uint32_t ll_operand_count(enum ll_op op);
/* Whether operands fit an operation, and the type of its result: `type` is that of casts, what va_arg reads and
 * what is loaded. An error, and a type, if they don't. */
struct ll_type *ll_result_type(struct parser *p, span where, enum ll_op op, struct ll_value *const *args,
                               uint32_t argc, struct ll_type *type);
/* Over what only narrows what LLVM may assume: nuw, fast, inbounds. */
void ll_skip_flags(struct parser *p);
uint8_t ll_parse_predicate(struct parser *p, enum ll_op op);

/* ---- parse_ins.c --------------------------------------------------------------------------------------- */

/* A value of the function by its name or number. */
struct ll_value *ll_use_local(struct parser *p, const struct token *name, struct ll_type *type);
/* { … } of a function, which is the module's last. */
void ll_parse_body(struct parser *p);

/* ---- parse_metadata.c ---------------------------------------------------------------------------------- */

/* A node or string or value as metadata stands in elements of nodes. */
struct ll_item ll_parse_item(struct parser *p);
/* The index of a node: !12, !{…}, !DIExpression(…). */
uint32_t ll_parse_node(struct parser *p);
/* [, !dbg !4] of an instruction or global: only !dbg is kept. True: it was an attachment. */
bool ll_parse_attachment(struct parser *p, struct ll_metadata_use *use);
/* !12 = …, !name = …. */
void ll_parse_node_definition(struct parser *p);
void ll_parse_named_node(struct parser *p);
/* #dbg_value(…) and its kind. */
void ll_parse_record(struct parser *p);
/* Whether it is one of llvm.dbg.*, which says what a record says. */
bool ll_take_debug_call(struct parser *p, const struct ll_ins *call);

#endif
