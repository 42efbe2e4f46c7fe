/* timing.c: the figures of timing.def as a table, and as a text that changes them. */
#include "backend/format/warpcore/isa.h"

#include <stdio.h>

const struct wc_timing wc_timing_default = {
    .cycles =
        {
#define WC_UNIT(name, cycles, interval, port, meaning) cycles,
#include "backend/format/warpcore/timing.def"
        },
    .interval =
        {
#define WC_UNIT(name, cycles, interval, port, meaning) interval,
#include "backend/format/warpcore/timing.def"
        },
    .parameter =
        {
#define WC_PARAMETER(name, value, least, meaning) value,
#include "backend/format/warpcore/timing.def"
        },
};

const struct wc_unit_info wc_unit_info[WC_UNITS] = {
#define WC_UNIT(name, cycles, interval, port, meaning) {#name, meaning, WC_UNIT_##port},
#include "backend/format/warpcore/timing.def"
};
const struct wc_parameter_info wc_parameter_info[WC_PARAMETERS] = {
#define WC_PARAMETER(name, value, least, meaning) {#name, meaning, least},
#include "backend/format/warpcore/timing.def"
};

/* ---- reading ----------------------------------------------------------------------------------------- */

struct reader {
    const char *at, *end;
    unsigned line;
    char *why;
    size_t size;
};

static bool wrong(struct reader *r, const char *what)
{
    snprintf(r->why, r->size, "line %u: %s", r->line, what);
    return false;
}

static void skip_spaces(struct reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r'))
        r->at++;
    if (r->at < r->end && *r->at == '#')
        while (r->at < r->end && *r->at != '\n')
            r->at++;
}

static bool at_end_of_line(struct reader *r)
{
    skip_spaces(r);
    return r->at == r->end || *r->at == '\n';
}

static bool read_figure(struct reader *r, uint32_t least, uint32_t *figure)
{
    uint32_t x = 0;
    skip_spaces(r);
    const char *start = r->at;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9' && x <= WC_MAX_CYCLES; r->at++)
        x = x * 10 + (uint32_t)(*r->at - '0');
    if (r->at == start)
        return wrong(r, "a number of cycles is missing");
    if (x > WC_MAX_CYCLES || x < least) {
        snprintf(r->why, r->size, "line %u: a number from %u to %u is wanted", r->line, least, WC_MAX_CYCLES);
        return false;
    }
    *figure = x;
    return true;
}

static bool is_named(const char *name, const char *start, size_t n)
{
    return strlen(name) == n && memcmp(name, start, n) == 0;
}

/* A unit's cycles and, if it stands there, its interval. */
static bool read_unit(struct reader *r, struct wc_timing *t, unsigned unit)
{
    return read_figure(r, 1, &t->cycles[unit]) &&
           (at_end_of_line(r) || read_figure(r, 0, &t->interval[unit]));
}

static bool read_row(struct reader *r, struct wc_timing *t)
{
    const char *start = r->at;
    while (r->at < r->end && *r->at >= 'A' && *r->at <= 'Z')
        r->at++;
    size_t n = (size_t)(r->at - start);
    for (unsigned i = 0; i < WC_UNITS; i++)
        if (is_named(wc_unit_info[i].name, start, n))
            return read_unit(r, t, i);
    for (unsigned i = 0; i < WC_PARAMETERS; i++)
        if (is_named(wc_parameter_info[i].name, start, n))
            return read_figure(r, wc_parameter_info[i].least, &t->parameter[i]);
    return wrong(r, "no row of the table of cycles has this name");
}

bool wc_timing_read(struct wc_timing *t, const char *text, size_t n, char *why, size_t size)
{
    struct reader r = {.at = text, .end = text + n, .line = 1, .why = why, .size = size};
    for (; r.at < r.end; r.at++, r.line++) {
        if (!at_end_of_line(&r) && !read_row(&r, t))
            return false;
        if (!at_end_of_line(&r))
            return wrong(&r, "there is more than a name and its figures");
        if (r.at == r.end)
            break;
    }
    return true;
}

/* ---- writing ----------------------------------------------------------------------------------------- */

void wc_timing_write(const struct wc_timing *t, struct text *out)
{
    text_addz(out, "# cycles of an instruction, cycles from one to the next in the same unit\n");
    for (unsigned i = 0; i < WC_UNITS; i++)
        text_printf(out, "%-8s %5u %3u    # %s%s%s\n", wc_unit_info[i].name, t->cycles[i], t->interval[i],
                    wc_unit_info[i].meaning, wc_unit_info[i].port == i ? "" : "; begin where those begin of ",
                    wc_unit_info[i].port == i ? "" : wc_unit_info[wc_unit_info[i].port].name);
    for (unsigned i = 0; i < WC_PARAMETERS; i++)
        text_printf(out, "%-8s %5u        # %s\n", wc_parameter_info[i].name, t->parameter[i],
                    wc_parameter_info[i].meaning);
}
