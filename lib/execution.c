/* execution.c: see execution.h. Opening and closing, and running the plan. */
#include "lib/execution.h"
#include "runtime/context.h"
#include "runtime/module.h"

/* ---- problems ---------------------------------------------------------------------------------------- */

bool execution_api_failed(struct execution *x, kernc_status status)
{
    const char *text = kernc_error_text(x->context);
    x->problem = (struct execution_problem){.status = status,
                                            .text = arena_strdup(x->arena, text, strlen(text)),
                                            .of_launch = x->steps.count > 0};
    return false;
}

bool execution_bad_launch(struct execution *x, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    x->problem.status = KERNC_INVALID;
    x->problem.text = arena_vprintf(x->arena, fmt, args);
    x->problem.of_launch = true;
    va_end(args);
    return false;
}

const char *execution_error(const struct execution *x)
{
    return x->problem.text ? x->problem.text : kernc_error_text(x->context);
}

/* ---- opened and closed ------------------------------------------------------------------------------- */

static void drop_output(void *user, const char *bytes, size_t n)
{
}

static bool load(struct execution *x, const void *program, size_t n)
{
    kernc_context_options o = {.size = sizeof o,
                               .max_memory = x->max_memory,
                               .output = x->hooks.print ? x->hooks.print : drop_output,
                               .output_user = x->hooks.print_user};
    kernc_status status = kernc_context_create(&o, &x->context);
    for (uint32_t i = 0; status == KERNC_OK && i < x->libraries.count; i++)
        status = kernc_load_library(x->context, x->libraries.at[i]);
    if (status == KERNC_OK)
        status = kernc_module_load(x->context, program, n, &x->module);
    return status == KERNC_OK || execution_api_failed(x, status);
}

bool execution_open(struct execution *x, const void *program, size_t n)
{
    return load(x, program, n) && execution_choose(x) && execution_make(x);
}

void execution_close(struct execution *x)
{
    for (uint32_t i = 0; i < x->steps.count; i++) {
        kernc_statistics_free(x->steps.at[i].statistics);
        x->steps.at[i].statistics = NULL;
    }
    kernc_statistics_free(x->position.made);
    x->position.made = NULL;
    kernc_context_free(x->context);
    x->context = NULL;
}

void execution_shared(const uint32_t sizes[LAUNCH_MAX_SHARED], kernc_launch *l)
{
    uint32_t count = LAUNCH_MAX_SHARED;
    while (count && !sizes[count - 1])
        count--;
    l->shared_sizes = sizes;
    l->shared_count = count;
}

/* ---- the plan runs ----------------------------------------------------------------------------------- */

kernc_status execution_launch(struct execution *x, struct execution_step *step, kernc_statistics **statistics)
{
    step->runs++;
    kernc_launch l = x->api;
    l.args = step->arguments.at;
    l.arg_count = step->arguments.count;
    struct launch sized = step->launch;
    enum launch_clause at;
    const char *problem = launch_at_round(&sized, x->position.round, &at);
    if (problem) {
        execution_bad_launch(x, "%s(%s) in round %llu: %s", launch_clause_names[at], sized.by_round[at],
                             (unsigned long long)x->position.round, problem);
        x->problem.line = sized.line;
        return x->problem.status;
    }
    memcpy(l.grid, sized.grid, sizeof l.grid);
    memcpy(l.block, sized.block, sizeof l.block);
    execution_shared(sized.shared, &l);
    l.sample = step->sample;
    l.flags = statistics ? l.flags | KERNC_STATISTICS : l.flags & ~(uint32_t)KERNC_STATISTICS;
    return kernc_run(step->kernel, &l, statistics);
}

/* *to becomes the sum of itself (NULL: nothing) and what has been made. */
static void add_statistics(kernc_statistics **to, const kernc_statistics *made)
{
    if (*to && made)
        rt_statistics_add(*to, made);
    else if (made)
        rt_statistics_copy(made, to);
}

static kernc_status run_launch(struct execution *x, struct execution_step *step, kernc_statistics **sum)
{
    if (!execution_remake(x, step))
        return x->problem.status;
    sum = step->counted ? sum : NULL;
    kernc_status status = execution_launch(x, step, sum ? &x->position.made : NULL);
    if (sum) {
        add_statistics(&step->statistics, x->position.made);
        add_statistics(sum, x->position.made);
    }
    return status;
}

