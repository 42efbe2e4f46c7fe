/* select.c: IR → machine code on virtual registers: constants, lists, branches; blocks in reverse post-order.
 *
 * A number that is no instruction's own (select_pure.c) takes a register: in a loop one that the prologue
 * sets, elsewhere one of the block. What nobody reads in the end (an address that went into its load) is
 * dropped later.
 */
#include "backend/warpcore/select.h"

static const char *const pseudo_letters[] = {
#define WC_PSEUDO(name, operands, meaning) operands,
#include "backend/warpcore/pseudo.def"
};

const char *wc_letters(unsigned op)
{
    return op < WC_OPS ? wc_op_info[op].operands : pseudo_letters[op - WC_OPS];
}

/* ---- registers and code ------------------------------------------------------------------------------ */

uint32_t wc_vreg_new(struct wc_context *c, struct wc_mfunction *f, enum wc_class kind)
{
    vec_push(&c->arena, &f->vregs,
             ((struct wc_vreg){.kind = (uint8_t)kind, .colour = WC_NO_COLOUR, .preferred = WC_NO_COLOUR}));
    return f->vregs.count - 1;
}

struct wc_mins *wc_put(struct wc_selector *s, unsigned op, uint32_t d, uint32_t a, uint32_t b, int32_t imm)
{
    vec_push(&s->c->arena, s->codes,
             ((struct wc_mins){.op = (uint16_t)op, .d = d, .a = a, .b = b, .imm = imm, .at = s->at}));
    return &vec_last(s->codes);
}

uint32_t wc_make(struct wc_selector *s, unsigned op, uint32_t a, uint32_t b, int32_t imm)
{
    uint32_t d = wc_vreg_new(s->c, s->f, wc_letters(op)[0] == 'P' ? WC_CLASS_P : WC_CLASS_R);
    wc_put(s, op, d, a, b, imm);
    return d;
}

uint32_t wc_define(struct wc_selector *s, ir_ref r)
{
    return s->f->lo[r] = wc_vreg_new(s->c, s->f, wc_class_of((enum ir_type)ir_at(s->ir, r)->type));
}

uint32_t wc_define_high(struct wc_selector *s, ir_ref r)
{
    return s->f->hi[r] = wc_vreg_new(s->c, s->f, WC_CLASS_R);
}

/* ---- values that may be made anywhere ---------------------------------------------------------------- */

static uint64_t key_of(unsigned op, int32_t imm)
{
    return (uint64_t)op << 32 | (uint32_t)imm;
}

uint32_t wc_repeatable(struct wc_selector *s, unsigned op, int32_t imm)
{
    bool in_loop = s->weight > 1;
    struct map *known = in_loop ? &s->shared : &s->local;
    uint32_t v = map_get(known, key_of(op, imm));
    if (v == MAP_NONE && !in_loop)
        v = map_get(&s->shared, key_of(op, imm));
    if (v != MAP_NONE)
        return v;
    wc_mins_vec *here = s->codes;
    if (in_loop)
        s->codes = &s->f->blocks.at[0].codes;
    v = wc_make(s, op, 0, 0, imm);
    s->codes = here;
    *wc_vreg(s->f, v) = (struct wc_vreg){.kind = wc_vreg(s->f, v)->kind,
                                         .colour = WC_NO_COLOUR,
                                         .preferred = WC_NO_COLOUR,
                                         .repeatable = true,
                                         .op = (uint16_t)op,
                                         .imm = imm};
    map_set(&s->c->arena, known, key_of(op, imm), v);
    return v;
}

/* One that is made where a list is moved to its places. */
static uint32_t listed(struct wc_selector *s, unsigned op, int32_t imm)
{
    uint32_t v = map_get(&s->listed, key_of(op, imm));
    if (v != MAP_NONE)
        return v;
    v = wc_vreg_new(s->c, s->f, op == WC_false_p ? WC_CLASS_P : WC_CLASS_R);
    struct wc_vreg *reg = wc_vreg(s->f, v);
    reg->repeatable = true;
    reg->home = WC_HOME_REMATERIALISED;
    reg->op = (uint16_t)op;
    reg->imm = imm;
    map_set(&s->c->arena, &s->listed, key_of(op, imm), v);
    return v;
}

uint32_t wc_number(struct wc_selector *s, uint32_t v)
{
    return v ? wc_repeatable(s, WC_constant, (int32_t)v) : WC_V_ZERO;
}

uint32_t wc_truth_word(struct wc_selector *s, uint32_t predicate)
{
    return predicate == WC_V_TRUE ? wc_number(s, 1) : wc_make(s, WC_zext_BI, predicate, 0, 0);
}

bool wc_known(const struct wc_selector *s, ir_ref r, uint32_t *v)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    switch (ins->op) {
    case IR_constant: *v = (uint32_t)ins->imm; return ins->type != IR_TYPE_I1;
    case IR_function: *v = (uint32_t)ins->imm + 1; return true;
    case IR_alloca: *v = s->f->alloca_address[r]; return true;
    case IR_object:
        *v = s->c->objects.address[ins->imm];
        return ins->type == IR_TYPE_SHARED && !s->c->m->objects.at[ins->imm].unit;
    default: return false;
    }
}

