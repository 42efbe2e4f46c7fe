/* parse_ins.c: blocks and instructions of LLVM IR. */
#include "import/parse.h"

const uint8_t ll_shapes[LL_OPS] = {
#define LL_OP(name, shape) [LL_OP_##name] = SHAPE_##shape,
#include "import/instructions.def"
};

/* ---- local values and blocks --------------------------------------------------------------------------- */

static struct local *find_local(struct parser *p, const struct token *name, uint32_t *number)
{
    bool is_number = name->kind == LEX_LOCAL_NUMBER || name->kind == LEX_LABEL_NUMBER;
    struct map *names = is_number ? &p->local_numbers : &p->local_names;
    uint64_t key = is_number ? name->number : (uintptr_t)name->text;
    uint32_t index = map_get(names, key);
    if (index == MAP_NONE) {
        index = p->locals.count;
        map_set(p->arena, names, key, index);
        vec_push(p->arena, &p->locals, ((struct local){.first = *name, .block = UINT32_MAX}));
    }
    *number = index;
    return &p->locals.at[index];
}

struct ll_value *ll_use_local(struct parser *p, const struct token *name, struct ll_type *type)
{
    struct ll_value *none = ll_value_new(p, LL_UNDEF, type, name->where.at);
    if (!p->f) {
        ll_error(p, name->where, "import-syntax", "%%%s is a value of a function, and stands outside of one",
                 name->text);
        return none;
    }
    uint32_t index;
    struct local *l = find_local(p, name, &index);
    if (l->is_block) {
        ll_error(p, name->where, "import-syntax", "%%%s is a block, and stands for a value", name->text);
        return none;
    }
    if (!l->value) {
        l->value = none;
        none->kind = LL_LOCAL;
    }
    if (l->value->type != type)
        ll_error(p, name->where, "import-syntax", "%%%s is of type %s, and is %s here", name->text,
                 ll_type_text(p->arena, l->value->type), ll_type_text(p->arena, type));
    return l->value;
}

/* A number that is not given is the next one; one that is given is that. */
static bool number_local(struct parser *p, struct token *name)
{
    bool is_number = name->kind == LEX_LOCAL_NUMBER || name->kind == LEX_LABEL_NUMBER;
    if (name->kind == LEX_LOCAL || name->kind == LEX_LABEL)
        return true;
    if (!is_number) {
        name->kind = LEX_LOCAL_NUMBER;
        name->number = p->next_number;
        name->text = arena_printf(p->arena, "%u", p->next_number);
    } else if (name->number < p->next_number || name->number == UINT32_MAX) {
        ll_error(p, name->where, "import-syntax", "number %s is defined out of order: the next one is %u",
                 name->text, p->next_number);
        return false;
    }
    p->next_number = name->number + 1;
    return true;
}

static struct ll_value *define_local(struct parser *p, struct token name, struct ll_type *type)
{
    if (!number_local(p, &name))
        return ll_value_new(p, LL_UNDEF, type, name.where.at);
    struct ll_value *v = ll_use_local(p, &name, type);
    uint32_t index;
    struct local *l = find_local(p, &name, &index);
    if (l->is_defined)
        ll_error(p, name.where, "import-syntax", "%%%s is defined twice", name.text);
    l->is_defined = true;
    v->number = p->f->locals.count;
    v->at = name.where.at;
    vec_push(p->arena, &p->f->locals, ((struct ll_local){name.kind == LEX_LOCAL ? name.text : NULL, type}));
    return v;
}

static struct local *local_block(struct parser *p, const struct token *name, uint32_t *index)
{
    struct local *l = find_local(p, name, index);
    if (l->value)
        ll_error(p, name->where, "import-syntax", "%%%s is a value, and stands for a block", name->text);
    l->is_block = true;
    return l;
}

static void begin_block(struct parser *p, struct token name)
{
    uint32_t index;
    if (!number_local(p, &name))
        return;
    struct local *l = local_block(p, &name, &index);
    if (l->is_defined)
        ll_error(p, name.where, "import-syntax", "the block %%%s is defined twice", name.text);
    l->is_defined = true;
    l->block = p->f->blocks.count;
    vec_push(p->arena, &p->f->blocks, ((struct ll_block){.name = name.text, .at = name.where.at}));
}

