/* bytecode_sample.h: programs for the tests of the bytecode back end, made from IR text. */
#ifndef KERNC_TEST_BYTECODE_SAMPLE_H
#define KERNC_TEST_BYTECODE_SAMPLE_H

#include "backend/backend.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* One of everything that the tables of a program can hold. */
static const char sample_text[] =
    "module \"sample.kern\"\n"
    "text #0 = \"%d %ld %f\\n\"\n"
    "text #1 = \"failed\"\n"
    "signature #0 = i32 (i32)\n"
    "signature #1 = i64 (i32, f64)\n"
    "object @table : ptr.constant 4 align 4 = x\"01020304\"\n"
    "object @tile : ptr.shared 64 align 4\n"
    "host @mix : i64 (i32, f64)\n"
    "kernel @main(out: ptr.global \"global int *\" of int 4, n: i32 \"int\" of int 4)\n"
    "define kernel void @main(%out: ptr.global, %n: i32) convergent {\n"
    "entry:\n"
    "  %id = special tid.x\n"
    "  %a = alloca 16 align 8\n"
    "  %t = object ptr.constant @table\n"
    "  %s = object ptr.shared @tile\n"
    "  %f = function @twice\n"
    "  store i32 %a, %id\n"
    "  %w0 = load f32 %out wide 8\n"
    "  %w1 = load f32 %out + 4\n"
    "  %wa = ptradd ptr.global %out, %id\n"
    "  store f32 %wa + 8 wide 8, %w0\n"
    "  store f32 %wa + 12, %w1\n"
    "  %four = shl i32 %id, 2\n"
    "  %sp = ptradd ptr.shared %s, %four\n"
    "  store i32 %sp, %n\n"
    "  barrier\n"
    "  memcpy %a, %t bytes 4\n"
    "  %c = slt %id, %n\n"
    "  brif %c, yes, join(%id) !4:3\n"
    "yes:\n"
    "  %r = call i32 @twice(%id)\n"
    "  %i = icall i32 #0(%f, %r)\n"
    "  %w = sext %i\n"
    "  printf #0(%i, %w, 1.5)\n"
    "  %h = hostcall i64 @mix(%i, 2.0)\n"
    "  switch %h, default join(%i), -3: join(%r), 9: other\n"
    "other:\n"
    "  assert #1, %c\n"
    "  br join(1)\n"
    "join(%x: i32):\n"
    "  %op = ptradd ptr.global %out, %four\n"
    "  store i32 %op, %x !9:5\n"
    "  %old = atomic.add i32 %op, 1\n"
    "  %b = ballot %c\n"
    "  store i64 %out, %b\n"
    "  ret\n"
    "}\n"
    "define i32 @twice(%x: i32) {\n"
    "entry:\n"
    "  %y = add i32 %x, %x\n"
    "  ret %y\n"
    "}\n"
    "launch @main(out = zeros(64), n = {1, 2.5}) grid(1) block(64) show(out[0..8]) save(out = \"f.txt\", 8, "
    "8) !12\n";

static inline struct bc_program *program_of(const char *text, bool tokens)
{
    struct arena a = {0};
    struct diagnostics d;
    struct source *s = source_new(&a, "test.kir", text, strlen(text));
    diag_init(&d, &a, s);
    struct ir_module *m = ir_parse(s, &d);
    struct bc_program *p = NULL;
    if (m && ir_verify(m, &d))
        p = be_bytecode(m, tokens ? SCHEME_oracle : SCHEME_pdom, false, &d);
    diag_print(&d, stderr, false);
    ir_module_free(m);
    arena_free(&a);
    return p;
}

static inline struct bc_program *sample_program(void)
{
    struct bc_program *p = program_of(sample_text, false);
    char why[200];
    assert_non_null(p);
    if (bc_verify(p, why, sizeof why))
        fail_msg("%s", why);
    return p;
}

static inline struct bc_ins *find_ins(struct bc_program *p, enum bc_op op)
{
    for (uint32_t i = 0; i < p->code.count; i++) {
        if (p->code.at[i].op == op)
            return &p->code.at[i];
        i += bc_has_branch_word((enum bc_op)p->code.at[i].op);
    }
    fail_msg("no %s in the program", bc_op_info(op)->name);
    return NULL;
}

#endif
