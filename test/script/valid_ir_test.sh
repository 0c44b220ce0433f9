#!/bin/sh
# valid_ir_test.sh -- machine IR of whole programs keeps its rules, and says all there is: as text, read again, it
# becomes the same instructions as the program itself.  Each pass that can be turned off changes one of them, but not at
# -O0.
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
    cp "$t/x.ir" "$t/$f.ir"
    n=$((n + 1))
done

# a sum of two values that a loop carries
cat >"$t/sum.ir" <<'END'
kernel @k {
b0:
    %1 = lane
    %2 = csr #0x804
    %3 = csr #0x805
    jump b1
b1:
    %10 = phi b0 0, b3 %23
    %11 = phi b0 %2, b3 %20
    %12 = phi b0 %3, b3 %21
    %13 = load word global [%1]
    br eq %13, 0 -> b2, b3
b2:
    %14 = load word global [%1 + 4]
    %15 = load word global [%1 + 8]
    jump b3
b3:
    %20 = phi b1 %11, b2 %14
    %21 = phi b1 %12, b2 %15
    %22 = add %20, %21
    store word global %22, [%1 + 12]
    %23 = add %10, 1
    br lt %23, 9 -> b1, b4
b4:
    ret
}
END
same() { # LEVEL PASS FILE: whether the code is the same without the pass
    "$B/ventus" cc -O"$1" -S -o "$t/with.s" "$t/$3.ir" && "$B/ventus" cc -O"$1" -f "no-$2" -S -o "$t/without.s" "$t/$3.ir" &&
        cmp -s "$t/with.s" "$t/without.s"
}
passes=$("$B/ventus" cc --help | sed -n '/^PASS of/,$s/^  \([a-z]*\) .*/\1/p')
for pass in $passes; do
    case $pass in
    verify) continue ;; # only proves
    chain) file=vec ;;
    meet) file=flow ;;
    carry) file=sum ;;
    *) file=algo ;;
    esac
    ! same 2 "$pass" $file || { echo "-O2 does not $pass"; exit 1; }
    same 0 "$pass" $file || { echo "-O0 does $pass"; exit 1; }
    n=$((n + 1))
done
echo "$n programs and passes"
