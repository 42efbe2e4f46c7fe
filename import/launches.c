/* launches.c: launch directives in comments of the source, each on a line of its own:
 *
 *   // kern: launch scale(y = iota(64), a = 2.0) grid(2) block(32) show(y[0..8])
 *   ; kern: buffer flag of int 4 ({1})
 *
 *   // kern: launch scale(y = iota(64), a = 2.0) grid(2) block(32) show(y[0..8])
 */
#include "import/lower_function.h"
#include "launch/launch.h"

/* The directive behind "kern:" in the line's comment, or NULL. */
static const char *directive_in(const char *line, uint32_t n)
{
    static const char mark[] = "kern:";
    const char *end = line + n;
    for (const char *at = line; at + sizeof mark < end; at++) {
        bool slashes = at[0] == '/' && (at[1] == '/' || at[1] == '*');
        if (!slashes && *at != ';')
            continue;
        at += slashes ? 2 : 1;
        at += strspn(at, " \t");
        if (at + sizeof mark >= end || strncmp(at, mark, sizeof mark - 1) != 0)
            return NULL;
        at += sizeof mark - 1;
        return at + strspn(at, " \t");
    }
    return NULL;
}

/* A launch as a number of the module's; what its names mean is checked with the module. */
static void read_directive(struct importer *im, const char *text, place at)
{
    struct launch l;
    size_t n;
    const char *why = launch_read_directive(&im->m->arena, text, &n, &l);
    l.line = at.line;
    if (why) {
        at.column += (uint32_t)n;
        diag_add(im->d, DIAG_ERROR, "launch", (span){at, {0}}, "%s", why);
    } else if (l.element_bytes > IR_MAX_OBJECT_BYTES || im->m->launches.count >= IR_MAX_LAUNCHES ||
               l.arguments.count > IR_MAX_ARGS || l.outputs.count > IR_MAX_ARGS) {
        diag_add(im->d, DIAG_ERROR, "import-limit", (span){at, {0}},
                 "more than %u launches (IR_MAX_LAUNCHES), %u arguments of one (IR_MAX_ARGS), or %u bytes of "
                 "an element (IR_MAX_OBJECT_BYTES)",
                 IR_MAX_LAUNCHES, IR_MAX_ARGS, IR_MAX_OBJECT_BYTES);
    } else {
        vec_push(&im->m->arena, &im->m->launches, l);
    }
}

void import_launches(struct importer *im)
{
    for (uint32_t line = 1; line <= im->shown->line_count; line++) {
        uint32_t n;
        const char *text = source_line(im->shown, line, &n), *at = directive_in(text, n);
        char word[16] = "";
        if (!at)
            continue;
        size_t letters = strspn(at, "abcdefghijklmnopqrstuvwxyz");
        if (letters < sizeof word)
            memcpy(word, at, letters);
        if (launch_is_directive(word))
            read_directive(im, arena_strdup(im->arena, at, (size_t)(text + n - at)),
                           (place){line, (uint32_t)(at - text) + 1});
    }
}
