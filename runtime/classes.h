/* classes.h: the instruction mix: classes of instructions, for both machines. */
#ifndef KERNC_RT_CLASSES_H
#define KERNC_RT_CLASSES_H

#include "base/scalar.h"

enum rt_class {
#define CLASS(key, meaning) RT_CLASS_##key,
#include "runtime/classes.def"
    RT_CLASSES
};

/* Of a case of scalar.def: by the operation, else by the wider type that it touches. */
enum rt_class rt_class_of_scalar(enum scalar_case c);

#endif
