/* remarks.c: what passes did and declined, counters and times, collected during a run and shown after it. */
#include "opt/pass.h"

#include <inttypes.h>

const struct opt_pass_info opt_pass_info[OPT_PASSES] = {
#define PASS(name, function, level, graph, meaning)        {#name, meaning, graph, level, false},
#define MODULE_PASS(name, function, level, graph, meaning) {#name, meaning, graph, level, true},
#include "opt/passes.def"
};

void opt_report_init(struct opt_report *r)
{
    *r = (struct opt_report){0};
}

void opt_report_free(struct opt_report *r)
{
    struct arena arena = r->arena;
    arena_free(&arena);
    opt_report_init(r);
}

enum { LOOKED_AT_MAX = 256 };

/* Whether one of the pass's last remarks on the function is the same: it is made once. */
static bool is_repeated(const struct opt_report *report, const struct opt_remark *r)
{
    uint32_t end = report->remarks.count, first = end > LOOKED_AT_MAX ? end - LOOKED_AT_MAX : 0;
    for (uint32_t i = end; i-- > first;) {
        const struct opt_remark *other = &report->remarks.at[i];
        if (other->pass != r->pass || strcmp(other->function, r->function) != 0)
            return false;
        if (other->kind == r->kind && other->at.line == r->at.line && other->at.column == r->at.column &&
            r->at.line && strcmp(other->id, r->id) == 0 && strcmp(other->text, r->text) == 0)
            return true;
    }
    return false;
}

struct opt_remark *opt_remark(struct opt_context *c, const struct ir_function *f, enum opt_remark_kind kind,
                              const char *id, place at, const char *fmt, ...)
{
    if (!c->options->remarks || !c->report)
        return NULL;
    struct arena *a = &c->report->arena;
    va_list args;
    va_start(args, fmt);
    struct opt_remark r = {.pass = c->pass,
                           .kind = kind,
                           .id = id,
                           .at = at,
                           .function = arena_strdup(a, f->name, strlen(f->name)),
                           .text = arena_vprintf(a, fmt, args)};
    va_end(args);
    if (is_repeated(c->report, &r))
        return NULL;
    vec_push(a, &c->report->remarks, r);
    return &vec_last(&c->report->remarks);
}

void opt_error(struct opt_context *c, const struct ir_function *f, const char *id, place at, const char *fmt,
               ...)
{
    va_list args;
    va_start(args, fmt);
    diag_add(c->diagnostics, DIAG_ERROR, id, (span){at, {0}}, "in @%s: %s", f->name,
             arena_vprintf(c->scratch, fmt, args));
    va_end(args);
}

void opt_warning(struct opt_context *c, const struct ir_function *f, enum diag_group group, place at,
                 const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const char *text = arena_vprintf(c->scratch, fmt, args);
    va_end(args);
    diag_warn(c->diagnostics, group, (span){at, {0}}, "in @%s: %s", f->name, text);
}

bool opt_below(struct opt_context *c, const struct ir_function *f, enum opt_limit l, uint64_t n)
{
    uint32_t most = c->options->limits[l];
    if (n < most)
        return true;
    if (c->required)
        c->report->reached[l] = true;
    opt_remark(c, f, OPT_MISSED, "limit", f->at, "limit of %u reached (--limit=%s=N)", most,
               opt_limit_info[l].name);
    return false;
}

void opt_warn_limit(struct opt_context *c, const struct ir_function *f, enum opt_limit l, place at,
                    const char *what)
{
    opt_warning(c, f, DIAG_GROUP_convergence, at, "%s: limit of %u reached (--limit=%s=N)", what,
                c->options->limits[l], opt_limit_info[l].name);
}

void opt_count(struct opt_context *c, const char *name, uint64_t n)
{
    struct opt_report *r = c->report;
    if (n == 0 || !c->options->stats || !r)
        return;
    uint64_t key = hash_mix(hash_bytes(name, strlen(name)), c->pass);
    uint32_t at = map_get(&r->counter_index, key);
    if (at == MAP_NONE) {
        at = r->counters.count;
        vec_push(&r->arena, &r->counters, ((struct opt_counter){c->pass, name, 0}));
        map_set(&r->arena, &r->counter_index, key, at);
    }
    r->counters.at[at].value += n;
}

struct opt_report_mark opt_report_mark(struct opt_context *c)
{
    struct opt_report *r = c->report;
    if (!r)
        return (struct opt_report_mark){0};
    uint64_t *counters = arena_array(c->scratch, uint64_t, r->counters.count + 1);
    for (uint32_t i = 0; i < r->counters.count; i++)
        counters[i] = r->counters.at[i].value;
    return (struct opt_report_mark){r->remarks.count, counters, r->counters.count};
}

