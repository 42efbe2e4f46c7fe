/* spaces.c: see spaces.h. */
#include "import/spaces.h"

/* ---- objects: union-find, in which each member knows how far from the root's begin its own is ---------- */

static uint32_t new_object(struct importer *im, enum ir_type space)
{
    uint32_t n = im->objects.count;
    if (n >= IMPORT_MAX_OBJECTS) {
        if (!im->d->stopped)
            import_error(im, (place){0}, UINT32_MAX, "import-limit",
                         "the pointers lead to more than %u kinds of memory (IMPORT_MAX_OBJECTS)",
                         IMPORT_MAX_OBJECTS);
        im->d->stopped = true;
        return 1;
    }
    vec_push(im->arena, &im->objects,
             ((struct space_object){.parent = n, .space = (uint8_t)space, .interface = UINT32_MAX}));
    return n;
}

static struct pointee new_pointee(struct importer *im, enum ir_type space)
{
    return (struct pointee){new_object(im, space), 0};
}

static int64_t within(int64_t offset, uint32_t period)
{
    return period ? ((offset % period) + period) % period : offset;
}

/* The root, and the offset from its begin. Halves the path. */
static struct pointee find(struct importer *im, struct pointee p)
{
    struct space_object *all = im->objects.at;
    while (all[p.object].parent != p.object) {
        struct space_object *o = &all[p.object];
        struct space_object *up = &all[o->parent];
        if (up->parent != o->parent) {
            o->delta += up->delta;
            o->parent = up->parent;
        }
        p.offset += o->delta;
        p.object = o->parent;
    }
    p.offset = within(p.offset, all[p.object].period);
    return p;
}

struct pair {
    struct pointee a, b;
};
typedef VEC(struct pair) pairs;

/* What is stored at an offset of a root; object 0: not known yet. */
static struct pointee *content_at(struct importer *im, uint32_t root, int64_t offset)
{
    struct space_object *o = &im->objects.at[root];
    for (uint32_t i = 0; i < o->fields.count; i++)
        if (o->fields.at[i].offset == offset)
            return &o->fields.at[i].to;
    return NULL;
}

static void add_content(struct importer *im, uint32_t root, int64_t offset, struct pointee to, pairs *work)
{
    struct space_object *o = &im->objects.at[root];
    offset = within(offset, o->period);
    struct pointee *old = content_at(im, root, offset);
    if (old)
        vec_push(im->arena, work, ((struct pair){*old, to}));
    else
        vec_push(im->arena, &o->fields, ((struct space_field){offset, to}));
}

static uint32_t gcd(uint32_t a, uint64_t b)
{
    while (b) {
        uint64_t r = a % b;
        a = b > UINT32_MAX ? a : (uint32_t)b;
        b = r;
    }
    return a;
}

static void set_period(struct importer *im, uint32_t root, uint64_t distance, pairs *work)
{
    struct space_object *o = &im->objects.at[root];
    uint32_t period = o->period ? gcd(o->period, distance) : (uint32_t)(distance ? distance : 0);
    if (period == o->period)
        return;
    o->period = period;
    struct space_object old = *o;
    o->fields.at = NULL;
    o->fields.count = o->fields.capacity = 0;
    for (uint32_t i = 0; i < old.fields.count; i++)
        add_content(im, root, old.fields.at[i].offset, old.fields.at[i].to, work);
}

/* An object that the module's objects reach is the module's. */
static void give_to_module(struct importer *im, uint32_t root)
{
    u32_vec work = {0};
    vec_push(im->arena, &work, root);
    while (work.count) {
        uint32_t r = find(im, (struct pointee){vec_pop(&work), 0}).object;
        struct space_object *o = &im->objects.at[r];
        if (o->of_module)
            continue;
        o->of_module = true;
        for (uint32_t i = 0; i < o->fields.count; i++)
            vec_push(im->arena, &work, o->fields.at[i].to.object);
    }
}

/* Constant memory is global memory that is only read. */
static bool is_global(uint8_t space)
{
    return space == IR_TYPE_GLOBAL || space == IR_TYPE_CONSTANT;
}

