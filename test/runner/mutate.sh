#!/bin/sh
# mutate.sh [-n N] [-s SEED] [-t SECONDS] [-o DIR] [--quick] PATH[=N]... -- do the tests notice small mistakes?
#
# Picks N places (100) of the sources below the PATHs by chance, and N of those below a PATH=N alone, changes one operator, constant, condition,
# argument or statement there (mutate.awk), builds that in a copy of the tree, and runs the tests of the directory
# (mutate.txt) until one fails.  Those that survive (not with --quick) are then made all at once for one run of all tests and
# of those of the hostile build that continuous integration runs (hostile.txt), and the tests that fail in it are tried on each
# alone.  DIR (build-mutate) gets
#
#     table.tsv           number, place, kind, verdict: noticed by TEST, survived (all tests), same code, does not compile
#     survivors/N.diff    what was changed and nobody noticed: a test is missing, or nothing that matters changed
#     logs/N              what the test that noticed it said
#     logs/all, hostile   what all tests said of the survivors together
#     tree/               the copy
#
# The same seed makes the same mutations of the same sources, and those that the table has already are not tried again: so
# a run that was ended, or whose SECONDS were over, goes on.  A mutation whose machine code is that of the original is
# counted as none, and so is one that a person has found to mean nothing: a line of DIR/judged.tsv with its number and the
# reason, with a tab between them.  Tests that fail on the sources as they are end the run at its beginning.
cd "$(dirname "$0")/../.." || exit 1
number=100 seed=1 out=build-mutate quick="" seconds=""
while :; do
    case $1 in
    -n) number=$2; shift 2 ;;
    -s) seed=$2; shift 2 ;;
    -t) seconds=$2; shift 2 ;;
    -o) out=$2; shift 2 ;;
    --quick) quick=1; shift ;;
    *) break ;;
    esac
