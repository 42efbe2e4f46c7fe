/* trace.c: --trace and --trace-window, whose text is kept until the launch has ended, and the options of the
 * warp-core machine: --cores and --timing. */
#include "driver/launch.h"
#include "runtime/context.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- the table of cycles ----------------------------------------------------------------------------- */

bool timing_asked(const struct command *c)
{
    const char *text = option_value(c, OPTION_TIMING);
    return text && strcmp(text, "help") == 0;
}

void timing_help(void)
{
    struct text t = {0};
    wc_timing_write(&wc_timing_default, &t);
    fwrite(t.at, 1, t.length, stdout);
    text_free(&t);
}

static int read_timing(struct run *r)
{
    const char *file = option_value(r->command, OPTION_TIMING);
    struct wc_timing timing = wc_timing_default;
    struct text text = {0};
    char why[160];
    if (!file)
        return EXIT_OK;
    const char *problem = file_read(file, INPUT_LIMIT, &text);
    int code = EXIT_OK;
    if (problem)
        code = fail(r->command, EXIT_INPUT, "input", NULL, (place){0}, "cannot read %s: %s", file, problem);
    else if (!wc_timing_read(&timing, text.at ? text.at : "", text.length, why, sizeof why))
        code = fail(r->command, EXIT_INPUT, "timing", NULL, (place){0}, "%s, %s", file, why);
    else
        r->x.api.timing = arena_strdup(&r->command->arena, text.at ? text.at : "", text.length);
    text_free(&text);
    return code;
}

/* ---- the trace --------------------------------------------------------------------------------------- */

static bool ends_with(const char *name, const char *ending)
{
    size_t n = strlen(name), k = strlen(ending);
    return n > k && strcmp(name + n - k, ending) == 0;
}

/* "from..to"; either may be missing. */
static int read_window(struct run *r, const char *text)
{
    char *end = (char *)text;
    unsigned long long from = 0, to = 0;
    if (*text >= '0' && *text <= '9')
        from = strtoull(text, &end, 10);
    const char *dots = end;
    if (dots[0] == '.' && dots[1] == '.' && dots[2] >= '0' && dots[2] <= '9')
        to = strtoull(dots + 2, &end, 10);
    else if (dots[0] == '.' && dots[1] == '.')
        end = (char *)dots + 2;
    if (end == dots || *end || (to && to <= from) || (end > dots + 2 && to == 0))
        return complain(r->command, EXIT_USAGE, "--trace-window wants cycles such as 1000..2000, not '%s'",
                        text);
    r->x.api.trace_from = from;
    r->x.api.trace_to = to;
    return EXIT_OK;
}

static void add_trace(struct run *r, const void *data)
{
    const struct text *part = data;
    text_add(&r->trace, part->at, part->length);
}

static void keep_trace(void *user, const char *bytes, size_t n)
{
    launch_called(user, add_trace, &(struct text){.at = (char *)bytes, .length = n});
}

int trace_read_flags(struct run *r)
{
    const char *file = option_value(r->command, OPTION_TRACE),
               *window = option_value(r->command, OPTION_TRACE_WINDOW);
    uint64_t machines = 1;
    int code = option_number(r->command, OPTION_CORES, 1, KERNC_MAX_CORES, &machines);
    r->x.api.cores = (uint32_t)machines;
    code = code ?: read_timing(r);
    if (window)
        code = code ?: read_window(r, window);
    if (code || !file)
        return code;
    r->x.api.trace = ends_with(file, ".vcd")    ? KERNC_TRACE_VCD
                     : ends_with(file, ".json") ? KERNC_TRACE_JSON
                     : ends_with(file, ".txt")  ? KERNC_TRACE_TEXT
                                                : KERNC_TRACE_NONE;
    if (!r->x.api.trace)
        return complain(r->command, EXIT_USAGE,
                        "--trace wants a file that ends in .vcd, .json or .txt, not '%s'", file);
    r->x.api.trace_output = keep_trace;
    r->x.api.trace_user = r;
    return EXIT_OK;
}

int machine_missing(struct command *c, enum option_id o)
{
    return option_given(c, o)
               ? complain(c, EXIT_USAGE,
                          "--%s wants a program for the warp-core machine (--target=warp-core)",
                          option_info[o].name)
               : EXIT_OK;
}

int trace_check(struct run *r)
{
    int code = EXIT_OK;
    if (!r->x.module->image && !r->quiet) {
        code = machine_missing(r->command, OPTION_CORES);
        code = code ? code : machine_missing(r->command, OPTION_TIMING);
    }
    if (code)
        return code;
    if (!option_given(r->command, OPTION_TRACE) || !execution_is_sequence(&r->x))
        return EXIT_OK;
    return complain(r->command, EXIT_USAGE, "--trace wants one launch: --launch=NAME chooses");
}

int trace_write(struct run *r)
{
    const char *file = option_value(r->command, OPTION_TRACE);
    int code = r->trace.length ? write_output(r->command, file, r->trace.at, r->trace.length) : EXIT_OK;
    text_free(&r->trace);
    return code;
}
