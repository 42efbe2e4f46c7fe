; 3-two-exits-source-pc.s: 3-two-exits-article.s as mode source-pc has it. Here the compiler has to help: the
; loop is in normal form. It has one exit branch, which lies on every way round; what was a break sets p5 and
; goes to that branch. The exit is the taken side, and its target is the CONVERGE that names it. So the branch
; always finds its own entry on top, and adds the lanes that leave to it.
.mode source-pc
.kernel trace, stack 2
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
    mov.p           p5, p1              ; p5: this lane leaves
first:
    br              p1, latch, latch
    addi            r2, r2, 1
    eq              p5, r2, r7
latch:
    converge        first
leave:
    br              p5, four, four      ; the one exit; taken: leave
    br              p0, two
four:
    converge        leave               ; lanes that leave wait for this
    muli            r3, r3, 10
    addi            r3, r3, 4
uniform:
    br              p4, six, six
    muli            r3, r3, 10
    addi            r3, r3, 5
six:
    converge        uniform
    muli            r3, r3, 10
    addi            r3, r3, 6
    ldarg           r4, 0
    csrr            r5, lane
    shli            r5, r5, 2
    add             r4, r4, r5
    st.global.32    r3, [r4]
    exit
