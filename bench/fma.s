# Float work in registers: eight independent chains of fused multiply-add an item, as the
# inner loop of a matrix product has them.  Arguments: out (a word an item), rounds.
	.include "abi.inc"
	.text
	.kernel fma
fma:
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
	vfcvt.f.x.v v3, v2
	li      t2, 0x3f7fff00          # a little less than 1: the sums stay finite
	vmv.v.x v4, t2
	.irp    k, 8, 9, 10, 11, 12, 13, 14, 15
	vmv.v.i v\k, 0
	.endr
.Lround:
	.irp    k, 8, 9, 10, 11, 12, 13, 14, 15
	vfmadd.vv v\k, v4, v3           # v\k = v\k * v4 + v3
	.endr
	addi    a2, a2, -1
	bgtz    a2, .Lround
	.irp    k, 9, 10, 11, 12, 13, 14, 15
	vfadd.vv v8, v8, v\k
	.endr
	vsll.vi v5, v2, 2
	vadd.vx v5, v5, a1
	vsw12.v v8, 0(v5)
	ret
