/* context.c: contexts, errors, host functions and buffers of the public interface. */
#include "runtime/context.h"
#include "base/space.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define DEFAULT_MAX_MEMORY ((uint64_t)2 << 30)

const char *kernc_version(void)
{
    return KERNC_VERSION;
}

const char *kernc_status_name(kernc_status status)
{
    switch (status) {
    case KERNC_OK: return "ok";
    case KERNC_INVALID: return "invalid";
    case KERNC_BAD_PROGRAM: return "bad program";
    case KERNC_NOT_FOUND: return "not found";
    case KERNC_TRAP: return "trap";
    case KERNC_LIMIT: return "limit";
    case KERNC_CHECK: return "check";
    case KERNC_NO_MEMORY: return "no memory";
    case KERNC_DEADLOCK: return "deadlock";
    }
    return "unknown";
}

/* ---- errors ------------------------------------------------------------------------------------------ */

/* The text is kept in a fixed buffer, so that failures for want of memory can be reported too. */
kernc_status rt_fail(kernc_context *c, kernc_status status, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(c->error, sizeof c->error, fmt, args);
    va_end(args);
    c->error_of_shared = false;
    return status;
}

kernc_status rt_fail_memory(kernc_context *c)
{
    return rt_fail(c, KERNC_NO_MEMORY, "the host has no memory left");
}

kernc_status rt_check_idle(kernc_context *c)
{
    return c->launching
               ? rt_fail(c, KERNC_INVALID,
                         "a launch of this context runs: what it calls makes, frees and launches nothing "
                         "(or was left by longjmp: then make another context)")
               : KERNC_OK;
}

const char *kernc_error_text(const kernc_context *context)
{
    return context ? context->error : "no context: the host has no memory left, or NULL was passed";
}

const kernc_trap *kernc_last_trap(const kernc_context *context)
{
    return context && context->trapped ? &context->trap : NULL;
}

/* ---- contexts ---------------------------------------------------------------------------------------- */

static void print_to_stdout(void *user, const char *bytes, size_t size)
{
    UNUSED(user);
    fwrite(bytes, 1, size, stdout);
}

/* Fields beyond the caller's size keep their defaults. */
static kernc_context_options read_options(const kernc_context_options *given)
{
    kernc_context_options o = {0};
    if (given)
        sized_read(&o, sizeof o, given);
    o.max_memory = o.max_memory ? o.max_memory : DEFAULT_MAX_MEMORY;
    o.output = o.output ? o.output : print_to_stdout;
    return o;
}

kernc_status kernc_context_create(const kernc_context_options *options, kernc_context **context)
{
    if (!context)
        return KERNC_INVALID;
    kernc_context_options o = read_options(options);
    kernc_context *c = *context = calloc(1, sizeof *c);
    if (!c)
        return KERNC_NO_MEMORY;
    c->output = o.output;
    c->output_user = o.output_user;
    arena_init(&c->arena);
    if (!rt_memory_open(&c->memory, o.max_memory)) {
        free(c);
        *context = NULL;
        return KERNC_NO_MEMORY;
    }
    return KERNC_OK;
}

void kernc_context_free(kernc_context *c)
{
    if (!c || rt_check_idle(c) != KERNC_OK)
        return;
    while (c->modules)
        kernc_module_free(c->modules);
    while (c->memory.regions)
        kernc_buffer_free((kernc_buffer *)c->memory.regions);
    for (uint32_t i = 0; i < c->libraries.count; i++)
        if (c->libraries.at[i].handle)
            dlclose(c->libraries.at[i].handle);
    rt_memory_close(&c->memory);
    text_free(&c->trap_report);
    arena_free(&c->alarm_texts);
    arena_free(&c->arena);
    free(c);
}

/* ---- host functions ---------------------------------------------------------------------------------- */

kernc_status kernc_host_function(kernc_context *c, const char *name, void (*function)(void))
{
    if (!c)
        return KERNC_INVALID;
    if (!name || !function)
        return rt_fail(c, KERNC_INVALID, "a host function needs a name and an address");
    if (rt_check_idle(c) != KERNC_OK)
        return KERNC_INVALID;
    struct mem_guard guard;
    if (mem_guard_enter(&guard))
        return rt_fail_memory(c);
    struct rt_host_symbol symbol = {arena_strdup(&c->arena, name, strlen(name)), function};
    vec_push(&c->arena, &c->symbols, symbol);
    mem_guard_leave(&guard);
    return KERNC_OK;
}

/* The loader has but words to say that it has no memory. */
static kernc_status load_failed(kernc_context *c, const char *path, const char *why)
{
    return !why || strstr(why, "memory") ? rt_fail_memory(c)
                                         : rt_fail(c, KERNC_NOT_FOUND, "cannot load %s: %s", path, why);
}

kernc_status kernc_load_library(kernc_context *c, const char *path)
{
    if (!c)
        return KERNC_INVALID;
    if (!path || !*path)
        return rt_fail(c, KERNC_INVALID, "no library named");
    if (rt_check_idle(c) != KERNC_OK)
        return KERNC_INVALID;
    struct mem_guard guard;
    if (mem_guard_enter(&guard))
        return rt_fail_memory(c);
    struct rt_library library = {arena_strdup(&c->arena, path, strlen(path)), NULL};
    vec_reserve(&c->arena, &c->libraries, c->libraries.count + 1);
    mem_guard_leave(&guard);
    if (strcmp(path, "libm") != 0 && !(library.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL)))
        return load_failed(c, path, dlerror());
    c->libraries.at[c->libraries.count++] = library;
    return KERNC_OK;
}

