/* replay.c: kernc run JOB.json: makes the launch again that a job describes (docs/isa.md, "Jobs"), and compares
 * what the buffers hold in the end with what the job says. A job becomes an image with one kernel, whose
 * parameters are the buffers and, a word each, the other argument words.
 */
#include "backend/format/warpcore/asm.h"
#include "driver/launch.h"

#include <ctype.h>
#include <stdlib.h>

struct reading {
    struct arena *arena; /* the image's */
    const struct json *top;
    struct wc_image *image;
    const char *bad; /* the first member that is missing or wrong; NULL: all are good */
};

bool replay_is_job(const struct text *input)
{
    size_t blanks = input->at ? strspn(input->at, " \t\r\n") : 0;
    if (blanks == input->length || input->at[blanks] != '{')
        return false;
    size_t next = blanks + 1 + strspn(input->at + blanks + 1, " \t\r\n");
    return next == input->length || input->at[next] == '"' ||
           input->at[next] == '}'; /* else a block of a source */
}

/* ---- members ------------------------------------------------------------------------------------------- */

static void found_bad(struct reading *d, const char *member)
{
    if (!d->bad)
        d->bad = member;
}

static uint32_t read_number(struct reading *d, const struct json *o, const char *name)
{
    uint64_t n = 0;
    if (!json_unsigned(json_member(o, name), UINT32_MAX, &n))
        found_bad(d, name);
    return (uint32_t)n;
}

/* In the image's arena. */
static const char *read_string(struct reading *d, const struct json *o, const char *name)
{
    const struct json *s = json_member(o, name);
    if (s && s->kind == JSON_STRING && strlen(s->text) == s->length)
        return arena_strdup(d->arena, s->text, s->length);
    found_bad(d, name);
    return "";
}

static const struct json *read_array(struct reading *d, const char *name)
{
    const struct json *a = json_member(d->top, name);
    if (a && a->kind == JSON_ARRAY)
        return a->first;
    found_bad(d, name);
    return NULL;
}

static uint32_t read_word(struct reading *d, const struct json *e, const char *name)
{
    if (e->kind == JSON_STRING && e->length == 8 && strspn(e->text, "0123456789abcdefABCDEF") == 8)
        return (uint32_t)strtoul(e->text, NULL, 16);
    found_bad(d, name);
    return 0;
}

static uint8_t digit(char c)
{
    return (uint8_t)(isdigit((unsigned char)c) ? c - '0' : (c | 32) - 'a' + 10);
}

/* The member `bytes`: those of `to`, of n bytes; what is left out is 0. */
static bool read_bytes(const struct json *o, uint8_t *to, uint64_t n)
{
    const struct json *b = json_member(o, "bytes");
    if (!b || b->kind != JSON_STRING || b->length % 2 || b->length / 2 > n ||
        strspn(b->text, "0123456789abcdefABCDEF") != b->length)
        return false;
    memset(to, 0, n);
    for (size_t i = 0; i < b->length / 2; i++)
        to[i] = (uint8_t)(digit(b->text[2 * i]) << 4 | digit(b->text[2 * i + 1]));
    return true;
}

/* ---- the image ----------------------------------------------------------------------------------------- */

static void read_code(struct reading *d)
{
    for (const struct json *e = read_array(d, "words"); e && !d->bad; e = e->next) {
        vec_push(d->arena, &d->image->code, read_word(d, e, "words"));
        vec_push(d->arena, &d->image->places, ((place){0}));
    }
}

static void read_data(struct reading *d)
{
    const struct json *data = json_member(d->top, "data");
    uint32_t n = read_number(d, data, "size");
    if (n > WC_MAX_DATA)
        found_bad(d, "size");
    if (d->bad)
        return;
    uint8_t *bytes = arena_alloc(d->arena, n + 1);
    if (!read_bytes(data, bytes, n))
        found_bad(d, "bytes");
    d->image->data = bytes;
    d->image->data_bytes = n;
}

static uint8_t read_type(struct reading *d, const struct json *e)
{
    for (uint8_t t = 0; e->kind == JSON_STRING && t <= BE_PTR; t++)
        if (wc_value_names[t] && strcmp(wc_value_names[t], e->text) == 0)
            return t;
    found_bad(d, "operands");
    return BE_VOID;
}

static void read_texts(struct reading *d)
{
    for (const struct json *e = read_array(d, "texts"); e && !d->bad; e = e->next) {
        const struct json *operands = json_member(e, "operands");
        struct wc_text t = {.bytes = read_string(d, e, "text")};
        t.length = (uint32_t)strlen(t.bytes);
        for (const struct json *o = operands ? operands->first : NULL; o; o = o->next)
            vec_push(d->arena, &t.operands, read_type(d, o));
        vec_push(d->arena, &d->image->texts, t);
    }
}

