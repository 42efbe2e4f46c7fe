/* print_locks.c: the source of a program of class i (fuzz/locks.h). */
#include "fuzz/locks.h"

const char *const fz_lock_operations[] = {
    "ballot(true)",
    "active_mask()",
    "reduce_or(1ul << laneId)",
    "reduce_add(1ul << laneId)",
    "reduce_xor(1ul << laneId)",
};

struct printer {
    const struct fz_program *p;
    struct text *out;
    uint32_t loops, guards, made; /* loops and locks around; locks so far */
    uint32_t guard[32];           /* of those around, the number of each */
};

static void print_condition(struct printer *w, const struct fz_lock_condition *c)
{
    unsigned long long number = c->number;
    switch (c->kind) {
    case FZ_LOCK_IS_LANE: text_printf(w->out, "(%lluul >> laneId & 1) != 0", number); return;
    case FZ_LOCK_IS_INPUT:
        text_printf(w->out, "(in[(gid * %u + %u) %% %u] >> %u & 1) != 0", (unsigned)(number % 7 * 2 + 1),
                    (unsigned)(number >> 8) % FZ_INPUTS, FZ_INPUTS, c->a);
        return;
    case FZ_LOCK_IS_ALIKE:
        text_printf(w->out, "(in[%u] >> %u & 1) != 0", (unsigned)(number % FZ_INPUTS), c->a);
        return;
    case FZ_LOCK_IS_TURN:
        if (w->loops == 0)
            break;
        text_printf(w->out, "i%u == %llu", w->loops - 1 - c->a % w->loops, number);
        return;
    case FZ_LOCK_IS_READ:
        if (w->guards == 0)
            break;
        text_printf(w->out, number % 2 ? "v%u %% 3 == %u" : "(v%u >> %u & 1) != 0", w->guard[w->guards - 1],
                    c->a);
        return;
    case FZ_LOCK_IS_SEEN: text_printf(w->out, "(seen >> %u & 1) != 0", c->a); return;
    default: break;
    }
    text_addz(w->out, "true");
}

/* The instance of operation `id`: loops in their order. */
static void print_key(struct printer *w, uint32_t id)
{
    text_printf(w->out, "key[n * %u + gid] = %u", w->p->blocks * w->p->threads, id);
    for (uint32_t i = 0, factor = 64; i < w->loops; i++, factor *= FZ_LOCK_ITERATIONS)
        text_printf(w->out, " + %u * i%u", factor, i);
    text_addz(w->out, ";\n");
}

static void print_log(struct printer *w)
{
    text_printf(w->out, "log[n * %u + gid] = seen;\n", w->p->blocks * w->p->threads);
}

static void print_operation(struct printer *w, const struct fz_lock_statement *s, uint32_t id)
{
    text_printf(w->out, "seen = %s;\n", fz_lock_operations[s->operation]);
    print_key(w, id);
    print_log(w);
    text_addz(w->out, "n++;\n");
}

static void print_if(struct printer *w, const struct fz_lock_condition *c)
{
    text_addz(w->out, "if (");
    print_condition(w, c);
    text_addz(w->out, ") {\n");
}

/* words: locks, flags, what locks guard, what comes with flags. */
static void print_word(struct printer *w, unsigned row, unsigned column)
{
    text_printf(w->out, "%s[%u]", w->p->locks->shared ? "own" : "words", row * FZ_LOCKS + column);
}

static void print_read(struct printer *w, const struct fz_lock_statement *s, unsigned row)
{
    text_printf(w->out, "fence();\nuint v%u = ", w->made);
    text_addz(w->out, s->calls ? "read(&" : "");
    print_word(w, row, s->lock);
    text_addz(w->out, s->calls ? ");\n" : ";\n");
}

static void print_statements(struct printer *w, const struct fz_lock_statement *s);

/* Behind a lock or flag. */
static void print_guarded(struct printer *w, const struct fz_lock_statement *s)
{
    INVARIANT(w->guards < COUNT(w->guard));
    w->guard[w->guards++] = w->made++;
    print_statements(w, s->then);
    w->guards--;
    text_addz(w->out, "}\n");
}

