# Recursion, another depth in each lane: out[i] is the ith Fibonacci number.
# Two stacks: return addresses are scalar and go to sp (local memory of the warp); values
# of the lanes go to private memory at tp.  Both grow upwards.  Private memory is reached
# by vlw.v and vsw.v only, whose addresses are offsets; v32 is a vector copy of tp, and
# the assembler writes the prefix that registers above 31 need.
#
# All lanes recurse together until none needs it.  A call from one side of a branch would
# be natural, and wrong: a join knows its branch by its address alone, so the join of the
# inner call would end the branch of the outer one.
# on: interp jit timing
# run: for n in 4 8 16 32; do
# run:   %b/ventus run --engine %e --threads $n -k main -g 16 -l 16 -a 'buf:i32:16>-' %s >%t.$n
# run:   cmp %t.4 %t.$n
# run: done
# run: cat %t.4

	.include "kernel.inc"
	.text
	.kernel main
	.private 128                    # 15 frames of 8 bytes, and some
main:
	addi    sp, sp, 4
	sw      ra, -4(sp)
	lw      a1, 0(a0)
	global_id v2
	vmv.v.v v0, v2                  # first argument and result: v0
	jal     fib
	word_at v3, a1, v2
	vsw12.v v0, 0(v3)
	lw      ra, -4(sp)
	addi    sp, sp, -4
	ret

# v0 = fib(v0).  Changes v0, v29 to v31, t1, t4.
fib:
	addi    sp, sp, 4
	sw      ra, -4(sp)
	addi    tp, tp, 8
	vmv.v.x v32, tp
	vsw.v   v0, -8(v32)             # n: the calls change v0

	# Is there a lane with n >= 2?  Scalars are not masked: one lane is enough to set t4.
	li      t4, 0
	vmv.v.i v31, 2
	branch  lt, v0, v31, .Lasked, .Lasked
	li      t4, 1
.Lasked:
	join    zero, zero, 0
	beqz    t4, .Lreturn

	vadd.vi v0, v0, -1
	jal     fib
	vsw.v   v0, -4(v32)
	vlw.v   v0, -8(v32)
	vadd.vi v0, v0, -2
	jal     fib
	vlw.v   v30, -4(v32)
	vadd.vv v0, v0, v30
	vlw.v   v29, -8(v32)
	vmv.v.i v31, 2
	branch  ge, v29, v31, .Lsummed, .Lsummed
	vmv.v.v v0, v29                 # lanes that were done already: n itself
.Lsummed:
	join    zero, zero, 0

.Lreturn:
	addi    tp, tp, -8
	vmv.v.x v32, tp                 # the caller's frame again
	lw      ra, -4(sp)
	addi    sp, sp, -4
	ret

# out:
# arg0[0..15]: 0 1 1 2 3 5 8 13 21 34 55 89 144 233 377 610
# end
