# tap.awk -- what a C test printed (TAP, by cmocka), as lines of check.sh.
#
# name: the test, status: its exit status, over: the seconds after which it was killed, or empty.  Each group
# begins with its plan, 1..N, and must have N results.  cmocka of Debian 12 says of a skipped test: not ok ... # SKIP;
# the line "# skip: REASON" before it is test/kit/skip.h's.  What else was printed goes with the failure after it.

function ends() {
    if (had == planned && !over && planned) return
    printf "FAIL %s: %s%d results of %d, status %d%s\n", name, over ? "killed after " over " seconds, " : "",
           had, planned, status, had ? ", the last: " last : ""
    printf "%s", text
    bad = 1
}
function result(word, pattern, more) {
    had++
    last = $0
    sub(pattern, "", last)
    print word " " name ": " last more
}

/^1\.\.[0-9]+/ { if (groups++) ends(); planned = substr($1, 4) + 0; had = 0; text = ""; next }
/^# skip: / { why = substr($0, 9); next }
/^(not )?ok .*# SKIP/ { result("SKIP", ".*# SKIP *", ": " (why ? why : "no reason given")); why = text = ""; next }
/^ok / { result("PASS", "^ok [0-9]+ - "); text = failing = ""; next }
/^not ok / { result("FAIL", "^not ok [0-9]+ - "); printf "%s", text; text = ""; bad = failing = 1; next }
failing && /^#/ { print "    " $0; next }
{ text = text "    " $0 "\n"; all = all "    " $0 "\n" }

END {
    if (groups) ends()
    else print "FAIL " name ": gave no result, status " status (over ? ", killed after " over " seconds" : "") "\n" text
    if (groups && status && !bad) print "FAIL " name ": every result is good, but status " status "\n" all
}
