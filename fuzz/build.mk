fuzz_SRC := fuzz/program.c fuzz/print.c fuzz/print_stmt.c fuzz/print_expr.c fuzz/plant.c \
            fuzz/generate.c fuzz/generate_expr.c fuzz/generate_vectors.c fuzz/class_a.c fuzz/class_b.c fuzz/class_c.c \
            fuzz/vary.c fuzz/reference.c fuzz/reference_values.c fuzz/reference_arithmetic.c fuzz/reference_vectors.c \
            fuzz/class_e.c fuzz/class_e_graph.c fuzz/class_e_tokens.c fuzz/class_e_values.c \
            fuzz/class_e_operations.c fuzz/class_e_blocks.c fuzz/reference_e.c fuzz/group_e.c fuzz/waits_e.c fuzz/barriers_e.c \
            fuzz/predictions.c fuzz/predictions_e.c \
            fuzz/plan.c fuzz/passes.c fuzz/trial.c fuzz/trial_compare.c fuzz/passage.c fuzz/worker.c fuzz/reduce.c fuzz/reduce_module.c fuzz/class_g.c fuzz/reference_g.c fuzz/class_i.c fuzz/print_locks.c fuzz/reference_i.c fuzz/class_j.c \
            fuzz/dialects.c fuzz/emit.c fuzz/fuzz.c
ifeq ($(HOST),wasm)
fuzz_SRC :=
endif
