/* parse_ins.c: one instruction of the text form:
 *
 *   [%name =] operation [type] [immediate] [operands] ["[" token "]"] [targets] [location]
 *
 * What each part looks like follows from the operation's row in ops.def, as in print.c.
 */
#include "ir/text/parse.h"

/* ---- constants ------------------------------------------------------------------------------------- */

static ir_ref parse_integer_constant(struct parser *p, const struct token *t)
{
    bool wide = t->suffix == 'L';
    uint64_t most = wide ? (t->negative ? (uint64_t)1 << 63 : UINT64_MAX)
                         : (t->negative ? (uint64_t)1 << 31 : UINT32_MAX);
    if (t->number > most)
        ir_parse_error(p, t->where, MSG_RANGE, t->text ? t->text : "0x…", wide ? "i64" : "i32");
    return ir_const(p->fn, wide ? IR_TYPE_I64 : IR_TYPE_I32, t->negative ? -t->number : t->number);
}

static ir_ref parse_float_constant(struct parser *p, const struct token *t)
{
    if (t->suffix == 'f')
        return ir_const(p->fn, IR_TYPE_F32, scalar_bits_f32((float)scalar_from_f64(t->number)));
    return ir_const(p->fn, IR_TYPE_F64, t->number);
}

#define INFINITY_F32 0x7f800000u
#define INFINITY_F64 0x7ff0000000000000u
#define SIGN_F32     0x80000000u
#define SIGN_F64     0x8000000000000000u

/* inf, nan, inff, nanf and nan(0x…): the bits of any NaN */
static ir_ref parse_special_float(struct parser *p, const char *word, bool negative)
{
    bool narrow = word[3] == 'f', nan = word[0] == 'n';
    uint64_t bits = narrow ? (nan ? SCALAR_NAN_F32 : INFINITY_F32) : (nan ? SCALAR_NAN_F64 : INFINITY_F64);
    if (nan && ir_parse_accept(p, '(')) {
        bits = ir_parse_integer(p, narrow ? UINT32_MAX : UINT64_MAX, "the bits of a NaN");
        ir_parse_expect(p, ')');
    }
    if (negative)
        bits ^= narrow ? SIGN_F32 : SIGN_F64;
    return ir_const(p->fn, narrow ? IR_TYPE_F32 : IR_TYPE_F64, bits);
}

static bool is_special_float(const char *word)
{
    return !strcmp(word, "inf") || !strcmp(word, "nan") || !strcmp(word, "inff") || !strcmp(word, "nanf");
}

/* true, false, null.space, ptr.space 0x10 and the special floats; 0: the word is none of them */
static ir_ref parse_word_constant(struct parser *p, const char *word)
{
    if (is_special_float(word))
        return parse_special_float(p, word, false);
    if (!strcmp(word, "true") || !strcmp(word, "false"))
        return ir_const_i1(p->fn, *word == 't');
    for (int t = IR_TYPE_GLOBAL; t <= IR_TYPE_FUNCTION; t++) {
        if (!strncmp(word, "null.", 5) && !strcmp(word + 5, ir_type_info[t].text + 4))
            return ir_const(p->fn, t, 0);
        if (!strcmp(word, ir_type_info[t].text))
            return ir_const(p->fn, t, ir_parse_integer(p, UINT32_MAX, "an address"));
    }
    return 0;
}

static ir_ref parse_operand(struct parser *p)
{
    struct token t = p->token;
    ir_ref r = 0;
    if (p->failed || !ir_parse_within(p, p->fn->ins.count, IR_MAX_INSTRUCTIONS, "instructions in a function"))
        return 0;
    if (ir_parse_accept(p, '-')) {
        struct token word = ir_parse_take(p, TOKEN_WORD, "inf");
        if (is_special_float(word.text))
            return parse_special_float(p, word.text, true);
    } else if (t.kind == TOKEN_LOCAL || t.kind == TOKEN_INTEGER || t.kind == TOKEN_FLOAT ||
               t.kind == TOKEN_WORD) {
        ir_parse_advance(p);
        r = t.kind == TOKEN_LOCAL     ? ir_parse_value_ref(p, &t)
            : t.kind == TOKEN_INTEGER ? parse_integer_constant(p, &t)
            : t.kind == TOKEN_FLOAT   ? parse_float_constant(p, &t)
                                      : parse_word_constant(p, t.text);
    }
    if (r == 0 && t.kind == TOKEN_WORD)
        ir_parse_error(p, t.where, MSG_SYNTAX, "a value", t.text);
    else if (r == 0)
        ir_parse_wanted(p, "a value");
    return r;
}

