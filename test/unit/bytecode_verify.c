/* bytecode_verify.c: each reason of the verifier, by the smallest damage to a good program that calls for it.
 */
#include "test/unit/bytecode_sample.h"

typedef void damage(struct bc_program *p);
struct verify_case {
    const char *reason;
    damage *apply;
};

static uint32_t index_of(struct bc_program *p, const struct bc_ins *ins)
{
    return (uint32_t)(ins - p->code.at);
}

static struct bc_branch *branch(struct bc_program *p)
{
    return (struct bc_branch *)(find_ins(p, BC_br) + 1);
}

static struct bc_function *callee(struct bc_program *p)
{
    return &p->functions.at[1];
}

/* `name_` is the damage of this name: statements on p. */
#define DAMAGE(name, ...)                                                                                    \
    static void name(struct bc_program *p)                                                                   \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }

DAMAGE(unknown_op, find_ins(p, BC_barrier)->op = BC_OPS;)
DAMAGE(and_as_branch, find_ins(p, BC_barrier)->op = bc_scalar_op(SCALAR_and_I, BC_FORM_B);)
DAMAGE(stray_branch_word, find_ins(p, BC_barrier)->op = BC_branch;)
DAMAGE(unused_field, find_ins(p, BC_barrier)->c = 1;)
DAMAGE(wide_odd_t, find_ins(p, BC_T_sext_IL)->d |= 1;)
DAMAGE(register_range, find_ins(p, BC_barrier)->e = 0xfffe;)
DAMAGE(too_few_vectors, p->kernels.at[0].vectors -= 2;)
DAMAGE(too_few_masks, p->kernels.at[0].masks = 0;)
DAMAGE(too_few_scalars, p->kernels.at[0].scalars = p->preloads.at[0].reg;)
DAMAGE(no_site, find_ins(p, BC_at_gadd_I)->e = (uint16_t)p->sites.count;)
DAMAGE(no_text, find_ins(p, BC_assert)->imm = p->texts.count;)
DAMAGE(no_switch, find_ins(p, BC_switch_w)->imm = 9;)
DAMAGE(no_row, find_ins(p, BC_block)->imm = p->blocks.count;)
DAMAGE(other_row, find_ins(p, BC_block)->imm = 1;)
DAMAGE(no_host, find_ins(p, BC_hostcall)->imm = 1;)
DAMAGE(no_signature, find_ins(p, BC_icall)->imm = BC_MAX_SIGNATURE;)
DAMAGE(no_function, find_ins(p, BC_call)->imm++;)
DAMAGE(jump_into_block, find_ins(p, BC_jump)->imm++;)
DAMAGE(jump_abroad, find_ins(p, BC_jump)->imm = callee(p)->code;)
DAMAGE(reconvergence_unmarked, p->code.at[branch(p)->reconverge].d = 0;)
DAMAGE(reconverge_nowhere, branch(p)->reconverge = 1;)
DAMAGE(no_branch_word, branch(p)->op = BC_exit;)
DAMAGE(arms_behind, branch(p)->reconverge = BC_NO_TARGET; find_ins(p, BC_br)->op = BC_predicate;)
DAMAGE(arm_ends_before, struct bc_ins *jump = find_ins(p, BC_jump); jump->op = BC_unpredicate;
       jump->imm = p->functions.at[0].code;)
DAMAGE(one_target, branch(p)->yes = branch(p)->no;)
DAMAGE(branch_site, branch(p)->site = 60000;)
DAMAGE(block_flags, find_ins(p, BC_block)->d = 8;)
DAMAGE(case_target, p->cases.at[0].target++;)
DAMAGE(switch_otherwise, p->switches.at[0].otherwise++;)
DAMAGE(calls_kernel, find_ins(p, BC_call)->imm = p->functions.at[0].code;)
DAMAGE(call_slot, find_ins(p, BC_call)->d++;)
DAMAGE(return_slot_read, find_ins(p, BC_ret)->a += 7;)
DAMAGE(return_slot_written, find_ins(p, BC_mov_v)->d = callee(p)->return_slot;)
DAMAGE(return_slot_host, p->hosts.at[0].result = BE_I32;
       find_ins(p, BC_hostcall)->d = (uint16_t)callee(p)->return_slot;)
