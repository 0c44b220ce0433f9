# Choosing without a branch.  A comparison gives 1 or 0 in each lane; vmerge takes the
# second operand where bit 0 of v0 is set, and an instruction with v0.t leaves the other
# lanes as they are.
#
#     out[i]      = min(i, 10) + 100 * (i is odd)
#     out[16 + i] = i < 5 ? -1 : i
# on: interp jit timing
# run: for n in 4 8 16 32; do
# run:   %b/ventus run --engine %e --threads $n -k select -g 16 -l 16 -a 'buf:i32:32>-' %s >%t.$n
# run:   cmp %t.4 %t.$n
# run: done
# run: cat %t.4

	.include "kernel.inc"
	.text
	.kernel select
select:
	lw      a1, 0(a0)
	local_id v1
	li      t2, 10
	vmin.vx v3, v1, t2
	vand.vi v0, v1, 1
	li      t2, 100
	vadd.vx v3, v3, t2, v0.t        # odd items only
	word_at v5, a1, v1
	vsw12.v v3, 0(v5)

	vmslt.vi v0, v1, 5
	vmerge.vim v3, v1, -1, v0
	vsw12.v v3, 64(v5)
	ret

# out:
# arg0[0..15]: 0 101 2 103 4 105 6 107 8 109 10 110 10 110 10 110
# arg0[16..31]: -1 -1 -1 -1 -1 5 6 7 8 9 10 11 12 13 14 15
# end
