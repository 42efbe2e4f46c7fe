; 2-shared-join-rpc.s: 2-shared-join-article.s as mode rpc has it. One CONVERGE suffices for any number of
; branches that reconverge here:
;
; step  lanes  what happens                                                stack
; 1     0 1 2  branch one reconverges at its own target: lane 2 is where it has
;              to be, the entry needs nobody to wait in it                 saved 012, reconverge at four
; 2     0 1    branch two reconverges where the top entry does: it shares it,
;              and lane 1 is where it has to be                            the same
; 3     0      block 3; CONVERGE at four: nobody waits to run, so the
;              entry is popped                                             empty
; 4     0 1 2  the rest, once
;
; Where entries of one reconvergence point could not be shared, CONVERGE stays at its place until the top entry is
; another's.
.mode rpc
.kernel trace, stack 1
    .param out, ptr *, int, 4, "global int *"
.launch trace(out = zeros(3)) grid(1) block(3) show(out)

trace:
    csrr            r1, lane
    slti            p1, r1, 2           ; a: true in lanes 0 and 1
    eqi             p2, r1, 0           ; b: true in lane 0
    eqi             p3, r1, 7           ; true in no lane
    muli            r3, r3, 10
    addi            r3, r3, 1
one:
    brn             p1, four, four
    muli            r3, r3, 10
    addi            r3, r3, 2
two:
    brn             p2, four, four
    muli            r3, r3, 10
    addi            r3, r3, 3
four:
    converge                            ; all three lanes are here
    muli            r3, r3, 10
    addi            r3, r3, 4
    br              p3, six, six
    muli            r3, r3, 10
    addi            r3, r3, 5
six:
    converge                            ; the stack is empty: nothing
    muli            r3, r3, 10
    addi            r3, r3, 6
    ldarg           r4, 0
    csrr            r5, lane
    shli            r5, r5, 2
    add             r4, r4, r5
    st.global.32    r3, [r4]
    exit