/* False: they are a function and memory. */
static bool join_spaces(struct importer *im, uint8_t *a, uint8_t b)
{
    if (b == IR_TYPE_VOID || *a == b)
        return true;
    bool one = *a == IR_TYPE_VOID || (is_global(*a) && is_global(b));
    if (!one && (*a == IR_TYPE_FUNCTION || b == IR_TYPE_FUNCTION))
        return false;
    if (!one)
        im->several |=
            1u << (is_global(*a) ? IR_TYPE_GLOBAL : *a) | 1u << (is_global(b) ? IR_TYPE_GLOBAL : b);
    *a = !one ? SPACES_SEVERAL : *a == IR_TYPE_VOID ? b : IR_TYPE_GLOBAL;
    return true;
}

static const char *space_name(uint8_t space)
{
    return space == IR_TYPE_FUNCTION   ? "functions"
           : space == SPACES_SEVERAL   ? "memory of several kinds"
           : space == IR_TYPE_SHARED   ? "shared memory"
           : space == IR_TYPE_PRIVATE  ? "private memory"
           : space == IR_TYPE_CONSTANT ? "constant memory"
                                       : "global memory";
}

struct finder {
    struct importer *im;
    const struct ll_function *f;
    struct function_spaces *s;
    uint32_t number;
    place at; /* of the instruction that is looked at */
    uint32_t debug;
    bool failed;
};

static void refuse_two_spaces(struct finder *n, uint8_t a, uint8_t b)
{
    if (!n->failed)
        import_error(n->im, n->at, n->debug, "import-space",
                     "a pointer here may lead to %s and to %s, which kernc keeps apart", space_name(a),
                     space_name(b));
    n->failed = true;
}

static void merge(struct finder *n, struct pointee a, struct pointee b, pairs *work)
{
    struct importer *im = n->im;
    struct space_object *o = &im->objects.at[a.object], *p = &im->objects.at[b.object];
    int64_t delta = a.offset - b.offset;
    struct space_object from = *p;
    if (!join_spaces(im, &o->space, p->space))
        refuse_two_spaces(n, o->space, p->space);
    if (o->element == IR_MEM_NONE)
        o->element = p->element;
    bool of_module = o->of_module || p->of_module;
    p->parent = a.object;
    p->delta = delta;
    if (from.period)
        set_period(im, a.object, from.period, work);
    for (uint32_t i = 0; i < from.fields.count; i++)
        add_content(im, a.object, from.fields.at[i].offset + delta, from.fields.at[i].to, work);
    if (of_module) {
        im->objects.at[a.object].of_module = false;
        give_to_module(im, a.object);
    }
}

/* The two lead to the same memory. */
static void unify(struct finder *n, struct pointee a, struct pointee b)
{
    pairs work = {0};
    if (!a.object || !b.object)
        return;
    vec_push(n->im->arena, &work, ((struct pair){a, b}));
    while (work.count) {
        struct pair p = vec_pop(&work);
        p.a = find(n->im, p.a);
        p.b = find(n->im, p.b);
        if (p.a.object != p.b.object)
            merge(n, p.a, p.b, &work);
        else if (p.a.offset != p.b.offset)
            set_period(
                n->im, p.a.object,
                (uint64_t)(p.a.offset > p.b.offset ? p.a.offset - p.b.offset : p.b.offset - p.a.offset),
                &work);
    }
}

static void constrain(struct finder *n, struct pointee p, enum ir_type space)
{
    if (!p.object || space == IR_TYPE_VOID)
        return;
    struct space_object *o = &n->im->objects.at[find(n->im, p).object];
    if (!join_spaces(n->im, &o->space, (uint8_t)space))
        refuse_two_spaces(n, o->space, (uint8_t)space);
}

/* What the pointer stored at p leads to. */
static struct pointee content(struct finder *n, struct pointee p)
{
    p = find(n->im, p);
    struct pointee *known = content_at(n->im, p.object, p.offset);
    if (known)
        return *known;
    struct pointee made = new_pointee(n->im, IR_TYPE_VOID);
    vec_push(n->im->arena, &n->im->objects.at[p.object].fields, ((struct space_field){p.offset, made}));
    if (n->im->objects.at[p.object].of_module)
        n->im->objects.at[made.object].of_module = true;
    return made;
}

/* ---- operands ------------------------------------------------------------------------------------------ */

static struct pointee of_operand(struct finder *n, const struct ll_value *v, uint32_t component);

