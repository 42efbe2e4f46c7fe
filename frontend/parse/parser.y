/* parser.y: the grammar of Kern (docs/language.md, "Grammar"), LALR(1) without conflicts.
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
#include "frontend/parse/parser.h"
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
|   named_buffer                           { $$ = p->includes.open.count ? NO_LIST : list_of($1); }
|   directive                              { $$ = p->includes.open.count ? NO_LIST : $1; }
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

/* ---- statements --------------------------------------------------------------------------------------- */

block:
    '{' { fe_block_open(p); } items '}'    { fe_block_close(p); $$ = fe_stmt_block(p, @$, $3, @4); }
;

items:
    %empty                                 { $$ = NO_LIST; }
|   items item                             { $$ = $1; if ($2) list_add(&$$, $2); }
;

item:
    statement
|   label
|   declaration                            { $$ = decl_stmt(p, @$, $1); }
|   function                               {
                                               $$ = NULL;
                                               p->recovery.has_gaps = true;
                                               fe_report(p->fe, FE_MSG(nested_function), @1);
                                               fe_excuse_words(p->fe, @1);
                                           }
|   error                                  { $$ = NULL; RECOVER(fe_recover, @1); }
;

label:
    NAME ':'                               { $$ = fe_stmt_jump(p, FE_STMT_LABEL, @$, $1, @1, NULL); }
|   CASE value ':'                         { $$ = fe_stmt_expr(p, FE_STMT_CASE, @$, $2); }
|   DEFAULT ':'                            { $$ = fe_stmt_new(p, FE_STMT_DEFAULT, @$); }
;

substatement:
    statement
|   label substatement                     { $$ = fe_stmt_labelled(p, @$, $1, $2); }
|   declaration                            {
                                               $$ = decl_stmt(p, @$, $1);
                                               fe_report(p->fe, FE_MSG(declaration_as_body), @1);
                                           }
;

statement:
    block
|   ';'                                    { $$ = fe_stmt_new(p, FE_STMT_EMPTY, @$); }
|   expr semicolon                         { $$ = fe_stmt_expr(p, FE_STMT_EXPR, @$, $1); }
|   IF '(' expr ')' substatement %prec THEN    { $$ = fe_stmt_if(p, @$, $3, $5, NULL); }
|   IF '(' expr ')' substatement ELSE substatement
                                           { $$ = fe_stmt_if(p, @$, $3, $5, $7); }
|   WHILE '(' expr ')' substatement        { $$ = fe_stmt_loop(p, FE_STMT_WHILE, @$, $3, $5); }
|   DO substatement WHILE '(' expr ')' semicolon
                                           { $$ = fe_stmt_loop(p, FE_STMT_DO, @$, $5, $2); }
|   FOR '(' for_scope for_init expr_opt ';' expr_opt ')' substatement
                                           {
                                               $$ = fe_stmt_for(p, @$, $4, $5, $7, $9);
                                               fe_type_scope_close(p, $<word>3);
                                           }
|   SWITCH '(' expr ')' substatement       { $$ = fe_stmt_switch(p, @$, $3, $5); }
|   BREAK semicolon                        { $$ = fe_stmt_new(p, FE_STMT_BREAK, @$); }
|   CONTINUE semicolon                     { $$ = fe_stmt_new(p, FE_STMT_CONTINUE, @$); }
|   RETURN semicolon                       { $$ = fe_stmt_expr(p, FE_STMT_RETURN, @$, NULL); }
|   RETURN braces semicolon                { $$ = fe_stmt_expr(p, FE_STMT_RETURN, @$, $2); }
|   RETURN expr semicolon                  { $$ = fe_stmt_expr(p, FE_STMT_RETURN, @$, $2); }
|   GOTO any_name semicolon                { $$ = fe_stmt_jump(p, FE_STMT_GOTO, @$, $2, @2, NULL); }
|   TRY block CATCH block                  { $$ = fe_stmt_try(p, @$, $2, $4); }
|   THROW semicolon                        { $$ = fe_stmt_new(p, FE_STMT_THROW, @$); }
|   PREDICT '(' any_name ')' semicolon     { $$ = fe_stmt_jump(p, FE_STMT_PREDICT, @$, $3, @3, NULL); }
|   PREDICT '(' any_name ',' value ')' semicolon
                                           { $$ = fe_stmt_jump(p, FE_STMT_PREDICT, @$, $3, @3, $5); }
