# From LLVM IR to IR: its text to a tree.
import_SRC := $(addprefix import/,tree.c parse.c parse_type.c parse_value.c parse_ins.c parse_metadata.c)
import_GEN := $(BUILD)/gen/import
import_GEN_OBJ := $(BUILD)/obj/gen/import/lexer.o

$(import_GEN)/lexer.c: import/lexer.re
	@mkdir -p $(@D)
	$(call run,RE2C)re2c -W --no-debug-info -o $@ $<
