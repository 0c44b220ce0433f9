# Nested if and else whose branches all meet at one join.  Lanes of a warp take every
# path, one path after the other, and all are together again after the join.
#
#     if (i & 1) { if (i & 2) { if (i & 4) r = 7; else r = 3; } else r = 1; } else r = 0;
#     r = 10*r + 1;           with all lanes
#
# so r is 1, 11, 1, 31, 1, 11, 1, 71, and again.  The branches are written out here; other
# files use the macro of kernel.inc.
# on: interp jit timing
# run: for n in 4 8 16 32; do
# run:   %b/ventus run --engine %e --threads $n -k if_else -g 32 -l 32 -a 'buf:i32:32>-' %s >%t.$n
# run:   cmp %t.4 %t.$n
# run: done
# run: cat %t.4

	.text
	.kernel if_else
if_else:
	lw      a1, 0(a0)
	csrr    t2, CSR_TID
	vid.v   v1
	vadd.vx v1, v1, t2
	vmv.v.i v0, 0

	# Before a branch, setrpc says where its two sides meet again.
	vand.vi v3, v1, 1
1:	auipc   t1, %pcrel_hi(.Lmeet)
	setrpc  zero, t1, %pcrel_lo(1b)
	vbeq    v3, v0, .Lbit0_clear
	vand.vi v3, v1, 2
2:	auipc   t1, %pcrel_hi(.Lmeet)
	setrpc  zero, t1, %pcrel_lo(2b)
	vbeq    v3, v0, .Lbit1_clear
	vand.vi v3, v1, 4
3:	auipc   t1, %pcrel_hi(.Lmeet)
	setrpc  zero, t1, %pcrel_lo(3b)
	vbeq    v3, v0, .Lbit2_clear
	vmv.v.i v4, 7
	j       .Lmeet                  # every path ends at the join
.Lbit2_clear:
	vmv.v.i v4, 3
	j       .Lmeet
.Lbit1_clear:
	vmv.v.i v4, 1
	j       .Lmeet
.Lbit0_clear:
	vmv.v.i v4, 0
.Lmeet:
	join    zero, zero, 0

	li      t2, 10
	vmul.vx v4, v4, t2
	vadd.vi v4, v4, 1
	vsll.vi v5, v1, 2
	vadd.vx v5, v5, a1
	vsw12.v v4, 0(v5)
	ret

# out:
# arg0[0..15]: 1 11 1 31 1 11 1 71 1 11 1 31 1 11 1 71
# arg0[16..31]: 1 11 1 31 1 11 1 71 1 11 1 31 1 11 1 71
# end
