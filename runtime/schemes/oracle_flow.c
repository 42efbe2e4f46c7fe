/* oracle_flow.c: control flow of bytecode, and which convergent operations a lane can still come to.
 *
 * The answers are static: a path in the graph is a path that may be taken. Linear in the code for the graph;
 * for each operation asked about, once, linear in its function's edges.
 */
#include "runtime/schemes/oracle.h"

static bool makes_token(enum bc_op op)
{
    return op == BC_tok_entry || op == BC_tok_anchor || op == BC_tok_loop;
}

uint32_t oracle_count_definitions(const struct bc_program *p)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->code.count; i++) {
        n += makes_token((enum bc_op)p->code.at[i].op);
        i += bc_has_branch_word((enum bc_op)p->code.at[i].op);
    }
    return n;
}

/* ---- the graph --------------------------------------------------------------------------------------- */

static uint32_t block_at_head(const struct oracle_flow *f, uint32_t head)
{
    return f->block_of_row[f->program->code.at[head].imm];
}

static void find_heads(struct oracle_flow *f)
{
    const struct bc_program *p = f->program;
    for (uint32_t i = 0; i < p->code.count; i++) {
        const struct bc_ins *ins = &p->code.at[i];
        if (ins->op == BC_block) {
            f->block_of_row[ins->imm] = f->heads.count;
            vec_push(f->arena, &f->heads, i);
        }
        if (makes_token((enum bc_op)ins->op))
            vec_push(f->arena, &f->definitions, i);
        i += bc_has_branch_word((enum bc_op)ins->op);
    }
}

static void name_functions(struct oracle_flow *f)
{
    const struct bc_program *p = f->program;
    f->function = arena_array(f->arena, uint32_t, f->heads.count);
    for (uint32_t i = 0; i < p->functions.count; i++) {
        const struct bc_function *fn = &p->functions.at[i];
        if (fn->code == BC_NO_TARGET)
            continue;
        for (uint32_t b = block_at_head(f, fn->code); b < f->heads.count && f->heads.at[b] < fn->end; b++)
            f->function[b] = i;
    }
}

static void add_edge(struct oracle_flow *f, uint32_t from, uint32_t head)
{
    vec_push(f->arena, &f->from, from);
    vec_push(f->arena, &f->to, block_at_head(f, head));
}

static void add_edges(struct oracle_flow *f, uint32_t block, const struct bc_ins *end)
{
    const struct bc_program *p = f->program;
    if (bc_has_branch_word((enum bc_op)end->op)) {
        const struct bc_branch *branch = (const struct bc_branch *)(end + 1);
        add_edge(f, block, branch->yes);
        add_edge(f, block, branch->no);
        return;
    }
    switch (end->op) {
    case BC_jump:
    case BC_unpredicate: add_edge(f, block, end->imm); break;
    case BC_call:
    case BC_icall: add_edge(f, block, (uint32_t)(end - p->code.at) + 1); break;
    case BC_switch_v:
    case BC_switch_w:
    case BC_switch_s: {
        const struct bc_switch *s = &p->switches.at[end->imm];
        for (uint32_t i = 0; i < s->count; i++)
            add_edge(f, block, p->cases.at[s->first + i].target);
        add_edge(f, block, s->otherwise);
        break;
    }
    default: break;
    }
}

static void find_edges(struct oracle_flow *f)
{
    const struct bc_program *p = f->program;
    uint32_t block = 0;
    bool open = false; /* the words before have not ended their block: it falls through */
    for (uint32_t i = 0; i < p->code.count; i++) {
        enum bc_op op = (enum bc_op)p->code.at[i].op;
        if (op == BC_block && open)
            add_edge(f, block, i);
        if (op == BC_block)
            block = block_at_head(f, i);
        open = !bc_ends_block(op);
        if (!open)
            add_edges(f, block, &p->code.at[i]);
        i += bc_has_branch_word(op);
    }
}

struct oracle_flow *oracle_flow_new(struct rt_worker *k)
{
    const struct bc_program *p = k->launch->program;
    struct arena *a = &k->arena;
    struct oracle_flow *f = arena_new(a, struct oracle_flow);
    f->program = p;
    f->worker = k;
    f->arena = a;
    f->block_of_row = arena_array(a, uint32_t, p->blocks.count);
    find_heads(f);
    name_functions(f);
    find_edges(f);
    f->successors = rows_of_edges(a, f->heads.count, &(struct edge_list){f->from, f->to});
    f->predecessors = rows_of_edges(a, f->heads.count, &(struct edge_list){f->to, f->from});
    return f;
}

/* ---- questions --------------------------------------------------------------------------------------- */

/* The place of the last element that is not above x. The first one never is. */
static uint32_t last_not_above(const u32_vec *sorted, uint32_t x)
{
    uint32_t low = 0, high = sorted->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (sorted->at[middle] <= x)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static uint32_t block_of(const struct oracle_flow *f, uint32_t at)
{
    return last_not_above(&f->heads, at);
}

uint32_t oracle_function(const struct oracle_flow *f, uint32_t at)
{
    return f->function[block_of(f, at)];
}

uint32_t oracle_definition(const struct oracle_flow *f, uint32_t at)
{
    return last_not_above(&f->definitions, at);
}

/* Straight-line code from `at` reaches the operation, the definition, or (0) neither. */
enum reaches { REACHES_NEITHER, REACHES_OPERATION, REACHES_DEFINITION };
static enum reaches straight(const struct oracle_flow *f, uint32_t at, uint32_t op, uint32_t definition)
{
    uint32_t block = block_of(f, at);
    bool operation_ahead = block_of(f, op) == block && op >= at;
    bool definition_ahead =
        definition != ORACLE_NOWHERE && block_of(f, definition) == block && definition >= at;
    if (operation_ahead && (!definition_ahead || op <= definition))
        return REACHES_OPERATION;
    return definition_ahead ? REACHES_DEFINITION : REACHES_NEITHER;
}

/* Blocks from whose start the operation can be reached: backwards from its own. */
static struct bitset find_reach(struct oracle_flow *f, uint32_t op, uint32_t definition)
{
    struct walk w = walk_new(f->arena, f->heads.count);
    uint32_t home = block_of(f, op);
    if (straight(f, f->heads.at[home], op, definition) == REACHES_OPERATION)
        walk_add(&w, home);
    walk_each(block, &w)
        rows_each(i, f->predecessors, block)
            if (straight(f, f->heads.at[f->predecessors.at[i]], op, definition) != REACHES_DEFINITION)
                walk_add(&w, f->predecessors.at[i]);
    return w.seen;
}

bool oracle_reaches(struct oracle_flow *f, uint32_t at, uint32_t op, uint32_t definition)
{
    enum reaches first = straight(f, at, op, definition);
    if (first != REACHES_NEITHER)
        return first == REACHES_OPERATION;
    uint32_t index = map_get(&f->reach_index, op), block = block_of(f, at);
    if (index == MAP_NONE) {
        if (!rt_memory_take(f->worker->launch, f->heads.count / 8)) {
            f->worker->over_memory = true;
            return false;
        }
        index = f->reach.count;
        struct bitset reach = find_reach(f, op, definition);
        vec_push(f->arena, &f->reach, reach);
        map_set(f->arena, &f->reach_index, op, index);
    }
    rows_each(i, f->successors, block)
        if (bitset_has(f->reach.at[index], f->successors.at[i]))
            return true;
    return false;
}
