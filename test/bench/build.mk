# `make bench`: kernc beside its peers (PoCL, Oclgrind; installed by ./setup --bench), in one run.

BENCH_RUNS ?= 5
BENCH_BIN  := $(BUILD)/test/bench/bench $(BUILD)/test/bench/bench_opencl

# The plain C peer is plain: no vector code.
FLAGS_test_bench_cases := -fno-tree-vectorize

$(BUILD)/test/bench/bench: $(call obj,test/bench/bench.c test/bench/cases.c) $(BUILD)/libkernc.a
	@mkdir -p $(@D)
	$(call run,LD)$(CC) $(LINK) -o $@ $^ $(LIBS)

$(BUILD)/test/bench/bench_opencl: $(call obj,test/bench/opencl.c test/bench/cases.c)
	@mkdir -p $(@D)
	$(call run,LD)$(CC) $(LINK) -o $@ $^ -lOpenCL -lm

# Single things of the interpreter, in ns (T3).
$(BUILD)/test/bench/micro: $(call obj,test/bench/micro.c) $(BUILD)/libkernc-rt.a
	@mkdir -p $(@D)
	$(call run,LD)$(CC) $(LINK) -o $@ $^ $(LIBS)

micro: $(BUILD)/test/bench/micro
	@$<

bench:
	@./setup --bench
	@$(MAKE) --no-print-directory -j$(CORES) $(BENCH_BIN)
	@BENCH_OPENCL=$(BUILD)/test/bench/bench_opencl $(BUILD)/test/bench/bench $(BENCH_RUNS)

# `make bench-scale`: time of analyses, and time and memory of compiling, against size.
$(BUILD)/test/bench/scale: $(call obj,test/bench/scale.c test/bench/shapes.c test/bench/cases.c) $(BUILD)/libkernc.a
	@mkdir -p $(@D)
	$(call run,LD)$(CC) $(LINK) -o $@ $^ $(LIBS)

bench-scale: $(BUILD)/test/bench/scale
	@$<

# `make results`: the samples with a prediction: tables in docs/results.md, plots in docs/plots/.
RESULTS_ROUNDS ?= 7
$(BUILD)/test/bench/results: $(call obj,test/bench/results.c test/bench/plot.c test/bench/cases.c) $(BUILD)/libkernc.a
	@mkdir -p $(@D)
	$(call run,LD)$(CC) $(LINK) -o $@ $^ $(LIBS)

results: $(BUILD)/test/bench/results kernc
	@mkdir -p docs/plots
	@$< $(RESULTS_ROUNDS)
	@test/bench/frontiers $(BUILD)/kernc

# The tables and the plot of "Thread frontiers" alone.
results-frontiers: kernc
	@mkdir -p docs/plots
	@test/bench/frontiers $(BUILD)/kernc

# The table of "Common Subexpression Convergence".
results-csc: kernc
	@test/bench/csc $(BUILD)/kernc

# The table of "Levels on the warp-core machine".
results-levels: kernc
	@test/bench/levels $(BUILD)/kernc -w

# `make bench-warpcore`: the samples on the warp-core machine: a table for docs/results.md.
bench-warpcore: kernc
	@test/bench/warpcore $(BUILD)/kernc

# `make bench-simulator`: the simulator's speed (T6).
bench-simulator: kernc
	@test/bench/simulator $(BUILD)/kernc

.PHONY: bench micro results results-frontiers results-csc results-levels bench-scale bench-warpcore bench-simulator
