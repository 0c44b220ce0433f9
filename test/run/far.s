# Branches reach 4 KiB.  Where a target is further away the assembler turns the branch
# around and jumps; the divergent ones, too: both sides must still run with the right
# lanes.  1100 additions of 1 lie between the branch and its target, and 1100 more in a
# loop of 3 rounds: even items get 1100 + 3*1100 = 4400, odd ones 7 + 3300 = 3307.
# on: interp jit timing
# run: for n in 4 8 16 32; do
# run:   %b/ventus run --engine %e --threads $n -k far -g 32 -l 32 -a 'buf:i32:32>-' %s >%t.$n
# run:   cmp %t.4 %t.$n
# run: done
# run: cat %t.4

	.include "kernel.inc"
	.text
	.kernel far
far:
	lw      a1, 0(a0)
	local_id v1
	vmv.v.i v0, 0
	vmv.v.i v3, 0
	vand.vi v4, v1, 1
	branch  ne, v4, v0, .Lodd, .Lmeet
	.rept   1100
	vadd.vi v3, v3, 1
	.endr
	j       .Lmeet
.Lodd:
	vadd.vi v3, v3, 7
.Lmeet:
	join    zero, zero, 0

	li      a2, 3
.Lround:
	.rept   1100
	vadd.vi v3, v3, 1
	.endr
	addi    a2, a2, -1
	bnez    a2, .Lround

	word_at v4, a1, v1
	vsw12.v v3, 0(v4)
	ret

# out:
# arg0[0..15]: 4400 3307 4400 3307 4400 3307 4400 3307 4400 3307 4400 3307 4400 3307 4400 3307
# arg0[16..31]: 4400 3307 4400 3307 4400 3307 4400 3307 4400 3307 4400 3307 4400 3307 4400 3307
# end
