/* print.c: a whole program as source: structure, tables, the functions that are called, the kernel, its
 * launch.
 *
 * Device functions take what their class needs before their own parameters: gid and the input; in class b
 * also where to log and the two variables that all code shares, n (rows logged) and h (a hash of what was
 * seen), which a call gives back packed into one result. The result kept last, s, is a call's own.
 */
#include "fuzz/locks.h"
#include "fuzz/plant.h"
#include "fuzz/sequence.h"

struct usage {
    uint64_t types;
    bool counts, structure, link, table, seen, own;
    struct bitset variables;
};

static void note_use(const struct fz_node *n, void *data)
{
    struct usage *u = data;
    switch (n->kind) {
    case FZ_NODE_EXCHANGE: u->types |= (uint64_t)1 << n->type; break;
    case FZ_NODE_ATOMIC: u->counts |= n->flag; break;
    case FZ_NODE_PUBLISH: u->counts = true; break;
    case FZ_NODE_TABLE: u->table = true; break;
    case FZ_NODE_OWN: u->own = true; break;
    case FZ_NODE_SEEN: u->seen = true; break;
    case FZ_NODE_LOG: u->seen |= n->name != 0; break;
    case FZ_NODE_LOOP: bitset_add(u->variables, n->name); break;
    default:
        if (fz_names_variable(n))
            bitset_add(u->variables, n->name);
    }
}

/* ---- declarations ------------------------------------------------------------------------------------ */

uint64_t fz_initial(const struct fz_variable *v, enum fz_type type, uint32_t i)
{
    struct fz_random r = fz_random(v->seed, i);
    return fz_random_bits(&r, type);
}

static void print_initialiser(struct printer *w, const struct fz_variable *v)
{
    uint32_t count = v->shape == FZ_ARRAY ? FZ_ARRAY_LENGTH : v->shape == FZ_VECTOR ? v->elements : FZ_FIELDS;
    if (v->shape == FZ_ROWS) {
        text_addz(w->out, "{0}");
        return;
    }
    if (v->shape == FZ_SCALAR) {
        fz_print_literal(w->out, v->type, v->counter ? 0 : fz_initial(v, v->type, 0));
        return;
    }
    text_char(w->out, '{');
    for (uint32_t i = 0; i < count; i++) {
        enum fz_type type = v->shape == FZ_STRUCT ? w->p->fields[i] : v->type;
        if (v->shape == FZ_STRUCT && w->p->overlapping)
            text_printf(w->out, ".m%u = ", i);
        fz_print_literal(w->out, type, fz_initial(v, type, i));
        text_addz(w->out, i + 1 < count ? ", " : "}");
    }
}

static void print_first_address(struct printer *w, const struct fz_variable *v, uint32_t i)
{
    fz_print_address(w, fz_find_shape(w->f, FZ_TARGETS));
    text_printf(w->out, "%u]", (unsigned)(fz_initial(v, FZ_UINT, i) % FZ_TARGET_COUNT));
}

static void print_pointers(struct printer *w, const struct fz_variable *v)
{
    for (uint32_t i = 0; i < FZ_TARGET_COUNT; i++) {
        text_addz(w->out, i ? ", " : "{");
        if (v->shape == FZ_TARGETS)
            fz_print_literal(w->out, FZ_INT, fz_initial(v, FZ_INT, i));
        else
            print_first_address(w, v, i);
    }
    text_char(w->out, '}');
}

static void print_pointer_value(struct printer *w, const struct fz_variable *v)
{
    switch (v->shape) {
    case FZ_POINTER: print_first_address(w, v, 0); break;
    case FZ_LINK:
        text_addz(w->out, "{0, ");
        print_first_address(w, v, 0);
        text_char(w->out, '}');
        break;
    case FZ_LEADER:
        text_char(w->out, '&');
        fz_print_name(w, fz_find_shape(w->f, FZ_POINTER));
        break;
    default: print_pointers(w, v);
    }
}

