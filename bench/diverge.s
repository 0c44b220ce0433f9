# Divergence: steps of n -> n/2 or 3n+1 down to 1, for n = id + 1: branches that part at
# every step and loops that lanes leave at any time.  Arguments: out (a word an item).
	.include "abi.inc"
	.text
	.kernel diverge
diverge:
	lw      a1, 0(a0)
	csrr    t2, CSR_KNL
	lw      t2, 4*KNL_LOCAL(t2)
	csrr    t3, CSR_GIDX
	mul     t2, t2, t3
	csrr    t3, CSR_TID
	add     t2, t2, t3
	vid.v   v2
	vadd.vx v2, v2, t2
	vmv.v.i v0, 0
	vmv.v.i v3, 1
	vadd.vi v4, v2, 1
	vmv.v.i v5, 0
.Lloop:
1:	auipc   t1, %pcrel_hi(.Lend)
	setrpc  zero, t1, %pcrel_lo(1b)
	vbeq    v4, v3, .Lend
	vadd.vi v5, v5, 1
	vand.vi v6, v4, 1
2:	auipc   t1, %pcrel_hi(.Lmeet)
	setrpc  zero, t1, %pcrel_lo(2b)
	vbeq    v6, v0, .Leven
	vsll.vi v7, v4, 1
	vadd.vv v4, v4, v7
	vadd.vi v4, v4, 1
	j       .Lmeet
.Leven:
	vsrl.vi v4, v4, 1
.Lmeet:
	join    zero, zero, 0
	j       .Lloop
.Lend:
	join    zero, zero, 0
	vsll.vi v7, v2, 2
	vadd.vx v7, v7, a1
	vsw12.v v5, 0(v7)
	ret