/* A gep's constant part in bytes; an index that is not known, into elements that hold pointers, makes their
 * size a period of the object. Elements without pointers are all taken for the first one. */
static struct pointee step(struct finder *n, const struct ll_type *element, struct ll_value *const *args,
                           uint32_t argc)
{
    struct ll_way way = {.type = element, .args = args, .argc = argc, .at = 1};
    struct pointee p = of_operand(n, args[0], 0);
    uint64_t period = 0;
    for (enum ll_part part; (part = ll_next_part(n->im->ll, &way)) != LL_PART_END;) {
        if (part == LL_PART_NONE)
            return p;
        bool is_byte = way.type->kind == LL_INT && way.type->bits == 8 && argc == 2;
        uint32_t bits =
            way.index->type->kind == LL_INT && way.index->type->bits < 64 ? way.index->type->bits : 64;
        if (part == LL_PART_FIELD)
            p.offset += (int64_t)way.bytes;
        else if (!is_byte && !import_has_pointers(n->im, way.type))
            continue;
        else if (way.index->kind == LL_CONST_INT)
            p.offset += ((int64_t)(way.index->words[0] << (64 - bits)) >> (64 - bits)) * (int64_t)way.bytes;
        else
            period = period ? gcd((uint32_t)period, way.bytes) : way.bytes;
    }
    if (period && p.object) {
        pairs work = {0};
        struct pointee root = find(n->im, p);
        set_period(n->im, root.object, period, &work);
        while (work.count) {
            struct pair both = vec_pop(&work);
            unify(n, both.a, both.b);
        }
    }
    return p;
}

static struct pointee of_expression(struct finder *n, const struct ll_value *v)
{
    switch ((enum ll_op)v->op) {
    case LL_OP_getelementptr: return step(n, v->element, v->args, v->argc);
    case LL_OP_select: {
        struct pointee p = of_operand(n, v->args[1], 0);
        unify(n, p, of_operand(n, v->args[2], 0));
        return p;
    }
    default: {
        struct pointee p = v->argc ? of_operand(n, v->args[0], 0) : (struct pointee){0};
        if (!p.object && v->type->kind == LL_POINTER)
            p = new_pointee(n->im, IR_TYPE_VOID);
        return p;
    }
    }
}

static struct pointee of_constant(struct finder *n, const struct ll_value *v, const struct ll_type *scalar,
                                  uint32_t component)
{
    struct importer *im = n->im;
    if (v->kind == LL_GLOBAL) {
        const struct ll_global *g = &im->ll->globals.at[v->number];
        return g->alias ? of_operand(n, g->alias, 0) : (struct pointee){im->global_objects[v->number], 0};
    }
    if (v->kind == LL_AGGREGATE)
        for (uint32_t i = 0, first = 0; i < v->argc; i++) {
            uint32_t count = import_components(im, v->args[i]->type).count;
            if (component < first + count)
                return of_operand(n, v->args[i], component - first);
            first += count;
        }
    if (v->kind == LL_EXPRESSION)
        return of_expression(n, v);
    if (scalar->kind != LL_POINTER)
        return (struct pointee){0};
    return new_pointee(im, v->kind == LL_FUNCTION_REF ? IR_TYPE_FUNCTION : IR_TYPE_VOID);
}

static struct pointee of_operand(struct finder *n, const struct ll_value *v, uint32_t component)
{
    struct importer *im = n->im;
    struct function_spaces *s = n->s;
    if (v->kind == LL_LOCAL)
        return s->values[s->first[v->number] + component];
    if (v->kind == LL_CONST_INT || v->kind == LL_CONST_FLOAT || v->kind == LL_METADATA_REF)
        return (struct pointee){0};
    uint32_t first = map_get(&s->constants, (uintptr_t)v);
    if (first == MAP_NONE) {
        struct components all = import_components(im, v->type);
        VEC(struct pointee) made = {0};
        for (uint32_t i = 0; i < all.count; i++) {
            struct pointee p = of_constant(n, v, all.at[i].type, i);
            if (all.at[i].type->kind == LL_POINTER)
                constrain(n, p, import_space(im->ll, all.at[i].type->bits));
            vec_push(im->arena, &made, p);
        }
        first = s->components.count;
        map_set(im->arena, &s->constants, (uintptr_t)v, first);
        for (uint32_t i = 0; i < made.count; i++)
            vec_push(im->arena, &s->components, made.at[i]);
    }
    return s->components.at[first + component];
}

