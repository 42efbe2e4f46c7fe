/* dumps.c: the IR between passes, in the frame that Compiler Explorer's pass viewer reads:
 *
 *     ; *** IR Dump After mem2reg on saxpy ***
 *     define … @saxpy(…) {
 *     }
 *
 * What changed is decided by comparing the printed text, so that a pass that reports a change which
 * cannot be seen stays hidden.
 */
#include "opt/internal.h"

void opt_print(const struct opt_options *o, const char *fmt, ...)
{
    if (!o->print)
        return;
    struct text t = {0};
    va_list args;
    va_start(args, fmt);
    text_vprintf(&t, fmt, args);
    va_end(args);
    o->print(o->data, t.at, t.length);
    text_free(&t);
}

static bool wanted(const struct opt_dumps *d, const char *pass, const struct ir_function *f)
{
    const struct opt_options *o = d->options;
    return o->print && (!o->filter_functions || !*o->filter_functions || opt_listed(o->filter_functions, f->name)) &&
           (!pass || !o->filter_passes || !*o->filter_passes || opt_listed(o->filter_passes, pass));
}

/* Texts are kept for comparison only where something will be compared. */
static bool compares(const struct opt_dumps *d)
{
    return d->options->print && d->options->print_changed != OPT_CHANGED_OFF;
}

static void dump(struct opt_dumps *d, const char *when, const char *pass, const struct ir_function *f,
                 const struct text *body)
{
    struct text t = {0};
    text_printf(&t, "; *** IR Dump %s%s on %s ***\n", when, pass, f->name);
    if (body)
        text_add(&t, body->at, body->length);
    else
        ir_print_function(f, &t, NULL);
    text_char(&t, '\n');
    d->options->print(d->options->data, t.at, t.length);
    text_free(&t);
}

void opt_dumps_start(struct opt_dumps *d, const struct opt_options *o, const struct ir_module *m, struct arena *a)
{
    *d = (struct opt_dumps){.options = o, .module = m};
    if (!compares(d))
        return;
    d->shown = arena_array(a, struct text, m->functions.count);
    for (uint32_t i = 0; i < m->functions.count; i++) {
        const struct ir_function *f = m->functions.at[i];
        ir_print_function(f, &d->shown[i], NULL);
        if (wanted(d, NULL, f))
            dump(d, "At Start", "", f, &d->shown[i]);
    }
}

void opt_dumps_before(struct opt_dumps *d, const char *pass, const struct ir_function *f)
{
    if ((d->options->print_before_all || opt_listed(d->options->print_before, pass)) && wanted(d, pass, f))
        dump(d, "Before ", pass, f, NULL);
}

static void show_change(struct opt_dumps *d, const char *pass, const struct ir_function *f)
{
    struct text now = {0}, *old = &d->shown[f->id];
    ir_print_function(f, &now, NULL);
    bool differs = now.length != old->length || memcmp(now.at, old->at, now.length) != 0;
    if (differs && wanted(d, pass, f)) {
        if (d->options->print_changed == OPT_CHANGED_DIFF) {
            struct text diff = {0};
            opt_diff(old->at, old->length, now.at, now.length, &diff);
            dump(d, "After ", pass, f, &diff);
            text_free(&diff);
        } else {
            dump(d, "After ", pass, f, &now);
        }
    }
    text_free(old);
    *old = now;
}

void opt_dumps_after(struct opt_dumps *d, const char *pass, const struct ir_function *f, bool changed)
{
    if ((d->options->print_after_all || opt_listed(d->options->print_after, pass)) && wanted(d, pass, f))
        dump(d, "After ", pass, f, NULL);
    if (changed && compares(d) && f->id < d->module->functions.count)
        show_change(d, pass, f);
}

const char *opt_dumps_file(struct opt_dumps *d, const char *pass, bool changed)
{
    const struct opt_options *o = d->options;
    uint32_t number = d->steps++;
    if (!o->dump_dir || !changed || (pass[0] && o->filter_passes && *o->filter_passes &&
                                     !opt_listed(o->filter_passes, pass)))
        return NULL;
    struct text path = {0}, body = {0};
    text_printf(&path, "%s/%03u-%s.kir", o->dump_dir, number, pass[0] ? pass : "input");
    ir_print_module(d->module, &body);
    const char *wrong = file_write(path.at, body.at, body.length);
    text_free(&path);
    text_free(&body);
    return wrong;
}

void opt_dumps_free(struct opt_dumps *d)
{
    for (uint32_t i = 0; d->shown && i < d->module->functions.count; i++)
        text_free(&d->shown[i]);
}
