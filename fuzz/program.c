/* program.c: the tree of a random program: see program.h. */
#include "fuzz/program.h"
#include "fuzz/locks.h"
#include "fuzz/sequence.h"

const struct fz_type_info fz_type_info[FZ_TYPES] = {
#define TYPE(id, text, bits, family) {text, bits, family},
#include "fuzz/nodes.def"
};
const struct fz_operator_info fz_operator_info[FZ_OPERATORS] = {
#define OPERATOR(id, text, operands, result) {text, operands, result},
#include "fuzz/nodes.def"
};
const struct fz_node_info fz_node_info[FZ_NODES] = {
#define NODE(id, category, children, meaning) {#id, FZ_##category, children},
#include "fuzz/nodes.def"
};
const char *const fz_geometry[FZ_GEOMETRIES + 1] = {"gid",        "threadIdx.x", "blockIdx.x",
                                                    "blockDim.x", "gridDim.x",   "laneId"};
const char *const fz_atomics[FZ_ATOMICS] = {"add", "min", "max", "and", "or", "xor"};

/* ---- building ---------------------------------------------------------------------------------------- */

struct fz_node *fz_node(struct fz_program *p, enum fz_kind kind)
{
    struct fz_node *n = arena_new(p->arena, struct fz_node);
    n->kind = (uint8_t)kind;
    return n;
}

struct fz_node *fz_leaf(struct fz_program *p, enum fz_kind kind, uint64_t value, uint8_t op)
{
    struct fz_node *n = fz_node(p, kind);
    n->value = value;
    n->op = op;
    return n;
}

struct fz_node *fz_add(struct fz_node *parent, struct fz_node *child)
{
    struct fz_node **link = &parent->first;
    while (*link)
        link = &(*link)->next;
    *link = child;
    return parent;
}

struct fz_node *fz_child(const struct fz_node *n, uint32_t index)
{
    struct fz_node *child = n->first;
    while (child && index-- > 0)
        child = child->next;
    return child;
}

struct fz_node *fz_clone(struct fz_program *p, const struct fz_node *n)
{
    struct fz_node *copy = arena_new(p->arena, struct fz_node);
    *copy = *n;
    copy->next = NULL;
    struct fz_node **link = &copy->first;
    for (const struct fz_node *child = n->first; child; child = child->next) {
        *link = fz_clone(p, child);
        link = &(*link)->next;
    }
    return copy;
}

struct fz_node *fz_constant(struct fz_program *p, enum fz_type type, uint64_t bits)
{
    struct fz_node *n = fz_node(p, FZ_NODE_CONSTANT);
    n->type = (uint8_t)type;
    n->value = bits;
    return n;
}

struct fz_node *fz_binary(struct fz_program *p, enum fz_operator op, struct fz_node *x, struct fz_node *y)
{
    return fz_add(fz_add(fz_leaf(p, FZ_NODE_BINARY, 0, (uint8_t)op), x), y);
}

struct fz_node *fz_by(struct fz_program *p, enum fz_operator op, struct fz_node *x, uint32_t constant)
{
    return fz_binary(p, op, x, fz_constant(p, FZ_UINT, constant));
}

struct fz_node *fz_bits_are(struct fz_program *p, enum fz_kind x, uint32_t shift, uint32_t mask,
                            uint32_t value)
{
    struct fz_node *bits = fz_by(p, FZ_OP_AND, fz_by(p, FZ_OP_SHR, fz_node(p, x), shift), mask);
    return fz_by(p, FZ_OP_EQ, bits, value);
}

struct fz_node *fz_in_lanes(struct fz_program *p, uint64_t lanes)
{
    struct fz_node *set = fz_constant(p, FZ_ULONG, lanes), *lane = fz_leaf(p, FZ_NODE_GEOMETRY, 0, FZ_LANE);
    return fz_by(p, FZ_OP_NE, fz_by(p, FZ_OP_AND, fz_binary(p, FZ_OP_SHR, set, lane), 1), 0);
}

