frontend_SRC := frontend/messages.c frontend/ast.c frontend/ast_print.c frontend/ast_copy.c frontend/words.c frontend/literals.c \
                frontend/foreign.c frontend/rewrite.c frontend/reference.c frontend/attribute.c frontend/include.c frontend/groups.c frontend/template.c frontend/directive.c frontend/markers.c frontend/declare.c frontend/declare_launch.c frontend/syntax_error.c frontend/syntax_foreign.c frontend/translate.c frontend/recover.c frontend/frontend.c
frontend_SRC += frontend/types.c frontend/vectors.c frontend/leaves.c frontend/builtins.c frontend/constants.c frontend/const.c frontend/scope.c frontend/convert.c \
                frontend/check.c frontend/check_type.c frontend/check_decl.c frontend/check_init.c \
                frontend/check_expr.c frontend/check_ops.c frontend/check_call.c frontend/check_printf.c \
                frontend/check_vector.c frontend/check_stmt.c frontend/instance.c frontend/check_launch.c frontend/check_show.c frontend/launch_names.c frontend/launch_numbers.c frontend/define.c frontend/callgraph.c frontend/tokens.c \
                frontend/lower.c frontend/lower_function.c frontend/lower_stmt.c frontend/lower_expr.c \
                frontend/lower_access.c frontend/lower_call.c frontend/lower_builtin.c frontend/lower_compound.c frontend/lower_printf.c frontend/lower_vector.c frontend/goto_tokens.c
frontend_GEN_OBJ := $(BUILD)/obj/gen/frontend/lexer.o $(BUILD)/obj/gen/frontend/parser.o
frontend_SRC += frontend/suspect.c frontend/deduce.c frontend/macro.c

$(BUILD)/gen/frontend/lexer.c: frontend/lexer.re
	@mkdir -p $(@D)
	$(call run,RE2C)re2c -W --no-debug-info -o $@ $<

# The files of the grammar, which Bison reads as one. The #line tells it where it is.
frontend_GRAMMAR := $(patsubst %,frontend/%.y,parser parser_body parser_launch parser_error)

$(BUILD)/gen/frontend/parser.y: $(frontend_GRAMMAR)
	@mkdir -p $(@D)
	$(call run,JOIN)for f in $^; do echo "#line 1 \"$$f\""; cat $$f; done > $@

$(BUILD)/gen/frontend/parser.c $(BUILD)/gen/frontend/grammar.h &: $(BUILD)/gen/frontend/parser.y
	$(call run,BISON)bison -Wall --header=$(BUILD)/gen/frontend/grammar.h -o $(BUILD)/gen/frontend/parser.c $<

# What includes the header of the grammar.
$(patsubst %,$(BUILD)/obj/frontend/%.o,words literals translate groups template directive syntax_error syntax_foreign recover frontend) $(frontend_GEN_OBJ): \
    $(BUILD)/gen/frontend/grammar.h
