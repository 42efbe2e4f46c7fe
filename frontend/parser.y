/* parser.y: the grammar of Kern (docs/language.md, "Grammar"), LALR(1) without conflicts: its symbols, files
 * and declarations. The grammar goes on in parser_body.y and parser_launch.y; parser_error.y is its epilogue.
 * Bison reads the four as one (build.mk).
 *
 * Which names are types is known to the lexer (parser.h); `declared` tells it as soon as a declarator is
 * complete, before the next name can be read. Labels and cases are statements of their own in the list
 * of their block. The stack grows in the arena; too deep a nesting is an error before the stack ends.
 *
 * Recovery: a broken item, member or file-level declaration becomes `error`; its action skips to where
 * the next begins (syntax_error.c). A missing semicolon is taken as written.
 */
%define api.pure full
%define api.prefix {fe_parser_}
%define api.token.prefix {TOK_}
%define api.value.type {union value}
%define api.location.type {span}
%define parse.error custom
%locations
%expect 0
%parse-param {struct parser *p}
%lex-param {struct parser *p}

%code requires {
#include "frontend/parser.h"
}

%code {
#define YYMALLOC(n) arena_alloc(p->arena, (n))
#define YYFREE(x)   UNUSED(x)
#define YYMAXDEPTH  50000
#define YYLLOC_DEFAULT(whole, parts, n)                                                                      \
    ((whole).at = (n) ? YYRHSLOC(parts, 1).at : YYRHSLOC(parts, 0).end,                                      \
     (whole).end = (n) ? YYRHSLOC(parts, n).end : YYRHSLOC(parts, 0).end)

static void fe_parser_error(const span *where, struct parser *p, const char *text);

#define NO_LIST ((struct list){0})
#define unnamed fe_declarator_abstract
/* Goes on where `how` finds that it can. */
#define RECOVER(how, from)                                                                                   \
    if (how(p, &yychar, &yylval, &yylloc, (from).at))                                                        \
    yyerrok

/* A list of one node. */
static struct list list_of(void *node)
{
    return (struct list){node, node};
}

static struct fe_stmt *decl_stmt(struct parser *p, span where, struct list decls)
{
    struct fe_stmt *s = fe_stmt_new(p, FE_STMT_DECL, where);
    s->decls = decls.first;
    return s;
}

/* The operator of an INCREMENT that stands behind its operand. */
static enum fe_op behind(uint32_t op)
{
    return op == FE_OP_PREINC ? FE_OP_POSTINC : FE_OP_POSTDEC;
}

/* An expression with a type's name in parentheses. */
static struct fe_expr *typed(struct parser *p, enum fe_expr_kind kind, span where, struct specifiers s,
                             struct declarator *d, struct fe_expr *a)
{
    return fe_expr_form(p, kind, where, fe_type_name(p, s, d), a);
}
}

%token END 0 "end of file"
%token NAME "name" TYPE_NAME "type name" INTEGER "number" FLOATING "floating number" STRING "string"
%token BOOLEAN "truth value" WORD "type" QUALIFIER "qualifier" PREFIX "'kernel'"
%token TYPEDEF "'typedef'" STRUCT "'struct'" ENUM "'enum'" IF "'if'" ELSE "'else'" WHILE "'while'" DO "'do'"
%token FOR "'for'" SWITCH "'switch'" CASE "'case'" DEFAULT "'default'" BREAK "'break'" CONTINUE "'continue'"
%token RETURN "'return'" GOTO "'goto'" TRY "'try'" CATCH "'catch'" THROW "'throw'" PREDICT "'Predict'"
%token STATIC_ASSERT "'static_assert'"
%token SIZEOF "'sizeof'" INCLUDE "'include'"
%token LAUNCH "'launch'" GRID "'grid'" BLOCK "'block'" SHARED "'shared'" SHOW "'show'" SAVE "'save'"
%token BUFFER "'buffer'" REPEAT "'repeat'"
%token ASSIGN "assignment operator" RANGE "'..'" ELLIPSIS "'...'" OR_OR "'||'" AND_AND "'&&'" SHIFT "shift"
%token EQUALITY "comparison" RELATION "order comparison" ARROW "'->'" INCREMENT "'++' or '--'"

%precedence THEN
%precedence ELSE
%right '=' ASSIGN
%right '?' ':'
%left OR_OR
%left AND_AND
%left '|'
%left '^'
%left '&'
%left EQUALITY
%left RELATION
%left SHIFT
%left '+' '-'
%left '*' '/' '%'
%precedence UNARY
%precedence '[' '(' '.' ARROW INCREMENT '@'
%precedence SIZE

