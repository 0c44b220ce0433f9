# What holds in replays alone: all memory from 0x90000000 on is there, unless --bounds asks for buffers only; barriers take
# diverged warps; a machine may have all lanes of a last warp run; and a sequence ends with its first failure.
# run: B=%b T=%t sh %s

case $B in /*) ;; *) B=$PWD/$B ;; esac
mkdir -p "$T" && cd "$T" || exit 1
unset VENTUS_ENGINE VENTUS_BACKEND # shadow asks for more
cat >k.s <<'END'
	.kernel far		# stores to the address that it is given, and says so in its buffer
far:	lw	a1, 0(a0)
	lw	a2, 4(a0)
	li	t0, 77
	sw	t0, 0(a2)
	lw	t1, 0(a2)
	sw	t1, 0(a1)
	ret
	.kernel meet		# a barrier for one lane alone
meet:	lw	a1, 0(a0)
	vid.v	v1
	vmv.v.i	v2, 1
	lla	t0, 2f
	setrpc	zero, t0, 0
	vblt	v1, v2, 1f
	j	2f
1:	barrier	x0, x0, 0
2:	join	zero, zero, 0
	li	t0, 5
	sw	t0, 0(a1)
	ret
	.kernel lanes		# the lanes that run
lanes:	lw	a1, 0(a0)
	vid.v	v1
	vsll.vi	v2, v1, 2
	vadd.vx	v2, v2, a1
	vadd.vi	v3, v1, 1
	vsw12.v	v3, 0(v2)
	ret
END
"$B/ventus" as -o k.o k.s || exit 1
n=0
is() { # WANT GOT WHAT
	n=$((n + 1))
	[ "$1" = "$2" ] || printf '%s: wanted\n%s\ngot\n%s\n' "$3" "$1" "$2"
}
run() { # STATUS KERNEL ARGUMENT...
	want=$1 kernel=$2
	shift 2
	"$B/ventus" run -k "$kernel" --threads 8 "$@" k.o >said 2>&1
	is "$want" $? "run $kernel $*"
}
replay() { # STATUS KERNEL OPTION...: first words of the buffer
	want=$1 files="x/$2_0.metadata x/$2_0.data"
	shift 2
	rm -rf out
	# shellcheck disable=SC2086
	"$B/ventus" replay --threads 8 --dump-buffers out "$@" $files >said 2>&1
	is "$want" $? "replay $* $files"
	[ ! -e out/0-90000000.bin ] || od -An -v -td4 -N32 out/0-90000000.bin | xargs
}
far='-g 1 -a buf:u32:1'
# shellcheck disable=SC2086
run 1 far $far -a u32:0xa0000000 --export-replay x
is '77 0 0 0 0 0 0 0' "$(replay 0 far)" 'memory behind the buffers'
is '' "$(replay 1 far --bounds)" 'none'
is 1 "$(replay 1 far --bounds >/dev/null; grep -c '0xa0000000' said)" 'where'
rm -r x
# shellcheck disable=SC2086
run 1 far $far -a u32:0x20000000 --export-replay x
is '' "$(replay 1 far)" 'no memory before them'
rm -r x
# shellcheck disable=SC2086
run 0 far $far -a u32:0x90000000 --export-replay x
is '77 0 0 0 0 0 0 0' "$(replay 0 far --bounds)" 'a buffer'

run 1 meet -g 8 -a buf:u32:1 --export-replay x
run 0 meet -g 8 -a 'buf:u32:1==5' --any-barrier
is '5 0 0 0 0 0 0 0' "$(replay 0 meet)" 'a barrier of one lane'

run 0 lanes -g 3 -l 3 -a 'buf:u32:8==1,2,3,0,0,0,0,0' --export-replay x
run 0 lanes -g 3 -l 3 -a 'buf:u32:8==1,2,3,4,5,6,7,8' --all-lanes
is '1 2 3 0 0 0 0 0' "$(replay 0 lanes)" 'three lanes'
is '1 2 3 4 5 6 7 8' "$(replay 0 lanes --all-lanes)" 'all lanes'
printf 'every_lane = 1\n' >all.machine
printf 'every_lane = 0\n' >some.machine
is '1 2 3 4 5 6 7 8' "$(replay 0 lanes --machine ./all.machine)" 'all lanes of the machine'
is '1 2 3 0 0 0 0 0' "$(replay 0 lanes --machine ./some.machine)" 'a machine without'

# sequences
lanes='x/lanes_0.metadata x/lanes_0.data' none='x/none.metadata x/lanes_0.data'
sequence() { # STATUS FILE...
	want=$1
	shift
	rm -rf out
	"$B/ventus" replay --threads 8 --dump-buffers out "$@" >said 2>&1
	is "$want" $? "$*"
	ls out 2>/dev/null | sed 's/-.*//' | sort -u | xargs
}
# shellcheck disable=SC2086
{
	is '0 1 2' "$(sequence 0 $lanes x/far_0.metadata x/far_0.data $lanes)" 'three'
	is '0' "$(sequence 2 $lanes $none $lanes)" 'the second is missing'
	is "x/none.metadata: error: No such file or directory" "$(cat said)" 'which is said'
	is '' "$(sequence 2 $none $lanes)" 'the first is missing'
	is '' "$(sequence 2 x/lanes_0.data x/lanes_0.metadata)" 'the wrong way round'
}
[ $n -gt 20 ] || echo "only $n"
cd / && rm -rf "$T"

# out:
# end
