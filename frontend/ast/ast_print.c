/* ast_print.c: the words of the syntax tree's kinds, and the tree as text: one node a line, children indented
 * under their parent:
 *
 *     function main  kernel  void (global uint *out, int n)
 *       block
 *         expr
 *           assign +=
 *             name acc  : uint
 *
 * A type behind a colon is the checker's; before it has run there is none.
 */
#include "frontend/ast/ast.h"

const char *const fe_expr_text[FE_EXPR_KINDS] = {
#define FE_EXPR(kind, text, meaning) text,
#include "frontend/ast/ast.def"
};
const char *const fe_stmt_text[FE_STMT_KINDS] = {
#define FE_STMT(kind, text, meaning) text,
#include "frontend/ast/ast.def"
};
const char *const fe_decl_text[FE_DECL_KINDS] = {
#define FE_DECL(kind, text, meaning) text,
#include "frontend/ast/ast.def"
};
const char *const fe_form_text[FE_FORM_KINDS] = {
#define FE_FORM(kind, text, meaning) text,
#include "frontend/ast/ast.def"
};
const char *const fe_word_text[FE_WORDS] = {
#define FE_WORD(kind, text, meaning) text,
#include "frontend/ast/ast.def"
};
const char *const fe_op_text[FE_OPS] = {
#define FE_OP(kind, text, meaning) text,
#include "frontend/ast/ast.def"
};
const char *const fe_space_text[FE_SPACES] = {"", "global", "shared", "constant", "private"};

/* ---- types as written, in C's notation --------------------------------------------------------------- */

static void add_params(const struct fe_form *f, struct text *t);

static void add_word(struct text *t, const char *word)
{
    if (t->length && t->at[t->length - 1] != ' ' && t->at[t->length - 1] != '(' && *word)
        text_char(t, ' ');
    text_addz(t, word);
}

static void add_base(const struct fe_form *f, struct text *t)
{
    if (f->is_const)
        add_word(t, "const");
    add_word(t, fe_space_text[f->space]);
    if (f->kind == FE_FORM_WORD)
        add_word(t, fe_word_text[f->word]);
    else if (f->kind != FE_FORM_NAME)
        add_word(t, fe_form_text[f->kind]);
    if (f->kind != FE_FORM_WORD && f->named.name)
        add_word(t, f->named.name);
}

/* The declarator around `inner`, innermost level last; types nest as deep as the limit allows. `t`: in an
 * arena. */
static void add_declarator(const struct fe_form *f, const char *inner, struct text *t)
{
    struct text around = {.arena = t->arena};
    if (f->kind == FE_FORM_POINTER) {
        bool binds = f->of->kind == FE_FORM_ARRAY || f->of->kind == FE_FORM_FUNCTION;
        text_addz(&around, binds ? "(*" : "*");
        if (f->is_const)
            text_addz(&around, " const");
        if (f->space)
            text_printf(&around, " %s", fe_space_text[f->space]);
        text_printf(&around, "%s%s%s", *inner && (f->is_const || f->space) ? " " : "", inner,
                    binds ? ")" : "");
    } else if (f->kind == FE_FORM_ARRAY) {
        bool literal = f->count && f->count->kind == FE_EXPR_INT;
        text_printf(&around, "%s[", inner);
        if (literal)
            text_printf(&around, "%llu", (unsigned long long)f->count->value);
        text_printf(&around, "%s]", f->count && !literal ? "…" : "");
    } else if (f->kind == FE_FORM_FUNCTION) {
        text_addz(&around, inner);
        add_params(f, &around);
    } else {
        add_base(f, t);
        if (*inner)
            text_printf(t, " %s", inner);
        return;
    }
    add_declarator(f->of, around.at, t);
}

static void add_params(const struct fe_form *f, struct text *t)
{
    text_char(t, '(');
    for (const struct fe_decl *d = f->function.params; d; d = d->next) {
        struct text param = {.arena = t->arena};
        add_declarator(d->form, d->name ? d->name : "", &param);
        text_printf(t, "%s%s", param.at, d->next ? ", " : "");
    }
    text_char(t, ')');
}

void fe_print_form(const struct fe_form *f, struct text *out)
{
    struct scratch scratch;
    struct text t = {.arena = scratch_begin(&scratch)};
    add_declarator(f, "", &t);
    text_add(out, t.at, t.length);
    scratch_end(&scratch);
}

/* ---- nodes ------------------------------------------------------------------------------------------- */

struct printer {
    struct text *out;
    unsigned depth;
};

