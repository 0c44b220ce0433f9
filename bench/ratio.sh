#!/bin/sh
# ratio.sh -- instructions and cycles of our code against those of public images of the same kernels.
#
#   sh bench/ratio.sh DIRECTORY...
#
#   B=build            the build to measure
#   MACHINE=           also count cycles, of this machine (rtl-direct; doc/timing.md)
#   LIST=1             also a line for each image
#
# Below the directories, checkouts of public Ventus repositories, lie launches in replay form, with the code that the
# public compiler made, and the sources of the kernels.  Each sequence of launches runs as it is, then with the code
# that `ventus cc` makes of the source, all else being the same.  Counted are the instructions of all warps, start code
# included.  Buffers are compared afterwards.  Sequences that are there twice count once.
B=${B:-build}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
[ $# -gt 0 ] || { sed -n "2,/^[^#]/s/^# \{0,1\}//p" "$0"; exit 2; }
[ -x "$B/bench/recode" ] || { echo "ratio.sh: $B/bench/recode is missing: make $B/bench/recode" >&2; exit 2; }
directories=$*

# The source of a kernel below the directories, the name of the program, and the kernels in the order of their launches.
program() { # kernel
    case $1 in
    BFS_[12]) echo "bfs bfs/Kernels.cl BFS_1 BFS_2" ;;
    Fan[12]) echo "gaussian gaussian/gaussianElim_kernels.cl Fan1 Fan2" ;;
    kmeans_*) echo "kmeans kmeans/kmeans.cl kmeans_swap kmeans_kernel_c" ;;
    matadd) echo "matadd matadd/object.cl matadd" ;;
    NearestNeighbor) echo "nn nn/nearestNeighbor_kernel.cl NearestNeighbor" ;;
    nw_kernel1) echo "nw nw/nw.cl nw_kernel1" ;; # not nw_kernel2, whose launches go on with what these leave
    vecadd) echo "vecadd vecadd/4w16t/object.cl vecadd" ;;
    esac
}

options() { # program: of the compiler, as the public host gave them
    [ "$1" = nw ] && echo -DBLOCK_SIZE=16
}

# All launches: directory, stem of the files, kernel, number; the number is empty if the launch stands alone.
launches() {
    find $directories -name '*.metadata' | sed 's/\.metadata$//' | LC_ALL=C sort | while read -r stem; do
        [ -e "$stem.data" ] || continue
        base=${stem##*/} number=
        case $base in
        *_[0-9] | *_[0-9][0-9])
            number=${base##*_} kernel=${base%_*} ;;
        *) kernel=${base%%_*} kernel=${kernel%%[0-9]x[0-9]*} ;;
        esac
        [ "$(program "$kernel")" ] || { kernel=$base number=; }
        [ "$(program "$kernel")" ] && echo "${stem%/*} $stem $kernel $number"
    done
}

# One line a sequence: program, stems.
sequences() {
    launches >"$tmp/launches"
    awk 'NF == 3 { print $3, $2 }' "$tmp/launches" | while read -r kernel stem; do
        echo "$(program "$kernel" | cut -d' ' -f1) $stem"
    done
    awk 'NF == 4 { print $1 }' "$tmp/launches" | uniq | while read -r dir; do
        set -- $(program "$(awk -v d="$dir" 'NF == 4 && $1 == d { print $3; exit }' "$tmp/launches")")
        program=$1
        shift 2
        line=$program number=0
        while awk -v d="$dir" -v n=$number '$1 == d && $4 == n && NF == 4 { yes = 1 } END { exit !yes }' "$tmp/launches"; do
            for kernel; do
                [ -e "$dir/${kernel}_$number.data" ] && line="$line $dir/${kernel}_$number"
            done
            number=$((number + 1))
        done
        echo "$line"
    done
}

