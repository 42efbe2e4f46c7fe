/* diff.c: unified difference of two texts.
 *
 * E. Myers, "An O(ND) difference algorithm and its variations" (1986), section 4b: the linear-space
 * refinement. Both searches meet in a middle snake, which splits the problem in two with half the edits
 * each. Time O((lines) · D), space O(lines); a part that needs more than DIFF_MAX_COST edits is shown
 * as replaced whole, so that time stays linear in the lines.
 */
#include "base/base.h"

struct lines {
    const char **at;
    uint32_t *length, *id;
    uint32_t count;
};
struct box {
    int32_t a0, a1, b0, b1;
};
struct diff {
    struct arena *arena;
    struct lines a, b;
    struct bitset removed, added; /* lines of a, lines of b */
    int32_t *forward, *backward;  /* furthest x on each diagonal, diagonal 0 in the middle */
};

/* Equal lines get equal numbers: the index of their first occurrence. */
static uint32_t number_line(struct diff *d, struct map *seen, u32_vec *places, struct lines *l, uint32_t i)
{
    uint64_t key = hash_bytes(l->at[i], l->length[i]);
    for (uint32_t n; (n = map_get(seen, key)) != MAP_NONE; key++) {
        const struct lines *of = places->at[n] & 1 ? &d->b : &d->a;
        uint32_t j = places->at[n] >> 1;
        if (of->length[j] == l->length[i] && memcmp(of->at[j], l->at[i], l->length[i]) == 0)
            return n;
    }
    map_set(d->arena, seen, key, places->count);
    vec_push(d->arena, places, i << 1 | (l == &d->b));
    return places->count - 1;
}

static void split(struct diff *d, struct lines *l, const char *text, size_t n)
{
    uint32_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += text[i] == '\n' || i + 1 == n;
    l->at = arena_array(d->arena, const char *, count);
    l->length = arena_array(d->arena, uint32_t, count);
    l->id = arena_array(d->arena, uint32_t, count);
    for (const char *p = text, *end = text + n; p < end;) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        l->at[l->count] = p;
        l->length[l->count++] = (uint32_t)((stop ? stop : end) - p);
        p = stop ? stop + 1 : end;
    }
}

static void mark_all(struct diff *d, struct box x)
{
    for (int32_t i = x.a0; i < x.a1; i++)
        bitset_add(d->removed, (uint32_t)i);
    for (int32_t i = x.b0; i < x.b1; i++)
        bitset_add(d->added, (uint32_t)i);
}

static int32_t slide(const struct diff *d, struct box x, int32_t i, int32_t k)
{
    while (i < x.a1 - x.a0 && i - k < x.b1 - x.b0 && d->a.id[x.a0 + i] == d->b.id[x.b0 + i - k])
        i++;
    return i;
}

static int32_t slide_back(const struct diff *d, struct box x, int32_t i, int32_t k)
{
    while (i > 0 && i - k > 0 && d->a.id[x.a0 + i - 1] == d->b.id[x.b0 + i - k - 1])
        i--;
    return i;
}

/* One end of the search: the furthest reach on diagonals low..high (of every second one, by turns), with
 * sentinels beside them, which never win. Diagonals are kept within those that cross the box. */
struct front {
    int32_t *reach, low, high, least, most, sentinel;
};

static void widen(struct front *f)
{
    if (f->low > f->least)
        f->reach[--f->low - 1] = f->sentinel;
    else
        f->low++;
    if (f->high < f->most)
        f->reach[++f->high + 1] = f->sentinel;
    else
        f->high--;
}

/* A point of the middle snake in *i, *j, counted from the box's corner; false if it is too far. The
 * diagonals of `back` are counted from the one that ends in the opposite corner. */
static bool middle(const struct diff *d, struct box x, int32_t *i, int32_t *j)
{
    int32_t n = x.a1 - x.a0, m = x.b1 - x.b0, delta = n - m;
    struct front ahead = {d->forward, 0, 0, -m, n, -1}, back = {d->backward, 0, 0, -n, m, INT32_MAX};
    ahead.reach[0] = 0;
    back.reach[0] = n;
    for (uint32_t cost = 0; cost < DIFF_MAX_COST / 2; cost++) {
        widen(&ahead);
        for (int32_t k = ahead.high; k >= ahead.low; k -= 2) {
            int32_t *r = &ahead.reach[k], at = slide(d, x, r[-1] >= r[1] ? r[-1] + 1 : r[1], k),
                    kb = k - delta;
            *r = *i = at;
            *j = at - k;
            if (delta & 1 && kb >= back.low && kb <= back.high && back.reach[kb] <= at)
                return true;
        }
        widen(&back);
        for (int32_t k = back.high; k >= back.low; k -= 2) {
            int32_t *r = &back.reach[k], ka = k + delta,
                    at = slide_back(d, x, r[-1] < r[1] ? r[-1] : r[1] - 1, ka);
            *r = *i = at;
            *j = at - ka;
            if (!(delta & 1) && ka >= ahead.low && ka <= ahead.high && at <= ahead.reach[ka])
                return true;
        }
    }
    return false;
}

