/* causes.c: why threads differ, in the source's names.
 *
 * A value has a name if the front end gave it one: what is read from a variable or a member, and the block
 * parameters that mem2reg makes for it. What is written to one has none, and where no paths join it is all
 * that mem2reg leaves; so it gets the name that a read of the same bytes has.
 */
#include "opt/notes/performance.h"

enum { NAMES_MAX = 4, STEPS_MAX = 64 };

/* ---- names --------------------------------------------------------------------------------------------- */

/* Of a load or store: whether it is of bytes of an alloca, and *key of which. */
static bool is_of_alloca(const struct ir_function *f, const struct ir_ins *i, uint64_t *key)
{
    if ((i->op != IR_load && i->op != IR_store) || ir_at(f, i->args[0])->op != IR_alloca)
        return false;
    *key = (uint64_t)i->args[0] << 32 | (uint32_t)i->imm;
    return true;
}

void opt_name_stored(struct arena *a, struct ir_function *f)
{
    struct map reads = {0}; /* by bytes: a load of them that has a name */
    uint64_t key;
    ir_each_block(k, b, f)
        ir_each_ins(r, f, b)
            if (is_of_alloca(f, ir_at(f, r), &key) && ir_at(f, r)->op == IR_load && ir_at(f, r)->name)
                map_set(a, &reads, key, r);
    ir_each_block(k, b, f) {
        ir_each_ins(r, f, b) {
            const struct ir_ins *i = ir_at(f, r);
            if (i->op != IR_store || !is_of_alloca(f, i, &key) || map_get(&reads, key) == MAP_NONE)
                continue;
            struct ir_ins *value = ir_at(f, i->args[1]);
            if (!value->name && value->op != IR_constant)
                value->name = ir_at(f, map_get(&reads, key))->name;
        }
    }
}

/* ---- causes -------------------------------------------------------------------------------------------- */

static void add_step(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add_step(struct text *t, const char *fmt, ...)
{
    va_list args;
    if (t->length)
        text_addz(t, " <- ");
    va_start(args, fmt);
    text_vprintf(t, fmt, args);
    va_end(args);
}

static const char *source_name(const struct ir_function *f, ir_ref r)
{
    const struct ir_ins *i = ir_at(f, r);
    return i->op == IR_special ? ir_special_info[i->imm].source
           : i->op == IR_load  ? ir_load_source(f, r)
                               : ir_op_info[i->op].text;
}

/* Without the number behind it: of "r.8", a part of the variable r at its byte 8, "r"; of "p.x" all. */
static size_t variable_length(const char *name)
{
    size_t n = strlen(name), stem = n;
    while (stem > 0 && name[stem - 1] >= '0' && name[stem - 1] <= '9')
        stem--;
    return stem > 1 && stem < n && name[stem - 1] == '.' ? stem - 1 : n;
}

static bool is_same_variable(const char *a, const char *b)
{
    size_t n = variable_length(a);
    return n == variable_length(b) && memcmp(a, b, n) == 0;
}

void opt_causes_text(const struct ir_uniformity *u, ir_ref r, struct text *t, place *at)
{
    const struct ir_function *f = u->cfg->fn;
    unsigned names = 0;
    const char *latest = "";
    for (unsigned step = 0; r && step < STEPS_MAX; step++, r = u->cause[r]) {
        const struct ir_ins *i = ir_at(f, r);
        enum ir_divergence kind = u->kind[r];
        *at = i->at.line ? i->at : *at;
        if (kind == IR_DIV_SOURCE) {
            add_step(t, "%s", source_name(f, r));
        } else if (i->name && !is_same_variable(i->name, latest) && names++ < NAMES_MAX) {
            add_step(t, "%.*s", (int)variable_length(i->name), i->name);
            latest = i->name;
        }
        if (kind == IR_DIV_DATA && i->op == IR_load)
            add_step(t, "a load");
        if (kind == IR_DIV_SYNC)
            add_step(t, "the branch on line %u", ir_at(f, u->cause[r])->at.line);
        if (kind == IR_DIV_TEMPORAL)
            add_step(t, "a loop that threads leave in different iterations");
        if (kind == IR_DIV_CYCLE)
            add_step(t, "a loop with several entries");
    }
}
