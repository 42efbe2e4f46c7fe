/* debug.c: what debug information says of functions, parameters and types: the names and types of the source.
 * Where there is none, names are LLVM's, and a pointer's elements are what is first read or written through it.
 */
#include "import/lower_function.h"
#include "launch/layout.h"

static const char *text_of(const struct ll_module *ll, uint32_t node, const char *key)
{
    const struct ll_item *i = ll_item(ll, node, key);
    return i && (i->kind == LL_ITEM_STRING || i->kind == LL_ITEM_WORD) && *i->text ? i->text : NULL;
}

static uint32_t node_of(const struct ll_module *ll, uint32_t node, const char *key)
{
    const struct ll_item *i = ll_item(ll, node, key);
    return i && i->kind == LL_ITEM_NODE ? i->node : UINT32_MAX;
}

static bool is_kind(const struct ll_module *ll, uint32_t node, const char *kind)
{
    return node < ll->nodes.count && ll->nodes.at[node].kind && strcmp(ll->nodes.at[node].kind, kind) == 0;
}

static bool has_tag(const struct ll_module *ll, uint32_t node, const char *tag)
{
    const char *t = text_of(ll, node, "tag");
    return t && strcmp(t, tag) == 0;
}

/* ---- names --------------------------------------------------------------------------------------------- */

place import_function_place(struct importer *im, uint32_t function)
{
    uint32_t node = im->ll->functions.at[function].debug;
    uint64_t line = ll_number(im->ll, node, "line");
    return (place){line <= im->shown->line_count ? (uint32_t)line : 0, 0};
}

/* A kernel has the name of the source; of overloaded ones each but one has LLVM's. */
const char *import_function_name(struct importer *im, uint32_t function)
{
    const struct ll_function *f = &im->ll->functions.at[function];
    const char *name = text_of(im->ll, f->debug, "name");
    for (uint32_t k = 0; name && k < im->order.count; k++) {
        const struct ll_function *other = &im->ll->functions.at[im->order.at[k]];
        const char *its =
            other != f && other->is_kernel == f->is_kernel ? text_of(im->ll, other->debug, "name") : NULL;
        if (its && strcmp(its, name) == 0)
            name = NULL;
    }
    return name && strlen(name) <= IR_MAX_NAME ? name : f->name;
}

/* _ZZ1kPfi1SE1t, a variable in a function, and _ZL1t: by the debug information `t`. */
const char *import_global_name(struct importer *im, uint32_t global)
{
    const struct ll_global *g = &im->ll->globals.at[global];
    const char *name = text_of(im->ll, node_of(im->ll, g->debug, "var"), "name");
    return name ? name : g->name;
}

/* The variable of the source that parameter p is, or UINT32_MAX. */
static uint32_t variable_of(const struct ll_module *ll, const struct ll_function *f, uint32_t p)
{
    for (uint32_t v = 0; v < f->variables.count; v++)
        if (ll_number(ll, f->variables.at[v].node, "arg") == p + 1)
            return f->variables.at[v].node;
    return UINT32_MAX;
}

/* ---- types --------------------------------------------------------------------------------------------- */

/* Without names and qualifiers. */
static uint32_t bare(const struct ll_module *ll, uint32_t type)
{
    static const char *const skipped[] = {"DW_TAG_typedef", "DW_TAG_const_type", "DW_TAG_volatile_type",
                                          "DW_TAG_restrict_type", "DW_TAG_atomic_type"};
    for (int depth = 0; depth < IMPORT_MAX_SCOPES; depth++) {
        bool skips = false;
        for (size_t k = 0; k < COUNT(skipped); k++)
            skips |= has_tag(ll, type, skipped[k]);
        if (!skips)
            return type;
        type = node_of(ll, type, "baseType");
    }
    return UINT32_MAX;
}

static bool is_pointer(const struct ll_module *ll, uint32_t type)
{
    return has_tag(ll, type, "DW_TAG_pointer_type") || has_tag(ll, type, "DW_TAG_reference_type");
}

