/* barriers.c: whether the threads of a block come to the same barriers; see check.h and opt/check/barriers.c.
 *
 * Number n of the barriers that a thread comes to in its block has to be the same statement, in the same
 * instance, for all that come to an n-th one; threads that have returned are not waited for. The first time
 * that this does not hold the block has *diverged*: what each thread's n-th was, or where it has returned, is
 * kept and said as the block ends. From there on barriers hold nobody who would wait in vain, so that the
 * others come to where they are on their way to; as nothing orders accesses any more, they are no longer
 * checked in the block. Threads that are still on their way where the launch stops, out of fuel or by a trap,
 * prove nothing.
 *
 * Lanes of a warp that have reported the same so far are kept *together*: what is known of the lowest holds for
 * all.
 */
#include "runtime/check/shadow.h"

#include <stdio.h>

enum { MOST_SIDES = 5, MOST_RANGES = 4 };

/* What the text of a check.sync says: opt/check/barriers.c. */
struct sync {
    char kind;
    uint32_t token, other;
};
/* An instance is a hash of what it is made of; the number of the call or iteration. */
struct token {
    uint32_t instance, outer, n;
};
/* Of the block: how many barriers it has come to; the latest, or that with which the block diverged. */
struct thread {
    uint32_t count, site, instance, call;
    bool returned;
    uint32_t returned_at; /* site */
};
struct rt_barriers {
    struct rt_check *check;
    uint32_t tokens;    /* of the program, one more */
    struct sync *syncs; /* by text */
    struct thread *thread;
    struct token *token; /* of thread t, at t * tokens */
    uint64_t *together;  /* by warp: lanes */
    bool parted;
    uint32_t number; /* of the barrier with which it has diverged, from 1 */
};

/* ---- the program ------------------------------------------------------------------------------------- */

static struct sync read_sync(struct rt_check *c, uint32_t text)
{
    const struct bc_text *from = &c->launch->program->texts.at[text];
    struct sync s = {0};
    sscanf(arena_strdup(&c->arena, from->bytes, from->length), "%c %u %u", &s.kind, &s.token, &s.other);
    return s;
}

struct rt_barriers *rt_barriers_new(struct rt_check *c)
{
    const struct bc_program *p = c->launch->program;
    struct rt_barriers *x = arena_new(&c->arena, struct rt_barriers);
    bool any = false;
    x->check = c;
    x->tokens = 1;
    x->syncs = arena_array(&c->arena, struct sync, p->texts.count + 1);
    for (uint32_t i = 0; i < p->code.count; i++) {
        const struct bc_ins *ins = &p->code.at[i];
        if (ins->op == BC_check_sync && ins->imm < p->texts.count) {
            struct sync s = x->syncs[ins->imm] = read_sync(c, ins->imm);
            x->tokens = s.token >= x->tokens ? s.token + 1 : x->tokens;
            any |= s.kind == 'b';
        }
        i += bc_has_branch_word((enum bc_op)ins->op);
    }
    uint32_t threads = c->launch->sizes.warps * c->launch->given.warp;
    x->thread = arena_array(&c->arena, struct thread, threads);
    x->token = arena_array(&c->arena, struct token, (size_t)threads * x->tokens);
    x->together = arena_array(&c->arena, uint64_t, c->launch->sizes.warps);
    return any ? x : NULL;
}

bool rt_barriers_parted(const struct rt_barriers *x)
{
    return x && x->parted;
}

/* ---- what threads do --------------------------------------------------------------------------------- */

static void part(struct rt_barriers *x, uint32_t number)
{
    if (x->parted)
        return;
    x->parted = true;
    x->number = number;
}

static void make_token(struct token *t, uint32_t number, uint32_t outer, uint32_t n)
{
    *t = (struct token){(uint32_t)hash_mix(hash_mix(outer, number), n), outer, n};
}

static struct token *tokens_of(const struct rt_barriers *x, uint32_t t)
{
    return &x->token[(size_t)t * x->tokens];
}

/* Of the lanes, those that stand for themselves, and the one that stands for those together. */
static uint64_t one_of_each(uint64_t together, uint64_t lanes)
{
    return (lanes & ~together) | (lanes & together ? together & -together : 0);
}

/* From here on each lane of the warp stands for itself. */
static void separate(struct rt_barriers *x, uint32_t warp)
{
    uint32_t first = warp * x->check->launch->given.warp, like = 0;
    uint64_t lanes = x->together[warp];
    if (lanes)
        like = first + rt_lowest(lanes);
    rt_each_lane(i, lanes & (lanes - 1)) {
        x->thread[first + i] = x->thread[like];
        memcpy(tokens_of(x, first + (uint32_t)i), tokens_of(x, like), x->tokens * sizeof *x->token);
    }
    x->together[warp] = 0;
}

