frontend_SRC := frontend/messages.c frontend/ast.c frontend/ast_print.c frontend/words.c frontend/literals.c \
                frontend/declare.c frontend/syntax_error.c frontend/frontend.c
frontend_GEN_OBJ := $(BUILD)/obj/gen/frontend/lexer.o $(BUILD)/obj/gen/frontend/parser.o

$(BUILD)/gen/frontend/lexer.c: frontend/lexer.re
	@mkdir -p $(@D)
	re2c -W --no-debug-info -o $@ $<

# Bison writes the header along with the parser.
$(BUILD)/gen/frontend/parser.c: frontend/parser.y
	@mkdir -p $(@D)
	bison -Wall --header=$(BUILD)/gen/frontend/tokens.h -o $@ $<

$(BUILD)/gen/frontend/tokens.h: $(BUILD)/gen/frontend/parser.c ;

# What includes the header of tokens.
$(patsubst %,$(BUILD)/obj/frontend/%.o,words literals syntax_error frontend) $(frontend_GEN_OBJ): \
    $(BUILD)/gen/frontend/tokens.h
