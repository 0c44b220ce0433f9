#!/bin/sh
# layers.sh -- the directions of dependence, and what is for tool/ alone.
#
# Every `#include "dir/file.h"` must be allowed by layers.txt, every external symbol of another directory that the objects of a
# build (B) use, and every macro, type, constant and inline function of a header, whoever included it.  Nothing in
# src prints on stdout or stderr or ends the process (but base, for our own mistakes, proc, in processes that it
# forked, and the OpenCL runtime's hostio.c, for what kernels print), and the library has no variable that can change (where B is a
# build without sanitizers).
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
bad=0
out=$(mktemp)
trap 'rm -f "$out"' EXIT

# the objects of B whose source there is
objects() { for f in src/*/*.c; do [ -e "$B/${f%.c}.o" ] && echo "$B/${f%.c}.o"; done; }
facts() {
    sed 's/^/may /' test/runner/layers.txt
    find src host tool test -name '*.[ch]' -o -name '*.def' | sort | xargs grep -Hn '^ *# *include *"' |
        sed 's/^\([^:]*:[0-9]*\):[^"]*"\([^"]*\)".*/include \1 \2/'
    objects | xargs -r nm -A -g | sed "s,^$B/src/\([a-z]*\)/[^:]*:,\1 ," |
        awk '{ print "symbol", $1, $(NF - 1) == "U" ? "U" : "D", $NF }'
    for f in $(objects); do
        d=$(basename "$(dirname "$f")")
        tr -s ' \\' '\n' <"${f%.o}.d" | sed -n "s,^\(src/.*\.h\)\$,sees $d \1,p"
    done | sort -u
    awk -v want=name -f test/runner/names.awk src/*/*.h
    awk -v want=word -f test/runner/names.awk src/*/*.[ch]
}
facts | awk -f test/runner/layers.awk >"$out" || bad=1

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
