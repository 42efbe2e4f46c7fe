# embed.awk: files as C: rows of their names and texts. awk -f driver/embed.awk FILE... > files.inc
function escaped(line) {
    gsub(/\\/, "\\\\", line)
    gsub(/"/, "\\\"", line)
    gsub(/\?\?/, "?\\?", line)
    return line
}
FNR == 1 {
    if (NR > 1)
        print "    },"
    name = FILENAME
    sub(/.*\//, "", name)
    printf "    {\"%s\",\n", name
}
{ printf "     \"%s\\n\"\n", escaped($0) }
END { print "    }," }
