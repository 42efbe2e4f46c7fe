/* print_module.c: the text form of what a module holds besides functions. */
#include "ir/text/syntax.h"

void ir_print_name(const char *name, struct text *out)
{
    bool plain = *name && !(*name >= '0' && *name <= '9') && *name != '.';
    for (const char *c = name; *c; c++)
        plain = plain && ir_is_name_char(*c);
    if (plain)
        text_addz(out, name);
    else
        text_quoted(out, name, strlen(name));
}

static void location(place at, struct text *out)
{
    if (at.line)
        text_printf(out, " !%u:%u", at.line, at.column);
}

static void signature(const struct ir_signature *s, struct text *out)
{
    text_printf(out, "%s (", ir_type_info[s->result].text);
    for (uint32_t i = 0; i < s->argc; i++)
        text_printf(out, "%s%s", i ? ", " : "", ir_type_info[s->args[i]].text);
    text_addz(out, s->convergent ? ") convergent" : ")");
}

static void object(const struct ir_object *o, struct text *out)
{
    text_addz(out, "object @");
    ir_print_name(o->name, out);
    text_printf(out, " : %s %s%u align %u", ir_type_info[o->space].text, o->unit ? "unsized " : "",
                o->unit ? o->unit : o->size, o->align);
    if (o->bytes) {
        text_addz(out, " = x\"");
        for (uint32_t i = 0; i < o->size; i++)
            text_printf(out, "%02x", o->bytes[i]);
        text_char(out, '"');
    }
    location(o->at, out);
    text_char(out, '\n');
}

static void host(const struct ir_module *m, const struct ir_host *h, struct text *out)
{
    text_addz(out, "host @");
    ir_print_name(h->name, out);
    text_addz(out, " : ");
    signature(&m->signatures.at[h->signature], out);
    location(h->at, out);
    text_char(out, '\n');
}

static void layout(const char *text, struct text *out)
{
    if (!text)
        return;
    text_char(out, ' ');
    text_quoted(out, text, strlen(text));
}

void ir_print_kernel(const struct ir_module *m, const struct ir_kernel_info *k, struct text *out)
{
    text_addz(out, "kernel @");
    ir_print_name(m->functions.at[k->function]->name, out);
    text_char(out, '(');
    for (uint32_t i = 0; i < k->params.count; i++) {
        const struct ir_param_info *p = &k->params.at[i];
        text_addz(out, i ? ", " : "");
        ir_print_name(p->name, out);
        text_printf(out, ": %s ", ir_type_info[p->type].text);
        text_quoted(out, p->text, strlen(p->text));
        text_printf(out, " of %s %u", launch_element_name(p->element), p->element_bytes);
        layout(p->layout, out);
    }
    text_char(out, ')');
    for (uint32_t i = 0; i < k->unsized.count; i++) {
        text_addz(out, i ? ", @" : " shared @");
        ir_print_name(m->objects.at[k->unsized.at[i]].name, out);
    }
}

/* ---- the module ------------------------------------------------------------------------------------ */

static void tables(const struct ir_module *m, struct text *out)
{
    for (uint32_t i = 0; i < m->texts.count; i++) {
        text_printf(out, "text #%u = ", i);
        text_quoted(out, m->texts.at[i].text, m->texts.at[i].length);
        text_char(out, '\n');
    }
    for (uint32_t i = 0; i < m->signatures.count; i++) {
        text_printf(out, "signature #%u = ", i);
        signature(&m->signatures.at[i], out);
        text_char(out, '\n');
    }
    for (uint32_t i = 0; i < m->objects.count; i++)
        object(&m->objects.at[i], out);
    for (uint32_t i = 0; i < m->hosts.count; i++)
        host(m, &m->hosts.at[i], out);
    for (uint32_t i = 0; i < m->kernels.count; i++) {
        ir_print_kernel(m, &m->kernels.at[i], out);
        text_char(out, '\n');
    }
}

static void plain(const struct ir_function *f, struct text *out)
{
    ir_print_function(f, out, NULL);
}

void ir_print_module(const struct ir_module *m, struct text *out)
{
    ir_print_module_by(m, plain, out);
}

void ir_print_module_by(const struct ir_module *m,
                        void (*function)(const struct ir_function *, struct text *), struct text *out)
{
    text_addz(out, "module ");
    text_quoted(out, m->file, strlen(m->file));
    text_char(out, '\n');
    tables(m, out);
    for (uint32_t i = 0; i < m->functions.count; i++) {
        text_char(out, '\n');
        function(m->functions.at[i], out);
    }
    text_addz(out, m->launches.count ? "\n" : "");
    for (uint32_t i = 0; i < m->launches.count; i++) {
        launch_write_directive(&m->launches.at[i], "@", out);
        text_char(out, '\n');
    }
}