static void print_expr(struct printer *p, const struct fe_expr *e);
static void print_decls(struct printer *p, const struct fe_decl *d);

static void begin(struct printer *p, const char *word)
{
    text_printf(p->out, "%*s%s", (int)(2 * p->depth), "", word);
    p->depth++;
}

static void end_line(struct printer *p)
{
    text_char(p->out, '\n');
}

static void end(struct printer *p)
{
    p->depth--;
}

static void print_literal(struct printer *p, const struct fe_expr *e)
{
    if (e->kind == FE_EXPR_FLOAT)
        text_printf(p->out, " %.17g", scalar_from_f64(e->value));
    else if (e->kind == FE_EXPR_BOOL)
        text_addz(p->out, e->value ? " true" : " false");
    else
        text_printf(p->out, " %llu", (unsigned long long)e->value);
    text_printf(p->out, "%s%s%s%s", e->literal & FE_LIT_UNSIGNED ? "u" : "",
                e->literal & FE_LIT_LONG ? "l" : "", e->literal & FE_LIT_FLOAT ? "f" : "",
                e->literal & FE_LIT_CHARACTER ? " character" : "");
}

static void print_string(struct printer *p, const struct fe_expr *e)
{
    text_addz(p->out, " \"");
    text_visible_line(p->out, e->string.bytes, e->string.length);
    text_char(p->out, '"');
}

/* What stands in the node's own line behind its kind. */
static void print_expr_head(struct printer *p, const struct fe_expr *e)
{
    switch (e->kind) {
    case FE_EXPR_INT:
    case FE_EXPR_FLOAT:
    case FE_EXPR_BOOL: print_literal(p, e); break;
    case FE_EXPR_STRING:
    case FE_EXPR_FILE: print_string(p, e); break;
    case FE_EXPR_NAME: text_printf(p->out, " %s", e->name.name); break;
    case FE_EXPR_UNARY:
        text_printf(p->out, " %s%s", fe_op_text[e->op],
                    e->op == FE_OP_POSTINC || e->op == FE_OP_POSTDEC ? " behind" : "");
        break;
    case FE_EXPR_BINARY: text_printf(p->out, " %s", fe_op_text[e->op]); break;
    case FE_EXPR_ASSIGN: text_printf(p->out, " %s=", fe_op_text[e->op]); break;
    case FE_EXPR_MEMBER: text_printf(p->out, " %s%s", e->member.arrow ? "->" : ".", e->member.name); break;
    case FE_EXPR_CALL:
        if (e->call.token)
            text_printf(p->out, " @ %s", e->call.token->name.name);
        break;
    case FE_EXPR_CAST:
    case FE_EXPR_SIZEOF_TYPE:
    case FE_EXPR_LITERAL:
        text_addz(p->out, e->implicit ? " implicit" : " ");
        if (e->cast.form)
            fe_print_form(e->cast.form, p->out);
        break;
    default: break;
    }
}

static void print_init(struct printer *p, const struct fe_expr *e)
{
    for (const struct fe_init *i = e->init.items; i; i = i->next) {
        for (const struct fe_designator *d = i->path; d; d = d->next) {
            begin(p, "at");
            text_printf(p->out, " %s%s", d->field ? "." : "[]", d->field ? d->field : "");
            end_line(p);
            print_expr(p, d->index);
        }
        print_expr(p, i->value);
        for (const struct fe_designator *d = i->path; d; d = d->next)
            end(p);
    }
}

static void print_expr_children(struct printer *p, const struct fe_expr *e)
{
    switch (e->kind) {
    case FE_EXPR_UNARY:
    case FE_EXPR_BINARY:
    case FE_EXPR_ASSIGN:
    case FE_EXPR_CONDITIONAL:
    case FE_EXPR_COMMA:
    case FE_EXPR_INDEX:
    case FE_EXPR_SIZEOF_EXPR:
        print_expr(p, e->sub.a);
        print_expr(p, e->sub.b);
        print_expr(p, e->sub.c);
        break;
    case FE_EXPR_CAST:
    case FE_EXPR_LITERAL: print_expr(p, e->cast.a); break;
    case FE_EXPR_CALL:
        print_expr(p, e->call.callee);
        for (const struct fe_expr *a = e->call.args; a; a = a->next)
            print_expr(p, a);
        break;
    case FE_EXPR_MEMBER: print_expr(p, e->member.object); break;
    case FE_EXPR_INIT: print_init(p, e); break;
    default: break;
    }
}

