# Rounding modes of mma64: 1 + 2^-24 and -1 - 2^-24 lie halfway between two floats.  To
# nearest (even) and towards zero they become 1 and -1, downwards 1 and the float below -1,
# upwards the float above 1 and -1.  C is all 1, then all -1; A has 1, then -1, in column 0
# and B has 2^-24 in row 0, zeros elsewhere.  Integers: 2^31 - 10 plus 16 saturates or wraps.
#
# The first buffer has the bits of D[0][0] for 1 and -1 and modes rn, rz, rm, rp:
#     1 = 3f800000 = 1065353216      -1 = bf800000 = 3212836864      or one more
# on: interp jit shadow
# run: %b/ventus run --isa v2025 --engine %e -k rounding -g 32 -l 32 -a 'buf:u32:8>-' -a 'buf:i32:2>-' %s

	.text
	.macro  keep out
	vmv.x.s t2, v12
	sw      t2, 0(\out)
	addi    \out, \out, 4
	.endm

	.kernel rounding
rounding:
	lw      a1, 0(a0)
	lw      a2, 4(a0)
	# By columns (col) column 0 of A comes first, and of B in layout col row 0: 8 elements
	# of 32 bits each, in the first 8 lanes.
	vid.v   v1
	li      t2, 8
	vmsltu.vx v0, v1, t2
	.irp    k, 4, 5, 6, 7
	vmv.v.i v\k, 0
	.endr
	li      t2, 0x33800000                  # 2^-24
	vmerge.vxm v6, v6, t2, v0
	li      t3, 0x3f800000                  # 1
	li      t4, 0x80000000
	li      t5, 2
.Lsign:
	vmerge.vxm v4, v4, t3, v0
	vmv.v.x v8, t3
	vmv.v.x v9, t3
	mma64.m8n8k8.col.col.f32.f32.f32.f32 v12, v4, v6, v8
	keep    a1
	mma64.m8n8k8.col.col.f32.f32.f32.f32.rz v12, v4, v6, v8
	keep    a1
	mma64.m8n8k8.col.col.f32.f32.f32.f32.rm v12, v4, v6, v8
	keep    a1
	mma64.m8n8k8.col.col.f32.f32.f32.f32.rp v12, v4, v6, v8
	keep    a1
	xor     t3, t3, t4                      # -1
	addi    t5, t5, -1
	bnez    t5, .Lsign

	li      t2, 0x01010101
	vmv.v.x v4, t2
	li      t2, 2147483638
	vmv.v.x v8, t2
	vmv.v.x v9, t2
	mma64.m8n8k16.row.row.s32.s8.s8.s32.sat v12, v4, v4, v8
	keep    a2
	mma64.m8n8k16.row.row.s32.s8.s8.s32.nosat v12, v4, v4, v8
	keep    a2
	ret

# out:
# arg0[0..7]: 1065353216 1065353216 1065353216 1065353217 3212836864 3212836864 3212836865 3212836864
# arg1[0..1]: 2147483647 -2147483642
# end
