#!/bin/sh
# examples_test.sh -- the host programs of examples/, through the system's loader, on the simulated GPU.
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
[ -e "$B/libventus-opencl.so" ] && [ -e "$B/ventus-cc1" ] ||
    { echo 'this build has no compiler or no OpenCL runtime'; exit 77; }
make -s B="$B" ${m:+m=$m} ${CC:+CC="$CC"} examples >/dev/null || exit 1
bad=0 n=0
for e in examples/*.c; do
    n=$((n + 1))
    name=$(basename "$e" .c)
    printf '%s\n' "$(OCL_ICD_VENDORS=$PWD/$B/ventus.icd timeout 120 "$B/examples/$name" 2>&1)" >"$B/example.out"
    grep -qx "$name: passed" "$B/example.out" && continue
    echo "$name:"
    cat "$B/example.out"
    bad=1
done
# a value of a variable that cannot be used is said, and there is no device then
for wrong in VENTUS_EXPORT_REPLAY=/no/such/directory VENTUS_TIMEOUT=5s VENTUS_DEVICES=99 VENTUS_LANES=sse VENTUS_CHECK=bound; do
    n=$((n + 1))
    ! env "$wrong" OCL_ICD_VENDORS="$PWD/$B/ventus.icd" timeout 120 "$B/examples/mandelbrot" >"$B/example.out" 2>&1 &&
        grep -q "^ventus: error: ${wrong%=*}: .*${wrong#*=}" "$B/example.out" && ! grep -qx '' "$B/example.out" && continue
    echo "$wrong:"
    cat "$B/example.out"
    bad=1
done
n=$((n + 1))
grep -q "'bound' is no check; there are all, bounds," "$B/example.out" || { echo 'the checks that there are, of:'; cat "$B/example.out"; bad=1; }
# one that the compiler reads is in the log of the build
n=$((n + 1))
VENTUS_DUMP=q OCL_ICD_VENDORS="$PWD/$B/ventus.icd" timeout 120 "$B/examples/mandelbrot" >"$B/example.out" 2>&1
grep -q "^error: 'q' in 'q' (-d, VENTUS_DUMP) names no view" "$B/example.out" || { echo 'VENTUS_DUMP=q:'; cat "$B/example.out"; bad=1; }
# what was built before starts no compiler
n=$((n + 1))
d=$(mktemp -d)
printf '#!/bin/sh\necho >>"%s/starts"\nexec "%s/ventus-cc1" "$@"\n' "$d" "$(cd "$B" && pwd)" >"$d/cc1"
chmod +x "$d/cc1"
for run in first second; do
    VENTUS_CC_PROGRAM="$d/cc1" VENTUS_CACHE= VENTUS_CACHE_DIR="$d/cache" OCL_ICD_VENDORS="$PWD/$B/ventus.icd" timeout 120 "$B/examples/vecadd" >"$B/example.out" 2>&1
    grep -qx "vecadd: passed" "$B/example.out" && [ "$(wc -l <"$d/starts")" -eq 1 ] && continue
    echo "the $run run of vecadd; compilers started so far: $(wc -l <"$d/starts")"
    bad=1
done
rm -rf "$d"
rm -f "$B/example.out"
echo "$n programs"
exit $bad
