#!/bin/sh
# valid_ir_test.sh -- machine IR of whole programs keeps its rules, and says all there is: as text, read again, it
# becomes the same instructions as the program itself.
B=${B:-build}
[ -e "$B/ventus-cc1" ] || { echo 'no compiler'; exit 77; }
t=$(mktemp -d) n=0
trap 'rm -rf "$t"' EXIT
# without the comments, which name places in the source
compile() { # OUT FILE OPTION...
    out=$1 file=$2
    shift 2
    "$B/ventus" cc -w "$@" -S -o "$t/all.s" "$file" || { echo "$file is refused"; exit 1; }
    grep -v '^	# ' "$t/all.s" >"$out"
}
for f in algo atomic64 converge flow group int lowering mem print vec; do
    compile "$t/source" "test/cc/$f.cl" -cl-std=CL3.0
    "$B/ventus" cc -w -cl-std=CL3.0 --emit-ir -o "$t/x.ir" "test/cc/$f.cl" || exit 1
    compile "$t/text" "$t/x.ir"
    [ -s "$t/text" ] && cmp "$t/source" "$t/text" || { echo "$f"; exit 1; }
    n=$((n + 1))
done
echo "$n programs"
