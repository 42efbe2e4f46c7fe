/* random_ir.c: see random_ir.h. Every loop ends: a while loop counts to a small number, and goto blocks burn
 * fuel. Private memory is written before it is read; constant indices stay within their variable.
 */
#include "test/opt/random_maker.h"

/* ---- statements -------------------------------------------------------------------------------------- */

static void block(struct maker *k);

static uint32_t new_block(struct maker *k)
{
    return ir_block_new(k->f, NULL);
}

static void branch_to(struct maker *k, uint32_t b)
{
    ir_emit_br(&k->c, b);
}

static void at(struct maker *k, uint32_t b)
{
    k->c.block = b;
}

static void make_if(struct maker *k)
{
    uint32_t yes = new_block(k), no = new_block(k), join = new_block(k);
    ir_emit_brif(&k->c, random_condition(k, 1), yes, no);
    at(k, yes);
    block(k);
    branch_to(k, join);
    at(k, no);
    if (draw(k, 2))
        block(k);
    branch_to(k, join);
    at(k, join);
}

static void make_switch(struct maker *k)
{
    uint32_t out = new_block(k), cases[3] = {new_block(k), new_block(k), new_block(k)}, from = k->c.block;
    ir_ref value = ir_emit2(&k->c, IR_and, IR_TYPE_I32, random_expression(k, 1), ir_const_i32(k->f, 3));
    from = k->c.block;
    ir_emit_switch(&k->c, value, out);
    for (unsigned i = 0; i < 3; i++)
        ir_edge_add(k->f, from, cases[i], i + 1);
    for (unsigned i = 0; i < 3; i++) {
        at(k, cases[i]);
        block(k);
        branch_to(k, draw(k, 3) && i < 2 ? cases[i + 1] : out);
    }
    at(k, out);
}

static ir_ref heart(struct maker *k)
{
    ir_ref outer = k->token;
    if (k->controlled) {
        ir_ref r = ir_emit0(&k->c, IR_loop, IR_TYPE_TOKEN);
        ir_at(k->f, r)->token = outer;
        k->token = r;
    }
    return outer;
}

static ir_ref alloca_at_entry(struct maker *k, uint32_t bytes)
{
    struct ir_cursor c = {
        .fn = k->f, .block = ir_entry(k->f), .before = ir_block_at(k->f, ir_entry(k->f))->first};
    ir_ref r = ir_emit0(&c, IR_alloca, IR_TYPE_PRIVATE);
    ir_at(k->f, r)->imm = bytes;
    ir_at(k->f, r)->imm2 = 4;
    return r;
}

/* for (i = 0; i < n; i += step) with n small; or the same with the test at the end. */
static void make_loop(struct maker *k)
{
    ir_ref i = alloca_at_entry(k, 4), last = ir_const_i32(k->f, draw(k, 9));
    uint32_t head = new_block(k), body = new_block(k), next = new_block(k), out = new_block(k);
    uint32_t breaks = k->breaks, continues = k->continues;
    bool at_end = draw(k, 3) == 0;
    if (draw(k, 3) == 0)
        last = ir_emit2(&k->c, IR_and, IR_TYPE_I32, random_expression(k, 1), ir_const_i32(k->f, 7));
    ir_emit_store(&k->c, IR_MEM_I32, i, 0, ir_const_i32(k->f, 0));
    branch_to(k, head);
    at(k, head);
    ir_ref outer = heart(k);
    if (at_end) {
        branch_to(k, body);
    } else {
        ir_ref now = ir_emit_load(&k->c, IR_MEM_I32, IR_TYPE_I32, i, 0);
        ir_emit_brif(&k->c, ir_emit2(&k->c, IR_slt, IR_TYPE_I1, now, last), body, out);
    }
    k->breaks = out;
    k->continues = next;
    at(k, body);
    block(k);
    branch_to(k, next);
    at(k, next);
    ir_ref now = ir_emit_load(&k->c, IR_MEM_I32, IR_TYPE_I32, i, 0);
    ir_ref then = ir_emit2(&k->c, IR_add, IR_TYPE_I32, now, ir_const_i32(k->f, 1 + draw(k, 2)));
    ir_emit_store(&k->c, IR_MEM_I32, i, 0, then);
    if (at_end)
        ir_emit_brif(&k->c, ir_emit2(&k->c, IR_slt, IR_TYPE_I1, then, last), head, out);
    else
        branch_to(k, head);
    k->token = outer;
    k->breaks = breaks;
    k->continues = continues;
    at(k, out);
}

