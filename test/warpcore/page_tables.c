/* page_tables.c: the tables of docs/isa.md: opcodes, instructions, control registers, units, parameters. */
#include "test/warpcore/page.h"

#include <stdio.h>
#include <stdlib.h>

struct reading {
    struct page_tables *tables;
    struct arena *arena;
    char opcode[32][12], format[32];
    const char *why;
};
enum { CELLS = 6 };

static void give_up(struct reading *r, const char *what, const char *line)
{
    if (!r->why)
        r->why = arena_printf(r->arena, "%s: %s", what, line);
}

static bool begins(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

static bool ends(const char *text, const char *with)
{
    size_t n = strlen(text), m = strlen(with);
    return n >= m && !strcmp(text + n - m, with);
}

/* ---- what an instruction is --------------------------------------------------------------------------- */

static bool is_one_of(const char *name, const char *list)
{
    size_t n = strlen(name);
    for (const char *at = strstr(list, name); at; at = strstr(at + 1, name))
        if (at[-1] == ' ' && at[n] == ' ')
            return true;
    return false;
}

/* The function of a mnemonic: without the `i` of a number, the `.p` of predicates. */
static page_lane *lane_of(const char *mnemonic)
{
    char name[24];
    snprintf(name, sizeof name, "%s", mnemonic);
    if (page_lane_named(name))
        return page_lane_named(name);
    if (ends(name, ".p"))
        name[strlen(name) - 2] = 0;
    else if (ends(name, "i"))
        name[strlen(name) - 1] = 0;
    return page_lane_named(name);
}

/* Loads, stores, atomics: `ld.SPACE.SIZE`, `atom.SPACE.OPERATION`. */
static void describe_access(struct page_row *row, const char *opcode)
{
    const char *space = strchr(row->mnemonic, '.') + 1, *last = strchr(space, '.') + 1;
    row->kind = !strcmp(opcode, "LOAD") ? PAGE_LOAD : !strcmp(opcode, "STORE") ? PAGE_STORE : PAGE_ATOM;
    row->space = *space;
    row->size = strstr(last, "64") ? 8 : strstr(last, "16") ? 2 : strstr(last, "8") ? 1 : 4;
    if (row->kind == PAGE_ATOM)
        row->lane = lane_of(last);
}

static void describe_warp(struct page_row *row)
{
    const char *point = strchr(row->mnemonic, '.');
    bool reduce = begins(row->mnemonic, "reduce."), scan = begins(row->mnemonic, "scan.");
    row->kind = reduce                                                                ? PAGE_REDUCE
                : scan                                                                ? PAGE_SCAN
                : begins(row->mnemonic, "shuffle") || !strcmp(row->mnemonic, "first") ? PAGE_SHUFFLE
                                                                                      : PAGE_VOTE;
    row->is_float = point && ends(point, ".f");
    if (reduce || scan)
        row->lane = lane_of(point + 1);
}

static void describe_rest(struct page_row *row)
{
    static const struct {
        const char *name;
        enum page_kind kind;
    } kinds[] = {
        {"ldarg", PAGE_LDARG},       {"csrr", PAGE_CSRR},     {"csrw", PAGE_CSRW},      {"nop", PAGE_NOTHING},
        {"printf", PAGE_NOTHING},    {"assert", PAGE_ASSERT}, {"trap", PAGE_TRAP},      {"exit", PAGE_EXIT},
        {"converge", PAGE_CONVERGE}, {"call", PAGE_CALL},     {"callr", PAGE_CALLR},    {"ret", PAGE_RET},
        {"br", PAGE_BRANCH},         {"brn", PAGE_BRANCH},    {"diverge", PAGE_BRANCH},
    };
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (!strcmp(kinds[i].name, row->mnemonic))
            row->kind = kinds[i].kind;
    row->inverted = row->kind == PAGE_BRANCH && strcmp(row->mnemonic, "br") != 0;
}

/* The unit, by what the table of units says of its instructions. */
static const char *unit_of(const struct page_row *row, const char *opcode)
{
    if (row->kind == PAGE_LOAD || row->kind == PAGE_STORE)
        return row->space == 'g' ? "GLOBAL" : row->space == 's' ? "SHARED" : "PRIVATE";
    if (row->kind == PAGE_ATOM)
        return row->space == 'g' ? "GATOM" : "SATOM";
    if (row->kind == PAGE_REDUCE || row->kind == PAGE_SCAN)
        return row->is_float ? "CHAIN" : "TREE";
    if (is_one_of(row->mnemonic, " call callr ret "))
        return "CALL";
    if (is_one_of(row->mnemonic, " br brn diverge converge exit "))
        return "FLOW";
    if (is_one_of(row->mnemonic, " printf assert trap "))
        return "HOST";
    if (is_one_of(row->mnemonic, " mul muli mulhi.s mulhi.u "))
        return "MUL";
    if (strstr(row->mnemonic, "div") || strstr(row->mnemonic, "rem"))
        return "DIV";
    if (strcmp(opcode, "FPU") != 0)
        return "ALU";
    return is_one_of(row->mnemonic,
                     " sqrt.f fmod.f sin.f cos.f tan.f asin.f acos.f atan.f atan2.f sinh.f cosh.f "
                     "tanh.f exp.f exp2.f expm1.f log.f log2.f log10.f log1p.f pow.f cbrt.f "
                     "hypot.f ")
               ? "SFU"
               : "FPU";
}

static void describe(struct reading *r, struct page_row *row, const char *opcode, const char *line)
{
    if (!strcmp(opcode, "LOAD") || !strcmp(opcode, "STORE") || !strcmp(opcode, "ATOM")) {
        describe_access(row, opcode);
    } else if (!strcmp(opcode, "WARP")) {
        describe_warp(row);
    } else if (begins(opcode, "ALU") || begins(opcode, "L") || !strcmp(opcode, "FPU")) {
        row->kind = PAGE_LANE;
        row->lane = lane_of(row->mnemonic);
        row->is_float = !strcmp(opcode, "FPU") && row->operand[0][0] == 'r' &&
                        !is_one_of(row->mnemonic, " ftosi.f ftoui.f ");
    } else {
        describe_rest(row);
    }
    bool computes = row->kind == PAGE_LANE || row->kind == PAGE_REDUCE || row->kind == PAGE_SCAN ||
                    (row->kind == PAGE_ATOM && !strstr(row->mnemonic, ".cas"));
    if (row->kind == PAGE_ILLEGAL || (computes && !row->lane))
        give_up(r, "unknown instruction", line);
    row->unit = (uint8_t)page_unit(r->tables, unit_of(row, opcode));
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

/* `add rd, ra, [rb + imm]` into mnemonic and operands; brackets, braces and plus signs only part them. */
static void read_operands(struct page_row *row, char *text)
{
    unsigned n = 0;
    for (char *save, *word = strtok_r(text, " ,[]{}+`", &save); word;
         word = strtok_r(NULL, " ,[]{}+`", &save))
        if (n++ == 0)
            snprintf(row->mnemonic, sizeof row->mnemonic, "%s", word);
        else if (n <= PAGE_OPERANDS + 1)
            snprintf(row->operand[n - 2], sizeof row->operand[0], "%s", word);
}

static void read_instruction(struct reading *r, char *cell[CELLS], const char *line)
{
    char name[12] = "";
    unsigned function = 0, opcode = 0;
    sscanf(cell[1], "%11s %u", name, &function);
    while (opcode < 32 && strcmp(r->opcode[opcode], name) != 0)
        opcode++;
    if (opcode == 32 || function > 127) {
        give_up(r, "unknown opcode", line);
        return;
    }
    struct page_row *row = &r->tables->row[opcode][function];
    row->cycles = (uint8_t)atoi(cell[2]);
    row->format = r->format[opcode];
    read_operands(row, cell[0]);
    describe(r, row, name, line);
    r->tables->rows++;
}

static void read_unit(struct page_tables *t, char *cell[CELLS])
{
    struct page_unit *u = &t->unit[t->units];
    snprintf(u->name, sizeof u->name, "%s", cell[0]);
    u->cycles = (uint32_t)atoi(cell[1]);
    u->interval = (uint32_t)atoi(cell[2]);
    t->units += t->units + 1 < PAGE_UNITS;
    u->port = page_unit(t, cell[3]);
}

static const char *const parameter_names[PAGE_PARAMETERS] = {
    "SEGMENT", "DIVERGE", "POP", "START", "CLEAR", "SWAP", "ISSUE", "SLICE",
};

static bool set_parameter(struct page_tables *t, const char *name, uint32_t value)
{
    for (int i = 0; i < PAGE_PARAMETERS; i++)
        if (!strcmp(parameter_names[i], name)) {
            t->parameter[i] = value;
            return true;
        }
    return false;
}

static void read_row(struct reading *r, const char *table, char *cell[CELLS], const char *line)
{
    struct page_tables *t = r->tables;
    if (!strcmp(table, "isa-majors")) {
        unsigned n = (unsigned)atoi(cell[1]) & 31;
        snprintf(r->opcode[n], sizeof r->opcode[n], "%s", strtok(cell[0], "`"));
        r->format[n] = cell[2][0];
    } else if (!strcmp(table, "isa-csrs")) {
        snprintf(t->csr[strtoul(cell[1], NULL, 16) & 63], sizeof t->csr[0], "%s", strtok(cell[0], "`"));
    } else if (!strcmp(table, "isa-cycles")) {
        read_unit(t, cell);
    } else if (!strcmp(table, "isa-parameters")) {
        if (!set_parameter(t, cell[0], (uint32_t)atoi(cell[1])))
            give_up(r, "unknown parameter", line);
    } else if (cell[2]) {
        read_instruction(r, cell, line);
    }
}

/* The cells of a line `| a | b |`, in place; false: it is none, or the line under a table's head. */
static bool split(char *line, char *cell[CELLS])
{
    unsigned n = 0;
    if (!begins(line, "| ") || begins(line, "| ---"))
        return false;
    for (char *at = line + 2, *bar; n < CELLS && (bar = strstr(at, " |")); at = bar + 2 + (bar[2] == ' ')) {
        *bar = 0;
        cell[n++] = at;
    }
    return n > 1;
}

/* Reads the tables whose names are in the list. */
static void read_tables(struct reading *r, const char *page, const char *list)
{
    char table[32] = "";
    bool head = false;
    for (const char *at = page, *end; (end = strchr(at, '\n')); at = end + 1) {
        char *line = arena_strdup(r->arena, at, (size_t)(end - at)), *cell[CELLS] = {0};
        const char *whole = arena_strdup(r->arena, line, strlen(line));
        if (sscanf(line, "<!-- table: %31s -->", table) == 1)
            head = true;
        else if (begins(line, "<!-- end"))
            table[0] = 0;
        else if (*table && split(line, cell)) {
            char name[40];
            snprintf(name, sizeof name, " %s ", table);
            if (!head && strstr(list, name))
                read_row(r, table, cell, whole);
            head = false;
        }
    }
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

uint32_t page_unit(const struct page_tables *t, const char *name)
{
    for (uint32_t i = 0; i < t->units; i++)
        if (!strcmp(t->unit[i].name, name))
            return i;
    return PAGE_UNITS;
}

static void check_cycles(struct reading *r)
{
    for (int opcode = 0; opcode < 32; opcode++)
        for (int f = 0; f < 128; f++) {
            const struct page_row *row = &r->tables->row[opcode][f];
            if (row->kind &&
                (row->unit >= r->tables->units || row->cycles != r->tables->unit[row->unit].cycles))
                give_up(r, "the unit has other cycles", row->mnemonic);
        }
}

static void read_timing(struct reading *r, const char *text)
{
    for (const char *at = text, *end; (end = strchr(at, '\n')); at = end + 1) {
        char name[16], *line = arena_strdup(r->arena, at, (size_t)(end - at));
        unsigned first, second;
        int n = sscanf(line, "%15[A-Z] %u %u", name, &first, &second);
        uint32_t u = n < 2 ? PAGE_UNITS : page_unit(r->tables, name);
        if (n < 2 || set_parameter(r->tables, name, first))
            continue;
        if (u == PAGE_UNITS)
            give_up(r, "unknown row", line);
        else
            r->tables->unit[u].cycles = first;
        if (u < PAGE_UNITS && n == 3)
            r->tables->unit[u].interval = second;
    }
}

const char *page_read(struct page_tables *t, struct arena *a, const char *path, const char *timing)
{
    static const char first[] = " isa-majors isa-csrs isa-cycles isa-parameters ";
    static const char instructions[] =
        " isa-integers isa-immediates isa-floats isa-memory isa-atomics isa-warp isa-system isa-flow ";
    struct reading r = {.tables = t, .arena = a};
    struct text text = {0};
    *t = (struct page_tables){0};
    r.why = file_read(path, 1 << 24, &text);
    if (!r.why) {
        read_tables(&r, text.at, first);
        read_tables(&r, text.at, instructions);
        check_cycles(&r);
    }
    if (!r.why && timing && !(r.why = file_read(timing, 1 << 20, &text)))
        read_timing(&r, text.at);
    text_free(&text);
    return r.why;
}
