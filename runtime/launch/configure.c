/* configure.c: what a launch asks for: sizes within the limits, arguments that fit the kernel's parameters (by
 * position or by name, each once, each of a kind that fits), arrays in shared memory.
 */
#include "runtime/launch/block_warp.h"
#include "runtime/module.h"

#define DEFAULT_WARP    32
#define DEFAULT_SEGMENT 128
#define DEFAULT_BANKS   32
#define DEFAULT_FUEL    ((uint64_t)1 << 40)

/* ---- arguments ----------------------------------------------------------------------------------------- */

static const char *kind_name(kernc_argument_kind kind)
{
    static const char *const names[] = {"buffer", "address", "bool",   "int",
                                        "long",   "float",   "double", "bits"};
    return (unsigned)kind < COUNT(names) ? names[kind] : "unknown kind";
}

/* Whether an argument of this kind fits a parameter; its bits if so. */
static bool argument_bits(const kernc_argument *a, const struct be_param *p, uint64_t *bits)
{
    uint64_t all = p->type == BE_I1 ? 1 : p->type == BE_I64 || p->type == BE_F64 ? UINT64_MAX : UINT32_MAX;
    switch (a->kind) {
    case KERNC_ARG_BUFFER: *bits = kernc_buffer_address(a->value.buffer); return p->pointer;
    case KERNC_ARG_ADDRESS: *bits = a->value.address; return p->pointer;
    case KERNC_ARG_BOOL: *bits = a->value.truth; return p->type == BE_I1;
    case KERNC_ARG_INT:
        *bits = p->type == BE_I64 ? (uint64_t)(int64_t)a->value.i : (uint32_t)a->value.i;
        return !p->pointer && (p->type == BE_I32 || p->type == BE_I64);
    case KERNC_ARG_LONG: *bits = (uint64_t)a->value.l; return p->type == BE_I64;
    case KERNC_ARG_FLOAT:
        *bits = p->type == BE_F64 ? scalar_raw_f64(a->value.f) : scalar_raw_f32(a->value.f);
        return p->type == BE_F32 || p->type == BE_F64;
    case KERNC_ARG_DOUBLE: *bits = scalar_raw_f64(a->value.d); return p->type == BE_F64;
    case KERNC_ARG_BITS: *bits = a->value.bits; return (a->value.bits & ~all) == 0;
    }
    return false;
}

static kernc_status read_argument(const kernc_kernel *k, const kernc_argument *a, uint32_t position,
                                  uint64_t *bits)
{
    kernc_context *c = k->module->context;
    const struct be_param *p = &k->params[position];
    if (a->kind == KERNC_ARG_BUFFER && (!a->value.buffer || a->value.buffer->context != c))
        return rt_fail(c, KERNC_INVALID, "argument %s of kernel %s is no buffer of this context", p->name,
                       k->name);
    if (!argument_bits(a, p, bits))
        return rt_fail(c, KERNC_INVALID,
                       "parameter %s of kernel %s is %s: an argument of kind %s does not fit", p->name,
                       k->name, p->text ? p->text : "of another type", kind_name(a->kind));
    return KERNC_OK;
}

/* The position of an argument's parameter; the count of parameters: there is none of its name. */
static uint32_t position_of(const kernc_kernel *k, const kernc_launch *o, uint32_t argument)
{
    const char *name = o->args[argument].name;
    uint32_t position = 0;
    if (!name)
        return argument;
    while (position < k->param_count && strcmp(k->params[position].name, name) != 0)
        position++;
    return position;
}

kernc_status rt_read_arguments(const kernc_kernel *k, const kernc_launch *o, uint64_t *bits, bool *given)
{
    kernc_context *c = k->module->context;
    uint32_t count = k->param_count;
    if (o->arg_count && !o->args)
        return rt_fail(c, KERNC_INVALID, "no arguments, but a count of %u", o->arg_count);
    for (uint32_t i = 0; i < o->arg_count; i++) {
        uint32_t at = position_of(k, o, i);
        const char *name = o->args[i].name;
        if (!name != !o->args[0].name)
            return rt_fail(c, KERNC_INVALID, "either all arguments have names or none has");
        if (at >= count && name)
            return rt_fail(c, KERNC_INVALID, "kernel %s has no parameter %s", k->name, name);
        if (at >= count)
            return rt_fail(c, KERNC_INVALID, "kernel %s has %u parameters, not %u", k->name, count,
                           o->arg_count);
        if (given[at])
            return rt_fail(c, KERNC_INVALID, "parameter %s of kernel %s is given twice", name, k->name);
        kernc_status status = read_argument(k, &o->args[i], at, &bits[at]);
        if (status != KERNC_OK)
            return status;
        if (o->args[i].kind == KERNC_ARG_BUFFER)
            o->args[i].value.buffer->region.element_bytes = k->params[at].element_bytes;
        given[at] = true;
    }
    for (uint32_t i = 0; i < count; i++)
        if (!given[i])
            return rt_fail(c, KERNC_INVALID, "kernel %s: parameter %s is not given", k->name,
                           k->params[i].name);
    return KERNC_OK;
}

