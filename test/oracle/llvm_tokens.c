/* llvm_tokens.c: the static rules on convergence tokens against LLVM's verifier, on random placements.
 *
 *     llvm_tokens [FUNCTIONS [SEED]]        (needs opt-19)
 *
 * A function is a random graph with random token definitions and controlled operations, each using a token
 * whose definition dominates it. Our verdict (ir_verify_function) and LLVM's must be the same for every one;
 * the rules that were broken are counted, so that it is seen that each was hit.
 *
 * The functions keep away from the three places where we follow the document and LLVM does not: unreachable
 * blocks (left out), a token on a call of a function that is not convergent, and unused tokens beside
 * uncontrolled operations (no operation is uncontrolled).
 */
#include "ir/analysis/analysis.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST = 9, BATCH = 5000, OPERATIONS = 10 };

static uint64_t state;
static uint32_t draw(uint32_t below)
{
    state = hash_mix(state, 0x9e3779b97f4a7c15u);
    return (uint32_t)(state >> 20) % below;
}

struct function {
    struct ir_module *module;
    struct ir_function *fn;
    struct arena arena;
    struct ir_cfg *cfg;
    const char *rule; /* of the first broken one; NULL: accepted */
};

static void shape(struct ir_function *f)
{
    uint32_t n = 2 + draw(MOST - 1), jumpy = 2 + draw(4);
    ir_param_new(f, ir_block_new(f, NULL), IR_TYPE_I1, "c");
    ir_ref condition = ir_block_at(f, 0)->params.at[0];
    for (uint32_t b = 1; b < n; b++)
        ir_block_new(f, NULL);
    for (uint32_t b = 0; b < n; b++) {
        struct ir_cursor c = {f, b, 0, {0, 0}};
        uint32_t to[2];
        for (uint32_t e = 0; e < 2; e++)
            to[e] = b + 1 == n || draw(jumpy) == 0 ? 1 + draw(n - 1) : b + 1 + draw(n - b - 1 < 2 ? 1 : 2);
        if (b + 1 == n || draw(12) == 0)
            ir_emit_ret(&c, 0);
        else if (draw(3) == 0)
            ir_emit_br(&c, to[0]);
        else
            ir_emit_brif(&c, condition, to[0], to[1]);
    }
}

/* A token whose definition stands before the end of block b on every path to it; 0: none yet. */
static ir_ref choose_token(const struct ir_function *f, const struct ir_dominators *d, const ir_ref *tokens,
                           uint32_t count, uint32_t b)
{
    for (uint32_t tries = 0; count > 0 && tries < 8; tries++) {
        ir_ref t = tokens[draw(2) ? count - 1 - draw(count < 3 ? count : 3) : draw(count)];
        if (ir_dominates(d, ir_at(f, t)->block, b))
            return t;
    }
    return 0;
}

static void place_operations(struct function *g)
{
    struct ir_function *f = g->fn;
    struct ir_dominators *d = ir_dominators_new(&g->arena, g->cfg);
    ir_ref tokens[OPERATIONS + 1];
    uint32_t count = 0, operations = 2 + draw(OPERATIONS - 2);
    struct ir_cursor at = {f, 0, ir_terminator(f, 0), {0, 0}};
    tokens[count++] = ir_emit0(&at, draw(2) ? IR_entry : IR_anchor, IR_TYPE_TOKEN);
    for (uint32_t i = 1; i < operations; i++) {
        uint32_t b = g->cfg->rpo[draw(g->cfg->rpo_count)], kind = draw(8);
        ir_ref token = choose_token(f, d, tokens, count, b);
        bool first = kind < 4 && draw(4) > 0; /* hearts mostly lead their block */
        at = (struct ir_cursor){f, b, first ? ir_block_at(f, b)->first : ir_terminator(f, b), {0, 0}};
        if (first && token != 0 && ir_at(f, token)->block == b)
            continue; /* its definition would stand behind it */
        if (kind < 4 && ir_at(f, ir_block_at(f, b)->first)->op == IR_loop && draw(8) > 0)
            continue; /* a block has one heart, mostly */
        if (kind < 4 && !first && draw(4) > 0)
            continue;
        if (kind == 4) {
            tokens[count++] = ir_emit0(&at, IR_anchor, IR_TYPE_TOKEN);
        } else if (token != 0) {
            ir_ref r =
                kind < 4 ? ir_emit0(&at, IR_loop, IR_TYPE_TOKEN) : ir_emit0(&at, IR_syncwarp, IR_TYPE_VOID);
            ir_at(f, r)->token = token;
            if (kind < 4)
                tokens[count++] = r;
        }
    }
}

static void make(struct function *g)
{
    g->module = ir_module_new("random");
    g->fn = ir_function_new(g->module, "f", IR_TYPE_VOID, IR_FN_CONVERGENT);
    arena_init(&g->arena);
    shape(g->fn);
    g->cfg = ir_cfg_new(&g->arena, g->fn);
    for (uint32_t b = g->fn->blocks.count; b-- > 0;)
        if (!bitset_has(g->cfg->reachable, b))
            ir_block_remove(g->fn, b);
    g->cfg = ir_cfg_new(&g->arena, g->fn);
    place_operations(g);
    struct diagnostics d;
    diag_init(&d, &g->arena, NULL);
    g->rule = ir_verify_function(g->fn, &d) ? NULL : d.all.at[0].id;
}

