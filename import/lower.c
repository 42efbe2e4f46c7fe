/* lower.c: a module of LLVM IR becomes one of kernc's: which functions, which memory, in which order. */
#include "import/vocabulary.h"

/* ---- places and errors --------------------------------------------------------------------------------- */

static uint32_t debug_file(const struct ll_module *ll, uint32_t scope)
{
    for (int depth = 0; depth < IMPORT_MAX_SCOPES && scope != UINT32_MAX; depth++) {
        const struct ll_item *file = ll_item(ll, scope, "file"), *up = ll_item(ll, scope, "scope");
        if (file && file->kind == LL_ITEM_NODE)
            return file->node;
        scope = up && up->kind == LL_ITEM_NODE ? up->node : UINT32_MAX;
    }
    return UINT32_MAX;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Whether the node's file is the one that is shown: compilers name it as they were told, or say `-`. */
static bool is_shown(const struct importer *im, uint32_t scope)
{
    uint32_t file = debug_file(im->ll, scope);
    const struct ll_item *name = ll_item(im->ll, file, "filename");
    if (!name || name->kind != LL_ITEM_STRING)
        return false;
    return strcmp(name->text, "-") == 0 || strcmp(name->text, "<stdin>") == 0 ||
           strcmp(base_name(name->text), base_name(im->shown->name)) == 0;
}

/* Of an inlined instruction the call's place, if the callee stands in a file that is not shown. */
place import_place(struct importer *im, place ll, uint32_t debug)
{
    if (!im->by_debug)
        return ll;
    for (int depth = 0; depth < IMPORT_MAX_SCOPES && debug != UINT32_MAX; depth++) {
        const struct ll_item *scope = ll_item(im->ll, debug, "scope"),
                             *up = ll_item(im->ll, debug, "inlinedAt");
        if (scope && scope->kind == LL_ITEM_NODE && is_shown(im, scope->node)) {
            uint64_t line = ll_number(im->ll, debug, "line");
            return line > im->shown->line_count
                       ? (place){0}
                       : (place){(uint32_t)line, (uint32_t)ll_number(im->ll, debug, "column")};
        }
        debug = up && up->kind == LL_ITEM_NODE ? up->node : UINT32_MAX;
    }
    return (place){0};
}

void import_error(struct importer *im, place ll, uint32_t debug, const char *id, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    diag_addv(im->d, DIAG_ERROR, id, (span){import_place(im, ll, debug), {0}}, fmt, ap);
    va_end(ap);
}

/* ---- values as scalars --------------------------------------------------------------------------------- */

typedef VEC(struct component) component_list;

/* Each part has a component, but for those of no size, which are skipped: so this ends soon after too many. */
static void add_components(struct importer *im, const struct ll_type *t, uint64_t offset, component_list *all)
{
    bool is_compound = t->kind == LL_STRUCT || t->kind == LL_ARRAY || t->kind == LL_VECTOR;
    if (all->count > IMPORT_MAX_SCALARS || (is_compound && ll_bytes(im->ll, t) == 0))
        return;
    switch ((enum ll_kind)t->kind) {
    case LL_VOID:
    case LL_LABEL:
    case LL_METADATA:
    case LL_FUNCTION:
    case LL_OPAQUE: break;
    case LL_VECTOR:
    case LL_ARRAY: {
        uint64_t bytes = ll_bytes(im->ll, t->args[0]);
        for (uint64_t i = 0; i < t->count && all->count <= IMPORT_MAX_SCALARS; i++)
            add_components(im, t->args[0], offset + i * bytes, all);
        break;
    }
    case LL_STRUCT:
        for (uint32_t i = 0; i < t->argc; i++)
            add_components(im, t->args[i], offset + ll_field(im->ll, t, i), all);
        break;
    default: vec_push(im->arena, all, ((struct component){t, offset})); break;
    }
}

struct components import_components(struct importer *im, const struct ll_type *t)
{
    uint32_t known = map_get(&im->component_index, (uintptr_t)t);
    if (known != MAP_NONE)
        return im->component_lists.at[known];
    component_list all = {0};
    add_components(im, t, 0, &all);
    if (all.count > IMPORT_MAX_SCALARS) {
        import_error(
            im, (place){0}, UINT32_MAX, "import-limit",
            "a value of type %s is more than %u numbers (IMPORT_MAX_SCALARS): load its parts one by one",
            ll_type_text(im->arena, t), IMPORT_MAX_SCALARS);
        all.count = 0;
    }
    struct components l = {all.count, all.at};
    map_set(im->arena, &im->component_index, (uintptr_t)t, im->component_lists.count);
    vec_push(im->arena, &im->component_lists, l);
    return l;
}

const struct ll_type *import_part_type(const struct ll_type *t, uint32_t index)
{
    return t->kind == LL_STRUCT ? t->args[index < t->argc ? index : 0] : t->args[0];
}

uint32_t import_part(struct importer *im, const struct ll_type *t, uint32_t index, uint32_t *count)
{
    uint32_t first = 0;
    *count = import_components(im, import_part_type(t, index)).count;
    if (t->kind != LL_STRUCT)
        return index * *count;
    for (uint32_t i = 0; i < index && i < t->argc; i++)
        first += import_components(im, t->args[i]).count;
    return first;
}

bool import_has_pointers(struct importer *im, const struct ll_type *t)
{
    if (t->kind == LL_ARRAY || t->kind == LL_VECTOR)
        return import_has_pointers(im, t->args[0]);
    if (t->kind != LL_STRUCT)
        return t->kind == LL_POINTER;
    uint32_t known = map_get(&im->has_pointers, (uintptr_t)t);
    if (known != MAP_NONE)
        return known;
    bool has = false;
    for (uint32_t i = 0; i < t->argc && !has; i++)
        has = import_has_pointers(im, t->args[i]);
    map_set(im->arena, &im->has_pointers, (uintptr_t)t, has);
    return has;
}

/* SPIR: 0 private, 1 global, 2 constant, 3 local, 4 generic; NVPTX and AMDGPU: 0 generic, 4 constant, 5
 * private. */
enum ir_type import_space(const struct ll_module *ll, uint32_t number)
{
    bool spir = ll->triple && strncmp(ll->triple, "spir", 4) == 0;
    switch (number) {
    case 1: return IR_TYPE_GLOBAL;
    case 2: return spir ? IR_TYPE_CONSTANT : IR_TYPE_VOID;
    case 3: return IR_TYPE_SHARED;
    case 4: return spir ? IR_TYPE_VOID : IR_TYPE_CONSTANT;
    case 5: return spir ? IR_TYPE_VOID : IR_TYPE_PRIVATE;
    default: return IR_TYPE_VOID;
    }
}

/* ---- which functions, in which order ------------------------------------------------------------------- */

uint32_t import_callee(const struct importer *im, const struct ll_ins *call)
{
    const struct ll_value *v = call->callee;
    for (int depth = 0; v && v->kind == LL_GLOBAL && depth <= IMPORT_MAX_NESTING; depth++)
        v = im->ll->globals.at[v->number].alias;
    if (!v || v->kind != LL_FUNCTION_REF || !im->ll->functions.at[v->number].is_defined)
        return UINT32_MAX;
    return v->number;
}

/* Calls `visit` for each function and global that the value names. Values nest as deep as their text may. */
static void each_name(struct importer *im, const struct ll_value *v, uint32_t function,
                      void (*visit)(struct importer *, const struct ll_value *, uint32_t function))
{
    if (!v)
        return;
    if (v->kind == LL_FUNCTION_REF || v->kind == LL_GLOBAL)
        visit(im, v, function);
    for (uint32_t a = 0; a < v->argc; a++)
        each_name(im, v->args[a], function, visit);
}

static void take_function(struct importer *im, const struct ll_value *v, uint32_t function)
{
    UNUSED(function);
    if (v->kind == LL_FUNCTION_REF)
        bitset_add(im->taken, v->number);
}

bool import_is_implicit(const struct importer *im, uint32_t global)
{
    const struct ll_global *g = &im->ll->globals.at[global];
    if (g->alias)
        return false;
    if (import_space(im->ll, g->space) == IR_TYPE_SHARED)
        return g->is_external || ll_bytes(im->ll, g->type) == 0;
    if (import_space(im->ll, g->space) == IR_TYPE_CONSTANT)
        return !g->initial ||
               (!g->is_constant && (g->initial->kind == LL_ZERO || g->initial->kind == LL_UNDEF));
    return !g->is_constant || g->is_external;
}

/* To add to: most functions have none. */
static struct bitset *implicit_of(struct importer *im, uint32_t function)
{
    struct bitset *all = &im->implicit[function];
    if (!all->words)
        *all = bitset_new(im->arena, im->ll->globals.count + 1);
    return all;
}

static void pass_global(struct importer *im, const struct ll_value *v, uint32_t function)
{
    if (v->kind != LL_GLOBAL)
        return;
    const struct ll_global *g = &im->ll->globals.at[v->number];
    if (g->alias)
        each_name(im, g->alias, function, pass_global);
    else if (import_is_implicit(im, v->number))
        bitset_add(*implicit_of(im, function), v->number);
}

static void find_taken(struct importer *im, const struct ll_function *f)
{
    for (uint32_t b = 0; b < f->blocks.count; b++)
        for (uint32_t i = 0; i < f->blocks.at[b].ins.count; i++) {
            const struct ll_ins *ins = &f->blocks.at[b].ins.at[i];
            for (uint32_t a = 0; a < ins->argc; a++)
                each_name(im, ins->args[a], 0, take_function);
        }
}

/* What a function needs of what it calls: memory that launches give, threads together. */
static void inherit(struct importer *im, uint32_t function)
{
    const struct ll_function *f = &im->ll->functions.at[function];
    for (uint32_t b = 0; b < f->blocks.count; b++)
        for (uint32_t i = 0; i < f->blocks.at[b].ins.count; i++) {
            const struct ll_ins *ins = &f->blocks.at[b].ins.at[i];
            uint32_t callee = ins->op == LL_OP_call ? import_callee(im, ins) : UINT32_MAX;
            for (uint32_t a = 0; a < ins->argc; a++)
                each_name(im, ins->args[a], function, pass_global);
            if (callee != UINT32_MAX) {
                if (im->implicit[callee].words)
                    bitset_union(*implicit_of(im, function), im->implicit[callee]);
                if (bitset_has(im->converges, callee))
                    bitset_add(im->converges, function);
            } else if (ins->op == LL_OP_call && import_call_converges(im, ins)) {
                bitset_add(im->converges, function);
            }
        }
}

/* Callees first. A function that comes again on its own way of calls calls itself. */
struct visit {
    uint32_t function, block, ins;
};

static void order_from(struct importer *im, uint32_t root, struct bitset begun, struct bitset done)
{
    VEC(struct visit) way = {0};
    if (bitset_has(done, root))
        return;
    vec_push(im->arena, &way, ((struct visit){root, 0, 0}));
    bitset_add(begun, root);
    while (way.count) {
        struct visit *v = &vec_last(&way);
        const struct ll_function *f = &im->ll->functions.at[v->function];
        if (v->block == f->blocks.count) {
            bitset_add(done, v->function);
            vec_push(im->arena, &im->order, v->function);
            way.count--;
            continue;
        }
        if (v->ins == f->blocks.at[v->block].ins.count) {
            v->block++;
            v->ins = 0;
            continue;
        }
        const struct ll_ins *ins = &f->blocks.at[v->block].ins.at[v->ins++];
        uint32_t callee = ins->op == LL_OP_call ? import_callee(im, ins) : UINT32_MAX;
        if (callee == UINT32_MAX || bitset_has(done, callee))
            continue;
        if (bitset_has(begun, callee)) {
            import_error(
                im, ins->at, ins->debug, "import-recursion",
                "'%s' calls itself, directly or through others: kernels have no stack for that; write a "
                "loop with a stack of its own",
                import_function_name(im, callee));
            continue;
        }
        bitset_add(begun, callee);
        vec_push(im->arena, &way, ((struct visit){callee, 0, 0}));
    }
}

static void order_functions(struct importer *im)
{
    const struct ll_module *ll = im->ll;
    struct bitset begun = bitset_new(im->arena, ll->functions.count + 1);
    struct bitset done = bitset_new(im->arena, ll->functions.count + 1);
    uint32_t kernels = 0;
    for (uint32_t f = 0; f < ll->functions.count; f++) {
        if (!ll->functions.at[f].is_kernel || !ll->functions.at[f].is_defined)
            continue;
        kernels++;
        order_from(im, f, begun, done);
    }
    for (uint32_t g = 0; g < ll->globals.count; g++)
        if (strncmp(ll->globals.at[g].name, "llvm.", 5) != 0)
            each_name(im, ll->globals.at[g].initial, 0, take_function);
    /* What is taken takes others. */
    for (uint32_t seen = 0, again = true; again; again = seen < im->order.count) {
        for (; seen < im->order.count; seen++)
            find_taken(im, &ll->functions.at[im->order.at[seen]]);
        bitset_each(t, im->taken)
            if (ll->functions.at[t].is_defined && !ll->functions.at[t].is_kernel)
                order_from(im, t, begun, done);
            else
                bitset_remove(im->taken, t);
    }
    for (uint32_t i = 0; i < im->order.count; i++)
        inherit(im, im->order.at[i]);
    if (!kernels)
        import_error(
            im, (place){0}, UINT32_MAX, "import-kernels",
            "there is no kernel: a function marked __global__ (CUDA, HIP) or __kernel (OpenCL), or in LLVM "
            "IR one with the calling convention ptx_kernel, spir_kernel or amdgpu_kernel");
}

/* ---- what the parser lets pass ------------------------------------------------------------------------- */

static void check_aliases(struct importer *im)
{
    for (uint32_t g = 0; g < im->ll->globals.count; g++) {
        const struct ll_value *v = im->ll->globals.at[g].alias;
        for (int depth = 0; v; depth++) {
            if (depth > IMPORT_MAX_NESTING) {
                import_error(im, im->ll->globals.at[g].at, UINT32_MAX, "import-global",
                             "'%s' is an alias of itself, or through more than %u others",
                             im->ll->globals.at[g].name, IMPORT_MAX_NESTING);
                return;
            }
            v = v->kind == LL_GLOBAL                  ? im->ll->globals.at[v->number].alias
                : v->kind == LL_EXPRESSION && v->argc ? v->args[0]
                                                      : NULL;
        }
    }
}

static void check_call(struct importer *im, const struct ll_ins *i)
{
    if (import_callee(im, i) != UINT32_MAX || i->callee->kind != LL_FUNCTION_REF)
        return;
    const struct builtin *b = import_builtin(im, i->callee->number);
    if (b && i->argc < import_least_args(b))
        import_error(im, i->at, i->debug, "import-call", "'%s' takes %u arguments, and has %u",
                     im->ll->functions.at[i->callee->number].name, import_least_args(b), i->argc);
}

static void check_calls(struct importer *im)
{
    for (uint32_t n = 0; n < im->order.count; n++) {
        const struct ll_function *f = &im->ll->functions.at[im->order.at[n]];
        for (uint32_t b = 0; b < f->blocks.count; b++)
            for (uint32_t k = 0; k < f->blocks.at[b].ins.count; k++)
                if (f->blocks.at[b].ins.at[k].op == LL_OP_call)
                    check_call(im, &f->blocks.at[b].ins.at[k]);
    }
}

/* ---- memory of the module ------------------------------------------------------------------------------ */

static void write_bytes(uint8_t *to, uint64_t bits, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes && i < 8; i++)
        to[i] = (uint8_t)(bits >> 8 * i);
}

