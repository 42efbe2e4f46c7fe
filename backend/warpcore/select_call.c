/* select_call.c: parameters, calls, returns, printf: the operations whose operands have fixed places. */
#include "backend/warpcore/select.h"

/* ---- the convention ---------------------------------------------------------------------------------- */

/* In order into registers as long as there are some; then into slots. */
static uint32_t assign_places(const struct wc_mfunction *f, uint32_t n, const uint32_t *list,
                              struct wc_location *at)
{
    static const uint8_t most[] = {
        [WC_CLASS_R] = WC_ARGUMENT_REGISTERS, [WC_CLASS_P] = WC_ARGUMENT_PREDICATES};
    uint32_t used[WC_CLASSES] = {0}, slots = 0;
    for (uint32_t i = 0; i < n; i++) {
        unsigned kind = wc_vreg(f, list[i])->kind;
        if (used[kind] < most[kind])
            at[i] = (struct wc_location){kind == WC_CLASS_R ? WC_IN_REGISTER : WC_IN_PREDICATE,
                                         (uint8_t)++used[kind], 0};
        else
            at[i] = (struct wc_location){WC_IN_SLOT, 0, slots++};
    }
    return slots;
}

struct wc_location *wc_places(struct wc_context *c, const struct wc_mfunction *f, const struct wc_mins *i,
                              struct arena *scratch)
{
    struct wc_location *at = arena_array(scratch, struct wc_location, i->count + 1);
    bool link = i->op == WC_params && f->calls;
    assign_places(f, i->count - link, f->lists.at + i->first, at);
    if (link)
        at[i->count - 1] = (struct wc_location){WC_IN_REGISTER, WC_LINK, 0};
    return at;
}

void wc_call_clobbers(struct wc_context *c, const struct wc_mfunction *f, const struct wc_mins *i,
                      uint32_t masks[WC_CLASSES])
{
    static const uint8_t most[] = {
        [WC_CLASS_R] = WC_ARGUMENT_REGISTERS, [WC_CLASS_P] = WC_ARGUMENT_PREDICATES};
    const struct wc_frame *callee = i->op == WC_invoke ? &c->frames[i->imm] : NULL;
    uint32_t used[WC_CLASSES] = {0};
    for (uint32_t k = 0; k < i->count; k++)
        used[wc_vreg(f, wc_list_at(f, i, k))->kind]++;
    for (unsigned kind = 0; kind < WC_CLASSES; kind++) {
        uint32_t n = used[kind] < most[kind] ? used[kind] : most[kind];
        masks[kind] = ((1u << n) - 1) << 1;
    }
    masks[WC_CLASS_R] |= callee ? callee->clobbers : 0;
    masks[WC_CLASS_P] |= callee ? callee->clobbers_p : 0;
}

/* ---- parameters -------------------------------------------------------------------------------------- */

/* A word of the launch. One that it has no room for has been refused: any other does. */
uint32_t wc_argument_word(struct wc_selector *s, uint32_t word)
{
    return wc_repeatable(s, WC_ldarg, (int32_t)(word % WC_ARGUMENT_WORDS));
}

/* The kernel's arguments are words that ldarg reads. */
static void load_arguments(struct wc_selector *s)
{
    const u32_vec *params = &ir_block_at(s->ir, ir_entry(s->ir))->params;
    uint32_t word = 0;
    for (uint32_t i = 0; i < params->count; i++) {
        ir_ref r = params->at[i];
        enum ir_type t = (enum ir_type)ir_at(s->ir, r)->type;
        s->f->lo[r] = wc_argument_word(s, word++);
        if (t == IR_TYPE_I64)
            s->f->hi[r] = wc_argument_word(s, word++);
        if (t == IR_TYPE_I1)
            s->f->lo[r] = wc_make(s, WC_ne_I_imm, s->f->lo[r], 0, 0);
    }
    s->argument_words = word;
    const struct ir_kernel_info *k = ir_kernel_info(s->c->m, s->ir->id);
    word += k ? k->unsized.count : 0;
    if (word > WC_ARGUMENT_WORDS)
        wc_fail(s->c, "argument-words", s->ir->at,
                "the arguments of '%s' have %u words, %u more than a launch has: pass some in an array",
                s->ir->name, word, word - WC_ARGUMENT_WORDS);
}

