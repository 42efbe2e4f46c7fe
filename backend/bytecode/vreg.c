/* vreg.c: virtual registers and the questions about words that every part asks. */
#include "backend/bytecode/emit.h"

uint32_t be_vreg_new(struct be_context *c, struct be_function *f, enum bc_kind kind, enum be_home home)
{
    if (f->vregs.count == 0)
        vec_push(&c->arena, &f->vregs, (struct be_vreg){0});
    vec_push(&c->arena, &f->vregs,
             ((struct be_vreg){
                 .kind = (uint8_t)kind, .home = (uint8_t)home, .word = BE_NONE, .first_move = BE_NONE}));
    return f->vregs.count - 1;
}

uint32_t be_preload(struct be_context *c, struct be_function *f, enum bc_kind kind, enum bc_source source,
                    uint64_t value)
{
    uint64_t key = hash_mix(value, (uint64_t)kind | (uint64_t)source << 8);
    uint32_t i;
    for (; (i = map_get(&f->preload_index, key)) != MAP_NONE; key++) {
        const struct be_preload *preload = &f->preloads.at[i];
        if (preload->source == source && preload->value == value && be_vreg(f, preload->vreg)->kind == kind)
            return preload->vreg;
    }
    uint32_t v = be_vreg_new(c, f, kind, BE_PRELOADED);
    map_set(&c->arena, &f->preload_index, key, f->preloads.count);
    vec_push(&c->arena, &f->preloads, ((struct be_preload){(uint8_t)source, v, value}));
    return v;
}

uint32_t be_foreign(struct be_context *c, struct be_function *f, enum ir_type t, uint32_t node, uint32_t part)
{
    uint32_t v = be_vreg_new(c, f, be_kind(t), BE_FOREIGN);
    be_vreg(f, v)->content = be_content(t);
    be_vreg(f, v)->node = node;
    be_vreg(f, v)->part = part;
    return v;
}

bool be_defines(const struct be_word *w)
{
    return bc_is_written(bc_operands(w->op)[0]) || (w->op == BC_hostcall && w->d);
}

uint32_t be_uses(const struct be_function *f, const struct be_word *w, uint32_t list[], const uint32_t **more,
                 uint32_t *more_count)
{
    const char *operands = bc_operands(w->op);
    uint32_t n = 0;
    *more_count = 0;
    if (bc_is_read(operands[0]))
        list[n++] = w->d;
    if (bc_is_read(operands[1]))
        list[n++] = w->a;
    if (bc_is_read(operands[2]) && w->b)
        list[n++] = w->b;
    if (bc_is_read(operands[3]))
        list[n++] = w->c;
    if (bc_is_read(operands[4]) && w->e)
        list[n++] = w->e;
    if (w->op == BC_printf || w->op == BC_hostcall) {
        *more = f->operands.at + w->b;
        *more_count = w->a;
    }
    return n;
}

void be_error(struct be_context *c, const char *id, place at, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    diag_addv(c->d, DIAG_ERROR, id, (span){at, {0, 0}}, fmt, ap);
    va_end(ap);
}
