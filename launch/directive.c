/* directive.c: the text form of launch directives, read and written: what IR and assembly have, whole, and what
 * --arg, --show and --save have of it.
 *
 *   directive = launch | buffer | repeat | "end" [ line ] | "output" { output } [ line ]
 *   launch    = "launch" ["@"] name "(" [ argument { "," argument } ] ")" { clause | output } [ line ]
 *   argument  = name "=" value                                              value: text.c
 *   clause    = ( "grid" | "block" | "shared" ) "(" ( sizes | text ) ")"    sizes: expression.c
 *   buffer    = "buffer" name "of" element bytes [ text ] "(" value ")" [ line ]
 *   repeat    = "repeat" [ number ] [ "while" name ] [ line ]
 *   output    = "show" "(" shown ")" | "save" "(" saved ")"
 *   shown     = name [ "[" number [ ".." number ] "]" ] [ path | text ] [ "as" "hex" ]
 *   saved     = name "=" text [ "," width "," height ]
 *   line      = "!" number [ ":" number ]
 *
 * A name is a word of letters, digits, '_' and '$', or a text; that of an argument, a kernel or a buffer may
 * have points in it, that of an output not: there a path begins with one. Behind that of a kernel may stand
 * arguments of a template. On the command line what is saved is `name=file` or `name=file:WxH`, too.
 */
#include "launch/launch.h"
#include "launch/scan.h"

#include <errno.h>
#include <stdlib.h>

struct reader {
    struct arena *arena;
    const char *at, *why; /* why: the first thing that is wrong, or NULL; then `at` stands still */
    uint32_t depth;       /* parentheses that are open */
};

static void wrong(struct reader *r, const char *why)
{
    if (!r->why)
        r->why = why;
}

static void skip_blanks(struct reader *r)
{
    while (*r->at && strchr(r->depth ? " \t\r\n;" : " \t\r", *r->at))
        r->at += *r->at == ';' ? strcspn(r->at, "\n") : 1;
}

static bool accept(struct reader *r, char c)
{
    if (r->why)
        return false;
    skip_blanks(r);
    bool there = *r->at == c;
    r->at += there;
    if (there && (c == '(' || c == ')'))
        r->depth += c == '(' ? 1u : -1u;
    return there;
}

static void expect(struct reader *r, char c, const char *usage)
{
    if (!accept(r, c))
        wrong(r, usage);
}

static bool accept_word(struct reader *r, const char *word)
{
    if (r->why)
        return false;
    skip_blanks(r);
    return *r->at != '\n' && scan_word(&r->at, word);
}

static const char *read_quoted(struct reader *r)
{
    const char *text = "", *at = r->at, *why = r->why ? r->why : scan_quoted(r->arena, &r->at, &text);
    if (why && !r->why)
        r->at = at;
    wrong(r, why);
    return text;
}

/* A text, if it stands here; else NULL. */
static const char *accept_quoted(struct reader *r)
{
    if (r->why)
        return NULL;
    skip_blanks(r);
    return *r->at == '"' ? read_quoted(r) : NULL;
}

/* As many characters as a word and `more` have. */
static size_t name_length(const char *at, const char *more)
{
    size_t n = 0;
    while (scan_is_word(at[n]) || (at[n] && strchr(more, at[n])))
        n++;
    return n;
}

static const char *read_name(struct reader *r, const char *more, const char *missing)
{
    const char *text = accept_quoted(r);
    if (text || r->why)
        return text ? text : "";
    size_t n = name_length(r->at, more);
    if (n == 0)
        wrong(r, missing);
    text = arena_strdup(r->arena, r->at, n);
    r->at += n;
    return text;
}

static uint64_t read_number(struct reader *r, uint64_t most, const char *missing)
{
    char *end;
    if (r->why)
        return 0;
    skip_blanks(r);
    errno = 0;
    uint64_t n = strtoull(r->at, &end, 10);
    if (*r->at < '0' || *r->at > '9')
        wrong(r, missing);
    else if (errno || n > most)
        wrong(r, "the number is too large");
    else
        r->at = end;
    return r->why ? 0 : n;
}

/* What stands up to the comma or parenthesis behind it, without comments. */
static const char *cut(struct reader *r, bool commas)
{
    struct text part = {.arena = r->arena};
    bool quoted = false;
    skip_blanks(r);
    for (uint32_t depth = 0; *r->at; r->at++) {
        char c = *r->at;
        if (!quoted && depth == 0 && (c == ')' || (commas && c == ',')))
            break;
        if (!quoted && c == ';' && (r->at += strcspn(r->at, "\n"), !*r->at))
            break;
        if (quoted && c == '\\' && r->at[1])
            text_char(&part, *r->at++);
        quoted ^= c == '"';
        depth += !quoted && (c == '(' || c == '{');
        depth -= !quoted && depth && (c == ')' || c == '}');
        text_char(&part, *r->at);
    }
    while (part.length && strchr(" \t\r\n", part.at[part.length - 1]))
        part.at[--part.length] = '\0';
    return part.length ? part.at : "";
}

