/* scan.h: steps that the readers of this folder share. Each moves *at behind what it takes. Private to launch/.
 */
#ifndef KERNC_LAUNCH_SCAN_H
#define KERNC_LAUNCH_SCAN_H

#include "base/base.h"

static inline void scan_blanks(const char **at)
{
    *at += strspn(*at, " \t\r\n");
}

/* Behind blanks, whether this character stands there. */
static inline bool scan_mark(const char **at, char c)
{
    scan_blanks(at);
    bool there = **at == c && c;
    *at += there;
    return there;
}

static inline bool scan_is_word(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* Behind blanks, whether this word stands there, whole. */
static inline bool scan_word(const char **at, const char *word)
{
    size_t blanks = strspn(*at, " \t\r\n"), n = strlen(word);
    bool there = strncmp(*at + blanks, word, n) == 0 && !scan_is_word((*at)[blanks + n]);
    *at += there ? blanks + n : 0;
    return there;
}

/* At the opening quote. The text, escapes replaced, is in the arena. NULL, or the message (static text). */
const char *scan_quoted(struct arena *a, const char **at, const char **text);

#endif
