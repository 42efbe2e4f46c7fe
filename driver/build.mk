driver_SRC := driver/main.c driver/options.c driver/help.c driver/messages.c driver/input.c driver/kinds.c driver/preprocess.c driver/clang.c driver/import.c \
              driver/build.c driver/fix.c driver/asm.c driver/dis.c driver/dump.c driver/run.c driver/compare.c driver/compare_results.c driver/validate.c driver/report.c driver/report_code.c driver/report_steps.c driver/schemes.c \
              driver/launch.c driver/goals.c driver/trace.c driver/watch.c driver/step.c driver/job.c driver/replay.c driver/metrics.c driver/metrics_json.c driver/progress.c driver/limits.c driver/values.c driver/exits.c driver/interrupt.c
# A browser has the viewer, and no use for the others.
driver_SRC += $(addprefix driver/,$(if $(filter wasm,$(HOST)),report_page_none.c verbs_none.c,report_page.c tune.c \
    tune_places.c tune_results.c fuzz.c))
# The program that writes the manual page and the completions.
manual_SRC := driver/manual.c $(filter-out driver/main.c,$(driver_SRC))

# The viewer of kernc report, in it: the page, and what stands in it, in this order.
report_FILES := $(addprefix share/report/,viewer.html viewer.css dom.js model.js align.js focus.js strip.js \
    $(addprefix views/,source.js lanes.js compare.js graph.js why.js state.js passes.js sets.js) main.js)

$(BUILD)/obj/driver/report_page.o: $(BUILD)/gen/driver/report_files.inc
$(BUILD)/gen/driver/report_files.inc: driver/embed.awk $(report_FILES)
	@mkdir -p $(@D)
	$(call run,AWK)awk -f driver/embed.awk $(report_FILES) > $@
