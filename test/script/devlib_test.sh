#!/bin/sh
# devlib_test.sh -- the device library, compiled for the host: exact results, and the accuracy of the others at
# a sample of arguments; `make accuracy STEP=1` looks at all of them.  Then kernels on the simulator must
# give the same bits as the host for special and for random arguments.
B=${B:-build}
[ -e "$B/ventus-cc1" ] || { echo 'this build has no compiler'; exit 77; }
unset MAKEFLAGS MFLAGS
make -s B="$B" CC="${CC:-cc}" all "$B/test/accuracy/exact" "$B/test/accuracy/accuracy" || exit 1
"$B/test/accuracy/exact" && "$B/test/accuracy/accuracy" 1000003 || exit 1

t=$(mktemp -d) bad=0 n=0
trap 'rm -rf "$t"' EXIT
"$B/test/accuracy/accuracy" --write "$t/x" "$t/y" || exit 1
"$B/ventus" cc -I test/accuracy -o "$t/k.elf" test/accuracy/accuracy_kernels.cl || exit 1
for f in $("$B/test/accuracy/accuracy" --names); do
    n=$((n + 1))
    case $f in native_exp* | native_powr) continue ;; esac    # the machine's own exponential
    "$B/ventus" run -k "k_$f" -g 4096 -l 128 -a "buf:f32:4096=@$t/x" -a "buf:f32:4096=@$t/y" \
        -a "buf:f32:4096>$t/r" "$t/k.elf" && "$B/test/accuracy/accuracy" --compare "$f" "$t/x" "$t/y" "$t/r" || bad=1
done
echo "$n functions"
exit $bad
