# Integer work in registers: each work-item runs a xorshift generator, seeded by its id.
# Arguments: out (a word an item), rounds.
	.include "abi.inc"
	.text
	.kernel int
int:
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
	vadd.vi v3, v2, 1
.Lround:
	.rept   4
	vsll.vi v4, v3, 13
	vxor.vv v3, v3, v4
	vsrl.vi v4, v3, 17
	vxor.vv v3, v3, v4
	vsll.vi v4, v3, 5
	vxor.vv v3, v3, v4
	.endr
	addi    a2, a2, -4
	bgtz    a2, .Lround
	vsll.vi v4, v2, 2
	vadd.vx v4, v4, a1
	vsw12.v v3, 0(v4)
	ret