void opt_report_take_back(struct opt_context *c, struct opt_report_mark mark, bool all)
{
    struct opt_report *r = c->report;
    if (!r)
        return;
    uint32_t kept = mark.remarks;
    for (uint32_t i = kept; i < r->remarks.count; i++)
        if (!all && r->remarks.at[i].kind == OPT_MISSED)
            r->remarks.at[kept++] = r->remarks.at[i];
    r->remarks.count = kept;
    for (uint32_t i = 0; i < r->counters.count; i++)
        r->counters.at[i].value = i < mark.counter_count ? mark.counters[i] : 0;
}

static const char *kind_name(enum opt_remark_kind k)
{
    return k == OPT_APPLIED ? "applied" : "missed";
}

void opt_remarks_text(const struct opt_report *r, const struct source *s, struct text *out)
{
    for (uint32_t i = 0; i < r->remarks.count; i++) {
        const struct opt_remark *m = &r->remarks.at[i];
        uint32_t line = m->at.line;
        const char *file = source_of(s, &line)->name;
        text_printf(out, "%s:%" PRIu32 ":%" PRIu32 ": remark: %s [%s %s: %s] in %s\n", file, line,
                    m->at.column, m->text, opt_pass_info[m->pass].name, kind_name(m->kind), m->id,
                    m->function);
    }
}

static void json_field(struct text *out, const char *name, const char *value)
{
    text_printf(out, "\"%s\": ", name);
    text_json(out, value, strlen(value));
    text_addz(out, ", ");
}

/* The pairs of operations that are one. */
static void json_pairs(const struct opt_remark *m, const struct source *s, struct text *out)
{
    text_addz(out, "\"pairs\": [");
    for (uint32_t i = 0; i < m->pairs.count; i++) {
        const struct opt_remark_pair *p = &m->pairs.at[i];
        uint32_t x = p->x.line, y = p->y.line;
        source_of(s, &x);
        source_of(s, &y);
        text_addz(out, i ? ", {" : "{");
        json_field(out, "way", p->way);
        json_field(out, "operation", p->operation);
        text_printf(out, "\"line\": %" PRIu32 ", \"column\": %" PRIu32, x, p->x.column);
        text_printf(out, ", \"other_line\": %" PRIu32 ", \"other_column\": %" PRIu32 "}", y, p->y.column);
    }
    text_addz(out, "], ");
}

void opt_remarks_json(const struct opt_report *r, const struct source *s, struct text *out)
{
    text_addz(out, "[");
    for (uint32_t i = 0; i < r->remarks.count; i++) {
        const struct opt_remark *m = &r->remarks.at[i];
        uint32_t line = m->at.line;
        const char *file = source_of(s, &line)->name;
        text_addz(out, i ? ",\n {" : "\n {");
        json_field(out, "pass", opt_pass_info[m->pass].name);
        json_field(out, "kind", kind_name(m->kind));
        json_field(out, "id", m->id);
        json_field(out, "function", m->function);
        json_field(out, "file", file);
        json_field(out, "message", m->text);
        if (m->pairs.count)
            json_pairs(m, s, out);
        text_printf(out, "\"line\": %" PRIu32 ", \"column\": %" PRIu32 "}", line, m->at.column);
    }
    text_addz(out, r->remarks.count ? "\n]\n" : "]\n");
}

void opt_stats_text(const struct opt_report *r, struct text *out)
{
    for (unsigned p = 0; p < OPT_PASSES; p++)
        for (uint32_t i = 0; i < r->counters.count; i++)
            if (r->counters.at[i].pass == p && r->counters.at[i].value)
                text_printf(out, "%10" PRIu64 "  %-14s %s\n", r->counters.at[i].value, opt_pass_info[p].name,
                            r->counters.at[i].name);
}

void opt_times_text(const struct opt_report *r, struct text *out)
{
    uint64_t total = r->verify_nanoseconds;
    text_addz(out, "        ms   runs  changed  pass\n");
    for (unsigned p = 0; p < OPT_PASSES; p++) {
        const struct opt_time *t = &r->times[p];
        total += t->nanoseconds;
        if (t->runs)
            text_printf(out, "%10.3f %6" PRIu32 " %8" PRIu32 "  %s\n", (double)t->nanoseconds / 1e6, t->runs,
                        t->changed, opt_pass_info[p].name);
    }
    if (r->verify_nanoseconds)
        text_printf(out, "%10.3f                  verify\n", (double)r->verify_nanoseconds / 1e6);
    text_printf(out, "%10.3f                  total\n", (double)total / 1e6);
}
