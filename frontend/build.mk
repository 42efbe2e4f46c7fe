frontend_SRC :=
