/* binary.c: launch directives as compiled programs carry them. */
#include "base/stream.h"
#include "launch/launch.h"

static void exchange_number(struct stream *s, struct launch_number *n)
{
    stream_bool(s, &n->is_float);
    uint64_t bits = (uint64_t)n->i;
    stream_u64(s, &bits);
    n->i = (int64_t)bits;
    stream_double(s, &n->f);
}

static void exchange_argument(struct stream *s, struct launch_argument *a)
{
    struct launch_value *v = &a->value;
    stream_string(s, &a->name);
    uint32_t kind = v->kind;
    stream_u32(s, &kind);
    if (kind >= LAUNCH_KINDS)
        stream_fail(s, "a launch has an argument of unknown kind");
    v->kind = (enum launch_value_kind)kind;
    stream_u64(s, &v->count);
    stream_u64(s, &v->seed);
    exchange_number(s, &v->n[0]);
    exchange_number(s, &v->n[1]);
    stream_string(s, &v->text);
    stream_vector(s, &v->list, 17, exchange_number);
}

static void exchange_output(struct stream *s, struct launch_output *o)
{
    stream_string(s, &o->name);
    stream_bool(s, &o->save);
    stream_u64(s, &o->first);
    stream_u64(s, &o->last);
    stream_string(s, &o->path);
    stream_bool(s, &o->hex);
    stream_string(s, &o->file);
    stream_u32(s, &o->width);
    stream_u32(s, &o->height);
}

void launch_stream(struct stream *s, struct launch *l)
{
    uint32_t step = l->step, element = l->element;
    stream_u32(s, &step);
    if (step > LAUNCH_OUTPUT)
        stream_fail(s, "a launch directive is of unknown kind");
    l->step = (enum launch_step)step;
    stream_string(s, &l->kernel);
    for (int i = 0; i < 3; i++) {
        stream_u32(s, &l->grid[i]);
        stream_u32(s, &l->block[i]);
    }
    for (int i = 0; i < LAUNCH_MAX_SHARED; i++)
        stream_u32(s, &l->shared[i]);
    for (int i = 0; i < LAUNCH_CLAUSES; i++)
        stream_string(s, &l->by_round[i]);
    stream_vector(s, &l->arguments, 66, exchange_argument);
    stream_vector(s, &l->outputs, 33, exchange_output);
    stream_string(s, &l->name);
    stream_u32(s, &element);
    if (element > LAUNCH_DOUBLE)
        stream_fail(s, "a buffer has elements of unknown type");
    l->element = (enum launch_element)element;
    stream_u32(s, &l->element_bytes);
    stream_string(s, &l->layout);
    stream_u64(s, &l->rounds);
    stream_u32(s, &l->line);
}
