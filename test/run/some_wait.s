# Where a machine lets some lanes of a warp wait at a barrier, the others wait with them, and go on where they were:
# of each warp the lanes below 2 pass a barrier and add 10 to what all lanes have, their number. x5 and v9 are written
# before the barrier and read by nobody behind it.
# on: interp jit shadow timing
# run: for n in 4 8 32; do
# run:   %b/ventus run --engine %e --threads $n --any-barrier -k some_wait -g 64 -l $((2 * n)) -a 'buf:i32:64=0>-' %s >%t.$n
# run:   awk -v n=$n '{ for (i = 2; i <= NF; i++) if ($i != (k % n) + (k % n < 2 ? 10 : 0)) exit 1; else k++ } END { exit k != 64 }' %t.$n || echo "$n lanes: wrong"
# run: done

	.include "kernel.inc"
	.text
	.kernel some_wait
some_wait:
	lw      a1, 0(a0)
	vid.v   v1
	vmv.v.v v5, v1
	vmv.v.i v2, 2
	vadd.vi v9, v1, 3
	global_id v3
	lla     x5, 2f
	setrpc  zero, x5, 0
	vblt    v1, v2, 1f
	j       2f
1:	addi    x5, x5, 1
	barrier x0, x0, 0
	vadd.vi v5, v5, 10
2:	join    zero, zero, 0
	li      x5, 5
	word_at v4, a1, v3
	vsw12.v v5, 0(v4)
	vmv.v.i v9, 0
	ret

# out:
# end
