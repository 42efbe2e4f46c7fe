# kernc: `make demo` sets up, builds and shows a picture; `make check` tests. `make help` lists the targets.
#
# Each folder names its own sources in FOLDER/build.mk; nothing is picked up by wildcard. Objects, generated
# files and libraries go to $(BUILD). SAN=address,undefined builds with sanitizers (use another BUILD); V=1
# shows commands.

VERSION := 0.1.0
CC      ?= cc
ifeq ($(origin CC),default)
CC      := gcc
endif
BUILD   ?= build
SAN     ?=
OPT     ?= -O2
PREFIX  ?= /usr/local
DESTDIR ?=
# What is installed has no debug data; STRIP=: leaves it in.
STRIP   ?= strip -g
CORES   := $(shell nproc 2>/dev/null || echo 1)

WARN    := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wno-unused-parameter \
           $(if $(findstring clang,$(CC)),-Wno-unknown-pragmas)
# To clang even NULL + 0 overflows a pointer.
CLANG_SAN := $(and $(SAN),$(findstring clang,$(CC)),-fno-sanitize=pointer-overflow)
# Under both, gcc puts red zones around what undefined's checks say, too: 40 MB that each start has to set up. The edges of
# other global objects are watched by `make asan`, and by clang in `make fuzz`.
GCC_SAN := $(and $(findstring address,$(SAN)),$(findstring undefined,$(SAN)),$(if $(findstring clang,$(CC)),,--param asan-globals=0))
FLAGS   := -std=gnu17 -D_GNU_SOURCE -g $(OPT) $(WARN) -ffp-contract=off -fno-strict-aliasing -fvisibility=hidden -fPIC \
           -I. -Iinclude -I$(BUILD)/gen -DKERNC_VERSION='"$(VERSION)"' \
           $(shell pkg-config --cflags libpng 2>/dev/null) \
           $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer) $(CLANG_SAN) $(GCC_SAN)
LINK    := $(if $(SAN),-fsanitize=$(SAN))
# At a fixed address no table of pointers has to be written when a program starts, which is half of what a start costs.
# PIE=-pie: programs that may lie anywhere.
PIE     ?= $(if $(findstring thread,$(SAN)),,-no-pie)
PROGRAM := $(LINK) $(PIE)
PNG     := $(shell pkg-config --libs libpng 2>/dev/null || echo -lpng)
LIBS    := -lffi $(PNG) -ldl -lm -pthread

# A rule's command says `  CC     base/text.o`; with V=1 it is shown whole, with -s nothing is.
V       ?= 0
short    = $(patsubst obj/%,%,$(@:$(BUILD)/%=%))
run      = $(if $(filter 1,$(V)),,@$(if $(findstring s,$(firstword -$(MAKEFLAGS))),,printf '  %-6s %s\n' $(1) $(short);) )

.DEFAULT_GOAL := all
include base/build.mk launch/build.mk ir/build.mk frontend/build.mk import/build.mk opt/build.mk backend/build.mk runtime/build.mk \
        lib/build.mk fuzz/build.mk driver/build.mk

obj = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))

# libkernc-rt loads and runs compiled programs; libkernc is the whole compiler and contains it.
RT_OBJ  := $(call obj,$(base_SRC) $(launch_SRC) $(backend_format_SRC) $(runtime_SRC)) $(runtime_CORE_OBJ)
ALL_OBJ := $(RT_OBJ) $(call obj,$(ir_SRC) $(frontend_SRC) $(import_SRC) $(opt_SRC) $(backend_SRC) $(lib_SRC)) \
           $(frontend_GEN_OBJ) $(import_GEN_OBJ)

all: kernc $(BUILD)/libkernc.a $(BUILD)/libkernc-rt.a

kernc: $(BUILD)/kernc
	@cmp -s $< $@ || cp $< $@

$(BUILD)/kernc: $(call obj,$(driver_SRC) $(fuzz_SRC)) $(BUILD)/libkernc.a
	$(call run,LD)$(CC) $(PROGRAM) -o $@ $^ $(LIBS)$(if $(SHRINK), && $(SHRINK) -o $@ $@)