/* ---- parts of instructions ----------------------------------------------------------------------------- */

static void operand(struct parser *p)
{
    struct ll_value *v = ll_parse_typed(p);
    vec_push(p->arena, &p->operands, v);
}

static void operand_of(struct parser *p, struct ll_type *type)
{
    struct ll_value *v = ll_parse_value(p, type);
    vec_push(p->arena, &p->operands, v);
}

static struct ll_value *latest_operand(const struct parser *p)
{
    return vec_last(&p->operands);
}

static void check(struct parser *p, bool good, span where, const char *rule)
{
    if (!good)
        ll_error(p, where, "import-syntax", "%s", rule);
}

static void address(struct parser *p)
{
    span where = p->token.where;
    operand(p);
    check(p, latest_operand(p)->type->kind == LL_POINTER, where, "expected the address, of type ptr");
}

static bool is_first_class(const struct ll_type *t)
{
    return t->kind != LL_VOID && t->kind != LL_FUNCTION && t->kind != LL_LABEL && t->kind != LL_METADATA &&
           t->kind != LL_OPAQUE;
}

static struct ll_type *value_type(struct parser *p)
{
    span where = p->token.where;
    struct ll_type *t = ll_parse_type(p);
    check(p, is_first_class(t) || t->kind == LL_OPAQUE, where, "expected the type of a value");
    return t;
}

/* label %x; the index in locals, which becomes the block's number when all are known */
static void target(struct parser *p, bool has_label)
{
    struct token name = p->token;
    uint32_t index = 0;
    if (has_label) {
        ll_expect_word(p, "label");
        name = p->token;
    }
    if (!ll_accept(p, LEX_LOCAL) && !ll_accept(p, LEX_LOCAL_NUMBER))
        ll_wanted(p, "a block, such as %exit");
    else
        local_block(p, &name, &index);
    vec_push(p->arena, &p->targets, index);
}

static void take_targets(struct parser *p, struct ll_ins *i)
{
    i->block_count = p->targets.count;
    i->blocks = arena_array(p->arena, uint32_t, p->targets.count + 1);
    for (uint32_t k = 0; k < p->targets.count; k++)
        i->blocks[k] = p->targets.at[k];
    vec_clear(&p->targets);
}

/* [syncscope("…")] ordering [ordering] */
static void ordering(struct parser *p, struct ll_ins *i)
{
    static const char *const orders[] = {"unordered", "monotonic", "acquire",
                                         "release",   "acq_rel",   "seq_cst"};
    if (ll_accept_word(p, "syncscope")) {
        ll_expect(p, '(');
        ll_parse_string(p, "a scope");
        ll_expect(p, ')');
    }
    for (size_t k = 0; k < COUNT(orders); k++)
        if (ll_accept_word(p, orders[k])) {
            i->order = orders[k];
            return;
        }
    ll_wanted(p, "an ordering, such as monotonic");
}

/* [, align 4] [, addrspace(5)] [, !kind !1] of the instruction's end; the address space, if one is said. */
static uint32_t parse_tail(struct parser *p, struct ll_ins *i)
{
    uint32_t space = UINT32_MAX;
    struct ll_metadata_use use;
    while (ll_accept(p, ',')) {
        if (ll_accept_word(p, "align"))
            i->align = ll_parse_number(p, "an alignment");
        else if (ll_sees_word(p, "addrspace"))
            space = ll_parse_space(p, 0);
        else if (!ll_parse_attachment(p, &use))
            ll_wanted(p, "'align' or metadata");
        else if (strcmp(use.kind, "dbg") == 0)
            i->debug = use.node;
    }
    return space;
}

/* A comma, and behind it an operand, and no alignment or metadata. */
static bool more_operands(struct parser *p)
{
    if (!ll_sees(p, ','))
        return false;
    const char *at = p->cursor + strspn(p->cursor, " \t\r\n");
    if (*at == '!' || strncmp(at, "align ", 6) == 0 || strncmp(at, "addrspace(", 10) == 0)
        return false;
    ll_advance(p);
    return true;
}

/* ---- control flow -------------------------------------------------------------------------------------- */

