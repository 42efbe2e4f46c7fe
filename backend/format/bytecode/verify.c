/* verify.c: may this program run? (the code; verify_tables.c has the tables)
 *
 * What is promised of a program that passes: whatever path its warps take, no instruction names a register
 * outside the files of the kernel that was launched, no transfer leads anywhere but to a block word, no table
 * is read beyond its end, and every loop pays fuel. Three steps:
 *
 *   1. tables (verify_tables.c);
 *   2. each word of each function against its row of the operation table: operands, targets inside the
 * function, blocks that end properly. On the way the function's need is noted: the largest register of each
 * file;
 *   3. along the call graph: a kernel's files hold the needs of all functions it reaches. Indirect calls
 * reach every function with an entry and that signature. Returns need no edge: return slots hold only what
 * calls wrote (rule 6 of program.h), so a lane comes back to a function that was reached before.
 */
#include "backend/format/bytecode/verify.h"
#include "base/rows.h"

bool verify_fail(struct verifier *v, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(v->buffer, v->size, fmt, ap);
    va_end(ap);
    v->failed = true;
    return false;
}

/* ---- one word ---------------------------------------------------------------------------------------- */

static bool is_call(const struct bc_ins *ins)
{
    return ins->op == BC_call || ins->op == BC_icall;
}

static bool is_head(const struct verifier *v, uint32_t code)
{
    return code < v->p->code.count && bitset_has(v->heads, code);
}

bool verify_target(struct verifier *v, uint32_t code)
{
    const struct bc_function *f = v->function;
    if (!is_head(v, code) || code < f->code || code >= f->end)
        return verify_fail(v, "word %u: target %u is no block of the function", v->at, code);
    return true;
}

static bool check_reconvergence(struct verifier *v, uint32_t code)
{
    if (code == BC_NO_TARGET)
        return true;
    if (!verify_target(v, code))
        return false;
    return (v->p->code.at[code].d & BC_RECONVERGE) ||
           verify_fail(v, "word %u: reconverge %u has no BC_RECONVERGE", v->at, code);
}

static inline bool check_register(struct verifier *v, char letter, uint32_t reg)
{
    bool wide = bc_is_wide(letter);
    if (wide && reg % 2)
        return verify_fail(v, "word %u: 64-bit vector in odd slot %u", v->at, reg);
    uint32_t need = reg + 1 + wide, *most = &v->need[bc_file_of(letter)];
    if (need > BC_MAX_REGISTERS)
        return verify_fail(v, "word %u: register %u is out of range", v->at, reg);
    *most = need > *most ? need : *most;
    return true;
}

bool verify_register(struct verifier *v, char letter, uint32_t reg)
{
    return check_register(v, letter, reg);
}

/* What is no register. */
static bool check_field(struct verifier *v, char letter, uint32_t x)
{
    const struct bc_program *p = v->p;
    switch (letter) {
    case '-': return x == 0 || verify_fail(v, "word %u: an unused field is not 0", v->at);
    case '#':
    case '?':
    case 'i': return true;
    case '<': return x < 32 || verify_fail(v, "word %u: shifts an index by %u bits", v->at, x);
    case '@': return x < p->sites.count || verify_fail(v, "word %u: no site %u", v->at, x);
    case 'k': return verify_target(v, x);
    case 'f':
        return map_get(&v->by_code, x) != MAP_NONE ||
               verify_fail(v, "word %u: no function begins at %u", v->at, x);
    case 'n': return x < p->texts.count || verify_fail(v, "word %u: no text %u", v->at, x);
    case 'j': return x < p->switches.count || verify_fail(v, "word %u: no switch %u", v->at, x);
    case 'r': return x < p->blocks.count || verify_fail(v, "word %u: no block row %u", v->at, x);
    case 'h': return x < p->hosts.count || verify_fail(v, "word %u: no host function %u", v->at, x);
    case 'g':
        return x < BC_MAX_SIGNATURE || verify_fail(v, "word %u: signature %u is out of range", v->at, x);
    default: BUG("no operand is '%c'", letter);
    }
}

static bool is_slot(const struct verifier *v, char letter, uint32_t reg)
{
    return verify_is_slot(v, v->function_index, letter, reg);
}

/* Rule 6: a return slot is written by call, icall, or mov_v from another one. */
static bool check_return_slots(struct verifier *v, const struct bc_ins *ins, char letter)
{
    if (!is_slot(v, letter, ins->d) || is_call(ins) || (ins->op == BC_mov_v && is_slot(v, 'v', ins->a)))
        return true;
    return verify_fail(v, "word %u: writes the return slot %u", v->at, ins->d);
}

