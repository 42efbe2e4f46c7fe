lib_SRC := $(addprefix lib/,compile.c execution.c execution_plan.c execution_buffers.c execution_structs.c options.c result.c figures.c predictions.c profile.c analyses.c steps.c)
