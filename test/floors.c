/* floors.c: the house's rule: a folder includes only what stands below it, and headers include each other in
 * no circle; no line is too long. Reads the sources as git lists them, from the root of the project.
 */
#include "base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* What each folder may include, besides itself: folders and single files. The longest name that begins a path
 * counts. */
static const struct floor {
    const char *folder, *below;
} floors[] = {
    {"base/", ""},
    {"include/", ""},
    {"launch/", "base/"},
    {"ir/", "base/ launch/"},
    {"frontend/", "base/ launch/ ir/"},
    {"frontend/ast/", "base/ launch/"},
    {"frontend/types/", "base/ launch/ ir/ frontend/ast/"},
    {"frontend/parse/",
     "base/ frontend/context.h frontend/ast/ frontend/types/ frontend/foreign/foreign.def"},
    {"frontend/check/", "base/ launch/ ir/ frontend/context.h frontend/types/"},
    {"frontend/lower/", "base/ ir/ frontend/context.h frontend/check/program.h"},
    {"frontend/foreign/", "base/ frontend/context.h frontend/types/ frontend/parse/ frontend/check/"},
    {"import/", "base/ launch/ ir/"},
    {"opt/", "base/ launch/ ir/"},
    {"backend/", "base/ launch/ ir/"},
    {"backend/format/", "base/ launch/"},
    {"runtime/", "base/ launch/ include/ backend/format/"},
    {"lib/", "base/ launch/ ir/ frontend/ import/ opt/ backend/ runtime/ include/"},
    {"fuzz/", "base/ launch/ ir/ frontend/ import/ opt/ backend/ runtime/ include/ lib/"},
    {"driver/", "base/ launch/ ir/ frontend/ import/ opt/ backend/ runtime/ include/ lib/ fuzz/"},
    {"samples/", "include/"},
    {"share/kernc/include/", ""},
};

static struct arena arena;
static VEC(const char *) files;
/* edges of the include graph, between indices of files */
struct edge {
    uint32_t from, to;
};
static VEC(struct edge) edges;

static const struct floor *floor_of(const char *path)
{
    const struct floor *best = NULL;
    for (size_t i = 0; i < COUNT(floors); i++)
        if (strncmp(path, floors[i].folder, strlen(floors[i].folder)) == 0 &&
            (!best || strlen(floors[i].folder) > strlen(best->folder)))
            best = &floors[i];
    return best;
}

static bool may_include(const struct floor *f, const char *path)
{
    if (strncmp(path, f->folder, strlen(f->folder)) == 0)
        return true;
    for (const char *at = f->below; *at;) {
        size_t n = strcspn(at, " ");
        if (strncmp(path, at, n) == 0)
            return true;
        at += n + (at[n] == ' ');
    }
    return false;
}

static uint32_t file_index(const char *path)
{
    for (uint32_t i = 0; i < files.count; i++)
        if (strcmp(files.at[i], path) == 0)
            return i;
    return UINT32_MAX;
}

/* The project's own file that #include "name" in `from` means, or NULL: a generated or a system file. */
static const char *resolve(const char *from, const char *name)
{
    const char *slash = strrchr(from, '/');
    const char *tries[] = {name, arena_printf(&arena, "include/%s", name),
                           arena_printf(&arena, "%.*s/%s", slash ? (int)(slash - from) : 0, from, name)};
    for (size_t i = 0; i < COUNT(tries); i++)
        if (file_index(tries[i]) != UINT32_MAX)
            return files.at[file_index(tries[i])];
    return NULL;
}

static struct text read_source(uint32_t file)
{
    struct text t = {0};
    if (file_read(files.at[file], 1u << 26, &t) != NULL)
        fail_msg("cannot read %s", files.at[file]);
    return t;
}

static void each_include(uint32_t file, void (*found)(uint32_t file, const char *included))
{
    struct text t = read_source(file);
    static const char mark[] = "#include \"";
    for (const char *at = t.at; (at = strstr(at, mark));) {
        at += strlen(mark);
        const char *name = arena_strdup(&arena, at, strcspn(at, "\"\n"));
        const char *path = resolve(files.at[file], name);
        if (path)
            found(file, path);
    }
    text_free(&t);
}

static uint32_t broken;

static void check_floor(uint32_t file, const char *included)
{
    const struct floor *f = floor_of(files.at[file]);
    if (f && !may_include(f, included)) {
        print_error("%s may not include %s\n", files.at[file], included);
        broken++;
    }
}

