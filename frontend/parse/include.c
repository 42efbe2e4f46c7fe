/* include.c: files that a source includes: `include "file.kern";` outside functions.
 *
 * The path is relative to the file that includes it. Each file is read once, where it is first included; it is
 * no text that is pasted, since it ends where a declaration does. Its lines are counted on behind those of the
 * files before it (struct source), so that a place is a line and a column as ever. Launch directives of
 * included files are left out (parser.y): a file that runs by itself can be included.
 */
#include "frontend/parse/parser.h"

#include <stdlib.h>
#include <sys/stat.h>

/* The name without its links and dots, or as it is: a source need not be a file. */
static const char *real_name(struct arena *a, const char *name)
{
    char *real = realpath(name, NULL);
    const char *copy = real ? arena_strdup(a, real, strlen(real)) : name;
    free(real);
    return copy;
}

/* As seen from the file at hand. */
static const char *path_of(const struct parser *p, const char *name)
{
    const char *from = p->in.file->name, *slash = strrchr(from, '/');
    if (*name == '/' || !slash)
        return name;
    return arena_printf(p->arena, "%.*s%s", (int)(slash + 1 - from), from, name);
}

/* NULL, or why it cannot be read. Files alone are: others may never end. */
static const char *read_file(struct parser *p, const char *path, struct text *text)
{
    struct stat s;
    uint32_t limit = p->fe->options.limits.include_bytes;
    if (stat(path, &s) == 0 && !S_ISREG(s.st_mode))
        return "it is no regular file";
    const char *problem = file_read(strcmp(path, "-") == 0 ? "./-" : path, limit, text);
    if (problem == file_too_large)
        return arena_printf(p->arena, "it has more than %u bytes (--limit=include_bytes=N)", limit);
    return problem;
}

/* "a.kern includes b.kern, which includes a.kern": from the file on that is included again. */
static const char *describe_circle(struct parser *p, const char *real, const char *name)
{
    struct text t = {.arena = p->arena};
    bool inside = strcmp(p->includes.own_name, real) == 0;
    if (inside)
        text_addz(&t, p->fe->source->name);
    for (uint32_t i = 0; i < p->includes.open.count; i++) {
        const struct fe_including *f = &p->includes.open.at[i];
        if (inside)
            text_printf(&t, "%s %s", t.length && i ? ", which includes" : " includes", f->file->name);
        else if ((inside = strcmp(f->real, real) == 0))
            text_addz(&t, f->file->name);
    }
    text_printf(&t, "%s %s", p->includes.open.count > 1 ? ", which includes" : " includes", name);
    return t.at;
}

static bool is_open(const struct parser *p, const char *real)
{
    bool open = strcmp(p->includes.own_name, real) == 0;
    for (uint32_t i = 0; i < p->includes.open.count; i++)
        open |= strcmp(p->includes.open.at[i].real, real) == 0;
    return open;
}

static void begin(struct parser *p, struct source *s, const char *real)
{
    struct fe_including opened = {s, real, p->in};
    vec_push(p->arena, &p->includes.open, opened);
    fe_lexer_begin(p, s);
}

/* Notes that the file is read; false: it was before, and once is enough. */
static bool note_file(struct parser *p, const char *real)
{
    const char *name = intern_z(&p->fe->strings, real);
    if (map_get(&p->includes.read, (uintptr_t)name) != MAP_NONE)
        return false;
    map_set(p->arena, &p->includes.read, (uintptr_t)name, 1);
    return true;
}

static void read_and_begin(struct parser *p, const char *path, const char *real, span where)
{
    struct text text = {.arena = p->arena};
    const char *problem = read_file(p, path, &text);
    struct source *s =
        problem ? NULL : source_include(p->fe->diags->arena, p->fe->source, path, text.at, text.length);
    if (s)
        begin(p, s, real);
    else
        fe_report(p->fe, FE_MSG(include_unreadable), where, path,
                  problem ? problem : "it has too many lines");
}

void fe_include(struct parser *p, const struct fe_expr *string, span where)
{
    uint32_t limit = p->fe->options.limits.include_files;
    const char *name = arena_strdup(p->arena, string->string.bytes, string->string.length);
    const char *path = path_of(p, name), *real = real_name(p->arena, path);
    if (!p->includes.own_name)
        p->includes.own_name = real_name(p->arena, p->fe->source->name);
    if (strlen(name) != string->string.length || !*name)
        fe_report(p->fe, FE_MSG(include_unreadable), where, name, "this is no name of a file");
    else if (is_open(p, real))
        fe_report(p->fe, FE_MSG(include_circle), where, describe_circle(p, real, path));
    else if (!note_file(p, real))
        return;
    else if (p->fe->source->included.count >= limit)
        fe_report(p->fe, FE_MSG(include_too_many), where, limit);
    else
        read_and_begin(p, path, real, where);
}

void fe_fix_include(struct parser *p, span line, const char *string)
{
    size_t n = strcspn(string + 1, "\"\n");
    const char *name = arena_strdup(p->arena, string + 1, n);
    struct stat s;
    p->fe->excused.all = true;
    if (n && stat(path_of(p, name), &s) == 0 && S_ISREG(s.st_mode))
        fe_fixit(p->fe, line, arena_printf(p->arena, "include \"%s\";", name));
}

bool fe_end_include(struct parser *p)
{
    int before = p->history.current_token;
    if (!p->includes.open.count || p->brackets.count || (before != ';' && before != '}'))
        return false;
    p->in = vec_pop(&p->includes.open).after;
    return true;
}
