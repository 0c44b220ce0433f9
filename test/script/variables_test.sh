#!/bin/sh
# variables_test.sh -- what debuggers are told of optimised code: it is DWARF that LLVM's reader finds
# no mistake in, it says where most variables are, and telling it changes no instruction.
#
# `variables_test.sh all` asks that of all programs of test/cc and prints what doc/debugging.md has, also of
# clang's code for this machine.
B=${B:-build}
dump=$(command -v llvm-dwarfdump-19 || command -v llvm-dwarfdump) || { echo "no llvm-dwarfdump"; exit 77; }
[ -e "$B/ventus-cc1" ] || { echo "no compiler"; exit 77; }
t=$(mktemp -d) bad=0 files=0 covered=0 all=0
trap 'rm -rf "$t"' EXIT
fail() { echo "$*"; bad=1; }

# asked SOURCE FILE WHO: adds to the questions of visible.awk under the name WHO
asked() {
    "$dump" --debug-info "$2" >"$t/info" && "$dump" --debug-line "$2" >"$t/line" &&
        echo "$3 $(awk -f test/runner/visible.awk "$1" "$t/info" "$t/line")" >>"$t/asked"
}
# share WHO OF FROM: of the questions of a name, those of one column among another, in percent
share() {
    awk -v who="$1" -v of="$2" -v from="$3" '$1 == who { n += $of; all += $from } END { print int(100 * n / (all ? all : 1)) }' "$t/asked"
}

if [ "$1" = all ]; then
    clang=$(command -v clang-19 || command -v clang)
    for source in test/cc/*.cl; do
        case $source in */bad_*) continue ;; esac
        for level in 0 2; do
            "$B/ventus" cc -w -g -O$level -o "$t/x.elf" "$source" 2>"$t/errors" &&
                "$clang" -x cl -cl-std=CL3.0 -Xclang -cl-ext=+all -w -g -O$level -c -o "$t/x.o" "$source" 2>"$t/errors" &&
                asked "$source" "$t/x.elf" "ventus-O$level" && asked "$source" "$t/x.o" "native-O$level"
        done
    done
    for who in ventus-O0 native-O0 ventus-O2 native-O2; do
        echo "$who: $(grep -c "^$who " "$t/asked") programs, shown $(share $who 3 2) %, of those that are live $(share $who 5 4) %"
    done
    exit
fi

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
    asked "$source" "$t/x.elf" O2
    "$B/ventus" cc -w -g -O0 -o "$t/x.elf" "$source" && asked "$source" "$t/x.elf" O0 || fail "$source: not compiled with -O0"
    all=$((all + $(number 'sum_all_variables(#bytes in parent scope)')))
    covered=$((covered + $(number 'sum_all_variables(#bytes in parent scope covered by DW_AT_location)')))
done
# blocks within blocks, as deep as clang lets them be, of a call that was inlined
awk -v n=250 'BEGIN {
    print "static int f(void) { int never;"
    for (k = 0; k < n; k++) printf "{"
    print "int v = get_global_id(0); return v * 3;"
    for (k = 0; k <= n; k++) printf "}"
    print "\nkernel void k(global int *o) { o[0] = f(); }"
}' >"$t/deep.cl"
"$B/ventus" cc -w -g -o "$t/x.elf" "$t/deep.cl" || fail "deep.cl: not compiled"
"$dump" --debug-info "$t/x.elf" | sed -n '/DW_TAG_inlined_subroutine/,$s/.*DW_AT_name.*("\(.*\)").*/\1/p' | tr '\n' ' ' >"$t/names"
[ "$(cat "$t/names")" = "never v " ] || fail "of a function with 250 blocks, a call has only the variables $(cat "$t/names")"
# an argument whose register is used again is still among the arguments, here at their byte 4
cat >"$t/argument.cl" <<'END'
kernel void k(global int *o, int n)
{
    o[0] = n;
    for (int i = 1; i < 1000; i++) {
        int a = o[i] * 3;
        o[i + 1] = a;
    }
}
END
"$B/ventus" cc -w -g -o "$t/x.elf" "$t/argument.cl" || fail "argument.cl: not compiled"
"$dump" --debug-info --name=n "$t/x.elf" | grep -q 'DW_OP_deref, DW_OP_plus_uconst 0x4)' || fail "nothing finds n where no register has it"
[ $files -ge 4 ] || fail "only $files programs"
[ $((covered * 100)) -ge $((all * 60)) ] || fail "variables are known in $covered of $all bytes only"
[ "$(share O0 5 4)" -ge 95 ] || fail "at -O0 $(share O0 5 4) % of the live variables can be shown at a statement"
[ "$(share O2 5 4)" -ge 60 ] || fail "at -O2 $(share O2 5 4) % of the live variables can be shown at a statement"
[ $bad = 0 ] || exit 1
echo "$files programs, variables known in $((covered * 100 / all)) % of the bytes of their scopes; shown at" \
    "statements: $(share O0 5 4) % at -O0, $(share O2 5 4) % at -O2"
