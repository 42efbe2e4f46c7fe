/* module.c: the module's tables and its call graph. */
#include "ir/analysis/callgraph.h"
#include "ir/verify/verify.h"
#include "launch/layout.h"

static const place nowhere = {0, 0};

/* ---- tables ---------------------------------------------------------------------------------------- */

static void check_name(struct verifier *v, struct strings *names, const char *name, place at)
{
    uint32_t before = names->count;
    intern_z(names, name ? name : "");
    if (names->count == before)
        ir_rule_broken(v, IR_RULE_NAMES, at, "there is another '%s'", name ? name : "");
}

static void check_names(struct verifier *v)
{
    struct strings functions = {.arena = v->scratch}, hosts = {.arena = v->scratch},
                   objects = {.arena = v->scratch};
    for (uint32_t i = 0; i < v->m->functions.count; i++)
        check_name(v, &functions, v->m->functions.at[i]->name, v->m->functions.at[i]->at);
    for (uint32_t i = 0; i < v->m->hosts.count; i++)
        check_name(v, &hosts, v->m->hosts.at[i].name, v->m->hosts.at[i].at);
    for (uint32_t i = 0; i < v->m->objects.count; i++)
        check_name(v, &objects, v->m->objects.at[i].name, v->m->objects.at[i].at);
}

static void check_object(struct verifier *v, const struct ir_object *o)
{
    bool aligned = o->align && o->align <= IR_MAX_ALIGN && (o->align & (o->align - 1)) == 0;
    bool placed =
        (o->space == IR_TYPE_CONSTANT && (o->bytes || !o->size)) || (o->space == IR_TYPE_SHARED && !o->bytes);
    bool sized = !o->unit || (o->space == IR_TYPE_SHARED && !o->size && o->unit <= IR_MAX_OBJECT_BYTES &&
                              o->align <= IR_UNSIZED_ALIGN);
    if (!aligned || !placed || !sized || o->size > IR_MAX_OBJECT_BYTES)
        ir_rule_broken(v, IR_RULE_OBJECT, o->at, "the object '%s' is ill-formed", o->name);
}

static bool is_value_type(uint8_t t)
{
    return t < IR_TYPES && t != IR_TYPE_VOID && t != IR_TYPE_TOKEN;
}

static void check_signature(struct verifier *v, uint32_t number)
{
    const struct ir_signature *s = &v->m->signatures.at[number];
    bool right = s->argc <= IR_MAX_ARGS && (s->result == IR_TYPE_VOID || is_value_type(s->result));
    for (uint32_t i = 0; right && i < s->argc; i++)
        right = is_value_type(s->args[i]);
    if (!right)
        ir_rule_broken(v, IR_RULE_SIGNATURE, nowhere, "signature #%u is ill-formed", number);
}

static void check_host(struct verifier *v, const struct ir_host *h)
{
    const struct ir_signature *s =
        h->signature < v->m->signatures.count ? &v->m->signatures.at[h->signature] : NULL;
    if (!s || s->convergent)
        ir_rule_broken(v, IR_RULE_SIGNATURE, h->at,
                       "the host function '%s' has no signature, or a convergent one", h->name);
    else if (s->argc > IR_MAX_HOST_ARGS)
        ir_rule_broken(v, IR_RULE_SIGNATURE, h->at, "the host function '%s' has more than %u parameters",
                       h->name, IR_MAX_HOST_ARGS);
}

static bool kernel_info_fits(const struct ir_module *m, const struct ir_kernel_info *k)
{
    const struct ir_function *f = k->function < m->functions.count ? m->functions.at[k->function] : NULL;
    if (!f || !(f->flags & IR_FN_KERNEL) || f->order.count == 0 || f->order.at[0] >= f->blocks.count)
        return false;
    const u32_vec *params = &ir_block_at(f, ir_entry(f))->params;
    bool fits = params->count == k->params.count;
    for (uint32_t i = 0; fits && i < params->count; i++)
        fits =
            params->at[i] < f->ins.count && ir_at(f, params->at[i])->type == k->params.at[i].type &&
            launch_is_element((enum launch_element)k->params.at[i].element, k->params.at[i].element_bytes) &&
            layout_is_good(k->params.at[i].layout, k->params.at[i].element_bytes);
    fits = fits && k->unsized.count <= LAUNCH_MAX_SHARED;
    for (uint32_t i = 0; fits && i < k->unsized.count; i++) {
        uint32_t object = k->unsized.at[i];
        fits = object < m->objects.count && m->objects.at[object].unit && ir_unsized_number(k, object) == i;
    }
    return fits;
}

static void check_kernels(struct verifier *v)
{
    for (uint32_t i = 0; i < v->m->kernels.count; i++)
        if (!kernel_info_fits(v->m, &v->m->kernels.at[i]))
            ir_rule_broken(v, IR_RULE_KERNEL_INFO, nowhere,
                           "kernel information %u does not fit a kernel's parameters", i);
}

static void check_launches(struct verifier *v)
{
    uint32_t at;
    const char *problem = launch_check_plan(v->m->launches.at, v->m->launches.count, &at);
    if (problem) {
        ir_rule_broken(v, IR_RULE_LAUNCH, (place){v->m->launches.at[at].line, 0}, "%s", problem);
        return;
    }
    struct strings kernels = {.arena = v->scratch};
    for (uint32_t i = 0; i < v->m->functions.count; i++)
        if (v->m->functions.at[i]->flags & IR_FN_KERNEL)
            intern_z(&kernels, v->m->functions.at[i]->name);
    for (uint32_t i = 0; i < v->m->launches.count; i++) {
        const struct launch *l = &v->m->launches.at[i];
        if (l->step != LAUNCH_KERNEL)
            continue;
        uint32_t before = kernels.count;
        intern_z(&kernels, l->kernel);
        if (kernels.count != before)
            ir_rule_broken(v, IR_RULE_LAUNCH, (place){l->line, 0}, "no kernel is called '%s'", l->kernel);
    }
}

void ir_verify_tables(struct verifier *v)
{
    check_names(v);
    for (uint32_t i = 0; i < v->m->objects.count; i++)
        check_object(v, &v->m->objects.at[i]);
    for (uint32_t i = 0; i < v->m->signatures.count; i++)
        check_signature(v, i);
    for (uint32_t i = 0; i < v->m->hosts.count; i++)
        check_host(v, &v->m->hosts.at[i]);
    check_kernels(v);
    check_launches(v);
}

/* ---- call graph: no cycles of direct calls --------------------------------------------------------- */

void ir_verify_call_graph(struct verifier *v)
{
    struct ir_call_graph g = ir_call_graph_new(v->scratch, v->m);
    struct depth_first d = depth_first_new(v->scratch, &g.callees);
    for (uint32_t i = 0; i < v->m->functions.count; i++)
        depth_first_visit(&d, i);
    for (uint32_t i = 0; i < d.retreating.count; i++) {
        uint32_t edge = d.retreating.at[i];
        const struct ir_function *caller = v->m->functions.at[g.callers[edge]];
        ir_rule_broken(v, IR_RULE_RECURSION, ir_at(caller, g.calls[edge])->at,
                       "@%s calls itself here, or through other functions",
                       v->m->functions.at[g.callees.at[edge]]->name);
    }
}