/* Up to five blocks that jump anywhere among themselves while there is fuel. */
static void make_gotos(struct maker *k)
{
    uint32_t blocks[5], n = 2 + draw(k, 4), out = new_block(k);
    for (uint32_t i = 0; i < n; i++)
        blocks[i] = new_block(k);
    if (k->controlled) { /* no cycle without a heart */
        branch_to(k, out);
        for (uint32_t i = 0; i < n; i++) {
            at(k, blocks[i]);
            branch_to(k, out);
        }
        at(k, out);
        return;
    }
    ir_emit_brif(&k->c, random_condition(k, 1), blocks[0], blocks[1]);
    uint32_t breaks = k->breaks, continues = k->continues;
    k->breaks = k->continues = IR_NO_BLOCK;
    for (uint32_t i = 0; i < n; i++) {
        at(k, blocks[i]);
        ir_ref left = ir_emit_load(&k->c, IR_MEM_I32, IR_TYPE_I32, k->fuel, 0);
        ir_emit_store(&k->c, IR_MEM_I32, k->fuel, 0,
                      ir_emit2(&k->c, IR_sub, IR_TYPE_I32, left, ir_const_i32(k->f, 1)));
        uint32_t go = new_block(k);
        ir_emit_brif(&k->c, ir_emit2(&k->c, IR_slt, IR_TYPE_I1, left, ir_const_i32(k->f, 1)), out, go);
        at(k, go);
        block(k);
        ir_emit_brif(&k->c, random_condition(k, 1), blocks[draw(k, n)],
                     draw(k, 4) ? blocks[draw(k, n)] : out);
    }
    k->breaks = breaks;
    k->continues = continues;
    at(k, out);
}

/* Statements whose operations belong to an anchor of their own. */
static void make_anchored(struct maker *k)
{
    ir_ref outer = k->token;
    if (k->controlled)
        k->token = ir_emit0(&k->c, IR_anchor, IR_TYPE_TOKEN);
    block(k);
    k->token = outer;
}

static void make_call(struct maker *k)
{
    if (!k->callee_count)
        return;
    struct ir_function *callee = k->callees[draw(k, k->callee_count)];
    ir_ref a = random_expression(k, 1), b = random_expression(k, 1), args[3] = {k->buffer, a, b};
    ir_ref r = ir_emit(&k->c, IR_call, IR_TYPE_I64, 3, args);
    ir_at(k->f, r)->imm = callee->id;
    if (callee->flags & IR_FN_CONVERGENT)
        ir_at(k->f, r)->token = k->token;
    ir_emit_store(&k->c, IR_MEM_I32, k->vars[draw(k, VARS)], 0, ir_emit1(&k->c, IR_trunc, IR_TYPE_I32, r));
}

static void make_block_operation(struct maker *k)
{
    ir_ref a = k->structs[draw(k, STRUCTS)], b = k->structs[draw(k, STRUCTS)];
    unsigned kind = draw(k, 4);
    uint32_t from = draw(k, 2) * 4;
    if (kind == 0) {
        ir_at(k->f, ir_emit1(&k->c, IR_memzero, IR_TYPE_VOID, a))->imm = STRUCT_BYTES;
        return;
    }
    ir_ref to = kind == 1 ? random_address(k) : a, source = kind == 2 ? random_address(k) : b;
    if (to == source)
        return;
    if (kind == 3 && from) {
        to = ir_emit2(&k->c, IR_ptradd, IR_TYPE_PRIVATE, to, ir_const_i32(k->f, from));
        source = ir_emit2(&k->c, IR_ptradd, IR_TYPE_PRIVATE, source, ir_const_i32(k->f, from));
    }
    ir_at(k->f, ir_emit2(&k->c, IR_memcpy, IR_TYPE_VOID, to, source))->imm = STRUCT_BYTES - from;
}