;

for_scope:
    %empty                                 { $<word>$ = p->names.scopes.count; fe_type_scope_open(p); }
;

for_init:
    ';'                                    { $$ = NULL; }
|   expr ';'                               { $$ = fe_stmt_expr(p, FE_STMT_EXPR, @1, $1); }
|   declaration                            { $$ = decl_stmt(p, @1, $1); }
;

/* ---- expressions ---------------------------------------------------------------------------------------
 *
 * Braces and files parse wherever people may write them; the checker says where they belong. */

expr_opt:
    %empty                                 { $$ = NULL; }
|   expr
;

expr:
    value
|   expr ',' value                         { $$ = fe_expr_binary(p, FE_EXPR_COMMA, FE_OP_NONE, @2, $1, $3); }
;

value:
    NAME                                   { $$ = fe_expr_name(p, @1, $1); }
|   INTEGER
|   FLOATING
|   BOOLEAN                                { $$ = fe_expr_new(p, FE_EXPR_BOOL, @1); $$->value = $1; }
|   string
|   '@' string                             { $$ = $2; $$->kind = FE_EXPR_FILE; $$->where = @$; }
|   '(' expr ')'                           { $$ = $2; $$->parenthesised = true; }
|   value '[' expr ']'                     { $$ = fe_expr_index(p, @$, @2, $1, $3); }
|   value '(' args_opt ')'                 { $$ = fe_expr_call(p, @$, @2, $1, $3); }
|   value '@' any_name                     { $$ = fe_expr_at(p, @$, $1, fe_expr_name(p, @3, $3)); }
|   value '.' any_name                     { $$ = fe_expr_member(p, @$, $1, false, $3, @3); }
|   value ARROW any_name                   { $$ = fe_expr_member(p, @$, $1, true, $3, @3); }
|   value INCREMENT                        { $$ = fe_expr_unary(p, behind($2), @$, @2, $1); }
|   '(' specifiers abstract_opt ')' '{' initialisers '}'
                                           {
                                               $$ = fe_expr_init(p, span_join(@5, @7), $6);
                                               $$ = typed(p, FE_EXPR_LITERAL, @$, $2, $3, $$);
                                           }
|   '(' specifiers abstract_opt ')' value %prec UNARY
                                           { $$ = typed(p, FE_EXPR_CAST, @$, $2, $3, $5); }
|   INCREMENT value %prec UNARY            { $$ = fe_expr_unary(p, $1, @$, @1, $2); }
|   '+' value %prec UNARY                  { $$ = fe_expr_unary(p, FE_OP_PLUS, @$, @1, $2); }
|   '-' value %prec UNARY                  { $$ = fe_expr_unary(p, FE_OP_NEG, @$, @1, $2); }
|   '!' value %prec UNARY                  { $$ = fe_expr_unary(p, FE_OP_NOT, @$, @1, $2); }
|   '~' value %prec UNARY                  { $$ = fe_expr_unary(p, FE_OP_BITNOT, @$, @1, $2); }
|   '*' value %prec UNARY                  { $$ = fe_expr_unary(p, FE_OP_DEREF, @$, @1, $2); }
|   '&' value %prec UNARY                  { $$ = fe_expr_unary(p, FE_OP_ADDRESS, @$, @1, $2); }
|   SIZEOF value %prec UNARY               {
                                               $$ = fe_expr_unary(p, FE_OP_NONE, @$, @1, $2);
                                               $$->kind = FE_EXPR_SIZEOF_EXPR;
                                           }
|   SIZEOF '(' specifiers abstract_opt ')' %prec SIZE
                                           { $$ = typed(p, FE_EXPR_SIZEOF_TYPE, @$, $3, $4, NULL); }