$(BUILD)/libkernc-rt.a: $(RT_OBJ)
	@rm -f $@
	$(call run,AR)$(AR) rcs $@ $^

$(BUILD)/libkernc.a: $(ALL_OBJ)
	@rm -f $@
	$(call run,AR)$(AR) rcs $@ $^

# The same as shared libraries, which are made for installing only: kernc itself has no use for them. What they export
# is what the public headers mark with KERNC_API.
SO_MAJOR := $(firstword $(subst ., ,$(VERSION)))

$(BUILD)/libkernc-rt.so.$(VERSION): $(RT_OBJ)
$(BUILD)/libkernc.so.$(VERSION): $(ALL_OBJ)
$(BUILD)/%.so.$(VERSION):
	$(call run,LD)$(CC) $(LINK) -shared -Wl,-soname,$*.so.$(SO_MAJOR) $(if $(SAN),,-Wl,-z,defs) -o $@ $^ $(LIBS)

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(call run,CC)$(CC) $(FLAGS) $(FLAGS_$(subst /,_,$*)) -MMD -MP -c -o $@ $<

$(BUILD)/obj/gen/%.o: $(BUILD)/gen/%.c
	@mkdir -p $(@D)
	$(call run,CC)$(CC) $(FLAGS) -Wno-unused-function -MMD -MP -c -o $@ $<

include test/build.mk share/playground/build.mk
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

# ---- the two commands of the README -------------------------------------------------------------------

demo:
	@./setup
	@$(MAKE) --no-print-directory -j$(CORES) kernc
	./kernc run samples/mandelbrot.kern --stats
	@echo "The picture is in $(CURDIR)/mandelbrot.png"

check:
	@./setup --tests
	@$(MAKE) --no-print-directory -j$(CORES) all tests
	@$(MAKE) --no-print-directory run-tests

# ---- the same under sanitizers ------------------------------------------------------------------------

# Both in one build, as in CI; each alone says which of them complains. Leaks are looked for in programs of tests here,
# in kernc's own runs by `make asan`.
sanitize:
	@KERNC_TEST_NO_LEAKS=1 $(MAKE) --no-print-directory sanitized SAN=address,undefined BUILD=build/sanitize

asan:
	@$(MAKE) --no-print-directory sanitized SAN=address BUILD=build/asan

ubsan:
	@$(MAKE) --no-print-directory sanitized SAN=undefined BUILD=build/ubsan

sanitized:
	@./setup --tests
	@$(MAKE) --no-print-directory -j$(CORES) OPT='-O1 -g1' $(BUILD)/kernc tests
	@KERNC_TEST_PATIENCE=10 KERNC_TEST_PROGRAMS=50 $(MAKE) --no-print-directory run-tests

# ---- manual page, completions, installation -----------------------------------------------------------

MANUAL := $(BUILD)/share/kernc.1 $(BUILD)/share/kernc.bash $(BUILD)/share/_kernc $(BUILD)/share/kernc.fish

manual: $(MANUAL)

$(BUILD)/manual: $(call obj,$(manual_SRC) $(fuzz_SRC)) $(BUILD)/libkernc.a
	$(call run,LD)$(CC) $(PROGRAM) -o $@ $^ $(LIBS)

$(BUILD)/share/%: $(BUILD)/manual
	@mkdir -p $(@D)
	$(call run,GEN)$< $* > $@

# Who links an archive needs what it needs (pkg-config --static); the shared libraries find it themselves.
$(BUILD)/share/kernc.pc: Makefile
	@mkdir -p $(@D)
	@printf '%s\n' 'prefix=$(PREFIX)' 'Name: kernc' 'Description: compiler and SIMT runtime for Kern kernels' \
	    'Version: $(VERSION)' 'Cflags: -I$${prefix}/include' 'Libs: -L$${prefix}/lib -lkernc' \
	    'Libs.private: $(LIBS)' > $@

