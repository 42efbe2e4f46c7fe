/* steps.c: see steps.h. IR stands in the frame of the passes' dumps, machine code in that of
 * LLVM's, which Compiler Explorer's pass viewer reads too:
 *
 *     # *** IR Dump After regalloc on collatz ***:
 *     # Machine code for function collatz:
 */
#include "lib/steps.h"

#include "ir/views/views.h"

/* ---- what is asked for ------------------------------------------------------------------------------- */

static bool is_named(const struct opt_options *o, const char *step, bool after)
{
    return after ? o->print_after_all || opt_listed(o->print_after, step)
                 : o->print_before_all || opt_listed(o->print_before, step);
}

bool steps_watch_machine(const struct opt_options *o)
{
    for (unsigned s = 0; s < WC_STEPS; s++) {
        const char *name = wc_step_info[s].name;
        bool printed = o->print && (o->print_changed != OPT_CHANGED_OFF || is_named(o, name, false) ||
                                    is_named(o, name, true));
        if ((printed || o->dump_dir) && opt_in_filter(o->filter_passes, name))
            return true;
    }
    return false;
}

/* ---- printing ---------------------------------------------------------------------------------------- */

static void print_body(const struct opt_options *o, const struct wc_stage *stage, struct text *out)
{
    if (stage->f)
        wc_print_stage(stage, out);
    else if (o->divergence)
        ir_print_divergence(stage->function, out);
    else
        ir_print_function(stage->function, out, NULL);
}

static void print_framed(struct steps *s, const struct wc_stage *stage, const struct text *body)
{
    const struct opt_options *o = s->options;
    struct text t = {.arena = s->arena};
    text_printf(&t, "%c *** IR Dump %s %s on %s ***%s\n", stage->f ? '#' : ';',
                stage->after ? "After" : "Before", wc_step_info[stage->step].name, stage->function->name,
                stage->f ? ":" : "");
    text_add(&t, body->at, body->length);
    text_char(&t, '\n');
    o->print(o->data, t.at, t.length);
}

/* What was before is IR, and behind it is machine code: shown whole. */
static bool is_another_form(const struct wc_stage *stage)
{
    return stage->step == WC_STEP_select;
}

static void print_change(struct steps *s, const struct wc_stage *stage, const struct text *now)
{
    struct text none = {0}, diff = {.arena = s->arena};
    uint32_t id = stage->function->id;
    struct text *old = id < s->before.count ? &s->before.at[id] : &none;
    if (old->length == now->length && memcmp(old->at, now->at, now->length) == 0)
        return;
    if (s->options->print_changed == OPT_CHANGED_DIFF && !is_another_form(stage)) {
        struct diff_version before = {.compared = *old}, after = {.compared = *now};
        text_diff(&before, &after, &diff);
        print_framed(s, stage, &diff);
    } else {
        print_framed(s, stage, now);
    }
}

static void keep(struct steps *s, uint32_t function, const struct text *body)
{
    while (s->before.count <= function)
        vec_push(s->arena, &s->before, (struct text){0});
    s->before.at[function] = *body;
}

/* ---- the steps --------------------------------------------------------------------------------------- */

static bool is_wanted(const struct opt_options *o, const struct wc_stage *stage)
{
    return opt_in_filter(o->filter_passes, wc_step_info[stage->step].name) &&
           opt_in_filter(o->filter_functions, stage->function->name);
}

static void print_stage(struct steps *s, const struct wc_stage *stage)
{
    const struct opt_options *o = s->options;
    bool changes = o->print_changed != OPT_CHANGED_OFF;
    struct text body = {.arena = s->arena};
    if (!o->print || !is_wanted(o, stage))
        return;
    print_body(o, stage, &body);
    if (is_named(o, wc_step_info[stage->step].name, stage->after))
        print_framed(s, stage, &body);
    if (changes && stage->after)
        print_change(s, stage, &body);
    else if (changes)
        keep(s, stage->function->id, &body);
}

void steps_watch(void *data, const struct wc_stage *stage)
{
    struct steps *s = data;
    struct text *file = &s->files[stage->step];
    print_stage(s, stage);
    if (!s->options->dump_dir || !stage->f || !stage->after ||
        !opt_in_filter(s->options->filter_passes, wc_step_info[stage->step].name))
        return;
    file->arena = s->arena;
    wc_print_stage(stage, file);
    text_char(file, '\n');
}

const char *steps_write(struct steps *s, uint32_t number)
{
    const char *wrong = NULL;
    for (unsigned n = 0; n < WC_STEPS && !wrong; n++) {
        if (!s->files[n].length)
            continue;
        struct text path = {.arena = s->arena};
        text_printf(&path, "%s/%03u-%s.txt", s->options->dump_dir, number++, wc_step_info[n].name);
        wrong = file_write(path.at, s->files[n].at, s->files[n].length);
    }
    return wrong;
}
