; out[i] = 3 * i for odd i, -i for the others
.kernel first
    .param out, ptr *, int, 4, "global int *"
.launch first(out = zeros(8)) grid(1) block(8) show(out)

first:
    csrr            r1, tid.x
    andi            r2, r1, 1
    nei             p1, r2, 0
    br              p1, odd, reconverge   ; odd lanes wait; the others go on
    neg             r3, r1
    br              p0, reconverge
odd:
    muli            r3, r1, 3
reconverge:
    converge                        ; first time: the odd lanes' turn; second time: all go on
    ldarg           r4, 0
    shli            r5, r1, 2
    add             r4, r4, r5
    st.global.32    r3, [r4]
    exit