static void print_pointer_variable(struct printer *w, uint32_t variable)
{
    const struct fz_variable *v = &w->f->variables.at[variable];
    bool shared = v->shape == FZ_TARGETS && w->p->shared_targets;
    fz_print_indent(w);
    text_printf(w->out, "%s%s", v->shape == FZ_LINK ? "struct link " : fz_pointer_type(w->p),
                v->shape == FZ_LEADER ? "*" : "");
    if (v->shape == FZ_TARGETS)
        w->out->at[w->out->length -= 1] = 0; /* ints, no pointers */
    fz_print_name(w, variable);
    if (v->shape == FZ_POINTERS || v->shape == FZ_TARGETS)
        text_printf(w->out, "[%u]", (unsigned)FZ_TARGET_COUNT * (shared ? w->p->threads : 1));
    text_addz(w->out, shared ? "" : " = ");
    if (!shared)
        print_pointer_value(w, v);
    text_addz(w->out, ";\n");
    if (shared && w->p->checked) {
        fz_print_indent(w);
        text_printf(w->out, "for (uint c = 0; c < %d; c++) ", FZ_TARGET_COUNT);
        fz_print_name(w, variable);
        text_printf(w->out, "[threadIdx.x * %d + c] = 0;\n", FZ_TARGET_COUNT);
    }
}

static void print_variable(struct printer *w, uint32_t index)
{
    const struct fz_variable *v = &w->f->variables.at[index];
    if (v->shape >= FZ_TARGETS) {
        print_pointer_variable(w, index);
        return;
    }
    fz_print_indent(w);
    text_addz(w->out, v->shape == FZ_STRUCT ? "struct pack" : fz_type_info[v->type].text);
    if (v->elements)
        text_printf(w->out, "%u", v->elements);
    text_char(w->out, ' ');
    fz_print_name(w, index);
    if (v->shape == FZ_ARRAY || v->shape == FZ_ROWS)
        text_printf(w->out, "[%d]", v->shape == FZ_ARRAY ? FZ_ARRAY_LENGTH : FZ_ROW_COUNT);
    text_addz(w->out, " = ");
    print_initialiser(w, v);
    text_addz(w->out, ";\n");
}

static void print_locals(struct printer *w, const struct usage *u)
{
    if (u->seen)
        fz_print_line(w, "ulong s = 0;");
    for (uint32_t i = w->f->params; i < w->f->variables.count; i++)
        if (bitset_has(u->variables, i) && !w->f->variables.at[i].scoped)
            print_variable(w, i);
}

static void print_parameter(struct printer *w, uint32_t index)
{
    const struct fz_variable *v = &w->f->variables.at[index];
    if (v->shape == FZ_POINTER)
        text_printf(w->out, ", %s", fz_pointer_type(w->p));
    else
        text_printf(w->out, ", %s %s", v->shape == FZ_STRUCT ? "struct pack" : fz_type_info[v->type].text,
                    v->shape == FZ_ARRAY ? "*" : "");
    fz_print_name(w, index);
}

static void print_buffers(struct printer *w)
{
    for (uint32_t i = 0; i < w->p->buffers.count; i++) {
        const struct fz_buffer *b = &w->p->buffers.at[i];
        text_printf(w->out, "%s%sglobal %s *%s", i ? ", " : "", b->input ? "const " : "",
                    fz_type_info[b->type].text, b->name);
    }
}

/* ---- functions --------------------------------------------------------------------------------------- */

/* Pointers lead somewhere from the start. */
static void note_initial_uses(const struct fz_function *f, struct usage *u)
{
    for (uint32_t i = f->variables.count; i-- > f->params;) {
        uint8_t shape = f->variables.at[i].shape;
        if (shape < FZ_POINTER || !bitset_has(u->variables, i))
            continue;
        bitset_add(u->variables, fz_find_shape(f, shape == FZ_LEADER ? FZ_POINTER : FZ_TARGETS));
    }
}

static void print_parameters(struct printer *w)
{
    for (uint32_t i = 0; i < w->f->params; i++)
        print_parameter(w, i);
}

static struct usage usage_of(const struct fz_program *p, const struct fz_function *f)
{
    struct usage u = {.variables = bitset_new(p->arena, f->variables.count)};
    fz_walk(f->body, note_use, &u);
    note_initial_uses(f, &u);
    return u;
}

