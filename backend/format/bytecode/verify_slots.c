/* verify_slots.c: which registers are return slots, and which hold preloads.
 *
 * Functions that no kernel reaches together share registers: what is a return slot to some is any register to
 * others. So slots and preloads are those of a component of the call graph, in which a signature is a node:
 * calls through pointers lead to it, and it leads to the functions of its types that have an entry.
 */
#include "backend/format/bytecode/verify.h"

/* ---- components: disjoint sets with path halving ----------------------------------------------------- */

static uint32_t find(uint32_t *component, uint32_t node)
{
    while (component[node] != node)
        node = component[node] = component[component[node]];
    return node;
}

static void join(uint32_t *component, uint32_t a, uint32_t b)
{
    component[find(component, a)] = find(component, b);
}

/* ---- calls ------------------------------------------------------------------------------------------- */

/* The place in call_words of the function's first call. */
static uint32_t first_call(const struct verifier *v, const struct bc_function *f)
{
    uint32_t low = 0, high = v->call_words.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (v->call_words.at[middle] < f->code)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const struct bc_ins *call_of(const struct verifier *v, const struct bc_function *f, uint32_t i)
{
    bool is_inside = i < v->call_words.count && v->call_words.at[i] < f->end;
    return is_inside ? &v->p->code.at[v->call_words.at[i]] : NULL;
}

/* The calls of a function that has code. */
#define each_call(ins, v, f)                                                                                 \
    const struct bc_ins *ins;                                                                                \
    for (uint32_t i_ = first_call((v), (f)); (ins = call_of((v), (f), i_)); i_++)

/* Signatures that occur alone are nodes: few do of all that there may be. */
static void number_signature(struct verifier *v, uint32_t signature)
{
    if (map_get(&v->signatures, signature / 2) == MAP_NONE)
        map_set(&v->arena, &v->signatures, signature / 2, v->nodes++ - v->p->functions.count);
}

static void number_signatures(struct verifier *v)
{
    v->nodes = v->p->functions.count;
    for (uint32_t i = 0; i < v->p->functions.count; i++) {
        const struct bc_function *f = &v->p->functions.at[i];
        number_signature(v, f->signature);
        each_call(ins, v, f) if (ins->op == BC_icall) number_signature(v, ins->imm);
    }
}

uint32_t verify_signature(const struct verifier *v, uint32_t signature)
{
    return v->p->functions.count + map_get(&v->signatures, signature / 2);
}

/* Calls that lead nowhere are refused later. */
static void join_callee(struct verifier *v, uint32_t function, const struct bc_ins *ins)
{
    uint32_t callee = ins->op == BC_call ? map_get(&v->by_code, ins->imm) : MAP_NONE;
    if (callee != MAP_NONE)
        join(v->component, function, callee);
    else if (ins->op == BC_icall)
        join(v->component, function, verify_signature(v, ins->imm));
}

static void join_function(struct verifier *v, uint32_t i)
{
    const struct bc_function *f = &v->p->functions.at[i];
    if (f->entry != BC_NO_TARGET)
        join(v->component, i, verify_signature(v, f->signature));
    each_call(ins, v, f) join_callee(v, i, ins);
}

/* ---- slots ------------------------------------------------------------------------------------------- */

static uint64_t key_of(const struct verifier *v, uint32_t function, enum bc_file file, uint32_t reg)
{
    return ((uint64_t)v->component[function] * BC_FILES + file) << 32 | reg;
}

/* Whether a part of the register, as the letter says, is in the set. */
static bool overlaps(const struct verifier *v, const struct map *set, uint32_t function, char letter,
                     uint32_t reg)
{
    enum bc_file file = bc_file_of(letter);
    return map_get(set, key_of(v, function, file, reg)) != MAP_NONE ||
           (bc_is_wide(letter) && map_get(set, key_of(v, function, file, reg + 1)) != MAP_NONE);
}

/* Behind the last register that may be a slot or preloaded. */
static uint32_t reserved_end(const struct verifier *v)
{
    const struct bc_program *p = v->p;
    uint32_t last = 0;
    for (uint32_t i = 0; i < p->functions.count; i++)
        if (p->functions.at[i].code != BC_NO_TARGET && p->functions.at[i].return_slot > last)
            last = p->functions.at[i].return_slot;
    for (uint32_t i = 0; i < v->call_words.count; i++)
        if (p->code.at[v->call_words.at[i]].d > last)
            last = p->code.at[v->call_words.at[i]].d;
    for (uint32_t i = 0; i < p->preloads.count; i++)
        if (p->preloads.at[i].reg + 1u > last) /* it may be wide */
            last = p->preloads.at[i].reg + 1u;
    return last + 1;
}

static void reserve(struct verifier *v, struct map *set, uint32_t function, enum bc_file file, uint32_t reg)
{
    map_set(&v->arena, set, key_of(v, function, file, reg), 1);
    bitset_add(v->reserved[file], reg);
}

static void add_slot(struct verifier *v, uint32_t function, uint32_t reg)
{
    reserve(v, &v->slots, function, BC_FILE_VECTORS, reg);
}

/* The function's own, and those that icalls name: signatures have return slots of their own. */
static void add_slots(struct verifier *v, uint32_t i)
{
    const struct bc_function *f = &v->p->functions.at[i];
    if (!f->kernel)
        add_slot(v, i, f->return_slot);
    each_call(ins, v, f) if (ins->op == BC_icall) add_slot(v, i, ins->d);
}

void verify_find_slots(struct verifier *v)
{
    uint32_t functions = v->p->functions.count;
    number_signatures(v);
    uint32_t end = reserved_end(v);
    for (unsigned file = BC_FILE_VECTORS; file < BC_FILES; file++)
        v->reserved[file] = bitset_new(&v->arena, end);
    v->component = arena_array(&v->arena, uint32_t, v->nodes);
    for (uint32_t i = 0; i < v->nodes; i++)
        v->component[i] = i;
    for (uint32_t i = 0; i < functions; i++)
        if (v->p->functions.at[i].code != BC_NO_TARGET)
            join_function(v, i);
    for (uint32_t i = 0; i < v->nodes; i++)
        v->component[i] = find(v->component, i);
    for (uint32_t i = 0; i < functions; i++)
        if (v->p->functions.at[i].code != BC_NO_TARGET)
            add_slots(v, i);
}

bool verify_is_slot(const struct verifier *v, uint32_t function, char letter, uint32_t reg)
{
    return bc_file_of(letter) == BC_FILE_VECTORS && overlaps(v, &v->slots, function, letter, reg);
}

/* ---- preloads ---------------------------------------------------------------------------------------- */

void verify_add_preload(struct verifier *v, uint32_t function, char letter, uint32_t reg)
{
    for (uint32_t part = 0; part <= bc_is_wide(letter); part++)
        reserve(v, &v->preloads, function, bc_file_of(letter), reg + part);
}

bool verify_is_preload(const struct verifier *v, uint32_t function, char letter, uint32_t reg)
{
    return overlaps(v, &v->preloads, function, letter, reg);
}
