# A kernel whose divergent branches have large arms, or many. -v kind=KIND -v n=SIZE:
#   arms     two arms of n operations each, the same ones from different values
#   loads    two arms of n loads and n stores each, in turns
#   ways     a switch of n ways
#   nest     ifs, n deep, each with an arm beside the next one
BEGIN {
    print "kernel void k(global int *out)\n{\n    int t = threadIdx.x, x = t * 7, y = t + 5;"
    if (kind == "arms" || kind == "loads")
        for (arm = 0; arm < 2; arm++) {
            print arm ? "    } else {" : "    if (out[t] % 2) {"
            v = arm ? "y" : "x"
            for (i = 0; i < n; i++)
                if (kind == "loads") printf "        out[t + %d] = out[t * 2 + %d] + %s;\n", i % 64, (i + arm) % 64, v
                else printf "        %s = %s %s %d;\n", v, v, substr("*+^-", i % 4 + 1, 1), i % 97 + 3
        }
    else if (kind == "ways") {
        print "    switch (out[t]) {"
        for (i = 0; i < n; i++) printf "    case %d: x = (x ^ %d) * 77 / (t + 3) + %d; break;\n", i, i, i
    } else
        for (i = 0; i < n; i++) printf "    if (out[t] > %d) { x = x * 3 / (y + %d) + %d; } else { y = y * 3 / (x + %d); \n", i, i + 1, i, i + 2
    for (i = 0; i < (kind == "nest" ? n : 1); i++) printf "}"
    print "\n    out[t] = x + y;\n}\nlaunch k(out = iota(256)) block(32) show(out[0..4]);"
}