/* ---- values ------------------------------------------------------------------------------------------ */

uint32_t wc_value(struct wc_selector *s, ir_ref r)
{
    uint32_t v;
    scalar_bits bits;
    if (wc_known(s, r, &v))
        return wc_number(s, v);
    if (ir_is_const(s->ir, r, &bits))
        return bits ? (uint32_t)WC_V_TRUE : wc_repeatable(s, WC_false_p, 0);
    if (ir_at(s->ir, r)->op == IR_object)
        return wc_object_address(s, r);
    if (ir_at(s->ir, r)->op == IR_special)
        return wc_repeatable(s, WC_csrr, (int32_t)ir_at(s->ir, r)->imm);
    INVARIANT(s->f->lo[r]);
    return s->f->lo[r];
}

/* Half of a | b: most often one of them is zero. */
static uint32_t united(struct wc_selector *s, uint32_t a, uint32_t b)
{
    if (a == WC_V_ZERO || b == WC_V_ZERO)
        return a == WC_V_ZERO ? b : a;
    return wc_make(s, WC_or_I, a, b, 0);
}

static bool shifts_by_word(const struct wc_selector *s, const struct ir_ins *ins)
{
    scalar_bits n;
    return ir_is_const(s->ir, ins->args[1], &n) && (n & 63) == 32;
}

uint32_t wc_half(struct wc_selector *s, ir_ref r, bool high)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    scalar_bits v;
    if (ir_is_const(s->ir, r, &v))
        return wc_number(s, (uint32_t)(high ? v >> 32 : v));
    switch (ins->op) {
    case IR_or: return united(s, wc_half(s, ins->args[0], high), wc_half(s, ins->args[1], high));
    case IR_shl:
    case IR_lshr:
        INVARIANT(shifts_by_word(s, ins));
        return high == (ins->op == IR_shl) ? wc_half(s, ins->args[0], !high) : (uint32_t)WC_V_ZERO;
    case IR_zext:
        if (high)
            return WC_V_ZERO;
        v = wc_value(s, ins->args[0]);
        return ir_at(s->ir, ins->args[0])->type == IR_TYPE_I1 ? wc_truth_word(s, (uint32_t)v) : (uint32_t)v;
    default: break;
    }
    const uint32_t *half = high ? s->f->hi : s->f->lo;
    if (!half[r])
        BUG("an i64 of %s is left", ir_op_info[ins->op].text);
    return half[r];
}

/* ---- lists ------------------------------------------------------------------------------------------- */

uint32_t wc_list_begin(const struct wc_selector *s)
{
    return s->f->lists.count;
}

static void list_number(struct wc_selector *s, uint32_t v)
{
    vec_push(&s->c->arena, &s->f->lists, v ? listed(s, WC_constant, (int32_t)v) : (uint32_t)WC_V_ZERO);
}

void wc_list_value(struct wc_selector *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    uint32_t v;
    scalar_bits bits;
    if (ins->type == IR_TYPE_I64) {
        bool constant = ir_is_const(s->ir, r, &bits);
        for (unsigned high = 0; high < 2; high++)
            if (constant)
                list_number(s, (uint32_t)(bits >> 32 * high));
            else
                vec_push(&s->c->arena, &s->f->lists, wc_half(s, r, high));
    } else if (wc_known(s, r, &v)) {
        list_number(s, v);
    } else if (ir_is_const(s->ir, r, &bits)) {
        vec_push(&s->c->arena, &s->f->lists, bits ? (uint32_t)WC_V_TRUE : listed(s, WC_false_p, 0));
    } else {
        uint32_t value = wc_value(s, r); /* may grow the lists: not within vec_push */
        vec_push(&s->c->arena, &s->f->lists, value);
    }
}

void wc_list_end(struct wc_selector *s, struct wc_mins *i, uint32_t first)
{
    i->first = first;
    i->count = s->f->lists.count - first;
}

/* ---- the rest ---------------------------------------------------------------------------------------- */

static void select_clock(struct wc_selector *s, ir_ref r)
{
    wc_put(s, WC_csrr, wc_define(s, r), 0, 0, WC_CSR_CYCLE)->effect = true;
    wc_put(s, WC_csrr, wc_define_high(s, r), 0, 0, WC_CSR_CYCLEH)->effect = true;
}

static void select_text(struct wc_selector *s, ir_ref r, unsigned op)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    uint32_t row = wc_text_row(s->c, (uint32_t)ins->imm, 0, NULL),
             a = ins->argc ? wc_value(s, ins->args[0]) : 0;
    wc_put(s, op, 0, a, 0, (int32_t)row)->effect = true;
}

static void select_jump(struct wc_selector *s, uint32_t b)
{
    const struct ir_edge *e = &ir_block_at(s->ir, b)->edges.at[0];
    uint32_t first = wc_list_begin(s);
    for (uint32_t i = 0; i < e->argc; i++)
        wc_list_value(s, e->args[i]);
    struct wc_mins *i = wc_put(s, WC_jump, 0, 0, 0, 0);
    i->effect = true;
    wc_list_end(s, i, first);
}

