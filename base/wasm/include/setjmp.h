/* setjmp.h: by exceptions of WebAssembly, as clang's -wasm-enable-sjlj makes them; libc.c has the functions
 * that it calls. */
#ifndef KERNC_WASM_SETJMP_H
#define KERNC_WASM_SETJMP_H
struct wasm_jump {
    void *frame;
    unsigned label;
    struct {
        void *buffer;
        int value;
    } thrown;
};
typedef struct wasm_jump jmp_buf[1];
int setjmp(jmp_buf) __attribute__((returns_twice));
_Noreturn void longjmp(jmp_buf, int);
#endif
