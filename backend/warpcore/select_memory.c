/* select_memory.c: loads, stores, atomics; how constant parts of an address go into their offset. */
#include "backend/warpcore/select.h"

/* Base register + offset, modulo 2^32. */
struct address { uint32_t base; int32_t offset; };

/* Global address of the image's data, which the loader knows. */
static uint32_t data_address(struct wc_selector *s)
{
    return wc_repeatable(s, WC_csrr, WC_CSR_DATA);
}

/* A word of the launch behind the kernel's arguments. */
static uint32_t unsized_address(struct wc_selector *s, uint32_t object)
{
    const struct ir_kernel_info *k = ir_kernel_info(s->c->m, s->ir->id);
    return wc_argument_word(s, s->argument_words + ir_unsized_number(k, object));
}

uint32_t wc_object_address(struct wc_selector *s, ir_ref r)
{
    if (ir_at(s->ir, r)->type == IR_TYPE_SHARED)
        return unsized_address(s, (uint32_t)ir_at(s->ir, r)->imm);
    uint32_t at = s->c->objects.address[ir_at(s->ir, r)->imm], base = data_address(s);
    if (at == 0)
        return base;
    if (wc_imm_fits(WC_add_I_imm, (int32_t)at))
        return wc_make(s, WC_add_I_imm, base, 0, (int32_t)at);
    return wc_make(s, WC_add_I, base, wc_number(s, at), 0);
}

/* Follows sums with known terms; what is left is *root, 0: nothing. */
static uint32_t known_part(const struct wc_selector *s, ir_ref r, ir_ref *root)
{
    uint32_t sum = 0, v;
    for (;;) {
        const struct ir_ins *ins = ir_at(s->ir, r);
        if (wc_known(s, r, &v)) {
            *root = 0;
            return sum + v;
        }
        *root = r;
        if (ins->op == IR_ptrcast)
            r = ins->args[0];
        else if ((ins->op == IR_ptradd || ins->op == IR_add) && wc_known(s, ins->args[1], &v))
            sum += v, r = ins->args[0];
        else if ((ins->op == IR_ptradd || ins->op == IR_add) && wc_known(s, ins->args[0], &v))
            sum += v, r = ins->args[1];
        else
            return sum;
    }
}

/* A sum that no offset can be gets a register; nearby addresses share it. */
static struct address address_of(struct wc_selector *s, const struct ir_ins *ins)
{
    ir_ref root;
    uint32_t sum = known_part(s, ins->args[0], &root) + (uint32_t)ins->imm;
    uint32_t base = WC_V_ZERO;
    if (root && ir_at(s->ir, root)->op == IR_object && ir_at(s->ir, root)->type == IR_TYPE_CONSTANT) {
        sum += s->c->objects.address[ir_at(s->ir, root)->imm];
        base = data_address(s);
    } else if (root) {
        base = wc_value(s, root);
    }
    int32_t offset = (int32_t)sum;
    if (!wc_imm_fits(WC_ld_global_32, offset)) {
        offset = (int32_t)((sum + 0x800) & 0xfff) - 0x800;
        uint32_t rest = wc_number(s, sum - (uint32_t)offset);
        base = base == WC_V_ZERO ? rest : wc_make(s, WC_add_I, base, rest, 0);
    }
    return (struct address){base, offset};
}

/* One that has its second word 4 bytes on in reach as well. */
static struct address pair_address(struct wc_selector *s, const struct ir_ins *ins)
{
    struct address a = address_of(s, ins);
    if (wc_imm_fits(WC_ld_global_32, a.offset + 4))
        return a;
    return (struct address){wc_make(s, WC_add_I_imm, a.base, 0, a.offset), 0};
}

static enum wc_space space_of(const struct wc_selector *s, ir_ref address)
{
    enum ir_type t = (enum ir_type)ir_at(s->ir, address)->type;
    return t == IR_TYPE_SHARED ? WC_SPACE_shared : t == IR_TYPE_PRIVATE ? WC_SPACE_private : WC_SPACE_global;
}

