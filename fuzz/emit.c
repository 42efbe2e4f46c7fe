/* emit.c: a program made one of another language, and its file (emit.h). */
#include "fuzz/fuzz.h"
#include "fuzz/print.h"

/* ---- what the language lacks ------------------------------------------------------------------------- */

struct narrowing {
    struct fz_program *p;
    uint32_t lacks;
};

static void narrow_list(const struct narrowing *x, struct fz_node *list);

/* May C, GLSL and OpenCL C leave the operator's result open? The lane selects one of a set's 64 bits. */
static bool may_be_open(const struct fz_node *n)
{
    bool divides = n->op == FZ_OP_DIV || n->op == FZ_OP_REM,
         shifts = n->op == FZ_OP_SHL || n->op == FZ_OP_SHR;
    if (n->kind != FZ_NODE_BINARY || !(divides || shifts))
        return false;
    const struct fz_node *left = n->first, *right = left->next;
    if (right->kind == FZ_NODE_CONSTANT)
        return divides ? right->value == 0 : right->value >= 32;
    return divides || left->kind != FZ_NODE_CONSTANT || left->type != FZ_ULONG ||
           right->kind != FZ_NODE_GEOMETRY;
}

/* Votes, and votes on votes, are what the thread would have said; some lanes are elected. */
static void narrow_expression(const struct narrowing *x, struct fz_node *n)
{
    struct fz_node *next = n->next;
    while (x->lacks & FZ_LACKS_VOTES && n->kind == FZ_NODE_VOTE)
        *n = *n->first;
    if (x->lacks & FZ_LACKS_VOTES && n->kind == FZ_NODE_ELECT)
        *n = *fz_in_lanes(x->p, 0x1111111111111111u);
    if (x->lacks & FZ_LACKS_ARITHMETIC && may_be_open(n))
        n->op = FZ_OP_AND;
    n->next = next;
    for (struct fz_node *child = n->first; child; child = child->next)
        narrow_expression(x, child);
}

/* The last case has a statement, as C wants it; where there is no falling through, each ends by itself. */
static void end_cases(const struct narrowing *x, struct fz_node *cases)
{
    for (struct fz_node *c = cases->first; c; c = c->next)
        if (c->first->first ? x->lacks & FZ_LACKS_FALL : !c->next)
            fz_add(c->first, fz_node(x->p, FZ_NODE_BREAK));
}

static void narrow_statement(const struct narrowing *x, struct fz_node *n)
{
    if (x->lacks & FZ_LACKS_POINTERS && (n->kind == FZ_NODE_STIR || n->kind == FZ_NODE_INVOKE))
        n->flag = false;
    if (n->kind == FZ_NODE_SWITCH)
        end_cases(x, fz_child(n, 1));
    for (struct fz_node *child = n->first; child; child = child->next)
        if (child->kind == FZ_NODE_BLOCK)
            narrow_list(x, child);
        else
            narrow_expression(x, child);
}

/* What a language lacks if it lacks the statement. */
static uint32_t lacking(const struct fz_node *n)
{
    switch (n->kind) {
    case FZ_NODE_TRY:
    case FZ_NODE_THROW: return FZ_LACKS_TRY;
    case FZ_NODE_GATE: return FZ_LACKS_GATES;
    case FZ_NODE_TRAP: return FZ_LACKS_TRAP;
    case FZ_NODE_JUMP:
    case FZ_NODE_REPEAT: return FZ_LACKS_GOTO;
    case FZ_NODE_IRREDUCIBLE: return FZ_LACKS_GOTO | FZ_LACKS_IRREDUCIBLE;
    case FZ_NODE_PREDICT:
    case FZ_NODE_LABEL: return FZ_LACKS_PREDICTIONS;
    default: return 0;
    }
}

/* Of what is left out, the list stays in which all threads are: nobody throws, nobody goes back. */
static void narrow_list(const struct narrowing *x, struct fz_node *list)
{
    for (struct fz_node **link = &list->first, *n; (n = *link) != NULL;) {
        if (!(lacking(n) & x->lacks)) {
            narrow_statement(x, n);
            link = &n->next;
            continue;
        }
        struct fz_node *inner = n->kind == FZ_NODE_TRY || n->kind == FZ_NODE_REPEAT ? n->first->first : NULL;
        *link = inner ? inner : n->next;
        while (inner && inner->next)
            inner = inner->next;
        if (inner)
            inner->next = n->next;
    }
}