|   value '*' value                        { $$ = fe_expr_binary(p, FE_EXPR_BINARY, FE_OP_MUL, @2, $1, $3); }
|   value '/' value                        { $$ = fe_expr_binary(p, FE_EXPR_BINARY, FE_OP_DIV, @2, $1, $3); }
|   value '%' value                        { $$ = fe_expr_binary(p, FE_EXPR_BINARY, FE_OP_REM, @2, $1, $3); }
|   value '+' value                        { $$ = fe_expr_binary(p, FE_EXPR_BINARY, FE_OP_ADD, @2, $1, $3); }
|   value '-' value                        { $$ = fe_expr_binary(p, FE_EXPR_BINARY, FE_OP_SUB, @2, $1, $3); }
|   value SHIFT value                      { $$ = fe_expr_binary(p, FE_EXPR_BINARY, $2, @2, $1, $3); }
|   value RELATION value                   { $$ = fe_expr_binary(p, FE_EXPR_BINARY, $2, @2, $1, $3); }
|   value EQUALITY value                   { $$ = fe_expr_binary(p, FE_EXPR_BINARY, $2, @2, $1, $3); }
|   value '&' value                        { $$ = fe_expr_binary(p, FE_EXPR_BINARY, FE_OP_AND, @2, $1, $3); }
|   value '^' value                        { $$ = fe_expr_binary(p, FE_EXPR_BINARY, FE_OP_XOR, @2, $1, $3); }
|   value '|' value                        { $$ = fe_expr_binary(p, FE_EXPR_BINARY, FE_OP_OR, @2, $1, $3); }
|   value AND_AND value                    { $$ = fe_expr_binary(p, FE_EXPR_BINARY, FE_OP_LOGAND, @2, $1, $3); }
|   value OR_OR value                      { $$ = fe_expr_binary(p, FE_EXPR_BINARY, FE_OP_LOGOR, @2, $1, $3); }
|   value '?' expr ':' value               { $$ = fe_expr_conditional(p, @2, $1, $3, $5); }
|   value '=' value                        { $$ = fe_expr_binary(p, FE_EXPR_ASSIGN, FE_OP_NONE, @2, $1, $3); }
|   value '=' braces                       { $$ = fe_expr_binary(p, FE_EXPR_ASSIGN, FE_OP_NONE, @2, $1, $3); }
|   value ASSIGN value                     { $$ = fe_expr_binary(p, FE_EXPR_ASSIGN, $2, @2, $1, $3); }
;

string:
    strings                                { $$ = fe_expr_join(p, $1, @1); }
;

strings:
    STRING                                 { $$ = list_of($1); }
|   strings STRING                         { $$ = $1; list_add(&$$, $2); }
;

args_opt:
    %empty                                 { $$ = NO_LIST; }
|   args
;

args:
    initialiser                            { $$ = list_of($1); }
|   args ',' initialiser                   { $$ = $1; list_add(&$$, $3); }
;

launch:
    LAUNCH any_name '(' launch_arguments ')' clauses semicolon
                                           { $$ = fe_launch_decl(p, @$, $2, @2, $6, $4); }
;

named_buffer:
    BUFFER specifiers any_name '=' initialiser semicolon
                                           { $$ = fe_buffer_decl(p, @$, $2, $3, @3, $5); }
;

directive:
    launch                                 { $$ = list_of($1); }
|   outputs                                { $$ = list_of($1); }
|   repeat
;

outputs:
    output_clauses semicolon               { $$ = fe_directive(p, LAUNCH_OUTPUT, @$, NULL, @1, $1); }
;

output_clauses:
    SHOW '(' show_items ')'                { $$ = fe_launch_new(p, fe_launch_append(NULL, $3), NULL); }
|   SAVE '(' save_items ')'                { $$ = fe_launch_new(p, NULL, $3.first); }
|   output_clauses SHOW '(' show_items ')' { $$ = $1; $$->shows = fe_launch_append($1->shows, $4); }
|   output_clauses SAVE '(' save_items ')' { $$ = $1; $$->saves = fe_launch_append($1->saves, $4); }
;

repeat:
    REPEAT repetition '{' directives '}'   { $$ = fe_repeat(p, span_join(@1, @2), $2, $4, @5); }
;

repetition:
    '(' value ')'                          { $$ = fe_repetition(p, $2, NULL, @$); }
|   WHILE '(' any_name ')'                 { $$ = fe_repetition(p, NULL, $3, @3); }
|   '(' value ')' WHILE '(' any_name ')'   { $$ = fe_repetition(p, $2, $6, @6); }
;

directives:
    %empty                                 { $$ = NO_LIST; }
|   directives directive                   { $$ = fe_list_join($1, $2); }
;

launch_arguments:
    %empty                                 { $$ = NO_LIST; }
|   launch_argument_list
;