struct fz_node *fz_lane_number(struct fz_program *p, uint32_t factor, uint32_t modulus)
{
    struct fz_node *lane = fz_leaf(p, FZ_NODE_GEOMETRY, 0, FZ_LANE);
    return fz_by(p, FZ_OP_REM, fz_by(p, FZ_OP_MUL, lane, factor), modulus);
}

struct fz_node *fz_assign(struct fz_program *p, struct fz_node *target, struct fz_node *value)
{
    return fz_add(fz_add(fz_leaf(p, FZ_NODE_ASSIGN, 0, FZ_OPERATORS), target), value);
}

struct fz_node *fz_noise(struct fz_program *p, uint32_t constant)
{
    struct fz_node *mixed = fz_by(p, FZ_OP_XOR, fz_node(p, FZ_NODE_HASH), constant);
    mixed = fz_by(p, FZ_OP_MUL, mixed, FZ_HASH_FACTOR);
    mixed = fz_binary(p, FZ_OP_ADD, mixed, fz_leaf(p, FZ_NODE_GEOMETRY, 0, FZ_GID));
    return fz_assign(p, fz_node(p, FZ_NODE_HASH), mixed);
}

struct fz_node *fz_thread_condition(struct fz_program *p, struct fz_random *r, bool few)
{
    uint32_t which = fz_below(r, 4), value = fz_below(r, 2), number = fz_below(r, 28);
    uint64_t lanes = fz_next(r);
    if (which == 0)
        return fz_bits_are(p, FZ_NODE_HASH, number, 1, value);
    if (which == 1) {
        struct fz_node *thread = fz_leaf(p, FZ_NODE_GEOMETRY, 0, FZ_THREAD);
        return fz_by(p, FZ_OP_EQ, fz_by(p, FZ_OP_REM, thread, 2 + number % 3), value);
    }
    return fz_in_lanes(p, few ? lanes & fz_next(r) : lanes);
}

uint32_t fz_variable(struct fz_program *p, struct fz_function *f, enum fz_shape shape, enum fz_type type,
                     uint64_t seed)
{
    struct fz_variable v = {.type = (uint8_t)type, .shape = (uint8_t)shape, .seed = seed};
    vec_push(p->arena, &f->variables, v);
    return f->variables.count - 1;
}

uint32_t fz_find_shape(const struct fz_function *f, enum fz_shape shape)
{
    for (uint32_t i = 0; i < f->variables.count; i++)
        if (f->variables.at[i].shape == shape)
            return i;
    return UINT32_MAX;
}

static uint64_t edge_of_range(struct fz_random *r, uint32_t bits)
{
    switch (fz_below(r, 5)) {
    case 0: return 0;
    case 1: return ~(uint64_t)0;
    case 2: return (uint64_t)1 << (bits - 1);
    case 3: return ((uint64_t)1 << (bits - 1)) - 1;
    default: return (uint64_t)1 << fz_below(r, bits);
    }
}

static uint64_t float_bits(enum fz_type type, double d)
{
    float f = (float)d;
    uint32_t single;
    uint64_t bits;
    memcpy(&single, &f, 4);
    memcpy(&bits, &d, 8);
    return type == FZ_FLOAT ? single : bits;
}

static uint64_t random_float(struct fz_random *r, enum fz_type type)
{
    static const double special[] = {0.0,  -0.0,   1.0,   -1.0,         0.5,
                                     1e30, -1e-30, 3e-42, 2147483648.0, 16777217.0};
    if (fz_chance(r, 5))
        return type == FZ_FLOAT ? (fz_chance(r, 50) ? 0x7f800000u : 0x7fc00000u)
                                : (fz_chance(r, 50) ? 0xfff0000000000000u : 0x7ff8000000000000u);
    if (fz_chance(r, 30))
        return float_bits(type, special[fz_below(r, COUNT(special))]);
    double numerator = (double)fz_below(r, 20001) - 10000;
    return float_bits(type, numerator / (double)(1 << fz_below(r, 14)));
}

