ir_SRC :=