static struct pointee *result(struct finder *n, const struct ll_ins *i)
{
    return &n->s->values[n->s->first[i->result]];
}

/* ---- instructions -------------------------------------------------------------------------------------- */

static void note_access(struct finder *n, struct pointee p, const struct ll_type *scalar)
{
    if (!p.object)
        return;
    struct space_object *o = &n->im->objects.at[find(n->im, p).object];
    if (o->element == IR_MEM_NONE)
        o->element = (uint8_t)import_access(scalar);
}

/* Component by component, value `v` (NULL: the result of `i`) is what memory at p holds. */
static void find_access(struct finder *n, const struct ll_ins *i, struct pointee p, const struct ll_value *v)
{
    struct components all = import_components(n->im, v ? v->type : i->type);
    for (uint32_t k = 0; k < all.count; k++) {
        struct pointee at = {p.object, p.offset + (int64_t)all.at[k].offset};
        note_access(n, at, all.at[k].type);
        if (all.at[k].type->kind == LL_POINTER && p.object)
            unify(n, content(n, at), v ? of_operand(n, v, k) : result(n, i)[k]);
    }
}

static void unify_all(struct finder *n, const struct ll_ins *i, const struct ll_value *v)
{
    struct components all = import_components(n->im, i->type);
    for (uint32_t k = 0; k < all.count; k++)
        if (all.at[k].type->kind == LL_POINTER)
            unify(n, result(n, i)[k], of_operand(n, v, k));
}

/* Every pointer of the vectors: which element goes where is not looked at. */
static void unify_elements(struct finder *n, const struct ll_ins *i)
{
    uint32_t count = import_components(n->im, i->type).count;
    if (!import_has_pointers(n->im, i->type))
        return;
    for (uint32_t a = 0; a < i->argc; a++) {
        struct components all = import_components(n->im, i->args[a]->type);
        for (uint32_t k = 0; k < all.count; k++)
            if (all.at[k].type->kind == LL_POINTER)
                unify(n, result(n, i)[0], of_operand(n, i->args[a], k));
    }
    for (uint32_t k = 1; k < count; k++)
        unify(n, result(n, i)[0], result(n, i)[k]);
}

static uint32_t part_of(struct finder *n, const struct ll_ins *i, const struct ll_type *t)
{
    uint32_t first = 0, count = 0;
    for (uint32_t k = 0; k < i->index_count; k++) {
        first += import_part(n->im, t, i->indices[k], &count);
        t = import_part_type(t, i->indices[k]);
    }
    return first;
}

static void find_extract(struct finder *n, const struct ll_ins *i)
{
    uint32_t first = part_of(n, i, i->args[0]->type), count = import_components(n->im, i->type).count;
    for (uint32_t k = 0; k < count; k++)
        unify(n, result(n, i)[k], of_operand(n, i->args[0], first + k));
}

static void find_insert(struct finder *n, const struct ll_ins *i)
{
    uint32_t first = part_of(n, i, i->type), whole = import_components(n->im, i->type).count;
    uint32_t count = import_components(n->im, i->args[1]->type).count;
    for (uint32_t k = 0; k < whole; k++) {
        bool inside = k >= first && k < first + count;
        unify(n, result(n, i)[k], of_operand(n, i->args[inside], inside ? k - first : k));
    }
}

/* What a copy of so many bytes moves: pointers at multiples of their size, up to a bound that structures of
 * kernels stay below; of longer ones those that are known. */
static void link(struct finder *n, struct pointee to, struct pointee from, uint64_t bytes)
{
    uint32_t size = n->im->ll->pointer_bytes;
    if (!to.object || !from.object)
        return;
    for (uint64_t at = 0; at + size <= bytes && at < 1024; at += size)
        unify(n, content(n, (struct pointee){to.object, to.offset + (int64_t)at}),
              content(n, (struct pointee){from.object, from.offset + (int64_t)at}));
}

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

