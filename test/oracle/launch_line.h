/* launch_line.h: how a file that `kernc fuzz --emit` writes is launched: its line `// kern: launch`. */
#ifndef KERNC_TEST_LAUNCH_LINE_H
#define KERNC_TEST_LAUNCH_LINE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct launch_line {
    unsigned log, noise, wrong, grid, block; /* elements of 8, 4 and 4 bytes; blocks, threads */
};

static inline char *read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    *size = 0;
    for (size_t room = 1 << 16, n = 1; f && n; room *= 2) {
        text = realloc(text, room + 1);
        n = fread(text + *size, 1, room - *size, f);
        *size += n;
    }
    if (f)
        fclose(f);
    if (text)
        text[*size] = 0;
    return text;
}

static inline bool read_launch(const char *text, struct launch_line *l)
{
    const char *at = text ? strstr(text, "// kern: launch ") : NULL;
    return at &&
           sscanf(
               at,
               "// kern: launch k(log = zeros(%u), noise = zeros(%u), wrong = zeros(%u)) grid(%u) block(%u)",
               &l->log, &l->noise, &l->wrong, &l->grid, &l->block) == 5;
}

/* What came of a file: rows that are wrong. True: none. */
static inline bool say_rows(const char *path, unsigned wrong)
{
    if (wrong)
        printf("%s: %u rows wrong\n", path, wrong);
    else
        printf("%s: right\n", path);
    fflush(stdout);
    return wrong == 0;
}

#endif
