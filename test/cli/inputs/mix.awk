# Whether the instructions of the classes add up to those of the metrics, in the first line of --stats-json.
function number(text, key) { sub(".*\"" key "\": ", "", text); return text + 0 }
NR == 1 {
    split($0, part, /"instruction_mix": {|}}/)
    mix = part[2]; warp = number(part[1], "warp_instructions"); thread = number(part[1], "thread_instructions")
    n = split(mix, class, /}, /)
    for (i = 1; i <= n; i++) { w += number(class[i], "warp_instructions"); t += number(class[i], "thread_instructions") }
    print (w == warp && t == thread && warp > 0 ? "agrees" : "differs")
}
