#!/bin/sh
# engines_test.sh -- kernels of test/run by host code beside the interpreter (`--shadow`), on each level of the host's vector
# instructions, quick code and optimised code.
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
"$B/ventus" info | grep -q '^engine shadow:' || { echo 'this build makes no host code'; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export B VENTUS_ENGINE=shadow VENTUS_CACHE_DIR="$dir"
n=0
try() { # TIER LEVEL NAME...
    tier=$1 level=$2
    shift 2
    files=$(printf ' test/run/%s.s' "$@")
    # shellcheck disable=SC2086
    VENTUS_JIT_TIER=$tier VENTUS_LANES=$level sh test/runner/run.sh $files >"$dir/out" || {
        echo "$tier code, $level:"
        cat "$dir/out"
        exit 1
    }
    n=$((n + $(sed -n '$s/ .*//p' "$dir/out")))
}
try quick avx512 atomics bfs collatz divide fault_barrier fault_load fault_null histogram life loops lrsc partial private \
    reduce scan tiles transpose
try quick avx2 bfs divide fault_load private reduce saxpy
try quick base bfs divide fault_load private reduce saxpy
try full avx512 if_else saxpy scatter signs strided tiles
try full avx2 scatter tiles
try full base scatter tiles

# what orders memory is in the code that LLVM gets, and is left by it: a store to a lock must not move before it
cat >"$dir/fence.s" <<'END'
    .kernel k
k:
    lw      t0, 0(a0)
    lw      t1, 4(a0)
    li      t2, 1
    sw      t2, 0(t0)
    fence   rw, rw
    sw      x0, 0(t1)
    ret
END
for tier in quick full; do
    mkdir "$dir/$tier"
    VENTUS_JIT_DUMP=$dir/$tier VENTUS_JIT_TIER=$tier VENTUS_CACHE=0 "$B/ventus" run --engine jit -k k -g 1 -l 1 \
        -a buf:i32:1 -a buf:i32:1 "$dir/fence.s" || exit 1
    grep -q '^ *fence seq_cst' "$dir/$tier"/*.optimised.ll || { echo "$tier code has no fence"; exit 1; }
    n=$((n + 1))
done
echo "$n runs"