static void select_branch(struct wc_selector *s, ir_ref r)
{
    uint32_t a = wc_value(s, ir_at(s->ir, r)->args[0]);
    wc_put(s, WC_branch, 0, a, 0, 0)->effect = true;
}

static void select_instruction(struct wc_selector *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    s->at = ins->at;
    if (ir_is_pure(ins->op)) {
        wc_select_pure(s, r);
        return;
    }
    switch (ins->op) {
    case IR_alloca:
    case IR_object:
    case IR_function:
    case IR_special:
    case IR_fence:
    case IR_predict:
    case IR_predict_point:
    case IR_predict_function: break;
    case IR_ptradd: wc_select_ptradd(s, r); break;
    case IR_ptrcast: s->f->lo[r] = wc_value(s, ins->args[0]); break;
    case IR_load: wc_select_load(s, r); break;
    case IR_store: wc_select_store(s, r); break;
    case IR_clock: select_clock(s, r); break;
    case IR_call: wc_select_call(s, r); break;
    case IR_printf: wc_select_printf(s, r); break;
    case IR_assert: select_text(s, r, WC_assert); break;
    case IR_trap: select_text(s, r, WC_trap); break;
    case IR_br: select_jump(s, ins->block); break;
    case IR_brif: select_branch(s, r); break;
    case IR_ret: wc_select_return(s, r); break;
    default:
        if (ir_is_atomic((enum ir_op)ins->op))
            wc_select_atomic(s, r);
        else if (!wc_select_group(s, r))
            BUG("nothing selects %s", ir_op_info[ins->op].text);
    }
}

/* ---- blocks ------------------------------------------------------------------------------------------ */

static uint32_t weight_of(const struct ir_cycles *cycles, uint32_t b)
{
    uint32_t k = cycles->innermost[b], depth = k == IR_NO_CYCLE ? 0 : cycles->at[k].depth;
    return 1u << 3 * (depth > 8 ? 8 : depth);
}

static void make_blocks(struct wc_selector *s)
{
    struct wc_mfunction *f = s->f;
    f->block_of = arena_array(&s->c->arena, uint32_t, f->ir->blocks.count);
    vec_push(&s->c->arena, &f->blocks,
             ((struct wc_block){.ir = IR_NO_BLOCK, .successors = {1}, .successor_count = 1, .weight = 1}));
    for (uint32_t i = 0; i < f->cfg->rpo_count; i++) {
        f->block_of[f->cfg->rpo[i]] = i + 1;
        vec_push(&s->c->arena, &f->blocks,
                 ((struct wc_block){.ir = f->cfg->rpo[i], .weight = weight_of(f->cycles, f->cfg->rpo[i])}));
    }
}

/* Parameters of all blocks but the entry's, which the prologue sets; jumps to them are moves. */
static void make_params(struct wc_selector *s, struct wc_block *block)
{
    const struct ir_block *b = ir_block_at(s->ir, block->ir);
    for (uint32_t i = 0; i < b->edges.count; i++)
        block->successors[block->successor_count++] = s->f->block_of[b->edges.at[i].block];
    block->jumps_to = block->successors[0];
    if (block->ir == ir_entry(s->ir) && s->f->kernel)
        return;
    for (uint32_t i = 0; i < b->params.count; i++) {
        ir_ref r = b->params.at[i];
        vec_push(&s->c->arena, &block->params, wc_define(s, r));
        if (ir_at(s->ir, r)->type == IR_TYPE_I64)
            vec_push(&s->c->arena, &block->params, wc_define_high(s, r));
    }
}

void wc_select(struct wc_context *c, struct wc_mfunction *f)
{
    struct wc_selector s = {.c = c, .f = f, .ir = f->ir, .weight = 1};
    static const uint8_t fixed[WC_V_FIRST] = {[WC_V_LINK] = WC_LINK, [WC_V_FRAME] = WC_FRAME};
    f->lo = arena_array(&c->arena, uint32_t, f->ir->ins.count);
    f->hi = arena_array(&c->arena, uint32_t, f->ir->ins.count);
    for (uint32_t v = 0; v < WC_V_FIRST; v++)
        wc_vreg(f, wc_vreg_new(c, f, v == WC_V_TRUE ? WC_CLASS_P : WC_CLASS_R))->colour = fixed[v];
    make_blocks(&s);
    for (uint32_t i = 1; i < f->blocks.count; i++)
        make_params(&s, &f->blocks.at[i]);
    s.codes = &f->blocks.at[0].codes;
    wc_select_params(&s);
    for (uint32_t i = 1; i < f->blocks.count; i++) {
        s.codes = &f->blocks.at[i].codes;
        s.weight = f->blocks.at[i].weight;
        memset(&s.local, 0, sizeof s.local);
        ir_each_ins(r, s.ir, f->blocks.at[i].ir)
            select_instruction(&s, r);
    }
}
