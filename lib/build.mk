lib_SRC := $(addprefix lib/,compile.c experiment.c options.c result.c analyses.c steps.c)
