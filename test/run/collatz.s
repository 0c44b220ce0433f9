# Steps from i+1 to 1 when even numbers are halved and odd ones become 3n+1.  Lanes leave
# the loop at different times; the ones that left wait at the join after it.  In the
# loop, an if and else with a join of its own.  The counts for 1 to 32 are sequence
# A006577 of the On-Line Encyclopedia of Integer Sequences; 27 takes 111 steps.
# on: interp jit timing
# run: for n in 4 8 16 32; do
# run:   %b/ventus run --engine %e --threads $n -k collatz -g 32 -l 32 -a 'buf:i32:32>-' %s >%t.$n
# run:   cmp %t.4 %t.$n
# run: done
# run: cat %t.4

	.include "kernel.inc"
	.text
	.kernel collatz
collatz:
	lw      a1, 0(a0)
	global_id v2
	vmv.v.i v0, 0
	vmv.v.i v3, 1
	vadd.vi v4, v2, 1               # n
	vmv.v.i v5, 0                   # steps
.Lloop:
	branch  eq, v4, v3, .Lend, .Lend
	vadd.vi v5, v5, 1
	vand.vi v6, v4, 1
	branch  eq, v6, v0, .Leven, .Lmeet
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
	word_at v7, a1, v2
	vsw12.v v5, 0(v7)
	ret

# out:
# arg0[0..15]: 0 1 7 2 5 8 16 3 19 6 14 9 9 17 17 4
# arg0[16..31]: 12 20 20 7 7 15 15 10 23 10 111 18 18 18 106 5
# end
