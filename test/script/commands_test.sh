#!/bin/sh
# commands_test.sh -- the commands in the documents do what the documents show.
#
# In the indented blocks of the files below a line that begins with `$` is a command, and
# what follows it is its output, where `...` stands for any lines; without any, it must succeed.
# Addresses and the instruction of a fault may be others: they are the compiler's of the day.
# `$ cat NAME` with a text after it makes that file.  Everything runs in one directory a document,
# which looks like the root of the sources.  Sessions with gdb are gdb_test.sh's.
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
[ -e "$B/ventus-cc1" ] && [ -e "$B/libventus-opencl.so" ] ||
    { echo 'this build has no compiler or no OpenCL runtime'; exit 77; }
root=$PWD bad=0 n=0
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
unset MAKEFLAGS MFLAGS
VENTUS_CACHE=0
export VENTUS_CACHE

split() { # DOCUMENT: one N.sh and N.want for each command
    awk -v to="$2" '
        function file(suffix) { return sprintf("%s/%03d.%s", to, n, suffix) }
        !/^    / { on = 0; next }
        { line = substr($0, 5) }
        line ~ /^\$ .*gdb/ { on = 0; next }
        line ~ /^\$ / { n++; on = 1; more = 1; line = substr(line, 3); printf "" >file("want") }
        !on { next }
        more { print line >file("sh"); more = line ~ /[\\|]$/; next }
        { print line >file("want") }' "$1"
}

same() { # WANT GOT
    awk '{ gsub(/0x[0-9a-f]+/, "0x"); sub(/^  instruction .*/, "  instruction") }
         NR == FNR { want[++n] = $0; next }
         want[k + 1] == "..." { k++; any = 1 }
         k < n && want[k + 1] == $0 { k++; any = 0; next }
         !any { exit bad = 1 }
         END { k += want[k + 1] == "..."; exit bad || k != n }' "$1" "$2"
}

make() { command make -s -C "$root" B="$B" ${m:+m=$m} ${CC:+CC="$CC"} "$@" >/dev/null; }

try() { # STEM
    read -r word name rest <"$1.sh"
    if [ "$word" = cat ] && [ ! "$rest" ] && [ ! -e "$name" ]; then
        cp "$1.want" "$name"
        return 0
    fi
    # shellcheck disable=SC1090
    (. "$1.sh") >"$1.got" 2>&1
    status=$?
    [ -s "$1.want" ] || return $status
    same "$1.want" "$1.got"
}

for doc in README.md doc/tutorial.md doc/debugging.md; do
    dir=$t/$(basename "$doc" .md)
    mkdir "$dir" "$dir/root"
    ln -s "$root"/* "$dir/root"
    ln -sfn "$root/$B" "$dir/root/build"
    split "$doc" "$dir"
    cd "$dir/root" || exit 1
    for c in "$dir"/*.sh; do
        n=$((n + 1))
        try "${c%.sh}" </dev/null && continue
        echo "$doc:"
        cat "$c" && cat "${c%.sh}.got"
        bad=1
    done
    # README.md promises that it writes into build/ only; everything else in its root is a link
    if [ "$doc" = README.md ] && [ "$(find "$dir/root" -mindepth 1 -maxdepth 1 ! -type l)" ]; then
        echo "$doc: its commands leave files:" && find "$dir/root" -mindepth 1 -maxdepth 1 ! -type l
        bad=1
    fi
    cd "$root" || exit 1
done
echo "$n commands"
exit $bad