static void read_value(struct reader *r, struct launch_value *v)
{
    const char *at = r->at, *why;
    if (r->why)
        return;
    skip_blanks(r);
    at = r->at;
    why = launch_parse_value(r->arena, cut(r, true), v);
    if (why)
        r->at = at;
    wrong(r, why);
}

const char *launch_parse_argument(struct arena *a, const char *text, struct launch_argument *argument)
{
    size_t n = strcspn(text, "=");
    *argument = (struct launch_argument){0};
    if (!n || !text[n])
        return "wanted: NAME=SPEC";
    argument->name = arena_strdup(a, text, n);
    return launch_parse_value(a, text + n + 1, &argument->value);
}

/* ---- outputs ----------------------------------------------------------------------------------------- */

static const char no_buffer[] = "the name of a buffer is missing";

/* Behind the opening bracket. */
static void read_range(struct reader *r, struct launch_output *o)
{
    static const char usage[] = "a range is written name[first..end]";
    o->first = read_number(r, UINT64_MAX, usage);
    o->last = o->first + 1;
    if (accept(r, '.')) {
        expect(r, '.', usage);
        o->last = read_number(r, UINT64_MAX, usage);
    }
    if (!r->why && o->first >= o->last)
        wrong(r, "the range is empty");
    expect(r, ']', usage);
}

static void read_shown(struct reader *r, struct launch_output *o)
{
    o->name = read_name(r, "$", no_buffer);
    if (accept(r, '['))
        read_range(r, o);
    o->path = accept_quoted(r);
    size_t n = !r->why && !o->path && (*r->at == '.' || *r->at == '[') ? name_length(r->at, "$.[]") : 0;
    if (n)
        o->path = arena_strdup(r->arena, r->at, n);
    r->at += n;
    o->hex = accept_word(r, "as");
    if (o->hex && !accept_word(r, "hex"))
        wrong(r, "behind 'as' stands hex");
}

static void read_picture_size(struct reader *r, struct launch_output *o)
{
    static const char usage[] = "a picture's width and height are wanted";
    o->width = (uint32_t)read_number(r, UINT32_MAX, usage);
    expect(r, ',', usage);
    o->height = (uint32_t)read_number(r, UINT32_MAX, usage);
}

/* "file:WxH" to the text's end; without a size that is all the file's name. */
static void read_plain_file(struct reader *r, struct launch_output *o)
{
    const char *file = r->at, *colon = strrchr(file, ':');
    struct reader size = {.arena = r->arena, .at = colon ? colon + 1 : ""};
    uint64_t width = read_number(&size, UINT32_MAX, "");
    bool sized = !size.why && *size.at++ == 'x' && *size.at >= '0' && *size.at <= '9';
    uint64_t height = sized ? read_number(&size, UINT32_MAX, "") : 0;
    sized = sized && !size.why && !*size.at;
    o->width = sized ? (uint32_t)width : 0;
    o->height = sized ? (uint32_t)height : 0;
    o->file = arena_strdup(r->arena, file, sized ? (size_t)(colon - file) : strlen(file));
    r->at += strlen(r->at);
    if (sized && (!width || !height))
        wrong(r, "a picture's sides are 1 or more");
    if (!*o->file)
        wrong(r, "the name of a file is missing");
}

static void read_saved(struct reader *r, struct launch_output *o)
{
    static const char usage[] = "a file's name in quotes is wanted behind name =";
    o->save = true;
    o->name = read_name(r, ".$", no_buffer);
    expect(r, '=', usage);
    o->file = accept_quoted(r);
    if (!r->why && !o->file && !r->depth)
        read_plain_file(r, o);
    else if (!o->file)
        wrong(r, usage);
    else if (accept(r, ','))
        read_picture_size(r, o);
}

const char *launch_parse_show(struct arena *a, const char *text, struct launch_output *o)
{
    struct reader r = {.arena = a, .at = text};
    *o = (struct launch_output){0};
    read_shown(&r, o);
    skip_blanks(&r);
    if (*r.at)
        wrong(&r, "behind a range stands nothing, a .member, an [index] or \" as hex\"");
    return r.why;
}

const char *launch_parse_save(struct arena *a, const char *text, struct launch_output *o)
{
    struct reader r = {.arena = a, .at = text};
    size_t n = name_length(text, ".$");
    *o = (struct launch_output){0};
    if (*text != '"' && (n == 0 || text[n] != '=' || !text[n + 1]))
        return "it is written name=file or name=file:WxH";
    read_saved(&r, o);
    skip_blanks(&r);
    if (*r.at)
        wrong(&r, "something follows the file's name");
    return r.why;
}