static uint32_t read_mode(struct reading *d)
{
    const char *name = read_string(d, d->top, "mode");
    for (uint32_t i = 0; i < WC_MODES; i++)
        if (strcmp(wc_mode_info[i].name, name) == 0)
            return i;
    found_bad(d, "mode");
    return 0;
}

/* ---- parameters and their arguments -------------------------------------------------------------------- */

static void add_parameter(struct reading *d, struct wc_kernel *k, struct launch *l, struct be_param param,
                          struct launch_value value)
{
    struct launch_argument argument = {param.name, value};
    vec_push(d->arena, &k->params, param);
    vec_push(d->arena, &l->arguments, argument);
}

static void add_buffer(struct reading *d, struct wc_kernel *k, struct launch *l, const struct json *o)
{
    const char *element = read_string(d, o, "element");
    uint32_t size = read_number(d, o, "size"), bytes = read_number(d, o, "element_bytes");
    struct be_param p = {
        .name = read_string(d, o, "name"), .type = BE_PTR, .element_bytes = bytes, .pointer = true};
    enum launch_element e;
    if (launch_find_element(element, &e))
        p.element = (uint8_t)e;
    if (bytes == 0 || size % bytes || !launch_scalars(p.element, bytes) || (*element && !p.element))
        found_bad(d, "element_bytes");
    p.text = arena_printf(d->arena, "global %s *", *element ? element : "void");
    if (!d->bad)
        add_parameter(d, k, l, p, (struct launch_value){.kind = LAUNCH_ZEROS, .count = size / bytes});
}

static const struct json *buffer_of_word(struct reading *d, uint32_t word)
{
    uint64_t at;
    for (const struct json *b = read_array(d, "before"); b; b = b->next)
        if (json_unsigned(json_member(b, "word"), UINT32_MAX, &at) && at == word)
            return b;
    return NULL;
}

static void read_arguments(struct reading *d, struct wc_kernel *k, struct launch *l)
{
    uint32_t word = 0;
    for (const struct json *e = read_array(d, "arguments"); e && !d->bad; e = e->next, word++) {
        const struct json *buffer = buffer_of_word(d, word);
        uint32_t value = read_word(d, e, "arguments");
        struct be_param number = {.name = arena_printf(d->arena, "word %u", word),
                                  .text = "uint",
                                  .type = BE_I32,
                                  .element = LAUNCH_UINT,
                                  .element_bytes = 4};
        if (word == WC_ARGUMENT_WORDS)
            found_bad(d, "arguments");
        else if (buffer)
            add_buffer(d, k, l, buffer);
        else
            add_parameter(d, k, l, number,
                          (struct launch_value){.kind = LAUNCH_SCALAR, .n = {{.i = value, .f = value}}});
    }
}

static void read_sizes(struct reading *d, const char *name, uint32_t to[3])
{
    const struct json *e = read_array(d, name);
    for (int i = 0; i < 3; i++, e = e ? e->next : NULL) {
        uint64_t n = 0;
        if (!json_unsigned(e, UINT32_MAX, &n) || n == 0)
            found_bad(d, name);
        to[i] = (uint32_t)n;
    }
}

static void read_kernel(struct reading *d)
{
    const struct json *barrier = json_member(d->top, "barrier");
    struct wc_kernel k = {
        .name = read_string(d, d->top, "kernel"),
        .entry = read_number(d, d->top, "entry"),
        .registers = read_number(d, d->top, "registers"),
        .predicates = read_number(d, d->top, "predicates"),
        .private_bytes = read_number(d, d->top, "private_bytes"),
        .stack = read_number(d, d->top, "stack"),
        .has_barrier = barrier && barrier->kind == JSON_TRUE,
    };
    struct launch l = {.kernel = k.name};
    read_sizes(d, "grid", l.grid);
    read_sizes(d, "block", l.block);
    read_arguments(d, &k, &l);
    vec_push(d->arena, &d->image->kernels, k);
    vec_push(d->arena, &d->image->launches, l);
}

/* ---- the launch ---------------------------------------------------------------------------------------- */

