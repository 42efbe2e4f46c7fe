lib_SRC := $(addprefix lib/,compile.c experiment.c experiment_plan.c experiment_buffers.c experiment_structs.c options.c result.c figures.c predictions.c profile.c analyses.c steps.c)
