# A random kernel of nested loops and branches whose threads go different ways, and a launch of so many blocks of 32 threads:
# awk -v seed=N -v blocks=N -f nests.awk
function draw(n) { state = state * 16807 % 2147483647; return int(state / 2147483647 * n) }
function say(text) { printf "%*s%s\n", 4 * depth + 4, "", text }
function operation(k) {
    k = draw(6)
    say(k == 0 ? "x = sqrt(x * 1.5f + 0.25f);" : k == 1 ? "h ^= h >> 7;" : k == 2 ? "h = h * 1664525u + 1013904223u;" \
        : k == 3 ? "y = fabs(y - x) + 0.1f;" : k == 4 ? "s = rng(s);" : "x = x * 0.9f + y * 0.1f;")
}
function condition() { return draw(2) ? sprintf("(s >> %d) %% %d == 0", draw(16), 2 + draw(6)) : sprintf("h & %d", 1 + draw(31)) }
function loop(v, trips) {
    v = "i" ++loops
    trips = draw(3) ? sprintf("1 << (s >> %d) %% %d", draw(20), 2 + draw(5)) : 2 + draw(6)
    say(sprintf("for (int %s = 0, m%s = %s; %s < m%s; %s++) {", v, v, trips, v, v, v))
    body()
    say("}")
}
function branch() {
    say("if (" condition() ") {")
    body()
    if (draw(2)) {
        say("} else {")
        body()
    }
    say("}")
}
function body(n, k) {
    depth++
    for (n = 1 + draw(3); n > 0; n--) {
        k = depth > 3 ? 0 : draw(5)
        if (k < 3) operation()
        else if (k == 3) loop()
        else branch()
    }
    depth--
}
BEGIN {
    state = seed * 7919 + 12345
    draw(2)
    print "uint rng(uint s) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; return s; }"
    print "kernel void nest(global float *out, int n)\n{"
    print "    uint t = blockIdx.x * blockDim.x + threadIdx.x, s = t * 747796405u + 12345, h = t;"
    print "    float x = (t & 31) * 0.03f, y = 1;"
    print "    for (int i = 0; i < n; i++) {\n        s = rng(s);"
    body()
    loop()
    print "    }\n    out[t] = x + y + h;\n}"
    blocks = blocks ? blocks : 1
    printf "launch nest(out = zeros(%d), n = 24) grid(%d) block(32);\n", 32 * blocks, blocks
}
