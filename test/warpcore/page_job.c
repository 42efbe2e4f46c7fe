/* page_job.c: reads what `kernc run --job` writes, by "Jobs" of docs/isa.md. */
#include "base/json.h"
#include "test/warpcore/page.h"

#include <stdlib.h>

struct reading {
    struct arena *arena;
    const struct json *top;
    const char *why;
};

static uint32_t number(struct reading *r, const struct json *o, const char *name)
{
    uint64_t n = 0;
    if (!json_unsigned(json_member(o, name), UINT32_MAX, &n))
        r->why = name;
    return (uint32_t)n;
}

static void sizes(struct reading *r, const char *name, uint32_t to[3])
{
    const struct json *a = json_member(r->top, name), *e = a ? a->first : NULL;
    uint64_t n = 0;
    for (int i = 0; i < 3; i++, e = e ? e->next : NULL) {
        if (!json_unsigned(e, UINT32_MAX, &n))
            r->why = name;
        to[i] = (uint32_t)n;
    }
}

static uint32_t words(struct reading *r, const char *name, uint32_t *to, uint32_t max)
{
    const struct json *a = json_member(r->top, name);
    uint32_t n = 0;
    for (const struct json *e = a ? a->first : NULL; e; e = e->next, n++) {
        if (n == max || e->kind != JSON_STRING || e->length != 8)
            r->why = name;
        if (r->why)
            break;
        to[n] = (uint32_t)strtoul(e->text, NULL, 16);
    }
    return n;
}

static struct page_memory memory(struct reading *r, const struct json *o, const char *name)
{
    const struct json *bytes = json_member(o, "bytes");
    struct page_memory m = {.name = name, .address = number(r, o, "address"), .size = number(r, o, "size")};
    m.bytes = arena_alloc(r->arena, m.size);
    if (!bytes || bytes->kind != JSON_STRING || bytes->length > 2 * (uint64_t)m.size)
        r->why = "bytes";
    for (size_t i = 0; !r->why && i < bytes->length / 2; i++) {
        char digits[3] = {bytes->text[2 * i], bytes->text[2 * i + 1], 0};
        m.bytes[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
    return m;
}

static void mode(struct reading *r, struct page_job *j)
{
    static const char *const names[] = {"rpc", "source-pc", "article", "frontier"};
    const struct json *m = json_member(r->top, "mode");
    r->why = "mode";
    for (unsigned i = 0; m && m->kind == JSON_STRING && i < COUNT(names); i++)
        if (!strcmp(names[i], m->text)) {
            j->mode = (enum page_mode)i;
            r->why = NULL;
        }
}

const char *page_read_job(struct page_job *j, struct arena *a, const char *path)
{
    struct reading r = {.arena = a};
    struct text text = {0};
    *j = (struct page_job){0};
    r.why = file_read(path, (size_t)1 << 30, &text);
    r.top = r.why ? NULL : json_read(a, text.at, text.length, &r.why);
    text_free(&text);
    if (r.why)
        return r.why;
    mode(&r, j);
    j->entry = number(&r, r.top, "entry");
    j->private_bytes = number(&r, r.top, "private_bytes");
    j->shared_bytes = number(&r, r.top, "shared_bytes");
    sizes(&r, "grid", j->grid);
    sizes(&r, "block", j->block);
    j->words = words(&r, "words", j->code, PAGE_WORDS);
    words(&r, "arguments", j->arguments, PAGE_ARGUMENTS);
    const struct json *data = json_member(r.top, "data"), *before = json_member(r.top, "before"),
                      *after = json_member(r.top, "after");
    if (!data || !before || !after)
        return "data, before, after";
    vec_push(a, &j->memory, memory(&r, data, "data"));
    j->memory.at[0].read_only = true;
    for (const struct json *b = before->first; b && !r.why; b = b->next)
        vec_push(a, &j->memory, memory(&r, b, json_member(b, "name")->text));
    for (const struct json *b = after->first; b && !r.why; b = b->next)
        vec_push(a, &j->after, memory(&r, b, json_member(b, "name")->text));
    return r.why;
}
