#!/bin/sh
# mutate.sh [-n N] [-s SEED] [-o DIR] [--quick] PATH... -- do the tests notice small mistakes?
#
# Picks N places (100) of the C sources below the PATHs by chance, changes one operator, constant, condition,
# argument or statement there (mutate.awk), builds that in a copy of the tree, and runs the tests: those of the
# directory first (mutate.txt), then all others (not with --quick), until one fails.  DIR (build-mutate) gets
#
#     table.tsv           number, place, kind, verdict: noticed by TEST, survived, same code, does not compile
#     survivors/N.diff    what was changed and nobody noticed: a test is missing, or nothing that matters changed
#     tree/               the copy
#
# The same seed makes the same mutations of the same sources, and those that the table has already are not tried again: so
# a run that was ended goes on.  A mutation whose machine code is that of the original is counted as none.
cd "$(dirname "$0")/../.." || exit 1
number=100 seed=1 out=build-mutate quick=
while :; do
    case $1 in
    -n) number=$2; shift 2 ;;
    -s) seed=$2; shift 2 ;;
    -o) out=$2; shift 2 ;;
    --quick) quick=1; shift ;;
    *) break ;;
    esac
done
[ $# -gt 0 ] || { sed -n '2,/^cd /s/^# \{0,1\}//p' "$0" >&2; exit 2; }
mkdir -p "$out/survivors" "$out/tree" || exit 1
out=$(cd "$out" && pwd)
touch "$out/table.tsv"
# a mutation may loop for ever
LIMIT=${LIMIT:-60} VENTUS_CACHE_DIR=$out/cache
export LIMIT VENTUS_CACHE_DIR
unset MAKEFLAGS MFLAGS CI T

# 1. a copy of the tree, built; the file that an ended run left changed comes back, newer than what was made of it
git ls-files -z | xargs -0 cp -pu --parents -t "$out/tree" || exit 1
git ls-files | sort >"$out/files"
(cd "$out/tree" && find . -type f ! -path './build/*' | sed 's,^\./,,' | sort | comm -23 - "$out/files" | xargs -r -d '\n' rm)
[ -e "$out/current" ] && cp "$(cat "$out/current")" "$out/tree/$(cat "$out/current")" && rm "$out/current"
cd "$out/tree" || exit 1
# a call with swapped arguments of other types is no mistake that a test must notice
build() { # TARGET...; what the build itself runs may loop for ever too
    timeout -s KILL "${BUILD_LIMIT:-600}" make -s CFLAGS='-g0 -Werror=incompatible-pointer-types -Werror=int-conversion -Werror=discarded-qualifiers' "$@" \
        >"$out/log" 2>&1
}
tests_of() { # FILE: the tests of its directory
    sed 's/#.*//' test/runner/mutate.txt | while IFS=: read -r dir names; do
        # shellcheck disable=SC2086
        case $1/ in "$dir"/*) ls -d $names 2>/dev/null ;; esac
    done | grep -v '\.inc$'
}
# what the tests of a list run; many want no library
programs_of() { # TEST...
    case $* in
    *test/cc/* | *test/opencl/* | *ll_test* | *test/script/*) echo all ;;
    *) echo build/ventus ;;
    esac
    printf '%s\n' "$@" | sed -n 's,^\(.*_test\)\.c$,build/\1,p'
}
# shellcheck disable=SC2046
for p; do build $(programs_of $(tests_of "$p")) || { cat "$out/log"; exit 1; }; done

# 2. the mutations: N lines by chance, and of each one change by chance
find "$@" -name '*.[ch]' -o -name '*.def' | sort | while read -r f; do
    awk -f test/runner/mutate.awk "$f" | sed "s,^,$f	,"
done | awk -F '\t' -v seed="$seed" -v number="$number" '
    # Park and Miller: the same numbers with every awk
    function chance(below) { seed = seed * 16807 % 2147483647; return int(seed / 2147483647 * below) }
    { place = $1 ":" $2
      if (place != last) lines++
      last = place
      change[lines, count[lines]++] = $0 }
    END { seed = seed % 2147483646 + 1
          for (i = 0; i < 3; i++) chance(1)
          for (i = 1; i <= number && i <= lines; i++) {
              do k = 1 + chance(lines); while (k in taken)
              taken[k]
              print i "\t" change[k, chance(count[k])]
          } }' >"$out/mutations"

# 3. each of them
notices() { # TEST...: the first that fails
    for t; do
        case $t in test/cc/*.cl) [ -e "test/cc/ocl_$(basename "$t" .cl)_test.c" ] && continue ;; esac
        sh test/runner/check.sh "$t" >"$out/log" 2>&1 || { echo "$t"; return; }
    done
}
verdict() { # FILE
    case $1 in
    *.c)
        o=build/${1%.c}.o
        cp "$o" "$out/before.o"
        build "$o" || { echo 'does not compile'; return; }
        cmp -s "$o" "$out/before.o" && { echo 'same code'; return; }
        ;;
    esac
    near=$(tests_of "$1")
    # shellcheck disable=SC2046,SC2086
    build $(programs_of $near) || { echo 'does not compile'; return; }
    # shellcheck disable=SC2086
    by=$(notices $near)
    if [ ! "$by" ] && [ ! "$quick" ]; then
        build tests || { echo 'does not compile'; return; }
        sh test/runner/check.sh >"$out/log" 2>&1 || by=$(sed -n 's/^FAIL \([^ :]*\).*/\1/p' "$out/log" | head -n 1)
    fi
    [ "$by" ] && echo "noticed by $by" || echo survived
}
while IFS='	' read -r id file line kind text; do
    grep -q "^$seed\.$id	" "$out/table.tsv" && continue
    cp -p "$file" "$out/original"
    echo "$file" >"$out/current"
    TEXT=$text awk -v line="$line" '{ print NR == line ? ENVIRON["TEXT"] : $0 }' "$out/original" >"$file"
    diff -u --label "$file" --label "$file" "$out/original" "$file" >"$out/diff"
    v=$(verdict "$file")
    case $v in survived) cp "$out/diff" "$out/survivors/$seed.$id.diff" ;; esac
    printf '%s.%s\t%s:%s\t%s\t%s\n' "$seed" "$id" "$file" "$line" "$kind" "$v" | tee -a "$out/table.tsv"
    # now, so that it is newer than what was made of the change
    cp "$out/original" "$file"
    rm "$out/current"
done <"$out/mutations"

awk -F '\t' '{ sub(/ .*/, "", $4); n[$4]++ }
    END { all = n["noticed"] + n["survived"]
          printf "%d of %d mutations noticed (%.1f %%); %d did not compile, %d made the same code\n", n["noticed"], all,
                 all ? 100 * n["noticed"] / all : 0, n["does"], n["same"] }' "$out/table.tsv"
