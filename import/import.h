/* import.h: LLVM IR becomes a module of kernc's IR.
 *
 * The text is read into a tree (llvm.h), the address space of every pointer is found (spaces.h), and each
 * kernel is lowered with the device functions that it calls (lower.h). What a kernel cannot do in kernc is
 * refused with the place, the construct and advice; nothing is guessed.
 */
#ifndef KERNC_IMPORT_IMPORT_H
#define KERNC_IMPORT_IMPORT_H

#include "base/diag.h"
#include "ir/ir.h"

/* The source that a compiler made the LLVM IR of. */
struct import_origin {
    const char *name, *text;
    size_t length;
};

/* The module, for ir_module_free; NULL if d received errors. With an origin, places are those of its lines
 * by the debug information, and *shown becomes the source that has them; else they are lines of the LLVM
 * text, and *shown is `s`. Both are in d's arena. Linear in the text but for clones of functions, of which
 * each is called with pointers to other address spaces. */
struct ir_module *import_llvm(struct source *s, const struct import_origin *origin, struct diagnostics *d,
                              struct source **shown);

#endif