static void add_operand(struct parser *p)
{
    vec_push(p->arena, &p->operands, parse_operand(p));
}

/* "(" has been read */
static void parse_operand_list(struct parser *p, uint32_t limit)
{
    if (ir_parse_accept(p, ')'))
        return;
    do {
        if (ir_parse_within(p, p->operands.count, limit, "arguments"))
            add_operand(p);
    } while (ir_parse_accept(p, ','));
    ir_parse_expect(p, ')');
}

/* ---- what stands before the operands --------------------------------------------------------------- */

/* Of a load or an atomic: an access type, which gives the value's, or a pointer type. */
static void parse_access(struct parser *p, struct ir_ins *ins)
{
    struct token t = ir_parse_take(p, TOKEN_WORD, "a type in memory");
    uint32_t mem = t.kind == TOKEN_WORD ? map_get(&p->accesses, name_key(t.text)) : MAP_NONE;
    uint32_t type = t.kind == TOKEN_WORD ? map_get(&p->types, name_key(t.text)) : MAP_NONE;
    bool pointer = mem == MAP_NONE && type != MAP_NONE && ir_is_pointer(type);
    if (ins->op == IR_store ? mem == MAP_NONE : !pointer && (mem == MAP_NONE || mem == IR_MEM_PTR)) {
        ir_parse_error(p, t.where, MSG_ACCESS, t.text);
        return;
    }
    ins->mem = (uint8_t)(pointer ? IR_MEM_PTR : mem);
    if (ins->op != IR_store)
        ins->type = (uint8_t)(pointer ? type : ir_mem_info[mem].type);
}

static void parse_type_word(struct parser *p, struct ir_ins *ins)
{
    int fixed = ir_fixed_type(ins->op);
    bool may_lack = !ir_is_pure(ins->op) && ir_op_info[ins->op].types[0] == 'r';
    if (ir_has_access(ins->op))
        parse_access(p, ins);
    else if (fixed >= 0)
        ins->type = (uint8_t)fixed;
    else if (!may_lack || p->token.kind == TOKEN_WORD)
        ins->type = (uint8_t)ir_parse_type(p);
}

static int64_t parse_index(struct parser *p)
{
    struct token t = ir_parse_take(p, TOKEN_INDEX, "a number '#n'");
    if (t.number > UINT32_MAX)
        ir_parse_error(p, t.where, MSG_RANGE, "#…", "a table");
    return (int64_t)t.number;
}

/* Of a cb.cancel: imm2. */
static uint32_t parse_cancel(struct parser *p)
{
    struct ir_cancel l = {.member = ir_parse_accept_word(p, "member")};
    if (ir_parse_accept_word(p, "threshold")) {
        l.threshold = (uint32_t)ir_parse_integer(p, UINT8_MAX, "a threshold");
        ir_parse_expect_word(p, "of");
        l.wait = (uint32_t)ir_parse_integer(p, UINT16_MAX, "the number of a barrier register");
    }
    return ir_cancel_pack(l);
}