static void assign(struct maker *k)
{
    static const uint8_t mems[] = {IR_MEM_I32, IR_MEM_I32, IR_MEM_I32, IR_MEM_U8, IR_MEM_S16};
    ir_ref v = random_expression(k, 2);
    switch (draw(k, 6)) {
    case 0: ir_emit_store(&k->c, IR_MEM_I32, random_address(k), 0, v); break;
    case 1:
        ir_emit_store(&k->c, mems[draw(k, COUNT(mems))], k->structs[draw(k, STRUCTS)],
                      (int32_t)draw(k, 4) * 4, v);
        break;
    case 2:
        if (draw(k, 2)) {
            ir_emit_store(&k->c, IR_MEM_F32, k->structs[draw(k, STRUCTS)], (int32_t)draw(k, 4) * 4,
                          ir_emit1(&k->c, IR_bits, IR_TYPE_F32, v));
            break;
        }
    /* fall through */
    default: ir_emit_store(&k->c, IR_MEM_I32, k->vars[draw(k, VARS)], 0, v);
    }
}

static ir_ref element(struct maker *k, ir_ref array, uint32_t elements)
{
    ir_ref i = draw(k, 2) ? ir_const_i32(k->f, draw(k, elements))
                          : ir_emit2(&k->c, IR_urem, IR_TYPE_I32, random_expression(k, 0),
                                     ir_const_i32(k->f, elements));
    return ir_emit2(&k->c, IR_ptradd, IR_TYPE_PRIVATE, array,
                    ir_emit2(&k->c, IR_shl, IR_TYPE_I32, i, ir_const_i32(k->f, 2)));
}

/* The address of a cell: made here, from the table, or chosen. */
static ir_ref pointer(struct maker *k, unsigned depth)
{
    unsigned kind = draw(k, depth ? 5 : 3);
    if (kind == 0)
        return ir_emit_load(&k->c, IR_MEM_PTR, IR_TYPE_PRIVATE, element(k, k->pointers, POINTERS), 0);
    if (kind < 3)
        return element(k, draw(k, 3) ? k->cells : k->more_cells, CELLS);
    ir_ref c = random_condition(k, 0), a = pointer(k, depth - 1), b = pointer(k, depth - 1);
    if (kind == 3)
        return ir_emit3(&k->c, IR_select, IR_TYPE_PRIVATE, c, a, b);
    uint32_t join = new_block(k), from = k->c.block;
    ir_ref chosen = ir_param_new(k->f, join, IR_TYPE_PRIVATE, NULL);
    ir_emit_brif(&k->c, c, join, join);
    ir_edge_arg(k->f, &ir_block_at(k->f, from)->edges.at[0], a);
    ir_edge_arg(k->f, &ir_block_at(k->f, from)->edges.at[1], b);
    at(k, join);
    return chosen;
}

/* A few accesses to few cells through many pointers. */
static void make_pointers(struct maker *k)
{
    for (unsigned n = 3 + draw(k, 5); n > 0; n--)
        switch (draw(k, 4)) {
        case 0: ir_emit_store(&k->c, IR_MEM_PTR, element(k, k->pointers, POINTERS), 0, pointer(k, 1)); break;
        case 1:
            ir_emit_store(&k->c, IR_MEM_I32, k->vars[draw(k, VARS)], 0,
                          ir_emit_load(&k->c, IR_MEM_I32, IR_TYPE_I32, pointer(k, 2), 0));
            break;
        default: ir_emit_store(&k->c, IR_MEM_I32, pointer(k, 2), 0, random_expression(k, 1));
        }
}

