/* arguments.c: the arguments of a launch against the kernel's parameters: by position or by name, each once,
 * each of a kind that fits.
 */
#include "runtime/context.h"

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