DAMAGE(return_slot_filled, p->preloads.at[0] = (struct bc_preload){BC_FROM_CONSTANT, BC_KIND_V,
                                                                   (uint16_t)callee(p)->return_slot, 4};)
/* The register of a preload of this kind. */
static uint16_t preloaded(const struct bc_program *p, enum bc_kind kind)
{
    for (uint32_t i = 0; i < p->preloads.count; i++)
        if (p->preloads.at[i].kind == kind)
            return p->preloads.at[i].reg;
    fail_msg("no preload of kind %d", (int)kind);
    return 0;
}

static struct bc_ins *first_in(struct bc_program *p, const struct bc_function *f, enum bc_file file,
                               bool wide)
{
    for (uint32_t i = f->code; i < f->end; i++) {
        char d = bc_operands(p->code.at[i].op)[0];
        if (bc_is_written(d) && bc_file_of(d) == file && bc_is_wide(d) == wide)
            return &p->code.at[i];
        i += bc_has_branch_word((enum bc_op)p->code.at[i].op);
    }
    fail_msg("nothing is written");
    return NULL;
}

DAMAGE(preload_written,
       first_in(p, &p->functions.at[0], BC_FILE_VECTORS, false)->d = preloaded(p, BC_KIND_V);)
DAMAGE(preload_in_callee, first_in(p, callee(p), BC_FILE_VECTORS, false)->d = preloaded(p, BC_KIND_V);)
DAMAGE(preload_in_half,
       first_in(p, &p->functions.at[0], BC_FILE_VECTORS, true)->d = preloaded(p, BC_KIND_V) & ~1u;)
DAMAGE(preload_of_scalar,
       first_in(p, &p->functions.at[0], BC_FILE_SCALARS, false)->d = preloaded(p, BC_KIND_S);)
DAMAGE(return_without_call, find_ins(p, BC_block)->d |= BC_RETURN;)
DAMAGE(icall_no_site, find_ins(p, BC_icall)->e = 60000;)
DAMAGE(index_shift, find_ins(p, BC_stx_g32)->c = 32;)
DAMAGE(wide_size, find_ins(p, BC_widex_g)->d = 12;)
DAMAGE(wide_large, find_ins(p, BC_widex_g)->d = 32;)
DAMAGE(wide_missing, *find_ins(p, BC_widex_g) = (struct bc_ins){.op = BC_syncwarp, .e = BC_NO_TOKEN};)
DAMAGE(wide_of_loads, (find_ins(p, BC_stw_f32) - 1)->d &= 0xff;)
DAMAGE(part_beyond, find_ins(p, BC_stw_f32)->imm = 8;)
DAMAGE(part_unaligned, find_ins(p, BC_stw_f32)->imm = 2;)
DAMAGE(part_larger, struct bc_ins *second = find_ins(p, BC_stw_f32) + 1; second->op = BC_stw_f64;
       second->a &= ~1u;)
DAMAGE(memcpy_space, find_ins(p, BC_memcpy)->c = 3;)
DAMAGE(no_return_block, p->code.at[index_of(p, find_ins(p, BC_call)) + 1].d = 0;)
DAMAGE(unreachable_code, *find_ins(p, BC_stx_g32) = (struct bc_ins){.op = BC_exit};)
DAMAGE(falls_off, struct bc_ins *last = &p->code.at[callee(p)->end - 1];
       *last = (struct bc_ins){.op = BC_syncwarp, .e = BC_NO_TOKEN};)