/* The recursion halves the edits each time, so its depth is logarithmic in DIFF_MAX_COST. */
static void compare(struct diff *d, struct box x)
{
    while (x.a0 < x.a1 && x.b0 < x.b1 && d->a.id[x.a0] == d->b.id[x.b0])
        x.a0++, x.b0++;
    while (x.a0 < x.a1 && x.b0 < x.b1 && d->a.id[x.a1 - 1] == d->b.id[x.b1 - 1])
        x.a1--, x.b1--;
    int32_t i, j;
    if (x.a0 == x.a1 || x.b0 == x.b1 || !middle(d, x, &i, &j)) {
        mark_all(d, x);
        return;
    }
    if ((i == 0 && j == 0) || (x.a0 + i == x.a1 && x.b0 + j == x.b1)) {
        mark_all(d, x);
        return;
    }
    compare(d, (struct box){x.a0, x.a0 + i, x.b0, x.b0 + j});
    compare(d, (struct box){x.a0 + i, x.a1, x.b0 + j, x.b1});
}

enum { CONTEXT = 3 };
struct hunk {
    uint32_t a, b, a_end, b_end;
};

/* From the change at (a, b) on: up to where more than twice the context is unchanged. */
static struct hunk find_hunk(const struct diff *d, uint32_t a, uint32_t b)
{
    uint32_t quiet = 0, before = a < CONTEXT ? a : CONTEXT;
    struct hunk h = {a - before, b - before, a, b};
    for (uint32_t i = a, j = b; quiet <= 2 * CONTEXT;) {
        if (i < d->a.count && bitset_has(d->removed, i)) {
            h.a_end = ++i, h.b_end = j, quiet = 0;
        } else if (j < d->b.count && bitset_has(d->added, j)) {
            h.b_end = ++j, h.a_end = i, quiet = 0;
        } else if (i < d->a.count) {
            i++, j++, quiet++;
        } else {
            break;
        }
    }
    uint32_t left = d->a.count - h.a_end, after = left < CONTEXT ? left : CONTEXT;
    h.a_end += after;
    h.b_end += after;
    return h;
}

static void print_line(const struct lines *l, uint32_t i, char sign, struct text *out)
{
    text_char(out, sign);
    text_add(out, l->at[i], l->length[i]);
    text_char(out, '\n');
}

/* Line numbers count from 1; an empty range is named by the line before it, as in every unified diff. */
static void print_hunk(const struct diff *d, struct hunk h, struct text *out)
{
    uint32_t an = h.a_end - h.a, bn = h.b_end - h.b;
    text_printf(out, "@@ -%u,%u +%u,%u @@\n", h.a + (an != 0), an, h.b + (bn != 0), bn);
    for (uint32_t i = h.a, j = h.b; i < h.a_end || j < h.b_end;) {
        if (i < h.a_end && bitset_has(d->removed, i))
            print_line(&d->a, i++, '-', out);
        else if (j < h.b_end && bitset_has(d->added, j))
            print_line(&d->b, j++, '+', out);
        else
            print_line(&d->b, j++, ' ', out), i++;
    }
}

static void print_hunks(const struct diff *d, struct text *out)
{
    for (uint32_t i = 0, j = 0; i < d->a.count || j < d->b.count;) {
        bool changed =
            (i < d->a.count && bitset_has(d->removed, i)) || (j < d->b.count && bitset_has(d->added, j));
        if (!changed) {
            i++, j++;
            continue;
        }
        struct hunk h = find_hunk(d, i, j);
        print_hunk(d, h, out);
        i = h.a_end;
        j = h.b_end;
    }
}

/* The lines that are printed for those that were compared. */
static void show(struct diff *d, struct lines *l, const struct diff_version *v)
{
    struct lines shown = {0};
    if (v->shown.length == 0)
        return;
    split(d, &shown, v->shown.at, v->shown.length);
    INVARIANT(shown.count == l->count);
    l->at = shown.at;
    l->length = shown.length;
}

void text_diff(const struct diff_version *before, const struct diff_version *after, struct text *out)
{
    struct scratch scratch;
    struct diff d = {.arena = scratch_begin(&scratch)};
    struct map seen = {0};
    u32_vec places = {0};
    split(&d, &d.a, before->compared.at, before->compared.length);
    split(&d, &d.b, after->compared.at, after->compared.length);
    for (uint32_t i = 0; i < d.a.count; i++)
        d.a.id[i] = number_line(&d, &seen, &places, &d.a, i);
    for (uint32_t i = 0; i < d.b.count; i++)
        d.b.id[i] = number_line(&d, &seen, &places, &d.b, i);
    d.removed = bitset_new(d.arena, d.a.count);
    d.added = bitset_new(d.arena, d.b.count);
    uint32_t side = DIFF_MAX_COST / 2 + 3;
    d.forward = arena_array(d.arena, int32_t, 2 * side + 1) + side;
    d.backward = arena_array(d.arena, int32_t, 2 * side + 1) + side;
    compare(&d, (struct box){0, (int32_t)d.a.count, 0, (int32_t)d.b.count});
    show(&d, &d.a, before);
    show(&d, &d.b, after);
    print_hunks(&d, out);
    scratch_end(&scratch);
}