done
[ $# -gt 0 ] || { sed -n '2,/^cd /s/^# \{0,1\}//p' "$0" >&2; exit 2; }
mkdir -p "$out/survivors" "$out/logs" "$out/tree" "$out/originals" || exit 1
out=$(cd "$out" && pwd)
touch "$out/table.tsv" "$out/judged.tsv"
# a mutation may loop for ever, or wait; other work on the machine must not look like that
cpu=${LIMIT:-60}
LIMIT=$((4 * cpu)) VENTUS_CACHE_DIR=$out/cache
export LIMIT VENTUS_CACHE_DIR
end=$(($(date +%s) + ${seconds:-1000000}))
unset MAKEFLAGS MFLAGS CI T

# 1. a copy of the tree, built; the files that an ended run left changed come back
git ls-files -z | xargs -0 cp -pu --parents -t "$out/tree" || exit 1
git ls-files | sort >"$out/files"
(cd "$out/tree" && find . -type f ! -path './build/*' | sed 's,^\./,,' | sort | comm -23 - "$out/files" | xargs -r -d '\n' rm)
cd "$out/tree" || exit 1
change() { # FILE LINE TEXT
    [ -e "$out/originals/$1" ] || cp --parents "$1" "$out/originals"
    TEXT=$3 awk -v line="$2" '{ print NR == line ? ENVIRON["TEXT"] : $0 }' "$1" >"$out/changed"
    cp "$out/changed" "$1"
}
restore() { # as they were, newer than what was made of the change
    cp -r "$out/originals/." . && rm -rf "$out/originals" && mkdir "$out/originals"
}
restore
# a call with swapped arguments of other types is no mistake that a test must notice
build() { # TARGET...; what the build itself runs may loop for ever too
    timeout -s KILL "${BUILD_LIMIT:-600}" make -s HAS_ARCHIVES= CFLAGS='-g0 -Werror=incompatible-pointer-types -Werror=int-conversion -Werror=discarded-qualifiers' "$@" \
        >"$out/log" 2>&1
}
tests_of() { # FILE: the tests of its directory, in the order in which they stand there
    sed 's/#.*//' test/runner/mutate.txt | while IFS=: read -r dir names; do
        case $1/ in "$dir"/*) for t in $names; do [ -e "$t" ] && echo "$t"; done ;; esac
    done | grep -v '\.inc$' | awk '!seen[$0]++'
}
# what the tests run; many want no library.  All is built at once: to look at what is there takes make longer than a link
programs_of() { # TEST...
    for t; do
        case $t in
        test/script/*) echo all tests ;;
        test/cc/*_test.c | test/opencl/*_test.c | *ll_test.c | *comp_test.c | *jit_*test.c) echo all "build/${t%.c}" ;;
        *_test.c) echo "build/${t%.c}" ;;
        test/cc/* | test/tool/*) echo all ;;
        *) echo build/ventus ;;
        esac
    done | sort -u
}
# shellcheck disable=SC2046
for p; do
    build $(programs_of $(tests_of "${p%=*}")) || { cat "$out/log"; exit 1; }
done

# 2. the mutations: N lines by chance, and of each one change by chance
pick() { # FIRST N PATH...: they are numbered from FIRST
    first=$1 places=$2
    shift 2
    find "$@" -name '*.[ch]' -o -name '*.cl' -o -name '*.def' | sort | while read -r f; do
        awk -f test/runner/mutate.awk "$f" | sed "s,^,$f	,"
    done | awk -F '\t' -v seed="$seed" -v first="$first" -v number="$places" '
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
              print first + i - 1 "\t" change[k, chance(count[k])]
          } }'
}
next=1 together=
for p; do
    case $p in
    *=*) pick $next "${p##*=}" "${p%=*}"; next=$((next + ${p##*=})) ;;
    *) together="$together $p" ;;
    esac
done >"$out/mutations"
# shellcheck disable=SC2086
[ ! "$together" ] || pick $next "$number" $together >>"$out/mutations"

# 3. each of them
notices() { # TEST...: the first that fails
    files=
    for t in "$@" end; do
        case $t in
        test/cc/*.cl) [ -e "test/cc/ocl_$(basename "$t" .cl)_test.c" ] && continue ;;
        esac
        # files of one kind run together, programs one by one
        if [ "$files" ] && [ "$(dirname "$t")" != "$kind" ]; then
            # shellcheck disable=SC2086
            run_some $files && return
            files=
        fi
        case $t in
        end) ;;
        *_test.*) run_some "$t" && return ;;
        *) files="$files $t" kind=$(dirname "$t") ;;
        esac
    done
}
run_some() { # TEST...: whether one fails, which it names
    # CI: a test that suddenly skips has noticed it, too
    (ulimit -t "$cpu" && CI=1 FAIL_FAST=1 sh test/runner/check.sh "$@") >"$out/log" 2>&1 && return 1
    failed "$out/log" | head -n 1 | grep . # nothing: all were skipped
}
failed() { # LOG: the tests that it says have failed
    sed -n 's/^FAIL \([^ :]*\).*/\1/p' "$1" | sort -u | while read -r t; do
        [ -e "$t.c" ] && echo "$t.c" || echo "$t"
    done
}
verdict() { # FILE
    case $1 in
    lib/opencl/*.cl) o=build/devlib/$(basename "$1" .cl).bc ;;
    *.c) o=build/${1%.c}.o ;;
    *) o= ;;
    esac
    if [ "$o" ]; then
        cp "$o" "$out/before.o"
        build "$o" || { echo 'does not compile'; return; }
        cmp -s "$o" "$out/before.o" && { echo 'same code'; return; }
    fi
    near=$(tests_of "$1") by=
    # unit tests first: what the others run takes longer to link
    for part in 'test/unit/' 'test/[^u]'; do
        some=$(echo "$near" | grep "^$part") || continue
        # shellcheck disable=SC2046,SC2086
        build $(programs_of $some) || {
            # what the build itself runs may fail, too, and refuse the texts of start code
            grep -qE '^[^ ]*\.(c|h|def|cl):[0-9:]* error: ' "$out/log" && echo 'does not compile' || echo 'noticed by the build'
            return
        }
        # shellcheck disable=SC2086
        by=$(notices $some)
        [ ! "$by" ] || break
    done
    [ "$by" ] && echo "noticed by $by" || echo survived
}
# a test that fails anyway notices nothing
if [ ! -e "$out/sound" ]; then
    # shellcheck disable=SC2046
    by=$(notices $(for p; do tests_of "${p%=*}"; done | awk '!seen[$0]++'))
    [ ! "$by" ] || { echo "$by fails before anything is changed:"; cat "$out/log"; exit 1; } >&2
    touch "$out/sound"
fi
while IFS='	' read -r id file line kind text; do
    grep -q "^$seed\.$id	" "$out/table.tsv" && continue
    [ "$(date +%s)" -lt "$end" ] || break
    change "$file" "$line" "$text"
    diff -u --label "$file" --label "$file" "$out/originals/$file" "$file" >"$out/diff"
    v=$(verdict "$file")
    case $v in survived) cp "$out/diff" "$out/survivors/$seed.$id.diff" ;; *) cat "$out/diff" "$out/log" >"$out/logs/$seed.$id" ;; esac
    printf '%s.%s\t%s:%s\t%s\t%s\n' "$seed" "$id" "$file" "$line" "$kind" "$v" | tee -a "$out/table.tsv"
    restore
done <"$out/mutations"

# 4. those that survived, first together
survivors() { # their mutations; not those that mean nothing, nor those that all tests were tried on
    awk -F '\t' -v seed="$seed" '
        FILENAME ~ /judged.tsv$/ { nothing[$1]; next }
        FILENAME ~ /table.tsv$/ { if ($4 == "survived" && !($1 in nothing)) left[$1]; next }
        (seed "." $1) in left' "$out/judged.tsv" "$out/table.tsv" "$out/mutations"
}
found() { # ID VERDICT: what the table says of it now
    awk -F '\t' -v OFS='\t' -v id="$seed.$1" -v verdict="$2" '$1 == id { $4 = verdict } { print }' "$out/table.tsv" >"$out/new"
    mv "$out/new" "$out/table.tsv"
    grep "^$seed\.$1	" "$out/table.tsv"
}
hostile() { # TEST...: in the hostile build
    BUILD_LIMIT=3600 build m=hostile LLVM_CONFIG= check T="$*"
}
try_all() {
    while IFS='	' read -r id file line kind text; do
        change "$file" "$line" "$text"
    done <"$out/left"
    build all tests || { cat "$out/log"; return 1; }
    sh test/runner/check.sh >"$out/logs/all" 2>&1
    build m=hostile build-hostile/ventus-jit1
    # shellcheck disable=SC2046
    hostile $(sed 's/#.*//' test/runner/hostile.txt)
    cp "$out/log" "$out/logs/hostile"
    restore
    suspects=$(failed "$out/logs/all") under=$(failed "$out/logs/hostile")
    while IFS='	' read -r id file line kind text; do
        change "$file" "$line" "$text"
        by=
        # shellcheck disable=SC2086
        [ ! "$suspects" ] || { build all tests && by=$(notices $suspects); }
        # shellcheck disable=SC2086
        [ "$by" ] || [ ! "$under" ] || hostile $under || by=$(failed "$out/log" | head -n 1)
        if [ "$by" ]; then
            found "$id" "noticed by $by"
            cat "$out/survivors/$seed.$id.diff" "$out/log" >"$out/logs/$seed.$id"
            rm "$out/survivors/$seed.$id.diff"
        else
            found "$id" 'survived all tests'
        fi
        restore
    done <"$out/left"
}
survivors >"$out/left"
[ "$quick" ] || [ ! -s "$out/left" ] || try_all || exit 1

# 5. the sums, of each directory and of all
awk -F '\t' -v OFS='\t' '
    FILENAME ~ /judged.tsv$/ { nothing[$1]; next }
    { split($2, part, "/"); dir = part[1]; if (dir == "src" || dir == "lib") dir = dir "/" part[2]
      sub(/ .*/, "", $4)
      if ($4 == "survived" && $1 in nothing) $4 = "nothing"
      dirs[dir]; n[dir, $4]++; n["total", $4]++ }
    function line(d,    counted) {
        counted = n[d, "noticed"] + n[d, "survived"]
        printf "%-12s %3d of %3d noticed (%.1f %%); %d mean nothing, %d make the same code, %d do not compile\n", d,
               n[d, "noticed"], counted, counted ? 100 * n[d, "noticed"] / counted : 0, n[d, "nothing"], n[d, "same"], n[d, "does"]
    }
    END { for (d in dirs) line(d); line("total") }' "$out/judged.tsv" "$out/table.tsv" | sort
