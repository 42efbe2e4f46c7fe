/* try_ir.c: see fuzz.h. */
#include "backend/format/warpcore/isa.h"
#include "base/scheme.h"
#include "kernc.h"
#include "test/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static kernc_result *compile_ir(const void *text, size_t size, unsigned level, const char *scheme)
{
    kernc_options o;
    kernc_options_init(&o);
    o.input = KERNC_INPUT_IR;
    o.verify_each = true;
    o.level = level;
    o.ir_only = !scheme;
    o.scheme = scheme ? scheme : o.scheme;
    return kernc_compile("fuzz.kir", text, size, &o);
}

static void check_identity(const char *text, size_t size)
{
    kernc_result *again = compile_ir(text, size, 0, NULL);
    size_t n = 0;
    const char *printed = kernc_result_text(again, KERNC_TEXT_IR, &n);
    if (!printed || n != size || memcmp(printed, text, n) != 0) {
        fprintf(stderr, "printed and parsed again, the module differs:\n%s\n--- %s\n", text,
                printed ? printed : kernc_result_text(again, KERNC_TEXT_DIAGNOSTICS, NULL));
        abort();
    }
    kernc_result_free(again);
}

/* Messages for people quote the source, which may have any words. */
void fuzz_no_internal_error(kernc_result *r)
{
    const char *messages = kernc_result_text(r, KERNC_TEXT_DIAGNOSTICS_JSON, NULL);
    if (messages && strstr(messages, "\"id\":\"internal\"")) {
        fprintf(stderr, "%s", messages);
        abort();
    }
}

/* Passes have verified what they left, so nothing may be refused but for a limit of the machine. */
static void compile_and_run(struct kernc_context *ctx, const void *text, size_t size, unsigned level,
                            const char *scheme)
{
    kernc_result *r = compile_ir(text, size, level, scheme);
    size_t n;
    const char *bytes = kernc_result_text(r, KERNC_TEXT_BYTECODE, &n);
    fuzz_no_internal_error(r);
    if (bytes)
        fuzz_run_within(ctx, bytes, n, scheme_target(scheme_find(scheme))->lanes ? WC_LANES : 4);
    kernc_result_free(r);
}

bool fuzz_try_ir(struct kernc_context *ctx, const void *text, size_t size, const char *scheme)
{
    kernc_result *plain = compile_ir(text, size, 0, NULL);
    size_t n;
    const char *printed = kernc_result_text(plain, KERNC_TEXT_IR, &n);
    bool taken = printed != NULL;
    if (taken) {
        check_identity(printed, n);
        compile_and_run(ctx, text, size, 0, scheme);
        compile_and_run(ctx, text, size, 2, scheme);
    }
    kernc_result_free(plain);
    return taken;
}