DAMAGE(free_block, p->blocks.at[0].instructions = 0;)
DAMAGE(block_code, p->blocks.at[1].code++;)
DAMAGE(block_lines, p->blocks.at[1].line_count = p->lines.count + 1;)
DAMAGE(block_overhead, p->blocks.at[1].overhead = p->blocks.at[1].instructions + 1;)
DAMAGE(site_kind, p->sites.at[0].kind = 9;)
DAMAGE(site_block, p->sites.at[0].block = p->blocks.count;)
DAMAGE(switch_cases, p->switches.at[0].count = 99;)
DAMAGE(switch_order, p->cases.at[1].value = p->cases.at[0].value;)
DAMAGE(host_type, p->hosts.at[0].args[0] = BE_VOID;)
DAMAGE(host_name, p->hosts.at[0].name = NULL;)
DAMAGE(function_name, p->functions.at[0].name = NULL;)
DAMAGE(function_codeless, callee(p)->code = BC_NO_TARGET;)
DAMAGE(function_range, p->functions.at[0].end = p->code.count + 1;)
DAMAGE(function_entry, callee(p)->entry = 0;)
DAMAGE(function_slot, callee(p)->return_slot = 0xffff;)
DAMAGE(function_twice, callee(p)->code = p->functions.at[0].code;)
DAMAGE(function_gap, p->functions.at[0].end--;)
DAMAGE(function_overlap, callee(p)->code = callee(p)->entry; p->functions.at[0].end = callee(p)->entry;
       vec_push(&p->arena, &p->functions, *callee(p)); vec_last(&p->functions).code = callee(p)->end - 1;)
DAMAGE(kernel_function, p->kernels.at[0].function = 1;)
DAMAGE(kernel_registers, p->kernels.at[0].masks = 70000;)
DAMAGE(kernel_private_odd, p->kernels.at[0].private_bytes = 24;)
DAMAGE(kernel_private, p->kernels.at[0].private_bytes = BC_MAX_PRIVATE + 16;)
static void unsized(struct bc_program *p, const char *name, uint32_t bytes, uint32_t count)
{
    while (count--)
        vec_push(&p->arena, &p->kernels.at[0].unsized, ((struct be_unsized){name, bytes}));
}
DAMAGE(kernel_unsized_large, unsized(p, "t", BC_MAX_SHARED + 1, 1);)
DAMAGE(kernel_unsized_name, unsized(p, NULL, 4, 1);)
DAMAGE(kernel_unsized_empty, unsized(p, "t", 0, 1);)
DAMAGE(kernel_unsized_many, unsized(p, "t", 4, LAUNCH_MAX_SHARED + 1);)
DAMAGE(kernel_preloads, p->kernels.at[0].preload_count = p->preloads.count + 1;)
DAMAGE(fill_source, p->preloads.at[0].source = 5;)
DAMAGE(fill_dimension, p->preloads.at[0].source = BC_FROM_GRID; p->preloads.at[0].kind = BC_KIND_V;
       p->preloads.at[0].value = 3;)
DAMAGE(fill_kind, p->preloads.at[0].source = BC_FROM_GRID; p->preloads.at[0].kind = BC_KIND_S;
       p->preloads.at[0].value = 0;)
DAMAGE(fill_param, p->preloads.at[0].source = BC_FROM_PARAM; p->preloads.at[0].value = 2;)
DAMAGE(fill_register, p->preloads.at[0].reg = 0xffff;)
DAMAGE(param_type, p->kernels.at[0].params.at[0].type = BE_VOID;)
DAMAGE(launch_name, p->launches.at[0].arguments.at[0].name = NULL;)
DAMAGE(launch_step, vec_push(&p->arena, &p->launches, (struct launch){.step = LAUNCH_END});)
DAMAGE(launch_open, vec_push(&p->arena, &p->launches, ((struct launch){.step = LAUNCH_REPEAT, .rounds = 1}));)
DAMAGE(launch_nested, launch_open(p); launch_open(p);)
DAMAGE(launch_endless, vec_push(&p->arena, &p->launches, (struct launch){.step = LAUNCH_REPEAT});)

static void launch_size(struct bc_program *p)
{
    struct launch l = {.step = LAUNCH_BUFFER, .name = "b", .element = LAUNCH_INT, .element_bytes = 20};
    vec_push(&p->arena, &l.arguments, ((struct launch_argument){"b", {.kind = LAUNCH_ZEROS, .count = 1}}));
    vec_push(&p->arena, &p->launches, l);
}

DAMAGE(launch_buffer,
       vec_push(&p->arena, &p->launches, ((struct launch){.step = LAUNCH_BUFFER, .name = "b"}));)