/* ---- LLVM's side ------------------------------------------------------------------------------------- */

static void write_terminator(const struct ir_function *f, uint32_t b, uint32_t k, FILE *out)
{
    const struct ir_block *block = ir_block_at(f, b);
    if (block->edges.count == 0)
        fprintf(out, "  ret void\n");
    else if (block->edges.count == 1)
        fprintf(out, "  br label %%f%ub%u\n", k, block->edges.at[0].block);
    else
        fprintf(out, "  br i1 %%f%uc, label %%f%ub%u, label %%f%ub%u\n", k, k, block->edges.at[0].block, k,
                block->edges.at[1].block);
}

static void write_llvm(const struct function *g, uint32_t k, FILE *out)
{
    const struct ir_function *f = g->fn;
    fprintf(out, "define void @f%u(i1 %%f%uc) convergent {\n", k, k);
    ir_each_block(i, b, f) {
        fprintf(out, "f%ub%u:\n", k, b);
        ir_each_ins(r, f, b) {
            const struct ir_ins *ins = ir_at(f, r);
            switch (ins->op) {
            case IR_entry:
            case IR_anchor:
                fprintf(out, "  %%f%ut%u = call token @llvm.experimental.convergence.%s()\n", k, r,
                        ins->op == IR_entry ? "entry" : "anchor");
                break;
            case IR_loop:
                fprintf(out,
                        "  %%f%ut%u = call token @llvm.experimental.convergence.loop() "
                        "[ \"convergencectrl\"(token %%f%ut%u) ]\n",
                        k, r, k, ins->token);
                break;
            case IR_syncwarp:
                fprintf(out, "  call void @operation() [ \"convergencectrl\"(token %%f%ut%u) ]\n", k,
                        ins->token);
                break;
            default: write_terminator(f, b, k, out);
            }
        }
    }
    fprintf(out, "}\n");
}

/* Every message of the verifier names a value of its function: %f12t7 or the call that has it as operand. */
static void read_verdicts(FILE *in, bool *rejected, uint32_t count)
{
    char line[1024];
    unsigned k;
    while (fgets(line, sizeof line, in) != NULL)
        for (const char *p = line; (p = strstr(p, "%f")) != NULL; p++)
            if (sscanf(p, "%%f%u", &k) == 1 && k < count)
                rejected[k] = true;
}

static bool ask_llvm(const struct function *g, uint32_t count, bool *rejected)
{
    char path[] = "/tmp/kernc-tokens-XXXXXX", command[128];
    int fd = mkstemp(path);
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (f == NULL)
        return false;
    fprintf(f, "declare void @operation() convergent\n"
               "declare token @llvm.experimental.convergence.entry()\n"
               "declare token @llvm.experimental.convergence.anchor()\n"
               "declare token @llvm.experimental.convergence.loop()\n");
    for (uint32_t i = 0; i < count; i++)
        write_llvm(&g[i], i, f);
    fclose(f);
    snprintf(command, sizeof command, "opt-19 -passes=verify -disable-output %s 2>&1", path);
    FILE *in = popen(command, "r");
    if (in == NULL)
        return false;
    read_verdicts(in, rejected, count);
    bool ran = WEXITSTATUS(pclose(in)) <= 1;
    unlink(path);
    return ran;
}

/* ---- comparison -------------------------------------------------------------------------------------- */

static const char *rule_names[32];
static uint32_t rule_counts[32], accepted, failures;

static void count_rule(const char *rule)
{
    for (uint32_t i = 0; i < COUNT(rule_names); i++) {
        if (rule_names[i] == NULL)
            rule_names[i] = rule;
        if (strcmp(rule_names[i], rule) == 0) {
            rule_counts[i]++;
            return;
        }
    }
}

static void compare(const struct function *g, bool llvm_rejects, uint32_t number)
{
    if (g->rule != NULL)
        count_rule(g->rule);
    else
        accepted++;
    if ((g->rule != NULL) == llvm_rejects)
        return;
    failures++;
    struct text t = {0};
    ir_print_function(g->fn, &t, NULL);
    printf("function %u: we say %s, LLVM %s\n%s\n", number, g->rule ? g->rule : "fine",
           llvm_rejects ? "rejects" : "accepts", t.at);
    text_free(&t);
}

int main(int argc, char **argv)
{
    static struct function functions[BATCH];
    static bool rejected[BATCH];
    uint32_t count = argc > 1 ? (uint32_t)atoi(argv[1]) : 20000;
    state = argc > 2 ? (uint64_t)atoll(argv[2]) : 1;
    for (uint32_t done = 0; done < count; done += BATCH) {
        uint32_t n = count - done < BATCH ? count - done : BATCH;
        memset(rejected, 0, sizeof rejected);
        for (uint32_t i = 0; i < n; i++)
            make(&functions[i]);
        if (!ask_llvm(functions, n, rejected)) {
            fprintf(stderr, "opt-19 failed\n");
            return 1;
        }
        for (uint32_t i = 0; i < n; i++) {
            compare(&functions[i], rejected[i], done + i);
            arena_free(&functions[i].arena);
            ir_module_free(functions[i].module);
        }
    }
    printf("%u functions: %u accepted by both;", count, accepted);
    for (uint32_t i = 0; i < COUNT(rule_names) && rule_names[i] != NULL; i++)
        printf(" %s %u", rule_names[i], rule_counts[i]);
    printf("\n%u verdicts differ\n", failures);
    return failures != 0;
}