# Runs a sequence: prints instructions, and cycles or 0.
count() { # directory of buffers, stem...
    dump=$1
    shift
    mkdir -p "$dump"
    pairs=
    for stem; do
        pairs="$pairs $stem.metadata $stem.data"
    done
    # shellcheck disable=SC2086 # public file names have no blanks
    "$B/ventus" replay --stats=json --stats-file="$tmp/stats" --dump-buffers "$dump" $pairs >/dev/null || return 1
    insns=$(sed -n 's/.*"insns": *\([0-9]*\).*/\1/p' "$tmp/stats" | head -1) cycles=0
    if [ "$MACHINE" ]; then
        # shellcheck disable=SC2086
        "$B/ventus" replay --engine timing --machine "$MACHINE" --stats=json --stats-file="$tmp/stats" $pairs \
            >/dev/null 2>&1 || : >"$tmp/stats"
        cycles=$(sed -n 's/.*"cycles": *\([0-9]*\).*/\1/p' "$tmp/stats" | head -1)
        cycles=${cycles:-0} # the machine has too few warps for it
    fi
    echo "$insns $cycles"
}

# Buffers that hold something else after the two runs, but for those that recode changed.
differing() {
    for file in "$tmp"/public/*; do
        address=${file##*-}
        grep -q "${address%.bin}" "$tmp/changed" || cmp -s "$file" "$tmp/ours/${file##*/}" || printf ' %s' "${file##*/}"
    done
}

# Replaces the code of a sequence; prints the stems of the new files.
recode() { # program stem...
    program=$1
    shift
    for stem; do
        kernel=$(awk -v s="$stem" '$2 == s { print $3 }' "$tmp/launches")
        if [ ! -e "$tmp/$program.elf" ]; then
            source=$(program "$kernel" | cut -d' ' -f2)
            # shellcheck disable=SC2046,SC2086
            "$B/ventus" cc $(options "$program") -o "$tmp/$program.elf" "$(find $directories -path "*/$source" | head -1)" || return 1
        fi
        "$B/bench/recode" "$tmp/$program.elf" "$kernel" "$stem.metadata" "$stem.data" \
            "$tmp/new/${stem##*/}" >>"$tmp/changed" || return 1
        printf ' %s' "$tmp/new/${stem##*/}"
    done
}

# One line an image: program, public instructions and cycles, ours, how many buffers differ, first stem.
images() {
    sequences | while read -r program stems; do
        # shellcheck disable=SC2046,SC2086 # public file names have no blanks
        sum=$(cat $(printf '%s.metadata %s.data ' $(for s in $stems; do echo "$s" "$s"; done)) | md5sum)
        grep -q "$sum" "$tmp/seen" 2>/dev/null && continue
        echo "$sum" >>"$tmp/seen"
        rm -rf "$tmp/public" "$tmp/ours" "$tmp/new" "$tmp/changed"
        mkdir "$tmp/new"
        # shellcheck disable=SC2086
        new=$(recode "$program" $stems) && public=$(count "$tmp/public" $stems) && ours=$(count "$tmp/ours" $new) &&
            echo "$program $public $ours $(differing | wc -w) ${stems%% *}"
    done
}

images >"$tmp/images"
[ "$LIST" ] && cat "$tmp/images"
awk -v machine="$MACHINE" '
    function add(key, ratio) {
        n[key]++; sum[key] += log(ratio)
        if (!(key in best) || ratio < best[key]) best[key] = ratio
        if (ratio > worst[key]) worst[key] = ratio
    }
    function report(what, i) {
        printf "%-11s %6s %14s %7s %7s\n", what, "images", "geometric mean", "best", "worst"
        for (i = 1; i <= nprograms; i++) if (order[i] in n) line(order[i])
        line("all")
    }
    function line(p) { printf "%-11s %6d %14.3f %7.3f %7.3f\n", p, n[p], exp(sum[p] / n[p]), best[p], worst[p] }
    { if (!($1 in known)) { known[$1]; order[++nprograms] = $1 }
      insns[NR] = $4 / $2; program[NR] = $1; if (machine && $3 && $5) cycles[NR] = $5 / $3; differ[$1] += $6 > 0 }
    END {
        for (i = 1; i <= NR; i++) { add(program[i], insns[i]); add("all", insns[i]) }
        report("instructions")
        if (machine) {
            split("", n); split("", sum); split("", best); split("", worst)
            for (i = 1; i <= NR; i++) if (i in cycles) { add(program[i], cycles[i]); add("all", cycles[i]) }
            report("cycles")
        }
        for (i = 1; i <= nprograms; i++) if (differ[order[i]]) printf "%s: buffers of %d images differ\n", order[i], differ[order[i]]
    }' "$tmp/images"