/* A function without a body: what it returns leads where its first pointer does, whose memory it accesses. */
static void find_external(struct finder *n, const struct ll_ins *i, const char *name)
{
    if (begins(name, "llvm.memcpy") || begins(name, "llvm.memmove")) {
        bool known = i->args[2]->kind == LL_CONST_INT;
        link(n, of_operand(n, i->args[0], 0), of_operand(n, i->args[1], 0),
             known ? i->args[2]->words[0] : 1024);
        return;
    }
    bool is_first = true;
    for (uint32_t a = 0; a < i->argc; a++) {
        if (i->args[a]->type->kind != LL_POINTER || i->args[a]->kind == LL_METADATA_REF)
            continue;
        struct pointee p = of_operand(n, i->args[a], 0); /* of each, so that constants have objects, too */
        if (is_first && i->type->kind == LL_POINTER)
            unify(n, result(n, i)[0], p);
        else if (is_first && a + 1 < i->argc && i->args[a + 1]->type->kind != LL_METADATA)
            note_access(n, p, i->args[a + 1]->type);
        is_first = false;
    }
}

/* What the parameter is given, by component. A structure by value is the callee's own copy of what it gets. */
static struct pointee incoming(const struct importer *im, uint32_t function, uint32_t param,
                               uint32_t component)
{
    const struct function_spaces *s = &im->spaces[function];
    const struct ll_function *f = &im->ll->functions.at[function];
    return f->params[param].byval ? s->incoming[param] : s->values[s->first[param] + component];
}

static struct pointee copied(struct importer *im, const struct space_call *c, struct pointee p)
{
    if (!p.object)
        return p;
    p = find(im, p);
    uint32_t number = im->objects.at[p.object].interface;
    if (number != UINT32_MAX && !im->objects.at[p.object].of_module)
        p.object = c->objects.at[number];
    return p;
}

/* The caller's own copy of what the callee's parameters and result reach. */
static struct space_call instantiate(struct finder *n, const struct ll_ins *i, uint32_t callee)
{
    struct importer *im = n->im;
    const struct function_spaces *s = &im->spaces[callee];
    struct space_call c = {.at = i, .callee = callee};
    for (uint32_t k = 0; k < s->interface.count; k++) {
        struct space_object from = im->objects.at[s->interface.at[k]];
        uint32_t made = new_object(im, (enum ir_type)from.space);
        im->objects.at[made].element = from.element;
        im->objects.at[made].period = from.period;
        vec_push(im->arena, &c.objects, made);
    }
    for (uint32_t k = 0; k < s->interface.count; k++) {
        struct space_object from = im->objects.at[s->interface.at[k]];
        for (uint32_t e = 0; e < from.fields.count; e++) {
            struct space_field field = {from.fields.at[e].offset, copied(im, &c, from.fields.at[e].to)};
            vec_push(im->arena, &im->objects.at[c.objects.at[k]].fields, field);
        }
    }
    return c;
}

static void find_direct_call(struct finder *n, const struct ll_ins *i, uint32_t callee)
{
    struct importer *im = n->im;
    const struct ll_function *f = &im->ll->functions.at[callee];
    struct space_call c = instantiate(n, i, callee);
    for (uint32_t a = 0; a < i->argc && a < f->param_count; a++) {
        struct components all = import_components(im, f->params[a].type);
        for (uint32_t k = 0; k < all.count; k++)
            if (all.at[k].type->kind == LL_POINTER)
                unify(n, copied(im, &c, incoming(im, callee, a, k)), of_operand(n, i->args[a], k));
    }
    struct components all = import_components(im, i->type);
    for (uint32_t k = 0; k < all.count && i->result != UINT32_MAX; k++)
        if (all.at[k].type->kind == LL_POINTER)
            unify(n, copied(im, &c, im->spaces[callee].results[k]), result(n, i)[k]);
    map_set(im->arena, &n->s->call_index, (uintptr_t)i, n->s->calls.count);
    vec_push(im->arena, &n->s->calls, c);
}