uint64_t fz_random_bits(struct fz_random *r, enum fz_type type)
{
    if (fz_is_float(type))
        return random_float(r, type);
    uint32_t bits = type == FZ_BOOL ? 1 : fz_type_info[type].bits;
    uint64_t v = fz_chance(r, 60) ? fz_below(r, 16) : fz_chance(r, 50) ? edge_of_range(r, bits) : fz_next(r);
    if (fz_type_info[type].family == 's' && fz_chance(r, 25))
        v = -v;
    return bits == 64 ? v : v & (((uint64_t)1 << bits) - 1);
}

/* ---- reading ----------------------------------------------------------------------------------------- */

char fz_child_letter(const struct fz_node *n, uint32_t index)
{
    const char *letters = fz_node_info[n->kind].children;
    if (n->kind == FZ_NODE_BLOCK)
        return 's';
    const char *star = strchr(letters, '*');
    if (star && letters + index >= star)
        return star[-1];
    return index < strlen(letters) ? letters[index] : 0;
}

bool fz_names_variable(const struct fz_node *n)
{
    switch (n->kind) {
    case FZ_NODE_VARIABLE:
    case FZ_NODE_ELEMENT:
    case FZ_NODE_FIELD:
    case FZ_NODE_ROW:
    case FZ_NODE_ADDRESS:
    case FZ_NODE_STRUCTURE:
    case FZ_NODE_AT:
    case FZ_NODE_POINTER:
    case FZ_NODE_ENTRY:
    case FZ_NODE_MEMBER:
    case FZ_NODE_BEHIND:
    case FZ_NODE_LEAD: return true;
    default: return false;
    }
}

void fz_walk(const struct fz_node *n, void (*visit)(const struct fz_node *n, void *data), void *data)
{
    visit(n, data);
    for (const struct fz_node *child = n->first; child; child = child->next)
        fz_walk(child, visit, data);
}

static void count_node(const struct fz_node *n, void *data)
{
    UNUSED(n);
    ++*(uint32_t *)data;
}

uint32_t fz_list_length(const struct fz_node *first)
{
    uint32_t n = 0;
    for (; first; first = first->next)
        n++;
    return n;
}

uint32_t fz_size(const struct fz_node *n)
{
    uint32_t size = 0;
    fz_walk(n, count_node, &size);
    return size;
}

static void mark_called(const struct fz_node *n, void *data)
{
    uint64_t *reached = data;
    bool predicted = n->kind == FZ_NODE_PREDICT && n->op == FZ_PREDICTED_FUNCTION;
    bool either = n->kind == FZ_NODE_CALL_EITHER || (n->kind == FZ_NODE_INVOKE && n->flag);
    if (either || n->kind == FZ_NODE_CALL || n->kind == FZ_NODE_INVOKE)
        *reached |= (uint64_t)1 << n->name;
    if (either || predicted)
        *reached |= (uint64_t)1 << n->value;
}

uint64_t fz_reached(const struct fz_program *p)
{
    if (p->module || p->sequence || p->locks)
        return 0;
    uint32_t kernel = p->functions.count - 1;
    uint64_t reached = (uint64_t)1 << kernel;
    for (uint32_t i = kernel + 1; i-- > 0;) /* callees have smaller numbers */
        if (reached >> i & 1)
            fz_walk(p->functions.at[i].body, mark_called, &reached);
    return reached;
}

uint32_t fz_program_size(const struct fz_program *p)
{
    uint64_t reached = fz_reached(p);
    uint32_t size = p->sequence ? fz_sequence_size(p->sequence) : p->locks ? fz_locks_size(p->locks) : 0;
    for (const char *line = p->module; line && (line = strstr(line, "\n  ")) != NULL; line++)
        size++; /* instructions */
    for (uint32_t i = 0; i < p->functions.count; i++)
        if (reached >> i & 1)
            size += fz_size(p->functions.at[i].body);
    return size;
}

struct count {
    enum fz_kind kind;
    uint32_t found;
};

static void count_kind(const struct fz_node *n, void *data)
{
    struct count *c = data;
    c->found += n->kind == c->kind;
}