/* Names of the module are found when all of it has been read; `name` is then set. */
static void parse_immediate(struct parser *p, struct ir_ins *ins, struct token *name)
{
    switch (ir_op_info[ins->op].imm) {
    case IR_IMM_STORAGE:
        ins->imm = (int64_t)ir_parse_integer(p, UINT32_MAX, "a size");
        ir_parse_expect_word(p, "align");
        ins->imm2 = (uint32_t)ir_parse_integer(p, UINT32_MAX, "an alignment");
        break;
    case IR_IMM_SPECIAL: ins->imm = ir_parse_word(p, &p->specials, "a special register", MSG_SPECIAL); break;
    case IR_IMM_PREDICTION:
        ins->imm = (int64_t)ir_parse_integer(p, UINT32_MAX, "a prediction's number");
        break;
    case IR_IMM_REGISTER:
        ins->imm = (int64_t)ir_parse_integer(p, UINT32_MAX, "the number of a barrier register");
        break;
    case IR_IMM_SIGNATURE:
    case IR_IMM_TEXT: ins->imm = parse_index(p); break;
    case IR_IMM_OBJECT:
    case IR_IMM_FUNCTION:
    case IR_IMM_HOST: *name = ir_parse_take(p, TOKEN_GLOBAL, "a name '@name'"); break;
    default: break;
    }
    if (ins->op == IR_cb_join)
        ins->imm2 = ir_parse_accept_word(p, "gather");
    if (ins->op == IR_cb_cancel)
        ins->imm2 = parse_cancel(p);
    if (ir_has_threshold(ins->op) && ir_parse_accept_word(p, "threshold"))
        ins->imm2 = (uint32_t)ir_parse_integer(p, UINT32_MAX, "a threshold");
}

/* ---- operands -------------------------------------------------------------------------------------- */

/* [("+" | "-") bytes] */
static int64_t parse_offset(struct parser *p)
{
    if (ir_parse_accept(p, '+'))
        return (int64_t)ir_parse_integer(p, INT32_MAX, "an offset");
    if (ir_parse_accept(p, '-'))
        return -(int64_t)ir_parse_integer(p, (uint64_t)INT32_MAX + 1, "an offset");
    return 0;
}

/* As many as the operation takes. */
static void parse_plain_operands(struct parser *p, struct ir_ins *ins)
{
    for (int i = 0; i < ir_op_info[ins->op].argc; i++) {
        if (i || ir_op_info[ins->op].imm == IR_IMM_TEXT)
            ir_parse_expect(p, ',');
        add_operand(p);
        if (i == 0 && ir_has_access(ins->op)) {
            ins->imm = parse_offset(p);
            if (ir_parse_accept_word(p, "wide"))
                ins->imm2 = (uint32_t)ir_parse_integer(p, IR_MAX_WIDE, "the size of a wide access");
        }
    }
}

static bool at_operand(const struct parser *p)
{
    bool minus = p->token.kind == TOKEN_PUNCTUATION && p->token.number == '-';
    return !p->token.first_on_line &&
           (minus || p->token.kind == TOKEN_LOCAL || p->token.kind == TOKEN_INTEGER ||
            p->token.kind == TOKEN_FLOAT || p->token.kind == TOKEN_WORD);
}

static void parse_operands(struct parser *p, struct ir_ins *ins)
{
    vec_clear(&p->operands);
    if (ir_is_calling(ins->op)) {
        ir_parse_expect(p, '(');
        if (!p->failed)
            parse_operand_list(p, IR_MAX_ARGS + 1);
    } else if (ins->op == IR_ret && at_operand(p)) {
        add_operand(p);
    } else {
        parse_plain_operands(p, ins);
    }
    if (ir_op_info[ins->op].imm == IR_IMM_BYTES) {
        ir_parse_expect_word(p, "bytes");
        ins->imm = (int64_t)ir_parse_integer(p, UINT32_MAX, "a size");
    }
    if (ir_parse_accept(p, '[')) {
        struct token name = ir_parse_take(p, TOKEN_LOCAL, "a token '%name'");
        ins->token = p->failed ? 0 : ir_parse_value_ref(p, &name);
        ir_parse_expect(p, ']');
    }
}

/* ---- targets --------------------------------------------------------------------------------------- */

static int64_t parse_case(struct parser *p)
{
    struct token t = ir_parse_take(p, TOKEN_INTEGER, "a case");
    if (t.suffix || t.number > (uint64_t)INT64_MAX + t.negative)
        ir_parse_error(p, t.where, MSG_RANGE, t.text ? t.text : "0x…", "a case");
    ir_parse_expect(p, ':');
    return (int64_t)(t.negative ? -t.number : t.number);
}