static bool accept_output(struct reader *r, struct launch *l)
{
    bool save = accept_word(r, "save");
    if (!save && !accept_word(r, "show"))
        return false;
    expect(r, '(', save ? "save is written save(name = \"file\")" : "show is written show(name)");
    do {
        struct launch_output o = {0};
        if (save)
            read_saved(r, &o);
        else
            read_shown(r, &o);
        vec_push(r->arena, &l->outputs, o);
    } while (accept(r, ','));
    expect(r, ')', "',' or ')' is wanted behind an output");
    return true;
}

/* ---- directives -------------------------------------------------------------------------------------- */

static bool accept_clause(struct reader *r, struct launch *l)
{
    for (enum launch_clause c = 0; c < LAUNCH_CLAUSES; c++) {
        if (!accept_word(r, launch_clause_names[c]))
            continue;
        expect(r, '(', "sizes stand in parentheses");
        if (r->why)
            return true;
        const char *text = accept_quoted(r), *at = r->at;
        const char *why = launch_parse_sizes(r->arena, text ? text : cut(r, false), c, l);
        if (why)
            r->at = at;
        wrong(r, why);
        expect(r, ')', "a ')' is missing behind sizes");
        return true;
    }
    return false;
}

static void read_arguments(struct reader *r, struct launch *l)
{
    expect(r, '(', "a launch is written launch kernel(name = value, …)");
    if (r->why || accept(r, ')'))
        return;
    do {
        struct launch_argument a = {.name = read_name(r, ".$", "the name of an argument is missing")};
        expect(r, '=', "'=' is wanted behind the name of an argument");
        read_value(r, &a.value);
        vec_push(r->arena, &l->arguments, a);
    } while (accept(r, ','));
    expect(r, ')', "',' or ')' is wanted behind an argument");
}

/* "sum<float, 4>": arguments of a template belong to the name, written as clang does: "f<vec<int> *>". */
static const char *read_kernel(struct reader *r)
{
    struct text name = {.arena = r->arena};
    text_addz(&name, read_name(r, ".$", "the name of a kernel is missing"));
    uint32_t open = 0;
    for (bool begun = *r->at == '<'; !r->why && begun && *r->at && *r->at != '\n'; r->at++) {
        char before = name.length ? name.at[name.length - 1] : 0, c = *r->at;
        bool of_pointer = (c == '*' || c == '&') && before != c;
        open += c == '<';
        open -= c == '>';
        if (c == ' ')
            continue;
        if (before == ',' || (c == '>' && before == '>') || of_pointer ||
            (r->at[-1] == ' ' && scan_is_word(before) && scan_is_word(c)))
            text_char(&name, ' ');
        text_char(&name, c);
        begun = open > 0;
    }
    if (open)
        wrong(r, "a '>' is missing behind arguments of a template");
    return name.at;
}

static void read_launch(struct reader *r, struct launch *l)
{
    accept(r, '@');
    l->kernel = read_kernel(r);
    read_arguments(r, l);
    while (accept_clause(r, l) || accept_output(r, l))
        continue;
}

static void read_buffer(struct reader *r, struct launch *l)
{
    static const char usage[] = "a buffer is written buffer name of int 4 (zeros(8))";
    struct launch_argument a = {.name = l->name = read_name(r, ".$", no_buffer)};
    if (!accept_word(r, "of"))
        wrong(r, usage);
    const char *element = r->at;
    if (!launch_find_element(read_name(r, "", usage), &l->element) && !r->why) {
        r->at = element + 1;
        wrong(r, "an element's type is wanted, as Kern calls it: int, float, struct");
    }
    l->element_bytes = (uint32_t)read_number(r, UINT32_MAX, "the bytes of an element are wanted");
    l->layout = accept_quoted(r);
    expect(r, '(', usage);
    const char *at = r->at;
    read_value(r, &a.value);
    bool makes_one = a.value.kind != LAUNCH_NAMED && a.value.kind != LAUNCH_ROUND &&
                     a.value.kind != LAUNCH_SCALAR && a.value.kind != LAUNCH_NULL;
    if (!r->why && !makes_one) {
        r->at = at;
        wrong(r, "this makes no buffer");
    }
    expect(r, ')', usage);
    vec_push(r->arena, &l->arguments, a);
}

static void read_repeat(struct reader *r, struct launch *l)
{
    skip_blanks(r);
    if (*r->at >= '0' && *r->at <= '9')
        l->rounds = read_number(r, UINT64_MAX, "");
    if (accept_word(r, "while"))
        l->name = read_name(r, ".$", no_buffer);
}

static void read_outputs(struct reader *r, struct launch *l)
{
    while (accept_output(r, l))
        continue;
}

static void read_nothing(struct reader *r, struct launch *l)
{
}

