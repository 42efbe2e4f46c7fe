/* steps.c: see steps.h. IR stands in the frame of the passes' dumps (opt/dumps.c), machine code in that of
 * LLVM's, which Compiler Explorer's pass viewer reads too:
 *
 *     # *** IR Dump After regalloc on collatz ***:
 *     # Machine code for function collatz:
 */
#include "lib/steps.h"

#include "ir/views.h"

/* ---- what is asked for --------------------------------------------------------------------------------- */

static bool is_named(const struct opt_options *o, const char *step, bool after)
{
    return after ? o->print_after_all || opt_listed(o->print_after, step)
                 : o->print_before_all || opt_listed(o->print_before, step);
}

bool steps_watch_machine(const struct opt_options *o)
{
    for (unsigned s = WC_STEP_select; s < WC_STEPS; s++) {
        const char *name = wc_step_info[s].name;
        bool        printed = o->print && (o->print_changed != OPT_CHANGED_OFF || is_named(o, name, false) ||
                                    is_named(o, name, true));
        if ((printed || o->dump_dir) && opt_in_filter(o->filter_passes, name))
            return true;
    }
    return false;
}

/* ---- printing ------------------------------------------------------------------------------------------ */

static void print_body(const struct opt_options *o, const struct wc_stage *stage, struct text *out)
{
    if (stage->f)
        wc_print_stage(stage, out);
    else if (o->divergence)
        ir_print_divergence(stage->function, out);
    else
        ir_print_function(stage->function, out, NULL);
}

static void print_framed(const struct opt_options *o, const struct wc_stage *stage, const struct text *body)
{
    struct text t = {0};
    text_printf(&t, "%c *** IR Dump %s %s on %s ***%s\n", stage->f ? '#' : ';',
                stage->after ? "After" : "Before", wc_step_info[stage->step].name, stage->function->name,
                stage->f ? ":" : "");
    text_add(&t, body->at, body->length);
    text_char(&t, '\n');
    o->print(o->data, t.at, t.length);
    text_free(&t);
}

/* What was before is IR, and behind it is machine code: shown whole. */
static bool is_another_form(const struct wc_stage *stage)
{
    return stage->step == WC_STEP_select;
}

static void print_change(struct steps *s, const struct wc_stage *stage, const struct text *now)
{
    struct text  none = {0}, diff = {0};
    uint32_t     id = stage->function->id;
    struct text *old = id < s->before.count ? &s->before.at[id] : &none;
    if (old->length == now->length && memcmp(old->at, now->at, now->length) == 0)
        return;
    if (s->options->print_changed == OPT_CHANGED_DIFF && !is_another_form(stage)) {
        struct opt_version before = {.compared = *old}, after = {.compared = *now};
        opt_diff(&before, &after, &diff);
        print_framed(s->options, stage, &diff);
        text_free(&diff);
    } else {
        print_framed(s->options, stage, now);
    }
}

static void keep(struct steps *s, uint32_t function, struct text *body)
{
    while (s->before.count <= function)
        vec_push(s->arena, &s->before, (struct text){0});
    text_free(&s->before.at[function]);
    s->before.at[function] = *body;
    *body = (struct text){0};
}

/* ---- the steps ----------------------------------------------------------------------------------------- */

static bool is_wanted(const struct opt_options *o, const struct wc_stage *stage)
{
    return opt_in_filter(o->filter_passes, wc_step_info[stage->step].name) &&
           opt_in_filter(o->filter_functions, stage->function->name);
}

static void print_stage(struct steps *s, const struct wc_stage *stage)
{
    const struct opt_options *o = s->options;
    bool        changes = o->print_changed != OPT_CHANGED_OFF;
    struct text body = {0};
    if (!o->print || !is_wanted(o, stage))
        return;
    print_body(o, stage, &body);
    if (is_named(o, wc_step_info[stage->step].name, stage->after))
        print_framed(o, stage, &body);
    if (changes && stage->after)
        print_change(s, stage, &body);
    else if (changes)
        keep(s, stage->function->id, &body);
    text_free(&body);
}

void steps_watch(void *data, const struct wc_stage *stage)
{
    struct steps *s = data;
    struct text  *file = &s->files[stage->step];
    print_stage(s, stage);
    if (!s->options->dump_dir || !stage->f || !stage->after ||
        !opt_in_filter(s->options->filter_passes, wc_step_info[stage->step].name))
        return;
    wc_print_stage(stage, file);
    text_char(file, '\n');
}

void steps_watch_legalize(struct steps *s, const struct ir_module *m, bool after)
{
    for (uint32_t i = 0; i < m->functions.count; i++)
        print_stage(s, &(struct wc_stage){.step = WC_STEP_legalize, .after = after,
                                          .function = m->functions.at[i]});
}

const char *steps_write(const struct steps *s, uint32_t number)
{
    const char *wrong = NULL;
    for (unsigned n = 0; n < WC_STEPS && !wrong; n++) {
        if (!s->files[n].length)
            continue;
        struct text path = {0};
        text_printf(&path, "%s/%03u-%s.txt", s->options->dump_dir, number++, wc_step_info[n].name);
        wrong = file_write(path.at, s->files[n].at, s->files[n].length);
        text_free(&path);
    }
    return wrong;
}

void steps_free(struct steps *s)
{
    for (uint32_t i = 0; i < s->before.count; i++)
        text_free(&s->before.at[i]);
    for (unsigned n = 0; n < WC_STEPS; n++)
        text_free(&s->files[n]);
}