/* block ["(" operands ")"] ["break"] */
static void parse_target(struct parser *p, int64_t value)
{
    uint32_t from = p->cursor.block, to = ir_parse_block_ref(p);
    vec_clear(&p->operands);
    if (ir_parse_accept(p, '('))
        parse_operand_list(p, IR_MAX_INSTRUCTIONS);
    if (p->failed ||
        !ir_parse_within(p, ir_block_at(p->fn, from)->edges.count, IR_MAX_EDGES, "successors of a block"))
        return;
    struct ir_edge *e = ir_edge_add(p->fn, from, to, value);
    for (uint32_t i = 0; i < p->operands.count; i++)
        ir_edge_arg(p->fn, e, p->operands.at[i]);
    e->breaks = ir_parse_accept_word(p, "break");
}

/* Which arms of a branch are. */
static uint8_t parse_predicated(struct parser *p)
{
    if (ir_parse_accept_word(p, "predicated.true"))
        return 1;
    if (ir_parse_accept_word(p, "predicated.false"))
        return 2;
    return ir_parse_accept_word(p, "predicated") ? IR_BOTH_SIDES : 0;
}

static void parse_targets(struct parser *p, enum ir_op op)
{
    if (op == IR_br || op == IR_brif) {
        if (op == IR_brif) {
            ir_parse_expect(p, ',');
            parse_target(p, 0);
            ir_parse_expect(p, ',');
        }
        parse_target(p, 0);
    } else if (op == IR_switch) {
        ir_parse_expect(p, ',');
        ir_parse_expect_word(p, "default");
        parse_target(p, 0);
        while (ir_parse_accept(p, ','))
            parse_target(p, parse_case(p));
    }
    if (ir_parse_accept_word(p, "noreconverge")) {
        ir_block_at(p->fn, p->cursor.block)->reconverge = IR_AT_RETURN;
    } else if (ir_parse_accept_word(p, "reconverge")) {
        uint32_t b = ir_parse_block_ref(p);
        ir_block_at(p->fn, p->cursor.block)->reconverge = b;
    }
    ir_block_at(p->fn, p->cursor.block)->predicated = parse_predicated(p);
    ir_block_at(p->fn, p->cursor.block)->overhead = ir_parse_accept_word(p, "overhead");
}

/* ---- the instruction ------------------------------------------------------------------------------- */

static ir_ref emit(struct parser *p, const struct ir_ins *ins, const u32_vec *operands)
{
    ir_ref r = ir_emit(&p->cursor, ins->op, ins->type, operands->count, operands->at);
    struct ir_ins *made = ir_at(p->fn, r);
    made->mem = ins->mem;
    made->token = ins->token;
    made->imm = ins->imm;
    made->imm2 = ins->imm2;
    return r;
}

static void check_result(struct parser *p, const struct ir_ins *ins, const struct token *result)
{
    if (ins->type != IR_TYPE_VOID && !result->text)
        ir_parse_error(p, result->where, MSG_NO_NAME, ir_op_info[ins->op].text);
    else if (ins->type == IR_TYPE_VOID && result->text)
        ir_parse_error(p, result->where, MSG_NO_RESULT, ir_op_info[ins->op].text);
}

void ir_parse_instruction(struct parser *p)
{
    struct token result = {.where = p->token.where}, name = {0};
    if (p->token.kind == TOKEN_LOCAL) {
        result = ir_parse_take(p, TOKEN_LOCAL, "a value");
        ir_parse_expect(p, '=');
    }
    struct ir_ins ins = {.op = (uint16_t)ir_parse_word(p, &p->operations, "an operation", MSG_OPERATION)};
    if (p->failed)
        return;
    parse_type_word(p, &ins);
    parse_immediate(p, &ins, &name);
    parse_operands(p, &ins);
    check_result(p, &ins, &result);
    if (p->failed || !ir_parse_within(p, p->fn->ins.count, IR_MAX_INSTRUCTIONS, "instructions in a function"))
        return;
    ir_ref r = emit(p, &ins, &p->operands);
    if (result.text)
        ir_parse_define_value(p, &result, r);
    if (name.text)
        vec_push(p->arena, &p->uses,
                 ((struct global_use){.kind = ir_op_info[ins.op].imm,
                                      .name = name.text,
                                      .where = name.where,
                                      .fn = p->fn,
                                      .ins = r}));
    if (ir_op_info[ins.op].flags & IR_TERMINATOR)
        parse_targets(p, ins.op);
    place at = ir_parse_location(p);
    ir_at(p->fn, r)->at = at;
}
