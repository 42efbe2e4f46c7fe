/* ffi.h: types alone: functions of the host are not called (runtime/hostcall_none.c). */
#ifndef KERNC_WASM_FFI_H
#define KERNC_WASM_FFI_H
typedef struct ffi_type ffi_type;
typedef int ffi_cif;
#endif