/* The lanes, none of which is together with another, are so if they are alike. */
static void unite(struct rt_barriers *x, uint32_t warp, uint64_t lanes)
{
    uint32_t first = warp * x->check->launch->given.warp, like = first + rt_lowest(lanes);
    size_t bytes = x->tokens * sizeof *x->token;
    rt_each_lane(i, lanes)
        if (memcmp(&x->thread[first + i], &x->thread[like], sizeof *x->thread) != 0 ||
            memcmp(tokens_of(x, first + (uint32_t)i), tokens_of(x, like), bytes) != 0)
            return;
    x->together[warp] = lanes;
}

static void tell_thread(struct rt_barriers *x, uint32_t t, struct sync s, uint32_t site)
{
    struct thread *thread = &x->thread[t];
    struct token *tokens = tokens_of(x, t), *own = &tokens[s.token];
    uint32_t outer = s.kind == 'l' && s.other < x->tokens ? tokens[s.other].instance : 0;
    switch (s.kind) {
    case 'b':
        if (x->parted && thread->count >= x->number)
            return;
        thread->count++;
        thread->site = site;
        thread->instance = own->instance;
        return;
    case 'c': thread->call = (uint32_t)hash_mix(own->instance, s.other); return;
    case 'e': make_token(own, s.token, thread->call, 0); return;
    case 'l': make_token(own, s.token, outer, own->outer == outer ? own->n + 1 : 1); return;
    default: thread->returned = true; thread->returned_at = site;
    }
}

void rt_barriers_tell(struct rt_barriers *x, struct rt_warp *w, const struct bc_ins *ins)
{
    struct sync s = x->syncs[ins->imm];
    uint64_t together = x->together[w->index], lanes = w->active;
    if (together & ~lanes)
        separate(x, w->index);
    else
        lanes = one_of_each(together, lanes);
    rt_each_lane(i, lanes)
        tell_thread(x, w->index * w->width + (uint32_t)i, s, ins->e & SITE_MASK);
}

bool rt_check_parts(struct rt_warp *w)
{
    struct rt_check *c = w->worker->launch->check;
    if (!c || !c->barriers)
        return false;
    separate(c->barriers, w->index);
    part(c->barriers, c->barriers->thread[w->index * w->width + rt_lowest(w->active)].count);
    return true;
}

bool rt_check_decides(const struct rt_check *c)
{
    return c->barriers;
}

/* ---- the block --------------------------------------------------------------------------------------- */

/* Copies of code have sites of their own. */
static bool is_same_place(const struct rt_barriers *x, uint32_t a, uint32_t b)
{
    const struct bc_site *site = x->check->launch->program->sites.at;
    return a == b || (site[a].line == site[b].line && site[a].column == site[b].column);
}

static bool is_same(const struct rt_barriers *x, const struct thread *a, const struct thread *b)
{
    return a->count == b->count && a->instance == b->instance && is_same_place(x, a->site, b->site);
}

void rt_barriers_open(struct rt_barriers *x, struct rt_worker *k)
{
    const struct thread *first = NULL;
    for (uint32_t i = 0; i < k->launch->sizes.warps && !x->parted; i++) {
        if (!k->running[i])
            continue;
        uint64_t live = k->running[i]->warp.live;
        if (!x->together[i])
            unite(x, i, live);
        rt_each_lane(lane, one_of_each(x->together[i], live)) {
            const struct thread *t = &x->thread[i * k->launch->given.warp + (uint32_t)lane];
            first = first ? first : t;
            if (!is_same(x, t, first))
                part(x, t->count < first->count ? t->count : first->count);
        }
    }
}

void rt_barriers_begin(struct rt_barriers *x)
{
    const struct rt_launch *l = x->check->launch;
    size_t threads = (size_t)l->sizes.warps * l->given.warp;
    memset(x->thread, 0, threads * sizeof *x->thread);
    memset(x->token, 0, threads * x->tokens * sizeof *x->token);
    for (uint32_t i = 0; i < l->sizes.warps; i++) {
        uint32_t rest = l->sizes.threads - i * l->given.warp, n = rest < l->given.warp ? rest : l->given.warp;
        x->together[i] = UINT64_MAX >> (RT_MAX_LANES - n);
    }
    x->parted = false;
}

/* ---- what is said ------------------------------------------------------------------------------------ */

/* Threads of the block that the same is said of. `like`: one of them. */
struct side {
    enum { WAITS, RETURNS, RUNS } what;
    const struct thread *like;
    uint32_t first, last, count, ranges;
    const char *who;
};
struct sides {
    struct side at[MOST_SIDES];
    uint32_t count;
    struct arena arena; /* of the texts */
};

static struct side side_of(const struct rt_barriers *x, uint32_t t)
{
    const struct thread *thread = &x->thread[t];
    struct side s = {.like = thread, .first = t, .last = t};
    s.what = thread->count >= x->number ? WAITS : thread->returned ? RETURNS : RUNS;
    return s;
}

static bool is_alike(const struct rt_barriers *x, const struct side *a, const struct side *b)
{
    return a->what == b->what && (a->what != WAITS || is_same(x, a->like, b->like)) &&
           (a->what != RETURNS || is_same_place(x, a->like->returned_at, b->like->returned_at));
}