/* False: the value has an address that no object can hold. */
static bool write_value(struct importer *im, const struct ll_value *v, uint8_t *to)
{
    const struct ll_type *t = v->type;
    switch ((enum ll_value_kind)v->kind) {
    case LL_NULL:
    case LL_ZERO:
    case LL_UNDEF: return true;
    case LL_CONST_INT:
        for (uint64_t i = 0, bytes = ll_bytes(im->ll, t); i < bytes; i += 8)
            if (i / 8 * 64 < t->bits)
                write_bytes(to + i, v->words[i / 8], bytes - i);
        return true;
    case LL_CONST_FLOAT: write_bytes(to, v->words[0], ll_bytes(im->ll, t)); return true;
    case LL_FUNCTION_REF:
        if (!bitset_has(im->taken, v->number))
            return false;
        write_bytes(to, import_taken(im, v->number)->id + 1, 4);
        return true;
    case LL_AGGREGATE:
        for (uint32_t i = 0; i < v->argc; i++) {
            uint64_t at = t->kind == LL_STRUCT ? ll_field(im->ll, t, i) : i * ll_bytes(im->ll, t->args[0]);
            if (!write_value(im, v->args[i], to + at))
                return false;
        }
        return true;
    default: return false;
    }
}

uint32_t import_object(struct importer *im, uint32_t global)
{
    const struct ll_global *g = &im->ll->globals.at[global];
    if (im->ir_objects[global] != UINT32_MAX)
        return im->ir_objects[global];
    uint64_t size = ll_bytes(im->ll, g->type);
    uint32_t align = g->align ? g->align : ll_align(im->ll, g->type);
    struct ir_object o = {.name = import_unique(im, import_global_name(im, global)),
                          .space = IR_TYPE_SHARED,
                          .align = align > IR_MAX_ALIGN ? IR_MAX_ALIGN : align};
    bool good = size <= IR_MAX_OBJECT_BYTES;
    o.size = good ? (uint32_t)(size ? size : 1) : 1;
    if (import_space(im->ll, g->space) != IR_TYPE_SHARED && good) {
        uint8_t *bytes = arena_alloc(&im->m->arena, o.size);
        o.space = IR_TYPE_CONSTANT;
        o.bytes = bytes;
        if (g->initial && !write_value(im, g->initial, bytes))
            import_error(
                im, g->at, UINT32_MAX, "import-global",
                "'%s' holds the address of a variable, which is only known as a kernel runs: fill it in "
                "the kernel",
                g->name);
    }
    if (!good)
        import_error(im, g->at, UINT32_MAX, "import-limit",
                     "'%s' has more than %u bytes (IR_MAX_OBJECT_BYTES)", g->name, IR_MAX_OBJECT_BYTES);
    vec_push(&im->m->arena, &im->m->objects, o);
    return im->ir_objects[global] = im->m->objects.count - 1;
}

