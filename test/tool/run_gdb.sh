# How run and replay wait for gdb: where they say it is awaited, what they refuse, and that Ctrl-C ends it.
# run: B=%b T=%t sh %s

case $B in /*) ;; *) B=$PWD/$B ;; esac
mkdir -p "$T" && cd "$T" || exit 1
n=0
is() { # WANT GOT WHAT
	n=$((n + 1))
	[ "$1" = "$2" ] || printf '%s: wanted\n%s\ngot\n%s\n' "$3" "$1" "$2"
}
printf '\t.kernel k\nk:\tlw t0, 0(a0)\n\tli t1, 7\n\tsw t1, 0(t0)\n\tret\n' >k.s
"$B/ventus" run -g 1 -a buf:i32:1 --export-replay x k.s
run="run -g 1 -a buf:i32:1>- k.s" replay="replay --dump-buffers=y x/k_0.metadata x/k_0.data"
for c in "$run" "$replay"; do
	# shellcheck disable=SC2086
	for at in '65536:Numerical result out of range' 'no/such/socket:No such file or directory' "$(pwd):Address already in use"; do
		is "2 error: gdb cannot be waited for at ${at%:*}: ${at##*:}" "$("$B/ventus" $c --gdb="${at%:*}" >said 2>&1; echo "$? $(cat said)")" "${c%% *} --gdb=${at%:*}"
	done
	# shellcheck disable=SC2086
	is '2 ventus: error: --gdb and --step exclude each other' "$("$B/ventus" $c --gdb=here --step >said 2>&1 </dev/null; echo "$? $(cat said)")" "${c%% *} --gdb --step"
	rm said
	# shellcheck disable=SC2086
	env --default-signal=INT "$B/ventus" $c --gdb=here >out 2>said &
	for i in $(seq 200); do
		[ -s said ] && break
		sleep 0.05
	done
	is "ventus: waiting for gdb: gdb-multiarch -ex 'target remote here' socket" "$(cat said) $([ -S here ] && echo socket)" "${c%% *} --gdb=here"
	kill -INT $!
	wait $!
	is "130 $(ls here 2>/dev/null)" "$? " "${c%% *}, ended"
done
[ $n = 12 ] || echo "only $n"
cd / && rm -rf "$T"

# out:
# end
