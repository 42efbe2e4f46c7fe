# Whether the accesses to memory that --stats-json counts take a transaction or a pass each, on every line and in all.
function number(key, text) { text = $0; return sub(".*\"" key "\": ", "", text) ? text + 0 : 0 }
/"memory_instructions"/ {
    lines++
    if (number("memory_instructions") > number("memory_transactions") || number("memory_efficiency") > 1 ||
        number("shared_instructions") > number("shared_passes") || number("shared_efficiency") > 1)
        wrong = wrong "\n" $0
}
END { print (lines < 2 ? "nothing counted" : wrong ? "differs" wrong : "agrees") }