static void print_try(struct printer *w, const struct fz_lock_statement *s)
{
    text_addz(w->out, "if (");
    if (s->once)
        text_printf(w->out, "!(had >> %u & 1) && ", s->lock);
    text_addz(w->out, "atomic_cas(&");
    print_word(w, 0, s->lock);
    text_addz(w->out, ", 0u, 1u) == 0) {\n");
    print_read(w, s, 2);
    if (s->counts) {
        print_word(w, 2, s->lock);
        text_printf(w->out, " = v%u + 1;\ntaken[%u + gid]++;\n", w->made,
                    s->lock * w->p->blocks * w->p->threads);
    }
    text_addz(w->out, "fence();\natomic_xchg(&");
    print_word(w, 0, s->lock);
    text_printf(w->out, ", 0u);\nhad |= %uu;\n", 1u << s->lock);
    print_guarded(w, s);
}

static void print_send(struct printer *w, const struct fz_lock_statement *s)
{
    text_addz(w->out, "if (atomic_cas(&");
    print_word(w, 1, s->lock);
    text_addz(w->out, ", 0u, 1u) == 0) {\n");
    print_word(w, 3, s->lock);
    text_printf(w->out, " = %d;\nfence();\natomic_xchg(&", FZ_SENT);
    print_word(w, 1, s->lock);
    text_addz(w->out, ", 2u);\n}\n");
}

static void print_receive(struct printer *w, const struct fz_lock_statement *s)
{
    text_addz(w->out, "if (atomic_or(&");
    print_word(w, 1, s->lock);
    text_addz(w->out, ", 0u) == 2) {\n");
    print_read(w, s, 3);
    text_printf(w->out, "if (v%u != %d)\nwrong[gid] = 1;\n", w->made, FZ_SENT);
    print_guarded(w, s);
}

static void print_loop(struct printer *w, const struct fz_lock_statement *s)
{
    uint32_t i = w->loops++;
    text_printf(w->out, "for (uint i%u = 0; i%u < ", i, i);
    if (s->style == 0)
        text_printf(w->out, "min(%uu, (uint)in[(gid + %u) %% %u] %% %u)", s->number + 1u, s->lock, FZ_INPUTS,
                    FZ_LOCK_ITERATIONS + 1);
    else
        text_printf(w->out, "%u", s->number + 1u);
    text_printf(w->out, "; i%u++) {\n", i);
    print_statements(w, s->then);
    text_addz(w->out, "}\n");
    w->loops--;
}

static void print_statement(struct printer *w, const struct fz_lock_statement *s)
{
    switch (s->step) {
    case FZ_LOCK_LOG: print_operation(w, s, s->id); return;
    case FZ_LOCK_TRY: print_try(w, s); return;
    case FZ_LOCK_SEND: print_send(w, s); return;
    case FZ_LOCK_RECEIVE: print_receive(w, s); return;
    case FZ_LOCK_LOOP: print_loop(w, s); return;
    case FZ_LOCK_LATE:
        text_printf(w->out, "seen = %s;\n", fz_lock_operations[s->operation]);
        print_key(w, s->id);
        print_if(w, &s->condition);
        print_log(w);
        text_addz(w->out, "} else {\nseen = 0;\n}\nn++;\n");
        return;
    default: print_if(w, &s->condition);
    }
    switch (s->step) {
    case FZ_LOCK_TWINS:
        print_operation(w, s, s->id);
        text_addz(w->out, "} else {\n");
        print_operation(w, s, s->id + 1u);
        break;
    case FZ_LOCK_IF:
        print_statements(w, s->then);
        text_addz(w->out, s->otherwise ? "} else {\n" : "");
        print_statements(w, s->otherwise);
        break;
    case FZ_LOCK_BREAK: text_addz(w->out, w->loops ? "break;\n" : "return;\n"); break;
    case FZ_LOCK_CONTINUE: text_addz(w->out, w->loops ? "continue;\n" : "return;\n"); break;
    default: text_addz(w->out, "return;\n");
    }
    text_addz(w->out, "}\n");
}

static void print_statements(struct printer *w, const struct fz_lock_statement *s)
{
    for (; s; s = s->next)
        print_statement(w, s);
}

void fz_print_locks(const struct fz_program *p, struct text *out)
{
    struct printer w = {.p = p, .out = out};
    const char *space = p->locks->shared ? "shared" : "global";
    text_printf(out, "uint read(%s uint *p) { return *p; }\n", space);
    text_addz(out,
              "kernel void k(global ulong *log, global uint *key, global uint *words, global uint *taken, "
              "global uint *wrong, const global int *in)\n{\n");
    if (p->locks->shared)
        text_printf(out, "shared uint own[%d];\n", 4 * FZ_LOCKS);
    text_addz(out, "uint gid = blockIdx.x * blockDim.x + threadIdx.x, n = 0, had = 0;\nulong seen = 0;\n");
    print_statements(&w, p->locks->first);
    text_addz(out, "}\n");
}
