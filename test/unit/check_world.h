/* check_world.h: a checker of memory that tests tell of accesses, as the interpreter does. */
#ifndef KERNC_TEST_CHECK_WORLD_H
#define KERNC_TEST_CHECK_WORLD_H

#include "runtime/check/shadow.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { WARPS = 3, GLOBAL = 2200, SHARED = 1800, REGISTERS = 4 };

/* Each text is of a kind, a size, and global or shared memory, the last the fastest; then syncwarp, fence. */
static const char *const kinds[] = {"r", "w", "a"};
static const uint32_t sizes[] = {4, 4, 4, 8, 8, 1, 2};
enum { TEXTS = COUNT(kinds) * COUNT(sizes) * 2, TEXT_GROUP = TEXTS, TEXT_FENCE };

/* A checker with what it looks at. */
struct world {
    struct kernc_context context;
    struct rt_region region;
    struct bc_program program;
    struct rt_launch launch;
    struct rt_worker worker;
    struct rt_warp *warp;
    _Alignas(64) uint32_t registers[REGISTERS * RT_MAX_LANES];
    _Alignas(16) uint8_t shared[SHARED];
};

struct access {
    uint32_t text, warp, site, bytes, addresses[RT_MAX_LANES];
    char kind;
    bool shared;
    uint64_t lanes, values[RT_MAX_LANES];
};

static inline uint32_t text_of(const struct access *a, uint32_t kind, uint32_t size)
{
    return (size * (uint32_t)COUNT(kinds) + kind) * 2 + a->shared;
}

static inline void make_texts(struct bc_program *p, uint32_t sites)
{
    p->file = "rows.kern";
    for (uint32_t i = 0; i < TEXTS; i++) {
        bool shared = i & 1;
        char *text = arena_printf(&p->arena, "7 %s %s %u %u %s", kinds[i / 2 % COUNT(kinds)],
                                  shared ? "h" : "g", sizes[i / 2 / COUNT(kinds)],
                                  shared ? SHARED - BC_FIRST_ADDRESS : 0, shared ? "part" : "");
        vec_push(&p->arena, &p->texts, ((struct bc_text){text, (uint32_t)strlen(text)}));
    }
    vec_push(&p->arena, &p->texts, ((struct bc_text){"g", 1}));
    vec_push(&p->arena, &p->texts, ((struct bc_text){"f", 1}));
    for (uint32_t i = 0; i < sites; i++)
        vec_push(&p->arena, &p->sites, ((struct bc_site){.line = i + 1, .column = 1}));
}

/* The program has these instructions as far as the checker looks. */
static inline void make_world(struct world *x, uint32_t width, uint32_t blocks, uint32_t sites,
                              const struct bc_ins *code, uint32_t count)
{
    struct rt_warp *w = aligned_alloc(_Alignof(struct rt_warp), sizeof *w);
    memset(x, 0, sizeof *x);
    memset(w, 0, sizeof *w);
    make_texts(&x->program, sites);
    for (uint32_t i = 0; i < count; i++)
        vec_push(&x->program.arena, &x->program.code, code[i]);
    assert_true(rt_memory_open(&x->context.memory, 1 << 20));
    assert_int_equal(rt_region_open(&x->context.memory, &x->region, GLOBAL), RT_MEMORY_OK);
    x->launch = (struct rt_launch){
        .context = &x->context,
        .program = &x->program,
        .given = {.warp = width, .grid = {blocks, 1, 1}, .block = {WARPS * width, 1, 1}},
        .sizes = {.warps = WARPS, .threads = WARPS * width, .blocks = blocks, .shared = {.bytes = SHARED}}};
    x->launch.check = rt_check_new(&x->launch);
    x->worker.launch = &x->launch;
    x->warp = w;
    w->worker = &x->worker;
    w->width = width;
    w->lanes = RT_MAX_LANES;
    w->V = (uint8_t *)x->registers;
    w->spaces.global = x->context.memory.base;
    w->spaces.limits = x->context.memory.limits;
    w->spaces.store_limits = x->context.memory.store_limits;
    w->spaces.shared = x->shared;
    w->spaces.shared_bytes = SHARED;
}

static inline void free_world(struct world *x)
{
    rt_check_end(x->launch.check);
    rt_check_free(x->launch.check);
    kernc_alarms_forget(&x->context);
    rt_region_close(&x->context.memory, &x->region);
    rt_memory_close(&x->context.memory);
    arena_free(&x->context.arena);
    arena_free(&x->program.arena);
    arena_free(&x->launch.arena);
    free(x->warp);
}

/* ---- what happens ------------------------------------------------------------------------------------ */

/* As the core does, lane by lane. */
static inline struct rt_row row_of(const struct access *a, const uint32_t *roots)
{
    uint32_t low = rt_lowest(a->lanes), step = 0;
    uint64_t rest = a->lanes & (a->lanes - 1);
    bool regular = true;
    if (rest)
        step = (a->addresses[rt_lowest(rest)] - a->addresses[low]) / (rt_lowest(rest) - low);
    rt_each_lane(i, a->lanes)
        regular &=
            a->addresses[i] - a->addresses[low] == ((uint32_t)i - low) * step && roots[i] == roots[low];
    return (struct rt_row){a->addresses[low], step, regular};
}

/* What is accessed by lanes that may. */
static inline void execute(struct rt_warp *w, const struct access *a)
{
    rt_each_lane(i, a->lanes) {
        uint8_t *at = rt_locate(w, a->shared ? RT_SHARED : RT_GLOBAL, a->kind != 'r', (unsigned)i,
                                a->addresses[i], a->bytes, 1);
        if (at && a->kind == 'a')
            ++*at;
        else if (at && a->kind == 'w')
            memcpy(at, &a->values[i], a->bytes);
    }
}

static inline void tell(struct world *x, const struct access *a)
{
    struct rt_warp *w = x->warp;
    uint32_t *roots = rt_v(w, 1);
    struct bc_ins ins = {.op = BC_check_memory, .a = 0, .b = 1, .c = 2, .imm = a->text, .e = a->site};
    w->index = a->warp;
    w->active = a->lanes;
    memcpy(rt_v(w, 0), a->addresses, sizeof a->addresses);
    for (uint32_t i = 0; i < RT_MAX_LANES; i++)
        roots[i] = a->shared ? BC_FIRST_ADDRESS : x->region.address;
    memcpy(rt_w(w, 2), a->values, sizeof a->values);
    rt_check_memory(w, &ins, row_of(a, roots));
    execute(w, a);
}

static inline void tell_sync(struct world *x, uint32_t text, uint32_t warp, uint64_t lanes)
{
    struct bc_ins ins = {.op = BC_check_sync, .imm = text};
    x->warp->index = warp;
    x->warp->active = lanes;
    rt_check_sync(x->warp, &ins);
}

static inline void tell_block(struct world *x, uint64_t block)
{
    x->worker.block = block;
    memset(x->shared, 0, sizeof x->shared);
    rt_check_block(&x->worker);
}

#endif