uint32_t import_unsized(struct importer *im, const char *name, uint32_t unit, uint32_t align)
{
    struct ir_object o = {.name = import_unique(im, name),
                          .space = IR_TYPE_SHARED,
                          .unit = unit ? unit : 1,
                          .align = align > IR_UNSIZED_ALIGN ? IR_UNSIZED_ALIGN
                                   : align                  ? align
                                                            : 4};
    vec_push(&im->m->arena, &im->m->objects, o);
    return im->m->objects.count - 1;
}

const char *import_unique(struct importer *im, const char *name)
{
    const char *kept = intern_z(&im->m->strings, name);
    for (uint32_t n = 1; map_get(&im->names, (uintptr_t)kept) != MAP_NONE; n++)
        kept = intern_z(&im->m->strings, arena_printf(im->arena, "%s.%u", name, n));
    map_set(im->arena, &im->names, (uintptr_t)kept, 0);
    return kept;
}

/* ---- instances ----------------------------------------------------------------------------------------- */

static enum ir_type result_type(struct importer *im, const struct ll_function *f, uint32_t number,
                                const uint8_t *assigned)
{
    struct components all = import_components(im, f->type->args[f->type->argc]);
    if (all.count != 1)
        return IR_TYPE_VOID;
    return all.at[0].type->kind == LL_POINTER
               ? spaces_of_object(im, assigned, im->spaces[number].results[0].object)
               : import_scalar(all.at[0].type);
}

