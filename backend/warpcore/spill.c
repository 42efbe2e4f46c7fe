/* spill.c: virtual registers that got no register live in the frame, or are made anew where they are read.
 *
 * An instruction that reads or writes one gets a short-lived register for it; lists (arguments, parameters of
 * blocks, results) name the spilled one itself, since moves go to and from memory as well.
 */
#include "backend/warpcore/codegen.h"

struct spiller {
    struct wc_context *c;
    struct wc_mfunction *f;
    struct bitset chosen;
    wc_mins_vec out; /* the block being rewritten */
};

static void put(struct spiller *s, struct wc_mins i)
{
    vec_push(&s->c->arena, &s->out, i);
}

static uint32_t short_lived(struct spiller *s, uint32_t v)
{
    uint32_t t = wc_vreg_new(s->c, s->f, (enum wc_class)wc_vreg(s->f, v)->kind);
    wc_vreg(s->f, t)->short_lived = true;
    return t;
}

static uint32_t fetch(struct spiller *s, uint32_t v, place at)
{
    uint32_t t = short_lived(s, v);
    const struct wc_vreg *reg = wc_vreg(s->f, v);
    if (reg->home == WC_HOME_REMATERIALISED)
        put(s, (struct wc_mins){.op = reg->op, .d = t, .imm = reg->imm, .at = at});
    else
        put(s, (struct wc_mins){.op = reg->kind == WC_CLASS_P ? WC_reload_p : WC_reload,
                                .d = t,
                                .imm = (int32_t)v,
                                .at = at});
    return t;
}

static bool is_chosen(const struct spiller *s, uint32_t v)
{
    return v < s->chosen.bits && bitset_has(s->chosen, v);
}

static void fetch_operands(struct spiller *s, struct wc_mins *i)
{
    uint32_t *fields[4], from[4], to[4], known = 0;
    for (unsigned k = 0, n = wc_field_reads(i, fields); k < n; k++) {
        uint32_t v = *fields[k], at = 0;
        if (!is_chosen(s, v))
            continue;
        while (at < known && from[at] != v)
            at++;
        if (at == known) {
            from[known] = v;
            to[known++] = fetch(s, v, i->at);
        }
        *fields[k] = to[at];
    }
}

static void rewrite(struct spiller *s, struct wc_mins i)
{
    bool writes = wc_letter_writes(wc_letters(i.op)[0]) && is_chosen(s, i.d);
    if (writes && wc_vreg(s->f, i.d)->home == WC_HOME_REMATERIALISED)
        return;
    fetch_operands(s, &i);
    if (!writes) {
        put(s, i);
        return;
    }
    uint32_t v = i.d;
    i.d = short_lived(s, v);
    put(s, i);
    put(s, (struct wc_mins){.op = wc_vreg(s->f, v)->kind == WC_CLASS_P ? WC_save_p : WC_save,
                            .a = i.d,
                            .effect = true,
                            .imm = (int32_t)v,
                            .at = i.at});
}

static void choose_home(struct spiller *s, uint32_t v)
{
    struct wc_vreg *reg = wc_vreg(s->f, v);
    bitset_add(s->chosen, v);
    reg->home = reg->repeatable ? WC_HOME_REMATERIALISED : WC_HOME_SLOT;
    if (reg->repeatable)
        s->f->rematerialised++;
    else
        reg->slot = s->f->spilled++;
}

void wc_spill(struct wc_context *c, struct wc_mfunction *f, const u32_vec *chosen)
{
    struct spiller s = {.c = c, .f = f, .chosen = bitset_new(&c->arena, f->vregs.count)};
    for (uint32_t i = 0; i < chosen->count; i++)
        choose_home(&s, chosen->at[i]);
    for (uint32_t b = 0; b < f->blocks.count; b++) {
        wc_mins_vec old = f->blocks.at[b].codes;
        memset(&s.out, 0, sizeof s.out);
        for (uint32_t k = 0; k < old.count; k++)
            rewrite(&s, old.at[k]);
        f->blocks.at[b].codes = s.out;
    }
}