/* ---- arrays in shared memory --------------------------------------------------------------------------- */

static kernc_status missing_size(const kernc_kernel *k, uint32_t given)
{
    const char *flag = k->unsized_count > 1 ? "--shared=N,N" : "--shared=N";
    const char *clause = k->unsized_count > 1 ? "shared(N, N)" : "shared(N)";
    return rt_fail(
        k->module->context, KERNC_INVALID,
        "kernel %s: how many elements (of %u bytes) its shared array %s has is not given: %s, or %s "
        "in the launch line",
        k->name, k->unsized[given].bytes, k->unsized[given].name, flag, clause);
}

static kernc_status unwanted_size(const kernc_kernel *k, const uint32_t *sizes, uint32_t count)
{
    kernc_context *c = k->module->context;
    return k->unsized_count
               ? rt_fail(c, KERNC_INVALID,
                         "kernel %s has %u shared array%s without a size, and %u sizes are given", k->name,
                         k->unsized_count, k->unsized_count > 1 ? "s" : "", count)
               : rt_fail(c, KERNC_INVALID,
                         "kernel %s has no shared array without a size, to have %u elements", k->name,
                         sizes[0]);
}

kernc_status rt_read_shared(const kernc_kernel *k, const kernc_launch *o, struct rt_shared *shared)
{
    kernc_context *c = k->module->context;
    const uint32_t *sizes = o->shared_count ? o->shared_sizes : &o->shared;
    uint32_t count = o->shared_count ? o->shared_count : o->shared != 0;
    uint64_t end = k->entry ? k->module->image->shared_bytes : k->module->program->shared_bytes;
    if (o->shared_count && (!o->shared_sizes || o->shared))
        return rt_fail(c, KERNC_INVALID,
                       o->shared ? "the elements of shared arrays are given by shared and by shared_sizes"
                                 : "no shared_sizes, but a count of %u",
                       o->shared_count);
    if (count > k->unsized_count)
        return unwanted_size(k, sizes, count);
    for (uint32_t i = 0; i < k->unsized_count; i++) {
        if (i == count || !sizes[i])
            return missing_size(k, i);
        uint64_t at = BE_UNSIZED_AT(end + (i > 0)), size = (uint64_t)sizes[i] * k->unsized[i].bytes;
        end = at + size;
        if (end > BC_MAX_SHARED)
            return rt_fail(
                c, KERNC_LIMIT,
                "kernel %s: %u elements of its shared array %s take a block's shared memory to %llu "
                "bytes; there are %u (BC_MAX_SHARED)",
                k->name, sizes[i], k->unsized[i].name, (unsigned long long)end, BC_MAX_SHARED);
        shared->at[i] = (uint32_t)at;
        shared->size[i] = (uint32_t)size;
    }
    shared->bytes = (uint32_t)end;
    return KERNC_OK;
}

/* ---- sizes ----------------------------------------------------------------------------------------------- */

/* x * y * z; UINT64_MAX: more than fits */
static uint64_t volume(const uint32_t size[3])
{
    uint64_t plane = (uint64_t)size[0] * size[1], all;
    return __builtin_mul_overflow(plane, size[2], &all) ? UINT64_MAX : all;
}

uint64_t rt_block_number(const uint32_t grid[3], const uint32_t index[3])
{
    bool inside = index[0] < grid[0] && index[1] < grid[1] && index[2] < grid[2];
    return inside ? ((uint64_t)index[2] * grid[1] + index[1]) * grid[0] + index[0] : UINT64_MAX;
}

static kernc_status check_sizes(const kernc_kernel *k, const kernc_launch *o)
{
    kernc_context *c = k->module->context;
    uint64_t threads = volume(o->block), blocks = volume(o->grid);
    if (threads > KERNC_MAX_BLOCK_THREADS)
        return rt_fail(c, KERNC_LIMIT, "a block of %u x %u x %u threads is over the limit of %d", o->block[0],
                       o->block[1], o->block[2], KERNC_MAX_BLOCK_THREADS);
    if (blocks > KERNC_MAX_GRID_BLOCKS)
        return rt_fail(c, KERNC_LIMIT, "a grid of %u x %u x %u blocks is over the limit of %d", o->grid[0],
                       o->grid[1], o->grid[2], KERNC_MAX_GRID_BLOCKS);
    if (o->warp > KERNC_MAX_WARP)
        return rt_fail(c, KERNC_LIMIT, "a warp of %u threads is over the limit of %d", o->warp,
                       KERNC_MAX_WARP);
    if (o->threads > KERNC_MAX_HOST_THREADS)
        return rt_fail(c, KERNC_LIMIT, "%u host threads are over the limit of %d", o->threads,
                       KERNC_MAX_HOST_THREADS);
    if (o->cores > KERNC_MAX_CORES)
        return rt_fail(c, KERNC_LIMIT, "%u cores are over the limit of %d", o->cores, KERNC_MAX_CORES);
    if (o->schedule < KERNC_SCHEDULE_LARGEST || o->schedule > KERNC_SCHEDULE_LOWEST)
        return rt_fail(c, KERNC_INVALID, "%d is no choice of the group that runs next", o->schedule);
    if (o->anchors < KERNC_ANCHORS_ALL || o->anchors > KERNC_ANCHORS_RANDOM)
        return rt_fail(c, KERNC_INVALID, "%d is no choice of anchors' groups", o->anchors);
    if (o->segment < 8 || (o->segment & (o->segment - 1)))
        return rt_fail(c, KERNC_INVALID, "a segment of %u bytes: it must be a power of two from 8 on",
                       o->segment);
    if (o->sample && k->entry)
        return rt_fail(c, KERNC_INVALID,
                       "the warp-core machine runs whole grids, not a sample of their blocks");
    if (o->banks & (o->banks - 1))
        return rt_fail(c, KERNC_INVALID, "%u banks of shared memory: their number must be a power of two",
                       o->banks);
    if (o->banks > KERNC_MAX_BANKS)
        return rt_fail(c, KERNC_LIMIT, "%u banks of shared memory are over the limit of %d", o->banks,
                       KERNC_MAX_BANKS);
    return KERNC_OK;
}

