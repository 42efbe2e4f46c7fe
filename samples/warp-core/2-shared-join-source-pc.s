; 2-shared-join-source-pc.s: 2-shared-join-article.s as mode source-pc has it: one CONVERGE for each branch that
; reconverges here, the innermost first. Each acts on its own branch's entry, if that has pushed one.
.mode source-pc
.kernel trace, stack 2
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
    brn             p1, four, own       ; the second name is that of its own CONVERGE
    muli            r3, r3, 10
    addi            r3, r3, 2
two:
    brn             p2, four, four
    muli            r3, r3, 10
    addi            r3, r3, 3
four:
    converge        two                 ; lane 1 waits here: joined
own:
    converge        one                 ; lane 2 waits before: its turn, then all
    muli            r3, r3, 10
    addi            r3, r3, 4
uniform:
    br              p3, six, six
    muli            r3, r3, 10
    addi            r3, r3, 5
six:
    converge        uniform             ; its branch has pushed nothing
    muli            r3, r3, 10
    addi            r3, r3, 6
    ldarg           r4, 0
    csrr            r5, lane
    shli            r5, r5, 2
    add             r4, r4, r5
    st.global.32    r3, [r4]
    exit
