/* spaces.h: which address space each pointer of LLVM IR leads to.
 *
 * In CUDA all pointers are generic; kernc's have a space each. They are found by unification, as Steensgaard's
 * "Points-to Analysis in Almost Linear Time" finds what pointers point to: what is assigned to each other leads
 * to one *object*, and so does what is stored at one offset of one object. An object is memory of one address
 * space; it remembers by offset what the pointers stored in it lead to. A function is analysed once, before its
 * callers; each call gets a copy of what its parameters and result reach (let-polymorphism), so that one
 * function may be called with pointers to shared and to global memory.
 *
 * Offsets are modulo an object's period: where an index is not known, elements are one. Memory behind pointers
 * that a launch gives is global; so is what nothing else is known of.
 */
#ifndef KERNC_IMPORT_SPACES_H
#define KERNC_IMPORT_SPACES_H

#include "import/lower.h"
struct space_object;

/* The space of an object that may be of several memories: its pointers are numbers that say which one. Those
 * of private and shared addresses begin here, and each has a megabyte before it and one behind, as much as
 * there is of such memory. Others are global addresses: no buffer gets as high (RT_LAST_SEGMENT). */
#define SPACES_SEVERAL IR_TYPE_I32
#define SPACES_PRIVATE 0xffc00000u
#define SPACES_SHARED  0xffe00000u
#define SPACES_MARGIN  0x00100000u

/* What a pointer leads to: this many bytes behind the begin of an object; object 0: it is no pointer. */
struct pointee {
    uint32_t object;
    int64_t offset;
};
/* A call of a function with a body: the objects of the caller that stand for those of the callee's
 * interface. */
struct space_call {
    const struct ll_ins *at;
    uint32_t callee;
    u32_vec objects;
};
struct function_spaces {
    struct pointee *values,
        *results; /* by component: of the locals, from first[number] on; of what is returned */
    uint32_t *first;
    struct map constants; /* address of a constant operand -> number in `components` of its first component */
    VEC(struct pointee) components;
    u32_vec interface; /* objects that parameters and result reach, not those of the module */
    VEC(struct space_call) calls;
    struct map call_index;    /* address of the instruction -> number of the call */
    struct pointee *incoming; /* by parameter: of a structure by value, what its pointer leads to */
};
struct space_object {
    uint32_t parent;    /* itself: a root */
    int64_t delta;      /* added to an offset on the way to the parent */
    uint8_t space;      /* enum ir_type of a pointer, SPACES_SEVERAL, or VOID: not known */
    uint8_t element;    /* enum ir_mem of the first access seen, or NONE */
    bool of_module;     /* reached from globals, or from functions whose address is taken */
    uint32_t period;    /* 0: none */
    uint32_t interface; /* its number in its function's interface, or UINT32_MAX */
    VEC(struct space_field) fields;
};
struct space_field {
    int64_t offset;
    struct pointee to;
};

/* Analyses the functions of im->order, in which callees come before their callers. False: errors have been
 * given (a pointer that may lead to a function and to memory). */
bool spaces_find(struct importer *im);
/* The object that a component of an operand leads to, or 0. */
uint32_t spaces_object(const struct function_spaces *s, const struct ll_value *v, uint32_t component);
/* Its space, in a function that is called with `assigned` spaces by number in its interface. */
enum ir_type spaces_of_object(struct importer *im, const uint8_t *assigned, uint32_t object);
/* Whether anything says so: else it counts as global. */
bool spaces_is_known(struct importer *im, uint32_t object);
/* What the object's memory is accessed as first, or IR_MEM_NONE. */
enum ir_mem spaces_element(struct importer *im, uint32_t object);

#endif
