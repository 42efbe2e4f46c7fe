/* alarms.c: what is said of accesses, each pair of places once; see check.h. */
#include "runtime/check/shadow.h"

#include "base/diag.h"
#include "launch/layout.h"

#include <stdio.h>

/* ---- alarms ------------------------------------------------------------------------------------------ */

static const struct bc_site *site_at(const struct rt_check *c, uint32_t site)
{
    return &c->launch->program->sites.at[site & SITE_MASK];
}

/* Whether this kind of alarm is new for the places. */
static bool is_new(struct rt_check *c, unsigned kind, uint32_t site, uint32_t other)
{
    const struct bc_site *s = site_at(c, site), *o = site_at(c, other);
    uint64_t a = (uint64_t)s->line << 32 | s->column, b = (uint64_t)o->line << 32 | o->column;
    uint64_t key = hash_mix(hash_mix(a < b ? a : b, a < b ? b : a), kind);
    kernc_context *k = c->launch->context;
    if (map_get(&k->alarm_places, key) != MAP_NONE || k->alarms.count == RT_MOST_ALARMS)
        return false;
    map_set(&k->alarm_texts, &k->alarm_places, key, 1);
    return true;
}

static const char *index_text(struct arena *a, uint32_t n, const uint32_t size[3])
{
    return arena_printf(a, "(%u,%u,%u)", n % size[0], n / size[0] % size[1], n / size[0] / size[1]);
}

const char *rt_thread_index(const struct rt_check *c, struct arena *a, uint32_t thread)
{
    return index_text(a, thread % (c->launch->sizes.warps * c->launch->given.warp), c->launch->given.block);
}

const char *rt_block_index(const struct rt_check *c, struct arena *a, uint32_t thread)
{
    return index_text(a, thread / (c->launch->sizes.warps * c->launch->given.warp), c->launch->given.grid);
}

static const char *thread_name(const struct rt_check *c, uint32_t thread, bool block, char text[80])
{
    const struct rt_launch *l = c->launch;
    uint32_t in_block = thread % (l->sizes.warps * l->given.warp),
             b = thread / (l->sizes.warps * l->given.warp);
    int n = snprintf(text, 80, "thread (%u,%u,%u)", in_block % l->given.block[0],
                     in_block / l->given.block[0] % l->given.block[1],
                     in_block / l->given.block[0] / l->given.block[1]);
    if (block)
        snprintf(text + n, 80 - (size_t)n, " of block (%u,%u,%u)", b % l->given.grid[0],
                 b / l->given.grid[0] % l->given.grid[1], b / l->given.grid[0] / l->given.grid[1]);
    return text;
}

static const char *place_name(const struct visit *v)
{
    const struct check_text *t = v->text;
    struct arena *a = &v->c->launch->context->alarm_texts;
    const struct rt_region *r =
        t->space == 'g' ? rt_memory_nearest(&v->c->launch->context->memory, v->root) : NULL;
    struct rt_object object = r ? (struct rt_object){r->address, r->bytes, r->name, NULL} : rt_object_of(v);
    uint32_t element = r && r->element_bytes ? r->element_bytes : t->bytes,
             offset = v->address - object.address;
    if (!object.size || !object.name || !*object.name)
        return arena_printf(a, "%s memory at 0x%x",
                            t->space == 'g'   ? "global"
                            : t->space == 'h' ? "shared"
                            : t->space == 'c' ? "constant"
                                              : "private",
                            v->address);
    if (element == 0 || offset % element)
        return arena_printf(a, "%s at byte %u", object.name, offset);
    if (object.size == element && t->space != 'g')
        return object.name;
    return arena_printf(a, "%s[%d]", object.name, (int32_t)offset / (int32_t)element);
}

/* Gives the line in the file in place of that in all of the source. */
static const char *file_of(const struct rt_check *c, uint32_t *line)
{
    size_t n;
    const char *file = source_names_find(c->launch->program->file, line, &n);
    return arena_strdup(&c->launch->context->alarm_texts, file, n);
}

uint32_t rt_site_line(const struct rt_check *c, uint32_t site)
{
    uint32_t line = site_at(c, site)->line;
    size_t n;
    source_names_find(c->launch->program->file, &line, &n);
    return line;
}

/* other: the site of a race's other access, or of where other threads are, or NO_SITE. */
static void alarm(struct rt_check *c, uint32_t site, uint32_t other, const char *id, const char *text)
{
    kernc_context *k = c->launch->context;
    const struct bc_site *s = site_at(c, site);
    kernc_alarm a = {.size = sizeof a, .kind = id, .text = text, .line = s->line, .column = s->column};
    a.file = file_of(c, &a.line);
    if (other != NO_SITE) {
        a.other_line = site_at(c, other)->line;
        a.other_column = site_at(c, other)->column;
        a.other_file = file_of(c, &a.other_line);
    }
    vec_push(&k->alarm_texts, &k->alarms, a);
}