/* The kernel is a function, too, which gives back how many rows it wrote. */
static void narrow(struct fz_program *p, uint32_t lacks)
{
    struct narrowing x = {p, lacks | FZ_LACKS_PREDICTIONS};
    for (uint32_t i = 0; i < p->functions.count; i++)
        narrow_list(&x, p->functions.at[i].body);
    fz_kernel(p)->is_void = false;
}

/* ---- what it promises -------------------------------------------------------------------------------- */

struct expected {
    uint64_t *log; /* as the reference leaves it */
    struct fz_sets sets;
    uint32_t width, threads; /* of warps, of the launch */
};

static bool expect(const struct fz_program *p, struct expected *e)
{
    void *contents[3];
    for (uint32_t i = 0; i < COUNT(contents); i++)
        contents[i] = arena_alloc_array(p->arena, 8, fz_elements(p, &p->buffers.at[i]));
    memcpy(contents[2], p->inputs, sizeof p->inputs);
    e->log = contents[0];
    e->sets = (struct fz_sets){.arena = p->arena,
                               .of_row = arena_alloc_array(p->arena, 8, fz_elements(p, &p->buffers.at[0])),
                               .rows = arena_alloc_array(p->arena, sizeof(uint32_t), e->threads)};
    return fz_expect_sets(p, e->width, contents, &e->sets) == FZ_ENDS;
}

/* What was left out may have kept it short: then it loses the end of its kernel, as any of its parts may be
 * dropped. */
static void fit(struct fz_program *p, struct expected *e)
{
    while (!expect(p, e)) {
        struct fz_node **link = &fz_kernel(p)->body->first;
        INVARIANT(*link);
        while ((*link)->next)
            link = &(*link)->next;
        *link = NULL;
    }
}

static void make_alone(struct fz_node *n, const struct fz_sets *sets)
{
    for (uint32_t i = 0; i < sets->apart.count; i++)
        if (sets->apart.at[i] == n)
            n->op = FZ_ALONE;
    for (struct fz_node *child = n->first; child; child = child->next)
        make_alone(child, sets);
}

/* A barrier that no thread comes to may stand where threads diverge, and a return that none executes lead past
 * others. Engines that take each barrier for a place to which all come would be wrong by right. */
static void drop_unexecuted(struct fz_node *n, const struct fz_sets *sets)
{
    for (struct fz_node **link = &n->first; *link;) {
        /* Of a case it is known by its first statement. */
        const struct fz_node *s = (*link)->kind == FZ_NODE_CASE ? (*link)->first->first : *link;
        if (s && fz_node_info[s->kind].category == FZ_STATEMENT &&
            map_get(&sets->executed, (uintptr_t)s) == MAP_NONE) {
            *link = (*link)->next;
            continue;
        }
        drop_unexecuted(*link, sets);
        link = &(*link)->next;
    }
}

/* Operations of a part of a warp become rows of each thread's own, until there are none: others' results, and
 * so the ways that threads go, change with them. */
static void make_whole(struct fz_program *p, struct expected *e)
{
    for (; e->sets.apart.count; fit(p, e))
        for (uint32_t i = 0; i < p->functions.count; i++)
            make_alone(p->functions.at[i].body, &e->sets);
    for (uint32_t i = 0; i < p->functions.count; i++)
        drop_unexecuted(p->functions.at[i].body, &e->sets);
}

static uint32_t rows_of(const struct expected *e, uint32_t thread)
{
    return e->sets.rows[thread];
}

/* ---- the file ---------------------------------------------------------------------------------------- */

static void print_launch(const struct printer *w, const struct expected *e, const char *before,
                         const char *behind)
{
    text_printf(
        w->out,
        "%slaunch k(log = zeros(%u), noise = zeros(%u), wrong = zeros(1)) grid(%u) block(%u) show(wrong)%s\n",
        before, fz_elements(w->p, &w->p->buffers.at[0]), e->threads, w->p->blocks, w->p->threads, behind);
}

