/* hostcall.c: functions of the host, called once per active lane through libffi.
 *
 * They are looked for when a launch begins: among the registered functions, then in the loaded libraries; a
 * function that is missing traps only when it is called. Pointers are handed over as host addresses.
 */
#include "runtime/launch/grid.h"

#include <dlfcn.h>

static ffi_type *type_of(enum be_value v)
{
    switch (v) {
    case BE_I1: return &ffi_type_uint8;
    case BE_I32: return &ffi_type_uint32;
    case BE_I64: return &ffi_type_uint64;
    case BE_F32: return &ffi_type_float;
    case BE_F64: return &ffi_type_double;
    case BE_PTR: return &ffi_type_pointer;
    default: return &ffi_type_void;
    }
}

static void (*find_function(const kernc_context *c, const char *name))(void)
{
    void (*function)(void) = NULL;
    for (uint32_t i = 0; i < c->symbols.count; i++)
        if (strcmp(c->symbols.at[i].name, name) == 0)
            return c->symbols.at[i].function;
    for (uint32_t i = 0; i < c->libraries.count && !function; i++) {
        void *symbol = dlsym(c->libraries.at[i], name);
        memcpy(&function, &symbol, sizeof function);
    }
    return function;
}

void rt_hosts_prepare(kernc_module *m)
{
    const struct bc_program *p = m->program;
    if (p->hosts.count == 0)
        return;
    if (!m->hosts)
        m->hosts = arena_array(&m->arena, struct rt_host, p->hosts.count);
    for (uint32_t i = 0; i < p->hosts.count; i++) {
        const struct bc_host *from = &p->hosts.at[i];
        struct rt_host *h = &m->hosts[i];
        h->function = find_function(m->context, from->name);
        for (uint32_t a = 0; a < from->argc; a++)
            h->types[a] = type_of(from->args[a]);
        if (ffi_prep_cif(&h->cif, FFI_DEFAULT_ABI, from->argc, type_of(from->result), h->types) != FFI_OK)
            h->function = NULL;
    }
}

union value {
    uint8_t i1;
    uint32_t i32;
    uint64_t i64;
    float f32;
    double f64;
    void *pointer;
    ffi_arg word;
};

static union value argument(const struct rt_warp *w, struct bc_operand o, unsigned lane)
{
    uint64_t bits = o.kind == BC_KIND_V   ? rt_v(w, o.reg)[lane]
                    : o.kind == BC_KIND_W ? rt_w(w, o.reg)[lane]
                    : o.kind == BC_KIND_M ? w->M[o.reg] >> lane & 1
                                          : w->S[o.reg];
    union value v = {.i64 = 0};
    switch (o.type) {
    case BE_I1: v.i1 = bits & 1; break;
    case BE_I64:
    case BE_F64: v.i64 = bits; break;
    case BE_PTR: v.pointer = (uint32_t)bits ? w->global + (uint32_t)bits : NULL; break;
    default: v.i32 = (uint32_t)bits; break;
    }
    return v;
}

static void put_result(struct rt_warp *w, uint16_t d, enum be_value type, const union value *v, unsigned lane)
{
    switch (type) {
    case BE_VOID: break;
    case BE_I1:
        w->M[d] = (w->M[d] & ~((uint64_t)1 << lane)) | (uint64_t)((v->word & 0xff) != 0) << lane;
        break;
    case BE_I64:
    case BE_F64: rt_w(w, d)[lane] = v->i64; break;
    case BE_F32: rt_v(w, d)[lane] = v->i32; break;
    case BE_PTR: rt_v(w, d)[lane] = v->pointer ? (uint32_t)((uint8_t *)v->pointer - w->global) : 0; break;
    default: rt_v(w, d)[lane] = (uint32_t)v->word; break;
    }
}

bool rt_hostcall(struct rt_warp *w, const struct bc_ins *ins)
{
    const struct rt_launch *l = w->worker->launch;
    const struct bc_host *host = &l->program->hosts.at[ins->imm];
    struct rt_host *h = &l->module->hosts[ins->imm];
    const struct bc_operand *operands = l->program->operands.at + ins->b;
    if (!h->function) {
        rt_trap(w, ins, rt_lowest(w->active), "host function %s is in no loaded library", host->name);
        return false;
    }
    rt_each_lane(i, w->active) {
        union value values[64], result = {.i64 = 0};
        void *pointers[64];
        for (unsigned a = 0; a < host->argc; a++) {
            values[a] = argument(w, operands[a], (unsigned)i);
            pointers[a] = &values[a];
        }
        ffi_call(&h->cif, h->function, &result, pointers);
        put_result(w, ins->d, host->result, &result, (unsigned)i);
    }
    return true;
}
