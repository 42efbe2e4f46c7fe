/* machine.h: small warp-core programs made by hand, and runs of them, for tests of the simulator.
 *
 *     struct machine m = machine_new(WC_MODE_RPC);
 *     machine_buffer(&m, "out", 8);                                 // parameter, argument word 0
 *     put(&m, WC_ldarg, .d = 1, .imm = 0);
 *     put(&m, WC_exit);
 *     assert_int_equal(machine_run(&m, 1, 8), KERNC_OK);            // one block of eight threads
 *     machine_free(&m);
 */
#ifndef KERNC_TEST_MACHINE_H
#define KERNC_TEST_MACHINE_H

#include "backend/format/warpcore/image.h"
#include "include/kernc-rt.h"

struct machine {
    struct wc_image *image; /* until the first run */
    kernc_context *context;
    kernc_module *module;
    kernc_argument arguments[8];
    kernc_buffer *buffers[8];
    uint32_t argument_count;
    kernc_launch launch;          /* options of the runs to come */
    kernc_statistics *statistics; /* of the latest */
    struct text *printed;
};

struct machine machine_new(enum wc_mode mode);
void machine_free(struct machine *m);
/* Parameters: a buffer of words, zeroed; a number. */
uint32_t *machine_buffer(struct machine *m, const char *name, uint32_t words);
void machine_number(struct machine *m, const char *name, uint32_t value);
/* The text's number. `operands`: letters i f l p, the types of a format's operands. */
uint32_t machine_text(struct machine *m, const char *text, const char *operands);
/* The word's number. Targets that are not known yet are patched. */
uint32_t machine_put(struct machine *m, struct wc_ins ins);
#define put(m, op_, ...) machine_put((m), (struct wc_ins){.op = (op_), __VA_ARGS__})
/* The branch or call at `word` goes to the next word, reconverges there. */
void machine_target(struct machine *m, uint32_t word);
void machine_reconverge(struct machine *m, uint32_t word);
/* d = value, by words that suffice for any. */
void machine_constant(struct machine *m, uint8_t d, uint32_t value);
/* d = base + 4 * index; uses r29. */
void machine_element(struct machine *m, uint8_t d, uint8_t base, uint8_t index);
kernc_status machine_run(struct machine *m, uint32_t blocks, uint32_t threads);

#endif
