/* trial_compare.c: whether what a launch has left is what the reference says, whether what it has counted can
 * be, and whether two failures are of one kind.
 */
#include "fuzz/plant.h"
#include "fuzz/trial.h"
#include "runtime/launch/block_warp.h"

#include <stdio.h>

size_t trial_bytes(const struct fz_program *p, uint32_t buffer)
{
    const struct fz_buffer *b = &p->buffers.at[buffer];
    return (size_t)fz_elements(p, b) * (fz_type_info[b->type].bits / 8);
}

void trial_keep(struct trial *t)
{
    memcpy(t->expected_stop, t->stop, sizeof t->stop);
    for (uint32_t i = fz_own_buffers(t->p); i < t->p->buffers.count; i++)
        memcpy(t->expected[i], kernc_buffer_map(t->buffers[i]), trial_bytes(t->p, i));
}

void trial_make_expected(struct trial *t)
{
    for (uint32_t i = 0; i < t->p->buffers.count; i++)
        t->expected[i] = arena_alloc(&t->arena, trial_bytes(t->p, i) + 1);
}

bool trial_expect(struct trial *t, const struct fz_setup *s)
{
    const struct fz_class *class = fz_class_find(t->p->class);
    bool any_width = t->expected_width && fz_is_race_free(t->p);
    if (!class->expect || any_width || t->expected_width == s->width)
        return true;
    for (uint32_t i = 0; i < t->p->buffers.count; i++) {
        memset(t->expected[i], 0, trial_bytes(t->p, i));
        if (t->p->buffers.at[i].input)
            memcpy(t->expected[i], t->p->inputs, sizeof t->p->inputs);
    }
    t->expected_width = s->width;
    t->expected_end = class->expect(t->p, s->width, t->expected);
    return t->expected_end ||
           trial_fail(t, s, FZ_INVALID, "the reference does not end, or depends on what anchors gather");
}

static unsigned long long element(const void *bytes, size_t index, size_t size)
{
    unsigned long long v = 0;
    memcpy(&v, (const char *)bytes + index * size, size);
    return v;
}

static bool differ(struct trial *t, const struct fz_setup *s, uint32_t buffer)
{
    const struct fz_buffer *b = &t->p->buffers.at[buffer];
    size_t size = fz_type_info[b->type].bits / 8, i = 0;
    uint32_t threads = t->p->blocks * t->p->threads;
    const void *got = kernc_buffer_map(t->buffers[buffer]);
    char text[256], where[64] = "";
    while (element(got, i, size) == element(t->expected[buffer], i, size))
        i++;
    if (!fz_has_types(t->p) && b->per_thread) /* rows of all threads; in class a, threads of all slots */
        snprintf(where, sizeof where, " (thread %u, row %u)", (unsigned)(i % threads),
                 (unsigned)(i / threads));
    else if (b->per_thread)
        snprintf(where, sizeof where, " (thread %u, slot %u)", (unsigned)(i / b->per_thread),
                 (unsigned)(i % b->per_thread));
    snprintf(text, sizeof text, "%s[%zu]%s is 0x%llx, expected 0x%llx", b->name, i, where,
             element(got, i, size), element(t->expected[buffer], i, size));
    return trial_fail(t, s, FZ_DIFFERS, text);
}

static bool stop_differs(struct trial *t, const struct fz_setup *s)
{
    char text[sizeof t->stop + sizeof t->expected_stop + 64];
    bool stops = t->expected_end == FZ_STOPS;
    snprintf(text, sizeof text, "%s%s, expected %s%s", t->stop[0] ? "stops at " : "no index stops it",
             t->stop, stops ? "a stop at " : "none to", stops ? t->expected_stop : "");
    return trial_fail(t, s, FZ_DIFFERS, text);
}

/* What two arms execute together has the place that it has in one of them. */
static bool same_stop(const struct trial *t, const struct fz_setup *s)
{
    const char *got = strstr(t->stop, ": kernel "), *expected = strstr(t->expected_stop, ": kernel ");
    if ((t->stop[0] != 0) != (t->expected_end == FZ_STOPS))
        return false;
    if (got && expected && fz_passes_have(&s->passes, s->level, OPT_PASS_csc))
        return strcmp(got, expected) == 0;
    return s->through || strcmp(t->stop, t->expected_stop) == 0; /* LLVM IR has places of its own */
}

bool trial_compare(struct trial *t, const struct fz_setup *s)
{
    if (!same_stop(t, s))
        return stop_differs(t, s);
    if (t->stop[0])
        return true;
    for (uint32_t i = 0; i < t->p->buffers.count; i++)
        if (memcmp(t->expected[i], kernc_buffer_map(t->buffers[i]), trial_bytes(t->p, i)))
            return differ(t, s, i);
    return true;
}

