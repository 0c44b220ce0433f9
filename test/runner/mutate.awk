# mutate.awk -- every small mutation of C sources: a line of LINE, KIND, what stands there, and the new line, with tabs
# between them.
#
# Comments, texts, preprocessor lines and tables of includes stay as they are.  What a mutation makes need not
# compile; mutate.sh sees that.

# the line with comments and texts blanked, of the same length
function code(line,    out, i, c, two) {
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1); two = substr(line, i, 2)
        if (comment) { if (two == "*/") { comment = 0; out = out " "; i++ } out = out " "; continue }
        if (quote) {
            if (c == "\\") { out = out " "; i++ } else if (c == quote) quote = ""
            out = out " "; continue
        }
        if (two == "/*") { comment = 1; out = out "  "; i++; continue }
        if (two == "//") break
        if (c == "\"" || c == "'") { quote = c; out = out " "; continue }
        out = out c
    }
    quote = ""
    while (length(out) < length(line)) out = out " "
    return out
}

function offer(kind, at, len, new) {
    print FNR "\t" kind "\t" substr($0, 1, at - 1) new substr($0, at + len)
}

# where the bracket that opens at `at` closes; 0: not on this line
function closing(text, at,    depth, c) {
    for (; at <= length(text); at++) {
        c = substr(text, at, 1)
        if (c == "(") depth++
        if (c == ")" && --depth == 0) return at
    }
    return 0
}

function swap_operators(text,    at, n, op, rest) {
    for (at = 1; at <= length(text); at += n) {
        rest = substr(text, at)
        n = 1
        if (match(rest, /^(<<=|>>=|\+\+|--|->|<<|>>|<=|>=|==|!=|&&|\|\||\+=|-=|\*=|\/=|\|=|&=|\^=|[-+*\/%<>&|^!~])/)) {
            n = RLENGTH
            op = substr(rest, 1, n)
            if (op in swapped && !(n == 1 && op ~ /[-+*\/%<>&|^]/ && (substr(text, at - 1, 1) != " " || substr(rest, 2, 1) != " ")))
                offer("operator", at, n, swapped[op])
        }
    }
}

function change_constants(text,    at, n, rest, before, number) {
    for (at = 1; at <= length(text); at += n) {
        rest = substr(text, at)
        n = 1
        if (match(rest, /^[A-Za-z_][A-Za-z_0-9]*/)) {
            n = RLENGTH
            if (substr(rest, 1, n) == "true") offer("constant", at, n, "false")
            if (substr(rest, 1, n) == "false") offer("constant", at, n, "true")
        } else if (match(rest, /^(0[xX][0-9a-fA-F]+|[0-9]+)/)) {
            n = RLENGTH
            number = substr(rest, 1, n)
            match(rest, /^[0-9a-zA-Z.]+/)
            if (RLENGTH > n && substr(rest, n + 1, RLENGTH - n) !~ /^[uUlL]+$/) { n = RLENGTH; continue } # a float
            offer("constant", at, n, "(" number " + 1)")
            if (number != "0") offer("constant", at, n, "(" number " - 1)")
        }
    }
}

function negate_conditions(text,    at, open, end) {
    for (at = 1; match(substr(text, at), /(^|[^A-Za-z_0-9])(if|while) \(/); at = open + 1) {
        open = at + RSTART + RLENGTH - 2
        end = closing(text, open)
        if (end) offer("condition", open + 1, end - open - 1, "!(" substr($0, open + 1, end - open - 1) ")")
    }
    if (match(text, /^ *return [^;?]*(==|!=|<|>|&&|\|\|)[^;]*;/))
        offer("condition", index(text, "return ") + 7, index(text, ";") - index(text, "return ") - 7,
              "!(" substr($0, index(text, "return ") + 7, index(text, ";") - index(text, "return ") - 7) ")")
}

# a whole statement on a line of its own, not a declaration
function remove_statement(text,    stripped) {
    stripped = text
    gsub(/^ +| +$/, "", stripped)
    if (text !~ /^ / || stripped !~ /;$/ || stripped ~ /^(return|goto|else|case|default|typedef|extern|static|const|struct|enum|do|for|if|while|}|\{)/) return
    if (stripped ~ /^(break|continue);$/ || stripped ~ /^[a-z_][A-Za-z_0-9.>\[\]-]*(\(.*\)| *(.?.?=|\+\+|--).*);$/ || stripped ~ /^(\*|\+\+|--)/)
        if (stripped !~ /^[A-Za-z_0-9]+ \*?[A-Za-z_]/ || stripped ~ /^[a-z_0-9.>\[\]-]+ [-+|&^<>*\/]*= /)
            offer("removed", match(text, /[^ ]/), length(stripped), ";")
}

function swap_arguments(text,    at, open, end, inside, part) {
    for (at = 1; match(substr(text, at), /[a-z_0-9]\([^(),]+, [^(),]+[,)]/); at = open + 1) {
        open = at + RSTART
        end = at + RSTART + RLENGTH - 2
        inside = substr($0, open + 1, end - open - 1)
        if (split(inside, part, ", ") == 2 && part[1] != part[2] && text !~ /cmp\(/ && inside !~ /^(const |u8 |u16 |u32 |u64 |i32 |void |[A-Z][a-z]+ \*)/)
            offer("arguments", open + 1, end - open - 1, part[2] ", " part[1])
    }
}

BEGIN {
    n = split("< <= <= < > >= >= > == != != == && || || && + - - + * + / * % / << >> >> << & | | & ^ & += -= -= += |= &= &= |= ++ -- -- ++ <<= >>= >>= <<= *= += ^= |= ! !! ~ -", word, " ")
    for (i = 1; i < n; i += 2) swapped[word[i]] = word[i + 1]
    swapped["!"] = ""
}
/^ *#/ { continued = /\\$/; next }
continued && FILENAME !~ /\.def$/ { continued = /\\$/ }
{
    text = code($0)
    if (text ~ /^ *$/ || text ~ /^(static |const |extern )*[A-Za-z_0-9]+ \**[a-z_0-9]+\([^;]*;? *$/) next
    swap_operators(text)
    change_constants(text)
    negate_conditions(text)
    remove_statement(text)
    swap_arguments(text)
}
