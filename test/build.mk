# Tests: see test/README.md. Unit tests are named here; annotated files are found below TEST_FOLDERS.

# One cmocka program a name: test/unit/NAME.c
UNIT := api_misuse base_diag compile_memory compile_options
UNIT += base_json launch_directives launch_layout launch_values
UNIT += opt_runner opt_pipelines opt_analyses opt_profile
UNIT += base_containers base_diff base_rows
UNIT += base_math base_numbers
UNIT += base_scalar
UNIT += base_scheme
UNIT += sample_roundtrip
UNIT += runtime_check_rows runtime_check_races runtime_barrier runtime_expire runtime_watch runtime_oracle runtime_frontier
UNIT += runtime_api runtime_contexts runtime_shared runtime_control runtime_turns runtime_group runtime_memory runtime_faults
UNIT += runtime_scalar runtime_cycle
UNIT += ir_build ir_dataflow ir_dominators ir_frontier ir_priorities ir_reject ir_text ir_verify

# Other cmocka programs: $(BUILD)/test/NAME, from NAME_TEST_SRC
SUITES := samples
samples_TEST_SRC := $(addprefix test/samples/,samples_test.c \
    reference_first.c reference_pictures.c reference_transport.c reference_delayed.c \
    reference_photons.c reference_hashes.c reference_frontiers.c reference_tissue.c reference_csc.c \
    reference_convergent.c reference_sequences.c \
    reference_streams.c) test/memory/driver_main.c $(filter-out driver/main.c,$(driver_SRC)) $(fuzz_SRC)

# Random programs: the tester itself; test/random has it try thousands, `make soak` SOAK_COUNT of each class.
SUITES += fuzz_generators fuzz_references fuzz_arms
fuzz_generators_TEST_SRC := test/unit/fuzz_generators.c $(fuzz_SRC)
fuzz_references_TEST_SRC := test/unit/fuzz_references.c $(fuzz_SRC)
fuzz_arms_TEST_SRC := test/unit/fuzz_arms.c $(fuzz_SRC)

SUITES += opt_golden opt_fuzz opt_negate
opt_fuzz_TEST_SRC := test/opt/fuzz_test.c test/opt/structured.c test/opt/evaluate.c test/opt/optimize.c test/opt/random_ir.c test/opt/random_values.c
opt_negate_TEST_SRC := test/opt/negate_test.c test/opt/evaluate.c test/opt/optimize.c
opt_golden_TEST_SRC := test/opt/golden_test.c
SUITES += opt_pdg opt_permuted opt_ranges
opt_ranges_TEST_SRC := test/opt/ranges_test.c test/opt/evaluate.c test/opt/optimize.c test/opt/random_ir.c test/opt/random_values.c
opt_pdg_TEST_SRC := test/opt/pdg_test.c test/opt/permute.c test/opt/evaluate.c test/opt/optimize.c test/opt/random_ir.c test/opt/random_values.c
opt_permuted_TEST_SRC := test/opt/permuted_test.c test/opt/permute.c $(fuzz_SRC)

# The tables of docs/*.md come from the .def files: `make docs` writes them, the suite docs checks them.
doc_SRC := test/tools/doc_page.c test/tools/doc_tables.c test/tools/doc_ir.c
doc_SRC += test/tools/doc_bytecode.c test/tools/doc_isa.c
doc_SRC += test/tools/doc_schemes.c test/tools/doc_driver.c test/tools/doc_language.c $(filter-out driver/main.c,$(driver_SRC)) $(fuzz_SRC)
SUITES += docs
docs_TEST_SRC := test/tools/docs_test.c $(doc_SRC)

UNIT += ir_structure ir_converged

# Programs that compare with LLVM; test/oracle/llvm.test runs them.
ORACLES := llvm_analyses llvm_tokens
llvm_analyses_TEST_SRC := $(addprefix test/oracle/,llvm_answers.c llvm_witness.c)

# The bytecode back end: random modules run as each thread alone computes them.
UNIT += bytecode_format bytecode_limits bytecode_registers bytecode_verify
SUITES += bytecode_random
# The processor's flags are the same under sanitizers.
SUITES += $(if $(SAN),,bytecode_denormals)
bytecode_denormals_TEST_SRC := test/backend/denormals_test.c test/bench/cases.c \
    $(filter-out driver/main.c,$(driver_SRC)) $(fuzz_SRC)
bytecode_random_TEST_SRC := test/backend/random_test.c test/opt/evaluate.c test/opt/optimize.c test/opt/random_ir.c test/opt/random_values.c

# The divergence unit of warp-core on random control flow.
SUITES += warpcore_model
warpcore_model_TEST_SRC := $(addprefix test/warpcore/model_,test.c graphs.c normal.c emit.c run.c)
# The machine of docs/isa.md, built from that page alone, beside the simulator.
SUITES += warpcore_page
warpcore_page_TEST_SRC := $(addprefix test/warpcore/page_,test.c tables.c lanes.c job.c warp.c memory.c flow.c core.c random.c)
SUITES += warpcore_simulator
warpcore_simulator_TEST_SRC := $(addprefix test/warpcore/simulator_,test.c lanes.c memory.c group.c flow.c cycles.c \
    hostile.c) \
    test/warpcore/machine.c

SUITES += frontend
frontend_TEST_SRC := test/sections.c test/frontend/frontend_test.c test/frontend/large_test.c test/frontend/foreign_test.c test/frontend/fix_test.c

# The warp-core target: instruction set, images, assembler.
SUITES += warpcore_isa warpcore_image
warpcore_isa_TEST_SRC := test/warpcore/isa_test.c
warpcore_image_TEST_SRC := test/warpcore/image_test.c test/fuzz/fuzz_run.c

# Every limit at 1, 2 and 3 with every verb: a sample of the trials, `make limits` all of them.
SUITES += limits
limits_TEST_SRC := test/sections.c test/cli/limits_test.c test/fuzz/isolated.c $(filter-out driver/main.c,$(driver_SRC)) $(fuzz_SRC)

# Compiled programs and IR text, damaged at random.
SUITES += mutated
mutated_TEST_SRC := $(addprefix test/fuzz/,mutated_test.c mutate.c isolated.c fuzz_run.c try_ir.c)

# LLVM IR text.
SUITES += import_parse
import_parse_TEST_SRC := test/import/parse_test.c test/fuzz/mutate.c

UNIT += warpcore_reconverge
SUITES += warpcore_divergence
warpcore_divergence_TEST_SRC := test/warpcore/divergence_test.c
SUITES += opt_split_i64
opt_split_i64_TEST_SRC := test/opt/split_i64_test.c test/opt/evaluate.c test/opt/optimize.c

# What the host does not give: each request of each verb fails once; `make memory` has none left out. Sanitizers need
# the memory that these refuse.
SUITES += $(if $(SAN),,memory_verbs memory_api)
memory_verbs_TEST_SRC := $(addprefix test/memory/,verbs_test.c failing.c driver_main.c) \
    $(filter-out driver/main.c,$(driver_SRC)) $(fuzz_SRC)

memory: $(BUILD)/test/memory_verbs
	KERNC_TEST_ALLOCATIONS=all $<

memory_api_TEST_SRC := $(addprefix test/memory/,api_test.c failing.c)

# Contexts in threads of their own, under ThreadSanitizer: the runtime alone is built for it, and programs that kernc has
# compiled before.
# Its memory does not fit beside what systems map that choose addresses at random among many: setarch -R asks for none.
UNRANDOM := $(shell setarch -R true 2>/dev/null && echo setarch -R)
TSAN_SCHEMES := pdom barrier tf-stack oracle warp-core:rpc
tsan: kernc
	@$(MAKE) --no-print-directory -j$(CORES) BUILD=build/tsan SAN=thread OPT=-O1 build/tsan/test/contexts
	@for s in $(TSAN_SCHEMES); do ./kernc build test/threads/blocks.kern --scheme=$$s --warp=8 -w -o build/tsan/$$s.kbc || exit 1; done
	$(UNRANDOM) build/tsan/test/contexts $(TSAN_SCHEMES:%=build/tsan/%.kbc)

$(BUILD)/test/contexts: $(call obj,test/threads/contexts.c) $(BUILD)/libkernc-rt.a
	@mkdir -p $(@D)
	$(call run,LD)$(CC) $(TEST_LINK) -o $@ $^ $(LIBS)