static ir_ref shared_object(struct maker *k)
{
    ir_ref r = ir_emit0(&k->c, IR_object, IR_TYPE_SHARED);
    ir_at(k->f, r)->imm = draw(k, 2);
    return r;
}

/* A few accesses close to each other, of several widths, some through an address that only running tells. */
static void make_accesses(struct maker *k)
{
    static const uint8_t mems[] = {IR_MEM_I32, IR_MEM_I32, IR_MEM_I32, IR_MEM_U8, IR_MEM_S16, IR_MEM_F32};
    unsigned kind = draw(k, 4);
    bool shared = kind == 1 && k->shares;
    ir_ref sum = random_number(k), base = shared ? shared_object(k) : kind ? k->buffer : k->arrays;
    ir_ref index = ir_emit2(&k->c, IR_and, IR_TYPE_I32, random_expression(k, 1), ir_const_i32(k->f, 12));
    ir_ref moving = ir_emit2(&k->c, IR_ptradd, (enum ir_type)ir_at(k->f, base)->type,
                             shared ? shared_object(k) : base, index);
    for (unsigned n = 3 + draw(k, 6); n > 0; n--) {
        ir_ref at = draw(k, 3) ? base : moving;
        enum ir_mem m = mems[draw(k, COUNT(mems))];
        int32_t offset = (int32_t)draw(k, 3) * 4 + (m == IR_MEM_U8 ? (int32_t)draw(k, 2) : 0);
        if (draw(k, 2)) {
            ir_ref v = m == IR_MEM_F32 ? ir_emit1(&k->c, IR_bits, IR_TYPE_F32, sum) : sum;
            ir_emit_store(&k->c, m, at, offset, v);
        } else {
            ir_ref v = ir_emit_load(&k->c, m, ir_mem_info[m].type, at, offset);
            v = m == IR_MEM_F32 ? ir_emit1(&k->c, IR_bits, IR_TYPE_I32, v) : v;
            sum = ir_emit2(&k->c, IR_add, IR_TYPE_I32,
                           ir_emit2(&k->c, IR_mul, IR_TYPE_I32, sum, ir_const_i32(k->f, 3)), v);
        }
        if (draw(k, 12) == 0)
            make_call(k);
    }
    ir_emit_store(&k->c, IR_MEM_I32, k->vars[draw(k, VARS)], 0, sum);
}

static void leave_loop(struct maker *k)
{
    uint32_t on = new_block(k);
    if (k->breaks == IR_NO_BLOCK) {
        branch_to(k, on);
    } else {
        ir_ref c = random_condition(k, 1);
        ir_emit_brif(&k->c, c, draw(k, 2) ? k->breaks : k->continues, on);
    }
    at(k, on);
}

static void statement(struct maker *k)
{
    if (k->statements == 0 || k->depth > 4) {
        assign(k);
        return;
    }
    k->statements--;
    switch (draw(k, 17)) {
    case 0:
    case 1:
    case 2: make_if(k); break;
    case 3:
    case 4: make_loop(k); break;
    case 5: make_switch(k); break;
    case 6: make_gotos(k); break;
    case 7: make_call(k); break;
    case 8: make_block_operation(k); break;
    case 9: leave_loop(k); break;
    case 11:
    case 12: make_accesses(k); break;
    case 13: make_anchored(k); break;
    case 14: make_pointers(k); break;
    case 10: {
        ir_ref r = ir_emit0(&k->c, IR_syncwarp, IR_TYPE_VOID);
        ir_at(k->f, r)->token = k->token;
        break;
    }
    default: assign(k);
    }
}

static void block(struct maker *k)
{
    k->depth++;
    for (unsigned n = 1 + draw(k, 4); n > 0; n--)
        statement(k);
    k->depth--;
}

/* ---- functions --------------------------------------------------------------------------------------- */

static ir_ref variable(struct maker *k, uint32_t bytes)
{
    ir_ref r = ir_emit0(&k->c, IR_alloca, IR_TYPE_PRIVATE);
    ir_at(k->f, r)->imm = bytes;
    ir_at(k->f, r)->imm2 = 4;
    return r;
}

