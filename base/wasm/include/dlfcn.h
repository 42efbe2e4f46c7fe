/* dlfcn.h: there are no shared libraries. */
#ifndef KERNC_WASM_DLFCN_H
#define KERNC_WASM_DLFCN_H
enum { RTLD_NOW, RTLD_LOCAL = 0 };
#define dlopen(path, flags) ((void)(path), (void *)0)
#define dlclose(library)    ((void)(library), 0)
#define dlerror()           "WebAssembly has no shared libraries"
#endif