launch_argument_list:
    launch_argument                        { $$ = list_of($1); }
|   launch_argument_list ',' launch_argument   { $$ = $1; list_add(&$$, $3); }
;

launch_argument:
    any_name '=' initialiser               { $$ = fe_launch_item(p, $1, @1, $3, NULL, NULL); }
|   any_name                               { $$ = fe_launch_short(p, $1, @1); }
;

clauses:
    %empty                                 { $$ = arena_new(p->arena, struct fe_launch); }
|   clauses GRID '(' numbers ')'           { $$ = $1; fe_launch_size(p, $1, LAUNCH_GRID, @2, $4); }
|   clauses BLOCK '(' numbers ')'          { $$ = $1; fe_launch_size(p, $1, LAUNCH_BLOCK, @2, $4); }
|   clauses SHARED '(' numbers ')'         { $$ = $1; fe_launch_size(p, $1, LAUNCH_SHARED, @2, $4); }
|   clauses SHOW '(' show_items ')'        { $$ = $1; $$->shows = fe_launch_append($1->shows, $4); }
|   clauses SAVE '(' save_items ')'        { $$ = $1; $$->saves = fe_launch_append($1->saves, $4); }
;

numbers:
    args                                   { $$ = fe_launch_numbers(p, $1); }
;

show_items:
    show_item                              { $$ = list_of($1); }
|   show_items ',' show_item               { $$ = $1; list_add(&$$, $3); }
;

show_item:
    shown
|   shown NAME NAME                        { $$ = fe_shown_as(p, $1, $2, @2, $3, @3); }
;

shown:
    any_name                               { $$ = fe_launch_item(p, $1, @1, NULL, NULL, NULL); }
|   shown part                             { $$ = fe_shown_part($1, $2, @2); }
;

part:
    '.' any_name                           { $$ = fe_launch_item(p, $2, @2, NULL, NULL, NULL); }
|   '[' value ']'                          { $$ = fe_launch_item(p, NULL, @$, NULL, $2, NULL); }
|   '[' value RANGE value ']'              { $$ = fe_launch_item(p, NULL, @$, NULL, $2, $4); }
;

/* a = "file", 64, 48, b = "other": behind the first, what begins another one is an assignment to the
 * grammar. */
save_items:
    any_name '=' string                    { $$ = list_of(fe_launch_item(p, $1, @1, $3, NULL, NULL)); }
|   save_items ',' value                   { $$ = fe_save_more(p, $1, $3); }
;

%%

/* ---- what the parser knows of a syntax error, for its message (syntax_error.c) ------------------------ */

static void fe_parser_error(const span *where, struct parser *p, const char *text)
{
    UNUSED(text); /* the parser calls this only when its stack is full */
    if (!p->stopped)
        fe_report(p->fe, FE_MSG(tree_too_deep), *where, p->fe->options.limits.tree_depth);
    p->stopped = true;
}

static int yyreport_syntax_error(const yypcontext_t *context, struct parser *p)
{
    yysymbol_kind_t expected[YYNTOKENS];
    int n = yypcontext_expected_tokens(context, expected, YYNTOKENS);
    struct syntax_error e = {.token = p->history.current_token};
    e.unexpected = yysymbol_name(yypcontext_token(context));
    bool has_name = false, has_number = false, begins = false;
    for (int i = 0; i < n; i++) {
        if (expected[i] == YYSYMBOL_TYPE_NAME && has_name)
            continue;
        e.wants_semicolon |= expected[i] == YYTRANSLATE(';');
        begins |= expected[i] == YYSYMBOL_TYPEDEF;
        e.wants_parenthesis |= expected[i] == YYTRANSLATE(')');
        e.wants_square |= expected[i] == YYTRANSLATE(']');
        e.wants_statement |= expected[i] == YYSYMBOL_IF;
        has_name |= expected[i] == YYSYMBOL_NAME;
        has_number |= expected[i] == YYSYMBOL_INTEGER;
        if (e.count < MAX_EXPECTED)
            e.expected[e.count] = yysymbol_name(expected[i]);
        e.count++;
    }
    e.wants_semicolon &= !begins; /* an empty statement would do: nothing is missing */
    e.wants_expression = has_name && has_number;
    e.wants_name = has_name && !has_number;
    fe_syntax_error(p, &e);
    return 0;
}
