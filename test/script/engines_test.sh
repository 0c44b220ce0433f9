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
    reduce scan transpose
try quick avx2 bfs divide fault_load private reduce saxpy
try quick base bfs divide fault_load private reduce saxpy
try full avx512 if_else saxpy scatter signs strided
try full avx2 scatter
try full base scatter
echo "$n runs"