struct ir_function *import_instance(struct importer *im, uint32_t function, const uint8_t *assigned)
{
    const struct ll_function *f = &im->ll->functions.at[function];
    uint32_t n = im->spaces[function].interface.count, copies = 0;
    uint32_t i = map_get(&im->first_instance, function);
    for (; i != MAP_NONE && i < im->instances.count; i = im->instances.at[i].next, copies++)
        if (n == 0 || memcmp(im->instances.at[i].assigned, assigned, n) == 0)
            return im->instances.at[i].f;
    if (copies >= IMPORT_MAX_CLONES && !im->d->stopped) {
        import_error(im, f->at, f->debug, "import-limit",
                     "'%s' is called with pointers to different address spaces in more than %u ways "
                     "(IMPORT_MAX_CLONES)",
                     import_function_name(im, function), IMPORT_MAX_CLONES);
        im->d->stopped = true;
    }
    bool converges = bitset_has(im->converges, function) && (f->is_convergent || f->is_kernel);
    uint32_t flags = (f->is_kernel ? IR_FN_KERNEL : 0) | (converges ? IR_FN_CONVERGENT : 0) |
                     (f->is_alwaysinline ? IR_FN_INLINE : 0);
    const char *name = import_unique(im, import_function_name(im, function));
    struct ir_function *made = ir_function_new(im->m, name, result_type(im, f, function, assigned), flags);
    uint8_t *kept = arena_alloc(im->arena, n + 1);
    memcpy(kept, assigned, n);
    uint32_t first = map_get(&im->first_instance, function);
    vec_push(im->arena, &im->instances, ((struct instance){function, kept, made, first}));
    map_set(im->arena, &im->first_instance, function, im->instances.count - 1);
    return made;
}

