/* limits.h: the named limits of what is imported (limits.def) as constants. Private to import/. */
#ifndef KERNC_IMPORT_LIMITS_H
#define KERNC_IMPORT_LIMITS_H

enum import_limit {
#define LIMIT(name, value, what) name = value,
#include "import/limits.def"
};

#endif