/* Through a pointer: any function of the type whose address is taken, all of whose memory is the module's. */
static void find_pointer_call(struct finder *n, const struct ll_ins *i)
{
    struct importer *im = n->im;
    constrain(n, of_operand(n, i->callee, 0), IR_TYPE_FUNCTION);
    bitset_each(t, im->taken) {
        const struct ll_function *f = &im->ll->functions.at[t];
        if (f->type != i->element || !im->spaces[t].values)
            continue;
        for (uint32_t a = 0; a < f->param_count && a < i->argc; a++) {
            struct components all = import_components(im, f->params[a].type);
            for (uint32_t k = 0; k < all.count; k++)
                if (all.at[k].type->kind == LL_POINTER)
                    unify(n, incoming(im, t, a, k), of_operand(n, i->args[a], k));
        }
        struct components all = import_components(im, i->type);
        for (uint32_t k = 0; k < all.count && i->result != UINT32_MAX; k++)
            if (all.at[k].type->kind == LL_POINTER)
                unify(n, im->spaces[t].results[k], result(n, i)[k]);
    }
}

static void find_call(struct finder *n, const struct ll_ins *i)
{
    uint32_t callee = import_callee(n->im, i);
    if (callee != UINT32_MAX)
        find_direct_call(n, i, callee);
    else if (i->callee->kind == LL_FUNCTION_REF)
        find_external(n, i, n->im->ll->functions.at[i->callee->number].name);
    else if (i->callee->kind != LL_ASM)
        find_pointer_call(n, i);
}

static void find_return(struct finder *n, const struct ll_ins *i)
{
    struct components all = i->argc ? import_components(n->im, i->args[0]->type) : (struct components){0};
    for (uint32_t k = 0; k < all.count; k++)
        if (all.at[k].type->kind == LL_POINTER)
            unify(n, n->s->results[k], of_operand(n, i->args[0], k));
}

/* Where its type says which memory it leads to, and the number was another's, it is only a number. */
static void find_int_to_pointer(struct finder *n, const struct ll_ins *i)
{
    uint8_t said = (uint8_t)import_space(n->im->ll, i->type->bits);
    struct pointee p = of_operand(n, i->args[0], 0);
    uint8_t space = p.object ? n->im->objects.at[find(n->im, p).object].space : IR_TYPE_VOID;
    if (said == IR_TYPE_VOID || space == IR_TYPE_VOID || said == space ||
        (is_global(said) && is_global(space)))
        unify(n, *result(n, i), p);
}

static void find_instruction(struct finder *n, const struct ll_ins *i)
{
    bool gives = i->result != UINT32_MAX;
    n->at = i->at;
    n->debug = i->debug;
    switch ((enum ll_op)i->op) {
    case LL_OP_alloca: constrain(n, *result(n, i), IR_TYPE_PRIVATE); break;
    case LL_OP_load: find_access(n, i, of_operand(n, i->args[0], 0), NULL); break;
    case LL_OP_store: find_access(n, i, of_operand(n, i->args[1], 0), i->args[0]); break;
    case LL_OP_getelementptr:
        if (i->type->kind == LL_POINTER)
            unify(n, *result(n, i), step(n, i->element, i->args, i->argc));
        break;
    case LL_OP_phi:
        for (uint32_t a = 0; a < i->argc; a++)
            unify_all(n, i, i->args[a]);
        break;
    case LL_OP_select:
        unify_all(n, i, i->args[1]);
        unify_all(n, i, i->args[2]);
        break;
    case LL_OP_freeze:
    case LL_OP_addrspacecast: unify_all(n, i, i->args[0]); break;
    case LL_OP_bitcast:
        if (i->type->kind == LL_POINTER)
            unify_all(n, i, i->args[0]);
        break;
    case LL_OP_ptrtoint: *result(n, i) = of_operand(n, i->args[0], 0); break;
    case LL_OP_inttoptr: find_int_to_pointer(n, i); break;
    case LL_OP_add:
    case LL_OP_sub:
    case LL_OP_and:
    case LL_OP_or:
    case LL_OP_trunc:
    case LL_OP_zext:
    case LL_OP_sext:
        if (gives && i->type->kind == LL_INT) {
            struct pointee p = of_operand(n, i->args[0], 0);
            *result(n, i) = p.object || i->argc < 2 ? p : of_operand(n, i->args[1], 0);
        }
        break;
    case LL_OP_extractvalue: find_extract(n, i); break;
    case LL_OP_insertvalue: find_insert(n, i); break;
    case LL_OP_extractelement:
    case LL_OP_insertelement:
    case LL_OP_shufflevector: unify_elements(n, i); break;
    case LL_OP_atomicrmw: note_access(n, of_operand(n, i->args[0], 0), i->args[1]->type); break;
    case LL_OP_cmpxchg: note_access(n, of_operand(n, i->args[0], 0), i->args[1]->type); break;
    case LL_OP_call: find_call(n, i); break;
    case LL_OP_ret: find_return(n, i); break;
    default: break;
    }
}