/* The address to return to stays in r31 if nothing else comes there. */
void wc_select_params(struct wc_selector *s)
{
    struct wc_mfunction *f = s->f;
    if (f->kernel) {
        load_arguments(s);
        return;
    }
    struct wc_block *entry = &f->blocks.at[1];
    struct wc_location at[IR_MAX_ARGS];
    uint32_t first = wc_list_begin(s);
    for (uint32_t i = 0; i < entry->params.count; i++)
        vec_push(&s->c->arena, &f->lists, entry->params.at[i]);
    f->link = WC_V_LINK;
    if (f->calls) {
        f->link = wc_vreg_new(s->c, f, WC_CLASS_R);
        vec_push(&s->c->arena, &f->lists, f->link);
    }
    struct wc_mins *i = wc_put(s, WC_params, 0, 0, 0, 0);
    i->effect = true;
    wc_list_end(s, i, first);
    s->c->frames[f->id].incoming = assign_places(f, entry->params.count, entry->params.at, at);
    vec_clear(&entry->params); /* they are there when the block begins */
}

/* ---- calls ------------------------------------------------------------------------------------------- */

void wc_select_call(struct wc_selector *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    uint32_t first = wc_list_begin(s);
    for (uint32_t i = 0; i < ins->argc; i++)
        wc_list_value(s, ins->args[i]);
    struct wc_mins *call = wc_put(s, WC_invoke, 0, 0, 0, (int32_t)ins->imm);
    call->effect = true;
    wc_list_end(s, call, first);
    if (ins->type == IR_TYPE_VOID)
        return;
    first = wc_list_begin(s);
    vec_push(&s->c->arena, &s->f->lists, wc_define(s, r));
    if (ins->type == IR_TYPE_I64)
        vec_push(&s->c->arena, &s->f->lists, wc_define_high(s, r));
    struct wc_mins *results = wc_put(s, WC_results, 0, 0, 0, 0);
    results->effect = true;
    wc_list_end(s, results, first);
}

void wc_select_return(struct wc_selector *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    if (s->f->kernel) {
        wc_put(s, WC_exit, 0, 0, 0, 0)->effect = true;
        return;
    }
    uint32_t first = wc_list_begin(s);
    for (uint32_t i = 0; i < ins->argc; i++)
        wc_list_value(s, ins->args[i]);
    struct wc_mins *code = wc_put(s, WC_return, 0, s->f->link, 0, 0);
    code->effect = true;
    wc_list_end(s, code, first);
}

static enum be_value printed_type(enum ir_type t)
{
    switch (t) {
    case IR_TYPE_I1: return BE_I1;
    case IR_TYPE_I32: return BE_I32;
    case IR_TYPE_I64: return BE_I64;
    case IR_TYPE_F32: return BE_F32;
    default: return BE_PTR;
    }
}

void wc_select_printf(struct wc_selector *s, ir_ref r)
{
    const struct ir_ins *ins = ir_at(s->ir, r);
    uint8_t types[IR_MAX_ARGS];
    uint32_t first = wc_list_begin(s), n = ins->argc < COUNT(types) ? ins->argc : (uint32_t)COUNT(types);
    for (uint32_t i = 0; i < n; i++) {
        types[i] = (uint8_t)printed_type((enum ir_type)ir_at(s->ir, ins->args[i])->type);
        wc_list_value(s, ins->args[i]);
    }
    uint32_t row = wc_text_row(s->c, (uint32_t)ins->imm, n, types), words = s->f->lists.count - first;
    struct wc_frame *frame = &s->c->frames[s->f->id];
    frame->print_slots = words > frame->print_slots ? words : frame->print_slots;
    struct wc_mins *code = wc_put(s, WC_print, 0, 0, 0, (int32_t)row);
    code->effect = true;
    wc_list_end(s, code, first);
}