DAMAGE(no_scheme, p->scheme = NULL;)
DAMAGE(shared_limit, p->shared_bytes = BC_MAX_SHARED + 1;)
DAMAGE(operand_range, find_ins(p, BC_printf)->b = 60000;)
DAMAGE(operand_kind, p->operands.at[0].kind = BC_KIND_M;)
DAMAGE(operand_type, find_ins(p, BC_printf)->b++;)
DAMAGE(format_fewer, find_ins(p, BC_printf)->a--;)
DAMAGE(format_more, p->texts.at[0].bytes = "%d %ld"; p->texts.at[0].length = 6;)
DAMAGE(format_unknown, p->texts.at[0].bytes = "%d %ld %s"; p->texts.at[0].length = 9;)
DAMAGE(host_count, p->hosts.at[0].argc = 1;)
DAMAGE(host_operand, p->hosts.at[0].args[0] = BE_F32;)
DAMAGE(host_result, p->hosts.at[0].result = BE_VOID; find_ins(p, BC_hostcall)->d = 2;)

static void waits_unchecked(struct bc_program *p)
{
    vec_push(&p->arena, &p->waiting, ((struct bc_waiting){0, p->blocks.at[1].code}));
}

static void waits_for_nobody(struct bc_program *p)
{
    p->checks_waiting = true;
    vec_push(&p->arena, &p->waiting,
             ((struct bc_waiting){p->blocks.count + p->functions.count, p->blocks.at[1].code}));
}

static void waits_in_block(struct bc_program *p)
{
    p->checks_waiting = true;
    vec_push(&p->arena, &p->waiting, ((struct bc_waiting){0, p->blocks.at[1].code + 1}));
}

static void waits_twice(struct bc_program *p)
{
    p->checks_waiting = true;
    for (int i = 0; i < 2; i++)
        vec_push(&p->arena, &p->waiting, ((struct bc_waiting){0, p->blocks.at[1].code}));
}

static const struct verify_case cases[] = {
    {"no operation", unknown_op},
    {"no operation", and_as_branch},
    {"no operation", stray_branch_word},
    {"an unused field is not 0", unused_field},
    {"64-bit vector in odd slot", wide_odd_t},
    {"is out of range", register_range},
    {"its code needs more registers", too_few_vectors},
    {"its code needs more registers", too_few_masks},
    {"bad register or source", too_few_scalars},
    {"no site", no_site},
    {"no text", no_text},
    {"no switch", no_switch},
    {"is not its block word", no_row},
    {"is not its block word", other_row},
    {"no host function", no_host},
    {"signature 131072 is out of range", no_signature},
    {"no function begins at", no_function},
    {"is no block of the function", jump_into_block},
    {"is no block of the function", jump_abroad},
    {"has no BC_RECONVERGE", reconvergence_unmarked},
    {"is no block of the function", reconverge_nowhere},
    {"no branch word behind a branch", no_branch_word},
    {"a branch to one target", one_target},
    {"do not lie before where they end", arms_behind},
    {"do not lie before where they end", arm_ends_before},
    {"no site", branch_site},
    {"unknown block flags", block_flags},
    {"is no block of the function", case_target},
    {"is no block of the function", switch_otherwise},
    {"calls a kernel", calls_kernel},
    {"is not the callee's", call_slot},
    {"returns to what is no return slot", return_slot_read},
    {"writes the return slot", return_slot_written},
    {"writes the return slot", return_slot_host},
    {"writes the return slot", return_slot_filled},
    {"which is preloaded", preload_written},
    {"which is preloaded", preload_in_callee},
    {"which is preloaded", preload_in_half},
    {"which is preloaded", preload_of_scalar},
    {"none stands before it", return_without_call},
    {"no site", icall_no_site},
    {"shifts an index by 32 bits", index_shift},
    {"no size of a wide access", wide_size},
    {"no size of a wide access", wide_large},
    {"part of no wide access", wide_missing},
    {"not within the wide access", wide_of_loads},
    {"not within the wide access", part_beyond},
    {"not within the wide access", part_unaligned},
    {"not within the wide access", part_larger},
    {"unknown space", memcpy_space},
    {"no block to return to behind a call", no_return_block},
    {"code that no path reaches", unreachable_code},
    {"falls off the end", falls_off},
    {"counts 0 instructions and has ", free_block},
    {"is not its block word", block_code},
    {"its lines are out of range", block_lines},
    {"more overhead than instructions", block_overhead},
    {"unknown kind or block", site_kind},
    {"unknown kind or block", site_block},
    {"its cases or its site are out of range", switch_cases},
    {"its cases are not sorted", switch_order},
    {"bad type of parameter", host_type},
    {"bad name, result or number", host_name},
    {"bad name or signature", function_name},
    {"has no code but", function_codeless},
    {"its code is out of range", function_range},
    {"bad entry", function_entry},
    {"its return slot is out of range", function_slot},
    {"begins where another does", function_twice},
    {"belongs to no function", function_gap},
    {"its code is out of range", function_overlap},
    {"its function is none", kernel_function},
    {"more registers than", kernel_registers},
    {"more bytes of private memory", kernel_private},
    {"private memory is no multiple of 16 bytes", kernel_private_odd},
    {BE_BAD_UNSIZED, kernel_unsized_large},
    {BE_BAD_UNSIZED, kernel_unsized_name},
    {BE_BAD_UNSIZED, kernel_unsized_empty},
    {BE_BAD_UNSIZED, kernel_unsized_many},
    {"its preloads are out of range", kernel_preloads},
    {"bad register or source", fill_source},
    {"bad register or source", fill_dimension},
    {"bad register or source", fill_kind},
    {"bad register or source", fill_param},
    {"bad register or source", fill_register},
    {"bad parameter", param_type},
    {"a name is missing", launch_name},
    {"an end stands behind no repeat", launch_step},
    {"a repeat has no end", launch_open},
    {"a repeat stands in another one", launch_nested},
    {"a repeat has neither a number nor a flag", launch_endless},
    {"a name is missing", launch_buffer},
    {"the elements of a buffer have another size than their type", launch_size},
    {"no source name or no scheme", no_scheme},
    {"more bytes of shared memory than", shared_limit},
    {"its operands are out of range", operand_range},
    {"has a bad type or kind", operand_kind},
    {"its operands do not fit its format", operand_type},
    {"its operands do not fit its format", format_fewer},
    {"more operands than its format takes", format_more},
    {"unknown conversion", format_unknown},
    {"wrong number of operands", host_count},
    {"is of the wrong type", host_operand},
    {"result of a function without one", host_result},
    {"which nobody checks", waits_unchecked},
    {"it is of no block or function, or is no block", waits_for_nobody},
    {"it is of no block or function, or is no block", waits_in_block},
    {"they are not sorted", waits_twice},
};

