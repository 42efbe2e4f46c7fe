/* runtime_program.h: assembles small programs by hand, for tests and benchmarks of the runtime.
 *
 *     struct maker m = make_program(8, 4, 8);            // vectors, masks, scalars of kernel "k"
 *     make_fill(&m, BC_FROM_PARAM, BC_KIND_S, 0, make_param(&m, "out", BE_PTR));
 *     make_block(&m, 0);
 *     make(&m, BC_exit, .d = 0);
 *     kernc_module *module = make_finish(&m, context);
 *
 * Blocks are code indices; branches to blocks not yet made are patched with make_target. Instruction counts
 * of the block table are filled in by make_finish: every word but block and branch words counts one.
 */
#ifndef KERNC_TEST_RUNTIME_PROGRAM_H
#define KERNC_TEST_RUNTIME_PROGRAM_H

#include "backend/format/bytecode/program.h"
#include "runtime/module.h"

struct maker {
    struct bc_program *p;
    struct bc_kernel *kernel;
};

#define make(m, op_, ...) make_word((m), (struct bc_ins){.op = (op_), __VA_ARGS__})

static inline uint32_t make_word(struct maker *m, struct bc_ins ins)
{
    vec_push(&m->p->arena, &m->p->code, ins);
    return m->p->code.count - 1;
}

static inline uint32_t make_block(struct maker *m, unsigned flags)
{
    struct bc_block row = {.code = m->p->code.count};
    vec_push(&m->p->arena, &m->p->blocks, row);
    return make_word(m, (struct bc_ins){.op = BC_block, .d = (uint16_t)flags, .imm = m->p->blocks.count - 1});
}

/* A row of the site table, in the latest block; its line is the row's number plus 10. */
static inline uint16_t make_site(struct maker *m, enum bc_site_kind kind)
{
    struct bc_site site = {
        .line = m->p->sites.count + 10, .column = 3, .kind = kind, .block = m->p->blocks.count - 1};
    vec_push(&m->p->arena, &m->p->sites, site);
    return (uint16_t)(m->p->sites.count - 1);
}

static inline uint32_t make_param(struct maker *m, const char *name, enum be_value type)
{
    struct be_param param = {.name = name,
                             .text = type == BE_PTR ? "global int *" : "number",
                             .type = (uint8_t)type,
                             .element = LAUNCH_INT,
                             .element_bytes = 4,
                             .pointer = type == BE_PTR};
    vec_push(&m->p->arena, &m->kernel->params, param);
    return m->kernel->params.count - 1;
}

static inline void make_fill(struct maker *m, enum bc_source source, enum bc_kind kind, unsigned reg,
                             uint64_t value)
{
    struct bc_preload preload = {(uint8_t)source, (uint8_t)kind, (uint16_t)reg, value};
    vec_push(&m->p->arena, &m->p->preloads, preload);
    m->kernel->preload_count++;
}

/* The branch word; targets that are not known yet are 0. Returns its index. */
static inline uint32_t make_branch(struct maker *m, uint32_t yes, uint32_t no, uint32_t reconverge)
{
    struct bc_branch word = {.op = BC_branch,
                             .site = make_site(m, BC_SITE_BRANCH),
                             .yes = yes,
                             .no = no,
                             .reconverge = reconverge};
    struct bc_ins ins;
    memcpy(&ins, &word, sizeof ins);
    return make_word(m, ins);
}
static inline struct bc_branch *branch_at(struct maker *m, uint32_t index)
{
    return (struct bc_branch *)(void *)&m->p->code.at[index];
}

static inline uint32_t make_text(struct maker *m, const char *bytes)
{
    struct bc_text text = {bytes, (uint32_t)strlen(bytes)};
    vec_push(&m->p->arena, &m->p->texts, text);
    return m->p->texts.count - 1;
}

/* A device function that begins at the next word; `end` is set by the next one or make_finish. */
static inline uint32_t make_function(struct maker *m, const char *name, uint32_t signature,
                                     uint32_t return_slot)
{
    struct bc_function f = {.name = name,
                            .code = m->p->code.count,
                            .entry = m->p->code.count,
                            .signature = signature,
                            .return_slot = return_slot};
    if (m->p->functions.count)
        vec_last(&m->p->functions).end = m->p->code.count;
    vec_push(&m->p->arena, &m->p->functions, f);
    return m->p->functions.count - 1;
}

static inline struct maker make_program(uint32_t vectors, uint32_t masks, uint32_t scalars)
{
    struct maker m = {.p = bc_program_new()};
    m.p->file = "test.kern";
    m.p->scheme = "pdom";
    uint32_t f = make_function(&m, "k", 0, 0);
    m.p->functions.at[f].kernel = true;
    m.p->functions.at[f].entry = BC_NO_TARGET;
    struct bc_kernel kernel = {
        .name = "k", .function = f, .vectors = vectors, .masks = masks, .scalars = scalars};
    vec_push(&m.p->arena, &m.p->kernels, kernel);
    m.kernel = &m.p->kernels.at[0];
    return m;
}

static inline void make_counts(struct bc_program *p)
{
    struct bc_block *row = NULL;
    const struct bc_ins *end = p->code.at + p->code.count, *wait = NULL;
    for (uint32_t i = 0; i < p->code.count; i++) {
        const struct bc_ins *ins = &p->code.at[i];
        if (ins->op == BC_block) {
            row = &p->blocks.at[ins->imm];
            wait = bc_first_wait(ins, end);
        } else if (ins != wait) {
            row->instructions += bc_parts(ins);
            row->cycles += 2;
        }
        row->instructions += ins + 1 < end && bc_falls_into_wait(ins, ins + 1, end);
        i += bc_has_branch_word((enum bc_op)p->code.at[i].op);
    }
    for (uint32_t i = 0; i < p->blocks.count; i++) {
        struct bc_block *b = &p->blocks.at[i];
        struct bc_line line = {.line = 100 + i, .instructions = b->instructions, .cycles = b->cycles};
        b->first_line = p->lines.count;
        b->line_count = 1;
        vec_push(&p->arena, &p->lines, line);
    }
}

/* NULL: kernc_error_text says why. */
static inline kernc_module *make_finish(struct maker *m, kernc_context *context)
{
    kernc_module *module = NULL;
    vec_last(&m->p->functions).end = m->p->code.count;
    make_counts(m->p);
    rt_module_adopt(context, m->p, &module);
    return module;
}

#endif
