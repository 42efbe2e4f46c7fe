/* markers.c: what a preprocessor says of the lines of its output: `# 12 "file.h" 1` and `#line 12 "file.h"`.
 *
 * Places go on being lines of the text at hand; struct source knows which file and line they stand for.
 */
#include "frontend/parser.h"

/* At the first character of a line that is no blank. */
static bool begins_line(const struct parser *p, const char *at)
{
    const char *before = p->line_start;
    while (before < at && (*before == ' ' || *before == '\t' || *before == '\f' || *before == '\v'))
        before++;
    return before == at;
}

/* A file's name in quotes, in which \\ escapes and \OOO is a byte; NULL: there is none. *at moves behind it. */
static const char *read_name(struct parser *p, const char **at, const char *end)
{
    struct text name = {.arena = p->arena};
    const char *c = *at;
    if (c == end || *c++ != '"')
        return NULL;
    for (; c < end && *c != '"'; c++) {
        unsigned byte = (unsigned char)*c;
        if (*c == '\\' && c + 1 < end) {
            byte = (unsigned char)*++c;
            for (int n = 0; byte >= '0' && byte <= '7' && n == 0; n++) {
                byte -= '0';
                while (n++ < 2 && c + 1 < end && c[1] >= '0' && c[1] <= '7')
                    byte = byte * 8 + (unsigned)(*++c - '0');
            }
        }
        if (!(byte & 0xff))
            return NULL;
        text_char(&name, (char)byte);
    }
    if (c == end || name.length == 0)
        return NULL;
    *at = c + 1;
    return name.at;
}

#define LINE_MOST 999999999u /* what a marker may say */

/* The marker's parts: `12 "name" 1 3` or `line 12 "name"`. */
static bool read_marker(struct parser *p, const char *at, const char *end, uint32_t *line, const char **name)
{
    uint64_t n = 0;
    size_t digits = strspn(at, "0123456789");
    for (size_t i = 0; i < digits && n <= LINE_MOST; i++)
        n = n * 10 + (uint64_t)(at[i] - '0');
    *line = (uint32_t)n;
    at += digits;
    const char *text = at + strspn(at, " \t");
    *name = NULL;
    if (*text == '"' && !(*name = read_name(p, &text, end)))
        return false;
    return digits && n <= LINE_MOST && text + strspn(text, " \t0123456789\r") == end;
}

bool fe_line_marker(struct parser *p, const char *at)
{
    const char *word = at + 1 + strspn(at + 1, " \t"), *name;
    const char *end = memchr(at, '\n', (size_t)(p->end - at));
    uint32_t line;
    bool is_line = strncmp(word, "line", strlen("line")) == 0 && (word[4] == ' ' || word[4] == '\t');
    if (!begins_line(p, at) || (!is_line && !(*word >= '0' && *word <= '9')))
        return false;
    end = end ? end : p->end;
    word += is_line ? 4 + strspn(word + 4, " \t") : 0;
    if (read_marker(p, word, end, &line, &name))
        source_mark(p->fe->diags->arena, p->fe->source, p->line, line, name);
    else
        fe_report(p->fe, FE_MSG(bad_marker), (span){fe_here(p, at), fe_here(p, end)});
    p->cursor = end;
    return true;
}
