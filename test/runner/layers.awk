# layers.awk -- who uses whom, and whether layers.txt allows it.
#
# Reads four kinds of lines, each with its kind in front, and prints what is not allowed:
#
#     may FROM: TO TO ...                     a line of layers.txt
#     include PLACE FILE                      a file includes "FILE"
#     symbol FROM U|D NAME                    an object of a directory uses (U) or defines (D) an external symbol
#     sees FROM HEADER                        a source of a directory includes a header, perhaps through others
#     name HEADER NAME                        a header defines a macro, type, constant or inline function
#     word PLACE NAME                         a source has this name in its code
#
# A name counts where the header that defines it is seen and is the only one of those seen to define it, so that
# a header which comes in through another's is found when somebody uses it, and else is no matter.

function directory(path,    part) { return split(path, part, "/") && part[1] == "src" ? part[2] : part[1] }
function allowed(from, to) { return from == to || index(may[from], " * ") || index(may[from], " " to " ") }
function refuse(text) { print text; bad = 1 }

$1 == "may" {
    sub(/#.*/, "")
    if (NF < 2) next
    from = $2
    sub(/:$/, "", from)
    may[from] = " "
    for (i = 3; i <= NF; i++) may[from] = may[from] $i " "
}
$1 == "include" {
    counted++
    from = directory($2)
    if (!index($3, "/")) {
        if (from != "test") refuse($2 ": write \"dir/" $3 "\"")
    } else if (directory($3) != "ventus") {
        if (!(from in may)) refuse($2 ": " from " is not in layers.txt")
        else if (!allowed(from, directory($3))) refuse($2 ": " from " may not include " directory($3))
    }
}
$1 == "symbol" && $3 == "D" {
    if (!($4 in where)) where[$4] = $2
    if (where[$4] != $2) where[$4] = "*"
}
$1 == "symbol" && $3 == "U" { uses[$2, $4] }
$1 == "sees" { sees[$2, $3] }
$1 == "name" { headers[$3] = headers[$3] " " $2 }
$1 == "word" && ($3 in headers) {
    from = directory($2)
    if ((from, $3) in told) next
    told[from, $3]
    to = ""
    n = split(headers[$3], header, " ")
    for (i = 1; i <= n; i++) {
        if (!((from, header[i]) in sees)) continue
        if (allowed(from, directory(header[i]))) next
        to = header[i]
    }
    if (to) refuse($2 ": " from " may not use " directory(to) ": " $3 " (" to ")")
}
END {
    for (k in uses) {
        split(k, use, SUBSEP)
        if (!(use[2] in where) || where[use[2]] == "*") continue
        symbols++
        if (!allowed(use[1], where[use[2]])) refuse("an object of " use[1] " uses " use[2] ", which is " where[use[2]] "'s")
    }
    if (!bad) print counted + 0 " includes, " symbols + 0 " symbols"
    exit bad
}
