# Of the metrics of one launch (--stats-json): what the keys of -v keys have, in one line.
{ text = text $0 }
END {
    sub(/"instruction_mix".*/, "", text)
    n = split(keys, key, ",")
    for (i = 1; i <= n; i++)
        if (match(text, "\"" key[i] "\": [^,}]*"))
            printf "%s%s", (i > 1 ? " " : ""), substr(text, RSTART + length(key[i]) + 4, RLENGTH - length(key[i]) - 4)
    print ""
}
