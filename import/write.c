/* write.c: a module of kernc's IR as LLVM IR text: functions, blocks, globals, debug information. */
#include "import/write_parts.h"

#include <math.h>

/* ---- names and values ---------------------------------------------------------------------------------- */

const char *write_type(enum ir_type t)
{
    static const char *const names[IR_TYPES] = {
        [IR_TYPE_VOID] = "void",
        [IR_TYPE_I1] = "i1",
        [IR_TYPE_I32] = "i32",
        [IR_TYPE_I64] = "i64",
        [IR_TYPE_F32] = "float",
        [IR_TYPE_F64] = "double",
        [IR_TYPE_GLOBAL] = "ptr addrspace(1)",
        [IR_TYPE_CONSTANT] = "ptr addrspace(4)",
        [IR_TYPE_SHARED] = "ptr addrspace(3)",
        [IR_TYPE_PRIVATE] = "ptr addrspace(5)",
        [IR_TYPE_FUNCTION] = "ptr",
        [IR_TYPE_TOKEN] = "token",
    };
    return names[t];
}

/* Bytes between quotes as LLVM escapes them. */
static void write_bytes(struct text *to, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)bytes[i];
        text_printf(to, c < ' ' || c > '~' || c == '"' || c == '\\' ? "\\%02X" : "%c", c);
    }
}

void write_name(struct text *to, const char *name)
{
    bool plain = *name && !(*name >= '0' && *name <= '9');
    for (const char *c = name; *c; c++)
        plain = plain && (ir_is_name_char(*c) || *c == '$' || *c == '-');
    text_addz(to, plain ? "@" : "@\"");
    write_bytes(to, name, strlen(name));
    text_addz(to, plain ? "" : "\"");
}

/* A float is written as the double of the same value. */
static uint64_t double_bits(uint32_t f)
{
    if ((f & 0x7f800000) != 0x7f800000)
        return scalar_raw_f64(scalar_from_f32(f));
    return (uint64_t)(f >> 31) << 63 | (uint64_t)0x7ff << 52 | (uint64_t)(f & 0x7fffff) << 29;
}

static const char *constant(struct writer *w, const struct ir_ins *i)
{
    enum ir_type t = (enum ir_type)i->type;
    switch (t) {
    case IR_TYPE_I1: return i->imm ? "true" : "false";
    case IR_TYPE_I32: return arena_printf(w->frame, "%d", i32((uint32_t)i->imm));
    case IR_TYPE_I64: return arena_printf(w->frame, "%lld", (long long)i->imm);
    case IR_TYPE_F32:
        return arena_printf(w->frame, "0x%016llX", (unsigned long long)double_bits((uint32_t)i->imm));
    case IR_TYPE_F64: return arena_printf(w->frame, "0x%016llX", (unsigned long long)i->imm);
    default:
        return i->imm ? arena_printf(w->frame, "inttoptr (i32 %u to %s)", (uint32_t)i->imm, write_type(t))
                      : "null";
    }
}

const char *write_value(struct writer *w, ir_ref r)
{
    const struct ir_ins *i = ir_at(w->f, r);
    if (i->op == IR_constant)
        return constant(w, i);
    if (i->op == IR_object)
        return w->objects[i->imm];
    if (i->op == IR_function)
        return w->functions[i->imm];
    const char *name = w->names.values[r];
    return arena_printf(w->frame, ir_is_numbered_value(name) ? "%%.%s" : "%%%s", name);
}

const char *write_typed(struct writer *w, ir_ref r)
{
    return arena_printf(w->frame, "%s %s", write_type((enum ir_type)ir_at(w->f, r)->type), write_value(w, r));
}

const char *write_fresh(struct writer *w)
{
    return arena_printf(w->frame, "%%$%u", w->temporaries++);
}

const char *write_text(struct writer *w, int64_t text)
{
    return arena_printf(w->frame, "ptr addrspace(4) @.text.%lld", (long long)text);
}

void write_declare(struct writer *w, const char *result, const char *name, const char *params,
                   enum attributes a)
{
    uint64_t key = (uintptr_t)intern_z(&w->strings, name);
    if (map_get(&w->declared, key) != MAP_NONE)
        return;
    map_set(w->arena, &w->declared, key, 0);
    text_printf(&w->declares, "declare %s ", result);
    write_name(&w->declares, name);
    text_printf(&w->declares, strncmp(name, "llvm.", 5) == 0 ? "(%s)\n" : "(%s) #%d\n", params, (int)a);
}