%type <word> semicolon STRUCT BOOLEAN WORD QUALIFIER PREFIX ASSIGN EQUALITY RELATION SHIFT INCREMENT
%type <name> NAME TYPE_NAME any_name tag_opt
%type <expr> INTEGER FLOATING STRING string value expr expr_opt initialiser braces
%type <stmt> statement for_init item substatement label block
%type <init> designated
%type <designator> designator
%type <form> type
%type <decl> param enumerator function_head launch outputs named_buffer
%type <declarator> declarator direct_declarator abstract direct_abstract abstract_opt declared type_declared
%type <declarator> init_declarator
%type <qualifiers> prefixes qualifiers qualifiers_opt
%type <specifiers> specifiers
%type <list> strings items args args_opt path designated_list initialisers params param_list members member
%type <list> enumerators declarators type_declarators field_declarators declaration numbers show_items
%type <list> save_items
%type <list> launch_arguments launch_argument_list external function repeat directive directives
%type <item> show_item shown part launch_argument
%type <launch> clauses output_clauses repetition

%%

unit:
    %empty
|   unit external                          { if ($2.first) fe_unit_add(p->unit, $2); }
;

external:
    declaration
|   function
|   named_buffer                           { $$ = p->including.count ? NO_LIST : list_of($1); }
|   directive                              { $$ = p->including.count ? NO_LIST : $1; }
|   INCLUDE string semicolon               { $$ = NO_LIST; fe_include(p, $2, @2); }
|   ';'                                    { $$ = NO_LIST; }
|   error                                  { $$ = NO_LIST; RECOVER(fe_recover, @1); }
;

semicolon:
    ';'                                    { $$ = true; }
|   error                                  { $$ = false; RECOVER(fe_recover_semicolon, @1); }
;

/* ---- declarations ------------------------------------------------------------------------------------ */

declaration:
    specifiers semicolon                   { $$ = fe_type_declaration(p, $1, $2, @$); }
|   specifiers declarators semicolon       { $$ = fe_declaration(p, $1, $2, false, @$); }
|   TYPEDEF specifiers type_declarators semicolon  { $$ = fe_declaration(p, $2, $3, true, @$); }
|   STATIC_ASSERT '(' value ')' semicolon              { $$ = list_of(fe_static_assert(p, $3, NULL, @$)); }
|   STATIC_ASSERT '(' value ',' string ')' semicolon   { $$ = list_of(fe_static_assert(p, $3, $5, @$)); }
;

function:
    function_head block                    { $$ = fe_function_end(p, $1, $2); }
;

function_head:
    specifiers declared                    { $$ = fe_function_begin(p, $1, $2); }
;

specifiers:
    type qualifiers_opt                    { $$ = fe_specifiers(p, NULL, $1, $2); }
|   prefixes type qualifiers_opt           { $$ = fe_specifiers(p, $1, $2, $3); }
;

prefixes:
    QUALIFIER                              { $$ = fe_qualifier(p, NULL, $1, @1); }
|   PREFIX                                 { $$ = fe_qualifier(p, NULL, $1, @1); }
|   prefixes QUALIFIER                     { $$ = fe_qualifier(p, $1, $2, @2); }
|   prefixes PREFIX                        { $$ = fe_qualifier(p, $1, $2, @2); }
;

qualifiers_opt:
    %empty                                 { $$ = NULL; }
|   qualifiers
;

qualifiers:
    QUALIFIER                              { $$ = fe_qualifier(p, NULL, $1, @1); }
|   qualifiers QUALIFIER                   { $$ = fe_qualifier(p, $1, $2, @2); }
;

type:
    WORD                                   { $$ = fe_form_word(p, @1, $1); }
|   TYPE_NAME                              { $$ = fe_form_named(p, FE_FORM_NAME, @1, $1); }
|   STRUCT any_name                        { $$ = fe_form_union(fe_form_named(p, FE_FORM_STRUCT, @$, $2), $1); }
|   STRUCT tag_opt '{' { fe_members_open(p); } members '}'
                                           {
                                               fe_block_close(p);
                                               $$ = fe_form_members(p, FE_FORM_STRUCT, @$, $2, @2, $5);
                                               fe_form_union($$, $1);
                                           }
|   ENUM any_name                          { $$ = fe_form_named(p, FE_FORM_ENUM, @$, $2); }
|   ENUM tag_opt '{' enumerators comma_opt '}'
                                           { $$ = fe_form_members(p, FE_FORM_ENUM, @$, $2, @2, $4); }
;

tag_opt:
    %empty                                 { $$ = NULL; }
|   any_name
;

any_name:
    NAME
|   TYPE_NAME
;

comma_opt:
    %empty
|   ','
;

members:
    %empty                                 { $$ = NO_LIST; }
|   members member                         { $$ = fe_list_join($1, $2); }
;

member:
    specifiers field_declarators semicolon { $$ = fe_fields(p, $1, $2, @$); }
