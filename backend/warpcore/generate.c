/* generate.c: wc_generate: the image of a lowered module. */
#include "backend/bytecode/emit.h"
#include "backend/format/warpcore/flow_frontier.h"
#include "backend/format/warpcore/image_flow.h"
#include "backend/warpcore/codegen.h"

void wc_fail(struct wc_context *c, const char *id, place at, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    diag_addv(c->d, DIAG_ERROR, id, (span){at, {0, 0}}, fmt, args);
    va_end(args);
}

/* The program has so many words too many, or (UINT32_MAX) too much of what else an image has room for. */
static void too_large(struct wc_context *c, place at, uint32_t excess, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const char *text = arena_vprintf(c->d->arena, fmt, args);
    va_end(args);
    wc_fail(c, "code-size", at, "%s", text);
    if (c->o->figures) {
        c->o->figures->excess = excess;
        c->o->figures->too_large = text;
    }
}

static const char *copy(struct wc_context *c, const char *s)
{
    return s ? arena_strdup(&c->image->arena, s, strlen(s)) : NULL;
}

static uint32_t max32(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* ---- objects ----------------------------------------------------------------------------------------- */

/* ---- texts ------------------------------------------------------------------------------------------- */

static bool is_row(const struct wc_text *t, const struct ir_string *s, uint32_t n, const uint8_t *types)
{
    return t->length == s->length && t->operands.count == n && memcmp(t->bytes, s->text, s->length) == 0 &&
           (n == 0 || memcmp(t->operands.at, types, n) == 0);
}

uint32_t wc_text_row(struct wc_context *c, uint32_t text, uint32_t n, const uint8_t *types)
{
    const struct ir_string *s = &c->m->texts.at[text];
    uint64_t key = hash_mix(hash_bytes(s->text, s->length), n ? hash_bytes(types, n) : 0);
    uint32_t row;
    for (; (row = map_get(&c->texts, key)) != MAP_NONE; key++)
        if (is_row(&c->image->texts.at[row], s, n, types))
            return row;
    if (c->image->texts.count == WC_MAX_TEXTS) {
        c->too_many_texts = true;
        return 0;
    }
    struct wc_text t = {.bytes = arena_strdup(&c->image->arena, s->text, s->length), .length = s->length};
    for (uint32_t i = 0; i < n; i++)
        vec_push(&c->image->arena, &t.operands, types[i]);
    map_set(&c->arena, &c->texts, key, c->image->texts.count);
    vec_push(&c->image->arena, &c->image->texts, t);
    return c->image->texts.count - 1;
}

/* ---- what kernels need ------------------------------------------------------------------------------- */

/* Callees first: what each function needs includes what its callees need. */
static void sum_up_callees(struct wc_context *c)
{
    for (uint32_t i = 0; i < c->order.count; i++) {
        struct wc_frame *frame = &c->frames[c->order.at[i]];
        frame->slots_reached = frame->slots ? frame->base + frame->slots : 0;
        frame->private_end = be_frame_end(frame->private_base, frame->private_size);
        rows_each(k, c->call_graph.callees, c->order.at[i]) {
            const struct wc_frame *callee = &c->frames[c->call_graph.callees.at[k]];
            frame->slots_reached = max32(frame->slots_reached, callee->slots_reached);
            frame->private_end = max32(frame->private_end, callee->private_end);
            frame->has_barrier |= callee->has_barrier;
        }
    }
}

static void sum_up_words(struct wc_context *c)
{
    for (uint32_t i = 0; i < c->order.count; i++) {
        struct wc_frame *frame = &c->frames[c->order.at[i]];
        rows_each(k, c->call_graph.callees, c->order.at[i]) {
            const struct wc_frame *callee = &c->frames[c->call_graph.callees.at[k]];
            frame->registers = max32(frame->registers, callee->registers);
            frame->predicates = max32(frame->predicates, callee->predicates);
        }
    }
}

static void add_kernel(struct wc_context *c, const struct ir_kernel_info *info)
{
    const struct ir_function *f = c->m->functions.at[info->function];
    const struct wc_frame *frame = &c->frames[f->id];
    uint32_t private_bytes = frame->private_end + ((4 * frame->slots_reached + 15) & ~15u);
    struct wc_kernel k = {.name = copy(c, f->name),
                          .entry = frame->entry,
                          .registers = frame->registers,
                          .predicates = frame->predicates,
                          .line = f->at.line,
                          .has_barrier = frame->has_barrier,
                          .private_bytes = private_bytes == WC_FIRST_ADDRESS ? 0 : private_bytes,
                          .unsized = be_unsized_of(&c->image->arena, c->m, info)};
    for (uint32_t i = 0; i < info->params.count; i++) {
        const struct ir_param_info *x = &info->params.at[i];
        enum ir_type type = (enum ir_type)x->type;
        struct be_param p = {copy(c, x->name),  copy(c, x->text), (uint8_t)be_value_type(type),
                             x->element,        x->element_bytes, ir_is_pointer(type),
                             copy(c, x->layout)};
        vec_push(&c->image->arena, &k.params, p);
    }
    vec_push(&c->image->arena, &c->image->kernels, k);
}

/* From the words, as the verifier will; false: there is more to be found than it looks for. */
static bool find_stacks(struct wc_context *c)
{
    struct wc_image *m = c->image;
    struct wc_ins *ins = arena_array(&c->arena, struct wc_ins, m->code.count);
    for (uint32_t i = 0; i < m->code.count; i++)
        INVARIANT(wc_decode(m->code.at[i], &ins[i]));
    struct wc_image_flow *flow = wc_image_flow_new(&c->arena, m, ins);
    INVARIANT(flow != NULL);
    if (m->mode == WC_MODE_FRONTIER && !wc_frontier_new(&c->arena, &flow->flow, WC_MAX_STACK_STEPS)) {
        too_large(c, (place){0, 0}, UINT32_MAX,
                  "control flow too large for mode frontier: where lanes wait takes over %u steps to find",
                  WC_MAX_STACK_STEPS);
        return false;
    }
    const uint8_t *need = wc_image_stack(flow);
    for (uint32_t i = 0; i < m->kernels.count; i++)
        m->kernels.at[i].stack = need[flow->function_at[m->kernels.at[i].entry] - 1];
    return true;
}

/* ---- the module -------------------------------------------------------------------------------------- */

static bool is_within(struct wc_context *c, const struct wc_mfunction *f, uint32_t words)
{
    if (words > WC_MAX_WORDS)
        too_large(c, f->ir->at, words - WC_MAX_WORDS,
                  "'%s' alone needs %u words of code or more; the core has %u (%u too many)", f->ir->name,
                  words, WC_MAX_WORDS, words - WC_MAX_WORDS);
    return words <= WC_MAX_WORDS;
}

/* Before it is found where lanes reconverge, and words are selected: branches and what writes memory alone. */
static bool may_fit(struct wc_context *c, const struct wc_mfunction *f)
{
    uint32_t words = 0;
    ir_each_block(i, b, f->ir)
        ir_each_ins(r, f->ir, b) {
            enum ir_op op = (enum ir_op)ir_at(f->ir, r)->op;
            words += bitset_has(f->cfg->reachable, b) && (op == IR_brif || ir_op_info[op].flags & IR_WRITES);
        }
    return is_within(c, f, words);
}

/* Before registers are looked for, which would take long in a function, or a program, that is much too large.
 * Lists and jumps may need no word; all else does. */
static bool small_enough(struct wc_context *c, const struct wc_mfunction *f)
{
    uint32_t words = 0;
    for (uint32_t b = 0; b < f->blocks.count; b++)
        for (uint32_t k = 0; k < f->blocks.at[b].codes.count; k++)
            words += !wc_list_reads(f->blocks.at[b].codes.at[k].op) &&
                     !wc_list_writes(f->blocks.at[b].codes.at[k].op);
    if (!is_within(c, f, words))
        return false;
    c->selected += words;
    if (c->selected > WC_MAX_WORDS) {
        too_large(c, (place){0, 0}, c->selected - WC_MAX_WORDS,
                  "the program needs %u words of code or more; the core has %u (%u too many)", c->selected,
                  WC_MAX_WORDS, c->selected - WC_MAX_WORDS);
        return false;
    }
    if (f->vregs.count > WC_MAX_VALUES || f->blocks.count > WC_MAX_VALUES) {
        wc_fail(c, "registers", f->ir->at,
                "'%s' has more than %u values or blocks: too many to find registers for", f->ir->name,
                WC_MAX_VALUES);
        return false;
    }
    return true;
}

static void show(const struct wc_context *c, const struct wc_mfunction *f, enum wc_step step, bool after)
{
    bool still_ir = step == WC_STEP_select && !after;
    if (c->o->watch)
        c->o->watch(c->o->watch_data, &(struct wc_stage){step, after, f->ir, c, still_ir ? NULL : f});
}

static void run_step(struct wc_context *c, struct wc_mfunction *f, enum wc_step step,
                     void (*run)(struct wc_context *, struct wc_mfunction *))
{
    show(c, f, step, false);
    run(c, f);
    show(c, f, step, true);
}

static bool find_registers(struct wc_context *c, struct wc_mfunction *f)
{
    show(c, f, WC_STEP_regalloc, false);
    bool good = wc_regalloc(c, f);
    if (good)
        show(c, f, WC_STEP_regalloc, true);
    return good;
}

static void lay_out_blocks(struct wc_context *c, struct wc_mfunction *f)
{
    if (c->o->mode != WC_MODE_FRONTIER)
        wc_polarity(c, f);
    wc_layout(c, f);
}

static bool prepare_function(struct wc_context *c, struct wc_mfunction *f)
{
    wc_prepare(c, f);
    if (!may_fit(c, f))
        return false;
    f->reconvergence = wc_reconvergence_new(&c->arena, f->cfg, f->cycles, c->o->mode, c->d);
    if (!f->reconvergence)
        return false;
    run_step(c, f, WC_STEP_select, wc_select);
    run_step(c, f, WC_STEP_drop_dead, wc_drop_dead);
    bool good = small_enough(c, f) && find_registers(c, f);
    if (c->o->figures) {
        c->o->figures->spilled += f->spilled;
        c->o->figures->rematerialised += f->rematerialised;
    }
    return good;
}

static void join_calls(struct wc_context *c)
{
    for (uint32_t i = 0; i < c->calls.count; i++) {
        struct wc_call call = c->calls.at[i];
        struct wc_ins ins = {.op = WC_call, .d = WC_LINK, .imm = (int32_t)c->frames[call.callee].entry};
        if (call.word < c->image->code.count && ins.imm < WC_MAX_WORDS)
            c->image->code.at[call.word] = wc_encode(ins);
    }
}

static bool emit_all(struct wc_context *c)
{
    place nowhere = {0, 0};
    for (uint32_t i = 0; i < c->order.count; i++) {
        bool up = c->o->mode == WC_MODE_FRONTIER; /* what lanes do in a callee comes first */
        struct wc_mfunction *f = c->functions[c->order.at[up ? i : c->order.count - 1 - i]];
        run_step(c, f, WC_STEP_layout, lay_out_blocks);
        vec_push(&c->image->arena, &c->image->symbols, ((struct wc_symbol){copy(c, f->ir->name), c->words}));
        wc_emit(c, f);
    }
    if (c->words > WC_MAX_WORDS)
        too_large(c, nowhere, c->words - WC_MAX_WORDS,
                  "the program needs %u words of code; the core has %u (%u too many)", c->words, WC_MAX_WORDS,
                  c->words - WC_MAX_WORDS);
    else if (c->too_many_texts)
        too_large(c, nowhere, UINT32_MAX, "the program has more than %u texts", WC_MAX_TEXTS);
    return c->words <= WC_MAX_WORDS && !c->too_many_texts;
}

static bool generate(struct wc_context *c)
{
    if (c->m->kernels.count == 0) {
        wc_fail(c, "no-kernel", (place){0, 0}, "there is " BE_NO_KERNEL);
        return false;
    }
    if (!wc_frames(c) || !be_lay_out_objects(&c->arena, c->m, &c->objects, c->d))
        return false;
    for (uint32_t i = 0; i < c->order.count; i++)
        if (!prepare_function(c, c->functions[c->order.at[i]]))
            return false;
    if (!wc_frame_places(c))
        return false;
    sum_up_callees(c);
    if (!emit_all(c))
        return false;
    join_calls(c);
    sum_up_words(c);
    for (uint32_t i = 0; i < c->m->kernels.count; i++)
        add_kernel(c, &c->m->kernels.at[i]);
    if (!find_stacks(c))
        return false;
    c->image->shared_bytes = c->objects.shared_bytes;
    c->image->data_bytes = c->objects.data_bytes;
    c->image->data = be_constant_data(&c->image->arena, c->m, &c->objects);
    for (uint32_t i = 0; i < c->m->launches.count; i++)
        vec_push(&c->image->arena, &c->image->launches, launch_copy(&c->image->arena, &c->m->launches.at[i]));
    return true;
}

struct wc_image *wc_generate(const struct ir_module *m, const struct wc_options *o, struct diagnostics *d)
{
    struct wc_context c = {.d = d, .o = o, .image = wc_image_new()};
    struct mem_guard guard;
    arena_init(&c.arena);
    if (mem_guard_enter(&guard)) {
        ir_module_free(c.m);
        arena_free(&c.arena);
        wc_image_free(c.image);
        mem_fail(0);
    }
    c.m = ir_module_copy(m);
    c.image->file = copy(&c, m->file ? m->file : "");
    c.image->mode = o->mode;
    bool good = generate(&c);
    mem_guard_leave(&guard);
    ir_module_free(c.m);
    arena_free(&c.arena);
    if (good)
        return c.image;
    wc_image_free(c.image);
    return NULL;
}
