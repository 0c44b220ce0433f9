#!/bin/sh
# step_test.sh -- `ventus run --step`: screens of a warp, forwards and backwards, as plain text and on
# a pseudo-terminal with colours; 80 columns are enough.
B=${B:-build}
[ -e "$B/ventus-cc1" ] || { echo "no compiler"; exit 77; }
case $B in /*) ;; *) B=$PWD/$B ;; esac
t=$(mktemp -d) bad=0 n=0
trap 'rm -rf "$t"' EXIT
cd "$t" || exit 1
unset VENTUS_ENGINE VENTUS_BACKEND VENTUS_MACHINE NUM_THREAD NUM_WARP
cat >k.cl <<'END'
kernel void k(global int *out, int n)
{
    int i = get_global_id(0);
    if (i & 1)
        out[i] = i * n;
    else
        out[i] = -i;
}
END
is() { # WHAT WANT GOT
    n=$((n + 1))
    [ "$2" = "$3" ] || { echo "$1: wanted $2, got $3"; bad=1; }
}
screens() { sed -n 's/.* instruction \([0-9]*\)$/\1/p' "$1" | tr '\n' ' '; }
run="$B/ventus run --step -B -O0 -k k -g 8 -l 8 --threads 4 -a buf:i32:8>- -a i32:10 k.cl"
want='arg0[0..7]: 0 10 -2 30 -4 50 -6 70'

printf 'sss b w c' >keys # a blank steps too
timeout 60 $run <keys >out 2>err
is 'exit status' 0 $?
is 'screens' '0 1 2 3 4 3 4 4 5 ' "$(screens out)"
is 'the result' "$want" "$(grep arg0 out)"
is 'the other warp' 1 "$(grep -c 'warp 1 of 2  instruction 4' out)"
is 'numbers of lanes' 'lane     0123' "$(grep '^lane' out | sort -u)"
is 'all lanes' 0 "$(grep '^active' out | grep -vc 'xxxx$')"

# by lines: the warp divides, and what changed is shown
printf 'nnnnnnnnnnnnnnc' >keys
timeout 60 $run <keys >out 2>err
is 'the line' true "$(grep -q '^>   5 .*out\[i\] = i \* n;' out && echo true)"
is 'one side' true "$(grep -q '^active   \.x\.x' out && echo true)"
is 'the other side' true "$(grep -q '^active   x\.x\.' out && echo true)"
is 'who waits' true "$(grep -q '^waiting  .*then to 0x8000' out && echo true)"
is 'changes' true "$(grep -q '^changed  [xv]' out && echo true)"
is 'wide lines' '' "$(grep -v arg0 out | grep -E '.{80}')"
is 'the result' "$want" "$(grep arg0 out)"

# q ends the launch
printf 'sq' >keys
timeout 60 $run <keys >out 2>err
is 'exit status of q' 1 $?

# on a terminal, with colours and without, where the system can make one
if script -qec true /dev/null >/dev/null 2>&1; then
    printf 'sbc' >keys
    TERM=xterm timeout 60 script -qec "$(echo "$run" | sed "s/buf:i32:8>-/'&'/")" /dev/null <keys >out
    is 'screens of a terminal' 3 "$(grep -c "$(printf '\033')\[2J" out)"
    is 'its result' 1 "$(grep -c 'arg0.*50 -6 70' out)"
    NO_COLOR=1 TERM=xterm timeout 60 script -qec "$(echo "$run" | sed "s/buf:i32:8>-/'&'/")" /dev/null <keys >out
    is 'no colours' 0 "$(grep -c "$(printf '\033')" out)"
fi
[ $bad = 0 ] || exit 1
echo "$n answers"
