# examples.awk: of Markdown pages, a shell script that runs what they show. A line `    $ kernc …` is a command; the lines
# below it, up to one that is not indented so, are what it prints, on both streams: each is the beginning of a line, after
# the one before; `…` may stand for any lines. A file of a command that is no path is the Kern block before its first use
# in the page.
function quoted(s) { gsub(/'/, "'\\''", s); return "'" s "'" }
function finish()
{
    if (command == "")
        return
    if (match(command, /[ ][a-z]+\.kern/)) {
        name = substr(command, RSTART + 1, RLENGTH - 1)
        if (!((FILENAME, name) in blocks))
            blocks[FILENAME, name] = block
        print "printf %s " quoted(blocks[FILENAME, name]) " > " name
    }
    print "(" command ") > out 2>&1"
    print "printf %s " quoted(shown) " > shown"
    print "follow " quoted(FILENAME ":" at ": " command)
    command = shown = ""
}
BEGIN {
    print "follow() {"
    print "    awk -v what=\"$1\" 'NR == FNR { if ($0 !~ /^ *…$/) want[++n] = $0; next }"
    print "        found < n && index($0, want[found + 1]) == 1 { found++ }"
    print "        END { print what; if (found < n) print \"not so: \" want[found + 1] }' shown out"
    print "}"
}
FNR == 1 { finish(); inside = 0 }
/^```/ { finish(); inside = /^```kern/; if (inside) block = ""; next }
inside { block = block $0 "\n"; next }
/^    \$ (\.\/)?kernc / {
    finish()
    command = $0
    at = FNR
    sub(/^    \$ (\.\/)?/, "", command)
    next
}
command != "" && /^    / { shown = shown substr($0, 5) "\n"; next }
{ finish() }
END { finish() }
