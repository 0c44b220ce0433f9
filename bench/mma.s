# The matrix unit: four independent chains of products of 16 x 16 x 16 binary16 numbers,
# sums in binary32, as the inner loop of a matrix product has them; 8192 operations of two
# floats a warp instruction.  For v2025.  Arguments: out (a word an item), rounds.
	.include "abi.inc"
	.text
	.kernel mma
mma:
	lw      a1, 0(a0)
	lw      a2, 4(a0)
	csrr    t2, CSR_KNL
	lw      t2, 4*KNL_LOCAL(t2)
	csrr    t3, CSR_GIDX
	mul     t2, t2, t3
	csrr    t3, CSR_TID
	add     t2, t2, t3
	vid.v   v2
	vadd.vx v2, v2, t2
	li      t2, 0x2c002c00          # 1/16, twice: a chain grows by 1/16 a round
	.irp    k, 8, 9, 10, 11, 12, 13, 14, 15
	vmv.v.x v\k, t2
	.endr
	.irp    k, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47
	vmv.v.i v\k, 0
	.endr
	.irp    k, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63
	vmv.v.i v\k, 0
	.endr
.Lround:
	.irp    k, 32, 40, 48, 56
	mma.m16n16k16.row.col.f32.f16.f16.f32 v\k, v8, v12
	.endr
	addi    a2, a2, -1
	bgtz    a2, .Lround
	vfadd.vv v32, v32, v40
	vfadd.vv v33, v48, v56
	vfadd.vv v32, v32, v33
	vsll.vi v5, v2, 2
	vadd.vx v5, v5, a1
	vsw12.v v32, 0(v5)
	ret
