; 2-shared-join-article.s: the published rule with two branches that reconverge at one place: if (a) if (b) block 3;
; block 4.
;
; Block 1 is where a is tested, block 2 where b is. Both branches have the post-dominator 4, which gets its
; CONVERGE. Then comes if (c) block 5; block 6, and c is true in all lanes. Lane 0 has to come to 123456, lane 1
; to 12456, lane 2 to 1456.
;
; step  lanes  what happens                                                stack, top last
; 1     0 1 2  branch one: lane 2 waits at four                            A: saved 012, pending 2 at four
; 2     0 1    branch two: lane 1 waits at four                            A; B: saved 01, pending 1 at four
; 3     0      block 3; CONVERGE at four: B's lanes wait here, so B is
;              popped. One CONVERGE, one entry: A is still there           A
; 4     0 1    blocks 4 and 5; the branch between is uniform: no entry     A
; 5     0 1    CONVERGE at six, meant for that branch, finds A: phase 0,
;              target four is not here: swap                               A: phase 1
; 6     2      CONVERGE at four: phase 1, A is popped                      empty
; 7     0 1 2  blocks 4, 5, 6 with all lanes: 0 and 1 run 4 and 5 again
;
; It prints 12345456 for lane 0. A second CONVERGE at four would be one too many whenever only one of the
; branches has pushed: how many have is not known before they run.
.mode article
.kernel trace
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
    brn             p1, four
    muli            r3, r3, 10
    addi            r3, r3, 2
two:
    brn             p2, four
    muli            r3, r3, 10
    addi            r3, r3, 3
four:
    converge
    muli            r3, r3, 10
    addi            r3, r3, 4
    br              p3, six
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
