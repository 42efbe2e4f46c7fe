/* fuzz_profile.c: any bytes as the profile of an earlier run (--profile-use) of a kernel whose predictions it
 * decides: refused, or the kernel compiles with -fpredict=auto, with its IR verified after each pass, and runs.
 * Bytes that do not begin as JSON become counts of places, so that the fuzzer gets past the text.
 */
#include "kernc.h"
#include "lib/profile.h"
#include "test/fuzz/fuzz.h"

#include <inttypes.h>
#include <stdlib.h>

enum { PLACE_BYTES = 4 };

static struct text source;

/* Four bytes a place: lines or columns further, and the lanes as a number and a shift. In order, as they have
 * to be; equal places are copies. */
static void make_profile(struct text *t, const uint8_t *data, size_t size)
{
    char hash[PROFILE_HASH];
    uint32_t line = 1, column = 0;
    text_printf(t, "{\"kernel\": \"rare\", \"scheme\": \"barrier\", \"source\": \"%s\", \"places\": [",
                profile_hash(&(struct source){.text = source.at, .length = source.length}, hash));
    for (size_t i = 0; i + PLACE_BYTES <= size; i += PLACE_BYTES) {
        line += data[i] % 8;
        column = data[i] % 8 ? data[i + 1] % 32 : column + data[i + 1] % 32;
        text_printf(t, "%s[%" PRIu32 ", %" PRIu32 ", %" PRIu64 "]", i ? ", " : "", line, column,
                    (uint64_t)data[i + 2] << data[i + 3] % 55);
    }
    text_printf(t, "]}");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const switches[] = {"predict=auto"};
    /* many compilations, not long ones */
    static const char *const limits[] = {"predict_sample=200000", "predict_steps=10000"};
    struct text made = {0};
    const char *why;
    size_t n;
    if (!source.at && (why = file_read("test/cli/inputs/rare.kern", 1 << 20, &source)) != NULL)
        abort();
    if (size == 0 || data[0] != '{')
        make_profile(&made, data, size);
    kernc_options o;
    kernc_options_init(&o);
    o.input = KERNC_INPUT_SOURCE;
    o.scheme = "barrier";
    o.verify_each = true;
    o.switches = switches;
    o.switch_count = 1;
    o.limits = limits;
    o.limit_count = COUNT(limits);
    o.profile = made.at ? made.at : (const char *)data;
    o.profile_length = made.at ? made.length : size;
    o.profile_name = "profile.json";
    kernc_result *r = kernc_compile("rare.kern", source.at, source.length, &o);
    const char *bytes = kernc_result_text(r, KERNC_TEXT_BYTECODE, &n);
    kernc_result_text(r, KERNC_TEXT_DIAGNOSTICS, NULL);
    if (bytes)
        fuzz_run_program(bytes, n, 4);
    else if (made.at)
        abort(); /* it is a good one */
    kernc_result_free(r);
    text_free(&made);
    return 0;
}