void fz_print_function(struct printer *w, uint32_t index)
{
    struct usage u = usage_of(w->p, w->f);
    if (fz_has_log(w->p)) {
        text_printf(
            w->out, "\n%sulong f%u(uint gid%s, uint n, uint h)\n{\n", w->to ? w->to->function : "", index,
            w->to ? w->to->parameters : ", const global int *input, global ulong *log, global uint *noise");
    } else {
        text_printf(w->out, "\n%s f%u(uint gid, const global int *input", fz_type_info[w->f->result].text,
                    index);
        print_parameters(w);
        text_addz(w->out, ")\n{\n");
    }
    w->indent = 1;
    print_locals(w, &u);
    fz_print_list(w, w->f->body);
    if (fz_has_log(w->p)) {
        fz_print_indent(w);
        text_addz(w->out, "return ");
        fz_print_as(w, "ulong", "h");
        text_addz(w->out, " << 32 | n;\n");
    }
    text_addz(w->out, "}\n");
}

void fz_print_functions(struct printer *w)
{
    uint64_t reached = fz_reached(w->p);
    fz_print_helpers(w);
    for (uint32_t i = 0; i + 1 < w->p->functions.count; i++) {
        w->f = &w->p->functions.at[i];
        if (reached >> i & 1)
            fz_print_function(w, i);
    }
}

/* ---- tables of functions ----------------------------------------------------------------------------- */

/* Constant tables at file scope, through which the kernel of class a calls one of two functions of a type. In
 * three quarters of the programs: an array of pointers, one inside of structures that nested designators
 * initialise, or an array of structures. In half of them the kernel calls the entry at a place that it knows,
 * instead of the one that a condition chooses. */
enum form { CHOSEN, ARRAY, NESTED, STRUCTURES };

static enum form table_form(const struct fz_program *p)
{
    return fz_is_race_free(p) ? (enum form)(p->seed / 4 % 4) : CHOSEN;
}

bool fz_calls_known_place(const struct fz_program *p)
{
    return table_form(p) != CHOSEN && p->seed / 16 % 2;
}

static void print_place(struct printer *w, const struct fz_node *n)
{
    if (fz_calls_known_place(w->p)) {
        text_printf(w->out, "%u", fz_known_place(n));
        return;
    }
    fz_print_expr(w, n->first);
    text_addz(w->out, " ? 0 : 1");
}

void fz_print_callee(struct printer *w, const struct fz_node *n)
{
    static const char *const before[] = {[ARRAY] = "[", [NESTED] = ".in[1].of[", [STRUCTURES] = "["};
    enum form form = table_form(w->p);
    if (form == CHOSEN) {
        text_char(w->out, '(');
        fz_print_expr(w, n->first);
        text_printf(w->out, " ? f%u : f%u)", n->name, (unsigned)n->value);
        return;
    }
    text_printf(w->out, "t%u_%u%s", n->name, (unsigned)n->value, before[form]);
    print_place(w, n);
    text_addz(w->out, form == STRUCTURES ? "].to" : "]");
}

enum { MOST = 8 }; /* functions of a program */
struct pairs {
    uint64_t called; /* bit a * MOST + b: there is a call of function a or b */
};

static void note_pair(const struct fz_node *n, void *data)
{
    struct pairs *p = data;
    if (n->kind == FZ_NODE_CALL_EITHER)
        p->called |= (uint64_t)1 << (n->name * MOST + n->value);
}

/* A pointer to functions of this one's type, `name` of them. */
static void print_declarator(struct printer *w, uint32_t function, const char *name)
{
    const struct fz_function *outer = w->f;
    w->f = &w->p->functions.at[function];
    text_printf(w->out, "%s (*%s)(uint gid, const global int *input", fz_type_info[w->f->result].text, name);
    print_parameters(w);
    text_char(w->out, ')');
    w->f = outer;
}

