/* opt_runner.h: a module of two functions, and runs of passes on it. */
#ifndef KERNC_TEST_UNIT_OPT_RUNNER_H
#define KERNC_TEST_UNIT_OPT_RUNNER_H

#include "ir/views/views.h"
#include "opt/opt.h"
#include <cmocka.h>
#include <dirent.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char module_text[] = "define i32 @first(%x: i32) {\n"
                                  "entry:\n"
                                  "  %a = alloca 4 align 4\n"
                                  "  store i32 %a, %x\n"
                                  "  %b = load i32 %a !3:7\n"
                                  "  %c = mul i32 %b, 1\n"
                                  "  ret %c\n"
                                  "}\n"
                                  "define i32 @second(%x: i32, %p: ptr.global) convergent {\n"
                                  "entry:\n"
                                  "  %tok = token.entry\n"
                                  "  %c = slt %x, 5\n"
                                  "  brif %c, then, done(%x)\n"
                                  "then:\n"
                                  "  %s = reduce.add i32 %x [%tok] !9:4\n"
                                  "  br done(%s)\n"
                                  "done(%y: i32):\n"
                                  "  ret %y\n"
                                  "}\n";

struct run {
    struct arena arena;
    struct ir_module *m;
    struct opt_options o;
    struct opt_report r;
    struct diagnostics d;
    struct text printed;
};

static inline void take(void *data, const char *text, size_t n)
{
    text_add(data, text, n);
}

static inline void start(struct run *x)
{
    memset(x, 0, sizeof *x);
    struct source *s = source_new(&x->arena, "m.kir", module_text, sizeof module_text - 1);
    diag_init(&x->d, &x->arena, s);
    x->m = ir_parse(s, &x->d);
    assert_non_null(x->m);
    opt_options_init(&x->o);
    opt_report_init(&x->r);
    x->o.print = take;
    x->o.data = &x->printed;
    x->o.verify_each = x->o.check_analyses = true;
    text_addz(&x->printed, "");
}

static inline bool go(struct run *x)
{
    return opt_run(x->m, &x->o, &x->r, &x->d);
}

static inline void end(struct run *x)
{
    ir_module_free(x->m);
    opt_report_free(&x->r);
    text_free(&x->printed);
    arena_free(&x->arena);
}

static inline bool shows(const struct run *x, const char *what)
{
    return strstr(x->printed.at, what) != NULL;
}

static inline unsigned count(const struct run *x, const char *what)
{
    unsigned n = 0;
    for (const char *at = x->printed.at; (at = strstr(at, what)); at += strlen(what))
        n++;
    return n;
}

#endif