static kernc_status check_trace(kernc_context *c, const kernc_launch *o)
{
    uint64_t cycles = o->trace_to ? o->trace_to - o->trace_from : 0;
    uint32_t most = KERNC_MAX_TRACE_CYCLES / o->cores;
    if (!o->trace)
        return KERNC_OK;
    if (o->trace < 0 || o->trace > KERNC_TRACE_TEXT || !o->trace_output ||
        (o->trace_to && o->trace_to <= o->trace_from))
        return rt_fail(c, KERNC_INVALID,
                       "a trace needs a form, a window that is not empty, and somewhere to go");
    if (cycles > most)
        return rt_fail(c, KERNC_LIMIT, "a trace of %llu cycles is over the limit of %u",
                       (unsigned long long)cycles, most);
    return KERNC_OK;
}

kernc_status rt_read_launch(const kernc_kernel *k, const kernc_launch *launch, kernc_launch *given)
{
    kernc_launch o = {0};
    sized_read(&o, sizeof o, launch);
    for (int i = 0; i < 3; i++) {
        o.grid[i] = o.grid[i] ? o.grid[i] : 1;
        o.block[i] = o.block[i] ? o.block[i] : 1;
    }
    o.warp = o.warp ? o.warp : k->entry ? WC_LANES : DEFAULT_WARP;
    o.threads = o.threads ? o.threads : 1;
    o.segment = o.segment ? o.segment : DEFAULT_SEGMENT;
    o.banks = o.banks ? o.banks : DEFAULT_BANKS;
    o.fuel = o.fuel ? o.fuel : DEFAULT_FUEL;
    o.cores = o.cores ? o.cores : 1;
    *given = o;
    kernc_status status = check_sizes(k, given);
    return status == KERNC_OK ? check_trace(k->module->context, given) : status;
}

kernc_status rt_fail_shared(kernc_context *c, uint32_t bytes)
{
    rt_fail(c, KERNC_LIMIT,
            "shared memory of %u bytes is over the limit of memory (max_memory, --max-memory)", bytes);
    c->error_of_shared = true;
    return KERNC_LIMIT;
}

static kernc_status check_scheme(const kernc_kernel *k, const kernc_launch *o)
{
    const char *own = kernc_module_scheme(k->module);
    if (!o->scheme || scheme_find(o->scheme) == scheme_find(own))
        return KERNC_OK;
    if (scheme_find(o->scheme) == SCHEMES)
        return rt_fail(k->module->context, KERNC_NOT_FOUND, "no divergence scheme %s", o->scheme);
    return rt_fail(k->module->context, KERNC_INVALID, "the program was compiled for scheme %s, not for %s",
                   own, o->scheme);
}

kernc_status rt_configure(const kernc_kernel *k, const kernc_launch *given, struct arena *a,
                          struct rt_sizes *sizes)
{
    uint32_t count = k->param_count;
    sizes->params = arena_array(a, uint64_t, count + LAUNCH_MAX_SHARED);
    kernc_status status = check_scheme(k, given);
    if (status == KERNC_OK)
        status = rt_read_arguments(k, given, sizes->params, arena_array(a, bool, count));
    if (status == KERNC_OK) {
        status = rt_read_shared(k, given, &sizes->shared);
        k->module->context->error_of_shared = status != KERNC_OK;
    }
    for (uint32_t i = 0; status == KERNC_OK && i < k->unsized_count; i++)
        sizes->params[count + i] = sizes->shared.at[i];
    sizes->grid = volume(given->grid);
    sizes->blocks = given->sample && given->sample < sizes->grid ? given->sample : sizes->grid;
    sizes->threads = (uint32_t)volume(given->block);
    sizes->warps = (sizes->threads + given->warp - 1) / given->warp;
    sizes->segment_shift = (uint32_t)__builtin_ctz(given->segment);
    return status == KERNC_OK ? rt_block_warp_check(k, given, sizes->threads) : status;
}
