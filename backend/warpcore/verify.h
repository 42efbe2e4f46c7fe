/* verify.h: shared by the halves of the image verifier. */
#ifndef KERNC_WARPCORE_VERIFY_H
#define KERNC_WARPCORE_VERIFY_H

#include "backend/warpcore/image.h"

struct wc_verifier {
    const struct wc_image *m;
    struct arena   arena;
    char          *buffer;               /* the reason */
    size_t         size;
    struct strings names;                /* of kernels */
    struct wc_ins *ins;                  /* each code word, decoded */
};

/* Notes the reason; always false. */
bool wc_verify_fail(struct wc_verifier *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The obligations of the image's divergence mode, on words that are otherwise in order (verify_divergence.c). */
bool wc_verify_divergence(struct wc_verifier *v);

#endif
