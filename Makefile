# kernc: `make demo` sets up, builds and shows a picture; `make check` tests. `make help` lists the targets.
#
# Each folder names its own sources in FOLDER/build.mk; nothing is picked up by wildcard. Objects, generated
# files and libraries go to $(BUILD). SAN=address,undefined builds with sanitizers (use another BUILD).

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

WARN    := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wno-unused-parameter
FLAGS   := -std=gnu17 -g $(OPT) $(WARN) -ffp-contract=off -fno-strict-aliasing -fvisibility=hidden -fPIC \
           -I. -Iinclude -I$(BUILD)/gen -DKERNC_VERSION='"$(VERSION)"' $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer)
LINK    := $(if $(SAN),-fsanitize=$(SAN))
LIBS    := -lffi -ldl -lm -pthread

.DEFAULT_GOAL := all
include base/build.mk ir/build.mk frontend/build.mk opt/build.mk backend/build.mk runtime/build.mk \
        lib/build.mk driver/build.mk

obj = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))

# libkernc-rt loads and runs compiled programs; libkernc is the whole compiler and contains it.
RT_OBJ  := $(call obj,$(base_SRC) $(backend_format_SRC) $(runtime_SRC)) $(runtime_CORE_OBJ)
ALL_OBJ := $(RT_OBJ) $(call obj,$(ir_SRC) $(frontend_SRC) $(opt_SRC) $(backend_SRC) $(lib_SRC)) $(frontend_GEN_OBJ)

all: kernc $(BUILD)/libkernc.a $(BUILD)/libkernc-rt.a

kernc: $(BUILD)/kernc
	@cmp -s $< $@ || cp $< $@

$(BUILD)/kernc: $(call obj,$(driver_SRC)) $(BUILD)/libkernc.a
	$(CC) $(LINK) -o $@ $^ $(LIBS)

$(BUILD)/libkernc-rt.a: $(RT_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/libkernc.a: $(ALL_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(FLAGS) $(FLAGS_$(subst /,_,$*)) -MMD -MP -c -o $@ $<

$(BUILD)/obj/gen/%.o: $(BUILD)/gen/%.c
	@mkdir -p $(@D)
	$(CC) $(FLAGS) -Wno-unused-function -MMD -MP -c -o $@ $<

include test/build.mk
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

clean:
	rm -rf $(BUILD) kernc

.PHONY: all clean
.DELETE_ON_ERROR:
