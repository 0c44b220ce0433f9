#!/bin/sh
# variables_test.sh -- what debuggers are told of optimised code: it is DWARF that LLVM's reader finds
# no mistake in, it says where most variables are, and telling it changes no instruction.
B=${B:-build}
dump=$(command -v llvm-dwarfdump-19 || command -v llvm-dwarfdump) || { echo "no llvm-dwarfdump"; exit 77; }
[ -e "$B/ventus-cc1" ] || { echo "no compiler"; exit 77; }
t=$(mktemp -d) bad=0 files=0 covered=0 all=0
trap 'rm -rf "$t"' EXIT
fail() { echo "$*"; bad=1; }

# code LEVEL OPTION...: the assembly without comments
code() {
    level=$1
    shift
    "$B/ventus" cc -w -O$level "$@" -S -o "$t/x.s" && sed 's/#.*//; /^[[:space:]]*$/d' "$t/x.s"
}
# number KEY: of the statistics
number() { sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p" "$t/statistics"; }

for file in algo flow mem kinds group; do
    source=test/cc/$file.cl
    [ -e "$source" ] || source=test/cc/ocl_$file.cl
    [ -e "$source" ] || continue
    files=$((files + 1))
    for level in 1 2; do
        code $level "$source" >"$t/without" || fail "$source: not compiled"
        code $level -g "$source" >"$t/with" || fail "$source: not compiled with -g"
        cmp -s "$t/without" "$t/with" || fail "$source: -g changes the code of -O$level"
    done
    "$B/ventus" cc -w -g -o "$t/x.elf" "$source" || fail "$source: not compiled"
    "$dump" --verify "$t/x.elf" >"$t/verify" 2>&1 || { fail "$source:"; cat "$t/verify"; }
    "$dump" --statistics "$t/x.elf" >"$t/statistics"
    all=$((all + $(number 'sum_all_variables(#bytes in parent scope)')))
    covered=$((covered + $(number 'sum_all_variables(#bytes in parent scope covered by DW_AT_location)')))
done
[ $files -ge 4 ] || fail "only $files programs"
[ $((covered * 100)) -ge $((all * 60)) ] || fail "variables are known in $covered of $all bytes only"
[ $bad = 0 ] || exit 1
echo "$files programs, variables known in $((covered * 100 / all)) % of the bytes of their scopes"
