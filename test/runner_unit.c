/* runner_unit.c: a cmocka program: its tests are counted from the TAP lines it writes. */
#include "test/runner.h"

#include <ctype.h>

#define SECONDS 1800
/* Large pages: machines of megabytes are made and freed by the thousand, and each page would be a fault. */
#define MEMORY "GLIBC_TUNABLES=glibc.malloc.hugetlb=1:glibc.malloc.top_pad=16777216"

/* One line of TAP. cmocka writes the failure's text, as "# " lines, behind "not ok". */
static void take_line(const char *line, size_t n, struct test_result *r)
{
    if (n > 3 && memcmp(line, "ok ", 3) == 0 && isdigit((unsigned char)line[3])) {
        if (memmem(line, n, "# SKIP", 6))
            r->counts.skipped++;
        else
            r->counts.passed++;
    } else if (n > 7 && memcmp(line, "not ok ", 7) == 0) {
        r->counts.failed++;
        text_printf(&r->log, "  %.*s\n", (int)n, line);
    }
}

static void take_lines(const struct text *t, struct test_result *r)
{
    for (const char *line = t->at, *end; *line; line = end + (*end == '\n')) {
        end = strchrnul(line, '\n');
        take_line(line, (size_t)(end - line), r);
    }
}

void test_run_unit(const char *path, const struct test_options *o, struct test_result *r)
{
    struct text command = {0};
    struct process p;
    text_printf(&command, "CMOCKA_MESSAGE_OUTPUT=TAP " MEMORY " '%s'", path);
    process_run(command.at, NULL, SECONDS * o->patience, &p);
    r->seconds = p.seconds;
    take_lines(&p.out, r);
    bool broken = p.timed_out || (p.status != 0 && r->counts.failed == 0);
    if (broken)
        r->counts.failed++;
    if (p.timed_out)
        text_printf(&r->log, "  no end after %u seconds\n", SECONDS * o->patience);
    else if (broken)
        text_printf(&r->log, "  exit code %d\n", p.status);
    if (r->counts.failed && p.err.length)
        text_add(&r->log, p.err.at, p.err.length);
    if (r->counts.failed && broken)
        text_add(&r->log, p.out.at, p.out.length);
    process_free(&p);
    text_free(&command);
}
