frontend_SRC := frontend/messages.c
frontend_GEN_OBJ :=
