/* parser_body.y: the grammar of statements and expressions (parser.y). */

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
                                               p->has_gaps = true;
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
    %empty                                 { $<word>$ = p->scopes.count; fe_type_scope_open(p); }
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
