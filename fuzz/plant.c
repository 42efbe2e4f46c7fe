/* plant.c: mistakes with memory in programs that have none; see plant.h and plants.def. */
#include "fuzz/plant.h"

#include <stdio.h>

#define MARK " // planted"

enum { BLOCKS = 2, MOST_LINES = 4 };

struct row {
    enum fz_mistake mistake;
    const char *name;
    char memory;
    uint32_t threads;
    const char *top, *text;
};
static const struct row rows[] = {
#define PLANT(check, name, memory, threads, top, text) {FZ_MISTAKE_##check, name, memory, threads, top, text},
#include "fuzz/plants.def"
};
const char *const fz_mistake_names[FZ_MISTAKES] = {
#define MEMORY_CHECK(id, name, bit, where, meaning) #name,
#include "base/checks.def"
};

/* ---- making ------------------------------------------------------------------------------------------ */

static void draw_threads(struct fz_random *r, struct fz_plant *x)
{
    static const uint8_t threads[] = {8, 16, 32, 64, 96};
    x->blocks = BLOCKS;
    x->threads = rows[x->row].threads ? rows[x->row].threads : threads[fz_below(r, COUNT(threads))];
    for (int i = 0; i < 3; i++)
        x->at[i] = (fz_below(r, x->threads / 4) * 4 + (uint32_t)i) % x->threads;
    x->distance = 1 + fz_below(r, x->threads - 1);
}

/* A row of one of the mistakes, each equally often. */
static struct fz_plant draw_plant(struct fz_random *r, unsigned mistakes, uint32_t types)
{
    struct fz_plant x = {0};
    do
        x.row = (uint8_t)fz_below(r, COUNT(rows));
    while (!(mistakes >> rows[x.row].mistake & 1));
    char memory = rows[x.row].memory;
    x.type = (uint8_t)(memory == 'i'   ? FZ_INT
                       : memory == 'b' ? FZ_CHAR + fz_below(r, 2)
                                       : FZ_CHAR + fz_below(r, types - FZ_CHAR));
    x.in_buffer = memory == 'g' || (memory == 'e' && fz_chance(r, 50));
    x.is_private = memory == 'p' || (memory == 'v' && fz_chance(r, 50));
    x.by_barrier = fz_chance(r, 50);
    x.by_one = memory == 'v' && (!x.is_private || fz_chance(r, 50));
    draw_threads(r, &x);
    x.length = 2 + fz_below(r, 14);
    x.index[0] = fz_below(r, x.length);
    x.index[1] = (x.index[0] + 1) % x.length;
    x.inside = fz_below(r, x.length);
    x.excess = 1 + fz_below(r, 3);
    x.outside = fz_chance(r, 70) ? x.length + x.excess - 1 : -x.excess;
    return x;
}

static void find_return(const struct fz_node *n, void *data)
{
    *(bool *)data |= n->kind == FZ_NODE_RETURN;
}

/* A random one of the statements that all threads come to, together. */
static struct fz_node **random_place(struct fz_random *r, struct fz_node *body)
{
    uint32_t count = 0;
    bool returns = false;
    for (struct fz_node *s = body->first; s && !returns; s = s->next) {
        fz_walk(s, find_return, &returns);
        count++;
    }
    struct fz_node **link = &body->first;
    for (uint32_t i = fz_below(r, count + !returns); i > 0; i--)
        link = &(*link)->next;
    return link;
}

void fz_plant(struct fz_program *p, unsigned mistakes)
{
    struct fz_random r = fz_random(p->seed, 'x');
    struct fz_node **link = random_place(&r, fz_kernel(p)->body), *n = fz_node(p, FZ_NODE_PLANT);
    p->plant = arena_new(p->arena, struct fz_plant);
    *p->plant = draw_plant(&r, mistakes, fz_types(p));
    p->beyond = 0; /* an index outside its array stops the program */
    p->checked = true;
    p->threads = p->plant->threads;
    p->blocks = p->plant->blocks;
    n->next = *link;
    *link = n;
    if (!p->plant->in_buffer)
        return;
    vec_push(p->arena, &p->buffers,
             ((struct fz_buffer){"plants", p->plant->type, false, 0, BLOCKS * p->threads}));
    vec_push(p->arena, &p->buffers, ((struct fz_buffer){"flags", FZ_INT, false, 0, 1}));
}

uint32_t fz_own_buffers(const struct fz_program *p)
{
    return p->buffers.count - (p->plant && p->plant->in_buffer ? 2 : 0);
}

bool fz_plant_stands(const struct fz_program *p)
{
    return fz_count(p, FZ_NODE_PLANT) && p->threads == p->plant->threads && p->blocks == p->plant->blocks;
}

/* ---- printing ---------------------------------------------------------------------------------------- */

static void print_number(struct text *out, int32_t n)
{
    text_printf(out, n < 0 ? "(%d)" : "%d", n);
}

