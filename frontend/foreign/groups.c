/* groups.c: CUDA's cooperative groups, as far as they are the block or the warp. A declaration of one is left
 * out, and what is asked of it is read as what Kern has for the block and for the warp (GROUP_ rows of
 * foreign.def):
 *
 *     cg::thread_block block = cg::this_thread_block();
 *     auto tile = cg::tiled_partition<32>(block);
 *     block.sync(); cg::sync(block);                       barrier();
 *     x += tile.shfl_down(x, 1);                           x += shuffle_down(x, 1);
 *
 * Smaller tiles, groups of what is converged and grids stay to be written by hand.
 */
#include "frontend/parse/grammar.h"
#include "frontend/parse/parser.h"

enum group { NO_GROUP, GROUP_BLOCK, GROUP_WARP };

/* kern is what is written; `as` is a name that is read on in the place of a value, NULL: a function of its
 * arguments. */
static const struct member {
    enum group group;
    const char *name, *kern, *as;
    bool has_members; /* the value: x, y and z */
} members[] = {
#define GROUP_FUNCTION(group, name, kern)  {GROUP_##group, name, kern, NULL, false},
#define GROUP_VALUE(group, name, kern, as) {GROUP_##group, name, kern, as, false},
#define GROUP_INDEX(group, name, kern)     {GROUP_##group, name, kern, kern, true},
#include "frontend/foreign/foreign.def"
};

/* Behind the text, if it stands there and no word goes on with it; else NULL. */
static const char *behind(const char *at, const char *text)
{
    size_t n = strlen(text);
    return at && strncmp(at, text, n) == 0 && !(fe_begins_word(*text) && fe_in_word(at[n]))
               ? fe_behind_blanks(at + n)
               : NULL;
}

/* Behind a::b:: */
static const char *behind_scopes(const char *at)
{
    for (size_t n; fe_begins_word(*at) && (n = fe_word_length(at)) && strncmp(at + n, "::", 2) == 0;)
        at += n + 2;
    return at;
}

static const char *behind_empty(const char *at)
{
    return behind(behind(at, "("), ")");
}

static void say(struct parser *p, span where, const char *text, const char *advice)
{
    fe_report(p->fe, FE_MSG(foreign_word), where, text, advice);
}

/* ---- what a group is ---------------------------------------------------------------------------------- */

/* The group that an expression of cooperative groups at `at` makes, which ends before *end. */
static enum group made_group(const char *at, const char **end)
{
    at = behind_scopes(at);
    if ((*end = behind_empty(behind(at, "this_thread_block"))))
        return GROUP_BLOCK;
    const char *tile = behind(behind(behind(behind(at, "tiled_partition"), "<"), "32"), ">");
    if (!tile || *tile != '(' || !(*end = strpbrk(tile, ");\n")))
        return NO_GROUP;
    return *end && **end == '(' ? NO_GROUP : GROUP_WARP;
}

static void note_group(struct parser *p, const char *name, size_t n, struct fe_group g)
{
    vec_push(p->arena, &p->groups.decls, g);
    map_set(p->arena, &p->groups.names, (uintptr_t)intern(&p->fe->strings, name, n),
            p->groups.decls.count - 1);
    fe_excuse(p->fe, name, n);
}

void fe_fix_groups(struct parser *p)
{
    for (uint32_t i = 0; i < p->groups.decls.count; i++) {
        const struct fe_group *g = &p->groups.decls.at[i];
        if (g->which != UINT32_MAX && !g->is_needed)
            diag_fix_later(p->fe->diags, g->which, g->where, "");
    }
}

/* A parameter of a function; it stays, and is complained about as a type. */
static void note_parameter(struct parser *p, const char *type, bool is_warp, const char *name, size_t n)
{
    bool ends = n && strchr(",)", *fe_behind_blanks(name + n));
    if (ends && (is_warp || behind(type, "thread_block")))
        note_group(p, name, n,
                   (struct fe_group){.kind = is_warp ? GROUP_WARP : GROUP_BLOCK, .which = UINT32_MAX});
}

static const char types[][20] = {"auto", "thread_block", "thread_block_tile", "thread_group"};

/* Whether the word, behind which the text goes on, may be about a group. Most are not. */
static bool may_be_of_group(struct parser *p, const char *word, const char *after)
{
    static const char functions[][20] = {"this_thread_block", "tiled_partition", "sync"};
    bool may = after[0] == ':' && after[1] == ':';
    for (size_t i = 0; i < COUNT(types) && !may; i++)
        may = fe_is_same(types[i], word);
    for (size_t i = 0; i < COUNT(functions) && !may; i++)
        may = fe_is_same(functions[i], word);
    return may || map_get(&p->groups.names, (uintptr_t)word) != MAP_NONE;
}

