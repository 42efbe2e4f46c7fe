opt_SRC :=