/* ---- buffers ----------------------------------------------------------------------------------------- */

kernc_status rt_region_status(kernc_context *c, enum rt_memory_result result, const char *what,
                              uint64_t bytes)
{
    switch (result) {
    case RT_MEMORY_OK: return KERNC_OK;
    case RT_MEMORY_LIMIT:
        return rt_fail(
            c, KERNC_LIMIT,
            "%s of %llu bytes: %llu bytes of the limit of %llu are left (max_memory, --max-memory)", what,
            (unsigned long long)bytes, (unsigned long long)(c->memory.limit - c->memory.used),
            (unsigned long long)c->memory.limit);
    case RT_MEMORY_FULL:
        return rt_fail(c, KERNC_LIMIT, "%s of %llu bytes: no room for it among the 4 GiB of addresses", what,
                       (unsigned long long)bytes);
    case RT_MEMORY_HOST: break;
    }
    return rt_fail_memory(c);
}

kernc_status kernc_buffer_create(kernc_context *c, uint64_t bytes, const char *name, kernc_buffer **buffer)
{
    if (!c || !buffer)
        return KERNC_INVALID;
    *buffer = NULL;
    if (rt_check_idle(c) != KERNC_OK)
        return KERNC_INVALID;
    kernc_buffer *b = calloc(1, sizeof *b);
    char *copy = name ? strdup(name) : NULL;
    if (!b || (name && !copy)) {
        free(b);
        free(copy);
        return rt_fail_memory(c);
    }
    b->context = c;
    b->region.name = copy;
    kernc_status status = rt_region_status(c, rt_region_open(&c->memory, &b->region, bytes), "buffer", bytes);
    if (status != KERNC_OK) {
        free(copy);
        free(b);
        return status;
    }
    *buffer = b;
    return KERNC_OK;
}

void kernc_buffer_free(kernc_buffer *buffer)
{
    if (!buffer || rt_check_idle(buffer->context) != KERNC_OK)
        return;
    rt_region_close(&buffer->context->memory, &buffer->region);
    free((char *)buffer->region.name);
    free(buffer);
}

uint64_t kernc_buffer_size(const kernc_buffer *buffer)
{
    return buffer ? buffer->region.bytes : 0;
}

uint32_t kernc_buffer_address(const kernc_buffer *buffer)
{
    return buffer ? buffer->region.address : 0;
}

void *kernc_buffer_map(kernc_buffer *buffer)
{
    return buffer ? buffer->context->memory.base + buffer->region.address : NULL;
}

/* The range's host address, or NULL with the error set. */
static uint8_t *range(const kernc_buffer *b, uint64_t offset, uint64_t bytes)
{
    uint64_t size = b->region.bytes;
    if (offset <= size && bytes <= size - offset)
        return b->context->memory.base + b->region.address + offset;
    rt_fail(b->context, KERNC_INVALID, "bytes %llu to %llu are outside buffer %s of %llu bytes",
            (unsigned long long)offset, (unsigned long long)(offset + bytes),
            b->region.name ? b->region.name : "", (unsigned long long)size);
    return NULL;
}

kernc_status kernc_buffer_write(kernc_buffer *to, uint64_t offset, const void *from, uint64_t bytes)
{
    uint8_t *at = to && (from || bytes == 0) ? range(to, offset, bytes) : NULL;
    if (!at)
        return KERNC_INVALID;
    if (bytes)
        space_write(at, from, bytes);
    return KERNC_OK;
}

kernc_status kernc_buffer_read(const kernc_buffer *from, uint64_t offset, void *to, uint64_t bytes)
{
    const uint8_t *at = from && (to || bytes == 0) ? range(from, offset, bytes) : NULL;
    if (!at)
        return KERNC_INVALID;
    if (bytes)
        memcpy(to, at, bytes);
    return KERNC_OK;
}

kernc_status kernc_buffer_copy(kernc_buffer *to, uint64_t to_offset, const kernc_buffer *from,
                               uint64_t from_offset, uint64_t bytes)
{
    const uint8_t *source = from ? range(from, from_offset, bytes) : NULL;
    uint8_t *target = to && source ? range(to, to_offset, bytes) : NULL;
    if (!target)
        return KERNC_INVALID;
    memmove(target, source, bytes);
    return KERNC_OK;
}

kernc_status kernc_buffer_fill(kernc_buffer *to, uint64_t offset, uint64_t bytes, const void *pattern,
                               uint32_t pattern_bytes)
{
    if (!to || !pattern)
        return KERNC_INVALID;
    if (pattern_bytes == 0 || bytes % pattern_bytes != 0)
        return rt_fail(to->context, KERNC_INVALID, "%llu bytes are no multiple of a pattern of %u",
                       (unsigned long long)bytes, pattern_bytes);
    uint8_t *at = range(to, offset, bytes);
    if (!at)
        return KERNC_INVALID;
    for (uint64_t done = 0; done < bytes; done += pattern_bytes)
        memcpy(at + done, pattern, pattern_bytes);
    return KERNC_OK;
}
