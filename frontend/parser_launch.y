/* parser_launch.y: the grammar of launch directives (parser.y): what a program runs by itself. */

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
