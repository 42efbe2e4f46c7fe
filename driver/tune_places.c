/* tune_places.c: where the predictions stand in the source, or are to stand, in words that can be typed there.
 *
 * A function may have been inlined: then a prediction that the compiler found begins in the lines of one
 * function and has its label in those of another, which no Predict can name. The program as the front end made
 * it, where every function is itself, tells whose lines these are and who calls whom. The statement goes to the
 * innermost function that has the label or leads to its function; it names the label, or that function.
 */
#include "driver/tune.h"
#include "lib/result.h"

#include <ctype.h>

/* ---- functions of the source ------------------------------------------------------------------------- */

/* `reached`: by function, from the kernels that are measured, the call by which; `order`: callers first. */
struct functions {
    struct arena *arena;
    const struct ir_module *m;
    struct call *reached;
    u32_vec order;
};
struct call {
    bool known, kernel;
    uint32_t caller, count; /* count: of the calls of it that have been seen */
    place at;
};

#define NO_FUNCTION UINT32_MAX

/* The function that begins last before the place. NO_FUNCTION: none does. */
static uint32_t function_of(const struct functions *f, place at)
{
    uint32_t found = NO_FUNCTION, line = 0;
    for (uint32_t i = 0; i < f->m->functions.count; i++) {
        place own = f->m->functions.at[i]->at;
        if (own.line > at.line || (own.line == at.line && own.column > at.column) || own.line < line)
            continue;
        found = i;
        line = own.line;
    }
    return found;
}

static void add_calls(struct functions *f, uint32_t caller)
{
    const struct ir_function *fn = f->m->functions.at[caller];
    ir_each_block(k, b, fn) {
        ir_each_ins(r, fn, b) {
            const struct ir_ins *ins = ir_at(fn, r);
            struct call *c = ins->op == IR_call ? &f->reached[ins->imm] : NULL;
            if (!c || c->count++ || c->known)
                continue;
            *c = (struct call){.known = true, .caller = caller, .count = 1, .at = ins->at};
            vec_push(f->arena, &f->order, (uint32_t)ins->imm);
        }
    }
}

static void find_calls(struct functions *f, const struct execution *x)
{
    f->reached = arena_array(f->arena, struct call, f->m->functions.count);
    for (uint32_t s = 0; s < x->steps.count; s++)
        for (uint32_t i = 0; x->steps.at[s].kernel && x->steps.at[s].counted && i < f->m->functions.count;
             i++) {
            if (f->reached[i].known || strcmp(f->m->functions.at[i]->name, x->steps.at[s].launch.kernel) != 0)
                continue;
            f->reached[i] = (struct call){.known = true, .kernel = true};
            vec_push(f->arena, &f->order, i);
        }
    for (uint32_t i = 0; i < f->order.count; i++)
        add_calls(f, f->order.at[i]);
}

/* Whether `other` is called on the way from a kernel to `inner`; *at is then where. */
static bool leads_to(const struct functions *f, uint32_t other, uint32_t inner, place *at)
{
    while (inner != NO_FUNCTION && f->reached[inner].known && !f->reached[inner].kernel) {
        *at = f->reached[inner].at;
        inner = f->reached[inner].caller;
        if (inner == other)
            return true;
    }
    return false;
}

/* Whether the place is in what the function executes first, without a branch before it. */
static bool begins_at(const struct functions *f, uint32_t function, place at)
{
    const struct ir_function *fn = f->m->functions.at[function];
    if (!fn->order.count)
        return false;
    ir_each_ins(r, fn, ir_entry(fn))
        if (ir_at(fn, r)->at.line == at.line && ir_at(fn, r)->at.column == at.column)
            return true;
    return false;
}

/* ---- names ------------------------------------------------------------------------------------------- */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The name in the Predict that begins at the place; NULL: a comment or the like stands between. */
static const char *name_at(const struct tuning *x, const kernc_prediction *p)
{
    uint32_t n, column = p->column ? p->column - 1 : 0;
    const char *at = source_line(x->source, p->line, &n);
    if (column >= n)
        return NULL;
    at += column;
    if (strncmp(at, "Predict", 7) != 0)
        return NULL;
    at += 7 + strspn(at + 7, " \t\r\n");
    at += *at == '(';
    at += strspn(at, " \t\r\n");
    size_t length = 0;
    while (is_word(at[length]))
        length++;
    return length ? arena_strdup(&x->command->arena, at, length) : NULL;
}

