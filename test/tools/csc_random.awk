# csc_random.awk: random kernels for the table "Random arms" of docs/results.md: a branch whose arms are alike in parts,
# or a switch whose targets are. usage: awk -v kind=arms|switch -v seed=N [-v count=N] -f test/tools/csc_random.awk

function draw(n) # 0 to n - 1
{
    state = (state * 16807) % 2147483647
    return int(state / 65536) % n
}

function pick(words,    w, n)
{
    n = split(words, w, "|")
    return w[1 + draw(n)]
}

function constant() { return pick("0.1f|0.3f|0.5f|1.25f|2|3") }
function offset() { return pick("0|0|1|2|9|16|33|64") }
function place_read() { return pick("(t + " offset() " + " counter ") & 127|(t * 3 + " offset() ") & 127|(u + " offset() ") & 127|(" counter " + " offset() ") & 127|t + " offset()) }
function value(depth)
{
    if (depth <= 0)
        return pick("r|q|a|a|r|" constant())
    return pick(value(depth - 1) " + " value(depth - 1) "|" value(depth - 1) " * " value(0) "|x[" place_read() "]|(" value(depth - 1) " - " value(0) ")|" value(0))
}

function simple()
{
    return pick("r = sqrt(abs(" value(2) ")) + " constant() ";|q = (" value(1) ") / (abs(" value(1) ") + 1);|r = exp(-abs(" value(1) "));|u = u * " pick("3|5|7") " + " pick("1|2|3") ";|r += " value(2) ";|q = q * " value(1) " + " value(1) ";|r += x[" place_read() "];|m[" pick("t|t + 32") "] = " value(1) ";|q -= m[" pick("t|t + 32") "];|atomic_add(&c[u & 15], " pick("1|2|u") ");|u ^= u >> " pick("1|3|5") ";")
}

# A statement as parts that another arm may vary.
function statement(depth,    what)
{
    what = depth > 0 ? draw(12) : 0
    if (what == 11)
        return "for (int j" depth " = 0; j" depth " < " pick("3|4|n / 4|(int)(u & 3) + 1") "; j" depth "++) { " list(depth - 1, 1 + draw(2)) " }"
    if (what == 10)
        return "if (" pick("a > 1.5f|(u & 2) == 0|t % 3 == 1|r > q") ") { " list(depth - 1, 1 + draw(2)) " }"
    if (what == 9)
        return "if (" pick("a > 1.5f|(u & 2) == 0|t % 3 == 1|r > q") ") { " list(depth - 1, 1) " } else { " list(depth - 1, 1) " }"
    return simple()
}

function list(depth, n,    s)
{
    for (; n > 0; n--)
        s = s statement(depth) " "
    return s
}

# An arm like the one whose statements are base[1..n].
function alike(base, n,    k, s, d)
{
    for (k = 1; k <= n; k++) {
        d = draw(10)
        if (d == 0)
            s = s statement(2) " "
        if (d != 1 && d != 2)
            s = s vary(base[k]) " "
        else if (d == 1)
            s = s statement(2) " "
    }
    return s == "" ? vary(base[1]) : s
}

# Other operands, often.
function vary(text,    d)
{
    d = draw(6)
    if (d == 0) gsub(/ a /, " r ", text)
    if (d == 1) gsub(/0\.1f|0\.3f/, "0.7f", text)
    if (d == 2) gsub(/\+ 0\)/, "+ 9)", text)
    if (d == 3) gsub(/\(t \+ /, "(t + 5 + ", text)
    if (d == 4) gsub(/ q/, " a", text)
    gsub(/ a = /, " q = ", text)
    gsub(/^a /, "q ", text)
    return text
}

function kernel(seed,    k, n, w, ways, loop)
{
    state = seed * 7919 + 17 + (kind == "switch") * 104729
    for (k = 0; k < 8; k++)
        draw(2)
    loop = draw(4) > 0
    counter = loop ? "i" : "3"
    n = 1 + draw(5)
    for (k = 1; k <= n; k++)
        base[k] = statement(2)
    print "kernel void k" seed "(global float *o, const global float *x, global uint *c, int n)\n{"
    print "    shared float m[64];\n    uint t = threadIdx.x, u = t * 7 + 3;\n    float r = x[t], q = 1;"
    print "    m[t] = r;\n    m[t + 32] = r + 1;\n    barrier();"
    print loop ? "    for (int i = 0; i < n; i++) {" : "    {"
    print "        float a = x[(t + " counter " + 1) & 127];"
    if (kind == "switch") {
        ways = 3 + draw(6)
        printf "        switch (%s %% %d) {\n", pick("t|(t * 3 + " counter ")|(t + u)|(t / 4 + " counter ")|(u >> 2)"), ways
        for (w = 0; w < ways; w++) {
            printf "        %s ", w == ways - 1 && draw(2) ? "default:" : "case " w ":"
            printf "%s%s\n", draw(5) ? alike(base, n) : list(1, 1 + draw(3)), w == ways - 1 || draw(10) ? "break;" : ""
        }
        print "        }"
    } else {
        printf "        if (%s) { %s}\n", pick("t & 1|t < 16|(t * 3 + " counter ") % 5 < 2|((t ^ " counter ") & 1) == 0|a > 1.5f|x[(t * 7 + " counter ") & 127] > 1.3f|t == 5|(u & 7) < 4"), alike(base, n)
        printf "        else { %s}\n", alike(base, n)
    }
    print "    }\n    o[t] = r + q + u + m[t];\n}\n"
    printf "launch k%d(o = zeros(32), x = random(200, 1, 1, 2), c = zeros(16), n = %s) block(32) show(o, c);\n", seed, pick("8|16|32")
}

BEGIN {
    for (first = seed; seed < first + (count ? count : 1); seed++)
        kernel(seed)
}