|   specifiers ';'                         { $$ = fe_anonymous_field(p, $1, @$); }
|   error                                  { $$ = NO_LIST; RECOVER(fe_recover, @1); }
;

field_declarators:
    declarator                             { $$ = list_of($1); }
|   field_declarators ',' declarator       { $$ = $1; list_add(&$$, $3); }
;

enumerators:
    enumerator                             { $$ = list_of($1); }
|   enumerators ',' enumerator             { $$ = $1; list_add(&$$, $3); }
;

enumerator:
    any_name                               { $$ = fe_enumerator(p, $1, @1, NULL); }
|   any_name '=' value                     { $$ = fe_enumerator(p, $1, @1, $3); }
;

declarators:
    init_declarator                        { $$ = list_of($1); }
|   declarators ',' init_declarator        { $$ = $1; list_add(&$$, $3); }
;

init_declarator:
    declared
|   declared '=' initialiser               { $$ = $1; $$->init = $3; $$->where = @$; }
;

declared:
    declarator                             { $$ = $1; fe_declare_name(p, $1->name, false); }
;

type_declarators:
    type_declared                          { $$ = list_of($1); }
|   type_declarators ',' type_declared     { $$ = $1; list_add(&$$, $3); }
;

type_declared:
    declarator                             { $$ = $1; fe_declare_name(p, $1->name, true); }
|   WORD                                   {
                                               $$ = fe_declarator_name(p, fe_word_text[$1], @1);
                                               $$->is_word = true;
                                           }
;

declarator:
    direct_declarator
|   '*' qualifiers_opt declarator              { $$ = fe_declarator_pointer(p, $3, $2, span_join(@1, @2)); }
|   '&' declarator                         { $$ = fe_declarator_reference(p, $2, @1); }
;

direct_declarator:
    any_name                               { $$ = fe_declarator_name(p, $1, @1); }
|   '(' declarator ')'                     { $$ = $2; }
|   direct_declarator '[' expr_opt ']'     { $$ = fe_declarator_array(p, $1, $3, span_join(@2, @4)); }
|   direct_declarator '(' params ')'       { $$ = fe_declarator_function(p, $1, $3, span_join(@2, @4)); }
;

abstract_opt:
    %empty                                 { $$ = NULL; }
|   abstract
;

abstract:
    '*' qualifiers_opt                     { $$ = fe_declarator_pointer(p, unnamed(p, @$), $2, @$); }
|   '*' qualifiers_opt abstract                { $$ = fe_declarator_pointer(p, $3, $2, span_join(@1, @2)); }
|   '&'                                    { $$ = fe_declarator_reference(p, unnamed(p, @$), @1); }
|   direct_abstract
;

direct_abstract:
    '(' abstract ')'                       { $$ = $2; }
|   '[' expr_opt ']'                       { $$ = fe_declarator_array(p, unnamed(p, @$), $2, @$); }
|   direct_abstract '[' expr_opt ']'       { $$ = fe_declarator_array(p, $1, $3, span_join(@2, @4)); }
|   direct_abstract '(' params ')'         { $$ = fe_declarator_function(p, $1, $3, span_join(@2, @4)); }
;

params:
    %empty                                 { $$ = NO_LIST; }
|   param_list
;

param_list:
    param                                  { $$ = list_of($1); }
|   param_list ',' param                   { $$ = $1; list_add(&$$, $3); }
|   param_list ',' ELLIPSIS                { $$ = $1; fe_report(p->fe, FE_MSG(no_varargs), @3); }
;

param:
    specifiers declarator                  { $$ = fe_param(p, $1, $2, @$); }
|   specifiers abstract_opt                { $$ = fe_param(p, $1, $2 ? $2 : unnamed(p, @2), @$); }
;

initialiser:
    value
|   braces
;

braces:
    '{' initialisers '}'                   { $$ = fe_expr_init(p, @$, $2); }
;

initialisers:
    %empty                                 { $$ = NO_LIST; }
|   designated_list comma_opt
;

designated_list:
    designated                             { $$ = list_of($1); }
|   designated_list ',' designated         { $$ = $1; list_add(&$$, $3); }
;

designated:
    initialiser                            { $$ = fe_init_designated(p, NO_LIST, $1); }
|   path '=' initialiser                   { $$ = fe_init_designated(p, $1, $3); }
;

path:
    designator                             { $$ = list_of($1); }
|   path designator                        { $$ = $1; list_add(&$$, $2); }
;

designator:
    '.' any_name                           { $$ = fe_designator_new(p, $2, NULL, @$); }
|   '[' value ']'                          { $$ = fe_designator_new(p, NULL, $2, @$); }
|   '[' value ELLIPSIS value ']'           {
                                               $$ = fe_designator_new(p, NULL, $2, @$);
                                               fe_report(p->fe, FE_MSG(range_designator), @$);
                                           }
;