/* For a function that is not called by its name: what is not known is global. */
static const uint8_t *all_global(struct importer *im, uint32_t function)
{
    uint32_t n = im->spaces[function].interface.count;
    uint8_t *spaces = arena_alloc(im->arena, n + 1);
    memset(spaces, IR_TYPE_GLOBAL, n);
    return spaces;
}

struct ir_function *import_taken(struct importer *im, uint32_t function)
{
    struct ir_function *f = import_instance(im, function, all_global(im, function));
    f->flags |= IR_FN_TAKEN;
    return f;
}

/* NVPTX's kernels up to LLVM 20: !nvvm.annotations = !{!0}, !0 = !{ptr @k, !"kernel", i32 1}. */
static void mark_kernels(struct ll_module *ll)
{
    for (uint32_t n = 0; n < ll->named.count; n++) {
        if (strcmp(ll->named.at[n].name, "nvvm.annotations") != 0)
            continue;
        for (uint32_t k = 0; k < ll->named.at[n].nodes.count; k++) {
            uint32_t number = ll->named.at[n].nodes.at[k];
            const struct ll_node *node = number < ll->nodes.count ? &ll->nodes.at[number] : NULL;
            if (!node || node->count < 3 || node->items[0].kind != LL_ITEM_VALUE)
                continue;
            const struct ll_value *f = node->items[0].value;
            for (uint32_t i = 1; f->kind == LL_FUNCTION_REF && i < node->count; i += 2)
                if (node->items[i].kind == LL_ITEM_STRING && strcmp(node->items[i].text, "kernel") == 0)
                    ll->functions.at[f->number].is_kernel = true;
        }
    }
}