static void print_table(struct printer *w, uint32_t a, uint32_t b)
{
    char name[32];
    enum form form = table_form(w->p);
    snprintf(name, sizeof name, "const t%u_%u[2]", a, b);
    if (form == ARRAY) {
        print_declarator(w, a, name);
        text_printf(w->out, " = {f%u, f%u};\n", a, b);
        return;
    }
    text_printf(w->out, "struct ops%u_%u { int n; ", a, b);
    if (form == NESTED) {
        text_addz(w->out, "struct { ");
        print_declarator(w, a, "of[2]");
        text_addz(w->out, "; } in[2]; };\n");
        text_printf(w->out,
                    "const struct ops%u_%u t%u_%u = {.in[1].of[1] = f%u, .n = 3, .in[1].of[0] = f%u};\n", a,
                    b, a, b, b, a);
    } else {
        print_declarator(w, a, "to");
        text_printf(w->out,
                    "; };\nconst struct ops%u_%u t%u_%u[] = {[1].to = f%u, [1].n = 5, [0] = {1, f%u}};\n", a,
                    b, a, b, b, a);
    }
}

static void print_tables(struct printer *w)
{
    struct pairs p = {0};
    if (table_form(w->p) == CHOSEN)
        return;
    fz_walk(fz_kernel(w->p)->body, note_pair, &p);
    text_addz(w->out, p.called ? "\n" : "");
    for (uint32_t i = 0; i < MOST * MOST; i++)
        if (p.called >> i & 1)
            print_table(w, i / MOST, i % MOST);
}

/* ---- the kernel -------------------------------------------------------------------------------------- */

/* The types of the tiles whose sizes the launch gives, as bits: in a third of the programs some. */
static uint32_t unsized_tiles(const struct fz_program *p, const struct usage *u)
{
    return p->seed % 3 ? 0 : u->types & (u->types & (uint32_t)(p->seed / 3) ? (uint32_t)(p->seed / 3) : ~0u);
}

/* As a parameter, as an array in the body, or none of these. */
enum tile_form { TILE_SIZED, TILE_PARAMETER, TILE_ARRAY };
static enum tile_form form_of(const struct fz_program *p, const struct usage *u, uint32_t type)
{
    bool unsized = unsized_tiles(p, u) >> type & 1;
    return !unsized ? TILE_SIZED : p->seed >> type & 1 ? TILE_PARAMETER : TILE_ARRAY;
}

/* Shared variables are 0 first: the program may say so. */
static void print_settings(struct printer *w, const struct usage *u)
{
    if (u->own)
        fz_print_line(w, "for (uint c = 0; c < %d; c++) own[threadIdx.x * %d + c] = 0;", FZ_CELLS, FZ_CELLS);
    if (u->counts)
        fz_print_line(w, "for (uint c = threadIdx.x; c < %d; c += blockDim.x) counts[c] = 0;", FZ_COUNTERS);
    if (u->counts && fz_adds_doubles(w->p))
        fz_print_line(w, "for (uint c = threadIdx.x; c < %d; c += blockDim.x) adds[c] = 0;", FZ_COUNTERS);
    if (u->counts)
        fz_print_line(w, "barrier();");
}

static void print_kernel(struct printer *w)
{
    struct usage u = usage_of(w->p, w->f);
    text_addz(w->out, "\nkernel void k(");
    print_buffers(w);
    for (uint32_t t = 0; t < FZ_TYPES; t++)
        if (form_of(w->p, &u, t) == TILE_PARAMETER)
            text_printf(w->out, ", shared %s *tile_%s", fz_type_info[t].text, fz_type_info[t].text);
    text_addz(w->out, ")\n{\n");
    w->indent = 1;
    for (uint32_t t = 0; t < FZ_TYPES; t++)
        if (form_of(w->p, &u, t) == TILE_ARRAY)
            fz_print_line(w, "shared %s tile_%s[];", fz_type_info[t].text, fz_type_info[t].text);
        else if (u.types >> t & 1 && form_of(w->p, &u, t) == TILE_SIZED)
            fz_print_line(w, "shared %s tile_%s[%u];", fz_type_info[t].text, fz_type_info[t].text,
                          w->p->threads);
    if (u.own)
        fz_print_line(w, "shared int own[%u];", FZ_CELLS * w->p->threads);
    if (u.counts)
        fz_print_line(w, "shared int counts[%d];", FZ_COUNTERS);
    if (u.counts && fz_adds_doubles(w->p))
        fz_print_line(w, "shared double adds[%d];", FZ_COUNTERS);
    fz_print_line(w, "uint gid = blockIdx.x * blockDim.x + threadIdx.x;");
    if (!fz_has_types(w->p))
        fz_print_line(w, "uint n = 0, h = (gid + %u) * %uu;", (unsigned)(w->p->seed & 0xffff),
                      FZ_HASH_FACTOR);
    if (w->p->class == 'c')
        fz_print_line(w, "uint g = h;");
    if (w->p->checked)
        print_settings(w, &u);
    print_locals(w, &u);
    fz_print_list(w, w->f->body);
    if (w->p->class == 'c')
        text_addz(w->out, "end:;\n");
    text_addz(w->out, "}\n");
}

