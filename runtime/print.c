/* print.c: printf of kernels: formatted in lane order into the block's text, handed on in block order.
 *
 * A conversion prints the next operand by the operand's own type, after one for each *; length modifiers are
 * ignored. So no format can misread an operand: one that does not fit its conversion is converted to it.
 */
#include "runtime/launch/grid.h"

#include <stdio.h>

enum { MAX_WIDTH = CONVERSION_MAX_FIELD };

static scalar_bits operand_bits(const struct rt_warp *w, struct bc_operand o, unsigned lane)
{
    switch (o.kind) {
    case BC_KIND_V: return rt_v(w, o.reg)[lane];
    case BC_KIND_W: return rt_w(w, o.reg)[lane];
    case BC_KIND_M: return w->M[o.reg] >> lane & 1;
    default: return w->S[o.reg];
    }
}

/* precision -1: none */
struct field {
    char flags[8];
    int width, precision;
};

/* What the stars of a conversion say, the next one first. */
struct stars {
    int64_t n[2];
    unsigned used;
};

/* A number in a format, or what a star says, at most MAX_WIDTH; only a star's may be negative. */
static const char *read_number(const char *at, struct stars *stars, int *n)
{
    if (*at == '*') {
        int64_t said = stars->n[stars->used++];
        *n = said > MAX_WIDTH ? MAX_WIDTH : said < -MAX_WIDTH ? -MAX_WIDTH : (int)said;
        return at + 1;
    }
    for (*n = 0; *at >= '0' && *at <= '9'; at++)
        *n = *n * 10 + (*at - '0') > MAX_WIDTH ? MAX_WIDTH : *n * 10 + (*at - '0');
    return at;
}

/* The conversion is well formed: its letter ends the loops. A negative width is one with the flag -, a
 * negative precision none (C99 7.19.6.1). */
static struct field read_field(const struct conversion *c, struct stars *stars)
{
    struct field f = {.precision = -1};
    const char *at = c->start + 1;
    size_t n = 0;
    for (; strchr("-+ #0", *at); at++)
        if (!strchr(f.flags, *at))
            f.flags[n++] = *at;
    at = read_number(at, stars, &f.width);
    if (f.width < 0 && !strchr(f.flags, '-'))
        f.flags[n] = '-';
    f.width = f.width < 0 ? -f.width : f.width;
    if (*at == '.')
        read_number(at + 1, stars, &f.precision);
    return f;
}

static int64_t as_integer(scalar_bits bits, enum be_value type, bool is_signed)
{
    switch (type) {
    case BE_F32: return i64(scalar_evaluate(SCALAR_ftosi_FL, &bits));
    case BE_F64: return i64(scalar_evaluate(SCALAR_ftosi_DL, &bits));
    case BE_I64: return i64(bits);
    default: return is_signed ? i32((uint32_t)bits) : (int64_t)(uint32_t)bits;
    }
}

static double as_double(scalar_bits bits, enum be_value type)
{
    switch (type) {
    case BE_F32: return scalar_from_f32((uint32_t)bits);
    case BE_F64: return scalar_from_f64(bits);
    case BE_I64: return (double)i64(bits);
    default: return i32((uint32_t)bits);
    }
}

static void print_character(struct text *t, const struct field *f, char c)
{
    char one[] = {c, 0};
    bool left = strchr(f->flags, '-') != NULL;
    if (c)
        text_printf(t, left ? "%-*s" : "%*s", f->width, one);
    else
        text_char(t, c);
}

static void print_operand(struct text *t, const struct conversion *c, struct stars *stars, scalar_bits bits,
                          enum be_value type)
{
    struct field f = read_field(c, stars);
    char format[24];
    bool integer = strchr("diuxXo", c->letter) != NULL, is_signed = c->letter == 'd' || c->letter == 'i';
    snprintf(format, sizeof format, "%%%s*%s%s%c", f.flags, f.precision >= 0 ? ".*" : "", integer ? "ll" : "",
             c->letter);
#define PRINT(value)                                                                                         \
    (f.precision >= 0 ? text_printf(t, format, f.width, f.precision, value)                                  \
                      : text_printf(t, format, f.width, value))
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    if (c->letter == 'c')
        print_character(t, &f, (char)as_integer(bits, type, true));
    else if (integer)
        PRINT((long long)as_integer(bits, type, is_signed));
    else if (c->letter == 'p')
        text_printf(t, "0x%08x", (uint32_t)bits);
    else
        PRINT(as_double(bits, type));
#pragma GCC diagnostic pop
#undef PRINT
}

bool rt_print(struct text *t, const struct bc_text *format, unsigned count, rt_operand_function *operand,
              const void *from)
{
    const char *at = format->bytes, *end = at + format->length, *next;
    struct conversion c;
    bool more = false;
    for (unsigned used = 0; (next = conversion_next(at, end, &c)) != NULL; at = next) {
        text_add(t, at, (size_t)(c.start - at));
        more |= c.letter == '_';
        if (c.letter == '%')
            text_char(t, '%');
        else if (c.letter == '_')
            continue;
        else if (c.operand == CONVERSION_NONE)
            text_add(t, c.start, c.length);
        else if (count - used > c.stars) {
            enum be_value type;
            struct stars stars = {0};
            for (unsigned i = 0; i < c.stars; i++) {
                scalar_bits said = operand(from, used++, &type);
                stars.n[i] = as_integer(said, type, true);
            }
            scalar_bits bits = operand(from, used++, &type);
            print_operand(t, &c, &stars, bits, type);
        }
    }
    text_add(t, at, (size_t)(end - at));
    return more;
}