bool trial_holds(struct trial *t, const struct fz_setup *s)
{
    void *contents[MAX_BUFFERS];
    char text[sizeof t->verdict.text];
    for (uint32_t i = 0; i < t->p->buffers.count; i++)
        contents[i] = kernc_buffer_map(t->buffers[i]);
    return fz_class_find(t->p->class)->holds(t->p, s->width, contents, text, sizeof text) ||
           trial_fail(t, s, FZ_DIFFERS, text);
}

/* ---- counts ------------------------------------------------------------------------------------------ */

/* What instructions by class, and by active lanes, add up to. */
struct counted {
    uint64_t warps, threads;
};

static struct counted by_class(const kernc_statistics *statistics)
{
    struct counted sum = {0, 0};
    kernc_class_metrics c = {.size = sizeof c};
    for (uint32_t i = 0; kernc_statistics_class(statistics, i, &c); i++) {
        sum.warps += c.warp_instructions;
        sum.threads += c.thread_instructions;
    }
    return sum;
}

static struct counted by_lanes(const kernc_statistics *statistics)
{
    struct counted sum = {0, 0};
    uint64_t instructions[KERNC_MAX_WARP + 1] = {0};
    kernc_statistics_active_lanes(statistics, instructions);
    for (uint32_t lanes = 0; lanes <= KERNC_MAX_WARP; lanes++) {
        sum.warps += instructions[lanes];
        sum.threads += lanes * instructions[lanes];
    }
    return sum;
}

bool trial_models(const struct trial *t, const struct fz_setup *s)
{
    return !t->p->sequence && t->p->threads <= s->width && rt_block_warp_models(s->scheme);
}

bool trial_counts(struct trial *t, const struct fz_setup *s, const kernc_statistics *statistics)
{
    char text[sizeof t->verdict.text];
    kernc_metrics m = {.size = sizeof m};
    kernc_line_metrics l = {.size = sizeof l};
    kernc_statistics_metrics(statistics, &m);
    struct counted classes = by_class(statistics), lanes = by_lanes(statistics);
    if (classes.warps != m.warp_instructions || classes.threads != m.thread_instructions)
        return trial_fail(t, s, FZ_MISCOUNTED, "instructions by class are not those of the launch");
    if (lanes.warps != m.warp_instructions || lanes.threads != m.thread_instructions)
        return trial_fail(t, s, FZ_MISCOUNTED, "instructions by active lanes are not those of the launch");
    if (trial_models(t, s) && m.block_warp_instructions != m.warp_instructions) {
        snprintf(text, sizeof text,
                 "the model of a warp that holds a block runs %llu warp instructions, it %llu",
                 (unsigned long long)m.block_warp_instructions, (unsigned long long)m.warp_instructions);
        return trial_fail(t, s, FZ_MISCOUNTED, text);
    }
    for (uint32_t i = 0; kernc_statistics_line(statistics, i, &l); i++) {
        bool global = l.memory_instructions > l.memory_transactions;
        if (!global && l.shared_instructions <= l.shared_passes)
            continue;
        snprintf(text, sizeof text, "line %u: %llu accesses to %s memory take %llu %s", l.line,
                 (unsigned long long)(global ? l.memory_instructions : l.shared_instructions),
                 global ? "global" : "shared",
                 (unsigned long long)(global ? l.memory_transactions : l.shared_passes),
                 global ? "transactions" : "passes");
        return trial_fail(t, s, FZ_MISCOUNTED, text);
    }
    return true;
}

/* ---- verdicts ---------------------------------------------------------------------------------------- */

/* The text without numbers and names, which change from program to program. */
static void skeleton(const char *text, char *out, size_t size)
{
    bool quoted = false;
    for (; *text && size > 1; text++) {
        if (*text == '\'')
            quoted = !quoted;
        else if (!quoted && (*text < '0' || *text > '9'))
            *out++ = *text, size--;
    }
    *out = 0;
}

bool fz_same_kind(const struct fz_verdict *a, const struct fz_verdict *b)
{
    char as[sizeof a->text], bs[sizeof b->text];
    if (a->outcome != b->outcome)
        return false;
    if (a->outcome == FZ_DIFFERS || a->outcome == FZ_STUCK || a->outcome == FZ_HUNG)
        return true;
    skeleton(a->text, as, sizeof as);
    skeleton(b->text, bs, sizeof bs);
    return strcmp(as, bs) == 0;
}