static void print_expr(struct printer *p, const struct fe_expr *e)
{
    if (!e)
        return;
    begin(p, fe_expr_text[e->kind]);
    print_expr_head(p, e);
    end_line(p);
    print_expr_children(p, e);
    end(p);
}

static void print_stmt(struct printer *p, const struct fe_stmt *s)
{
    if (!s)
        return;
    begin(p, fe_stmt_text[s->kind]);
    if (s->kind == FE_STMT_LABEL || s->kind == FE_STMT_GOTO || s->kind == FE_STMT_PREDICT)
        text_printf(p->out, " %s", s->jump.name);
    text_addz(p->out, s->implicit ? " implicit" : "");
    end_line(p);
    switch (s->kind) {
    case FE_STMT_EXPR:
    case FE_STMT_RETURN:
    case FE_STMT_CASE: print_expr(p, s->expr); break;
    case FE_STMT_DECL: print_decls(p, s->decls); break;
    case FE_STMT_BLOCK:
        for (const struct fe_stmt *i = s->block.first; i; i = i->next)
            print_stmt(p, i);
        break;
    case FE_STMT_IF:
        print_expr(p, s->branch.condition);
        print_stmt(p, s->branch.then);
        print_stmt(p, s->branch.otherwise);
        break;
    case FE_STMT_WHILE:
    case FE_STMT_DO:
    case FE_STMT_FOR:
        print_stmt(p, s->loop.init);
        print_expr(p, s->loop.condition);
        print_expr(p, s->loop.step);
        print_stmt(p, s->loop.body);
        break;
    case FE_STMT_SWITCH:
        print_expr(p, s->select.value);
        print_stmt(p, s->select.body);
        break;
    case FE_STMT_TRY:
        print_stmt(p, s->attempt.body);
        print_stmt(p, s->attempt.handler);
        break;
    case FE_STMT_PREDICT: print_expr(p, s->jump.threshold); break;
    default: break;
    }
    end(p);
}

/* ---- declarations ------------------------------------------------------------------------------------ */

static void print_items(struct printer *p, const char *word, const struct fe_launch_item *i)
{
    for (; i; i = i->next) {
        begin(p, word);
        if (i->name)
            text_printf(p->out, " %s", i->name);
        text_addz(p->out, i->hex ? " hex" : "");
        end_line(p);
        print_items(p, "part", i->parts);
        print_expr(p, i->value);
        print_expr(p, i->first);
        print_expr(p, i->last);
        end(p);
    }
}

static void print_launch(struct printer *p, const struct fe_launch *l)
{
    print_expr(p, l->rounds);
    if (l->flag) {
        begin(p, "while");
        text_printf(p->out, " %s", l->flag);
        end_line(p);
        end(p);
    }
    print_items(p, "argument", l->arguments);
    print_items(p, "grid", l->grid);
    print_items(p, "block", l->block);
    print_items(p, "shared", l->shared);
    print_items(p, "show", l->shows);
    print_items(p, "save", l->saves);
}

static void print_decl_head(struct printer *p, const struct fe_decl *d)
{
    static const char *const steps[] = {"launch", "buffer", "repeat", "end", "output"};
    begin(p, d->kind == FE_DECL_LAUNCH ? steps[d->launch->step] : fe_decl_text[d->kind]);
    if (d->name)
        text_printf(p->out, " %s", d->name);
    text_printf(p->out, "%s%s%s", d->flags & FE_DECL_KERNEL ? "  kernel" : "",
                d->flags & FE_DECL_EXTERN ? "  extern" : "",
                d->flags & FE_DECL_CONVERGENT ? "  convergent" : "");
    if (d->form) {
        text_addz(p->out, "  ");
        fe_print_form(d->form, p->out);
    }
    end_line(p);
}

static void print_decl(struct printer *p, const struct fe_decl *d)
{
    print_decl_head(p, d);
    switch (d->kind) {
    case FE_DECL_VARIABLE:
    case FE_DECL_ENUMERATOR:
    case FE_DECL_ASSERT: print_expr(p, d->init); break;
    case FE_DECL_FUNCTION: print_stmt(p, d->body); break;
    case FE_DECL_STRUCT:
    case FE_DECL_ENUM: print_decls(p, d->members.first); break;
    case FE_DECL_LAUNCH: print_launch(p, d->launch); break;
    default: break;
    }
    end(p);
}

static void print_decls(struct printer *p, const struct fe_decl *d)
{
    for (; d; d = d->next)
        print_decl(p, d);
}

void fe_print_unit(const struct fe_unit *u, struct text *out)
{
    struct printer p = {out, 0};
    print_decls(&p, u->first);
}
