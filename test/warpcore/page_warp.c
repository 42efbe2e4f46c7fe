/* page_warp.c: executes one instruction of a warp: lane operations, warp operations, control registers. */
#include "test/warpcore/page.h"

static void set_register(struct page_warp *w, uint32_t lane, uint32_t d, uint32_t value)
{
    if (d)
        w->r[lane][d] = value;
}

static void set_predicate(struct page_warp *w, uint32_t lane, uint32_t d, bool value)
{
    if (d)
        w->p[lane][d] = value;
}

/* ---- each lane its own --------------------------------------------------------------------------------- */

static uint32_t number_of(const struct page_row *row, uint32_t word)
{
    if (row->format == 'I')
        return page_offset(word);
    word &= 0x3fffff;
    return strcmp(row->mnemonic, "lui") != 0 ? word - ((word & 0x200000) << 1) : word;
}

static uint32_t operand(const struct page_warp *w, uint32_t lane, const struct page_row *row, unsigned n,
                        uint32_t word)
{
    const char *o = row->operand[n];
    if (*o == 'i')
        return number_of(row, word);
    return *o == 'r'   ? w->r[lane][page_field(word, o[1])]
           : *o == 'p' ? w->p[lane][page_field(word, o[1]) & 7]
                       : 0;
}

static void set_result(struct page_warp *w, uint32_t lane, const struct page_row *row, uint32_t word,
                       uint32_t x)
{
    if (row->operand[0][0] == 'p')
        set_predicate(w, lane, page_field(word, 'd'), x & 1);
    else
        set_register(w, lane, page_field(word, 'd'), row->is_float ? page_canonical(x) : x);
}

static void compute(struct page_warp *w, const struct page_row *row, uint32_t word)
{
    page_each_active(l, w) set_result(
        w, l, row, word,
        row->lane(operand(w, l, row, 1, word), operand(w, l, row, 2, word), operand(w, l, row, 3, word)));
}

/* ---- warp operations ----------------------------------------------------------------------------------- */

static uint32_t lowest(uint32_t lanes)
{
    uint32_t l = 0;
    while (!(lanes >> l & 1))
        l++;
    return l;
}

static void vote(struct page_warp *w, const struct page_row *row, uint32_t word)
{
    uint32_t yes = 0;
    page_each_active(l, w) if (*row->operand[1] && operand(w, l, row, 1, word)) yes |= 1u << l;
    page_each_active(l, w) set_result(w, l, row, word,
                                      !strcmp(row->mnemonic, "ballot") ? yes
                                      : !strcmp(row->mnemonic, "any")  ? yes != 0
                                      : !strcmp(row->mnemonic, "all")  ? yes == w->active
                                                                       : l == lowest(w->active));
}

static uint32_t partner(const struct page_warp *w, uint32_t lane, const struct page_row *row, uint32_t b)
{
    if (!strcmp(row->mnemonic, "first"))
        return lowest(w->active);
    uint32_t to = strstr(row->mnemonic, ".xor")    ? lane ^ b
                  : strstr(row->mnemonic, ".up")   ? lane - b
                  : strstr(row->mnemonic, ".down") ? lane + b
                                                   : b;
    return to < PAGE_LANES && w->active >> to & 1 ? to : lane;
}

static void shuffle(struct page_warp *w, const struct page_row *row, uint32_t word)
{
    uint32_t given[PAGE_LANES] = {0}, from[PAGE_LANES] = {0};
    page_each_active(l, w)
    {
        given[l] = operand(w, l, row, 1, word);
        from[l] = partner(w, l, row, operand(w, l, row, 2, word));
    }
    page_each_active(l, w) set_register(w, l, page_field(word, 'd'), given[from[l]]);
}

/* Reductions and scans, in the order of the lanes. */
static void fold(struct page_warp *w, const struct page_row *row, uint32_t word)
{
    uint32_t sum = 0, upto[PAGE_LANES] = {0};
    bool first = true;
    page_each_active(l, w)
    {
        uint32_t x = operand(w, l, row, 1, word);
        upto[l] = sum = first ? x : row->lane(sum, x, 0);
        first = false;
    }
    page_each_active(l, w) set_result(w, l, row, word, row->kind == PAGE_SCAN ? upto[l] : sum);
}

