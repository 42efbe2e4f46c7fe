; 3-two-exits-article.s: the published rule with a loop that has two divergent exits:
;
;     for (i = 0;;) { block 2; if (i == a) break; block 3; i++; if (i == b) break; }  block 4; if (c) block 5; block 6
;
; Lane 0 leaves by the second exit in its first round, lane 1 by the first exit in its second, lane 2 by the
; second exit in its second, lane 3 by the first exit in its third. c is the same in all lanes. Blocks 4, 5 and
; 6 append their numbers to r3: all lanes have to come to 456.
;
; step  lanes    what happens                                              stack, top last
; 1     0 1 2 3  second exit: lane 0 waits at four                         A: saved 0123, pending 0, of second
; 2     1 2 3    first exit: lane 1 leaves. source_pc is to find the
;                loop's entry again, but A is the other exit's: a new one  A; B: saved 123, pending 1, of first
; 3     2 3      second exit: lane 2 leaves; the top is B: a new entry     A; B; C: saved 23, pending 2, of second
; 4     3        first exit: lane 3 leaves alone, so all agree: no entry   A; B; C
; 5     3        CONVERGE at four: C's lanes wait here: C is popped        A; B
; 6     2 3      blocks 4 and 5; CONVERGE at six finds B: swap             A; B: phase 1
; 7     1        CONVERGE at four: phase 1: B is popped                    A
; 8     1 2 3    blocks 4 and 5, lanes 2 and 3 for the second time; then
;                CONVERGE at six finds A, and so on
;
; One loop has come to three entries, as many as times that lanes left by another exit than those before them.
.mode article
.kernel trace
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
    br              p1, four
    addi            r2, r2, 1
    eq              p2, r2, r7
second:
    br              p2, four
    br              p0, two
four:
    converge
    muli            r3, r3, 10
    addi            r3, r3, 4
    br              p4, six
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
