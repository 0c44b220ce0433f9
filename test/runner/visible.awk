# visible.awk -- of the variables that a debugger is asked for at each statement, how many it can show.
#
#   llvm-dwarfdump --debug-info X >info; llvm-dwarfdump --debug-line X >line
#   awk -f visible.awk SOURCE info line
#
# A question is a statement of the line table, an address where a line begins, with a variable in scope
# there whose declaration stands on a line before, so that it has a value; parameters always have.  Calls
# that were inlined count with their own variables.  A question is live if the function still mentions
# the variable on that line or behind it, or in a loop around it (as lines are indented).  Prints
# questions, those with a location at the address, live ones, and those of these with a location.
function hex(s) { sub(/^0x0*/, "", s); return sprintf("%16s", s) } # compares as a number does
function within(die, at,    k) {
    for (k = 1; k <= ranges[die]; k++)
        if (low[die, k] <= at && at < high[die, k])
            return 1
    return 0
}
function located(v, at,    k) {
    if (everywhere[v])
        return 1
    for (k = 1; k <= places[v]; k++)
        if (from[v, k] <= at && at < to[v, k])
            return 1
    return 0
}
function declared(v) { return line_of[v] ? line_of[v] : line_of[origin[v]] }
function named(v) { return name[v] != "" ? name[v] : name[origin[v]] }
function words(text, row,    w) {
    sub(/\/\/.*/, "", text)
    while (match(text, /[A-Za-z_][A-Za-z_0-9]*/)) {
        w = substr(text, RSTART, RLENGTH)
        mentions[w] = mentions[w] " " row
        text = substr(text, RSTART + RLENGTH)
    }
}
# the line of the outermost loop around a line
function loop_around(row,    k, indent, found) {
    found = row
    indent = depth_of[row]
    for (k = row - 1; k > 0 && indent > 0; k--)
        if (filled[k] && depth_of[k] < indent) {
            indent = depth_of[k]
            if (is_loop[k])
                found = k
        }
    return found
}
function is_live(v, row,    list, n, k, first, last) {
    first = loop_around(row)
    for (last = row; last < nlines && !closes[last]; last++) {}
    n = split(mentions[named(v)], list, " ")
    for (k = 1; k <= n; k++)
        if (list[k] + 0 >= first && list[k] + 0 <= last)
            return 1
    return 0
}

# 1. the source
FILENAME == ARGV[1] {
    nlines = FNR
    match($0, /^[ \t]*/)
    depth_of[FNR] = RLENGTH
    filled[FNR] = $0 ~ /[^ \t]/
    is_loop[FNR] = $0 ~ /(^|[^a-zA-Z_])(for|while|do)([^a-zA-Z_0-9]|$)/
    closes[FNR] = $0 ~ /^}/
    words($0, FNR)
    next
}

# 2. entries: scopes with their ranges, variables with their places
FILENAME == ARGV[2] && /^0x[0-9a-f]+: +(DW_TAG_|NULL)/ {
    match($0, /: +/)
    level = RLENGTH
    die = substr($1, 1, length($1) - 1)
    die = hex(die)
    at_level[level] = die
    parent[die] = level > 3 ? at_level[level - 2] : ""
    tag[die] = $2
    if ($2 == "DW_TAG_variable" || $2 == "DW_TAG_formal_parameter")
        variable[++nvariables] = die
    if ($2 == "DW_TAG_subprogram" || $2 == "DW_TAG_inlined_subroutine")
        call[++ncalls] = die
    attribute = ""
    next
}
FILENAME == ARGV[2] {
    if ($1 ~ /^DW_AT_/)
        attribute = $1
    value = $0
    sub(/^[^(]*\(/, "", value)
    sub(/\)$/, "", value)
    if ($1 == "DW_AT_name") { gsub(/"/, "", value); name[die] = value }
    else if ($1 == "DW_AT_decl_line") line_of[die] = value + 0
    else if ($1 == "DW_AT_call_line") call_line[die] = value + 0
    else if ($1 == "DW_AT_abstract_origin") origin[die] = hex(substr(value, 1, 10))
    else if ($1 == "DW_AT_low_pc") { ranges[die] = 1; low[die, 1] = hex(value) }
    else if ($1 == "DW_AT_high_pc") high[die, 1] = hex(value)
    else if ($1 == "DW_AT_const_value") everywhere[die] = 1
    else if ($1 == "DW_AT_location" && value ~ /^DW_OP/) everywhere[die] = 1
    else if (match($0, /\[0x[0-9a-f]+, 0x[0-9a-f]+\)/)) {
        split(substr($0, RSTART + 1, RLENGTH - 2), pair, ", ")
        if (attribute == "DW_AT_ranges") {
            low[die, ++ranges[die]] = hex(pair[1])
            high[die, ranges[die]] = hex(pair[2])
        } else if (attribute == "DW_AT_location" && $0 ~ /DW_OP/) {
            from[die, ++places[die]] = hex(pair[1])
            to[die, places[die]] = hex(pair[2])
        }
    }
    next
}

# 3. statements
FILENAME == ARGV[3] && /^0x[0-9a-f]+ .*is_stmt/ && !/end_sequence/ && $2 > 0 && !(($1, $2) in done) {
    done[$1, $2] = 1
    ask(hex($1), $2 + 0)
}
function owner(v) {
    for (v = parent[v]; v != "" && tag[v] !~ /subprogram|inlined/; v = parent[v]) {}
    return v
}
function in_scope(v, at) {
    for (v = parent[v]; v != "" && tag[v] !~ /subprogram|inlined/; v = parent[v])
        if (ranges[v] && !within(v, at))
            return 0
    return 1
}
function ask(at, row,    k, last, v, f, here) {
    last = ""
    split("", here)
    for (k = 1; k <= ncalls; k++) # outer ones first
        if (within(call[k], at)) {
            if (last != "")
                here[last] = call_line[call[k]]
            last = call[k]
            here[last] = row
        }
    for (k = 1; k <= nvariables; k++) {
        v = variable[k]
        f = owner(v)
        if (!(f in here) || !in_scope(v, at) ||
            (tag[v] !~ /parameter/ && declared(v) >= here[f]))
            continue
        asked++
        shown += located(v, at)
        if (is_live(v, here[f])) {
            live++
            live_shown += located(v, at)
        }
    }
}
END { print asked + 0, shown + 0, live + 0, live_shown + 0 }
