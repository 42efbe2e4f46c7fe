/* module.c: modules and what they hold besides instructions; deep copies.
 *
 * A copy keeps every index (functions, blocks, instructions, constants, texts, signatures), so that what
 * names things in the one module names them in the other.
 */
#include "ir/ir.h"
#include "ir/text/syntax.h"

void ir_module_fill(struct ir_module *m, void (*job)(struct ir_module *m, void *data), void *data)
{
    struct mem_guard guard;
    if (mem_guard_enter(&guard)) {
        ir_module_free(m);
        mem_fail(0);
    }
    job(m, data);
    mem_guard_leave(&guard);
}

static void set_file(struct ir_module *m, void *file)
{
    m->file = intern_z(&m->strings, file ? file : "");
}

struct ir_module *ir_module_new(const char *file)
{
    struct arena arena;
    arena_init(&arena);
    struct ir_module *m = arena_new(&arena, struct ir_module);
    m->arena = arena;
    m->strings.arena = &m->arena;
    ir_module_fill(m, set_file, (void *)file);
    return m;
}

/* The module lives in its own arena. */
void ir_module_free(struct ir_module *m)
{
    if (!m)
        return;
    struct arena arena = m->arena;
    arena_free(&arena);
}

struct ir_function *ir_function_new(struct ir_module *m, const char *name, enum ir_type result,
                                    uint32_t flags)
{
    struct ir_function *f = arena_new(&m->arena, struct ir_function);
    f->module = m;
    f->name = intern_z(&m->strings, name);
    f->id = m->functions.count;
    f->flags = flags;
    f->result = (uint8_t)result;
    vec_push(&m->arena, &f->ins, ((struct ir_ins){.op = IR_none, .block = IR_NO_BLOCK}));
    vec_push(&m->arena, &m->functions, f);
    return f;
}

struct ir_function *ir_function_find(const struct ir_module *m, const char *name)
{
    for (uint32_t i = 0; i < m->functions.count; i++)
        if (strcmp(m->functions.at[i]->name, name) == 0)
            return m->functions.at[i];
    return NULL;
}

static bool signature_equal(const struct ir_signature *a, const struct ir_signature *b)
{
    return a->result == b->result && a->argc == b->argc && a->convergent == b->convergent &&
           memcmp(a->args, b->args, a->argc) == 0;
}

static uint64_t signature_key(const struct ir_signature *s)
{
    return hash_mix(hash_bytes(s->args, s->argc), s->result * 2u + s->convergent);
}

uint32_t ir_signature_find(const struct ir_module *m, const struct ir_signature *s)
{
    uint32_t number;
    for (uint64_t key = signature_key(s); (number = map_get(&m->signature_index, key)) != MAP_NONE; key++)
        if (signature_equal(&m->signatures.at[number], s))
            return number;
    return IR_NO_SIGNATURE;
}

uint32_t ir_signature_add(struct ir_module *m, struct ir_signature s)
{
    INVARIANT(s.argc <= IR_MAX_ARGS);
    uint64_t key = signature_key(&s);
    uint32_t number = ir_signature_find(m, &s);
    if (number != IR_NO_SIGNATURE)
        return number;
    while (map_get(&m->signature_index, key) != MAP_NONE)
        key++;
    number = m->signatures.count;
    map_set(&m->arena, &m->signature_index, key, number);
    vec_push(&m->arena, &m->signatures, s);
    return number;
}

uint32_t ir_text_add(struct ir_module *m, const char *text, size_t n)
{
    INVARIANT(n < UINT32_MAX);
    uint64_t key = hash_bytes(text, n);
    uint32_t number;
    for (; (number = map_get(&m->text_index, key)) != MAP_NONE; key++)
        if (m->texts.at[number].length == n && memcmp(m->texts.at[number].text, text, n) == 0)
            return number;
    number = m->texts.count;
    map_set(&m->arena, &m->text_index, key, number);
    vec_push(&m->arena, &m->texts, ((struct ir_string){arena_strdup(&m->arena, text, n), (uint32_t)n}));
    return number;
}

const struct ir_kernel_info *ir_kernel_info(const struct ir_module *m, uint32_t function)
{
    for (uint32_t i = 0; i < m->kernels.count; i++)
        if (m->kernels.at[i].function == function)
            return &m->kernels.at[i];
    return NULL;
}

uint32_t ir_unsized_number(const struct ir_kernel_info *k, uint32_t object)
{
    for (uint32_t i = 0; k && i < k->unsized.count; i++)
        if (k->unsized.at[i] == object)
            return i;
    return IR_NOT_UNSIZED;
}

/* ---- copies ---------------------------------------------------------------------------------------- */

static const char *copy_name(struct ir_module *m, const char *name)
{
    return name ? intern_z(&m->strings, name) : NULL;
}

static void *copy_bytes(struct ir_module *m, const void *p, size_t n)
{
    if (n == 0)
        return NULL;
    void *copy = arena_alloc(&m->arena, n);
    memcpy(copy, p, n);
    return copy;
}

