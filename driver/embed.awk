# embed.awk: files as C: rows of their names and texts. awk -f driver/embed.awk FILE... > files.inc

# The parts between a character, joined by what stands for it in a C string (gsub reads backslashes its own way).
function joined(line, between, by,    parts, n, i, out) {
    n = split(line, parts, between)
    out = parts[1]
    for (i = 2; i <= n; i++)
        out = out by parts[i]
    return out
}
function escaped(line) { return joined(joined(joined(line, "\\", "\\\\"), "\"", "\\\""), "?", "\\?") }

FNR == 1 {
    if (NR > 1)
        print "    },"
    name = FILENAME
    sub(/.*share\/report\//, "", name)
    printf "    {\"%s\",\n", name
}
{ printf "     \"%s\\n\"\n", escaped($0) }
END { print "    }," }