static kernc_status run_step(struct execution *x, struct execution_step *step, kernc_statistics **sum)
{
    x->position.step = step;
    kernc_status status = step->kernel ? run_launch(x, step, sum) : KERNC_OK;
    if (status == KERNC_OK && x->hooks.stepped)
        x->hooks.stepped(x->hooks.stepped_user, step);
    kernc_statistics_free(x->position.made);
    x->position.made = NULL;
    return status;
}

/* Element 0 of the flag's buffer; false: there is no flag. */
static bool flag_bits(const struct execution *x, const struct launch *repeat, uint8_t **bits, uint32_t *n)
{
    const struct execution_buffer *b = repeat->name ? execution_buffer(x, NULL, repeat->name) : NULL;
    *bits = b ? kernc_buffer_map(b->buffer) : NULL;
    *n = b && kernc_buffer_size(b->buffer) >= b->element_bytes ? b->element_bytes : 0;
    return b != NULL;
}

static bool goes_on(const struct execution *x, const struct launch *repeat)
{
    uint8_t *bits;
    uint32_t n;
    bool set = !flag_bits(x, repeat, &bits, &n);
    for (uint32_t i = 0; i < n; i++)
        set |= bits[i] != 0;
    return set;
}

static kernc_status too_many_rounds(struct execution *x, const struct launch *repeat, uint64_t most)
{
    execution_bad_launch(x, "after %llu rounds of the repeat %s[0] is still not zero (--max-rounds)",
                         (unsigned long long)most, repeat->name);
    x->problem.line = repeat->line;
    return x->problem.status = KERNC_LIMIT;
}

/* The steps between the REPEAT and its END; the flag is zero when each round begins. */
static kernc_status run_repeat(struct execution *x, uint32_t first, uint32_t end, kernc_statistics **sum)
{
    const struct launch *repeat = x->steps.at[first].directive;
    uint64_t most = repeat->rounds ? repeat->rounds : x->max_rounds ? x->max_rounds : EXECUTION_ROUNDS;
    kernc_status status = KERNC_OK;
    bool more = true;
    x->position.repeating = true;
    for (x->position.round = 0; more && x->position.round < most; x->position.round++) {
        uint8_t *bits;
        uint32_t n;
        if (flag_bits(x, repeat, &bits, &n))
            memset(bits, 0, n);
        for (uint32_t i = first + 1; i < end; i++) {
            status = run_step(x, &x->steps.at[i], sum);
            if (status != KERNC_OK)
                return status;
        }
        more = goes_on(x, repeat);
    }
    if (more && !repeat->rounds)
        return too_many_rounds(x, repeat, most);
    x->position.repeating = false;
    x->position.round = 0;
    return KERNC_OK;
}

static bool is_step(const struct execution_step *s, enum launch_step step)
{
    return s->directive && s->directive->step == step;
}

kernc_status execution_run(struct execution *x, kernc_statistics **statistics)
{
    kernc_status status = KERNC_OK;
    if (statistics)
        *statistics = NULL;
    for (uint32_t i = 0; status == KERNC_OK && i < x->steps.count; i++) {
        uint32_t end = i;
        if (!is_step(&x->steps.at[i], LAUNCH_REPEAT)) {
            status = run_step(x, &x->steps.at[i], statistics);
            continue;
        }
        while (!is_step(&x->steps.at[end], LAUNCH_END))
            end++;
        status = run_repeat(x, i, end, statistics);
        i = end;
    }
    return status;
}

/* ---- compared ---------------------------------------------------------------------------------------- */

static bool differ(const struct execution_buffer *x, const struct execution_buffer *y, size_t *element)
{
    const uint8_t *a = kernc_buffer_map(x->buffer), *b = kernc_buffer_map(y->buffer);
    size_t n = kernc_buffer_size(x->buffer), at = 0;
    while (at < n && a[at] == b[at])
        at++;
    *element = at / (x->element_bytes ? x->element_bytes : 1);
    return at < n;
}

const struct execution_buffer *execution_difference(const struct execution *x, const struct execution *y,
                                                    size_t *element)
{
    for (uint32_t i = 0; i < x->named.count; i++)
        if (differ(&x->named.at[i], &y->named.at[i], element))
            return &x->named.at[i];
    for (uint32_t s = 0; s < x->steps.count; s++)
        for (uint32_t i = 0; i < x->steps.at[s].buffers.count; i++)
            if (differ(&x->steps.at[s].buffers.at[i], &y->steps.at[s].buffers.at[i], element))
                return &x->steps.at[s].buffers.at[i];
    return NULL;
}