static void print_head(const struct printer *w, const struct expected *e, const char *command)
{
    const char *compared = w->p->module       ? "A second kernel compares the log"
                           : w->to->is_hashed ? "In the end it compares a hash of them"
                                              : "In the end it compares them";
    const char *mark = w->to->has_macros ? "//" : ";";
    struct text lines = {0};
    text_printf(
        &lines,
        "Who is together: class %c, seed %llu of kernc's random programs, in %s.\n"
        "Each thread writes what operations of its warp give it into its rows of `log`: row r of thread t\n"
        "is log[r * %u + t]. %s with `expected`. wrong[0] has the number of\n"
        "those that differ%s, and must be 0.\n%s\n"
        "BLOCKS = %u, THREADS = %u, WARP = %u\n"
        "again: %s",
        w->p->class, (unsigned long long)w->p->seed, w->to->language, e->threads, compared,
        w->p->module ? "" : ", and of threads with too many or too few rows", w->to->about, w->p->blocks,
        w->p->threads, e->width, command);
    fz_print_comment(lines.at, mark, w->out);
    if (w->to->has_macros)
        print_launch(w, e, "// kern: ", "");
    text_free(&lines);
}

static void begin_table(const struct printer *w, const char *type, const char *name, uint32_t count)
{
    text_printf(w->out, "%s%s %s[%u] = ", w->to->table, type, name, count);
    text_printf(w->out, w->to->casts_by_call ? "%s[](" : "{", type);
}

static void end_table(const struct printer *w)
{
    text_addz(w->out, w->to->casts_by_call ? ");\n" : "};\n");
}

/* Of each row its element of `of`. */
static void print_rows(const struct printer *w, const struct expected *e, const char *name, uint32_t count,
                       const uint64_t *of)
{
    begin_table(w, "ulong", name, count ? count : 1);
    for (uint32_t t = 0, n = 0; t < e->threads; t++)
        for (uint32_t r = 0; r < rows_of(e, t); r++, n++)
            text_printf(w->out, "%s0x%llxul", n ? ", " : "", (unsigned long long)of[r * e->threads + t]);
    text_addz(w->out, count ? "" : "0ul");
    end_table(w);
}

/* Of each thread; and the rows, as comments. */
static void print_hashes(const struct printer *w, const struct expected *e)
{
    begin_table(w, "uint", "expected", e->threads);
    for (uint32_t t = 0; t < e->threads; t++) {
        uint32_t hash = 0;
        for (uint32_t r = 0; r < rows_of(e, t); r++)
            hash =
                (hash ^ (uint32_t)e->log[r * e->threads + t] ^ (uint32_t)(e->log[r * e->threads + t] >> 32)) *
                FZ_HASH_FACTOR;
        text_printf(w->out, "%s%uu", t ? ", " : "", hash);
    }
    end_table(w);
    for (uint32_t t = 0; t < e->threads; t++) {
        text_printf(w->out, "// rows of thread %u:", t);
        for (uint32_t r = 0; r < rows_of(e, t); r++)
            text_printf(w->out, " 0x%llx", (unsigned long long)e->log[r * e->threads + t]);
        text_char(w->out, '\n');
    }
}

static void print_tables(const struct printer *w, const struct expected *e)
{
    uint32_t count = 0;
    begin_table(w, "int", "input", FZ_INPUTS);
    for (uint32_t i = 0; i < FZ_INPUTS; i++)
        text_printf(w->out, "%s%d", i ? ", " : "", w->p->inputs[i]);
    end_table(w);
    begin_table(w, "uint", "first", e->threads + 1);
    for (uint32_t t = 0; t < e->threads; count += rows_of(e, t++))
        text_printf(w->out, "%uu, ", count);
    text_printf(w->out, "%uu", count);
    end_table(w);
    if (w->to->is_hashed)
        print_hashes(w, e);
    else
        print_rows(w, e, "expected", count, e->log);
    if (w->to->promise == FZ_PROMISES_NAMED)
        print_rows(w, e, "sets", count, e->sets.of_row);
}