static void parse_ret(struct parser *p, struct ll_ins *i)
{
    const struct ll_type *result = p->f->type->args[p->f->type->argc];
    span where = p->token.where;
    struct ll_type *t = ll_parse_type(p);
    if (t->kind != LL_VOID)
        operand_of(p, t);
    check(p, t == result, where, "the function's result is of another type");
}

static void parse_br(struct parser *p, struct ll_ins *i)
{
    if (ll_sees_word(p, "label")) {
        target(p, true);
        return;
    }
    span where = p->token.where;
    operand(p);
    check(p, latest_operand(p)->type == ll_simple(p, LL_INT, 1), where, "expected a condition, of type i1");
    ll_expect(p, ',');
    target(p, true);
    ll_expect(p, ',');
    target(p, true);
}

/* type value, label %default [ type constant, label %x … ] */
static void parse_switch(struct parser *p, struct ll_ins *i)
{
    VEC(struct ll_case) cases = {0};
    span where = p->token.where;
    operand(p);
    struct ll_type *t = latest_operand(p)->type;
    check(p, t->kind == LL_INT, where, "expected an integer");
    ll_expect(p, ',');
    target(p, true);
    ll_expect(p, '[');
    while (!ll_sees(p, ']') && !ll_sees(p, LEX_END)) {
        where = p->token.where;
        struct ll_case one = {.value = ll_parse_typed(p)};
        check(p, one.value->type == t && one.value->kind == LL_CONST_INT, where,
              "expected a constant of the type of the switch");
        ll_expect(p, ',');
        target(p, true);
        one.block = vec_pop(&p->targets);
        vec_push(p->arena, &cases, one);
    }
    ll_expect(p, ']');
    i->cases = cases.at;
    i->case_count = cases.count;
}

/* type [ value, %block ], … */
static void parse_phi(struct parser *p, struct ll_ins *i)
{
    ll_skip_flags(p);
    i->type = value_type(p);
    if (!ll_sees(p, '[')) /* of a block that no edge leads to */
        return;
    do {
        ll_expect(p, '[');
        operand_of(p, i->type);
        ll_expect(p, ',');
        target(p, false);
        ll_expect(p, ']');
    } while (more_operands(p));
}

/* ---- memory -------------------------------------------------------------------------------------------- */

static void parse_alloca(struct parser *p, struct ll_ins *i)
{
    ll_accept_word(p, "inalloca");
    i->element = value_type(p);
    if (more_operands(p)) {
        span where = p->token.where;
        operand(p);
        check(p, latest_operand(p)->type->kind == LL_INT, where, "expected a number of elements");
    }
}

static void parse_load(struct parser *p, struct ll_ins *i)
{
    i->is_atomic = ll_accept_word(p, "atomic");
    i->is_volatile = ll_accept_word(p, "volatile");
    i->type = i->element = value_type(p);
    ll_expect(p, ',');
    address(p);
    if (i->is_atomic)
        ordering(p, i);
}

static void parse_store(struct parser *p, struct ll_ins *i)
{
    i->is_atomic = ll_accept_word(p, "atomic");
    i->is_volatile = ll_accept_word(p, "volatile");
    operand(p);
    ll_expect(p, ',');
    address(p);
    if (i->is_atomic)
        ordering(p, i);
}

static void parse_gep(struct parser *p, struct ll_ins *i)
{
    ll_skip_flags(p);
    i->element = value_type(p);
    ll_expect(p, ',');
    do
        operand(p);
    while (more_operands(p));
}

static void parse_cmpxchg(struct parser *p, struct ll_ins *i)
{
    ll_accept_word(p, "weak");
    i->is_volatile = ll_accept_word(p, "volatile");
    i->is_atomic = true;
    address(p);
    ll_expect(p, ',');
    span where = p->token.where;
    operand(p);
    struct ll_type *t = latest_operand(p)->type;
    ll_expect(p, ',');
    operand(p);
    check(p, latest_operand(p)->type == t && (t->kind == LL_INT || t->kind == LL_POINTER), where,
          "expected two integers or pointers of one type");
    ordering(p, i);
    ordering(p, i);
    i->type = ll_compound(p, (struct ll_type){.kind = LL_STRUCT},
                          (struct ll_type *[]){t, ll_simple(p, LL_INT, 1)}, 2);
}

