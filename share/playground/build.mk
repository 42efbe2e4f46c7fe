# The playground in $(BUILD)/web/: static files. kernc as WebAssembly goes to $(BUILD)/wasm, what npm brings to
# $(BUILD)/npm.
WEB     := $(BUILD)/web
NPM     := $(BUILD)/npm
WASM    := $(BUILD)/wasm/kernc

web:
	@./setup --web
	@$(MAKE) --no-print-directory -j$(CORES) -f Makefile HOST=wasm BUILD=$(BUILD)/wasm OPT=-Oz $(WASM)
	@$(MAKE) --no-print-directory $(WEB)/index.html

$(NPM)/node_modules: share/playground/package.json
	@mkdir -p $(@D)
	@cp $< $(@D)
	$(call run,NPM)cd $(@D) && npm install --no-audit --no-fund --no-package-lock --silent && touch node_modules

$(WEB)/index.html: $(wildcard share/playground/*) $(report_FILES) $(NPM)/node_modules $(WASM) \
    share/vim/syntax/kern.vim $(wildcard samples/*.kern samples/puzzles/*.kern samples/data/*.kern)
	$(call run,WEB)node share/playground/build.mjs $(WASM) $(NPM) $(@D) $(report_FILES)

# The page on the loopback.
WEB_PORT ?= 8080
demo-web: web
	@echo "http://127.0.0.1:$(WEB_PORT)/ (Ctrl-C ends it)"
	@node share/playground/serve.mjs $(WEB) $(WEB_PORT)

.PHONY: web demo-web