TEST_FOLDERS := test/import test/mutants test/mistakes test/convergence test/random test/regress test/cli test/oracle test/backend test/warpcore
# Beside them are golden files, which opt_golden reads.
TEST_FOLDERS += $(wildcard test/opt/csc/*.kern)

# Eighty programs with debug data of their own are two gigabytes: TEST_DEBUG=-g leaves it in.
TEST_DEBUG ?= $(if $(SAN),-g,-Wl,--strip-debug)
TEST_LINK  := $(PROGRAM) $(TEST_DEBUG)

runner_SRC := test/runner.c test/runner_annotated.c test/sections.c test/runner_process.c test/runner_unit.c

UNIT_BIN  := $(addprefix $(BUILD)/test/unit/,$(UNIT))
SUITE_BIN := $(addprefix $(BUILD)/test/,$(SUITES))
ORACLE_BIN := $(addprefix $(BUILD)/test/,$(ORACLES))

tests: $(BUILD)/test/runner $(BUILD)/test/json_check $(BUILD)/test/floors $(UNIT_BIN) $(SUITE_BIN) $(ORACLE_BIN)

$(BUILD)/test/runner: $(call obj,$(runner_SRC)) $(BUILD)/libkernc-rt.a
	@mkdir -p $(@D)
	$(call run,LD)$(CC) $(TEST_LINK) -o $@ $^ $(LIBS)

$(BUILD)/test/json_check: $(call obj,test/json_check.c) $(BUILD)/libkernc-rt.a
	@mkdir -p $(@D)
	$(call run,LD)$(CC) $(TEST_LINK) -o $@ $^ $(LIBS)

$(BUILD)/test/floors: $(call obj,test/floors.c) $(BUILD)/libkernc-rt.a
	@mkdir -p $(@D)
	$(call run,LD)$(CC) $(TEST_LINK) -o $@ $^ -lcmocka $(LIBS)

$(BUILD)/test/unit/%: $(BUILD)/obj/test/unit/%.o $(BUILD)/libkernc.a
	@mkdir -p $(@D)
	$(call run,LD)$(CC) $(TEST_LINK) -o $@ $^ -lcmocka $(LIBS)

.SECONDEXPANSION:
$(ORACLE_BIN): $(BUILD)/test/%: $$(call obj,test/oracle/%.c $$(%_TEST_SRC)) $(BUILD)/libkernc.a
	@mkdir -p $(@D)
	$(call run,LD)$(CC) $(TEST_LINK) -o $@ $^ $(LIBS)

$(SUITE_BIN): $(BUILD)/test/%: $$(call obj,$$(%_TEST_SRC)) $(BUILD)/libkernc.a
	@mkdir -p $(@D)
	$(call run,LD)$(CC) $(TEST_LINK) -o $@ $^ -lcmocka $(LIBS)

$(BUILD)/test/gen_docs: $(call obj,test/tools/gen_docs.c $(doc_SRC)) $(BUILD)/libkernc.a
	@mkdir -p $(@D)
	$(call run,LD)$(CC) $(TEST_LINK) -o $@ $^ $(LIBS)

docs: $(BUILD)/test/gen_docs
	$< docs/*.md

# The last line is the count of all tests. TEST_FLAGS: of the runner, such as -t 20 or -f cli.
run-tests:
	@KERNC=$(BUILD)/kernc KERNC_TEST_LINK='$(LINK)' $(BUILD)/test/runner $(TEST_FLAGS) -k $(BUILD)/kernc $(BUILD)/test/floors $(UNIT_BIN) $(SUITE_BIN) $(TEST_FOLDERS)

# Other seeds every day; the command of a failure says which.
SOAK_COUNT ?= 40000
SOAK_SEED ?= $(shell date +%Y%m%d)000000
soak: kernc
	$(BUILD)/kernc fuzz --class=a,b,c,d,e,f,g,h,i,j --count=$(SOAK_COUNT) --seed=$(SOAK_SEED)

limits: $(BUILD)/test/limits
	@seq $(CORES) | xargs -P $(CORES) -I I sh -c 'KERNC_TEST_LIMITS=I/$(CORES) $<'

# After how many programs each planted mistake is found; MUTANTS: some of them.
mutants:
	@mkdir -p $(BUILD)/mutants
	@test/mutants/run $(BUILD)/mutants $(MUTANTS)

# ---- fuzzers: built by clang into a folder of their own ------------------------------------------------

FUZZ_TARGETS := fuzz_source fuzz_ir fuzz_bytecode fuzz_assembly fuzz_image fuzz_profile fuzz_whole
FUZZ_SECONDS ?= 60
FUZZ_BIN     := $(addprefix $(BUILD)/test/fuzz/,$(FUZZ_TARGETS))

# fuzz_whole: the whole way, with limits, options and checks drawn at random.
# Each starts from the samples (or what they compile to) and keeps what it finds in build/fuzz/.
fuzz: kernc
	@$(MAKE) --no-print-directory -j$(CORES) CC=clang BUILD=build/fuzz SAN=fuzzer-no-link,address,undefined OPT=-O1 fuzz-targets
	@test/fuzz/run build/fuzz/test/fuzz $(FUZZ_SECONDS) $(FUZZ_TARGETS)

fuzz-targets: $(FUZZ_BIN)

$(FUZZ_BIN): $(BUILD)/test/fuzz/%: $(BUILD)/obj/test/fuzz/%.o $(call obj,test/fuzz/fuzz_run.c test/fuzz/try_ir.c) $(BUILD)/libkernc.a
	@mkdir -p $(@D)
	$(call run,LD)$(CC) -fsanitize=fuzzer,address,undefined -o $@ $^ $(LIBS)

# The pictures of docs/divergence.md.
pictures: kernc
	@node test/tools/pictures.mjs $(BUILD)/kernc . docs/plots

# Pages of kernc report, and the playground, in a browser.
web-test: kernc web
	@test/web/run $(BUILD)/kernc $(BUILD)/web-test $(WEB) $(WASM)

.PHONY: web-test pictures tests run-tests docs soak limits mutants memory tsan fuzz fuzz-targets
.SECONDARY:

include test/bench/build.mk