/* What stands for $`letter`. */
static void print_parameter(struct text *out, const struct fz_plant *x, char letter)
{
    switch (letter) {
    case 'T': text_addz(out, fz_type_info[x->type].text); break;
    case 'N': text_printf(out, "%u", x->threads); break;
    case 'A':
    case 'B':
    case 'C': text_printf(out, "%u", x->at[letter - 'A']); break;
    case 'D': text_printf(out, "%u", x->distance); break;
    case 'L': text_printf(out, "%u", x->length); break;
    case 'K':
    case 'J': text_printf(out, "%u", x->index[letter == 'J']); break;
    case 'O': print_number(out, (int32_t)(x->mended ? x->inside : x->outside)); break;
    case 'E': text_printf(out, "%u", x->length + (x->mended ? 0 : x->excess)); break;
    case 'S': text_addz(out, x->by_barrier ? "barrier" : "syncwarp"); break;
    case 'Q': text_addz(out, x->is_private ? "" : "shared "); break;
    case 'P':
        if (x->in_buffer)
            text_printf(out, "plants[blockIdx.x * %u + ", x->threads);
        else
            text_addz(out, "plant[");
        break;
    default: BUG("$%c is no parameter of plants", letter);
    }
}

/* One line of the row, $P(...) as an element of its array. */
static void print_row_line(struct printer *w, const char *at, size_t n)
{
    uint32_t open = 0;
    bool marked = n && at[n - 1] == '@', element = false;
    fz_print_indent(w);
    for (const char *end = at + n - marked; at < end; at++) {
        bool closes = element && *at == ')' && --open == 0;
        if (*at == '$') {
            print_parameter(w->out, w->p->plant, *++at);
            if (*at == 'P')
                at++, element = true, open = 1;
            continue;
        }
        open += element && *at == '(';
        text_char(w->out, closes ? ']' : *at);
        element = element && !closes;
    }
    text_addz(w->out, marked ? MARK "\n" : "\n");
}

static void print_rows(struct printer *w, const char *text)
{
    for (size_t n; *text; text += n + 1) {
        n = strcspn(text, "\n");
        bool one = *text == '!' || *text == '=';
        if (!one)
            print_row_line(w, text, n);
        else if ((*text == '=') == w->p->plant->mended)
            print_row_line(w, text + 1, n - 1);
    }
}

void fz_print_plant_top(struct printer *w)
{
    print_rows(w, rows[w->p->plant->row].top);
}

/* Arrays on both sides, whose elements are all written. */
static void print_arrays(struct printer *w)
{
    const struct fz_plant *x = w->p->plant;
    fz_print_line(w, "%s%s before[%u], plant[%u], after[%u];", x->is_private ? "" : "shared ",
                  fz_type_info[x->type].text, x->length, x->length, x->length);
    if (x->by_one)
        fz_print_line(w, "if (threadIdx.x == %u) {", x->at[0]);
    fz_print_line(w, "for (int q = 0; q < %u; q++)", x->length);
    fz_print_line(w, "    before[q] = plant[q] = after[q] = (%s)q;", fz_type_info[x->type].text);
}

void fz_print_plant(struct printer *w)
{
    const struct fz_plant *x = w->p->plant;
    fz_print_line(w, "{");
    w->indent++;
    fz_print_line(w, "barrier();");
    fz_print_line(w, "%s seen = (%s)0;", fz_type_info[x->type].text, fz_type_info[x->type].text);
    if (rows[x->row].memory == 'v')
        print_arrays(w);
    else if (!x->in_buffer)
        fz_print_line(w, "%s%s plant[%u];", x->is_private ? "" : "shared ", fz_type_info[x->type].text,
                      x->threads);
    print_rows(w, rows[x->row].text);
    if (x->by_one)
        fz_print_line(w, "}");
    fz_print_line(w, "barrier();");
    w->indent--;
    fz_print_line(w, "}");
}

/* ---- judging ----------------------------------------------------------------------------------------- */

/* The lines that are marked. */
static uint32_t marked_lines(const struct text *source, uint32_t lines[MOST_LINES])
{
    uint32_t count = 0, line = 1;
    for (const char *at = source->at; *at && count < MOST_LINES; at++) {
        line += *at == '\n';
        if (*at == ' ' && strncmp(at, MARK "\n", sizeof MARK) == 0)
            lines[count++] = line;
    }
    return count;
}

/* Whether the alarm names these lines, and no others. */
static bool names_lines(const kernc_alarm *a, const uint32_t *lines, uint32_t count)
{
    uint32_t other = a->other_line ? a->other_line : a->line;
    if (count == 1)
        return a->line == lines[0] && other == lines[0];
    return (a->line == lines[0] && other == lines[1]) || (a->line == lines[1] && other == lines[0]);
}

bool fz_plant_missed(const struct fz_program *p, const struct text *source, const kernc_context *context,
                     char *text, size_t size)
{
    const struct fz_plant *x = p->plant && !p->plant->mended ? p->plant : NULL;
    kernc_alarm a = {.size = sizeof a};
    uint32_t lines[MOST_LINES], count = x ? marked_lines(source, lines) : 0, i = 0;
    for (; kernc_alarm_at(context, i, &a); i++) {
        bool right = x && strcmp(a.kind, fz_mistake_names[rows[x->row].mistake]) == 0;
        if (right && names_lines(&a, lines, count))
            continue;
        snprintf(text, size, "alarm in line %u where nothing is wrong: %s", a.line, a.text);
        return true;
    }
    if (!x || i)
        return false;
    snprintf(text, size, "no alarm in line %u, where it is wrong: %s, \"%s\"", lines[0],
             fz_mistake_names[rows[x->row].mistake], rows[x->row].name);
    return true;
}