static const struct {
    const char *word;
    void (*read)(struct reader *, struct launch *);
} directives[] = {
    [LAUNCH_KERNEL] = {"launch", read_launch},  [LAUNCH_BUFFER] = {"buffer", read_buffer},
    [LAUNCH_REPEAT] = {"repeat", read_repeat},  [LAUNCH_END] = {"end", read_nothing},
    [LAUNCH_OUTPUT] = {"output", read_outputs},
};

bool launch_is_directive(const char *word)
{
    for (size_t i = 0; i < COUNT(directives); i++)
        if (strcmp(directives[i].word, word) == 0)
            return true;
    return false;
}

const char *launch_read_directive(struct arena *a, const char *text, size_t *n, struct launch *l)
{
    struct reader r = {.arena = a, .at = text};
    *l = (struct launch){0};
    while (l->step <= LAUNCH_OUTPUT && !accept_word(&r, directives[l->step].word))
        l->step++;
    if (l->step > LAUNCH_OUTPUT)
        wrong(&r, "launch, buffer, repeat, end or output is wanted");
    else
        directives[l->step].read(&r, l);
    if (accept(&r, '!')) {
        l->line = (uint32_t)read_number(&r, UINT32_MAX, "a line is wanted");
        if (accept(&r, ':'))
            read_number(&r, UINT32_MAX, "a column is wanted");
    }
    *n = (size_t)(r.at - text);
    return r.why;
}

/* ---- written ----------------------------------------------------------------------------------------- */

static void quoted(const char *text, struct text *out)
{
    text_quoted(out, text, strlen(text));
}

static void name(const char *text, const char *more, struct text *out)
{
    if (*text && !text[name_length(text, more)])
        text_addz(out, text);
    else
        quoted(text, out);
}

static void clause(const struct launch *l, enum launch_clause c, struct text *out)
{
    uint32_t given;
    const uint32_t *n = launch_sizes((struct launch *)l, c, &given);
    while (given && !n[given - 1])
        given--;
    if (!given)
        return;
    text_printf(out, " %s(", launch_clause_names[c]);
    if (l->by_round[c])
        quoted(l->by_round[c], out);
    for (uint32_t i = 0; !l->by_round[c] && i < given; i++)
        text_printf(out, "%s%u", i ? ", " : "", n[i]);
    text_char(out, ')');
}

static void output(const struct launch_output *o, struct text *out)
{
    text_printf(out, " %s(", o->save ? "save" : "show");
    name(o->name, o->save ? ".$" : "$", out);
    if (o->save) {
        text_addz(out, " = ");
        quoted(o->file, out);
    }
    if (o->save && (o->width || o->height))
        text_printf(out, ", %u, %u", o->width, o->height);
    if (!o->save && o->last)
        text_printf(out, "[%llu..%llu]", (unsigned long long)o->first, (unsigned long long)o->last);
    if (o->path && *o->path) {
        text_char(out, ' ');
        quoted(o->path, out);
    }
    text_addz(out, o->hex ? " as hex)" : ")");
}

static void launch(const struct launch *l, const char *sigil, struct text *out)
{
    text_printf(out, " %s", sigil);
    name(l->kernel, ".$", out);
    text_char(out, '(');
    for (uint32_t i = 0; i < l->arguments.count; i++) {
        text_addz(out, i ? ", " : "");
        name(l->arguments.at[i].name, ".$", out);
        text_addz(out, " = ");
        launch_print_value(&l->arguments.at[i].value, out);
    }
    text_char(out, ')');
    for (enum launch_clause c = 0; c < LAUNCH_CLAUSES; c++)
        clause(l, c, out);
}

static void buffer(const struct launch *l, struct text *out)
{
    text_char(out, ' ');
    name(l->name, ".$", out);
    text_printf(out, " of %s %u", launch_element_name(l->element), l->element_bytes);
    if (l->layout) {
        text_char(out, ' ');
        quoted(l->layout, out);
    }
    text_addz(out, " (");
    launch_print_value(&l->arguments.at[0].value, out);
    text_char(out, ')');
}

void launch_write_directive(const struct launch *l, const char *sigil, struct text *out)
{
    text_addz(out, directives[l->step].word);
    if (l->step == LAUNCH_KERNEL)
        launch(l, sigil, out);
    if (l->step == LAUNCH_BUFFER)
        buffer(l, out);
    if (l->step == LAUNCH_REPEAT && l->rounds)
        text_printf(out, " %llu", (unsigned long long)l->rounds);
    if (l->step == LAUNCH_REPEAT && l->name) {
        text_addz(out, " while ");
        name(l->name, ".$", out);
    }
    for (uint32_t i = 0; i < l->outputs.count; i++)
        output(&l->outputs.at[i], out);
    if (l->line)
        text_printf(out, " !%u", l->line);
}
