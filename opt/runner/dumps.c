/* dumps.c: the IR between passes, in the frame that Compiler Explorer's pass viewer reads:
 *
 *     ; *** IR Dump After mem2reg on saxpy ***
 *     define … @saxpy(…) {
 *     }
 *
 * What changed is decided by comparing the printed text, so that a pass that reports a change which
 * cannot be seen stays hidden. With divergence shown, a line also counts as changed where a value became
 * uniform or divergent, but not where only the cause is another one: those would be most lines of a
 * difference.
 */
#include "opt/runner/internal.h"

#include "ir/views/views.h"

void opt_print(const struct opt_options *o, const char *fmt, ...)
{
    if (!o->print)
        return;
    struct scratch scratch;
    struct text t = {.arena = scratch_begin(&scratch)};
    va_list args;
    va_start(args, fmt);
    text_vprintf(&t, fmt, args);
    va_end(args);
    o->print(o->data, t.at, t.length);
    scratch_end(&scratch);
}

static bool wanted(const struct opt_dumps *d, const char *pass, const struct ir_function *f)
{
    const struct opt_options *o = d->options;
    return o->print && opt_in_filter(o->filter_functions, f->name) &&
           (!pass || opt_in_filter(o->filter_passes, pass));
}

/* Texts are kept for comparison only where something will be compared. */
static bool compares(const struct opt_dumps *d)
{
    return d->options->print && d->options->print_changed != OPT_CHANGED_OFF;
}

static void print_function(const struct opt_dumps *d, const struct ir_function *f, struct text *out)
{
    if (d->options->divergence)
        ir_print_divergence(f, out);
    else
        ir_print_function(f, out, NULL);
}

/* Makes d->now the function's, which is empty before. */
static void make_version(struct opt_dumps *d, const struct ir_function *f)
{
    if (d->options->divergence)
        ir_print_divergence_marks(f, &d->now.compared);
    else
        ir_print_function(f, &d->now.compared, NULL);
    if (d->options->divergence)
        ir_print_divergence(f, &d->now.shown);
}

static void version_free(struct diff_version *v)
{
    text_free(&v->compared);
    text_free(&v->shown);
}

static const struct text *shown_text(const struct diff_version *v)
{
    return v->shown.length ? &v->shown : &v->compared;
}

/* What the analyses that are asked for say of the function; nothing of one that the verifier refuses. */
static void print_analyses(const struct opt_dumps *d, const struct ir_function *f, struct text *out)
{
    struct scratch scratch;
    struct diagnostics unheard;
    struct arena *a = scratch_begin(&scratch);
    diag_init(&unheard, a, NULL);
    if (d->options->analyses && f->order.count && ir_verify_function(f, &unheard))
        for (int v = 0; v < IR_VIEWS; v++)
            if (opt_listed(d->options->analyses, ir_view_info[v].text))
                ir_view_text(ir_viewer_new(a, f), (enum ir_view)v, out);
    scratch_end(&scratch);
}

static void dump(struct opt_dumps *d, const char *when, const char *pass, const struct ir_function *f,
                 const struct text *body)
{
    struct scratch scratch;
    struct text t = {.arena = scratch_begin(&scratch)};
    text_printf(&t, "; *** IR Dump %s%s on %s ***\n", when, pass, f->name);
    if (body)
        text_add(&t, body->at, body->length);
    else
        print_function(d, f, &t);
    print_analyses(d, f, &t);
    text_char(&t, '\n');
    d->options->print(d->options->data, t.at, t.length);
    scratch_end(&scratch);
}

void opt_dumps_start(struct opt_dumps *d, const struct opt_options *o, const struct ir_module *m,
                     struct opt_report *r, struct arena *a)
{
    *d = (struct opt_dumps){.options = o, .module = m, .files = &r->files, .arena = a};
    if (!compares(d))
        return;
    for (uint32_t i = 0; i < m->functions.count; i++) {
        const struct ir_function *f = m->functions.at[i];
        make_version(d, f);
        vec_push(a, &d->versions, d->now);
        d->now = (struct diff_version){0};
        if (wanted(d, NULL, f))
            dump(d, "At Start", "", f, shown_text(&d->versions.at[i]));
    }
}

void opt_dumps_before(struct opt_dumps *d, const char *pass, const struct ir_function *f)
{
    if ((d->options->print_before_all || opt_listed(d->options->print_before, pass)) && wanted(d, pass, f))
        dump(d, "Before ", pass, f, NULL);
}

/* Empty of a function that a pass has made. */
static struct diff_version *version_before(struct opt_dumps *d, uint32_t function)
{
    while (d->versions.count <= function)
        vec_push(d->arena, &d->versions, (struct diff_version){0});
    return &d->versions.at[function];
}

static void show_change(struct opt_dumps *d, const char *pass, const struct ir_function *f)
{
    struct diff_version *now = &d->now, *old = version_before(d, f->id);
    struct scratch scratch;
    struct text diff = {.arena = scratch_begin(&scratch)};
    make_version(d, f);
    bool differs = now->compared.length != old->compared.length ||
                   memcmp(now->compared.at, old->compared.at, now->compared.length) != 0;
    if (differs && wanted(d, pass, f)) {
        if (d->options->print_changed == OPT_CHANGED_DIFF)
            text_diff(old, now, &diff);
        dump(d, "After ", pass, f, diff.length ? &diff : shown_text(now));
    }
    scratch_end(&scratch);
    version_free(old);
    *old = *now;
    *now = (struct diff_version){0};
}

void opt_dumps_after(struct opt_dumps *d, const char *pass, const struct ir_function *f, bool changed)
{
    if ((d->options->print_after_all || opt_listed(d->options->print_after, pass)) && wanted(d, pass, f))
        dump(d, "After ", pass, f, NULL);
    if (changed && compares(d))
        show_change(d, pass, f);
}

const char *opt_dumps_file(struct opt_dumps *d, const char *pass, bool changed)
{
    const struct opt_options *o = d->options;
    uint32_t number = (*d->files)++;
    if (!o->dump_dir || !changed || (pass && !opt_in_filter(o->filter_passes, pass)))
        return NULL;
    struct scratch scratch;
    struct text path = {.arena = scratch_begin(&scratch)}, body = {.arena = &scratch.arena};
    text_printf(&path, "%s/%03u-%s.kir", o->dump_dir, number, pass ? pass : "input");
    if (o->divergence)
        ir_print_module_by(d->module, ir_print_divergence, &body);
    else
        ir_print_module(d->module, &body);
    const char *wrong = file_write(path.at, body.at, body.length);
    scratch_end(&scratch);
    return wrong;
}

void opt_dumps_free(struct opt_dumps *d)
{
    for (uint32_t i = 0; i < d->versions.count; i++)
        version_free(&d->versions.at[i]);
    version_free(&d->now);
}
