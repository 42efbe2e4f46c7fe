# What the front end is to others; what the compilation of one source shares.
frontend_SRC := $(addprefix frontend/,frontend.c messages.c)
# Its rooms: the tree; types and what is declared without a declaration; source to tree; tree to annotated tree; that to
# IR; what is known of other languages.
frontend_SRC += $(addprefix frontend/ast/,ast_print.c ast_copy.c)
frontend_SRC += $(addprefix frontend/types/,types.c builtins.c)
frontend_SRC += $(addprefix frontend/parse/,words.c literals.c include.c tree.c declare.c declare_launch.c syntax_error.c \
    recover.c)
frontend_SRC += $(addprefix frontend/check/,check.c scope.c const.c convert.c check_type.c check_decl.c check_init.c \
    check_expr.c check_ops.c check_call.c check_printf.c check_vector.c check_stmt.c instance.c callgraph.c suspect.c \
    check_launch.c launch_numbers.c)
frontend_SRC += $(addprefix frontend/lower/,lower.c lower_function.c lower_stmt.c lower_expr.c lower_access.c \
    lower_call.c lower_builtin.c lower_compound.c lower_printf.c lower_vector.c goto_tokens.c)
frontend_SRC += $(addprefix frontend/foreign/,foreign.c directive.c macro.c translate.c template.c groups.c \
    syntax_foreign.c rewrite.c cxx.c)
frontend_GEN := $(BUILD)/gen/frontend/parse
frontend_GEN_OBJ := $(BUILD)/obj/gen/frontend/parse/lexer.o $(BUILD)/obj/gen/frontend/parse/parser.o

$(frontend_GEN)/lexer.c: frontend/parse/lexer.re
	@mkdir -p $(@D)
	$(call run,RE2C)re2c -W --no-debug-info -o $@ $<

$(frontend_GEN)/parser.c $(frontend_GEN)/grammar.h &: frontend/parse/parser.y
	@mkdir -p $(frontend_GEN)
	$(call run,BISON)bison -Wall --header=$(frontend_GEN)/grammar.h -o $(frontend_GEN)/parser.c $<

# What includes the header of the grammar.
$(patsubst %,$(BUILD)/obj/frontend/%.o,frontend $(addprefix parse/,words literals syntax_error recover) \
    $(addprefix foreign/,translate groups template directive syntax_foreign)) $(frontend_GEN_OBJ): \
    $(frontend_GEN)/grammar.h
