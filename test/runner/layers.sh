#!/bin/sh
# layers.sh -- the directions of dependence, and what is for tool/ alone.
#
# Every `#include "dir/file.h"` must be allowed by layers.txt; nothing in src prints on
# stdout or stderr or ends the process (but base, for our own mistakes, proc, in processes that it forked, and the
# OpenCL runtime's hostio.c, for what kernels print), and the library has no variable that can change (where B is a
# build without sanitizers).
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
bad=0
out=$(mktemp)
trap 'rm -f "$out"' EXIT

find src host tool test -name '*.[ch]' -o -name '*.def' | sort | xargs grep -Hn '^ *# *include *"' | awk '
    # "from: to to ..." of layers.txt
    FILENAME != "-" {
        sub(/#.*/, "")
        if (split($0, part, ":") == 2) { gsub(/ /, "", part[1]); may[part[1]] = " " part[2] " " }
        next
    }
    {
        split($0, place, ":"); split($0, quoted, "\""); split(place[1], dir, "/")
        from = dir[1] == "src" ? dir[2] : dir[1]
        where = place[1] ":" place[2] ": "
        if (!index(quoted[2], "/")) {
            if (from == "test") next
            print where "write \"dir/" quoted[2] "\""; bad = 1; next
        }
        to = quoted[2]; sub(/\/.*/, "", to)
        if (to == "ventus") next
        if (!(from in may)) { print where from " is not in test/runner/layers.txt"; bad = 1 }
        else if (to != from && !index(may[from], "*") && !index(may[from], " " to " ")) {
            print where from " may not include " to; bad = 1
        }
    }
    END { if (!bad) print FNR " includes"; exit bad }' test/runner/layers.txt - >"$out" || bad=1

# file names are unique, but for x.c and x.h
twice=$(find src host tool test -name '*.[ch]' | grep -v '/internal\.h$' | sed 's,.*/,,' | sort | uniq -d)
[ "$twice" ] && { echo "file names that occur twice: $twice"; bad=1; }

find src -name '*.[ch]' ! -path 'src/base/*' ! -path 'src/proc/*' ! -path src/cl/hostio.c -exec grep -HnE \
    '\b(printf|puts|putchar|vprintf|exit|_exit|abort|perror) *\(|\b(stdout|stderr)\b' {} + && {
    echo 'only tool/ prints and exits'
    bad=1
}

if [ -f "$B/libventus.a" ] && ! nm "$B/libventus.a" 2>/dev/null | grep -q '__asan\|__sanitizer'; then
    size -A "$B/libventus.a" 2>/dev/null | awk '
        / *:$/ || /ex / { object = $1 }
        ($1 ~ /^\.(data|bss|tdata|tbss)(\.|$)/) && $1 !~ /^\.data\.rel\.ro/ && $2 > 0 {
            print object ": " $2 " bytes in " $1 ": a variable that can change"; bad = 1 }
        END { exit bad }' || bad=1
fi
cat "$out"
exit $bad
