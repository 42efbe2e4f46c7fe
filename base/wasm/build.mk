# kernc as WebAssembly: clang and wasi-libc, with what that lacks in this folder. `make web` builds with HOST=wasm.
CLANG_WASM ?= clang-19
LLVM_AR    ?= llvm-ar-19
CC    := $(CLANG_WASM) --target=wasm32-wasi
AR    := $(LLVM_AR)
FLAGS := -Ibase/wasm/include $(FLAGS) -Wno-unknown-pragmas -Wno-format-zero-length -fno-pic \
         -D_WASI_EMULATED_GETPID -D_WASI_EMULATED_PROCESS_CLOCKS -msimd128 -mbulk-memory -mnontrapping-fptoint \
         -msign-ext -mexception-handling -mllvm -wasm-enable-sjlj
PROGRAM := -Oz -Wl,--gc-sections -Wl,--strip-debug -Wl,-z,stack-size=8388608 -Wl,--initial-memory=16777216 -Wl,--max-memory=4294967296
# With -O clang runs wasm-opt on what it has linked, if there is one: 3 % smaller. That needs the list of features, which
# -s would strip, and drops the names itself.
LIBS  := -lc-printscan-long-double -lm -lwasi-emulated-process-clocks
# Bison counts errors for a macro that the grammar does not use.
$(BUILD)/obj/gen/frontend/parse/parser.o: FLAGS += -Wno-unused-but-set-variable
