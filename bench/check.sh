#!/bin/sh
# check.sh -- what the checks cost (doc/checking.md): each kernel of bench/check.cl by the
# interpreter on one thread, with all checks, and by Oclgrind, if it is installed, with its checks
# for races and values that nobody wrote; seconds, with starting, the least of N runs.
#
#   B=build   the build to measure
#   N=3       runs
#   OTHERS=1  0: only ours
b=${B:-build} n=${N:-3} tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$(dirname "$0")/.." || exit 1

least() { # COMMAND...
    i=0
    while [ $i -lt "$n" ]; do
        from=$(date +%s%N)
        "$@" >"$tmp/out" 2>&1 || { cat "$tmp/out" >&2; echo failed; return; }
        to=$(date +%s%N)
        echo $((to - from))
        i=$((i + 1))
    done | sort -n | head -1 | awk '{ printf "%.2f\n", $1 / 1e9 }'
}

# peak memory in MiB
memory() {
    /usr/bin/time -f %M "$@" 2>&1 >/dev/null | tail -1 | awk '{ printf "%.0f\n", $1 / 1024 }'
}

echo "load $(cut -d' ' -f1 /proc/loadavg); seconds: interpreter, all checks, ratio, Oclgrind, ratio to all checks; MiB without and with"
while read -r kernel global args; do
    set -- run --engine interp -j 1 -k "$kernel" -g "$global" -l 64 $args bench/check.cl
    plain=$(least "$b/ventus" "$@")
    all=$(least "$b/ventus" "$@" --check)
    small=$(memory "$b/ventus" "$@") large=$(memory "$b/ventus" "$@" --check)
    other=-
    if [ "${OTHERS:-1}" = 1 ] && command -v oclgrind-kernel >/dev/null; then
        {
            printf '%s\n%s\n%s 1 1\n64 1 1\n' bench/check.cl "$kernel" "$global"
            for a in $args; do
                case $a in
                buf:*) echo "<size=$((global * 4)) fill=1>" ;;
                bins:*) echo '<size=1024 fill=0>' ;;
                local:*) echo '<size=256>' ;;
                esac
            done
        } >"$tmp/sim"
        other=$(N=1; n=1; least oclgrind-kernel --data-races --uninitialized "$tmp/sim")
    fi
    echo "$kernel $plain $all $other $small $large" |
        awk '{ printf "%-10s %6s %6s %5.1f %8s %6s %6s %6s\n", $1, $2, $3, $3 / $2, $4, $4 == "-" ? "-" : sprintf("%.0f", $4 / $3), $5, $6 }'
done <<END
mandel    16384  -a buf:i32:16384
tiles     4096   -a buf:i32:4096 -a buf:i32:4096=iota -a local:256
stream    16384  -a buf:f32:16384 -a buf:f32:16384=1 -a buf:f32:16384=1
histogram 16384  -a buf:i32:16384 -a buf:i32:16384=iota
END
