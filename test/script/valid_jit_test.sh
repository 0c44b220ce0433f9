#!/bin/sh
# valid_jit_test.sh -- what LLVM gets of kernels to make host code is LLVM IR by LLVM's own judgement (llvm-as), on each
# level of the host: values of one type where one is wanted, nothing used before it is made.  Without a debugging build
# LLVM takes what is none, and what it makes of that need not show.
B=${B:-build}
config=${LLVM_CONFIG:-llvm-config-19}
command -v "$config" >/dev/null && [ -e "$B/ventus-jit1" ] || { echo "no $config"; exit 77; }
"$B/ventus" info | grep -q '^engine jit:' || { echo 'this build makes no host code'; exit 77; }
as=$("$config" --bindir)/llvm-as
t=$(mktemp -d) n=0
trap 'rm -rf "$t"' EXIT
export VENTUS_CACHE=0 VENTUS_JIT_DUMP="$t"
try() { # LEVEL NAME ARGUMENT...
    level=$1 name=$2
    shift 2
    VENTUS_LANES=$level "$B/ventus" run --engine jit -k "$@" "test/run/$name.s" || { echo "$name does not run"; exit 1; }
    for f in "$t"/*.made.ll; do
        "$as" -o "$t/x.bc" "$f" || { echo "$level, $name: $f"; exit 1; }
        mv "$f" "$t/last"
        n=$((n + 1))
    done
    rm -f "$t"/*.ll
}
try avx2 v25_mma_formats formats --isa v2025 -g 32 -l 32 -a buf:f32:10 -a buf:i32:6 -a buf:i32:1=0
try base scatter scatter -j 1 -g 64 -l 64 -a buf:u32:2=0 -a buf:u32:4096=iota -a buf:u32:4096=7
try avx2 v25_spaces spaces --isa v2025 --threads 16 -g 40 -l 20 -a buf:i32:40 -a buf:i32:8=0
try avx512 v25_pair_clean upper --isa v2025 --threads 32 -g 64 -l 16 -a buf:u32:64=7
try avx512 scatter scatter -j 1 -g 64 -l 64 -a buf:u32:2=0 -a buf:u32:4096=iota -a buf:u32:4096=7
# it would refuse what is none
sed '/^ *store i64 /s/i64/i63/' "$t/last" >"$t/bad"
! "$as" -o "$t/x.bc" "$t/bad" 2>/dev/null || { echo 'nothing is refused'; exit 1; }
echo "$n functions"
