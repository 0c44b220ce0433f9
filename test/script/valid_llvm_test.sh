#!/bin/sh
# valid_llvm_test.sh -- what our passes leave of a program is LLVM IR by LLVM's own judgement (llvm-as): values of one
# type where one is wanted, nothing used before it is made.  The lowering reads more than that, so a mistake need not show.
B=${B:-build}
config=${LLVM_CONFIG:-llvm-config-19}
command -v "$config" >/dev/null && [ -e "$B/ventus-cc1" ] || { echo "no $config"; exit 77; }
as=$("$config" --bindir)/llvm-as
t=$(mktemp -d) n=0
trap 'rm -rf "$t"' EXIT
for f in test/cc/*.cl; do
    case $f in test/cc/bad_*) continue ;; esac
    std=CL3.0
    grep -qs CL2.0 "test/cc/ocl_$(basename "$f" .cl)_test.c" && std=CL2.0
    "$B/ventus" cc -w -cl-std=$std --emit-llvm -o "$t/x.ll" "$f" || { echo "$f does not compile"; exit 1; }
    "$as" -o "$t/x.bc" "$t/x.ll" || { echo "$f"; exit 1; }
    n=$((n + 1))
done
# it would refuse what is none
sed '/^ *ret void/s/void/i32 %nothing/' "$t/x.ll" >"$t/bad.ll"
! "$as" -o "$t/x.bc" "$t/bad.ll" 2>/dev/null || { echo 'nothing is refused'; exit 1; }
echo "$n programs"