/* ---- places -------------------------------------------------------------------------------------------- */

/* The node that follows, of metadata that is printed behind the functions. */
static uint32_t node(struct writer *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static uint32_t node(struct writer *w, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    text_printf(&w->metadata, "!%u = ", w->nodes);
    text_vprintf(&w->metadata, fmt, args);
    text_char(&w->metadata, '\n');
    va_end(args);
    return w->nodes++;
}

/* Calls have a place even if it is none: LLVM wants to inline them. UINT32_MAX: it has none. */
static uint32_t location(struct writer *w, const struct ir_ins *i)
{
    bool calls = i->op == IR_call;
    if (w->scope == UINT32_MAX || (!i->at.line && !calls))
        return UINT32_MAX;
    uint64_t key = (uint64_t)i->at.line << 16 | (i->at.column & 0xffff);
    uint32_t known = map_get(&w->places, key);
    if (known == MAP_NONE) {
        known = node(w, "!DILocation(line: %u, column: %u, scope: !%u)", i->at.line, i->at.column & 0xffff,
                     w->scope);
        map_set(w->frame, &w->places, key, known);
    }
    return known;
}

void write_line(struct writer *w, const struct ir_ins *i, const char *fmt, ...)
{
    va_list args;
    uint32_t at = location(w, i);
    va_start(args, fmt);
    text_addz(w->out, "  ");
    text_vprintf(w->out, fmt, args);
    va_end(args);
    text_printf(w->out, at == UINT32_MAX ? "\n" : ", !dbg !%u\n", at);
}

static void begin_places(struct writer *w)
{
    const struct ir_function *f = w->f;
    w->scope = UINT32_MAX;
    w->places = (struct map){0};
    if (!f->at.line || w->file == UINT32_MAX)
        return;
    struct text name = {.arena = w->frame};
    write_bytes(&name, f->name, strlen(f->name));
    uint32_t type = node(w, "!DISubroutineType(types: !{null})");
    w->scope = node(
        w,
        "distinct !DISubprogram(name: \"%s\", scope: !%u, file: !%u, line: %u, type: !%u, scopeLine: %u, "
        "spFlags: DISPFlagDefinition, unit: !%u)",
        name.at, w->file, w->file, f->at.line, type, f->at.line, w->file + 1);
}

/* ---- blocks -------------------------------------------------------------------------------------------- */

/* Blocks share their names with values in LLVM: `$` is behind one that a value has. */
static void name_blocks(struct writer *w)
{
    const struct ir_function *f = w->f;
    struct map values = {0};
    struct strings strings = {.arena = w->frame};
    for (uint32_t r = 0; r < f->ins.count; r++)
        if (w->names.values[r])
            map_set(w->frame, &values, (uintptr_t)intern_z(&strings, w->names.values[r]), 0);
    w->blocks = arena_array(w->frame, const char *, f->blocks.count + 1);
    ir_each_block(n, b, f) {
        const char *name = w->names.blocks[b];
        bool taken = map_get(&values, (uintptr_t)intern_z(&strings, name)) != MAP_NONE;
        w->blocks[b] = arena_printf(w->frame, taken ? "%s$" : "%s", name);
    }
}

/* Blocks of which two edges with arguments lead to one block: the edges get blocks of their own, since a phi
 * tells values apart by the block that they come from. */
static void find_crowded(struct writer *w)
{
    uint32_t *latest = arena_array(w->frame, uint32_t, w->f->blocks.count + 1);
    w->crowded = bitset_new(w->frame, w->f->blocks.count);
    ir_each_block(n, b, w->f) {
        const struct ir_block *from = ir_block_at(w->f, b);
        for (uint32_t e = 0; e < from->edges.count; e++) {
            uint32_t to = from->edges.at[e].block;
            if (latest[to] == n + 1 && from->edges.at[e].argc)
                bitset_add(w->crowded, b);
            latest[to] = n + 1;
        }
    }
}

static bool has_own_block(const struct writer *w, uint32_t b, uint32_t e)
{
    return bitset_has(w->crowded, b) && ir_block_at(w->f, b)->edges.at[e].argc;
}

/* The label of the block that edge e of b comes from. */
static const char *source_label(struct writer *w, uint32_t b, uint32_t e)
{
    return has_own_block(w, b, e) ? arena_printf(w->frame, "%s$%u", w->blocks[b], e) : w->blocks[b];
}

/* The label that b's terminator names for its edge e. */
static const char *target_label(struct writer *w, uint32_t b, uint32_t e)
{
    return has_own_block(w, b, e) ? source_label(w, b, e)
                                  : w->blocks[ir_block_at(w->f, b)->edges.at[e].block];
}

struct incoming {
    uint32_t block, edge;
};
typedef VEC(struct incoming) incoming_vec;

static incoming_vec *find_incoming(struct writer *w)
{
    incoming_vec *all = arena_array(w->frame, incoming_vec, w->f->blocks.count + 1);
    ir_each_block(n, b, w->f)
        for (uint32_t e = 0; e < ir_block_at(w->f, b)->edges.count; e++) {
            incoming_vec *to = &all[ir_block_at(w->f, b)->edges.at[e].block];
            vec_push(w->frame, to, ((struct incoming){b, e}));
        }
    return all;
}

static void write_phis(struct writer *w, uint32_t b, const incoming_vec *from)
{
    const u32_vec *params = &ir_block_at(w->f, b)->params;
    for (uint32_t p = 0; p < params->count; p++) {
        const struct ir_ins *i = ir_at(w->f, params->at[p]);
        struct text values = {.arena = w->frame};
        for (uint32_t k = 0; k < from->count; k++) {
            struct incoming in = from->at[k];
            ir_ref v = ir_block_at(w->f, in.block)->edges.at[in.edge].args[p];
            text_printf(&values, "%s[ %s, %%%s ]", k ? ", " : "", write_value(w, v),
                        source_label(w, in.block, in.edge));
        }
        write_line(w, i, "%s = phi %s %s", write_value(w, params->at[p]), write_type((enum ir_type)i->type),
                   values.at ? values.at : "");
    }
}

static void write_switch(struct writer *w, uint32_t b, const struct ir_ins *i)
{
    const struct ir_block *block = ir_block_at(w->f, b);
    struct text cases = {.arena = w->frame};
    text_addz(&cases, "");
    for (uint32_t e = 1; e < block->edges.count; e++)
        text_printf(&cases, "    %s %lld, label %%%s\n",
                    write_type((enum ir_type)ir_at(w->f, i->args[0])->type),
                    (long long)block->edges.at[e].value, target_label(w, b, e));
    write_line(w, i, "switch %s, label %%%s [\n%s  ]", write_typed(w, i->args[0]), target_label(w, b, 0),
               cases.at);
}

static void write_terminator(struct writer *w, uint32_t b, ir_ref r)
{
    const struct ir_ins *i = ir_at(w->f, r);
    switch ((enum ir_op)i->op) {
    case IR_br: write_line(w, i, "br label %%%s", target_label(w, b, 0)); break;
    case IR_brif:
        write_line(w, i, "br %s, label %%%s, label %%%s", write_typed(w, i->args[0]), target_label(w, b, 0),
                   target_label(w, b, 1));
        break;
    case IR_switch: write_switch(w, b, i); break;
    case IR_ret: write_line(w, i, "ret %s", i->argc ? write_typed(w, i->args[0]) : "void"); break;
    default:
        write_ins(w, r);
        write_line(w, i, "unreachable");
        break;
    }
}

/* The entry token first, where LLVM's inliner looks for it; then variables of all blocks. */
static void begin_entry(struct writer *w)
{
    ir_each_ins(r, w->f, ir_entry(w->f))
        if (ir_at(w->f, r)->op == IR_entry)
            write_ins(w, r);
    ir_each_block(n, b, w->f)
        ir_each_ins(r, w->f, b) {
            const struct ir_ins *i = ir_at(w->f, r);
            if (i->op == IR_alloca)
                write_line(w, i, "%s = alloca [%lld x i8], align %u, addrspace(5)", write_value(w, r),
                           (long long)i->imm, i->imm2);
        }
}

static void write_block(struct writer *w, uint32_t b, const incoming_vec *from)
{
    const struct ir_block *block = ir_block_at(w->f, b);
    text_printf(w->out, "%s:\n", w->blocks[b]);
    if (b == ir_entry(w->f))
        begin_entry(w);
    else
        write_phis(w, b, from);
    ir_each_ins(r, w->f, b)
        if (r == block->last)
            write_terminator(w, b, r);
        else if (ir_at(w->f, r)->op != IR_entry)
            write_ins(w, r);
    for (uint32_t e = 0; e < block->edges.count; e++)
        if (has_own_block(w, b, e))
            text_printf(w->out, "%s:\n  br label %%%s\n", source_label(w, b, e),
                        w->blocks[block->edges.at[e].block]);
}

/* ---- functions ----------------------------------------------------------------------------------------- */

static void write_function(struct writer *w, const struct ir_function *f)
{
    struct scratch scratch;
    struct text *out = w->out;
    w->frame = scratch_begin(&scratch);
    w->f = f;
    w->names = ir_names_new(w->frame, f);
    w->temporaries = 0;
    name_blocks(w);
    find_crowded(w);
    begin_places(w);
    const incoming_vec *incoming = find_incoming(w);
    const u32_vec *params = &ir_block_at(f, ir_entry(f))->params;
    text_printf(out, "\ndefine %s %s %s(", f->flags & IR_FN_KERNEL ? "ptx_kernel" : "internal",
                write_type((enum ir_type)f->result), w->functions[f->id]);
    for (uint32_t p = 0; p < params->count; p++)
        text_printf(out, "%s%s", p ? ", " : "", write_typed(w, params->at[p]));
    text_addz(out, ") nounwind");
    text_addz(out, f->flags & IR_FN_CONVERGENT ? " convergent" : "");
    text_addz(out, f->flags & IR_FN_NOINLINE ? " noinline" : f->flags & IR_FN_INLINE ? " alwaysinline" : "");
    text_printf(out, w->scope == UINT32_MAX ? " {\n" : " !dbg !%u {\n", w->scope);
    ir_each_block(n, b, f)
        write_block(w, b, &incoming[b]);
    text_addz(out, "}\n");
    scratch_end(&scratch);
}

/* ---- the module ---------------------------------------------------------------------------------------- */

/* Names of functions and objects share one table in LLVM. */
static void name_globals(struct writer *w)
{
    const struct ir_module *m = w->m;
    struct ir_unique unique = {.arena = w->arena};
    w->functions = arena_array(w->arena, const char *, m->functions.count + 1);
    w->objects = arena_array(w->arena, const char *, m->objects.count + 1);
    for (uint32_t k = 0; k < m->functions.count + m->objects.count; k++) {
        bool is_function = k < m->functions.count;
        uint32_t o = k - m->functions.count;
        struct text name = {.arena = w->arena};
        write_name(&name,
                   ir_unique_name(&unique, is_function ? m->functions.at[k]->name : m->objects.at[o].name));
        *(is_function ? &w->functions[k] : &w->objects[o]) = name.at;
    }
}

static void write_object(struct writer *w, uint32_t number)
{
    const struct ir_object *o = &w->m->objects.at[number];
    int space = o->space == IR_TYPE_SHARED ? 3 : 4;
    if (o->unit) {
        text_printf(w->out, "%s = external addrspace(%d) global [0 x [%u x i8]], align %u\n",
                    w->objects[number], space, o->unit, o->align);
        return;
    }
    text_printf(w->out, "%s = internal addrspace(%d) %s [%u x i8] ", w->objects[number], space,
                o->space == IR_TYPE_SHARED ? "global" : "constant", o->size);
    if (o->bytes && o->size) {
        text_addz(w->out, "c\"");
        write_bytes(w->out, (const char *)o->bytes, o->size);
        text_addz(w->out, "\"");
    } else {
        text_addz(w->out, "zeroinitializer");
    }
    text_printf(w->out, ", align %u\n", o->align);
}

static void write_globals(struct writer *w)
{
    for (uint32_t k = 0; k < w->m->texts.count; k++) {
        const struct ir_string *s = &w->m->texts.at[k];
        text_printf(w->out, "@.text.%u = private addrspace(4) constant [%u x i8] c\"", k, s->length + 1);
        write_bytes(w->out, s->text, s->length);
        text_addz(w->out, "\\00\"\n");
    }
    for (uint32_t k = 0; k < w->m->objects.count; k++)
        write_object(w, k);
}

/* !name = !{!3, !4}: a node with a string for each text. */
static void write_strings(struct writer *w, const char *name, uint32_t first, uint32_t n)
{
    text_printf(&w->metadata, "!%s = !{", name);
    for (uint32_t k = 0; k < n; k++)
        text_printf(&w->metadata, "%s!%u", k ? ", " : "", first + k);
    text_addz(&w->metadata, "}\n");
}

static void string_node(struct writer *w, const struct text *t)
{
    struct text escaped = {.arena = w->arena};
    write_bytes(&escaped, t->at, t->length);
    node(w, "!{!\"%s\"}", escaped.at);
}

static void write_kern_metadata(struct writer *w)
{
    const struct ir_module *m = w->m;
    uint32_t first = w->nodes;
    for (uint32_t k = 0; k < m->kernels.count; k++) {
        struct text line = {.arena = w->arena};
        ir_print_kernel(m, &m->kernels.at[k], &line);
        string_node(w, &line);
    }
    write_strings(w, "kern.kernels", first, m->kernels.count);
    first = w->nodes;
    for (uint32_t k = 0; k < m->functions.count; k++)
        if (m->functions.at[k]->flags & IR_FN_TAKEN) {
            struct text line = {.arena = w->arena};
            text_printf(&line, "%u @%s", k, m->functions.at[k]->name);
            string_node(w, &line);
        }
    if (w->nodes > first)
        write_strings(w, "kern.taken", first, w->nodes - first);
    first = w->nodes;
    for (uint32_t k = 0; k < m->launches.count; k++) {
        struct text line = {.arena = w->arena};
        launch_write_directive(&m->launches.at[k], "@", &line);
        string_node(w, &line);
    }
    write_strings(w, "kern.launches", first, m->launches.count);
}

/* The compile unit, if any function has a place. */
static void begin_debug(struct writer *w)
{
    struct text name = {.arena = w->arena};
    bool any = false;
    for (uint32_t k = 0; k < w->m->functions.count; k++)
        any = any || w->m->functions.at[k]->at.line;
    w->file = UINT32_MAX;
    if (!any)
        return;
    text_addz(&name, "");
    write_bytes(&name, w->m->file, strcspn(w->m->file, "\n"));
    w->file = node(w, "!DIFile(filename: \"%s\", directory: \"\")", name.at);
    node(w,
         "distinct !DICompileUnit(language: DW_LANG_C99, file: !%u, producer: \"kernc\", isOptimized: false, "
         "runtimeVersion: 0, emissionKind: FullDebug)",
         w->file);
    uint32_t version = node(w, "!{i32 2, !\"Debug Info Version\", i32 3}");
    text_printf(&w->metadata, "!llvm.dbg.cu = !{!%u}\n!llvm.module.flags = !{!%u}\n", w->file + 1, version);
}

static void write_head(struct writer *w)
{
    text_addz(w->out, "source_filename = \"");
    write_bytes(w->out, w->m->file, strcspn(w->m->file, "\n"));
    text_addz(w->out, "\"\n"
                      "target datalayout = "
                      "\"e-p:32:32-p1:32:32-p3:32:32-p4:32:32-p5:32:32-A5-i64:64-v16:16-v32:32-n16:32:64\"\n"
                      "target triple = \"nvptx-nvidia-cuda\"\n\n");
}

void llvm_write(const struct ir_module *m, struct text *out)
{
    static const char *const groups[] = {
        [ATTRIBUTES_PURE] = "nounwind speculatable willreturn memory(none)",
        [ATTRIBUTES_EFFECT] = "nounwind",
        [ATTRIBUTES_GROUP] = "convergent nounwind willreturn memory(none)",
        [ATTRIBUTES_SYNC] = "convergent nounwind",
        [ATTRIBUTES_STOP] = "noreturn nounwind",
    };
    struct scratch scratch;
    struct arena *a = scratch_begin(&scratch);
    struct writer w = {.m = m,
                       .out = out,
                       .arena = a,
                       .strings = {.arena = a},
                       .declares = {.arena = a},
                       .metadata = {.arena = a}};
    name_globals(&w);
    begin_debug(&w);
    write_head(&w);
    write_globals(&w);
    for (uint32_t k = 0; k < m->functions.count; k++)
        write_function(&w, m->functions.at[k]);
    text_char(out, '\n');
    text_add(out, w.declares.at ? w.declares.at : "", w.declares.length);
    for (size_t k = 0; k < COUNT(groups); k++)
        text_printf(out, "attributes #%zu = { %s }\n", k, groups[k]);
    write_kern_metadata(&w);
    text_add(out, w.metadata.at ? w.metadata.at : "", w.metadata.length);
    scratch_end(&scratch);
}
