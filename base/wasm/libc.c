/* libc.c: what wasi-libc lacks. There is one thread. */
#include "base/base.h"

#include <stdlib.h>
#include <unistd.h>

/* ---- setjmp: clang calls these ----------------------------------------------------------------------- */

enum { TAG_LONGJMP = 1 };

void __wasm_setjmp(struct wasm_jump *jump, unsigned label, void *frame);
unsigned __wasm_setjmp_test(struct wasm_jump *jump, void *frame);
_Noreturn void __wasm_longjmp(struct wasm_jump *jump, int value);

void __wasm_setjmp(struct wasm_jump *jump, unsigned label, void *frame)
{
    jump->frame = frame;
    jump->label = label;
}

unsigned __wasm_setjmp_test(struct wasm_jump *jump, void *frame)
{
    return jump->frame == frame ? jump->label : 0;
}

void __wasm_longjmp(struct wasm_jump *jump, int value)
{
    jump->thrown.buffer = jump;
    jump->thrown.value = value ? value : 1;
    __builtin_wasm_throw(TAG_LONGJMP, &jump->thrown);
}

/* ---- others ------------------------------------------------------------------------------------------ */

static int (*order)(const void *, const void *, void *);
static void *order_data;

static int by_order(const void *a, const void *b)
{
    return order(a, b, order_data);
}

void qsort_r(void *at, size_t n, size_t size, int (*compare)(const void *, const void *, void *), void *data)
{
    order = compare;
    order_data = data;
    qsort(at, n, size, by_order);
}

char *realpath(const char *path, char *to)
{
    return to ? strcpy(to, path) : strdup(path);
}

pid_t getpid(void)
{
    return 1;
}
