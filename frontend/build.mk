frontend_SRC := frontend/messages.c
frontend_GEN_OBJ :=
frontend_SRC += frontend/types.c frontend/builtins.c frontend/const.c frontend/scope.c frontend/convert.c \
                frontend/check.c frontend/check_type.c frontend/check_decl.c frontend/check_init.c \
                frontend/check_expr.c frontend/check_ops.c frontend/check_call.c frontend/check_printf.c \
                frontend/check_stmt.c frontend/check_launch.c frontend/callgraph.c frontend/tokens.c