static bool is_taken(const struct tuning *x, const char *name, uint32_t before)
{
    bool taken = strstr(x->source->text, name) != NULL;
    for (uint32_t i = 0; i < before; i++)
        taken |= strcmp(x->predictions.at[i].label, name) == 0;
    return taken;
}

/* A name for the label of the line, which the source and the predictions before have not. */
static const char *new_name(const struct tuning *x, uint32_t line, uint32_t before)
{
    const char *name = arena_printf(&x->command->arena, "line%u", line);
    for (uint32_t n = 2; is_taken(x, name, before); n++)
        name = arena_printf(&x->command->arena, "line%u_%u", line, n);
    return name;
}

/* "in work, called by all in line 17, called by b7 in line 24"; NULL: the function is a kernel. */
static const char *within(const struct tuning *x, const struct functions *f, uint32_t function)
{
    struct arena *a = &x->command->arena;
    if (function == NO_FUNCTION || !f->reached[function].known || f->reached[function].kernel)
        return NULL;
    const char *text = arena_printf(a, "in %s", f->m->functions.at[function]->name);
    for (; !f->reached[function].kernel; function = f->reached[function].caller) {
        uint32_t line = f->reached[function].at.line;
        source_of(x->source, &line);
        text = arena_printf(a, "%s, called by %s in line %u", text,
                            f->m->functions.at[f->reached[function].caller]->name, line);
    }
    return text;
}

/* ---- one prediction ---------------------------------------------------------------------------------- */

static void place_found(struct tuning *x, const struct functions *f, uint32_t number)
{
    struct tuned *t = &x->predictions.at[number];
    uint32_t from = function_of(f, t->from), to = function_of(f, t->to);
    place call;
    while (from != to && to != NO_FUNCTION && f->reached[to].count == 1 && begins_at(f, to, t->to)) {
        t->to = f->reached[to].at; /* who stands before the only call stands before what is called */
        to = f->reached[to].caller;
    }
    while (from != to && from != NO_FUNCTION && !leads_to(f, from, to, &call) && f->reached[from].known &&
           !f->reached[from].kernel) {
        t->from = f->reached[from].at;
        from = f->reached[from].caller;
    }
    t->within = within(x, f, from);
    if (from != to && to != NO_FUNCTION)
        t->callee = arena_printf(&x->command->arena, "%s", f->m->functions.at[to]->name);
    uint32_t line = t->to.line;
    source_of(x->source, &line);
    t->label = t->callee ? t->callee : new_name(x, line, number);
}

int tune_find_places(struct tuning *x)
{
    kernc_options o = x->options;
    struct functions f = {.arena = &x->command->arena};
    o.passes = "";
    o.ir_only = o.no_warnings = true;
    kernc_result *r = compile_text(x->command, &o, &x->text);
    kernc_compile_status status = kernc_result_status(r);
    if (status == KERNC_COMPILED) {
        f.m = r->module;
        find_calls(&f, &x->first.x);
    }
    for (uint32_t i = 0; i < x->predictions.count; i++) {
        struct tuned *t = &x->predictions.at[i];
        t->from = (place){t->at.line, t->at.column};
        t->to = (place){t->at.to_line, t->at.to_column};
        t->label = t->at.found ? NULL : name_at(x, &t->at);
        if (!f.reached)
            t->label = t->label ? t->label : new_name(x, t->to.line, i);
        else if (t->at.found)
            place_found(x, &f, i);
        else
            t->within = within(x, &f, function_of(&f, t->from));
        t->label = t->label ? t->label : new_name(x, t->from.line, i);
    }
    if (status == KERNC_COMPILE_NO_MEMORY)
        show_diagnostics(x->command, r);
    kernc_result_free(r);
    return status == KERNC_COMPILE_NO_MEMORY ? exit_of_compilation(status) : EXIT_OK;
}
