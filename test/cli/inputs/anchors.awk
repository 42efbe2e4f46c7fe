# anchors.awk: of Markdown pages, links to headings that are not there: "PAGE: LINK". A heading's anchor is its text in small
# letters, without punctuation, with - for blanks.
function folder(path) { return path ~ /\// ? substr(path, 1, match(path, /[^\/]*$/) - 1) : "" }
function page_of(from, to)
{
    to = to == "" ? from : folder(from) to
    while (match(to, /[^\/.]+\/\.\.\//))
        to = substr(to, 1, RSTART - 1) substr(to, RSTART + RLENGTH)
    return to
}
FNR == 1 { code = 0 }
/^```/ { code = !code }
code { next }
/^#+ / {
    anchor = tolower($0)
    sub(/^#+ /, "", anchor)
    gsub(/[^a-z0-9 _-]/, "", anchor)
    gsub(/ /, "-", anchor)
    headings[FILENAME "#" anchor] = 1
    next
}
{
    gsub(/`[^`]*`/, "")
    for (rest = $0; match(rest, /\]\([^):]*#[^)]*\)/);) {
        link = substr(rest, RSTART + 2, RLENGTH - 3)
        rest = substr(rest, RSTART + RLENGTH)
        split(link, part, "#")
        wanted[++n] = page_of(FILENAME, part[1]) "#" part[2]
        where[n] = FILENAME ": " link
    }
}
END {
    for (i = 1; i <= n; i++)
        if (!(wanted[i] in headings))
            print where[i]
    print (n > 40 ? "all looked at" : "too few: " n)
}
