lib_SRC :=