/* TYPE NAME = GROUP; at the start of a statement is left out. */
static bool skip_declaration(struct parser *p, const char *first, span where)
{
    const char *at = behind_scopes(first), *type = NULL, *end;
    for (size_t i = 0; i < COUNT(types) && !type; i++)
        type = behind(at, types[i]);
    if (!type)
        return false;
    bool is_warp = behind(behind(behind(type, "<"), "32"), ">");
    if (*type == '<')
        type = behind(type + strspn(type, "<0123456789 \t"), ">");
    if (type && *type == '&')
        type = fe_behind_blanks(type + 1);
    size_t n = type && fe_begins_word(*type) ? fe_word_length(type) : 0;
    if (!p->blocks.count || !fe_ends_statement(p->history.current_token)) {
        note_parameter(p, at, is_warp, type, n);
        return false;
    }
    const char *value = n ? behind(fe_behind_blanks(type + n), "=") : NULL;
    enum group group = value ? made_group(value, &end) : NO_GROUP;
    end = group ? strpbrk(end, ";{}\n") : NULL;
    if (!end || *end != ';')
        return false;
    where.end = fe_here(p, end + 1);
    say(p, where, group == GROUP_BLOCK ? "this_thread_block" : "tiled_partition",
        group == GROUP_BLOCK ? "the block is all threads that barrier() waits for: remove the line"
                             : "a tile of 32 threads is the warp: remove the line");
    note_group(p, type, n, (struct fe_group){group, false, fe_latest(p->fe), fe_removal(p->fe, where)});
    p->in.cursor = end + 1;
    return true;
}

/* The group that a name or a call at `at` stands for; *end is behind it. */
static enum group named_group(struct parser *p, const char *at, const char **end)
{
    size_t n = fe_begins_word(*at) ? fe_word_length(at) : 0;
    uint32_t known = n ? map_get(&p->groups.names, (uintptr_t)intern(&p->fe->strings, at, n)) : MAP_NONE;
    if (known == MAP_NONE)
        return made_group(at, end);
    *end = fe_behind_blanks(at + n);
    return (enum group)p->groups.decls.at[known].kind;
}

/* ---- what is asked of it ------------------------------------------------------------------------------- */

static int give_name(struct parser *p, union value *value, span *where, const char *end, const char *name)
{
    p->in.cursor = end;
    where->end = fe_here(p, end);
    value->name = intern_z(&p->fe->strings, name);
    return TOK_NAME;
}

static int read_member(struct parser *p, enum group group, const char *first, const char *member,
                       union value *value, span *where)
{
    size_t n = fe_word_length(member);
    const char *open = fe_behind_blanks(member + n), *empty = behind_empty(open);
    if (!n || *open != '(')
        return -1;
    const char *text = arena_strdup(p->arena, first, (size_t)(member + n - first));
    where->end = fe_here(p, member + n);
    for (size_t i = 0; i < COUNT(members); i++) {
        const struct member *m = &members[i];
        if (m->group != group || strlen(m->name) != n || memcmp(m->name, member, n) != 0 || (m->as && !empty))
            continue;
        if (m->has_members && *empty != '.') /* dim3 t = block.thread_index(); */
            break;
        const char *end = m->as ? strchr(open, ')') + 1 : member + n;
        where->end = fe_here(p, end);
        say(p, *where, text, arena_printf(p->arena, "write %s%s", m->kern, m->as ? "" : "(…)"));
        fe_fixit(p->fe, *where, m->kern);
        return give_name(p, value, where, end, m->as ? m->as : m->kern);
    }
    say(p, *where, text,
        group == GROUP_BLOCK
            ? "of the block there are barrier(), threadIdx, blockIdx and blockDim"
            : "of the warp there are laneId, syncwarp(), shuffle(x, lane), ballot(x), reduce_add(x)");
    return -1;
}

/* sync(block) */
static int read_sync(struct parser *p, const char *name, union value *value, span *where)
{
    const char *argument = behind(behind(name, "sync"), "("), *end;
    enum group group = argument ? named_group(p, argument, &end) : NO_GROUP;
    if (!group || *end != ')')
        return -1;
    const char *kern = group == GROUP_BLOCK ? "barrier" : "syncwarp";
    where->end = fe_here(p, end + 1);
    say(p, *where, "sync", arena_printf(p->arena, "write %s()", kern));
    fe_fixit(p->fe, *where, arena_printf(p->arena, "%s()", kern));
    give_name(p, value, where, end + 1, kern);
    fe_queue_token(p, '(', *value, span_after(*where));
    fe_queue_token(p, ')', *value, span_after(*where));
    return TOK_NAME;
}

int fe_translate_group(struct parser *p, union value *value, span *where)
{
    if (!may_be_of_group(p, value->name, p->in.cursor))
        return -1;
    const char *first = p->in.line_start + where->at.column - 1, *name = behind_scopes(first), *end;
    if (skip_declaration(p, first, *where))
        return 0;
    enum group group = named_group(p, name, &end);
    int token = group && *end == '.' ? read_member(p, group, first, fe_behind_blanks(end + 1), value, where)
                                     : read_sync(p, name, value, where);
    uint32_t i = token < 0 ? map_get(&p->groups.names, (uintptr_t)value->name) : MAP_NONE;
    if (i != MAP_NONE)
        p->groups.decls.at[i].is_needed = true;
    return token;
}
