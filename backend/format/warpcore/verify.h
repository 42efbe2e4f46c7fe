/* verify.h: shared by the halves of the image verifier. */
#ifndef KERNC_WARPCORE_VERIFY_H
#define KERNC_WARPCORE_VERIFY_H

#include "backend/format/warpcore/image.h"

struct wc_verifier {
    const struct wc_image *m;
    struct arena arena;
    char *buffer; /* the reason */
    size_t size;
    uint32_t at;        /* the word that is at fault, or WC_NO_WORD */
    struct wc_ins *ins; /* each code word, decoded */
};

/* Notes the reason; always false. */
bool wc_verify_fail(struct wc_verifier *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* wc_verify, and which word is at fault (WC_NO_WORD: none in particular). */
#define WC_NO_WORD UINT32_MAX
/* As wc_verify. */
const char *wc_verify_at(const struct wc_image *m, char *buffer, size_t size, uint32_t *at);
/* Registers and predicates that those of the n words use that are reached from `entry`. */
struct wc_need {
    uint32_t registers, predicates;
};
/* Callees included; where the code has callr, all of it. Linear. */
struct wc_need wc_need_from(struct arena *arena, const struct wc_ins *ins, uint32_t n, uint32_t entry);
/* The obligations of the divergence mode, on words that are otherwise in order (verify_divergence.c). */
bool wc_verify_divergence(struct wc_verifier *v);

#endif
