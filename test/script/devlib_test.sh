#!/bin/sh
# devlib_test.sh -- kernels on the simulator give the same bits as the device library, compiled for the host, for
# special and for random arguments; whether those are right sees devlib_host_test.sh.
# limit: 900
B=${B:-build}
[ -e "$B/ventus-cc1" ] || { echo 'this build has no compiler'; exit 77; }
unset MAKEFLAGS MFLAGS
A=$B/test/accuracy
make -s B="$B" CC="${CC:-cc}" all "$A/accuracy" "$A/double" || exit 1
t=$(mktemp -d) bad=0 n=0
trap 'rm -rf "$t"' EXIT

on_device() { # PROGRAM TYPE KERNELS: its functions as kernels
    "$A/$1" --write "$t/x" "$t/y" && "$B/ventus" cc -I test/accuracy -o "$t/k.elf" "test/accuracy/$3" || exit 1
    for f in $("$A/$1" --names); do
        n=$((n + 1))
        case $f in native_exp* | native_powr) continue ;; esac    # the machine's own exponential
        "$B/ventus" run -k "k_$f" -g 4096 -l 128 -a "buf:$2:4096=@$t/x" -a "buf:$2:4096=@$t/y" \
            -a "buf:$2:4096>$t/r" "$t/k.elf" && "$A/$1" --compare "$f" "$t/x" "$t/y" "$t/r" || bad=1
    done
}
on_device accuracy f32 accuracy_kernels.cl
on_device double f64 double_kernels.cl
echo "$n functions"
exit $bad
