; 1-inner-branch-article.s: the published rule loses code where a branch inside a divergent region is uniform.
;
; Each lane appends the number of every block it goes through to r3. Block 1 goes on to 2 or, in lane 1, to 5;
; block 2 goes on to 3 or 4, and here always to 3; 3 goes on to 4; 4 and 5 reconverge in 6. So lane 0 has to come to
; 12346, and lane 1 to 156.
;
; step  lanes  what happens                                                stack
; 1     0 1    branch one: lane 1 waits at five                            saved 01, pending 1 at five, phase 0
; 2     0      branch two: there is but one lane, so all agree: no entry   the same
; 3     0      CONVERGE at four, meant for branch two. The rule asks only
;              for the phase of the top entry, and that is the entry of
;              branch one: phase 0, target is not here. So the lanes swap:
;              lane 0 is suspended before it has run block 4               saved 01, phase 1
; 4     1      block 5; CONVERGE at six: phase 1, the entry is popped      empty
; 5     0 1    block 6 with both lanes. Lane 0 has never run block 4
;
; It prints 1236 for lane 0. The stack was never empty at the wrong time, so that CONVERGE does nothing on an
; empty stack does not help; and whether branch two pushes is not known before it runs, so no other places for
; CONVERGE do.
.mode article
.kernel trace
    .param out, ptr *, int, 4, "global int *"
.launch trace(out = zeros(2)) grid(1) block(2) show(out)

trace:
    csrr            r1, lane
    eqi             p1, r1, 1           ; true in lane 1
    eqi             p2, r1, 7           ; true in no lane
    muli            r3, r3, 10
    addi            r3, r3, 1
one:
    br              p1, five
    muli            r3, r3, 10
    addi            r3, r3, 2
two:
    br              p2, four
    muli            r3, r3, 10
    addi            r3, r3, 3
four:
    converge
    muli            r3, r3, 10
    addi            r3, r3, 4
    br              p0, six
five:
    muli            r3, r3, 10
    addi            r3, r3, 5
six:
    converge
    muli            r3, r3, 10
    addi            r3, r3, 6
    ldarg           r4, 0
    csrr            r5, lane
    shli            r5, r5, 2
    add             r4, r4, r5
    st.global.32    r3, [r4]
    exit
