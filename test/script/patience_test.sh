#!/bin/sh
# Where the warps of a kernel that does not end stand: said once after --patience seconds, and again
# when a limit or Ctrl-C ends it.  Half of the warps of each group spin, in two places; the others wait for them.
B=${B:-build}
[ -e "$B/ventus-cc1" ] || { echo 'no compiler built in'; exit 77; }
T=$(mktemp -d) || exit 1
trap 'rm -rf "$T"' EXIT
bad=0 runs=0

cat >"$T/spin.cl" <<'END'
kernel void spin(global volatile int *p, local int *t)
{
    if (get_local_id(0) < 32 && get_group_id(2) == 2)
        while (*p != 7)
            ;
    else if (get_local_id(0) < 32)
        while (*p == 0)
            ;
    barrier(CLK_LOCAL_MEM_FENCE);
    t[get_local_id(0)] = *p;
}
END
args="-j 1 --threads 32 -g 64,2,3 -l 64 -a buf:i32:1 -a local:256 $T/spin.cl"

complain() {
    echo "$engine: $1"
    cat "$T/out"
    bad=1
}

# the lines of a roll call that begins so; of the cycle model, whose scheduler may leave a warp
# waiting for ever, only how many warps they are
roll() {
    sed -n "/^ventus: $1/,/^[^ ]/p" "$T/out" | grep '^  [0-9]' | tr -s ' ' | sed "s:$T/::" | sort |
        if [ $engine = timing ]; then awk '{n += $1} END {print n}'; else tr '\n' ';'; fi
}
# all groups have begun, since one may wait for another
want=' 2 spin.cl:4 in spin; 4 spin.cl:7 in spin; 6 spin.cl:9 in spin, waiting at a barrier;'

for engine in interp auto timing; do
    options="--engine $engine"
    [ $engine = timing ] && options="$options --sms 1" want=12
    # 1. a limit of time; the question may come before the first instruction, so only its line counts
    runs=$((runs + 1))
    "$B/ventus" run $options --patience 0.2 --timeout 3 $args 2>"$T/out"
    [ $? = 1 ] || complain 'a limit of time gives another status than 1'
    [ "$(grep -c '^ventus: spin still runs (Ctrl-C ends it); of 6 groups [1-6] run' "$T/out")" = 1 ] ||
        complain 'not said once that it still runs'
    [ "$(roll 'spin was ended')" = "$want" ] || complain "after the limit: $(roll 'spin was ended')"
    # 2. Ctrl-C, once it has been said, which a patience of 0 would leave out
    runs=$((runs + 1))
    rm "$T/out" # of the launch before
    env --default-signal=INT "$B/ventus" run $options --patience 0.2 --timeout 100 $args 2>"$T/out" &
    for i in $(seq 300); do
        grep -q 'still runs' "$T/out" && break
        sleep 0.1
    done
    kill -INT $!
    wait $!
    [ $? = 130 ] || complain 'Ctrl-C gives another status than 130'
    [ "$(roll 'spin was ended')" = "$want" ] || complain "after Ctrl-C: $(roll 'spin was ended')"
    # 3. not at all
    runs=$((runs + 1))
    "$B/ventus" run $options --patience 0 --max-insns 100000 $args 2>"$T/out"
    [ $? = 1 ] && ! grep -q 'still runs' "$T/out" || complain 'said with --patience 0'
done

# of one warp the report of the fault says all; of several, how many groups there are and how many of them run
ended() { # what is said at the limit of instructions, of a launch of that size
    runs=$((runs + 1))
    engine="limit, $*"
    "$B/ventus" run --engine interp -j 1 --threads 32 --patience 0 --max-insns 100000 "$@" -a buf:i32:1 -a local:256 2>"$T/out"
    [ $? = 1 ] || complain 'no limit'
    sed -n 's/^ventus: //p' "$T/out"
}
for size in '-g 1 -l 1' '-g 32 -l 32' '-g 64 -l 32'; do
    # shellcheck disable=SC2086 # options are several words
    [ -z "$(ended $size "$T/spin.cl")" ] || complain 'of one warp at a time more is said'
done
[ "$(ended -g 33 -l 33 "$T/spin.cl")" = 'spin was ended; of 1 group 1 runs, whose warps are at' ] || complain 'one group'
[ "$(ended -g 64,3 -l 64 "$T/spin.cl")" = 'spin was ended; of 3 groups 1 runs, whose warps are at' ] || complain '3 groups'
# twelve places at most, those of most warps first
awk 'BEGIN {
    print "kernel void many(global volatile int *p, local int *t) {\n    const int w = get_local_id(0) / 32;"
    for (k = 1; k < 15; k++) printf "    if (w == %d%s) while (*p != %d) ;\n", k, k == 9 ? " || w == 15" : "", k
    print "    t[get_local_id(0)] = *p;\n}" }' >"$T/many.cl"
ended -g 512 -l 512 "$T/many.cl" >/dev/null
[ "$(grep -c '^  1 .*/many.cl:' "$T/out") $(grep -A1 'was ended' "$T/out" | sed -n '2s/ .*many.cl/ many.cl/p')" = '11  many.cl:11 in many' ] ||
    complain 'not twelve places, the one of two warps first'
grep -q '^  and 2 more places$' "$T/out" || complain 'not said how many places there are more'
"$B/ventus" run --patience -1 $args 2>"$T/out"
[ $? = 2 ] && grep -q "patience: '-1' is no number of seconds" "$T/out" || complain 'a wrong number is taken'
[ $bad = 0 ] && echo "$runs launches that do not end"
exit $bad
