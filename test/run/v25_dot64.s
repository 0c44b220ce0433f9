# Dot product in binary64: `prefix pair=1` makes fused multiply-add, addition and comparison
# take register pairs; pre_m_64 loads and stores them.  64 work-items add up a part each,
# then exchange sums through local memory, the number of partners halving each time.
#
# x[i] = i and y[i] = 2^24 + 1, which a float cannot hold; the sum for 1024 elements is
# 523776 * 16777217 = 8787503611392, given as an argument to compare with.  Every item
# compares: 64 are right.
# on: interp jit shadow
# run: for n in 4 8 16 32; do
# run:   %b/ventus run --isa v2025 --engine %e --threads $n -k dot -g 64 -l 64 -a buf:f64:1024=iota -a buf:f64:1024=16777217 -a f64:8787503611392 -a 'buf:i32:1=0>-' %s
# run: done

	.include "kernel.inc"
	.text
	.kernel dot
	.lds    512
dot:
	lw      a1, 0(a0)
	lw      a2, 4(a0)
	lw      a4, 8(a0)                       # expected: pair a4, a5
	lw      a5, 12(a0)
	lw      a3, 16(a0)
	local_id v1
	vsll.vi v2, v1, 3
	vadd.vx v3, v2, a2
	vadd.vx v12, v2, s0                     # my place
	vadd.vx v2, v2, a1
	vmv.v.i v8, 0                           # sum: pair v8, v9
	vmv.v.i v9, 0
	li      t4, 16
	li      t5, 512
.Lterm:
	pre_m_64
	vlw12.v v4, 0(v2)                       # v4, v5
	pre_m_64
	vlw12.v v6, 0(v3)
	prefix  pair=1
	vfmacc.vv v8, v4, v6
	vadd.vx v2, v2, t5
	vadd.vx v3, v3, t5
	addi    t4, t4, -1
	bnez    t4, .Lterm

	li      t4, 256                         # bytes to the partner
.Lexchange:
	pre_m_64
	vsw12.v v8, 0(v12)
	barrier x0, x0, 1
	vsub.vx v4, v12, s0
	vxor.vx v4, v4, t4
	vadd.vx v4, v4, s0
	pre_m_64
	vlw12.v v4, 0(v4)
	barrier x0, x0, 1
	prefix  pair=1
	vfadd.vv v8, v8, v4
	srli    t4, t4, 1
	li      t2, 8
	bge     t4, t2, .Lexchange

	vmv.v.x v4, a4
	vmv.v.x v5, a5
	prefix  pair=1
	vmfeq.vv v7, v8, v4                     # a comparison gives one word
	vmv.v.x v6, a3
	amoadd.w v7, v7, (v6)
	ret

# out:
# arg3[0..0]: 64
# arg3[0..0]: 64
# arg3[0..0]: 64
# arg3[0..0]: 64
# end