/* The threads from s->first to s->last, in a row, join what stands there. */
static void close_range(const struct rt_barriers *x, struct sides *all, struct side *s)
{
    uint32_t base = x->check->block->first;
    struct arena *a = &all->arena;
    if (s->ranges++ >= MOST_RANGES)
        return;
    const char *range = rt_thread_index(x->check, a, base + s->first);
    if (s->last > s->first)
        range = arena_printf(a, "%s%s%s", range, s->last == s->first + 1 ? ", " : " to ",
                             rt_thread_index(x->check, a, base + s->last));
    s->who = s->who ? arena_printf(a, "%s, %s", s->who, range) : range;
}

static void add_thread(const struct rt_barriers *x, struct sides *all, uint32_t t)
{
    struct side new = side_of(x, t), *s = all->at;
    while (s < all->at + all->count && !is_alike(x, s, &new))
        s++;
    if (s == all->at + MOST_SIDES)
        return;
    if (s == all->at + all->count) {
        *s = new;
        all->count++;
    }
    s->count++;
    if (t > s->last + 1) {
        close_range(x, all, s);
        s->first = t;
    }
    s->last = t;
}

/* Those that wait come first, by their lowest threads; then those that have returned, and those that run. */
static void sort_sides(struct sides *all)
{
    for (uint32_t i = 1; i < all->count; i++)
        for (uint32_t k = i; k > 0 && all->at[k].what < all->at[k - 1].what; k--) {
            struct side s = all->at[k];
            all->at[k] = all->at[k - 1];
            all->at[k - 1] = s;
        }
}

static void find_sides(const struct rt_barriers *x, struct sides *all)
{
    for (uint32_t t = 0; t < x->check->launch->sizes.threads; t++)
        add_thread(x, all, t);
    for (uint32_t i = 0; i < all->count; i++) {
        struct side *s = &all->at[i];
        close_range(x, all, s);
        if (s->ranges > MOST_RANGES)
            s->who = arena_printf(&all->arena, "%s and others, %u in all", s->who, s->count);
    }
    sort_sides(all);
}

static uint32_t place_of(const struct side *s)
{
    return s->what == WAITS ? s->like->site : s->like->returned_at;
}

/* What a side does that is not the first. */
static const char *deed_of(const struct rt_barriers *x, struct sides *all, const struct side *s)
{
    const char *verb = s->count == 1 ? "s" : "";
    struct arena *a = &all->arena;
    if (s->what == WAITS && is_same_place(x, s->like->site, all->at[0].like->site))
        return arena_printf(a, "wait%s there in another iteration of a loop, or by another call", verb);
    if (s->what == WAITS)
        return arena_printf(a, "wait%s at that in line %u", verb, rt_site_line(x->check, s->like->site));
    return arena_printf(a, "return%s in line %u", verb, rt_site_line(x->check, s->like->returned_at));
}

static const char *advice_on(const struct sides *all)
{
    if (all->count == 1)
        return "they come to it one part after the other";
    if (all->at[1].what == RETURNS)
        return "only under some schemes and on some GPUs are they not waited for; return before, or come to "
               "it";
    return "all threads of the block that have not returned have to come to the same barrier together";
}

static const char *text_of(const struct rt_barriers *x, struct sides *all)
{
    const struct side *s = &all->at[0];
    struct arena *a = &all->arena;
    const char *text =
        arena_printf(a, "barrier: thread%s %s of block %s wait%s at this barrier", s->count == 1 ? "" : "s",
                     s->who, rt_block_index(x->check, a, x->check->block->first), s->count == 1 ? "s" : "");
    for (uint32_t i = 1; i < all->count; i++) {
        s = &all->at[i];
        text =
            arena_printf(a, "%s; thread%s %s %s", text, s->count == 1 ? "" : "s", s->who, deed_of(x, all, s));
    }
    return arena_printf(a, "%s: %s", text, advice_on(all));
}

/* Leaves out those that run. Whether the others are at odds without them: two sides wait, or nobody runs. */
static bool is_proved(struct sides *all)
{
    uint32_t count = all->count;
    while (all->count && all->at[all->count - 1].what == RUNS)
        all->count--;
    return all->count && all->at[0].what == WAITS &&
           (all->count == count || (all->count > 1 && all->at[1].what == WAITS));
}

/* The block, which has diverged, is over, or the launch has stopped in it. */
static void say(struct rt_barriers *x)
{
    struct sides all = {0};
    arena_init(&all.arena);
    find_sides(x, &all);
    if (is_proved(&all)) {
        uint32_t site = place_of(&all.at[0]), other = all.count > 1 ? place_of(&all.at[1]) : NO_SITE;
        bool one = other == NO_SITE || is_same_place(x, site, other);
        rt_report_barrier(x->check, site, one ? NO_SITE : other, text_of(x, &all));
    }
    arena_free(&all.arena);
}

void rt_barriers_end(struct rt_barriers *x)
{
    for (uint32_t i = 0; x->parted && i < x->check->launch->sizes.warps; i++)
        separate(x, i);
    if (x->parted)
        say(x);
    x->parted = false;
}