/* Rule 3: preloads hold for the whole launch. */
static bool check_preloads(struct verifier *v, const struct bc_ins *ins, char letter)
{
    return !verify_is_preload(v, v->function_index, letter, ins->d) ||
           verify_fail(v, "word %u: writes register %u, which is preloaded", v->at, ins->d);
}

static bool check_block_word(struct verifier *v, const struct bc_ins *ins)
{
    if (ins->d & ~(BC_RECONVERGE | BC_RETURN))
        return verify_fail(v, "word %u: unknown block flags", v->at);
    if (ins->d & BC_RETURN && (v->at == v->function->code || !is_call(ins - 1)))
        return verify_fail(v, "word %u: calls return here, but none stands before it", v->at);
    const struct bc_block *b = &v->p->blocks.at[ins->imm];
    if (b->code != v->at)
        return verify_fail(v, "word %u: block row %u is of another block", v->at, ins->imm);
    if (b->frontier == 0)
        return true;
    return verify_target(v, b->frontier) &&
           (b->frontier > v->at || verify_fail(v, "word %u: its frontier is before it", v->at));
}

static bool check_switch(struct verifier *v, const struct bc_switch *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (!verify_target(v, v->p->cases.at[s->first + i].target))
            return false;
    return verify_target(v, s->otherwise) && check_reconvergence(v, s->reconverge);
}

static bool check_call(struct verifier *v, const struct bc_ins *ins)
{
    uint32_t callee = map_get(&v->by_code, ins->imm);
    vec_push(&v->arena, &v->calls, ((struct verify_call){v->function_index, callee}));
    const struct bc_function *f = &v->p->functions.at[callee];
    if (f->kernel)
        return verify_fail(v, "word %u: calls a kernel", v->at);
    return f->return_slot == ins->d ||
           verify_fail(v, "word %u: return slot %u is not the callee's", v->at, ins->d);
}

static bool check_icall(struct verifier *v, const struct bc_ins *ins)
{
    vec_push(&v->arena, &v->calls, ((struct verify_call){v->function_index, verify_signature(v, ins->imm)}));
    return is_slot(v, 'v', ins->d) || verify_fail(v, "word %u: %u is no return slot", v->at, ins->d);
}

/* ---- wide accesses: parts stand behind the word that has checked them, and move what it checked ---------- */

static uint32_t part_bytes(enum bc_op op)
{
    switch (op) {
    case BC_ldw_8:
    case BC_ldw_8s:
    case BC_stw_8: return 1;
    case BC_ldw_16:
    case BC_ldw_16s:
    case BC_stw_16: return 2;
    case BC_ldw_32:
    case BC_stw_32:
    case BC_stw_f32: return 4;
    case BC_ldw_64:
    case BC_stw_64:
    case BC_stw_f64: return 8;
    default: return 0;
    }
}

static bool check_wide(struct verifier *v, const struct bc_ins *ins)
{
    uint32_t bytes = ins->d & 0xff;
    v->wide = ins;
    return (ins->d < 0x200 && bytes > 1 && bytes <= BC_MAX_WIDE && (bytes & (bytes - 1)) == 0) ||
           verify_fail(v, "word %u: no size of a wide access", v->at);
}

static bool check_part(struct verifier *v, const struct bc_ins *ins)
{
    uint32_t bytes = part_bytes((enum bc_op)ins->op);
    if (!bytes) {
        v->wide = NULL;
        return true;
    }
    if (!v->wide)
        return verify_fail(v, "word %u: part of no wide access", v->at);
    bool stores = ins->op >= BC_stw_8 && ins->op <= BC_stw_f64;
    uint64_t end = (uint64_t)ins->imm + bytes;
    return (stores == (v->wide->d > 0xff) && end <= (v->wide->d & 0xffu) && ins->imm % bytes == 0) ||
           verify_fail(v, "word %u: not within the wide access before it", v->at);
}

/* What the operands' letters do not say. */
static bool check_special(struct verifier *v, const struct bc_ins *ins)
{
    switch (ins->op) {
    case BC_block: return check_block_word(v, ins);
    case BC_switch_v:
    case BC_switch_w:
    case BC_switch_s: return check_switch(v, &v->p->switches.at[ins->imm]);
    case BC_call: return check_call(v, ins);
    case BC_icall: return check_icall(v, ins);
    case BC_ret:
    case BC_ret_m:
    case BC_ret_true:
    case BC_ret_false:
        return is_slot(v, 'v', ins->a) || verify_fail(v, "word %u: returns to what is no return slot", v->at);
    case BC_wide_g:
    case BC_widex_g:
    case BC_wide_h:
    case BC_widex_h:
    case BC_wide_p:
    case BC_widex_p: return check_wide(v, ins);
    case BC_memcpy:
        return ((ins->c & 3) < 3 && ins->c >> 2 < 3) || verify_fail(v, "word %u: unknown space", v->at);
    case BC_memzero: return ins->c < 3 || verify_fail(v, "word %u: unknown space", v->at);
    case BC_printf: return verify_printf(v, ins);
    case BC_hostcall: return verify_hostcall(v, ins);
    default: return true;
    }
}

