/* parser_error.y: what the parser knows of a syntax error, for its message (syntax_error.c). */
%%

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