/* ---- functions ----------------------------------------------------------------------------------------- */

static struct pointee *fresh(struct importer *im, const struct ll_type *t, bool of_module, struct pointee *at)
{
    struct components all = import_components(im, t);
    for (uint32_t k = 0; k < all.count; k++, at++)
        if (all.at[k].type->kind == LL_POINTER) {
            *at = new_pointee(im, import_space(im->ll, all.at[k].type->bits));
            im->objects.at[at->object].of_module = of_module;
        }
    return at;
}

/* Gives each component of the function's values an object, if it is a pointer. */
static void begin_function(struct importer *im, uint32_t number)
{
    const struct ll_function *f = &im->ll->functions.at[number];
    struct function_spaces *s = &im->spaces[number];
    bool taken = bitset_has(im->taken, number);
    uint32_t count = 0;
    s->first = arena_array(im->arena, uint32_t, f->locals.count + 1);
    for (uint32_t v = 0; v < f->locals.count; v++) {
        s->first[v] = count;
        uint32_t components = import_components(im, f->locals.at[v].type).count;
        count += components ? components : 1;
    }
    s->values = arena_array(im->arena, struct pointee, count + 1);
    for (uint32_t v = 0; v < f->locals.count; v++)
        fresh(im, f->locals.at[v].type, taken && v < f->param_count, &s->values[s->first[v]]);
    const struct ll_type *returned = f->type->args[f->type->argc];
    s->results = arena_array(im->arena, struct pointee, import_components(im, returned).count + 1);
    fresh(im, returned, taken, s->results);
    s->incoming = arena_array(im->arena, struct pointee, f->param_count + 1);
    for (uint32_t p = 0; p < f->param_count; p++)
        if (f->params[p].byval)
            fresh(im, f->params[p].type, taken, &s->incoming[p]);
}

/* What a launch gives leads to global memory; a structure by value is copied to private memory. */
static void find_params(struct finder *n)
{
    for (uint32_t p = 0; p < n->f->param_count; p++) {
        const struct ll_param *param = &n->f->params[p];
        struct components all = import_components(n->im, param->byval ? param->byval : param->type);
        struct pointee own = n->s->values[n->s->first[p]];
        if (param->byval) {
            constrain(n, own, IR_TYPE_PRIVATE);
            link(n, own, n->s->incoming[p], ll_bytes(n->im->ll, param->byval));
        }
        for (uint32_t k = 0; k < all.count && n->f->is_kernel; k++) {
            if (all.at[k].type->kind != LL_POINTER)
                continue;
            struct pointee at = {own.object, own.offset + (int64_t)all.at[k].offset};
            struct pointee given = param->byval ? content(n, at) : n->s->values[n->s->first[p] + k];
            if (import_space(n->im->ll, all.at[k].type->bits) == IR_TYPE_VOID)
                constrain(n, given, IR_TYPE_GLOBAL);
        }
    }
}

static void reach(struct finder *n, struct pointee p)
{
    struct importer *im = n->im;
    if (!p.object)
        return;
    struct space_object *o = &im->objects.at[find(im, p).object];
    if (o->of_module || o->interface != UINT32_MAX)
        return;
    o->interface = n->s->interface.count;
    vec_push(im->arena, &n->s->interface, (uint32_t)(o - im->objects.at));
}

static void find_interface(struct finder *n)
{
    struct importer *im = n->im;
    for (uint32_t p = 0; p < n->f->param_count; p++) {
        uint32_t count = import_components(im, n->f->params[p].type).count;
        for (uint32_t k = 0; k < count; k++)
            reach(n, incoming(im, n->number, p, k));
    }
    uint32_t results = import_components(im, n->f->type->args[n->f->type->argc]).count;
    for (uint32_t k = 0; k < results; k++)
        reach(n, n->s->results[k]);
    for (uint32_t k = 0; k < n->s->interface.count; k++)
        for (uint32_t e = 0; e < im->objects.at[n->s->interface.at[k]].fields.count; e++)
            reach(n, im->objects.at[n->s->interface.at[k]].fields.at[e].to);
}