static bool check_branch_word(struct verifier *v, const struct bc_branch *b)
{
    if (b->op != BC_branch)
        return verify_fail(v, "word %u: no branch word behind a branch", v->at);
    if (b->yes == b->no)
        return verify_fail(v, "word %u: a branch to one target", v->at);
    return check_field(v, '@', b->site) && verify_target(v, b->yes) && verify_target(v, b->no) &&
           check_reconvergence(v, b->reconverge);
}

/* Guards cost nothing, so that they lead on, and no loop is free. */
static bool check_guard(struct verifier *v, const struct bc_ins *ins)
{
    const struct bc_branch *branch = (const struct bc_branch *)(ins + 1);
    bool on = ins->op != BC_unpredicate || ins->imm > v->at;
    if (ins->op == BC_predicate)
        on = branch->yes > v->at && branch->no > v->at && branch->reconverge != BC_NO_TARGET &&
             branch->yes <= branch->reconverge && branch->no <= branch->reconverge;
    return on || verify_fail(v, "word %u: the arms of a predicate do not lie before where they end", v->at);
}

static bool check_word(struct verifier *v, const struct bc_ins *ins)
{
    const char *operands = bc_operands(ins->op); /* find_heads has looked at the operation */
    const uint32_t fields[] = {ins->d, ins->a, ins->b, ins->c, ins->e, ins->imm};
    for (unsigned i = 0; i < COUNT(fields); i++) {
        char letter = operands[i];
        bool is_nothing = letter == '-' ? fields[i] == 0 : letter == 't' && fields[i] == BC_NO_TOKEN;
        if (!is_nothing &&
            !(bc_file_of(letter) ? check_register(v, letter, fields[i]) : check_field(v, letter, fields[i])))
            return false;
    }
    char written = operands[0];
    bool is_reserved = bc_is_written(written) && verify_may_be_reserved(v, written, ins->d);
    return (!is_reserved || check_return_slots(v, ins, written)) && check_part(v, ins) &&
           check_special(v, ins) && (!is_reserved || check_preloads(v, ins, written));
}

/* ---- functions --------------------------------------------------------------------------------------- */

/* Words that a transfer may lead to: block words, found by walking over branch words. */
static bool find_heads(struct verifier *v)
{
    const struct bc_program *p = v->p;
    for (uint32_t i = 0; i < p->code.count; i++) {
        enum bc_op op = (enum bc_op)p->code.at[i].op;
        if (!bc_op_info(op) || op == BC_branch)
            return verify_fail(v, "word %u: no operation %u", i, (unsigned)op);
        if (op == BC_block)
            bitset_add(v->heads, i);
        if (op == BC_call || op == BC_icall)
            vec_push(&v->arena, &v->call_words, i);
        if (bc_has_branch_word(op) && ++i == p->code.count)
            return verify_fail(v, "word %u: no branch word behind a branch", i - 1);
    }
    return true;
}

/* A block's end is followed by a block word or the function's end; calls by a block word to return to. */
static bool check_after(struct verifier *v, const struct bc_ins *ins, uint32_t next)
{
    bool last = next == v->function->end;
    if (is_call(ins)) {
        unsigned flags = BC_RETURN | (ins->op == BC_icall ? BC_RECONVERGE : 0);
        if (last || !is_head(v, next) || (v->p->code.at[next].d & flags) != flags)
            return verify_fail(v, "word %u: no block to return to behind a call", v->at);
    }
    if (bc_ends_block((enum bc_op)ins->op))
        return last || is_head(v, next) || verify_fail(v, "word %u: code that no path reaches", next);
    return !last || verify_fail(v, "word %u: falls off the end of its function", v->at);
}

/* What a block counts is what it has: it pays fuel for all, and every loop for some, as none goes back without
 * a jump. */
static bool check_count(struct verifier *v, uint32_t row, uint32_t has)
{
    uint32_t counts = v->p->blocks.at[row].instructions;
    return counts == has ||
           verify_fail(v, "block row %u: counts %u instructions and has %u", row, counts, has);
}

