/* mutate.h: damage drawn at random: to the bytes of compiled programs, and to texts. */
#ifndef KERNC_TEST_MUTATE_H
#define KERNC_TEST_MUTATE_H

#include "base/base.h"
#include "fuzz/random.h"

/* Where a program's code words lie in its bytes. */
struct mutate_code {
    size_t at, count, word;
};

/* One to four changes of words of 1 to 8 bytes, anywhere: bits, numbers at the edges of ranges or near the
 * old one, any number, a number or a whole code word from elsewhere, two that change places. The length
 * stays. */
void mutate_bytes(struct fz_random *r, uint8_t *bytes, size_t n, struct mutate_code code);
/* One to three changes of tokens or lines: left out, doubled, two that change places, another's text. */
void mutate_text(struct fz_random *r, const struct text *from, struct text *to);

#endif
