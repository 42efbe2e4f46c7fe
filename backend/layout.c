/* layout.c: see layout.h. */
#include "backend/layout.h"
#include "backend/format/bytecode/program.h"
#include "backend/format/warpcore/image.h"

_Static_assert(BE_FIRST_ADDRESS == BC_FIRST_ADDRESS && BE_FIRST_ADDRESS == WC_FIRST_ADDRESS, "one layout");
_Static_assert(BC_MAX_SHARED == WC_MAX_SHARED && BC_MAX_DATA == WC_MAX_DATA, "one layout");
_Static_assert(BC_MAX_PRIVATE == WC_MAX_PRIVATE, "one layout");

static uint64_t align_up(uint64_t at, uint32_t align)
{
    return align ? (at + align - 1) / align * align : at;
}

/* ---- objects ----------------------------------------------------------------------------------------- */

static bool does_not_fit(const struct ir_object *o, bool shared, unsigned limit, struct diagnostics *d)
{
    diag_add(d, DIAG_ERROR, shared ? "shared-memory" : "constant-data", (span){o->at, {0, 0}},
             "'%s' does not fit: a program has at most %u bytes of %s", o->name, limit,
             shared ? "shared memory" : "constant data");
    return false;
}

static bool place_object(const struct ir_object *o, uint64_t *end, uint32_t *address, struct diagnostics *d)
{
    bool shared = o->space == IR_TYPE_SHARED;
    unsigned limit = shared ? BC_MAX_SHARED : BC_MAX_DATA;
    uint64_t at = align_up(*end, o->align);
    *end = at + o->size;
    *address = (uint32_t)at;
    return *end <= limit || does_not_fit(o, shared, limit, d);
}

/* Launches place a kernel's unsized arrays behind all others; one element of each has to fit. */
static bool unsized_fit(const struct ir_module *m, const struct ir_kernel_info *k, uint32_t shared_bytes,
                        struct diagnostics *d)
{
    uint64_t at = shared_bytes;
    for (uint32_t i = 0; i < k->unsized.count; i++) {
        const struct ir_object *x = &m->objects.at[k->unsized.at[i]];
        at = BE_UNSIZED_AT(at + (i > 0)) + x->unit;
        if (at > BC_MAX_SHARED)
            return does_not_fit(x, true, BC_MAX_SHARED, d);
    }
    return true;
}

bool be_lay_out_objects(struct arena *a, const struct ir_module *m, struct be_objects *o,
                        struct diagnostics *d)
{
    uint64_t shared = BE_FIRST_ADDRESS, data = 0;
    o->address = arena_array(a, uint32_t, m->objects.count);
    for (uint32_t i = 0; i < m->objects.count; i++) {
        bool is_shared = m->objects.at[i].space == IR_TYPE_SHARED;
        if (!m->objects.at[i].unit &&
            !place_object(&m->objects.at[i], is_shared ? &shared : &data, &o->address[i], d))
            return false;
    }
    o->shared_bytes = shared == BE_FIRST_ADDRESS ? 0 : (uint32_t)align_up(shared, 16);
    o->data_bytes = (uint32_t)data;
    for (uint32_t i = 0; i < m->kernels.count; i++)
        if (!unsized_fit(m, &m->kernels.at[i], o->shared_bytes, d))
            return false;
    return true;
}

be_unsized_vec be_unsized_of(struct arena *a, const struct ir_module *m, const struct ir_kernel_info *k)
{
    be_unsized_vec all = {0};
    for (uint32_t i = 0; i < k->unsized.count; i++) {
        const struct ir_object *o = &m->objects.at[k->unsized.at[i]];
        vec_push(a, &all, ((struct be_unsized){arena_strdup(a, o->name, strcspn(o->name, ".")), o->unit}));
    }
    return all;
}

const uint8_t *be_constant_data(struct arena *a, const struct ir_module *m, const struct be_objects *o)
{
    uint8_t *data = arena_array(a, uint8_t, o->data_bytes + 1);
    for (uint32_t i = 0; i < m->objects.count; i++) {
        const struct ir_object *x = &m->objects.at[i];
        if (x->space != IR_TYPE_SHARED && x->bytes && x->size)
            memcpy(data + o->address[i], x->bytes, x->size);
    }
    return data;
}

/* ---- private memory ---------------------------------------------------------------------------------- */

uint32_t *be_lay_out_allocas(struct arena *a, const struct ir_function *f, uint32_t *size)
{
    uint32_t *offsets = NULL;
    *size = 0;
    ir_each_block(i, b, f)
        ir_each_ins(r, f, b) {
            const struct ir_ins *ins = ir_at(f, r);
            if (ins->op != IR_alloca)
                continue;
            if (!offsets)
                offsets = arena_array(a, uint32_t, f->ins.count);
            offsets[r] = (uint32_t)align_up(*size, ins->imm2);
            uint64_t end = offsets[r] + (uint64_t)ins->imm;
            *size = end > BC_MAX_PRIVATE ? BC_MAX_PRIVATE + 1 : (uint32_t)end;
        }
    return offsets;
}

uint32_t be_frame_end(uint32_t base, uint32_t size)
{
    return (uint32_t)align_up((uint64_t)base + size, 16);
}

bool be_private_memory_fits(const struct ir_function *f, uint32_t end, struct diagnostics *d)
{
    if (end <= BC_MAX_PRIVATE)
        return true;
    diag_add(d, DIAG_ERROR, "private-memory", (span){f->at, {0, 0}},
             "'%s' and its callers need more than %u bytes of private memory", f->name, BC_MAX_PRIVATE);
    return false;
}
