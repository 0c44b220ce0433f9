# Softmax of rows of 32 numbers with overlay ai: a warp takes a row, finds its largest
# number and its sum by shuffles (bfly: with the lane whose number differs in one bit),
# and divides by approximate functions, e^x = 2^(x log2 e) and 1/x.
#
# `check` does it otherwise: every item walks its whole row, with vfexp and a division.
# The counts are of elements further than 2^-20 from that, which is 0, and of rows whose
# sum is within 2^-20 of 1, counted once an element: 64 rows of 32.
# on: interp jit timing
# run: o='--isa v202+ai --engine %e'
# run: x='-a buf:f32:2048=rand:3'
# run: %b/ventus run $o -k softmax -g 2048 -l 128 $x -a "buf:f32:2048>%t.p" %s
# run: %b/ventus run $o -k check -g 2048 -l 128 $x -a buf:f32:2048=@%t.p -a 'buf:i32:2=0>-' %s

	.include "kernel.inc"
	.equ    LOG2E, 0x3fb8aa3b
	.equ    TOLERANCE, 0x35800000           # 2^-20

	.text
	.kernel softmax
softmax:
	lw      a1, 0(a0)
	lw      a2, 4(a0)
	global_id v2
	word_at v3, a1, v2
	vlw12.v v3, 0(v3)

	vmv.v.v v4, v3                          # largest
	.irp    k, 16, 8, 4, 2, 1
	shuffle.bfly v5, v4, \k
	vfmax.vv v4, v4, v5
	.endr
	vfsub.vv v3, v3, v4
	li      t2, LOG2E
	vfmul.vf v3, v3, t2
	vex2.approx.f32 v3, v3

	vmv.v.v v4, v3                          # sum
	.irp    k, 16, 8, 4, 2, 1
	shuffle.bfly v5, v4, \k
	vfadd.vv v4, v4, v5
	.endr
	vrcp.approx.f32 v4, v4
	vfmul.vv v3, v3, v4
	word_at v5, a2, v2
	vsw12.v v3, 0(v5)
	ret

	.kernel check
check:
	lw      a1, 0(a0)                       # x
	lw      a2, 4(a0)                       # p
	lw      a3, 8(a0)                       # counts
	global_id v2
	word_at v3, a1, v2
	vlw12.v v3, 0(v3)                       # my x
	vsrl.vi v4, v2, 5
	vsll.vi v4, v4, 7                       # the row, in bytes
	vadd.vx v5, v4, a1
	vadd.vx v6, v4, a2
	vmv.v.i v7, 0                           # sum of e^x: rand is from 0 to 1
	vmv.v.i v8, 0                           # sum of p
	li      t4, 32
.Lelement:
	vlw12.v v9, 0(v5)
	vfexp   v9, v9
	vfadd.vv v7, v7, v9
	vlw12.v v9, 0(v6)
	vfadd.vv v8, v8, v9
	vadd.vi v5, v5, 4
	vadd.vi v6, v6, 4
	addi    t4, t4, -1
	bnez    t4, .Lelement
	vfexp   v3, v3
	vfdiv.vv v3, v3, v7
	word_at v4, a2, v2
	vlw12.v v4, 0(v4)
	vfsub.vv v3, v3, v4
	vfsgnjx.vv v3, v3, v3                   # absolute
	li      t5, TOLERANCE
	vmfgt.vf v3, v3, t5
	vmv.v.x v4, a3
	amoadd.w v3, v3, (v4)
	li      t2, 0x3f800000
	vfsub.vf v8, v8, t2
	vfsgnjx.vv v8, v8, v8
	vmfle.vf v8, v8, t5
	vadd.vi v4, v4, 4
	amoadd.w v8, v8, (v4)
	ret

# out:
# arg2[0..1]: 0 2048
# end
