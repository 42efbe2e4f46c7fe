lib_SRC := lib/compile.c lib/dot.c