static void print_type(const struct ll_module *ll, uint32_t type, int depth, struct text *t)
{
    uint32_t base = node_of(ll, type, "baseType");
    const char *name = text_of(ll, type, "name");
    if (type == UINT32_MAX || depth > IMPORT_MAX_SCOPES) {
        text_addz(t, "void");
    } else if (is_pointer(ll, type)) {
        print_type(ll, base, depth + 1, t);
        text_addz(t, t->length && t->at[t->length - 1] == '*' ? "*" : " *");
    } else if (has_tag(ll, type, "DW_TAG_const_type")) {
        text_addz(t, "const ");
        print_type(ll, base, depth + 1, t);
    } else if (name) {
        text_addz(t, name);
    } else if (base != UINT32_MAX) {
        print_type(ll, base, depth + 1, t);
    } else {
        text_addz(t, "struct");
    }
}

static enum launch_element basic_element(const struct ll_module *ll, uint32_t type)
{
    uint64_t bytes = ll_number(ll, type, "size") / 8;
    const char *e = text_of(ll, type, "encoding");
    bool is_unsigned = e && (strcmp(e, "DW_ATE_unsigned") == 0 || strcmp(e, "DW_ATE_unsigned_char") == 0);
    if (e && strcmp(e, "DW_ATE_boolean") == 0)
        return LAUNCH_BOOL;
    if (e && strcmp(e, "DW_ATE_float") == 0)
        return bytes == 8 ? LAUNCH_DOUBLE : bytes == 4 ? LAUNCH_FLOAT : LAUNCH_USHORT;
    switch (bytes) {
    case 1: return is_unsigned ? LAUNCH_UCHAR : LAUNCH_CHAR;
    case 2: return is_unsigned ? LAUNCH_USHORT : LAUNCH_SHORT;
    case 8: return is_unsigned ? LAUNCH_ULONG : LAUNCH_LONG;
    default: return is_unsigned ? LAUNCH_UINT : LAUNCH_INT;
    }
}

struct element {
    enum launch_element element;
    uint32_t bytes;
    const char *layout; /* of a structure, or NULL */
};

static bool print_layout(const struct ll_module *ll, uint32_t type, int depth, struct text *t);

static uint64_t count_of(const struct ll_module *ll, uint32_t range)
{
    const struct ll_item *i = ll_item(ll, range, "count");
    return i && i->kind == LL_ITEM_NUMBER && i->number > 0 ? (uint64_t)i->number : 0;
}

/* The elements of an array or vector type: their type, and their number in all dimensions together. */
static uint32_t array_of(const struct ll_module *ll, uint32_t type, uint64_t *count)
{
    uint32_t ranges = node_of(ll, type, "elements");
    *count = 1;
    for (uint32_t k = 0; ranges < ll->nodes.count && k < ll->nodes.at[ranges].count; k++)
        *count *= count_of(ll, ll->nodes.at[ranges].items[k].node);
    return bare(ll, node_of(ll, type, "baseType"));
}

static bool is_vector(const struct ll_module *ll, uint32_t type)
{
    const char *flags = text_of(ll, type, "flags");
    return has_tag(ll, type, "DW_TAG_array_type") && flags && strstr(flags, "DIFlagVector");
}

static bool print_value(const struct ll_module *ll, uint32_t type, int depth, struct text *t)
{
    uint64_t count;
    if (is_pointer(ll, type)) {
        text_addz(t, "pointer");
        return true;
    }
    if (is_vector(ll, type)) {
        uint32_t of = array_of(ll, type, &count);
        text_printf(t, "%s%u", launch_element_name(basic_element(ll, of)), (unsigned)count);
        return count >= 2 && count <= LAUNCH_VECTOR_MAX;
    }
    if (has_tag(ll, type, "DW_TAG_structure_type") || has_tag(ll, type, "DW_TAG_class_type") ||
        has_tag(ll, type, "DW_TAG_union_type"))
        return print_layout(ll, type, depth + 1, t);
    if (!is_kind(ll, type, "DIBasicType") && !has_tag(ll, type, "DW_TAG_enumeration_type"))
        return false;
    text_addz(t, launch_element_name(basic_element(ll, type)));
    return true;
}