static void each_reason(void **state)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct bc_program *p = sample_program();
        char buffer[200] = "";
        cases[i].apply(p);
        const char *why = bc_verify(p, buffer, sizeof buffer);
        if (!why || !strstr(why, cases[i].reason)) {
            fprintf(stderr, "case %zu: '%s' instead of '%s'\n", i, why ? why : "nothing", cases[i].reason);
            wrong++;
        }
        bc_program_free(p);
    }
    assert_int_equal(wrong, 0);
}

/* The buffer may be short: the reason is cut. */
static void short_buffers(void **state)
{
    struct bc_program *p = sample_program();
    char buffer[8];
    unknown_op(p);
    assert_string_equal(bc_verify(p, buffer, sizeof buffer), buffer);
    assert_int_equal(strlen(buffer), 7);
    bc_program_free(p);
}

static void conversions(void **state)
{
    static const struct {
        const char *format, *letters;
    } formats[] = {
        {"plain", ""},   {"%d%%%5.2f%lx", "d%fx"}, {"%hhd %lld %+-08.3e", "dde"},
        {"%", "?"},      {"%s %n", "??"},          {"%*d%-*.*f%.*x%***d", "dfx?"},
        {"%5", "?"},     {"%lllx", "?"},           {"% p %c %A", "pcA"},
        {"100%5%", "?"},
    };
    for (size_t i = 0; i < COUNT(formats); i++) {
        struct conversion c;
        char found[16] = "";
        const char *end = formats[i].format + strlen(formats[i].format);
        for (const char *at = formats[i].format; (at = conversion_next(at, end, &c));) {
            assert_true(c.start + c.length == at && at <= end);
            found[strlen(found)] = c.letter ? c.letter : '?';
        }
        assert_string_equal(found, formats[i].letters);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_reason),
        cmocka_unit_test(short_buffers),
        cmocka_unit_test(conversions),
    };
    return cmocka_run_group_tests_name("bytecode_verify", tests, NULL, NULL);
}
