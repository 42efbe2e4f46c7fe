# IR of a kernel with an odd control flow graph. -v kind=KIND -v n=SIZE:
#   one      a block
#   forward  n blocks that lead to the next one, or to another behind it
#   ladder   n blocks that lead to the next one, or to the last
#   ifs      n ifs, one behind the other
#   nest     irreducible cycles, n deep
#   switch   a switch with n targets, of which two in three lead on to the next
#   tangle   n blocks that lead to the next one, or up to 100 on, or (every fifth) back: cycles with several entries
#   beyond   a loop, and n operations of its token behind it
#   exits    a loop that n branches leave, each to a block with four parameters
# The way that a thread takes depends on its lane; blocks add to what it has stored in `out`.
function block(name) { printf "%s:\n", name }
function draw(n) { seed = seed * 16807 % 2147483647; return seed % n }
function add(i) { printf "  %%x%s = atomic.add i32 %%at, %d\n", i, i % 99 + 1 }
function branch(i, yes, no) { add(i); printf "  brif %%d%d, %s, %s\n", i * 7 % 23, yes, no }
BEGIN {
    seed = 1
    printf "module \"graphs\"\nkernel @k(out: ptr.global \"global int *\" of int 4)\n"
    printf "define kernel void @k(%%out: ptr.global) convergent {\nentry:\n"
    if (kind == "beyond") printf "  %%e = token.entry\n"
    printf "  %%lane = special lane\n  %%o = shl i32 %%lane, 2\n  %%at = ptradd ptr.global %%out, %%o\n"
    for (i = 0; i < 23; i++)
        printf "  %%a%d = lshr i32 %d, %%lane\n  %%c%d = and i32 %%a%d, 1\n  %%d%d = ne %%c%d, 0\n", i, i * 90001 * 977 + 23456789, i, i, i, i
    if (kind == "nest") printf "  br e0\n"
    else if (kind == "one") printf "  store i32 %%at, 7\n"
    else if (kind == "beyond")
        printf "  br h(0)\nh(%%i: i32):\n  %%t = token.loop [%%e]\n  %%j = add i32 %%i, 1\n  %%k = ult %%i, %%lane\n  brif %%k, h(%%j), b0\n"
    else if (kind == "switch") {
        printf "  switch %%lane, default b%d", n
        for (i = 0; i < n; i++) printf ", %d: b%d", i, i
        printf "\n"
    } else if (kind == "exits") printf "  br b0(0)\n"
    else printf "  br b0\n"
    for (i = 0; i < n; i++) {
        if (kind == "forward" || kind == "ladder") {
            far = kind == "ladder" ? n : i + 2 + (i * 7919) % 60
            block("b" i); branch(i, "b" i + 1, "b" (far > n ? n : far))
        } else if (kind == "ifs" || kind == "beyond") {
            block("b" i)
            if (kind == "beyond") printf "  syncwarp [%%t]\n"
            branch(i, "t" i, "b" i + 1)
            block("t" i); printf "  %%y%d = atomic.xor i32 %%at, %d\n  br b%d\n", i, i % 64, i + 1
        } else if (kind == "nest") {
            block("e" i); branch(i, "x" i, "y" i)
            block("x" i); printf "  br e%d\n", i + 1
            block("y" i); printf "  %%q%d = atomic.add i32 %%at, 5\n  %%s%d = and i32 %%q%d, 63\n  %%t%d = eq %%s%d, %%lane\n", i, i, i, i, i
            printf "  brif %%t%d, x%d, %s\n", i, i, i ? "y" i - 1 : "b" n
        } else if (kind == "tangle") {
            block("b" i); far = draw(100)
            if (draw(5)) branch(i, "b" i + 1, "b" (i + 1 + far > n ? n : i + 1 + far))
            else {
                add(i); printf "  %%f%d = slt %%x%d, 5000\n", i, i
                printf "  brif %%f%d, b%d, b%d\n", i, i < far ? 0 : i - far, i + 1
            }
        } else if (kind == "exits") {
            block(i ? "b" i : "b0(%i: i32)"); branch(i, "x" i "(%i, %x" i ", " i ", 1)", i + 1 < n ? "b" i + 1 : "latch")
            block("x" i "(%p" i ": i32, %q" i ": i32, %r" i ": i32, %s" i ": i32)")
            printf "  %%u%d = add i32 %%p%d, %%q%d\n  %%v%d = add i32 %%r%d, %%s%d\n  %%w%d = add i32 %%u%d, %%v%d\n", i, i, i, i, i, i, i, i, i
            printf "  %%y%d = atomic.add i32 %%at, %%w%d\n  br b%d\n", i, i, n
        } else if (kind == "switch") {
            block("b" i); add(i); printf "  br b%d\n", i % 3 ? i + 1 : n
        }
    }
    if (kind == "exits") { block("latch"); printf "  %%j = add i32 %%i, 1\n  %%k = ult %%j, 5\n  brif %%k, b0(%%j), b%d\n", n }
    if (kind == "nest") { block("e" n); printf "  br y%d\n", n - 1 }
    if (kind != "one") block("b" n)
    printf "  ret\n}\n\nlaunch @k(out = zeros(32)) grid(1) block(32) show(out)\n"
}
