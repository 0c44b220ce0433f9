# Memory: the triad c[i] = a[i] + 3*b[i] over whole arrays, items a global size apart.
# Arguments: a, b, c, elements (a multiple of the global size), rounds.
	.text
	.kernel stream
stream:
	lw      a1, 0(a0)
	lw      a2, 4(a0)
	lw      a3, 8(a0)
	lw      a4, 12(a0)
	lw      a5, 16(a0)
	csrr    t3, CSR_KNL
	lw      t2, 24(t3)
	csrr    t4, CSR_GIDX
	mul     t2, t2, t4
	csrr    t4, CSR_TID
	add     t2, t2, t4
	vid.v   v2
	vadd.vx v2, v2, t2
	vsll.vi v2, v2, 2
	lw      a6, 12(t3)              # global size
	slli    a7, a6, 2
	li      t4, 3
.Lround:
	vadd.vx v3, v2, a1
	vadd.vx v4, v2, a2
	vadd.vx v5, v2, a3
	mv      t5, a4
.Lelement:
	vlw12.v v6, 0(v3)
	vlw12.v v7, 0(v4)
	vmul.vx v7, v7, t4
	vadd.vv v6, v6, v7
	vsw12.v v6, 0(v5)
	vadd.vx v3, v3, a7
	vadd.vx v4, v4, a7
	vadd.vx v5, v5, a7
	sub     t5, t5, a6
	bgtz    t5, .Lelement
	addi    a5, a5, -1
	bgtz    a5, .Lround
	ret