/* ---- control registers --------------------------------------------------------------------------------- */

static uint32_t by_dimension(const struct page_machine *m, const struct page_warp *w, uint32_t lane,
                             const char *name)
{
    const uint32_t *block = m->job->block;
    uint32_t at = w->number * PAGE_LANES + lane, i = (uint32_t)(strchr(name, '.')[1] - 'x');
    uint32_t tid[3] = {at % block[0], at / block[0] % block[1], at / block[0] / block[1]};
    return *name == 't'               ? tid[i]
           : *name == 'g'             ? m->job->grid[i]
           : !strncmp(name, "bid", 3) ? m->block[i]
                                      : block[i];
}

static uint32_t read_csr(struct page_machine *m, struct page_warp *w, uint32_t lane, const char *name)
{
    if (strchr(name, '.'))
        return by_dimension(m, w, lane, name);
    const struct {
        const char *name;
        uint32_t value;
    } all[] = {
        {"lane", lane},           {"warp", w->number},
        {"warpsize", PAGE_LANES}, {"cycle", (uint32_t)w->cycles},
        {"cycleh", w->cycleh},    {"data", m->job->memory.at[0].address},
        {"active", w->active},    {"live", w->live},
        {"depth", w->depth},
    };
    for (size_t i = 0; i < COUNT(all); i++)
        if (!strcmp(all[i].name, name))
            return all[i].value;
    return 0;
}

static void system_instruction(struct page_machine *m, struct page_warp *w, const struct page_row *row,
                               uint32_t word, struct page_effect *e)
{
    uint32_t imm = word & 0xfff;
    const char *csr = m->tables->csr[imm & 63];
    if (row->kind == PAGE_CSRW) {
        e->barrier = !strcmp(csr, "barrier");
        e->yield = !strcmp(csr, "yield");
        if (e->barrier && w->active != w->live)
            e->fault = "barrier";
    }
    if (row->kind == PAGE_CSRR && !strcmp(csr, "cycle"))
        w->cycleh = (uint32_t)(w->cycles >> 32);
    page_each_active(l, w)
    {
        if (row->kind == PAGE_ASSERT && !w->p[l][page_field(word, 'a') & 7])
            e->fault = "assert";
        if (row->kind == PAGE_LDARG)
            set_register(w, l, page_field(word, 'd'), imm < PAGE_ARGUMENTS ? m->job->arguments[imm] : 0);
        else if (row->kind == PAGE_CSRR)
            set_register(w, l, page_field(word, 'd'), read_csr(m, w, l, csr));
    }
    if (row->kind == PAGE_TRAP)
        e->fault = "trap";
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

const struct page_row *page_row_at(const struct page_machine *m, uint32_t pc)
{
    static const struct page_row none;
    uint32_t word = pc < m->job->words ? m->job->code[pc] : 0;
    const struct page_row *rows = m->tables->row[word >> 27];
    if (rows[0].format == 'R' || rows[1].format == 'R')
        return &rows[word & 127];
    if (rows[0].format == 'I' || rows[1].format == 'I')
        return &rows[word >> 12 & 31];
    return rows[0].kind ? &rows[0] : &none;
}

struct page_effect page_step(struct page_machine *m, struct page_warp *w)
{
    struct page_effect e = {0};
    const struct page_row *row = page_row_at(m, w->pc);
    uint32_t word = w->pc < m->job->words ? m->job->code[w->pc] : 0;
    if (row->kind >= PAGE_EXIT) {
        page_flow(m, w, row, word, &e);
    } else {
        switch ((enum page_kind)row->kind) {
        case PAGE_ILLEGAL: e.fault = "illegal-instruction"; break;
        case PAGE_LANE: compute(w, row, word); break;
        case PAGE_LOAD:
        case PAGE_STORE:
        case PAGE_ATOM: page_access(m, w, row, word, &e); break;
        case PAGE_VOTE: vote(w, row, word); break;
        case PAGE_SHUFFLE: shuffle(w, row, word); break;
        case PAGE_REDUCE:
        case PAGE_SCAN: fold(w, row, word); break;
        default: system_instruction(m, w, row, word, &e); break;
        }
        w->pc++;
    }
    w->cycles += m->tables->unit[row->unit].cycles + e.more;
    return e;
}
