/* lower.h: what the files of the lowering share. Private to import/.
 *
 * A value of LLVM is its components: the scalars in a vector, array or structure, in order of their place. A
 * scalar of kernc's IR stands for each: an integer of 2 to 32 bits is an i32 and one of 33 to 64 an i64
 * whose upper bits mean nothing (they are extended where they matter); half and bfloat are the f32 of the
 * same value.
 */
#ifndef KERNC_IMPORT_LOWER_H
#define KERNC_IMPORT_LOWER_H

#include "import/import.h"
#include "import/limits.h"
#include "import/llvm.h"

struct component {
    const struct ll_type *type; /* a scalar */
    uint64_t offset;            /* in memory, from the begin of the whole */
};
struct components {
    uint32_t count;
    const struct component *at;
};

/* A function as it is called: with these spaces for the objects of its interface. */
struct instance {
    uint32_t function;
    const uint8_t *assigned;
    struct ir_function *f;
    uint32_t next; /* another one of the function, or MAP_NONE */
};

struct importer {
    struct arena *arena; /* of the work */
    const struct ll_module *ll;
    struct ir_module *m;
    struct diagnostics *d;
    bool by_debug; /* places are the debug information's */
    struct source *shown;
    struct map component_index; /* type -> number in component_lists */
    VEC(struct components) component_lists;
    struct map has_pointers;        /* structure -> whether it does */
    u32_vec order;                  /* kernels and what they call, callees first */
    struct function_spaces *spaces; /* by function */
    VEC(struct space_object) objects;
    uint32_t *global_objects; /* by global: its object in `objects` */
    uint32_t several;         /* bits of the spaces that pointers to several memories may lead to */
    struct bitset taken;      /* functions whose address is taken */
    struct bitset *implicit;  /* by function: globals that it gets as implicit arguments; no words: none */
    const struct builtin **builtins; /* by function, as import_builtin finds them */
    uint32_t *ir_objects;            /* by global: number of the module's object, or UINT32_MAX */
    struct bitset converges;         /* functions that hold a convergent operation, or call one that does */
    VEC(struct instance) instances;
    struct map first_instance; /* function -> its latest instance */
    struct map names;          /* interned names of functions and objects that are given away */
};

/* An error at the place of an instruction or value. */
void import_error(struct importer *im, place ll, uint32_t debug, const char *id, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* Where an instruction stands: line 0 in files that are not shown. */
place import_place(struct importer *im, place ll, uint32_t debug);
/* Of a type that has a size. Count 0 of void. */
struct components import_components(struct importer *im, const struct ll_type *t);
/* The components of part `index` of an aggregate: the first one's number, and *count. */
uint32_t import_part(struct importer *im, const struct ll_type *t, uint32_t index, uint32_t *count);
/* The type of the aggregate's part. */
const struct ll_type *import_part_type(const struct ll_type *t, uint32_t index);
/* Whether a value of the type holds a pointer. */
bool import_has_pointers(struct importer *im, const struct ll_type *t);
/* The address space of LLVM's pointers that its number says, by the module's target; IR_TYPE_VOID: generic. */
enum ir_type import_space(const struct ll_module *ll, uint32_t number);
/* How memory holds a scalar. IR_MEM_NONE: kernc has no access of this width. */
enum ir_mem import_access(const struct ll_type *scalar);
/* The function that a call goes to, or UINT32_MAX: it has no body, or is not known. */
uint32_t import_callee(const struct importer *im, const struct ll_ins *call);
/* Whether a global is memory that launches give: an implicit argument of each kernel that uses it. */
bool import_is_implicit(const struct importer *im, uint32_t global);

#endif