/* kern/meet.h has a function that each thread calls before it returns from a kernel. */
static void call_at_exit(struct arena *arena, struct ll_module *ll)
{
    uint32_t to = 0;
    while (to < ll->functions.count && strcmp(ll->functions.at[to].name, "__kern_at_exit") != 0)
        to++;
    if (to == ll->functions.count || !ll->functions.at[to].is_defined || ll->functions.at[to].param_count)
        return;
    struct ll_value *callee = arena_array(arena, struct ll_value, 1);
    *callee = (struct ll_value){.kind = LL_FUNCTION_REF, .number = to, .type = ll->functions.at[to].type};
    for (uint32_t f = 0; f < ll->functions.count; f++)
        for (uint32_t b = 0; ll->functions.at[f].is_kernel && b < ll->functions.at[f].blocks.count; b++) {
            struct ll_block *block = &ll->functions.at[f].blocks.at[b];
            struct ll_ins end = block->ins.at[block->ins.count - 1];
            if (end.op != LL_OP_ret)
                continue;
            vec_push(arena, &block->ins, end);
            block->ins.at[block->ins.count - 2] = (struct ll_ins){.op = LL_OP_call,
                                                                  .result = UINT32_MAX,
                                                                  .type = end.type,
                                                                  .element = callee->type,
                                                                  .callee = callee,
                                                                  .attributes = UINT32_MAX,
                                                                  .debug = end.debug,
                                                                  .at = end.at};
        }
}