static ir_ref cleared(struct maker *k, uint32_t bytes)
{
    ir_ref r = variable(k, bytes);
    ir_at(k->f, ir_emit1(&k->c, IR_memzero, IR_TYPE_VOID, r))->imm = bytes;
    return r;
}

static struct ir_function *make_function(struct maker *k, const char *name, uint32_t flags,
                                         unsigned statements)
{
    k->f = ir_function_new(k->m, name, IR_TYPE_I64, flags);
    k->c = (struct ir_cursor){.fn = k->f, .block = ir_block_new(k->f, "entry")};
    k->buffer = ir_param_new(k->f, k->c.block, IR_TYPE_GLOBAL, "p");
    ir_ref x = ir_param_new(k->f, k->c.block, IR_TYPE_I32, "x"),
           y = ir_param_new(k->f, k->c.block, IR_TYPE_I32, "y");
    k->breaks = k->continues = IR_NO_BLOCK;
    k->statements = statements;
    k->controlled = flags & IR_FN_CONVERGENT && draw(k, 2);
    k->token = k->controlled ? ir_emit0(&k->c, IR_entry, IR_TYPE_TOKEN) : 0;
    k->fuel = variable(k, 4);
    ir_emit_store(&k->c, IR_MEM_I32, k->fuel, 0, ir_const_i32(k->f, 20));
    for (unsigned i = 0; i < VARS; i++) {
        k->vars[i] = variable(k, 4);
        ir_emit_store(&k->c, IR_MEM_I32, k->vars[i], 0, i == 0 ? x : i == 1 ? y : random_number(k));
    }
    for (unsigned i = 0; i < STRUCTS; i++)
        k->structs[i] = cleared(k, STRUCT_BYTES);
    k->arrays = cleared(k, 32);
    k->cells = cleared(k, 4 * CELLS);
    k->more_cells = cleared(k, 4 * CELLS);
    k->pointers = variable(k, 4 * POINTERS);
    for (int32_t i = 0; i < POINTERS; i++)
        ir_emit_store(&k->c, IR_MEM_PTR, k->pointers, 4 * i, k->cells);
    uint32_t first = new_block(k);
    branch_to(k, first);
    at(k, first);
    while (k->statements > 0)
        statement(k);
    ir_ref sum = ir_emit_load(&k->c, IR_MEM_I32, IR_TYPE_I32, k->vars[0], 0);
    for (unsigned i = 1; i < VARS; i++)
        sum = ir_emit2(&k->c, IR_xor, IR_TYPE_I32,
                       ir_emit2(&k->c, IR_mul, IR_TYPE_I32, sum, ir_const_i32(k->f, 31)),
                       ir_emit_load(&k->c, IR_MEM_I32, IR_TYPE_I32, k->vars[i], 0));
    ir_emit_ret(&k->c, ir_emit1(&k->c, IR_zext, IR_TYPE_I64, sum));
    return k->f;
}

struct ir_module *random_module(uint64_t seed, bool shares)
{
    struct maker k = {.seed = seed * 0x9e3779b97f4a7c15u + 1, .m = ir_module_new("random"), .shares = shares};
    for (unsigned i = 0; i < 8; i++)
        draw(&k, 2);
    for (unsigned i = 0; i < 2; i++) {
        struct ir_object shared = {.name = i ? "s1" : "s0", .space = IR_TYPE_SHARED, .size = 32, .align = 4};
        vec_push(&k.m->arena, &k.m->objects, shared);
    }
    for (unsigned i = 0; i < 2; i++) {
        k.callees[i] = make_function(&k, i ? "g1" : "g0", IR_FN_CONVERGENT, draw(&k, 6));
        k.callee_count = i + 1;
    }
    make_function(&k, "f", IR_FN_CONVERGENT, 4 + draw(&k, 20));
    return k.m;
}
