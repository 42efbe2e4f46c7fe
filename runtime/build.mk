# The core is compiled once for each instruction set and number of lanes: core_ISA_LANES.o.
runtime_SRC := $(addprefix runtime/,context.c module.c thresholds.c memory.c metrics.c statistics.c print.c)
runtime_SRC += $(if $(filter wasm,$(HOST)),runtime/hostcall_none.c,runtime/hostcall.c)
runtime_SRC += $(addprefix runtime/launch/,configure.c launch.c preloads.c block.c block_warp.c watch.c timeline.c trace.c cycle.c endless.c)
runtime_SRC += $(addprefix runtime/core/,cores.c control.c group.c access.c atomic.c check.c trap.c)
runtime_SRC += $(addprefix runtime/check/,barriers.c unwritten.c segments.c)
runtime_SRC += $(addprefix runtime/check/,memory.c batches.c quick.c alarms.c objects.c pointers.c order.c knowledge.c)
runtime_SRC += runtime/instructions.c runtime/core/banks.c
# A machine is a file that a row of base/schemes.def names, and those beside it.
runtime_SRC += $(sort $(wildcard runtime/schemes/*.c))
runtime_SRC += $(addprefix runtime/warpcore/,divergence.c launch.c block.c schedule.c clock.c endless.c trace.c watch.c services.c fault.c)

# Best instruction set first, fewest lanes first; `base` is what the compiler makes without options. Under sanitizers
# warps of 16 run in 32 lanes: each core compiles for 20 s. ThreadSanitizer runs warps of 8 alone, fuzzers wider ones by
# the widest core: clang compiles each for minutes.
runtime_LANES := 8 $(if $(SAN),,16) 32 64
runtime_ISAS  := $(if $(filter x86_64-%,$(shell $(CC) -dumpmachine)),avx2) base
ifeq ($(SAN),thread)
runtime_LANES := 8
runtime_ISAS  := base
endif
ifneq ($(findstring fuzzer,$(SAN)),)
runtime_LANES := 8 64
runtime_ISAS  := base
endif
runtime_FLAGS_avx2 := -march=x86-64-v3
# The core calls lanes_leave() itself, where it leaves for other code.
runtime_OWN_FLAGS_avx2 := -mno-vzeroupper
# Loops over lanes need -O3 to become vector code; the two -fno give it leave to (no errno, no traps) and leave every
# bit of every result as it is. Sanitizers keep calls from becoming jumps: CORE_LOOP; at -O3 they would compile for minutes.
runtime_CORE_FLAGS := $(if $(SAN),,-O3) -fno-math-errno -fno-trapping-math $(if $(SAN),-DCORE_LOOP)
# By the lanes that it is compiled for; 0: for all numbers, which then are variables.
runtime_CORES := $(runtime_LANES)
# WebAssembly has no such jumps either. One core for all widths is a third of two for 32 and 64 lanes, which were a fifth of
# the whole; -O3 would make the double of it, and -Oz half the speed. The simulator is as small as all else.
ifeq ($(HOST),wasm)
runtime_LANES := 8 16 32 64
runtime_CORES := 0
runtime_CORE_FLAGS := -fno-math-errno -fno-trapping-math -DCORE_LOOP
runtime_OWN_FLAGS_base := -O2
endif
# Lines, but no variables, for debuggers: variables in unrolled loops take a third of the compile time.
runtime_CORE_FLAGS += -g1
# ThreadSanitizer does not watch the cores: a load of a run of memory reads what lies at lanes that are off, too, and
# leaves it, whoever writes there meanwhile. They are not optimised then: few blocks run.
runtime_CORE_FLAGS += $(if $(filter thread,$(SAN)),-fno-sanitize=thread -O0)
# A copied chunk stays a vector in a register: no call of memcpy is made of it.
runtime_CORE_FLAGS += $(if $(findstring clang,$(CC)),,-fno-tree-loop-distribute-patterns)
# clang breaks down over the core with undefined; gcc's suite has it.
runtime_CORE_FLAGS += $(and $(findstring clang,$(CC)),$(findstring undefined,$(SAN)),-fno-sanitize=undefined)
# The rows that core/cores.c and warpcore/launch.c make their tables of.
FLAGS_runtime_core_cores := -DCORES='$(foreach i,$(runtime_ISAS),$(foreach n,$(runtime_LANES),CORE($(i), $(n))))'
FLAGS_runtime_warpcore_launch := -DCORES='$(foreach i,$(runtime_ISAS),CORE($(i)))'
$(BUILD)/obj/runtime/core/cores.o $(BUILD)/obj/runtime/warpcore/launch.o: runtime/build.mk
runtime_CORE_OBJ := $(foreach i,$(runtime_ISAS),$(foreach n,$(runtime_CORES),$(BUILD)/obj/runtime/core/core_$(i)_$(n).o))

define core_rule
$(BUILD)/obj/runtime/core/core_$(1)_$(2).o: runtime/core/core.c
	@mkdir -p $$(@D)
	$$(call run,CC)$$(CC) $$(FLAGS) $$(runtime_CORE_FLAGS) $$(runtime_FLAGS_$(1)) $$(runtime_OWN_FLAGS_$(1)) -DCORE_ISA=$(1) -DCORE_LANES=$(2) -MMD -MP -c -o $$@ $$<
endef
$(foreach i,$(runtime_ISAS),$(foreach n,$(runtime_CORES),$(eval $(call core_rule,$(i),$(n)))))

# The warp-core simulator's core, twice for each instruction set: handlers that go on by themselves, and
# handlers that return after each instruction.
runtime_CORE_OBJ += $(foreach i,$(runtime_ISAS),$(foreach n,$(i) $(i)_steps,$(BUILD)/obj/runtime/warpcore/core_$(n).o))

define simulator_core_rule
$(BUILD)/obj/runtime/warpcore/core_$(1)$(2).o: runtime/warpcore/core.c
	@mkdir -p $$(@D)
	$$(call run,CC)$$(CC) $$(FLAGS) $$(runtime_CORE_FLAGS) $$(runtime_FLAGS_$(1)) -DCORE_ISA=$(1) $(3) -MMD -MP -c -o $$@ $$<
endef
$(foreach i,$(runtime_ISAS),$(eval $(call simulator_core_rule,$(i),,)))
$(foreach i,$(runtime_ISAS),$(eval $(call simulator_core_rule,$(i),_steps,-DCORE_STEPS)))
