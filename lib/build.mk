lib_SRC := lib/compile.c lib/dot.c lib/analyses.c
