; 3-two-exits-rpc.s: 3-two-exits-article.s as mode rpc has it. Both exits reconverge at four, so they share one entry,
; and whoever leaves is where he has to be: the entry only keeps who reconverges. Depth 1, whatever the number of
; rounds and exits.
.mode rpc
.kernel trace, stack 1
    .param out, ptr *, int, 4, "global int *"
.launch trace(out = zeros(4)) grid(1) block(4) show(out)

trace:
    csrr            r1, lane
    addi            r6, r1, 1
    lshri           r6, r6, 1           ; a: 0 1 1 2, for lanes 0 to 3
    lshri           r7, r1, 1
    addi            r7, r7, 1           ; b: 1 1 2 2
    andi            r8, r1, 1
    nei             p3, r8, 0           ; odd lanes leave by the first exit,
    li              r8, 1000
    select          r6, p3, r6, r8      ; even lanes by the second:
    select          r7, p3, r8, r7      ; the other comes too late for them
    ne              p4, r0, r0          ; false
two:
    eq              p1, r2, r6
first:
    br              p1, four, four
    addi            r2, r2, 1
    eq              p2, r2, r7
second:
    br              p2, four, four
    br              p0, two
four:
    converge                            ; the last lane to leave finds all others here
    muli            r3, r3, 10
    addi            r3, r3, 4
    br              p4, six, six
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