static bool find_function(struct importer *im, uint32_t number)
{
    struct finder n = {.im = im,
                       .f = &im->ll->functions.at[number],
                       .s = &im->spaces[number],
                       .number = number,
                       .debug = UINT32_MAX};
    n.at = n.f->at;
    if (!n.s->values)
        begin_function(im, number);
    find_params(&n);
    for (uint32_t b = 0; b < n.f->blocks.count; b++)
        for (uint32_t i = 0; i < n.f->blocks.at[b].ins.count && !im->d->stopped; i++)
            find_instruction(&n, &n.f->blocks.at[b].ins.at[i]);
    find_interface(&n);
    return !n.failed;
}

/* ---- the module ---------------------------------------------------------------------------------------- */

/* Global variables, and what the pointers in their values lead to. */
static bool find_globals(struct importer *im)
{
    struct function_spaces none = {0};
    struct finder n = {.im = im, .s = &none, .debug = UINT32_MAX};
    im->global_objects = arena_array(im->arena, uint32_t, im->ll->globals.count + 1);
    for (uint32_t g = 0; g < im->ll->globals.count; g++) {
        const struct ll_global *global = &im->ll->globals.at[g];
        enum ir_type space = import_space(im->ll, global->space);
        if (space == IR_TYPE_VOID || space == IR_TYPE_GLOBAL)
            space = global->is_constant ? IR_TYPE_CONSTANT : IR_TYPE_GLOBAL;
        im->global_objects[g] = new_object(im, space);
        im->objects.at[im->global_objects[g]].of_module = true;
    }
    for (uint32_t g = 0; g < im->ll->globals.count; g++) {
        const struct ll_global *global = &im->ll->globals.at[g];
        if (!global->initial || !import_has_pointers(im, global->type))
            continue;
        n.at = global->at;
        struct components all = import_components(im, global->type);
        for (uint32_t k = 0; k < all.count; k++)
            if (all.at[k].type->kind == LL_POINTER) {
                struct pointee at = {im->global_objects[g], (int64_t)all.at[k].offset};
                unify(&n, content(&n, at), of_operand(&n, global->initial, k));
            }
    }
    return !n.failed;
}

bool spaces_find(struct importer *im)
{
    bool good = true;
    new_object(im, IR_TYPE_VOID); /* number 0 is no object */
    good = find_globals(im);
    bitset_each(t, im->taken)
        if (im->ll->functions.at[t].is_defined)
            begin_function(im, t);
    for (uint32_t i = 0; i < im->order.count && !im->d->stopped; i++)
        good = find_function(im, im->order.at[i]) && good;
    return good && !im->d->errors;
}

enum ir_type spaces_of_object(struct importer *im, const uint8_t *assigned, uint32_t object)
{
    const struct space_object *o = &im->objects.at[find(im, (struct pointee){object, 0}).object];
    if (o->interface != UINT32_MAX && !o->of_module &&
        (o->space == IR_TYPE_VOID || assigned[o->interface] == SPACES_SEVERAL))
        return (enum ir_type)assigned[o->interface];
    return o->space == IR_TYPE_VOID ? IR_TYPE_GLOBAL : (enum ir_type)o->space;
}

bool spaces_is_known(struct importer *im, uint32_t object)
{
    const struct space_object *o = &im->objects.at[find(im, (struct pointee){object, 0}).object];
    return o->space != IR_TYPE_VOID || (o->interface != UINT32_MAX && !o->of_module);
}

uint32_t spaces_object(const struct function_spaces *s, const struct ll_value *v, uint32_t component)
{
    if (v->kind == LL_LOCAL)
        return s->values[s->first[v->number] + component].object;
    uint32_t first = map_get(&s->constants, (uintptr_t)v);
    return first == MAP_NONE ? 0 : s->components.at[first + component].object;
}

enum ir_mem spaces_element(struct importer *im, uint32_t object)
{
    return object ? (enum ir_mem)im->objects.at[find(im, (struct pointee){object, 0}).object].element
                  : IR_MEM_NONE;
}