static void parse_atomicrmw(struct parser *p, struct ll_ins *i)
{
    i->is_volatile = ll_accept_word(p, "volatile");
    i->is_atomic = true;
    i->rmw = p->token.text;
    if (!ll_accept(p, LEX_WORD))
        ll_wanted(p, "what the atomic operation does, such as add");
    address(p);
    ll_expect(p, ',');
    operand(p);
    i->type = latest_operand(p)->type;
    ordering(p, i);
}

/* ---- values -------------------------------------------------------------------------------------------- */

/* Operations whose result's type follows from the operands'. */
static void parse_computed(struct parser *p, struct ll_ins *i)
{
    enum ll_op op = (enum ll_op)i->op;
    uint32_t from = p->operands.count, n = ll_operand_count(op);
    span where = p->token.where;
    if (ll_shapes[op] == SHAPE_COMPARE)
        i->predicate = ll_parse_predicate(p, op);
    ll_skip_flags(p);
    for (uint32_t k = 0; k < n; k++) {
        if (k)
            ll_expect(p, ',');
        if (k && (ll_shapes[op] == SHAPE_BINARY || ll_shapes[op] == SHAPE_COMPARE))
            operand_of(p, latest_operand(p)->type);
        else
            operand(p);
    }
    struct ll_type *type = latest_operand(p)->type;
    if (ll_shapes[op] == SHAPE_CAST)
        ll_expect_word(p, "to");
    else if (op == LL_OP_va_arg)
        ll_expect(p, ',');
    if (ll_shapes[op] == SHAPE_CAST || op == LL_OP_va_arg)
        type = value_type(p);
    i->type = p->failed ? type : ll_result_type(p, where, op, p->operands.at + from, n, type);
}

/* The type of an aggregate's part; NULL: there is none. */
static struct ll_type *part_type(const struct ll_type *t, uint32_t index)
{
    if (t->kind == LL_STRUCT)
        return index < t->argc ? t->args[index] : NULL;
    return t->kind == LL_ARRAY && index < t->count ? t->args[0] : NULL;
}

/* extractvalue type a, 0, 1 and insertvalue type a, type b, 0, 1 */
static void parse_indexed(struct parser *p, struct ll_ins *i)
{
    u32_vec indices = {0};
    span where = p->token.where;
    operand(p);
    struct ll_type *whole = latest_operand(p)->type, *part = whole;
    if (i->op == LL_OP_insertvalue) {
        ll_expect(p, ',');
        operand(p);
    }
    if (!ll_sees(p, ','))
        ll_wanted(p, "an index");
    while (part && more_operands(p)) {
        uint32_t index = ll_parse_number(p, "a constant index");
        vec_push(p->arena, &indices, index);
        part = part_type(part, vec_last(&indices));
    }
    bool good = part && (i->op == LL_OP_extractvalue || latest_operand(p)->type == part);
    check(p, good, where,
          part ? "the value is not of the type of the part" : "there is no part of that index");
    i->type = good && i->op == LL_OP_extractvalue ? part : whole;
    i->indices = indices.at;
    i->index_count = indices.count;
}

/* ---- calls --------------------------------------------------------------------------------------------- */

/* [ "tag"(operands), … ] */
static void parse_bundles(struct parser *p, struct ll_ins *i)
{
    VEC(struct ll_bundle) bundles = {0};
    while (!ll_sees(p, ']') && !ll_sees(p, LEX_END)) {
        uint32_t from = p->operands.count;
        if (bundles.count)
            ll_expect(p, ',');
        struct ll_bundle one = {.tag = ll_parse_string(p, "the tag of a bundle")};
        ll_expect(p, '(');
        while (!ll_sees(p, ')') && !ll_sees(p, LEX_END)) {
            if (p->operands.count > from)
                ll_expect(p, ',');
            operand(p);
        }
        ll_expect(p, ')');
        one.args = ll_take_operands(p, from, &one.argc);
        vec_push(p->arena, &bundles, one);
    }
    ll_expect(p, ']');
    i->bundles = bundles.at;
    i->bundle_count = bundles.count;
}