static void print_check(struct printer *w)
{
    text_printf(w->out, "\n%svoid check(uint gid, uint n%s)\n{\n", w->to->function, w->to->checked);
    w->indent = 1;
    uint32_t threads = w->p->blocks * w->p->threads;
    fz_print_line(w, "uint rows = first[gid + 1] - first[gid], errors = n == rows ? 0 : 1;");
    if (w->to->is_hashed)
        fz_print_line(w, "uint hash = 0;");
    fz_print_line(w, "for (uint i = 0; i < min(n, rows); i++)");
    if (w->to->is_hashed) {
        fz_print_line(w, "    hash = (hash ^ uint(log[i * %u + gid]) ^ uint(log[i * %u + gid] >> 32)) * %uu;",
                      threads, threads, FZ_HASH_FACTOR);
        fz_print_line(w, "errors += hash == expected[gid] ? 0 : 1;");
    } else {
        fz_print_line(w, "    errors += log[i * %u + gid] == expected[first[gid] + i] ? 0 : 1;", threads);
    }
    fz_print_line(w, "if (errors != 0)");
    fz_print_line(w, "    atomic_add(&wrong[0], errors);");
    text_addz(w->out, "}\n");
}

static void print_kernel(struct printer *w)
{
    struct text call = {0};
    text_printf(&call, "f%u(gid%s, 0, (gid + %u) * %uu)", w->p->functions.count - 1, w->to->arguments,
                (unsigned)(w->p->seed & 0xffff), FZ_HASH_FACTOR);
    text_printf(w->out, "\n%s", w->to->kernel);
    fz_print_line(w, "uint gid = blockIdx.x * blockDim.x + threadIdx.x;");
    fz_print_indent(w);
    text_addz(w->out, "check(gid, ");
    fz_print_as(w, "uint", call.at);
    text_printf(w->out, "%s);\n}\n", w->to->buffers);
    text_free(&call);
}

static void print_program(struct printer *w, const struct expected *e)
{
    if (w->to->has_macros)
        text_printf(w->out, "#define BLOCKS %u\n#define THREADS %u\n#define WARP %u\n#define ROWS %u\n",
                    w->p->blocks, w->p->threads, e->width, w->p->buffers.at[0].per_thread);
    text_addz(w->out, w->to->head);
    print_tables(w, e);
    text_addz(w->out, w->to->operations);
    fz_print_functions(w);
    w->f = fz_kernel(w->p);
    fz_print_function(w, w->p->functions.count - 1);
    print_check(w);
    print_kernel(w);
    text_addz(w->out, w->to->end);
}

/* The program, in Kern, as LLVM IR. */
static void print_llvm(struct printer *w, const struct expected *e)
{
    struct text kern = {0}, *out = w->out;
    char why[256] = "";
    w->out = &kern;
    print_program(w, e);
    print_launch(w, e, "\n", ";");
    bool ok = fz_write_llvm(w->p, &kern, out, why, sizeof why);
    if (!ok)
        BUG("%s", why);
    text_free(&kern);
}

/* ---- class e ----------------------------------------------------------------------------------------- */

/* Each thread compares every so many elements of the log; those behind the last that is not 0 are to be 0. */
static const char check_text[] = "define kernel void @check(%%log: ptr.global, %%wrong: ptr.global) {\n"
                                 "entry:\n"
                                 "  %%tid = special tid.x\n"
                                 "  %%bid = special bid.x\n"
                                 "  %%bdim = special bdim.x\n"
                                 "  %%before = mul i32 %%bid, %%bdim\n"
                                 "  %%id = add i32 %%before, %%tid\n"
                                 "  %%table = object ptr.constant @expected\n"
                                 "  br next(%%id)\n"
                                 "next(%%i: i32):\n"
                                 "  %%more = ult %%i, %u\n"
                                 "  brif %%more, test, end\n"
                                 "test:\n"
                                 "  %%at = shl i32 %%i, 3\n"
                                 "  %%where = ptradd ptr.global %%log, %%at\n"
                                 "  %%is = load i64 %%where\n"
                                 "  %%known = umin i32 %%i, %u\n"
                                 "  %%of = shl i32 %%known, 3\n"
                                 "  %%row = ptradd ptr.constant %%table, %%of\n"
                                 "  %%right = load i64 %%row\n"
                                 "  %%differs = ne %%is, %%right\n"
                                 "  brif %%differs, count, on\n"
                                 "count:\n"
                                 "  %%old = atomic.add i32 %%wrong, 1\n"
                                 "  br on\n"
                                 "on:\n"
                                 "  %%j = add i32 %%i, %u\n"
                                 "  br next(%%j)\n"
                                 "end:\n"
                                 "  ret\n"
                                 "}\n";