/* Bodies of kernels, then of what they turn out to call. */
static void lower_all(struct importer *im)
{
    for (uint32_t i = 0; i < im->order.count; i++)
        if (im->ll->functions.at[im->order.at[i]].is_kernel)
            import_instance(im, im->order.at[i], all_global(im, im->order.at[i]));
    for (uint32_t i = 0; i < im->instances.count && !im->d->stopped; i++)
        import_lower(im, i);
}

static void make_module(struct ir_module *m, void *data)
{
    struct importer *im = data;
    im->m = m;
    check_aliases(im);
    if (!im->d->errors)
        order_functions(im);
    check_calls(im);
    if (!im->d->errors && spaces_find(im))
        lower_all(im);
    if (!im->d->errors)
        import_launches(im);
    if (!im->d->errors)
        import_metadata(im->ll, m, im->d);
}

struct ir_module *import_llvm(struct source *s, const struct import_origin *origin, struct diagnostics *d,
                              struct source **shown)
{
    struct scratch scratch;
    struct arena *a = scratch_begin(&scratch);
    struct ll_module *ll = llvm_parse(a, s, d);
    struct importer im = {.arena = a, .d = d, .shown = s, .ll = ll};
    struct ir_module *m = NULL;
    *shown = s;
    if (im.ll && !d->errors) {
        mark_kernels(ll);
        call_at_exit(a, ll);
        uint32_t functions = im.ll->functions.count + 1, globals = im.ll->globals.count + 1;
        if (origin) {
            im.by_debug = true;
            *shown = im.shown = source_new(d->arena, origin->name, origin->text, origin->length);
            d->source = im.shown;
        }
        im.spaces = arena_array(a, struct function_spaces, functions);
        im.taken = bitset_new(a, functions);
        im.converges = bitset_new(a, functions);
        im.implicit = arena_array(a, struct bitset, functions);
        im.builtins = arena_array(a, const struct builtin *, functions);
        im.ir_objects = arena_array(a, uint32_t, globals);
        memset(im.ir_objects, 0xff, globals * sizeof *im.ir_objects);
        m = ir_module_new(im.shown->name);
        ir_module_fill(m, make_module, &im);
    }
    scratch_end(&scratch);
    if (m && d->errors) {
        ir_module_free(m);
        m = NULL;
    }
    return m;
}
