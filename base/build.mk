base_SRC := base/memory.c base/sized.c base/arena.c base/containers.c base/text.c base/file.c base/stream.c base/source.c base/conversion.c \
            base/diag.c base/diag_render.c base/diag_fix.c base/scalar.c base/math_exp.c base/math_log.c base/math_trig.c base/math_arc.c \
            base/math_fmod.c base/math_float.c base/math_tables.c
base_SRC += base/rows.c base/numbers.c base/number_read.c base/diff.c base/nearest.c base/scheme.c base/checks.c base/json.c

# What systems have each in their own way. HOST=wasm: WebAssembly, in base/wasm/.
HOST ?= posix
ifeq ($(HOST),wasm)
base_SRC += $(addprefix base/wasm/,space.c program.c libc.c png.c)
include base/wasm/build.mk
else
base_SRC += base/space.c base/program.c
endif