$(BUILD)/share/kernc-rt.pc: Makefile
	@mkdir -p $(@D)
	@printf '%s\n' 'prefix=$(PREFIX)' 'Name: kernc-rt' 'Description: loads and runs compiled Kern kernels' \
	    'Version: $(VERSION)' 'Cflags: -I$${prefix}/include' 'Libs: -L$${prefix}/lib -lkernc-rt' \
	    'Libs.private: $(LIBS)' > $@

AT := $(DESTDIR)$(PREFIX)
SHARED_LIBS := libkernc libkernc-rt
INSTALLED := bin/kernc lib/libkernc.a lib/libkernc-rt.a \
             $(foreach l,$(SHARED_LIBS),lib/$l.so lib/$l.so.$(SO_MAJOR) lib/$l.so.$(VERSION)) include/kernc.h include/kernc-rt.h include/kernc-metrics.def include/kernc-figures.def \
             lib/pkgconfig/kernc.pc lib/pkgconfig/kernc-rt.pc share/man/man1/kernc.1 \
             share/bash-completion/completions/kernc share/zsh/site-functions/_kernc \
             share/fish/vendor_completions.d/kernc.fish \
             share/vim/vimfiles/syntax/kern.vim share/vim/vimfiles/ftdetect/kern.vim

# Whole folders: FROM:TO below the prefix. Of the samples what git has, but not what their runs have written.
INSTALLED_FOLDERS := share/kernc share/doc/kernc
SAMPLES := $(wildcard samples/*.kern samples/data/*.kern samples/data/*.py samples/embedding/* samples/warp-core/* samples/puzzles/*.kern \
    samples/puzzles/README.md samples/puzzles/solutions/* samples/issues/*.kern samples/issues/*.ll) \
    samples/issues/README.md samples/README.md
HEADERS := $(foreach d,* */* */*/*,$(wildcard share/kernc/include/$d.h share/kernc/include/$d.cuh))
DOCS    := $(wildcard docs/*.md docs/plots/*) README.md CONTRIBUTING.md LICENSE

# $(call install-tree,FILES,FOLDER): with their folders, each by one command.
install-tree = $(foreach d,$(sort $(dir $(1))),install -D -m 644 -t $(2)/$(d) \
    $(foreach f,$(1),$(if $(filter $(d),$(dir $(f))),$(f))) &&) true

install: all $(MANUAL) $(foreach l,$(SHARED_LIBS),$(BUILD)/$l.so.$(VERSION))
	@rm -f $(BUILD)/share/kernc.pc $(BUILD)/share/kernc-rt.pc
	@$(MAKE) --no-print-directory $(BUILD)/share/kernc.pc $(BUILD)/share/kernc-rt.pc
	install -D -m 755 $(BUILD)/kernc $(AT)/bin/kernc
	install -D -m 644 $(BUILD)/libkernc.a $(AT)/lib/libkernc.a
	install -D -m 644 $(BUILD)/libkernc-rt.a $(AT)/lib/libkernc-rt.a
	@for l in $(SHARED_LIBS); do \
	    install -m 755 $(BUILD)/$$l.so.$(VERSION) $(AT)/lib/$$l.so.$(VERSION) && \
	    ln -sf $$l.so.$(VERSION) $(AT)/lib/$$l.so.$(SO_MAJOR) && ln -sf $$l.so.$(SO_MAJOR) $(AT)/lib/$$l.so || exit 1; done
	$(STRIP) $(AT)/bin/kernc $(AT)/lib/libkernc.a $(AT)/lib/libkernc-rt.a $(SHARED_LIBS:%=$(AT)/lib/%.so.$(VERSION))
	install -D -m 644 include/kernc.h $(AT)/include/kernc.h
	install -D -m 644 include/kernc-rt.h $(AT)/include/kernc-rt.h
	install -D -m 644 include/kernc-metrics.def $(AT)/include/kernc-metrics.def
	install -D -m 644 include/kernc-figures.def $(AT)/include/kernc-figures.def
	install -D -m 644 $(BUILD)/share/kernc.pc $(AT)/lib/pkgconfig/kernc.pc
	install -D -m 644 $(BUILD)/share/kernc-rt.pc $(AT)/lib/pkgconfig/kernc-rt.pc
	install -D -m 644 $(BUILD)/share/kernc.1 $(AT)/share/man/man1/kernc.1
	install -D -m 644 $(BUILD)/share/kernc.bash $(AT)/share/bash-completion/completions/kernc
	install -D -m 644 $(BUILD)/share/_kernc $(AT)/share/zsh/site-functions/_kernc
	install -D -m 644 $(BUILD)/share/kernc.fish $(AT)/share/fish/vendor_completions.d/kernc.fish
	install -D -m 644 share/vim/syntax/kern.vim $(AT)/share/vim/vimfiles/syntax/kern.vim
	install -D -m 644 share/vim/ftdetect/kern.vim $(AT)/share/vim/vimfiles/ftdetect/kern.vim
	@$(call install-tree,$(SAMPLES),$(AT)/share/kernc)
	@$(call install-tree,$(HEADERS),$(AT))
	@$(call install-tree,$(DOCS),$(AT)/share/doc/kernc)

uninstall:
	rm -f $(addprefix $(AT)/,$(INSTALLED))
	rm -rf $(addprefix $(AT)/,$(INSTALLED_FOLDERS))

# ---- housekeeping ---------------------------------------------------------------------------------------

# Only the lines that differ from HEAD: columns that were aligned by hand elsewhere stay.
format:
	git clang-format --force --extensions c,h

# Files that clang-format (14) would change stand in a list, with the reason. All others, so new ones too, have to be as
# it leaves them.
FREE_FORMAT := test/tools/free_format.list

format-check:
	@git ls-files '*.c' '*.h' | grep -vxFf $(FREE_FORMAT) | xargs clang-format --dry-run -Werror

# Takes out of the list what has been brought into form.
format-list:
	@while read f; do case $$f in '#'*) echo "$$f" ;; *) clang-format $$f | cmp -s - $$f || echo $$f ;; esac; done \
	    < $(FREE_FORMAT) > $(FREE_FORMAT).tmp
	@mv $(FREE_FORMAT).tmp $(FREE_FORMAT)

clean:
	rm -rf $(BUILD) kernc

help:
	@echo 'all        ./kernc and the libraries in build/ (the default)'
	@echo 'demo       install what building needs, build, run the Mandelbrot sample'
	@echo 'check      install what testing needs, build and run every test'
	@echo 'sanitize   the tests under AddressSanitizer and UndefinedBehaviorSanitizer; asan, ubsan: under one of them'
	@echo 'tsan       contexts in several threads under ThreadSanitizer'
	@echo 'soak       $(SOAK_COUNT) random programs of each class through every scheme and level'
	@echo 'limits     every limit at 1, 2 and 3 with every verb, on the samples and the regression tests'
	@echo 'mutants    plants mistakes and says after how many random programs each is found'
	@echo 'memory     every verb without memory, at every place (make check takes a sample)'
	@echo 'web        the playground, in $(BUILD)/web/; demo-web: and serves it on the loopback'
	@echo 'pictures   those of docs/divergence.md, by the viewer'"'"'s own code'
	@echo 'web-test   pages of kernc report and the playground in Chromium'
	@echo 'fuzz       each fuzzer for FUZZ_SECONDS (60); needs clang'
	@echo 'bench      speed beside the peers that are installed'
	@echo 'results    the samples with a prediction: tables in docs/results.md, plots in docs/plots/'
	@echo 'manual     manual page, completions and option tables in build/share/'
	@echo 'docs       rewrites the generated tables of the documentation'
	@echo 'install uninstall   under DESTDIR and PREFIX (/usr/local)'
	@echo 'format     clang-format over the lines that differ from HEAD'
	@echo 'format-check        whether files that clang-format keeps are as it leaves them; format-list: which those are'
	@echo 'clean      removes build/ and ./kernc'

.PHONY: all demo check sanitize asan ubsan sanitized manual install uninstall format format-check format-list clean help
.DELETE_ON_ERROR:
