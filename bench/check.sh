#!/bin/sh
# check.sh -- what the checks cost (doc/checking.md): each kernel of bench/check.cl by the
# interpreter on one thread, without and with all checks; and with all checks beside Oclgrind, if it
# is installed, with its checks for races and values that nobody wrote.  Oclgrind is slow, so these two
# run fewer work-items.  Seconds are processor time of the program, with starting, the least of N runs.
#
#   B=build   the build to measure
#   N=3       runs, of Oclgrind one
#   OTHERS=1  0: only ours
b=${B:-build} n=${N:-3} tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$(dirname "$0")/.." || exit 1

# seconds and peak MiB
least() { # RUNS COMMAND...
    runs=$1
    shift
    i=0
    while [ $i -lt "$runs" ]; do
        /usr/bin/time -f '%U %M' -o "$tmp/time" "$@" >"$tmp/out" 2>&1 || { cat "$tmp/out" >&2; echo failed; return; }
        cat "$tmp/time"
        i=$((i + 1))
    done | sort -n | awk 'NR == 1 { print $1, $2 / 1024 }'
}

ours() { # WORK-ITEMS KERNEL ARGS [OPTION]
    # shellcheck disable=SC2046,SC2086 # arguments are several words; N is the number of work-items
    least "$n" "$b/ventus" run --engine interp -j 1 -k "$2" -g "$1" -l 64 $(echo "$3" | sed "s/N/$1/g") $4 bench/check.cl
}

theirs() { # WORK-ITEMS KERNEL ARGS
    printf '%s\n%s\n%s 1 1\n64 1 1\n' bench/check.cl "$2" "$1" >"$tmp/sim"
    echo "$3" | tr ' ' '\n' | sed -n "s/^buf:.*/<size=$(($1 * 4)) fill=1>/p; s/^local:\(.*\)/<size=\1>/p" >>"$tmp/sim"
    least 1 oclgrind-kernel --data-races --uninitialized "$tmp/sim"
}

others=${OTHERS:-1}
command -v oclgrind-kernel >/dev/null || others=0
cpu=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -1)
echo "machine   $cpu"
echo "version   $(git describe --always --dirty 2>/dev/null), the least of $n runs"
echo
printf '%-10s %6s %7s %7s %6s %6s %6s    %6s %7s %8s %6s\n' kernel items interp checks ratio MiB MiB \
    items checks Oclgrind ratio
while read -r kernel many few args; do
    plain=$(ours "$many" "$kernel" "$args")
    all=$(ours "$many" "$kernel" "$args" --check)
    small='- -' other='- -'
    if [ "$others" = 1 ]; then
        small=$(ours "$few" "$kernel" "$args" --check)
        other=$(theirs "$few" "$kernel" "$args")
    fi
    echo "$plain $all $small $other" | awk -v k="$kernel" -v m="$many" -v f="$few" '{
        printf "%-10s %6d %7.2f %7.2f %6.1f %6.0f %6.0f", k, m, $1, $3, $3 / $1, $2, $4
        if ($7 != "-") printf "    %6d %7.2f %8.1f %6.0f", f, $5, $7, $7 / ($5 > 0 ? $5 : 0.01)
        print ""
    }'
done <<END
mandel    262144 16384 -a buf:i32:N
tiles     131072 8192  -a buf:i32:N -a buf:i32:N=iota -a local:256
stream    1048576 32768 -a buf:f32:N -a buf:f32:N=1 -a buf:f32:N=1
histogram 524288 16384 -a buf:i32:N -a buf:i32:N=iota
END
