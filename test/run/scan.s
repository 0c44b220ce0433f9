# Inclusive prefix sums of one group (Hillis and Steele): in step d = 1, 2, 4 .. every
# work-item from d on adds the value d places to its left.  Two barriers a step: the
# reads of a step must see the values before it, its writes must come after them all.
# in[i] = i, so out[i] = i(i+1)/2.
# on: interp jit timing
# run: for n in 4 8 16 32; do
# run:   %b/ventus run --engine %e --threads $n -k scan -g 64 -l 64 -a buf:i32:64=iota -a 'buf:i32:64>-' %s >%t.$n
# run:   cmp %t.4 %t.$n
# run: done
# run: cat %t.4

	.include "kernel.inc"
	.text
	.kernel scan
	.lds    256
scan:
	lw      a1, 0(a0)               # in
	lw      a2, 4(a0)               # out
	csrr    t2, CSR_KNL
	lw      a3, KNL_LOCAL_X(t2)
	local_id v1

	word_at v3, a1, v1
	vlw12.v v4, 0(v3)               # my sum so far
	word_at v5, s0, v1
	vsw12.v v4, 0(v5)
	li      a4, 1                   # d
.Lstep:
	barrier x0, x0, 1
	vmv.v.x v6, a4
	branch  ltu, v1, v6, .Lread, .Lread
	slli    t4, a4, 2
	vsub.vx v7, v5, t4
	vlw12.v v7, 0(v7)
	vadd.vv v4, v4, v7
.Lread:
	join    zero, zero, 0
	barrier x0, x0, 1
	vsw12.v v4, 0(v5)
	slli    a4, a4, 1
	bltu    a4, a3, .Lstep

	word_at v3, a2, v1
	vsw12.v v4, 0(v3)
	ret

# out:
# arg1[0..15]: 0 1 3 6 10 15 21 28 36 45 55 66 78 91 105 120
# arg1[16..31]: 136 153 171 190 210 231 253 276 300 325 351 378 406 435 465 496
# arg1[32..47]: 528 561 595 630 666 703 741 780 820 861 903 946 990 1035 1081 1128
# arg1[48..63]: 1176 1225 1275 1326 1378 1431 1485 1540 1596 1653 1711 1770 1830 1891 1953 2016
# end