static void print_module(const struct fz_program *p, const struct expected *e, struct text *out)
{
    uint32_t all = fz_elements(p, &p->buffers.at[0]), count = all;
    const char *kernels = strstr(p->module, "\nkernel @k(");
    INVARIANT(kernels);
    while (count && !e->log[count - 1])
        count--;
    text_add(out, p->module, (size_t)(kernels + 1 - p->module));
    text_printf(out, "object @expected : ptr.constant %u align 8 = x\"", 8 * (count + 1));
    for (uint32_t i = 0; i <= count; i++)
        for (uint32_t byte = 0; byte < 8; byte++)
            text_printf(out, "%02x", i < count ? (unsigned)(e->log[i] >> 8 * byte & 0xff) : 0);
    text_addz(out, "\"\nkernel @check(log: ptr.global \"global const ulong *\" of ulong 8, "
                   "wrong: ptr.global \"global uint *\" of uint 4)");
    text_addz(out, kernels);
    text_char(out, '\n');
    text_printf(out, check_text, all, count, e->threads);
    text_printf(out, "\nbuffer log of ulong 8 (zeros(%u))\nlaunch @k(log = buffer \"log\", input = {", all);
    for (uint32_t i = 0; i < FZ_INPUTS; i++)
        text_printf(out, "%s%d", i ? ", " : "", p->inputs[i]);
    text_printf(out, "}) grid(%u) block(%u)\n", p->blocks, p->threads);
    text_printf(out, "launch @check(log = buffer \"log\", wrong = zeros(1)) grid(%u) block(%u) show(wrong)\n",
                p->blocks, p->threads);
}

static void emit_module(struct printer *w, struct expected *e, const char *command)
{
    void *contents[2];
    struct text kir = {0};
    char why[256] = "";
    for (uint32_t i = 0; i < COUNT(contents); i++)
        contents[i] = arena_alloc_array(w->p->arena, 8, fz_elements(w->p, &w->p->buffers.at[i]));
    memcpy(contents[1], w->p->inputs, sizeof w->p->inputs);
    e->log = contents[0];
    INVARIANT(fz_class_find('e')->expect(w->p, e->width, contents) == FZ_ENDS);
    print_head(w, e, command);
    print_module(w->p, e, &kir);
    if (!fz_write_llvm(w->p, &kir, w->out, why, sizeof why))
        BUG("%s", why);
    text_free(&kir);
}

const char *fz_emitted(const struct fz_dialect *to)
{
    return to->has_macros ? "bj" : "bej";
}

void fz_emit(struct fz_program *p, const struct fz_dialect *to, uint32_t width, const char *command,
             struct text *out)
{
    if (to->promise == FZ_PROMISES_WHOLE) {
        p->threads = width < p->threads ? width : p->threads;
        width = p->threads;
    }
    struct expected e = {.width = width, .threads = p->blocks * p->threads};
    struct printer w = {.p = p, .to = to, .out = out};
    if (p->module) {
        emit_module(&w, &e, command);
        return;
    }
    narrow(p, to->lacks);
    fit(p, &e);
    if (to->promise == FZ_PROMISES_WHOLE)
        make_whole(p, &e);
    uint32_t most = 0;
    for (uint32_t t = 0; t < e.threads; t++)
        most = rows_of(&e, t) > most ? rows_of(&e, t) : most;
    p->buffers.at[0].per_thread = most + 1;
    text_addz(out, to->first);
    print_head(&w, &e, command);
    if (to->has_macros)
        print_program(&w, &e);
    else
        print_llvm(&w, &e);
}
