runtime_SRC :=
runtime_CORE_OBJ :=