static bool check_function(struct verifier *v, uint32_t index)
{
    const struct bc_program *p = v->p;
    const struct bc_function *f = v->function = &p->functions.at[index];
    v->function_index = index;
    memset(v->need, 0, sizeof v->need);
    uint32_t row = 0, has = 0;
    const struct bc_ins *wait = NULL; /* with which the block begins */
    for (uint32_t i = f->code; i < f->end;) {
        const struct bc_ins *ins = &p->code.at[v->at = i];
        if (!check_word(v, ins))
            return false;
        bool branches = bc_has_branch_word((enum bc_op)ins->op);
        if ((branches && !check_branch_word(v, (const struct bc_branch *)(ins + 1))) || !check_guard(v, ins))
            return false;
        if (ins->op == BC_block) {
            row = ins->imm;
            has = 0;
            wait = bc_first_wait(ins, p->code.at + f->end);
        }
        has += ins == wait ? 0 : bc_parts(ins);
        i += 1 + branches;
        has += !branches && i < f->end && bc_falls_into_wait(ins, &p->code.at[i], p->code.at + f->end);
        if (!check_after(v, ins, i) || ((i == f->end || is_head(v, i)) && !check_count(v, row, has)))
            return false;
    }
    for (unsigned file = BC_FILE_VECTORS; file < BC_FILES; file++)
        v->needs[file][index] = v->need[file];
    return true;
}

/* ---- the call graph ---------------------------------------------------------------------------------- */

/* Callers by node: functions, then signatures. */
static struct rows callers_of(struct verifier *v)
{
    uint32_t functions = v->p->functions.count;
    struct edge_list edges = {0};
    for (uint32_t i = 0; i < v->calls.count; i++)
        edge_add(&v->arena, &edges, v->calls.at[i].to, v->calls.at[i].from);
    for (uint32_t i = 0; i < functions; i++)
        if (v->p->functions.at[i].entry != BC_NO_TARGET)
            edge_add(&v->arena, &edges, i, verify_signature(v, v->p->functions.at[i].signature));
    return rows_of_edges(&v->arena, v->nodes, &edges);
}

/* Raises needs[n] to the largest need of what n calls: the neediest node first, to all that reach it; so each
 * node is set once. `order`: functions by falling need. */
static void propagate(struct verifier *v, const struct rows *callers, const uint32_t *order, uint32_t *needs)
{
    uint32_t functions = v->p->functions.count;
    struct walk w = walk_new(&v->arena, callers->count);
    for (uint32_t i = 0; i < functions; i++) {
        uint32_t need = needs[order[i]];
        walk_add(&w, order[i]);
        walk_each(n, &w) {
            if (n < functions)
                needs[n] = need;
            rows_each(k, *callers, n)
                walk_add(&w, callers->at[k]);
        }
    }
}

/* The functions by falling need. */
static const uint32_t *order_by_need(struct verifier *v, const uint32_t *needs)
{
    uint32_t functions = v->p->functions.count, *row = arena_array(&v->arena, uint32_t, functions), most = 0;
    for (uint32_t i = 0; i < functions; i++)
        most = needs[i] > most ? needs[i] : most;
    for (uint32_t i = 0; i < functions; i++)
        row[i] = most - needs[i];
    return rows_new(&v->arena, most + 1, row, functions).at;
}

static bool check_kernels(struct verifier *v)
{
    struct rows callers = callers_of(v);
    for (unsigned file = BC_FILE_VECTORS; file < BC_FILES; file++)
        propagate(v, &callers, order_by_need(v, v->needs[file]), v->needs[file]);
    for (uint32_t i = 0; i < v->p->kernels.count; i++) {
        const struct bc_kernel *k = &v->p->kernels.at[i];
        if (v->needs[BC_FILE_VECTORS][k->function] > k->vectors ||
            v->needs[BC_FILE_MASKS][k->function] > k->masks ||
            v->needs[BC_FILE_SCALARS][k->function] > k->scalars)
            return verify_fail(v, "kernel %u: its code needs more registers than it has", i);
    }
    return true;
}

static bool check_code(struct verifier *v)
{
    const struct bc_program *p = v->p;
    for (unsigned file = BC_FILE_VECTORS; file < BC_FILES; file++)
        v->needs[file] = arena_array(&v->arena, uint32_t, p->functions.count);
    for (uint32_t i = 0; i < p->functions.count; i++)
        if (p->functions.at[i].code != BC_NO_TARGET && !check_function(v, i))
            return false;
    return check_kernels(v);
}

const char *bc_verify(const struct bc_program *p, char *buffer, size_t size)
{
    struct verifier v = {.p = p, .buffer = buffer, .size = size};
    struct mem_guard guard;
    arena_init(&v.arena);
    if (mem_guard_enter(&guard)) {
        arena_free(&v.arena);
        mem_fail(0);
    }
    v.heads = bitset_new(&v.arena, p->code.count + 1);
    bool good = find_heads(&v) && verify_tables(&v) && check_code(&v);
    mem_guard_leave(&guard);
    arena_free(&v.arena);
    return good ? NULL : v.buffer;
}
