/* write_parts.h: what the files of the writer of LLVM IR share. Private to import/. */
#ifndef KERNC_IMPORT_WRITE_PARTS_H
#define KERNC_IMPORT_WRITE_PARTS_H

#include "import/write.h"
#include "ir/text/syntax.h"

struct writer {
    const struct ir_module *m;
    struct text *out;
    struct arena *arena; /* of the whole */
    struct strings strings;
    struct map declared;               /* names of functions that are not the module's */
    struct text declares, metadata;    /* what stands behind the functions */
    const char **functions, **objects; /* their names in the text, with @ */
    uint32_t nodes, file;              /* numbers of metadata that are given out; the DIFile's */
    /* of the function */
    struct arena *frame;
    const struct ir_function *f;
    struct ir_names names;
    const char **blocks;   /* labels */
    struct bitset crowded; /* blocks whose edges have blocks of their own */
    uint32_t temporaries;
    uint32_t scope;    /* its DISubprogram, or UINT32_MAX */
    struct map places; /* line and column -> DILocation */
};

/* Attributes of functions that are declared: their groups' numbers. */
enum attributes { ATTRIBUTES_PURE, ATTRIBUTES_EFFECT, ATTRIBUTES_GROUP, ATTRIBUTES_SYNC, ATTRIBUTES_STOP };

/* ---- write.c ------------------------------------------------------------------------------------------- */

/* The type's name in LLVM IR. */
const char *write_type(enum ir_type t);
/* @name, quoted if it has to be. */
void write_name(struct text *to, const char *name);
/* An operand without and with its type. */
const char *write_value(struct writer *w, ir_ref r);
const char *write_typed(struct writer *w, ir_ref r);
/* Declares a function, once. `params`: their types and what else stands in the parentheses. */
void write_declare(struct writer *w, const char *result, const char *name, const char *params,
                   enum attributes a);
/* One instruction at the place of i, indented. */
void write_line(struct writer *w, const struct ir_ins *i, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The name of a value that no value of the function has, with %. */
const char *write_fresh(struct writer *w);
/* The constant text's name, and its type before it. */
const char *write_text(struct writer *w, int64_t text);

/* ---- write_ins.c --------------------------------------------------------------------------------------- */

/* An instruction that is no terminator, token or alloca. */
void write_ins(struct writer *w, ir_ref r);

#endif