uint32_t fz_count(const struct fz_program *p, enum fz_kind kind)
{
    struct count c = {kind, 0};
    uint64_t reached = fz_reached(p);
    for (uint32_t i = 0; i < p->functions.count; i++)
        if (reached >> i & 1)
            fz_walk(p->functions.at[i].body, count_kind, &c);
    return c.found;
}

struct search {
    const struct fz_function *f;
    uint32_t left; /* elements up to the one that is looked for */
    const struct fz_node *found;
};

static void find_element(const struct fz_node *n, void *data)
{
    struct search *s = data;
    bool of_array = n->kind == FZ_NODE_ELEMENT && !s->f->variables.at[n->name].parameter;
    if ((of_array || n->kind == FZ_NODE_TABLE) && s->left && --s->left == 0)
        s->found = n;
}

const struct fz_node *fz_beyond(const struct fz_program *p)
{
    struct search s = {.left = p->beyond};
    uint64_t reached = fz_reached(p);
    for (uint32_t i = 0; i < p->functions.count; i++)
        if (reached >> i & 1) {
            s.f = &p->functions.at[i];
            fz_walk(s.f->body, find_element, &s);
        }
    return s.found;
}

/* ---- types ------------------------------------------------------------------------------------------- */

enum fz_type fz_promoted(enum fz_type t)
{
    return t < FZ_INT ? FZ_INT : t;
}

/* The order of enum fz_type is that of C's usual arithmetic conversions. */
enum fz_type fz_usual(enum fz_type a, enum fz_type b)
{
    a = fz_promoted(a), b = fz_promoted(b);
    return a > b ? a : b;
}

static enum fz_type operand_type(const struct fz_operator_info *o, enum fz_type t)
{
    return o->operands == 'I' && fz_is_float(t) ? FZ_INT : t; /* as the printer converts it */
}

uint32_t fz_length_of(const struct fz_function *f, const struct fz_node *n)
{
    const struct fz_node *first = n->first;
    uint32_t length = 1;
    switch (n->kind) {
    case FZ_NODE_VARIABLE:
    case FZ_NODE_ROW: return f->variables.at[n->name].elements ? f->variables.at[n->name].elements : 1;
    case FZ_NODE_SWIZZLE:
    case FZ_NODE_MAKE:
    case FZ_NODE_WIDE: return n->op;
    case FZ_NODE_CHOICE: first = n->first->next; break;
    case FZ_NODE_UNARY:
    case FZ_NODE_BINARY:
    case FZ_NODE_CAST:
    case FZ_NODE_SELECT:
    case FZ_NODE_BUILTIN: break;
    default: return 1;
    }
    for (; first; first = first->next)
        length = fz_length_of(f, first) > length ? fz_length_of(f, first) : length;
    return length;
}

enum fz_type fz_truth_type(enum fz_type t)
{
    static const uint8_t types[] = {[8] = FZ_CHAR, [16] = FZ_SHORT, [32] = FZ_INT, [64] = FZ_LONG};
    return (enum fz_type)types[fz_type_info[t].bits];
}

static enum fz_type operator_type(const struct fz_program *p, const struct fz_function *f,
                                  const struct fz_node *n)
{
    const struct fz_operator_info *o = &fz_operator_info[n->op];
    if (fz_length_of(f, n) > 1) {
        enum fz_type t = fz_type_of(p, f, fz_length_of(f, n->first) > 1 ? n->first : n->first->next);
        return o->result == 'B' ? fz_truth_type(t) : t;
    }
    if (o->result == 'B')
        return FZ_BOOL;
    enum fz_type a = operand_type(o, fz_type_of(p, f, n->first));
    if (n->kind == FZ_NODE_UNARY || o->result == 'L')
        return fz_promoted(a);
    return fz_usual(a, operand_type(o, fz_type_of(p, f, n->first->next)));
}

enum fz_type fz_letter_type(char letter, enum fz_type generic)
{
    switch (letter) {
    case 'b': return FZ_BOOL;
    case 'i': return FZ_INT;
    case 'u': return FZ_UINT;
    case 'l': return FZ_LONG;
    case 'U': return FZ_ULONG;
    case 'f': return FZ_FLOAT;
    case 'd': return FZ_DOUBLE;
    default: return generic;
    }
}

