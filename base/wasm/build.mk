# kernc as WebAssembly: clang and wasi-libc, with what that lacks in this folder. `make web` builds with HOST=wasm.
CLANG_WASM ?= clang-19
LLVM_AR    ?= llvm-ar-19
CC    := $(CLANG_WASM) --target=wasm32-wasi
AR    := $(LLVM_AR)
FLAGS := -Ibase/wasm/include $(FLAGS) -Wno-unknown-pragmas -Wno-format-zero-length -fno-pic \
         -D_WASI_EMULATED_GETPID -D_WASI_EMULATED_PROCESS_CLOCKS -msimd128 -mbulk-memory -mnontrapping-fptoint \
         -msign-ext -mexception-handling -mllvm -wasm-enable-sjlj
PROGRAM := -O0 -Wl,-O2 -Wl,--gc-sections -Wl,--strip-debug -Wl,-z,stack-size=8388608 -Wl,--initial-memory=16777216 \
           -Wl,--max-memory=4294967296
LIBS  := -lm -lwasi-emulated-process-clocks
# wasm-opt, if there is one, makes gzip 5 % smaller, which is 1 % more than as clang calls it at -O: nothing is stored below
# 1024, where the linker begins, and functions longer than 20 become no part of their one caller, as they compress worse.
WASM_OPT ?= wasm-opt
SHRINK := $(if $(shell command -v $(WASM_OPT)),$(WASM_OPT) -Oz --low-memory-unused \
          --one-caller-inline-max-function-size=20 --strip-debug --strip-producers)
# Bison counts errors for a macro that the grammar does not use.
$(BUILD)/obj/gen/frontend/parse/parser.o: FLAGS += -Wno-unused-but-set-variable