static int refuse_options(struct command *c)
{
    static const enum option_id fixed[] = {OPTION_KERNEL, OPTION_LAUNCH, OPTION_GRID,
                                           OPTION_BLOCK,  OPTION_ARG,    OPTION_SHARED};
    for (size_t i = 0; i < COUNT(fixed); i++)
        if (option_given(c, fixed[i]))
            return complain(c, EXIT_USAGE, "a job is made again as it is, without --%s",
                            option_info[fixed[i]].name);
    return EXIT_OK;
}

int replay_read(struct run *r, const struct text *input, struct text *image)
{
    struct command *c = r->command;
    const char *why = NULL;
    int code = refuse_options(c);
    if (code)
        return code;
    r->replayed = json_read(&c->arena, input->at, input->length, &why);
    if (!r->replayed)
        return fail(c, EXIT_INPUT, "job", NULL, (place){0}, "%s: %s", input_name(c), why);
    struct reading d = {.top = r->replayed, .image = wc_image_new()};
    d.arena = &d.image->arena;
    d.image->file = arena_strdup(d.arena, input_name(c), strlen(input_name(c)));
    d.image->mode = read_mode(&d);
    d.image->shared_bytes = read_number(&d, d.top, "shared_bytes");
    read_code(&d);
    read_data(&d);
    read_texts(&d);
    read_kernel(&d);
    if (!d.bad)
        wc_write(d.image, image);
    wc_image_free(d.image);
    uint64_t fuel = 0;
    if (!r->x.api.fuel &&
        json_unsigned(json_member(json_member(r->replayed, "stopped"), "fuel"), UINT64_MAX, &fuel))
        r->x.api.fuel = fuel;
    return d.bad ? fail(c, EXIT_INPUT, "job", NULL, (place){0},
                        "%s is no job: its member %s is missing or wrong", input_name(c), d.bad)
                 : EXIT_OK;
}

/* The row of this buffer among those of `before` or `after`. */
static const struct json *row_of(const struct run *r, const char *when, const char *name)
{
    const struct json *rows = json_member(r->replayed, when), *row = rows ? rows->first : NULL;
    for (; row; row = row->next) {
        const struct json *its = json_member(row, "name");
        if (its && its->kind == JSON_STRING && strcmp(its->text, name) == 0)
            return row;
    }
    return NULL;
}

static int bad_bytes(struct run *r, const char *when, const char *name)
{
    return fail(r->command, EXIT_INPUT, "job", NULL, (place){0},
                "%s is no job: its member %s has no good bytes of buffer %s", input_name(r->command), when,
                name);
}

int replay_begin(struct run *r)
{
    for (uint32_t i = 0; i < r->x.first->buffers.count; i++) {
        kernc_buffer *b = r->x.first->buffers.at[i].buffer;
        const char *name = r->x.first->buffers.at[i].param->name;
        if (!read_bytes(row_of(r, "before", name), kernc_buffer_map(b), kernc_buffer_size(b)))
            return bad_bytes(r, "before", name);
    }
    return EXIT_OK;
}

/* Whether it stopped for the job's reason, or not, as in the job. */
static bool ended_as_said(const struct run *r, kernc_status status)
{
    const struct json *stopped = json_member(r->replayed, "stopped"), *text = json_member(stopped, "text");
    const kernc_trap *t = status == KERNC_OK ? NULL : kernc_last_trap(r->x.context);
    if (!t || !stopped)
        return !t && !stopped;
    return text && text->kind == JSON_STRING && strcmp(text->text, t->text) == 0;
}

int replay_end(struct run *r, kernc_status status)
{
    if (status == KERNC_NO_MEMORY) /* of the host: nothing to be compared */
        return EXIT_OK;
    if (!ended_as_said(r, status))
        return fail(r->command, EXIT_FOUND, "job", NULL, (place){0}, "the launch %s, unlike in the job",
                    status == KERNC_OK ? "came to its end" : "stopped so");
    for (uint32_t i = 0; i < r->x.first->buffers.count; i++) {
        kernc_buffer *b = r->x.first->buffers.at[i].buffer;
        const char *name = r->x.first->buffers.at[i].param->name;
        const uint8_t *got = kernc_buffer_map(b);
        size_t n = kernc_buffer_size(b), at = 0;
        uint8_t *wanted = arena_alloc(&r->command->arena, n + 1);
        if (!read_bytes(row_of(r, "after", name), wanted, n))
            return bad_bytes(r, "after", name);
        while (at < n && got[at] == wanted[at])
            at++;
        if (at < n)
            return fail(r->command, EXIT_FOUND, "job", NULL, (place){0},
                        "byte %zu of buffer %s is 0x%02x, and 0x%02x in the job", at, name, got[at],
                        wanted[at]);
    }
    return EXIT_OK;
}