enum fz_type fz_type_of(const struct fz_program *p, const struct fz_function *f, const struct fz_node *n)
{
    enum fz_type t;
    switch (n->kind) {
    case FZ_NODE_CONSTANT:
    case FZ_NODE_CELL:
    case FZ_NODE_MAKE:
    case FZ_NODE_CAST: return n->type;
    case FZ_NODE_VARIABLE:
    case FZ_NODE_ROW:
    case FZ_NODE_ELEMENT: return f->variables.at[n->name].type;
    case FZ_NODE_INCREMENT:
    case FZ_NODE_SWIZZLE:
    case FZ_NODE_SELECT:
    case FZ_NODE_DOT: return fz_type_of(p, f, n->first);
    case FZ_NODE_BITS:
        t = fz_type_of(p, f, n->first);
        return t == FZ_FLOAT ? FZ_UINT : t == FZ_DOUBLE ? FZ_ULONG : t;
    case FZ_NODE_FIELD: return p->fields[n->value];
    case FZ_NODE_GEOMETRY:
    case FZ_NODE_HASH:
    case FZ_NODE_GUIDE:
    case FZ_NODE_NOISE: return FZ_UINT;
    case FZ_NODE_SEEN: return FZ_ULONG;
    case FZ_NODE_SAME:
    case FZ_NODE_NEVER:
    case FZ_NODE_VOTE:
    case FZ_NODE_ELECT: return FZ_BOOL;
    case FZ_NODE_UNARY:
    case FZ_NODE_BINARY: return operator_type(p, f, n);
    case FZ_NODE_CHOICE:
        if (fz_length_of(f, n) > 1)
            return fz_type_of(p, f, n->first->next);
        return fz_usual(fz_type_of(p, f, n->first->next), fz_type_of(p, f, n->first->next->next));
    case FZ_NODE_BUILTIN: return fz_letter_type(*fe_builtins[n->value].signature, (enum fz_type)n->type);
    case FZ_NODE_CALL:
    case FZ_NODE_CALL_EITHER: return p->functions.at[n->name].result;
    default: return FZ_INT;
    }
}

bool fz_is_pure(const struct fe_builtin *b)
{
    return b->how == FE_HOW_OP || b->how == FE_HOW_CLAMP || b->how == FE_HOW_RSQRT || b->how == FE_HOW_ROTR ||
           b->how == FE_HOW_ISNAN || b->how == FE_HOW_ISINF || b->how == FE_HOW_ISFINITE ||
           b->how == FE_HOW_REINTERPRET;
}

bool fz_is_common(const struct fe_builtin *b)
{
    static const char *const names[] = {"min",  "max",  "clamp", "abs",      "fmin", "fmax",
                                        "fabs", "fma",  "sqrt",  "floor",    "rint", "copysign",
                                        "clz",  "brev", "rotl",  "popcount", "mulhi"};
    for (size_t i = 0; i < COUNT(names); i++)
        if (strcmp(names[i], b->name) == 0)
            return true;
    return false;
}

/* ---- programs ---------------------------------------------------------------------------------------- */

const struct fz_class *fz_class_find(char letter)
{
    static const struct fz_class *const classes[] = {&fz_class_a, &fz_class_b, &fz_class_c, &fz_class_d,
                                                     &fz_class_e, &fz_class_f, &fz_class_g, &fz_class_h,
                                                     &fz_class_i, &fz_class_j};
    for (size_t i = 0; i < COUNT(classes); i++)
        if (classes[i]->letter == letter)
            return classes[i];
    return NULL;
}

struct fz_program *fz_generate(const struct fz_class *class, uint64_t seed, struct arena *arena)
{
    struct fz_program *p = arena_new(arena, struct fz_program);
    p->arena = arena;
    p->class = class->letter;
    p->seed = seed;
    class->generate(p);
    fz_predict(p);
    INVARIANT(p->module || p->sequence || p->locks || (p->functions.count > 0 && p->functions.count <= 64));
    return p;
}
