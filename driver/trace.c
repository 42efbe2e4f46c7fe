/* trace.c: --trace, --trace-window and --cores of kernc run; the trace's text is kept until the launch has
 * ended. */
#include "driver/launch.h"

#include <stdlib.h>

static bool ends_with(const char *name, const char *ending)
{
    size_t n = strlen(name), k = strlen(ending);
    return n > k && strcmp(name + n - k, ending) == 0;
}

/* "from..to"; either may be missing. */
static int read_window(struct run *r, const char *text)
{
    char               *end = (char *)text;
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
    r->api.trace_from = from;
    r->api.trace_to = to;
    return EXIT_OK;
}

static void keep_trace(void *user, const char *bytes, size_t n)
{
    text_add(user, bytes, n);
}

int trace_read_flags(struct run *r)
{
    const char *file = option_value(r->command, OPTION_TRACE),
               *window = option_value(r->command, OPTION_TRACE_WINDOW);
    uint64_t    machines = 1;
    int         code = option_number(r->command, OPTION_CORES, 1, KERNC_MAX_CORES, &machines);
    r->api.cores = (uint32_t)machines;
    if (!code && window)
        code = read_window(r, window);
    if (code || !file)
        return code;
    r->api.trace = ends_with(file, ".vcd")    ? KERNC_TRACE_VCD
                   : ends_with(file, ".json") ? KERNC_TRACE_JSON
                                              : KERNC_TRACE_NONE;
    if (!r->api.trace)
        return complain(r->command, EXIT_USAGE, "--trace wants a file that ends in .vcd or .json, not '%s'",
                        file);
    r->api.trace_output = keep_trace;
    r->api.trace_user = &r->trace;
    return EXIT_OK;
}

int trace_write(struct run *r)
{
    const char *file = option_value(r->command, OPTION_TRACE);
    int         code = r->trace.length ? write_output(r->command, file, r->trace.at, r->trace.length)
                                       : EXIT_OK;
    text_free(&r->trace);
    return code;
}
