# LLVM IR's text to a tree; the address spaces of its pointers; the tree to IR; IR to that text.
import_SRC := $(addprefix import/,tree.c parse.c parse_type.c parse_value.c parse_ins.c parse_metadata.c)
import_SRC += $(addprefix import/,spaces.c lower.c lower_function.c lower_ins.c lower_memory.c lower_call.c \
    lower_vector.c vocabulary.c debug.c launches.c)
import_SRC += $(addprefix import/,metadata.c write.c write_ins.c)
import_GEN := $(BUILD)/gen/import
import_GEN_OBJ := $(BUILD)/obj/gen/import/lexer.o
ifeq ($(HOST),wasm)
import_SRC := import/import_none.c
import_GEN_OBJ :=
endif

$(import_GEN)/lexer.c: import/lexer.re
	@mkdir -p $(@D)
	$(call run,RE2C)re2c -W --no-debug-info -o $@ $<
