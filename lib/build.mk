lib_SRC := $(addprefix lib/,compile.c options.c result.c dot.c analyses.c steps.c)