/* As launch/layout.h writes it: {x:float@0,n:int[2]@4}12. False: something in it has no layout. */
static bool print_layout(const struct ll_module *ll, uint32_t type, int depth, struct text *t)
{
    uint32_t members = node_of(ll, type, "elements");
    const char *comma = "";
    text_addz(t, "{");
    if (depth > IMPORT_MAX_SCOPES || members >= ll->nodes.count)
        return false;
    for (uint32_t k = 0; k < ll->nodes.at[members].count; k++) {
        uint32_t m = ll->nodes.at[members].items[k].node, of = bare(ll, node_of(ll, m, "baseType"));
        const char *name = text_of(ll, m, "name"), *flags = text_of(ll, m, "flags");
        uint64_t counts[16];
        uint32_t dimensions = 0;
        if (ll->nodes.at[members].items[k].kind != LL_ITEM_NODE || !has_tag(ll, m, "DW_TAG_member") ||
            (flags && strstr(flags, "DIFlagStaticMember")))
            continue;
        while (has_tag(ll, of, "DW_TAG_array_type") && !is_vector(ll, of)) {
            uint32_t ranges = node_of(ll, of, "elements");
            for (uint32_t r = 0;
                 ranges < ll->nodes.count && r < ll->nodes.at[ranges].count && dimensions < 16; r++)
                counts[dimensions++] = count_of(ll, ll->nodes.at[ranges].items[r].node);
            of = bare(ll, node_of(ll, of, "baseType"));
        }
        text_printf(t, "%s%s:", comma, name ? name : arena_printf(t->arena, "_%u", k));
        if (!print_value(ll, of, depth, t))
            return false;
        for (uint32_t d = 0; d < dimensions; d++)
            text_printf(t, "[%llu]", (unsigned long long)counts[d]);
        text_printf(t, "@%llu", (unsigned long long)(ll_number(ll, m, "offset") / 8));
        comma = ",";
    }
    text_printf(t, "}%llu", (unsigned long long)(ll_number(ll, type, "size") / 8));
    return *comma != 0;
}

/* CUDA's float4 is a structure of x, y, z and w, which a launch takes as a vector. */
static bool vector_structure(const struct ll_module *ll, uint32_t type, struct element *e)
{
    static const char *const names[] = {"x", "y", "z", "w"};
    uint32_t members = node_of(ll, type, "elements"), count = 0;
    for (uint32_t k = 0; members < ll->nodes.count && k < ll->nodes.at[members].count; k++) {
        uint32_t m = ll->nodes.at[members].items[k].node, of = bare(ll, node_of(ll, m, "baseType"));
        if (!has_tag(ll, m, "DW_TAG_member"))
            continue;
        const char *name = text_of(ll, m, "name");
        if (count == 4 || !name || strcmp(name, names[count]) != 0 || !is_kind(ll, of, "DIBasicType"))
            return false;
        e->element = basic_element(ll, of);
        count++;
    }
    return count >= 2 && launch_scalars(e->element, e->bytes) == count;
}

/* What a buffer of the type's values holds. */
static struct element element_of(struct importer *im, uint32_t type)
{
    const struct ll_module *ll = im->ll;
    uint64_t count, bytes = ll_number(ll, type, "size") / 8;
    struct element e = {LAUNCH_BYTES, bytes < UINT32_MAX ? (uint32_t)bytes : 0, NULL};
    struct text t = {.arena = &im->m->arena};
    if (is_kind(ll, type, "DIBasicType") || has_tag(ll, type, "DW_TAG_enumeration_type")) {
        e.element = basic_element(ll, type);
        e.bytes = launch_element_bytes(e.element);
    } else if (is_vector(ll, type)) {
        e.element = basic_element(ll, array_of(ll, type, &count));
        e.bytes = launch_element_bytes(e.element) * (uint32_t)(count == 3 ? 4 : count);
        if (!launch_is_element(e.element, e.bytes))
            e.element = LAUNCH_BYTES;
    } else if (has_tag(ll, type, "DW_TAG_array_type")) {
        return element_of(im, array_of(ll, type, &count));
    } else if (!vector_structure(ll, type, &e)) {
        e.element = LAUNCH_BYTES;
        if (!is_pointer(ll, type) && print_layout(ll, type, 0, &t) && layout_is_good(t.at, e.bytes))
            e.layout = t.at;
    }
    return e;
}

/* What a scalar of memory is where nothing tells its type in C: LLVM's integers have no sign. */
static struct element plain_element(enum ir_mem m)
{
    static const enum launch_element of[IR_MEMS] = {
        [IR_MEM_NONE] = LAUNCH_INT,  [IR_MEM_B8] = LAUNCH_BOOL,    [IR_MEM_U8] = LAUNCH_CHAR,
        [IR_MEM_U16] = LAUNCH_SHORT, [IR_MEM_I32] = LAUNCH_INT,    [IR_MEM_I64] = LAUNCH_LONG,
        [IR_MEM_F32] = LAUNCH_FLOAT, [IR_MEM_F64] = LAUNCH_DOUBLE, [IR_MEM_PTR] = LAUNCH_INT};
    return (struct element){of[m], launch_element_bytes(of[m]), NULL};
}

