# names.awk -- lines for layers.awk: with want=name the macros, types, constants and inline functions that headers
# define; with want=word the names in the code of sources.  Comments and texts are left out.

function code(s) {
    gsub(/"([^"\\]|\\.)*"/, "\"\"", s)
    if (comment && !sub(/^.*\*\//, "", s)) return ""
    comment = 0
    gsub(/\/\*[^*]*\*+([^\/*][^*]*\*+)*\//, " ", s)
    if (sub(/\/\*.*/, "", s)) comment = 1
    sub(/\/\/.*/, "", s)
    return s
}
function last_word(s) { sub(/[^A-Za-z_0-9]*$/, "", s); sub(/.*[^A-Za-z_0-9]/, "", s); return s }
function define(word) { if (word != "") print "name " FILENAME " " word }

FNR == 1 { comment = constants = 0 }
{ s = code($0) }
want == "name" {
    if (match(s, /^ *# *define +[A-Za-z_][A-Za-z_0-9]*/)) { define(last_word(substr(s, 1, RLENGTH))); next }
    if (match(s, /^} [A-Za-z_0-9]+;/)) define(last_word(substr(s, 1, RLENGTH)))
    flat = s
    gsub(/\{[^{}]*\}/, "", flat)
    if (match(flat, /^typedef [^;({]*[;(]/)) define(last_word(substr(flat, 1, RLENGTH)))
    if (match(s, /^static inline [A-Za-z_0-9 *]+\(/)) define(last_word(substr(s, 1, RLENGTH)))
    if (s ~ /^(typedef )?enum/) constants = 1
    if (constants) {
        rest = s
        while (match(rest, /[A-Z][A-Z0-9_]+/)) {
            define(substr(rest, RSTART, RLENGTH))
            rest = substr(rest, RSTART + RLENGTH)
        }
        if (s ~ /}/) constants = 0
    }
}
want == "word" && s !~ /^ *# *include/ {
    while (match(s, /[A-Za-z_][A-Za-z_0-9]*/)) {
        word = substr(s, RSTART, RLENGTH)
        s = substr(s, RSTART + RLENGTH)
        if (!((FILENAME, word) in seen)) print "word " FILENAME ":" FNR " " word
        seen[FILENAME, word]
    }
}
