/* oracle_instances.c: which dynamic instances of tokens there are, and which a lane can still come to. */
#include "runtime/schemes/oracle_instances.h"

/* ---- instances --------------------------------------------------------------------------------------- */

static uint32_t *current_of(struct oracle *s, uint32_t definition, unsigned lane)
{
    return &s->current[(size_t)definition * s->lanes + lane];
}

static void drop(struct oracle *s, uint32_t instance)
{
    while (instance && --s->instances.at[instance].users == 0) {
        vec_push(s->arena, &s->free, instance);
        instance = s->instances.at[instance].outer;
    }
}

uint32_t oracle_add_instance(struct oracle *s, struct instance x)
{
    uint32_t i = s->free.count ? vec_pop(&s->free) : s->instances.count;
    if (i == s->instances.count)
        vec_push(s->arena, &s->instances, x);
    else
        s->instances.at[i] = x;
    if (x.outer)
        s->instances.at[x.outer].users++;
    return i;
}

uint32_t oracle_find_instance(struct oracle *s, struct instance x)
{
    for (unsigned lane = 0; lane < s->lanes; lane++) {
        uint32_t i = *current_of(s, x.definition, lane);
        const struct instance *old = &s->instances.at[i];
        if (i && old->outer == x.outer && old->n == x.n && old->call == x.call)
            return i;
    }
    return oracle_add_instance(s, x);
}

void oracle_make_current(struct oracle *s, unsigned lane, uint32_t instance)
{
    uint32_t *current = current_of(s, s->instances.at[instance].definition, lane), old = *current;
    s->instances.at[instance].users++;
    *current = instance;
    drop(s, old);
}

/* ---- where lanes are --------------------------------------------------------------------------------- */

static bool is_call(const struct bc_ins *ins)
{
    return ins->op == BC_call || ins->op == BC_icall;
}

/* The code index behind the call that entered the function of `at`; ORACLE_NOWHERE: it is a kernel. */
static uint32_t return_address(const struct rt_warp *w, const struct oracle *s, unsigned lane, uint32_t at)
{
    const struct bc_program *p = s->flow->program;
    const struct bc_function *f = &p->functions.at[oracle_function(s->flow, at)];
    if (f->kernel)
        return ORACLE_NOWHERE;
    /* the first move behind an icall's entry fills the function's own slot */
    bool before = at == f->entry && oracle_word(s, at + 1)->op == BC_mov_v;
    uint32_t to = rt_v(w, before ? oracle_word(s, at + 1)->a : f->return_slot)[lane];
    return to > 0 && to < p->code.count && is_call(oracle_word(s, to - 1)) ? to : ORACLE_NOWHERE;
}

/* Where a lane is in function f, or will come back to; ORACLE_NOWHERE: it is not in it. */
static uint32_t position_in(const struct rt_warp *w, const struct oracle *s, unsigned lane, uint32_t f)
{
    uint32_t at = s->pc[lane];
    for (uint32_t depth = 0; depth <= s->flow->program->functions.count && at != ORACLE_NOWHERE; depth++) {
        if (oracle_function(s->flow, at) == f)
            return at;
        at = return_address(w, s, lane, at);
    }
    return ORACLE_NOWHERE;
}

uint32_t oracle_token_in(const struct rt_warp *w, const struct oracle *s, unsigned lane, uint32_t reg)
{
    uint32_t i = reg == BC_NO_TOKEN ? 0 : rt_v(w, reg)[lane];
    return i < s->instances.count && s->instances.at[i].users ? i : 0;
}

static uint32_t call_token(const struct rt_warp *w, const struct oracle *s, unsigned lane, uint32_t call)
{
    const struct bc_ins *ins = oracle_word(s, call);
    return oracle_token_in(w, s, lane, ins->op == BC_icall ? ins->b : ins->e);
}

/* ---- may a lane still come to an operation in an instance? ------------------------------------------- */

static bool reaches(const struct rt_warp *w, const struct oracle *s, unsigned lane, uint32_t op,
                    uint32_t definition)
{
    uint32_t at = position_in(w, s, lane, oracle_function(s->flow, op));
    return at != ORACLE_NOWHERE && oracle_reaches(s->flow, at, op, definition);
}

/* The lane is in the callee, by that call in that instance, and still before the entry's definition. */
static bool has_entered(const struct rt_warp *w, const struct oracle *s, unsigned lane,
                        const struct instance *x)
{
    uint32_t at = position_in(w, s, lane, oracle_function(s->flow, x->at));
    return at != ORACLE_NOWHERE && return_address(w, s, lane, at) == x->call + 1 &&
           call_token(w, s, lane, x->call) == x->outer && oracle_reaches(s->flow, at, x->at, ORACLE_NOWHERE);
}

bool oracle_can_come(const struct rt_warp *w, struct oracle *s, unsigned lane, uint32_t op, uint32_t instance)
{
    for (;;) {
        const struct instance *x = &s->instances.at[instance];
        uint32_t own = *current_of(s, x->definition, lane);
        if (own == instance)
            return reaches(w, s, lane, op, x->at);
        switch (oracle_word(s, x->at)->op) {
        case BC_tok_loop:
            if (own && s->instances.at[own].outer == x->outer && s->instances.at[own].n >= x->n)
                return false;
            op = x->at;
            break;
        case BC_tok_entry:
            if (x->call == ORACLE_NOWHERE)
                return !own && reaches(w, s, lane, x->at, ORACLE_NOWHERE);
            if (has_entered(w, s, lane, x))
                return true;
            op = x->call;
            break;
        default: return false;
        }
        if (!x->outer)
            return false;
        instance = x->outer;
    }
}

/* ---- making ------------------------------------------------------------------------------------------ */

struct instance oracle_instance_of(const struct rt_warp *w, struct oracle *s, unsigned lane,
                                   const struct bc_ins *ins)
{
    struct instance x = {.at = rt_index(w, ins), .call = ORACLE_NOWHERE};
    x.definition = oracle_definition(s->flow, x.at);
    if (ins->op == BC_tok_loop) {
        const struct instance *last = &s->instances.at[*current_of(s, x.definition, lane)];
        x.outer = oracle_token_in(w, s, lane, ins->a);
        x.n = last->users && last->outer == x.outer ? last->n + 1 : 1;
    } else if (ins->op == BC_tok_entry) {
        uint32_t back = return_address(w, s, lane, x.at);
        x.call = back == ORACLE_NOWHERE ? ORACLE_NOWHERE : back - 1;
        x.outer = x.call == ORACLE_NOWHERE ? 0 : call_token(w, s, lane, x.call);
    }
    x.depth = x.outer ? s->instances.at[x.outer].depth + 1 : 0;
    return x;
}
