/* hostcall.c: functions of the host, called once per active lane through libffi.
 *
 * They are looked for when a launch begins; one that is missing traps only when it is called. Pointers are
 * handed over as host addresses.
 */
#include "runtime/launch/grid.h"

#include <dlfcn.h>
#include <link.h>
#include <math.h>

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

/* ---- where they are found ---------------------------------------------------------------------------- */

struct math_function {
    const char *name;
    void (*function)(void);
    uint8_t result, argc, args[3];
};
static const struct math_function math_functions[] = {
#define INT  BE_I32
#define LONG BE_I64
#define PARAMETERS(...)                                                                                      \
    sizeof((uint8_t[]){__VA_ARGS__}),                                                                        \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }
#define REAL                    BE_F64
#define MATH(name, result, ...) {#name, (void (*)(void))name, result, PARAMETERS(__VA_ARGS__)},
#include "runtime/libm.def"
#undef REAL
#define REAL                    BE_F32
#define MATH(name, result, ...) {#name "f", (void (*)(void))name##f, result, PARAMETERS(__VA_ARGS__)},
#include "runtime/libm.def"
#undef REAL
};
_Static_assert(sizeof(long) == 8, "long of math.h is that of Kern");

/* A function's type as a kernel declares it. */
static void add_declaration(struct text *t, const char *name, uint8_t result, const uint8_t *args,
                            uint32_t argc)
{
    static const char *const types[] = {"void", "bool", "int", "long", "float", "double", "pointer"};
    text_printf(t, "%s %s(", types[result], name);
    for (uint32_t i = 0; i < argc; i++)
        text_printf(t, "%s%s", i ? ", " : "", types[args[i]]);
    text_char(t, ')');
}

static void missing(struct rt_host *h, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(h->missing, sizeof h->missing, fmt, args);
    va_end(args);
}

static bool find_math(const struct bc_host *host, struct rt_host *h)
{
    for (size_t i = 0; i < COUNT(math_functions); i++) {
        const struct math_function *f = &math_functions[i];
        if (strcmp(f->name, host->name) != 0)
            continue;
        if (f->result == host->result && f->argc == host->argc && memcmp(f->args, host->args, f->argc) == 0) {
            h->function = f->function;
            return true;
        }
        struct text t = {0};
        text_addz(&t, "is declared as ");
        add_declaration(&t, host->name, host->result, host->args, host->argc);
        text_addz(&t, "; libm has extern ");
        add_declaration(&t, f->name, f->result, f->args, f->argc);
        missing(h, "%s", t.at);
        text_free(&t);
        return true;
    }
    return false;
}

/* Whether an address lies in the code of the object that is loaded at `base`. */
struct in_object {
    uintptr_t base, address;
};
static int holds_code(struct dl_phdr_info *object, size_t size, void *data)
{
    const struct in_object *p = data;
    for (unsigned i = 0; object->dlpi_addr == p->base && i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && segment->p_flags & PF_X &&
            p->address - (p->base + segment->p_vaddr) < segment->p_memsz)
            return 1;
    }
    return 0;
}

/* dlsym() looks through the libraries that a library needs too, so through the whole of C's: a kernel gets what
 * the very library that was named defines, and functions of it only. */
static bool find_in_library(const struct rt_library *l, const struct bc_host *host, struct rt_host *h)
{
    void *symbol = dlsym(l->handle, host->name);
    struct link_map *map;
    Dl_info where;
    if (!symbol || dlinfo(l->handle, RTLD_DI_LINKMAP, &map) != 0)
        return false;
    struct in_object p = {map->l_addr, (uintptr_t)symbol};
    if (dl_iterate_phdr(holds_code, &p)) {
        memcpy(&h->function, &symbol, sizeof h->function);
        return true;
    }
    bool known = dladdr(symbol, &where) && where.dli_fname;
    if (known && (uintptr_t)where.dli_fbase == (uintptr_t)map->l_addr)
        missing(h, "is no function of %s but data", l->name);
    else if (known)
        missing(h, "is not defined by %s but by %s, which it needs (--load=%s)", l->name, where.dli_fname,
                where.dli_fname);
    return false;
}

/* Registered functions come before those of libraries, which are looked through in the order of loading. */
static void find_function(const kernc_context *c, const struct bc_host *host, struct rt_host *h)
{
    h->function = NULL;
    missing(h, "is in no loaded library (--libm has the functions of math.h on numbers, --load=LIB.so those "
               "that LIB.so defines)");
    for (uint32_t i = 0; i < c->symbols.count; i++)
        if (strcmp(c->symbols.at[i].name, host->name) == 0) {
            h->function = c->symbols.at[i].function;
            return;
        }
    for (uint32_t i = 0; i < c->libraries.count; i++) {
        const struct rt_library *l = &c->libraries.at[i];
        if (l->handle ? find_in_library(l, host, h) : find_math(host, h))
            return;
    }
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
        find_function(m->context, from, h);
        for (uint32_t a = 0; a < from->argc; a++)
            h->types[a] = type_of(from->args[a]);
        if (ffi_prep_cif(&h->cif, FFI_DEFAULT_ABI, from->argc, type_of(from->result), h->types) != FFI_OK) {
            h->function = NULL;
            missing(h, "cannot be called on this machine");
        }
    }
}

/* ---- how they are called ----------------------------------------------------------------------------- */

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
    case BE_PTR: v.pointer = (uint32_t)bits ? w->spaces.global + (uint32_t)bits : NULL; break;
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
    case BE_PTR:
        rt_v(w, d)[lane] = v->pointer ? (uint32_t)((uint8_t *)v->pointer - w->spaces.global) : 0;
        break;
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
        rt_trap(w, ins, rt_lowest(w->active), "host function %s %s", host->name, h->missing);
        return false;
    }
    rt_each_lane(i, w->active) {
        union value values[64], result = {.i64 = 0};
        void *pointers[64];
        for (unsigned a = 0; a < host->argc; a++) {
            values[a] = argument(w, operands[a], (unsigned)i);
            pointers[a] = &values[a];
        }
        struct mem_outside outside = mem_go_outside();
        ffi_call(&h->cif, h->function, &result, pointers);
        mem_come_back(outside);
        put_result(w, ins->d, host->result, &result, (unsigned)i);
    }
    return true;
}