/* The function type that the call states, or that its operands have; the operands fit it. */
static struct ll_type *call_type(struct parser *p, struct ll_type *stated, uint32_t from, span where)
{
    uint32_t n = p->operands.count - from;
    struct ll_type **types = arena_array(p->arena, struct ll_type *, n + 1);
    for (uint32_t k = 0; k < n; k++)
        types[k] = p->operands.at[from + k]->type;
    types[n] = stated;
    if (stated->kind != LL_FUNCTION)
        return ll_compound(p, (struct ll_type){.kind = LL_FUNCTION}, types, n);
    bool good = stated->variadic ? n >= stated->argc : n == stated->argc;
    for (uint32_t k = 0; good && k < stated->argc; k++)
        good = types[k] == stated->args[k];
    check(p, good, where, "the arguments are not those of the function type");
    return stated;
}

/* [flags] [convention] [attributes] type callee(type attributes value, …) [attributes] [bundles] */
static void parse_call(struct parser *p, struct ll_ins *i)
{
    struct ll_attribute_group all = {0}, ignored = {0};
    struct ll_param param = {0};
    uint32_t from = p->operands.count, space = 0, group;
    ll_skip_flags(p);
    while (!ll_sees_type(p)) {
        if (ll_sees_word(p, "addrspace"))
            space = ll_parse_space(p, 0);
        else if (!ll_parse_attribute(p, &ignored, &group))
            break;
    }
    struct ll_type *stated = ll_parse_type(p);
    span where = p->token.where;
    i->callee = ll_parse_value(p, ll_simple(p, LL_POINTER, space));
    ll_expect(p, '(');
    while (!ll_sees(p, ')') && !ll_sees(p, LEX_END)) {
        if (p->operands.count > from)
            ll_expect(p, ',');
        struct ll_type *t = ll_parse_type(p);
        if (t->kind != LL_METADATA)
            ll_parse_param_attributes(p, &param);
        operand_of(p, t);
    }
    ll_expect(p, ')');
    i->element = call_type(p, stated, from, where);
    i->type = i->element->args[i->element->argc];
    check(p, is_first_class(i->type) || i->type->kind == LL_VOID, where,
          "no function has a result of that type");
    while (ll_parse_attribute(p, &all, &i->attributes))
        ;
    i->is_convergent = all.is_convergent;
    i->is_noconvergent = all.is_noconvergent;
    if (ll_accept(p, '['))
        parse_bundles(p, i);
}

/* ---- instructions and blocks --------------------------------------------------------------------------- */

static void parse_operation(struct parser *p, struct ll_ins *i)
{
    span where = p->token.where;
    ll_advance(p);
    switch ((enum ll_shape)ll_shapes[i->op]) {
    case SHAPE_RET: parse_ret(p, i); break;
    case SHAPE_BR: parse_br(p, i); break;
    case SHAPE_SWITCH: parse_switch(p, i); break;
    case SHAPE_UNREACHABLE: break;
    case SHAPE_ALLOCA: parse_alloca(p, i); break;
    case SHAPE_LOAD: parse_load(p, i); break;
    case SHAPE_STORE: parse_store(p, i); break;
    case SHAPE_GEP: parse_gep(p, i); break;
    case SHAPE_CMPXCHG: parse_cmpxchg(p, i); break;
    case SHAPE_ATOMICRMW: parse_atomicrmw(p, i); break;
    case SHAPE_FENCE: ordering(p, i); break;
    case SHAPE_PHI: parse_phi(p, i); break;
    case SHAPE_CALL: parse_call(p, i); break;
    case SHAPE_INDEXED: parse_indexed(p, i); break;
    case SHAPE_REFUSED:
        ll_refuse(p, where, arena_printf(p->arena, "'%s'", ll_op_names[i->op]),
                  "kernels have no exceptions and no computed branches");
        break;
    default: parse_computed(p, i); break;
    }
    i->args = ll_take_operands(p, 0, &i->argc);
    take_targets(p, i);
    uint32_t space = parse_tail(p, i);
    if (p->failed)
        return;
    if (i->op == LL_OP_alloca)
        i->type = ll_simple(p, LL_POINTER, space == UINT32_MAX ? 0 : space);
    else if (i->op == LL_OP_getelementptr)
        i->type = ll_result_type(p, where, LL_OP_getelementptr, i->args, i->argc, i->element);
}

static bool ends_block(enum ll_op op)
{
    return op == LL_OP_ret || op == LL_OP_br || op == LL_OP_switch || op == LL_OP_unreachable;
}

