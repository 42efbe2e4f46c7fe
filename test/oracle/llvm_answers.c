/* llvm_answers.c: graphs in LLVM's IR, and what its analyses print of them. */
#include "test/oracle/llvm_analyses.h"

#include <stdlib.h>

static void write_phi(const struct graph *g, uint32_t k, uint32_t b, FILE *f)
{
    fprintf(f, "  %%f%up%u = phi i32", k, b);
    const char *comma = "";
    ir_each_pred(p, b, g->cfg)
        if (bitset_has(g->cfg->reachable, p)) {
            fprintf(f, "%s [%u, %%f%ub%u]", comma, p + 1, k, p);
            comma = ",";
        }
    fprintf(f, "\n");
}

void llvm_write(const struct graph *g, uint32_t k, FILE *f)
{
    fprintf(f, "define amdgpu_kernel void @f%u(i32 %%n, i1 %%u) {\n", k);
    for (uint32_t b = 0; b < g->n; b++) {
        if (!bitset_has(g->cfg->reachable, b))
            continue;
        fprintf(f, "f%ub%u:\n", k, b);
        if (b == 0)
            fprintf(f, "  %%tid = call i32 @llvm.amdgcn.workitem.id.x()\n  %%d = icmp slt i32 %%tid, 5\n");
        else
            write_phi(g, k, b, f);
        fprintf(f, "  %%f%ud%u = add i32 %%n, %u\n", k, b, b);
        for (uint32_t y = 0; y < g->n; y++)
            if (g->use[b][y] != 0)
                fprintf(f, "  %%f%uu%u_%u = add i32 %%f%ud%u, %u\n", k, b, y, k, y, b);
        if (g->degree[b] == 0)
            fprintf(f, "  ret void\n");
        else if (g->degree[b] == 1)
            fprintf(f, "  br label %%f%ub%u\n", k, g->to[b][0]);
        else
            fprintf(f, "  br i1 %%%s, label %%f%ub%u, label %%f%ub%u\n", g->divergent[b] ? "d" : "u", k,
                    g->to[b][0], k, g->to[b][1]);
    }
    fprintf(f, "}\n");
}

/* "[level] %f1b2 {…}" lines; parent[level] is the latest block of each level. */
static void read_tree_line(const char *line, uint32_t *idom)
{
    static uint32_t at_level[MOST + 3];
    const char *open = strchr(line, '['), *name = strchr(line, '%'),
               *b = name != NULL ? strchr(name, 'b') : NULL;
    if (open == NULL)
        return;
    uint32_t level = (uint32_t)atoi(open + 1), block = b != NULL ? (uint32_t)atoi(b + 1) : IR_NO_BLOCK;
    if (level >= COUNT(at_level))
        return;
    at_level[level] = block;
    if (block != IR_NO_BLOCK)
        idom[block] = level > 1 ? at_level[level - 1] : IR_NO_BLOCK;
}

int llvm_by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* A cycle as text: depth, header, other entries in order of number. */
void llvm_name_cycle(char *out, uint32_t depth, uint32_t *entries, uint32_t count)
{
    int at = snprintf(out, NAMES, "%u: %u", depth, entries[0]);
    for (uint32_t b = 0; b < MOST; b++)
        for (uint32_t i = 1; i < count; i++)
            if (entries[i] == b)
                at += snprintf(out + at, (size_t)(NAMES - at), " %u", b);
}

static void read_cycle_line(const char *line, struct answer *a)
{
    const char *depth = strstr(line, "depth="), *list = strstr(line, "entries(");
    uint32_t entries[MOST], count = 0;
    if (depth == NULL || list == NULL)
        return;
    for (const char *p = list + 8; *p != ')' && count < MOST; p++)
        if (*p == 'b')
            entries[count++] = (uint32_t)atoi(p + 1);
    llvm_name_cycle(a->cycles[a->cycle_count++], (uint32_t)atoi(depth + 6), entries, count);
}

/* Entries, then the other blocks: all named fKbN. */
static void read_assumed_line(const char *line, struct answer *a)
{
    for (const char *p = strstr(line, "entries("); p != NULL && (p = strchr(p, 'b')) != NULL; p++)
        a->unconverged[atoi(p + 1) % MOST] = true;
}

static void read_divergent(const char *line, uint32_t block, struct answer *a)
{
    unsigned k, x, y;
    const char *p = strstr(line, "DIVERGENT:");
    if (p == NULL)
        return;
    p += strspn(p + 10, " ") + 10;
    if (strncmp(p, "br ", 3) == 0)
        a->branch[block] = true;
    else if (sscanf(p, "%%f%up%u =", &k, &x) == 2)
        a->param[x] = true;
    else if (sscanf(p, "%%f%uu%u_%u =", &k, &x, &y) == 3)
        a->use[x][y] = true;
}

void llvm_read(FILE *in, struct answer *answers)
{
    enum { NOTHING, CYCLES, ASSUMED, UNIFORMITY, TREE, POST_TREE } section = NOTHING;
    char line[512];
    unsigned k = 0, block = 0, b;
    while (fgets(line, sizeof line, in) != NULL) {
        if (sscanf(line, "CycleInfo for function: f%u", &k) == 1)
            section = CYCLES;
        else if (sscanf(line, "UniformityInfo for function 'f%u'", &k) == 1)
            section = UNIFORMITY;
        else if (strncmp(line, "CYCLES ", 7) == 0) /* "… ASSSUMED DIVERGENT", "… WITH DIVERGENT EXIT" */
            section = strncmp(line + 7, "ASS", 3) == 0 ? ASSUMED : UNIFORMITY;
        else if (sscanf(line, "DominatorTree for function: f%u", &k) == 1)
            section = TREE;
        else if (sscanf(line, "PostDominatorTree for function: f%u", &k) == 1)
            section = POST_TREE;
        else if (sscanf(line, "BLOCK f%*ub%u", &b) == 1)
            block = b, section = UNIFORMITY;
        else if (section == CYCLES)
            read_cycle_line(line, &answers[k]);
        else if (section == ASSUMED)
            read_assumed_line(line, &answers[k]);
        else if (section == UNIFORMITY)
            read_divergent(line, block, &answers[k]);
        else if (section == TREE)
            read_tree_line(line, answers[k].idom);
        else if (section == POST_TREE)
            read_tree_line(line, answers[k].ipdom);
    }
    for (uint32_t i = 0; i < BATCH; i++)
        qsort(answers[i].cycles, answers[i].cycle_count, NAMES, llvm_by_text);
}