#define LOADS(space)                                                                                         \
    [WC_SPACE_##space] = {[IR_MEM_B8] = WC_ld_##space##_u8, [IR_MEM_U8] = WC_ld_##space##_u8,                \
        [IR_MEM_S8] = WC_ld_##space##_s8, [IR_MEM_U16] = WC_ld_##space##_u16,                                \
        [IR_MEM_S16] = WC_ld_##space##_s16, [IR_MEM_I32] = WC_ld_##space##_32,                               \
        [IR_MEM_F32] = WC_ld_##space##_32, [IR_MEM_PTR] = WC_ld_##space##_32,                                \
        [IR_MEM_I64] = WC_ld_##space##_lo64},
#define STORES(space)                                                                                        \
    [WC_SPACE_##space] = {[IR_MEM_B8] = WC_st_##space##_8, [IR_MEM_U8] = WC_st_##space##_8,                  \
        [IR_MEM_S8] = WC_st_##space##_8, [IR_MEM_U16] = WC_st_##space##_16,                                  \
        [IR_MEM_S16] = WC_st_##space##_16, [IR_MEM_I32] = WC_st_##space##_32,                                \
        [IR_MEM_F32] = WC_st_##space##_f32, [IR_MEM_PTR] = WC_st_##space##_32,                               \
        [IR_MEM_I64] = WC_st_##space##_lo64},
static const uint16_t loads[][IR_MEMS] = {LOADS(global) LOADS(shared) LOADS(private)};
static const uint16_t stores[][IR_MEMS] = {STORES(global) STORES(shared) STORES(private)};

/* Two words. The first access is checked as one of all 8 bytes, so the second cannot fault: where nobody
 * needs the high word, it goes. */
static void load_pair(struct wc_selector *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    struct address a = pair_address(s, ins);
    const uint16_t *ops = loads[space_of(s, ins->args[0])];
    wc_put(s, ops[IR_MEM_I64], wc_define(s, r), a.base, 0, a.offset)->effect = true;
    wc_put(s, ops[IR_MEM_I32], wc_define_high(s, r), a.base, 0, a.offset + 4);
}

static void store_pair(struct wc_selector *s, const struct ir_ins *ins)
{
    uint32_t low = wc_half(s, ins->args[1], false), high = wc_half(s, ins->args[1], true);
    struct address a = pair_address(s, ins);
    const uint16_t *ops = stores[space_of(s, ins->args[0])];
    wc_put(s, ops[IR_MEM_I64], low, a.base, 0, a.offset)->effect = true;
    wc_put(s, ops[IR_MEM_I32], high, a.base, 0, a.offset + 4)->effect = true;
}

void wc_select_load(struct wc_selector *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    if (ins->mem == IR_MEM_I64) {
        load_pair(s, r);
        return;
    }
    struct address a = address_of(s, ins);
    unsigned op = loads[space_of(s, ins->args[0])][ins->mem];
    if (ins->mem != IR_MEM_B8) {
        wc_put(s, op, wc_define(s, r), a.base, 0, a.offset)->effect = true;
        return;
    }
    uint32_t byte = wc_make(s, op, a.base, 0, a.offset);
    vec_last(s->codes).effect = true;
    wc_put(s, WC_ne_I_imm, wc_define(s, r), byte, 0, 0);
}

void wc_select_store(struct wc_selector *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    if (ins->mem == IR_MEM_I64) {
        store_pair(s, ins);
        return;
    }
    uint32_t v = wc_value(s, ins->args[1]);
    if (ins->mem == IR_MEM_B8)
        v = wc_truth_word(s, v);
    struct address a = address_of(s, ins);
    wc_put(s, stores[space_of(s, ins->args[0])][ins->mem], v, a.base, 0, a.offset)->effect = true;
}

#define ATOMICS(space)                                                                                       \
    {WC_at_##space##_add_I, WC_at_##space##_sub_I, WC_at_##space##_smin_I, WC_at_##space##_smax_I,           \
     WC_at_##space##_umin_I, WC_at_##space##_umax_I, WC_at_##space##_and_I, WC_at_##space##_or_I,            \
     WC_at_##space##_xor_I, WC_at_##space##_xchg_I, WC_at_##space##_cas_I},
#define FLOAT_ATOMICS(space)                                                                                 \
    {WC_at_##space##_add_F, WC_at_##space##_sub_F, 0, 0,                                                     \
     WC_at_##space##_min_F, WC_at_##space##_max_F, 0, 0, 0, WC_at_##space##_xchg_F, WC_at_##space##_cas_F},
enum { ATOMIC_OPS = IR_atomic_cas - IR_atomic_add + 1 };
static const uint16_t atomics[][ATOMIC_OPS] = {ATOMICS(global) ATOMICS(shared)};
static const uint16_t float_atomics[][ATOMIC_OPS] = {FLOAT_ATOMICS(global) FLOAT_ATOMICS(shared)};
_Static_assert(IR_atomic_umin - IR_atomic_add == 4 && IR_atomic_xchg - IR_atomic_add == 9,
               "in the IR's order");

void wc_select_atomic(struct wc_selector *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    struct address a = address_of(s, ins);
    if (a.offset)
        a.base = wc_make(s, WC_add_I_imm, a.base, 0, a.offset);
    uint32_t b = wc_value(s, ins->args[1]), c = ins->argc > 2 ? wc_value(s, ins->args[2]) : 0;
    unsigned space = space_of(s, ins->args[0]), n = ins->op - IR_atomic_add;
    unsigned op = ins->mem == IR_MEM_F32 ? float_atomics[space][n] : atomics[space][n];
    INVARIANT(space != WC_SPACE_private && op);
    struct wc_mins *code = wc_put(s, op, wc_define(s, r), a.base, b, 0);
    code->c = c;
    code->effect = true;
}