/* ---- parameters ---------------------------------------------------------------------------------------- */

/* "[2]" becomes ".2", as parameters of Kern are called. */
static const char *with_points(struct arena *a, const char *path)
{
    struct text t = {.arena = a};
    for (; *path; path++)
        if (*path != ']')
            text_char(&t, *path == '[' ? '.' : *path);
    return t.at;
}

/* The path of the structure's scalar at the offset: `.origin.x`, `.corner.1`. */
static const char *part_name(struct importer *im, uint32_t type, uint64_t offset, uint32_t component)
{
    struct layout whole = {0};
    struct text t = {.arena = im->arena};
    if (print_layout(im->ll, type, 0, &t) && !layout_parse(im->arena, t.at, &whole)) {
        const char *path = layout_path(im->arena, &whole, (uint32_t)offset);
        if (path && *path)
            return with_points(im->arena, path);
    }
    return arena_printf(im->arena, ".%u", component);
}

struct ir_param_info import_param_info(struct importer *im, uint32_t function, uint32_t param,
                                       uint32_t component)
{
    const struct ll_function *f = &im->ll->functions.at[function];
    const struct ll_param *p = &f->params[param];
    struct components all = import_components(im, p->byval ? p->byval : p->type);
    uint32_t variable = variable_of(im->ll, f, param), type = bare(im->ll, node_of(im->ll, variable, "type"));
    const char *name = text_of(im->ll, variable, "name");
    name = name ? name : p->name ? p->name : arena_printf(im->arena, "arg%u", param);
    struct text t = {.arena = &im->m->arena};
    const struct ll_type *scalar = all.at[component].type;
    bool whole = all.count == 1 && !p->byval;
    struct element e = plain_element(import_is_short(scalar) ? IR_MEM_F32 : import_access(scalar));
    if (scalar->kind == LL_INT && scalar->bits > 32)
        e = plain_element(IR_MEM_I64);
    if (!whole)
        name =
            arena_printf(im->arena, "%s%s", name, part_name(im, type, all.at[component].offset, component));
    if (scalar->kind == LL_POINTER && whole && type != UINT32_MAX && is_pointer(im->ll, type))
        e = element_of(im, bare(im->ll, node_of(im->ll, type, "baseType")));
    else if (scalar->kind == LL_POINTER && whole)
        e = plain_element(
            spaces_element(im, im->spaces[function].values[im->spaces[function].first[param]].object));
    else if (whole && type != UINT32_MAX)
        e = element_of(im, type);
    if (e.element == LAUNCH_BYTES && !e.bytes)
        e = plain_element(IR_MEM_NONE);
    if (scalar->kind == LL_POINTER)
        text_addz(&t, "global ");
    if (whole && type != UINT32_MAX)
        print_type(im->ll, node_of(im->ll, variable, "type"), 0, &t);
    else
        text_printf(&t, "%s%s", launch_element_name(e.element), scalar->kind == LL_POINTER ? " *" : "");
    return (struct ir_param_info){.name = intern_z(&im->m->strings, name),
                                  .text = t.at,
                                  .type = (uint8_t)import_scalar(scalar),
                                  .element = (uint8_t)e.element,
                                  .element_bytes = e.bytes,
                                  .layout = e.layout};
}

struct ir_param_info import_global_info(struct importer *im, uint32_t global)
{
    const struct ll_global *g = &im->ll->globals.at[global];
    uint32_t type = bare(im->ll, node_of(im->ll, node_of(im->ll, g->debug, "var"), "type"));
    struct element e = type != UINT32_MAX ? element_of(im, type)
                                          : plain_element(spaces_element(im, im->global_objects[global]));
    if (e.element == LAUNCH_BYTES && !e.bytes)
        e = plain_element(IR_MEM_NONE);
    return (struct ir_param_info){
        .name = intern_z(&im->m->strings, import_global_name(im, global)),
        .text =
            intern_z(&im->m->strings, arena_printf(im->arena, "global %s *", launch_element_name(e.element))),
        .type = IR_TYPE_GLOBAL,
        .element = (uint8_t)e.element,
        .element_bytes = e.bytes,
        .layout = e.layout};
}