void rt_report_race(const struct visit *v, struct rt_seen before, const char *before_did)
{
    struct rt_check *c = v->c;
    const struct check_text *t = v->text;
    struct rt_seen now = v->now;
    struct arena *a = &c->launch->context->alarm_texts;
    uint32_t threads = c->launch->sizes.warps * c->launch->given.warp, line = site_at(c, before.site)->line;
    size_t n, m;
    uint32_t now_line = site_at(c, now.site)->line;
    bool same_block = now.thread / threads == before.thread / threads,
         same_warp = same_block && now.thread % threads / c->launch->given.warp ==
                                       before.thread % threads / c->launch->given.warp;
    char here[80], there[80], in_file[200] = "";
    const char *file = source_names_find(c->launch->program->file, &line, &n),
               *own = source_names_find(c->launch->program->file, &now_line, &m);
    if (file != own)
        snprintf(in_file, sizeof in_file, " of %.*s", (int)n, file);
    if (!is_new(c, RACE, now.site, before.site))
        return;
    const char *did = t->kind == 'r' ? "reads" : t->kind == 'a' ? "changes" : "writes";
    const char *mend =
        same_warp ? "one syncwarp() or barrier() between them that both come to would, or atomic operations"
        : same_block ? "a barrier() between them would, or atomic operations"
                     : "atomic operations would, also on a flag, behind a fence(); or two launches";
    alarm(c, now.site, before.site, "race",
          arena_printf(a, "race: %s %s %s, which %s %s in line %u%s; nothing orders the two: %s",
                       thread_name(c, now.thread, true, here), did, place_name(v),
                       thread_name(c, before.thread, !same_block, there), before_did, line, in_file, mend));
}

const char *rt_unwritten_text(const struct visit *v)
{
    char who[80];
    return arena_printf(&v->c->launch->context->alarm_texts,
                        "uninit: %s reads %s, which nobody has written: it is 0 here, and anything on a GPU",
                        thread_name(v->c, v->now.thread, true, who), place_name(v));
}

void rt_report_unwritten(struct rt_check *c, uint32_t site, const char *text)
{
    if (is_new(c, UNINIT, site, site))
        alarm(c, site, NO_SITE, "uninit", text);
}

/* "x.b[1]"; a whole variable that is copied is "x". */
static const char *own_place_name(const struct visit *v, uint32_t address)
{
    struct arena *a = &v->c->launch->context->alarm_texts;
    struct rt_object o = rt_own_object(v, address);
    struct layout layout;
    if (!o.layout || layout_parse(a, o.layout, &layout))
        return place_name(v);
    if (v->text->bytes == o.size && v->text->kind == 'c')
        return o.name;
    uint32_t element = (address - o.address) / layout.bytes, offset = (address - o.address) % layout.bytes;
    const char *whole = o.size > layout.bytes ? arena_printf(a, "%s[%u]", o.name, element) : o.name;
    bool copied = v->text->kind == 'c' && v->text->bytes == layout.bytes;
    return copied ? whole : arena_printf(a, "%s%s", whole, layout_path(a, &layout, offset));
}

void rt_report_own_unwritten(const struct visit *v, uint32_t address)
{
    char who[80];
    if (is_new(v->c, UNINIT, v->now.site, v->now.site))
        alarm(
            v->c, v->now.site, NO_SITE, "uninit",
            arena_printf(&v->c->launch->context->alarm_texts,
                         "uninit: %s reads %s, which it has not written: it is 0 here, and anything on a GPU",
                         thread_name(v->c, v->now.thread, true, who), own_place_name(v, address)));
}

void rt_report_outside(const struct visit *v)
{
    char who[80];
    if (!is_new(v->c, BOUNDS, v->now.site, v->now.site))
        return;
    alarm(v->c, v->now.site, NO_SITE, "bounds",
          arena_printf(&v->c->launch->context->alarm_texts, "bounds: %s %s %s, which is not in it",
                       thread_name(v->c, v->now.thread, true, who),
                       strchr("rcd", v->text->kind) ? "reads" : "writes", place_name(v)));
}

void rt_report_shift(const struct visit *v, uint64_t amount)
{
    const struct check_text *t = v->text;
    struct arena *a = &v->c->launch->context->alarm_texts;
    char who[80];
    if (!is_new(v->c, SHIFT, v->now.site, v->now.site))
        return;
    const char *by = arena_printf(a, t->bytes ? "%llu" : "%lld", (unsigned long long)amount);
    alarm(v->c, v->now.site, NO_SITE, "shift",
          arena_printf(a,
                       "shift: %s shifts %u bits %s by %s, which is by %u here, and gives anything in C and "
                       "on GPUs: the amount is taken modulo %u",
                       thread_name(v->c, v->now.thread, true, who), t->size, t->name, by,
                       (unsigned)(amount % t->size), t->size));
}

void rt_report_barrier(struct rt_check *c, uint32_t site, uint32_t other, const char *text)
{
    if (is_new(c, BARRIER, site, other == NO_SITE ? site : other))
        alarm(c, site, other, "barrier", arena_printf(&c->launch->context->alarm_texts, "%s", text));
}

/* ---- the API ----------------------------------------------------------------------------------------- */

void kernc_alarms_forget(kernc_context *c)
{
    if (!c || rt_check_idle(c) != KERNC_OK)
        return;
    arena_free(&c->alarm_texts);
    c->alarms.at = NULL;
    c->alarms.count = c->alarms.capacity = 0;
    c->alarm_places = (struct map){0};
}

bool kernc_alarm_at(const kernc_context *c, unsigned index, kernc_alarm *a)
{
    return c && a && index < c->alarms.count && sized_write(a, &c->alarms.at[index], sizeof *a);
}
