/* plant.h: a mistake with memory in a program of class a, and the same place without it, for the checker of
 * memory (docs/checking.md): what stands in plants.def.
 */
#ifndef KERNC_FUZZ_PLANT_H
#define KERNC_FUZZ_PLANT_H

#include "fuzz/print.h"
#include "include/kernc-rt.h"

enum fz_mistake {
#define MEMORY_CHECK(id, name, bit, where, meaning) FZ_MISTAKE_##name,
#include "base/checks.def"
    FZ_MISTAKES
};
extern const char *const fz_mistake_names[FZ_MISTAKES];

struct fz_plant {
    uint8_t row, type;          /* of plants.def; enum fz_type */
    bool mended;                /* it is to be printed without the mistake */
    bool in_buffer, is_private; /* where its array is, if there is a choice */
    bool by_barrier, by_one;    /* what $S and $G are */
    uint32_t threads, blocks;   /* of the launch: with others it is no such program */
    uint32_t at[3], distance, length, index[2], outside, inside, excess;
};

/* Puts one of these mistakes (a bit each) into the program, which gets a launch to suit it. */
void fz_plant(struct fz_program *p, unsigned mistakes);
/* Whether it is still there. */
bool fz_plant_stands(const struct fz_program *p);
/* The buffers that are not the mistake's: the first ones. */
uint32_t fz_own_buffers(const struct fz_program *p);
/* Its parts of the source: functions, the PLANT. */
void fz_print_plant_top(struct printer *w);
void fz_print_plant(struct printer *w);
/* What is wrong with the context's alarms, into text; false: nothing; a mistake, if there is one, is named, and
 * nothing else. */
bool fz_plant_missed(const struct fz_program *p, const struct text *source, const kernc_context *context,
                     char *text, size_t size);

#endif