static void folders_include_only_what_is_below(void **state)
{
    UNUSED(state);
    broken = 0;
    for (uint32_t i = 0; i < files.count; i++)
        each_include(i, check_floor);
    assert_int_equal(broken, 0);
}

static void every_source_has_a_floor(void **state)
{
    UNUSED(state);
    for (uint32_t i = 0; i < files.count; i++)
        if (!floor_of(files.at[i]) && strncmp(files.at[i], "test/", 5) != 0)
            fail_msg("%s stands on no floor", files.at[i]);
}

static void add_edge(uint32_t file, const char *included)
{
    vec_push(&arena, &edges, ((struct edge){file, file_index(included)}));
}

/* Takes away, again and again, files that include nothing that is left; a circle stays. */
static void headers_have_no_circles(void **state)
{
    UNUSED(state);
    for (uint32_t i = 0; i < files.count; i++)
        each_include(i, add_edge);
    struct bitset removed = bitset_new(&arena, files.count);
    for (bool changed = true; changed;) {
        struct bitset waits = bitset_new(&arena, files.count);
        changed = false;
        for (uint32_t e = 0; e < edges.count; e++)
            if (!bitset_has(removed, edges.at[e].to) && edges.at[e].to != edges.at[e].from)
                bitset_add(waits, edges.at[e].from);
        for (uint32_t i = 0; i < files.count; i++)
            if (!bitset_has(removed, i) && !bitset_has(waits, i)) {
                bitset_add(removed, i);
                changed = true;
            }
    }
    for (uint32_t i = 0; i < files.count; i++)
        if (!bitset_has(removed, i))
            fail_msg("%s is in, or leads to, a circle of includes", files.at[i]);
}

/* .clang-format breaks lines at 110; a row of a table may be two longer. Files of nothing but rows (.def) are
 * not asked. */
enum { LONGEST_LINE = 112 };

/* Characters, not bytes, up to the end of the line. */
static uint32_t columns(const char *line)
{
    uint32_t n = 0;
    for (; *line && *line != '\n'; line++)
        n += ((unsigned char)*line & 0xc0) != 0x80;
    return n;
}

/* The first line from `line` on that is too long, or NULL. */
static const char *long_line(const char *line)
{
    for (; *line; line += *line == '\n') {
        if (columns(line) > LONGEST_LINE)
            return line;
        line += strcspn(line, "\n");
    }
    return NULL;
}

static unsigned line_number(const char *text, const char *at)
{
    unsigned n = 1;
    for (; text < at; text++)
        n += *text == '\n';
    return n;
}

static bool is_table(const char *path)
{
    size_t n = strlen(path);
    return n > 4 && strcmp(path + n - 4, ".def") == 0;
}

static void no_line_is_too_long(void **state)
{
    UNUSED(state);
    broken = 0;
    for (uint32_t i = 0; i < files.count; i++) {
        if (is_table(files.at[i]))
            continue;
        struct text t = read_source(i);
        for (const char *at = t.at; (at = long_line(at)); at += strcspn(at, "\n")) {
            print_error("%s:%u: %u columns\n", files.at[i], line_number(t.at, at), columns(at));
            broken++;
        }
        text_free(&t);
    }
    assert_int_equal(broken, 0);
}

static void long_lines_are_found(void **state)
{
    UNUSED(state);
    const char *longest = arena_printf(&arena, "%*s…", LONGEST_LINE - 1, "");
    assert_int_equal(columns(longest), LONGEST_LINE);
    assert_null(long_line(arena_printf(&arena, "\n%s\n%s", longest, longest)));
    const char *text = arena_printf(&arena, "\n%s\n%s.\n", longest, longest);
    assert_non_null(long_line(text));
    assert_int_equal(line_number(text, long_line(text)), 3);
}

static int list_files(void **state)
{
    UNUSED(state);
    char line[4096];
    FILE *list = popen("git ls-files '*.c' '*.h' '*.def' '*.re' '*.y'", "r");
    if (!list)
        return 1;
    while (fgets(line, sizeof line, list))
        vec_push(&arena, &files, arena_strdup(&arena, line, strcspn(line, "\n")));
    return pclose(list) != 0 || files.count == 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folders_include_only_what_is_below),
        cmocka_unit_test(every_source_has_a_floor),
        cmocka_unit_test(headers_have_no_circles),
        cmocka_unit_test(no_line_is_too_long),
        cmocka_unit_test(long_lines_are_found),
    };
    int failed = cmocka_run_group_tests(tests, list_files, NULL);
    arena_free(&arena);
    return failed;
}
