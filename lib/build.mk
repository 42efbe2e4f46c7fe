lib_SRC := $(addprefix lib/,compile.c experiment.c options.c result.c figures.c predictions.c profile.c analyses.c steps.c)
