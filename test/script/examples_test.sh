#!/bin/sh
# examples_test.sh -- the host programs of examples/, through the system's loader, on the simulated GPU.
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
[ -e "$B/libventus-opencl.so" ] && [ -e "$B/libventus-cc.so" ] || exit 77
make -s B="$B" ${m:+m=$m} ${CC:+CC="$CC"} examples >/dev/null || exit 1
bad=0
for e in examples/*.c; do
    name=$(basename "$e" .c)
    printf '%s\n' "$(OCL_ICD_VENDORS=$PWD/$B/ventus.icd timeout 120 "$B/examples/$name" 2>&1)" >"$B/example.out"
    grep -qx "$name: passed" "$B/example.out" && continue
    echo "$name:"
    cat "$B/example.out"
    bad=1
done
rm -f "$B/example.out"
exit $bad