/* ---- texts in pieces --------------------------------------------------------------------------------- */

void rt_begun_free(struct rt_begun *b)
{
    for (uint32_t i = 0; b->at && i < b->threads; i++)
        text_free(&b->at[i]);
    mem_free(b->at);
    *b = (struct rt_begun){0};
}

static void cut(struct text *t, size_t length)
{
    t->length = length;
    if (t->at)
        t->at[length] = 0;
}

void rt_print_thread(struct rt_begun *b, uint32_t threads, uint32_t thread, struct text *t,
                     const struct bc_text *format, unsigned count, rt_operand_function *operand,
                     const void *from)
{
    size_t before = t->length;
    bool more = rt_print(t, format, count, operand, from);
    if (!more && (!b->at || !b->at[thread].length))
        return;
    if (!b->at) {
        b->at = mem_alloc(threads * sizeof *b->at);
        b->threads = threads;
    }
    struct text *begun = &b->at[thread];
    b->bytes -= begun->length;
    text_add(begun, t->at + before, t->length - before);
    cut(t, before);
    if (!more) {
        text_add(t, begun->at, begun->length);
        cut(begun, 0);
    }
    b->bytes += begun->length;
}

struct lane_operands {
    const struct rt_warp *w;
    const struct bc_operand *at;
    unsigned lane;
};

static scalar_bits lane_operand(const void *from, unsigned index, enum be_value *type)
{
    const struct lane_operands *o = from;
    *type = o->at[index].type;
    return operand_bits(o->w, o->at[index], o->lane);
}

/* What waits to be handed on counts as memory of the launch. */
static bool take_text(struct rt_warp *w, size_t before)
{
    struct rt_worker *k = w->worker;
    if (rt_memory_take(k->launch, k->text.length + k->begun.bytes - before))
        return true;
    k->over_memory = true;
    w->stop = RT_TRAPPED;
    return false;
}

bool rt_printf(struct rt_warp *w, const struct bc_ins *ins)
{
    struct rt_worker *k = w->worker;
    size_t before = k->text.length + k->begun.bytes;
    const struct bc_program *p = k->launch->program;
    uint32_t threads = k->launch->sizes.warps * k->launch->given.warp;
    rt_each_lane(i, w->active) {
        struct lane_operands from = {w, p->operands.at + ins->b, (unsigned)i};
        rt_print_thread(&k->begun, threads, w->index * k->launch->given.warp + (unsigned)i, &k->text,
                        &p->texts.at[ins->imm], ins->a, lane_operand, &from);
    }
    return take_text(w, before);
}

/* ---- order of blocks --------------------------------------------------------------------------------- */

/* Hands on the texts of blocks below `before` that no worker can precede any more. Runs on the launching
 * thread. */
void rt_output_flush(struct rt_launch *l, uint64_t before)
{
    for (;;) {
        pthread_mutex_lock(&l->output_lock);
        struct rt_output *least = NULL;
        struct rt_worker *owner = NULL;
        for (uint32_t i = 0; i < l->worker_count; i++) {
            struct rt_worker *k = &l->workers[i];
            struct rt_output *first = k->flushed < k->printed.count ? &k->printed.at[k->flushed] : NULL;
            if (first && first->block < before && (!least || first->block < least->block)) {
                least = first;
                owner = k;
            }
        }
        if (least) { /* it stays in the list as it is, which its owner may be copying into a longer one */
            l->handed = least->text;
            owner->flushed++;
        }
        pthread_mutex_unlock(&l->output_lock);
        if (!least)
            return;
        struct mem_outside outside = mem_go_outside();
        l->context->output(l->context->output_user, l->handed.at, l->handed.length);
        mem_come_back(outside);
        rt_memory_give(l, l->handed.length);
        text_free(&l->handed);
    }
}

void rt_output_finish(struct rt_worker *k)
{
    struct rt_launch *l = k->launch;
    if (k->text.length) {
        struct rt_output out = {.block = atomic_load(&k->block), .text = k->text};
        __typeof__(k->printed) more = k->printed; /* grown before the lock: memory may run out */
        vec_push(&k->arena, &more, out);
        pthread_mutex_lock(&l->output_lock);
        k->printed = more;
        pthread_mutex_unlock(&l->output_lock);
        k->text = (struct text){0};
        atomic_store(&l->progress.printed, true);
    }
    if (!atomic_load_explicit(&l->progress.printed, memory_order_relaxed))
        return;
    if (k->index != 0 || (l->worker_count == 1 && k->flushed == k->printed.count))
        return;
    uint64_t before = atomic_load(&k->block) + 1;
    for (uint32_t i = 1; i < l->worker_count; i++) {
        uint64_t other = atomic_load(&l->workers[i].block);
        before = other < before ? other : before;
    }
    rt_output_flush(l, before);
}
