/* execution_structs.c: structures that the caller gives whole, --arg cfg={1, {2, 3}}: the kernel has a
 * parameter for each of their numbers, cfg.a, cfg.b.0, cfg.b.1.
 */
#include "launch/layout.h"
#include "lib/execution.h"

enum { SLOT = 8 }; /* bytes of a number, whatever its type */

struct members {
    struct execution *x;
    const struct be_param *at;
    uint32_t count;
    size_t prefix; /* of their names, with the dot */
};

/* What the numbers make together: a member for each first part of what is left of their names. */
static struct layout structure(struct members m)
{
    struct layout l = {.kind = LAYOUT_STRUCTURE, .bytes = m.count * SLOT}, **to = &l.members;
    for (uint32_t i = 0, n = 0; i < m.count; i += n) {
        const struct be_param *p = &m.at[i];
        const char *name = p->name + m.prefix;
        size_t length = strcspn(name, ".");
        struct layout *part = *to = arena_new(m.x->arena, struct layout);
        for (n = 1; name[length] && i + n < m.count &&
                    strncmp(m.at[i + n].name, p->name, m.prefix + length + 1) == 0;)
            n++;
        *part = (struct layout){.kind = p->pointer ? LAYOUT_POINTER : LAYOUT_NUMBER,
                                .element = (enum launch_element)p->element,
                                .scalars = 1,
                                .bytes = SLOT};
        if (name[length])
            *part = structure((struct members){m.x, p, n, m.prefix + length + 1});
        part->name = arena_strdup(m.x->arena, name, length);
        part->offset = i * SLOT;
        to = &part->next;
    }
    return l;
}

/* Into the launch. Names begin with so many bytes about the kernel; `how` is what the argument is given by. */
static bool add_numbers(struct execution *x, struct launch *to, const struct launch_argument *a,
                        struct members m, size_t kernel, const char *how)
{
    struct layout l = structure(m);
    struct text list = {.arena = x->arena}, bytes = {.arena = x->arena};
    text_char(&list, '{');
    if (a->value.kind == LAUNCH_LIST)
        launch_print_value(&a->value, &list);
    else
        text_addz(&list, a->value.text);
    text_char(&list, '}');
    const char *why = layout_fill(x->arena, &l, list.at, l.bytes, &bytes);
    for (uint32_t i = 0; !why && i < m.count; i++) {
        struct text number = {.arena = x->arena};
        struct launch_argument one = {arena_printf(x->arena, "%.*s%s", (int)kernel, a->name, m.at[i].name),
                                      {.kind = LAUNCH_NULL}};
        layout_print_number((enum launch_element)m.at[i].element, (uint8_t *)bytes.at + i * SLOT, &number);
        if (!m.at[i].pointer)
            why = launch_parse_value(x->arena, number.at, &one.value);
        if (!execution_argument(to, one.name)) /* a number that is given alone counts */
            vec_push(x->arena, &to->arguments, one);
    }
    return !why || execution_bad_launch(x, "%s%s: %s", how, a->name, why);
}

/* The parameters of the step that are the argument's numbers; none: it is not one of the step's structures. */
static struct members members_of(struct execution *x, const struct execution_step *s, const char *name)
{
    size_t n = strlen(name);
    struct members m = {.x = x, .prefix = n + 1};
    for (uint32_t i = 0; i < s->param_count; i++) {
        bool member = strncmp(s->params[i].name, name, n) == 0 && s->params[i].name[n] == '.';
        m.at = member && !m.count ? &s->params[i] : m.at;
        m.count += member;
    }
    return m;
}

static bool is_list(const struct launch_argument *a)
{
    return a->value.kind == LAUNCH_LIST || a->value.kind == LAUNCH_STRUCTS;
}

/* Of the step's directive: that of a source of Kern has the numbers already, others what was written. */
static bool split_directive(struct execution *x, struct execution_step *s)
{
    const struct launch *from = s->directive;
    struct launch *to = NULL;
    for (uint32_t i = 0; i < from->arguments.count; i++) {
        const struct launch_argument *a = &from->arguments.at[i];
        struct members m = is_list(a) ? members_of(x, s, a->name) : (struct members){0};
        if (!m.count)
            continue;
        if (!to) {
            to = arena_new(x->arena, struct launch);
            *to = *from;
            to->arguments.at = NULL;
            to->arguments.count = to->arguments.capacity = 0;
            for (uint32_t k = 0; k < from->arguments.count; k++)
                vec_push(x->arena, &to->arguments, from->arguments.at[k]);
        }
        if (!add_numbers(x, to, a, m, 0, "argument "))
            return false;
    }
    s->directive = to ? to : from;
    return true;
}

bool execution_split_structs(struct execution *x)
{
    for (uint32_t k = 0; k < x->steps.count; k++)
        if (x->steps.at[k].kernel && x->steps.at[k].directive && !split_directive(x, &x->steps.at[k]))
            return false;

    for (uint32_t i = 0; i < x->choice.launch.arguments.count; i++) {
        struct launch_argument a = x->choice.launch.arguments.at[i];
        const char *dot = strchr(a.name, '.');
        bool split = false;
        for (uint32_t k = 0; is_list(&a) && !split && k < x->steps.count; k++) {
            const struct execution_step *s = &x->steps.at[k];
            size_t kernel = s->kernel && x->launches > 1 && dot ? (size_t)(dot + 1 - a.name) : 0;
            if (kernel &&
                (strncmp(a.name, s->launch.kernel, kernel - 1) != 0 || s->launch.kernel[kernel - 1]))
                continue;
            struct members m = members_of(x, s, a.name + kernel);
            split = m.count > 0;
            if (split && !add_numbers(x, &x->choice.launch, &a, m, kernel, "--arg "))
                return false;
        }
        if (split) {
            for (uint32_t k = i--; k + 1 < x->choice.launch.arguments.count; k++)
                x->choice.launch.arguments.at[k] = x->choice.launch.arguments.at[k + 1];
            x->choice.launch.arguments.count--;
        }
    }
    return true;
}