/* [%x =] operation …. True: it ends the block. */
static bool parse_instruction(struct parser *p)
{
    struct ll_ins i = {.result = UINT32_MAX,
                       .attributes = UINT32_MAX,
                       .debug = UINT32_MAX,
                       .type = ll_simple(p, LL_VOID, 0)};
    struct token name = p->token;
    bool has_name = ll_accept(p, LEX_LOCAL) || ll_accept(p, LEX_LOCAL_NUMBER);
    if (has_name)
        ll_expect(p, '=');
    i.at = p->token.where.at;
    if (ll_sees_class(p, WORD_TAIL))
        ll_advance(p);
    if (!ll_sees_class(p, WORD_OP)) {
        ll_wanted(p, "an instruction");
        return false;
    }
    i.op = (uint8_t)ll_word(p);
    parse_operation(p, &i);
    if (p->failed)
        return false;
    if (!has_name)
        name.kind = LEX_END;
    if (i.type->kind == LL_VOID && has_name)
        ll_error(p, name.where, "import-syntax", "%%%s is the result of an operation that has none",
                 name.text);
    if (i.type->kind != LL_VOID)
        i.result = define_local(p, name, i.type)->number;
    if (i.op == LL_OP_call && ll_take_debug_call(p, &i))
        return false;
    struct ll_block *b = &vec_last(&p->f->blocks);
    if (i.op == LL_OP_phi && b->ins.count && vec_last(&b->ins).op != LL_OP_phi)
        ll_error(p, (span){i.at, {0}}, "import-syntax",
                 "a phi stands behind other instructions of its block");
    vec_push(p->arena, &b->ins, i);
    return ends_block((enum ll_op)i.op);
}

static uint32_t block_number(struct parser *p, uint32_t local, bool is_branch)
{
    const struct local *l = &p->locals.at[local];
    if (is_branch && l->is_defined && l->block == 0)
        ll_error(p, l->first.where, "import-syntax", "a branch to the first block of the function");
    return l->block;
}

/* Uses of what the text defines further below. */
static void resolve_locals(struct parser *p)
{
    for (uint32_t k = 0; k < p->locals.count; k++)
        if (!p->locals.at[k].is_defined)
            ll_error(p, p->locals.at[k].first.where, "import-syntax", "%%%s is not defined",
                     p->locals.at[k].first.text);
    for (uint32_t b = 0; b < p->f->blocks.count; b++)
        for (uint32_t k = 0; k < p->f->blocks.at[b].ins.count; k++) {
            struct ll_ins *i = &p->f->blocks.at[b].ins.at[k];
            for (uint32_t t = 0; t < i->block_count; t++)
                i->blocks[t] = block_number(p, i->blocks[t], i->op != LL_OP_phi);
            for (uint32_t c = 0; c < i->case_count; c++)
                i->cases[c].block = block_number(p, i->cases[c].block, true);
        }
}

void ll_parse_body(struct parser *p)
{
    bool is_open = false;
    p->f = &vec_last(&p->m->functions);
    p->local_names = p->local_numbers = (struct map){0};
    p->next_number = 0;
    vec_clear(&p->locals);
    for (uint32_t k = 0; k < p->f->param_count; k++)
        define_local(p, p->param_names.at[k], p->f->params[k].type);
    ll_expect(p, '{');
    while (!ll_sees(p, '}') && !ll_sees(p, LEX_END)) {
        struct token t = p->token;
        bool is_label = ll_accept(p, LEX_LABEL) || ll_accept(p, LEX_LABEL_NUMBER);
        if (is_label && is_open)
            ll_error(p, t.where, "import-syntax", "the block before %s: does not end in a branch or ret",
                     t.text);
        if (ll_sees(p, LEX_RECORD) && !is_label) {
            ll_parse_record(p);
            continue;
        }
        if (ll_accept_word(p, "uselistorder")) {
            ll_skip_line(p);
            continue;
        }
        if (!is_label)
            t.kind = LEX_END;
        if (!is_open)
            begin_block(p, t);
        is_open = is_label || !parse_instruction(p);
    }
    if (is_open || p->f->blocks.count == 0)
        ll_wanted(p, "an instruction");
    ll_expect(p, '}');
    if (!p->failed)
        resolve_locals(p);
    p->f = NULL;
}
