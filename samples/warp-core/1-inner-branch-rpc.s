; 1-inner-branch-rpc.s: 1-inner-branch-article.s as mode rpc has it: a branch names where its lanes reconverge, the
; entry keeps it, and CONVERGE acts on the top entry only if that is its own address.
;
; At four the top entry is that of branch one, whose lanes reconverge at six: CONVERGE does nothing, and lane 0 goes
; on with block 4.
.mode rpc
.kernel trace, stack 2
    .param out, ptr *, int, 4, "global int *"
.launch trace(out = zeros(2)) grid(1) block(2) show(out)

trace:
    csrr            r1, lane
    eqi             p1, r1, 1           ; true in lane 1
    eqi             p2, r1, 7           ; true in no lane
    muli            r3, r3, 10
    addi            r3, r3, 1
one:
    br              p1, five, six
    muli            r3, r3, 10
    addi            r3, r3, 2
two:
    br              p2, four, four
    muli            r3, r3, 10
    addi            r3, r3, 3
four:
    converge                            ; top entry reconverges at six: nothing
    muli            r3, r3, 10
    addi            r3, r3, 4
    br              p0, six
five:
    muli            r3, r3, 10
    addi            r3, r3, 5
six:
    converge                            ; first lane 1, then both
    muli            r3, r3, 10
    addi            r3, r3, 6
    ldarg           r4, 0
    csrr            r5, lane
    shli            r5, r5, 2
    add             r4, r4, r5
    st.global.32    r3, [r4]
    exit