/* ---- the file ---------------------------------------------------------------------------------------- */

static void print_numbers(struct text *out, const int32_t *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        text_printf(out, "%s%d", i ? ", " : "{", numbers[i]);
    text_char(out, '}');
}

static void print_top(struct printer *w)
{
    struct usage all = {0};
    for (uint32_t i = 0; i < w->p->functions.count; i++) {
        struct usage u = usage_of(w->p, &w->p->functions.at[i]);
        all.table |= u.table;
        all.structure |= fz_find_shape(&w->p->functions.at[i], FZ_STRUCT) != UINT32_MAX;
        all.link |= fz_find_shape(&w->p->functions.at[i], FZ_LINK) != UINT32_MAX;
    }
    if (all.structure) {
        text_addz(w->out, "struct pack {");
        for (uint32_t i = 0, n = w->p->overlapping; i < FZ_FIELDS; i++)
            text_printf(w->out, "%s %s m%u;%s", n && i == 1 ? " union {" : "",
                        fz_type_info[w->p->fields[i]].text, i, n && i == n ? " };" : "");
        text_addz(w->out, " };\n");
    }
    if (all.link)
        text_printf(w->out, "struct link { int n; %sto; };\n", fz_pointer_type(w->p));
    if (all.table) {
        text_printf(w->out, "constant int table[%d] = ", FZ_TABLE);
        print_numbers(w->out, w->p->table, FZ_TABLE);
        text_addz(w->out, ";\n");
    }
}

static void print_launch(struct printer *w)
{
    text_addz(w->out, w->p->module ? "\nlaunch @k(" : "\nlaunch k(");
    for (uint32_t i = 0; i < w->p->buffers.count; i++) {
        const struct fz_buffer *b = &w->p->buffers.at[i];
        text_printf(w->out, "%s%s = ", i ? ", " : "", b->name);
        if (b->input)
            print_numbers(w->out, w->p->inputs, FZ_INPUTS);
        else
            text_printf(w->out, "zeros(%u)", fz_elements(w->p, b));
    }
    text_printf(w->out, ") grid(%u) block(%u)", w->p->blocks, w->p->threads);
    if (w->p->functions.count > 0) {
        struct usage u = usage_of(w->p, &vec_last(&w->p->functions));
        uint32_t tiles = (uint32_t)__builtin_popcount(unsized_tiles(w->p, &u));
        for (uint32_t i = 0; i < tiles; i++)
            text_printf(w->out, "%s%u%s", i ? ", " : " shared(", w->p->threads, i + 1 == tiles ? ")" : "");
    }
    text_printf(w->out, " show(%s)%s\n", w->p->buffers.at[0].name, w->p->module ? "" : ";");
}

void fz_print_comment(const char *comment, const char *mark, struct text *out)
{
    for (size_t n; comment && *comment; comment += n + (comment[n] == '\n')) {
        n = strcspn(comment, "\n");
        text_printf(out, "%s %.*s\n", mark, (int)n, comment);
    }
}

void fz_print(const struct fz_program *p, const char *comment, struct text *out)
{
    struct printer w = {.p = p, .out = out, .beyond = fz_beyond(p)};
    fz_print_comment(comment, p->module ? ";" : "//", out);
    if (p->module) {
        text_addz(out, p->module);
        print_launch(&w);
        return;
    }
    if (p->sequence) {
        fz_print_sequence(p, out);
        return;
    }
    if (p->locks) {
        fz_print_locks(p, out);
        print_launch(&w);
        return;
    }
    print_top(&w);
    if (p->plant)
        fz_print_plant_top(&w);
    fz_print_functions(&w);
    w.f = fz_kernel(p);
    print_tables(&w);
    print_kernel(&w);
    print_launch(&w);
}