/* Copies a vector's elements as they stand; what they point to is the caller's matter. */
#define COPY_VEC(m, to, from)                                                                                \
    ((to)->at = copy_bytes((m), (from)->at, (from)->count * sizeof *(from)->at),                             \
     (to)->count = (to)->capacity = (from)->count)

static void copy_map(struct ir_module *m, struct map *to, const struct map *from)
{
    *to = *from;
    to->keys = copy_bytes(m, from->keys, from->capacity * sizeof *from->keys);
    to->values = copy_bytes(m, from->values, from->capacity * sizeof *from->values);
}

static void copy_instructions(struct ir_module *m, struct ir_function *to, const struct ir_function *from)
{
    COPY_VEC(m, &to->ins, &from->ins);
    for (uint32_t i = 0; i < to->ins.count; i++) {
        struct ir_ins *ins = &to->ins.at[i];
        ins->args = copy_bytes(m, ins->args, ins->argc * sizeof *ins->args);
        ins->name = copy_name(m, ins->name);
    }
}

static void copy_edges(struct ir_module *m, struct ir_block *to, const struct ir_block *from)
{
    COPY_VEC(m, &to->edges, &from->edges);
    for (uint32_t i = 0; i < to->edges.count; i++) {
        struct ir_edge *e = &to->edges.at[i];
        e->args = copy_bytes(m, e->args, e->argc * sizeof *e->args);
        e->capacity = e->argc;
    }
}

static void copy_blocks(struct ir_module *m, struct ir_function *to, const struct ir_function *from)
{
    COPY_VEC(m, &to->blocks, &from->blocks);
    for (uint32_t i = 0; i < to->blocks.count; i++) {
        struct ir_block *block = &to->blocks.at[i];
        block->name = copy_name(m, block->name);
        COPY_VEC(m, &block->params, &from->blocks.at[i].params);
        copy_edges(m, block, &from->blocks.at[i]);
    }
    COPY_VEC(m, &to->order, &from->order);
}

struct ir_function *ir_function_copy(struct ir_module *m, const struct ir_function *from)
{
    struct ir_function *to = arena_new(&m->arena, struct ir_function);
    *to = *from;
    to->module = m;
    to->name = copy_name(m, from->name);
    copy_instructions(m, to, from);
    copy_blocks(m, to, from);
    copy_map(m, &to->constants, &from->constants);
    return to;
}

static void copy_data(struct ir_module *to, const struct ir_module *from)
{
    COPY_VEC(to, &to->objects, &from->objects);
    for (uint32_t i = 0; i < to->objects.count; i++) {
        struct ir_object *o = &to->objects.at[i];
        o->name = copy_name(to, o->name);
        o->bytes = o->bytes ? copy_bytes(to, o->bytes, o->size) : NULL;
    }
    COPY_VEC(to, &to->signatures, &from->signatures);
    COPY_VEC(to, &to->hosts, &from->hosts);
    for (uint32_t i = 0; i < to->hosts.count; i++)
        to->hosts.at[i].name = copy_name(to, to->hosts.at[i].name);
    COPY_VEC(to, &to->texts, &from->texts);
    for (uint32_t i = 0; i < to->texts.count; i++)
        to->texts.at[i].text = arena_strdup(&to->arena, to->texts.at[i].text, to->texts.at[i].length);
    copy_map(to, &to->signature_index, &from->signature_index);
    copy_map(to, &to->text_index, &from->text_index);
}

static void copy_kernels(struct ir_module *to, const struct ir_module *from)
{
    COPY_VEC(to, &to->kernels, &from->kernels);
    for (uint32_t i = 0; i < to->kernels.count; i++) {
        struct ir_kernel_info *k = &to->kernels.at[i];
        COPY_VEC(to, &k->params, &from->kernels.at[i].params);
        COPY_VEC(to, &k->unsized, &from->kernels.at[i].unsized);
        for (uint32_t p = 0; p < k->params.count; p++) {
            k->params.at[p].name = copy_name(to, k->params.at[p].name);
            k->params.at[p].text = copy_name(to, k->params.at[p].text);
        }
    }
}

static void copy_module(struct ir_module *to, void *data)
{
    const struct ir_module *from = data;
    to->orders = from->orders;
    copy_data(to, from);
    copy_kernels(to, from);
    for (uint32_t i = 0; i < from->functions.count; i++)
        vec_push(&to->arena, &to->functions, ir_function_copy(to, from->functions.at[i]));
    for (uint32_t i = 0; i < from->launches.count; i++)
        vec_push(&to->arena, &to->launches, launch_copy(&to->arena, &from->launches.at[i]));
}

struct ir_module *ir_module_copy(const struct ir_module *from)
{
    struct ir_module *to = ir_module_new(from->file);
    ir_module_fill(to, copy_module, (void *)from);
    return to;
}
