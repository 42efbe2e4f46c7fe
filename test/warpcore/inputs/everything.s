; everything.s: one of each thing that an image can hold. The runs of it are in image_test.c and asm.test.
.shared 64
.text "lane %d of %ld: %f %p %c\n", i1, i64, f32, ptr, i32
.text "say \"no\"\t100%\x00\x07"
.text "negative"
.bytes "00ff10"
.bytes "7f"
.int 1, -2, 0xfffffffe
.float 1.5, -0.25e-3, inf, -nan

.kernel everything, private 48, stack 3, barrier
    .param out, ptr *, int, 4, "global int *"
    .param n, i32, int, 4, "int"
    .param wide, i64, ulong, 8
    .param "of a struct", ptr *, struct, 24, "global struct s *"
.kernel other, entry second, registers 31, predicates 8, line 7
.launch everything(out = zeros(64), n = -5, wide = 0xffffffffffffffff, "of a struct" = file "in.bin") grid(2) block(8) show(out[0..8]) show(out) save(out = "out.pgm", 8, 8)
.launch other(x = ramp(0, 1.5, 10), y = random(10, 3, -1, 1), z = normal(4, 1, 0.0, 1e-3), ; a comment
        list = {1, 2.5, -3}, iota = iota(3)) block(1) save(x = "x.txt")

everything:
    ldarg           r1, 0
    ldarg           r2, 1
    csrr            r3, tid.x
    shli            r4, r3, 2
    slt             p1, r3, r2
    brn             p1, join, join          ; lanes from n on have nothing to do
    add             r1, r1, r4
    andi            r5, r3, 1
    eqi             p2, r5, 0
    br              p2, even, reconverge
    muli            r5, r3, -3
    br              p0, reconverge
even:
    fma.f           r5, r3, r3, r3
reconverge:
    converge
    st.global.32    r5, [r1]
join:
    converge
    li              r6, -7
    lui             r7, 0x3fffff
    ori             r7, r7, 0x3ff
    st.private.16   r7, [r30 + 16]
    ld.private.s16  r8, [r30 + 16]
    st.private.lo64 r8, [r30 + 24]
    st.shared.f32   r8, [r4 + 16]
    csrw            r0, barrier
    ld.shared.u8    r8, [r4 + 19]
    addi            r4, r4, 16
    atom.shared.cas r9, r4, r6, r7
    select          r9, p1, r8, r7
    select.p        p3, p1, p2, p0
    call            r31, "a function"
    all             p4, p3
    assert          p4, 2
    printf          r30, 0
    exit
    trap            1
second:
"an alias":
.Lhere:
    nop
    brn             p0, .Lhere
    exit
"a function":
    sin.f           r10, r5
    reduce.add      r11, r8
    shuffle.xor     r12, r11, r3
    ret             r31
