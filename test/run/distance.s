# The smallest divergence: out[i] = |i - 4|, by an if and an else.  Half of a warp of 8
# lanes goes each way, one after the other.  (doc/tutorial.md takes this one apart.)
# on: interp jit timing
# run: for n in 4 8 16 32; do
# run:   %b/ventus run --engine %e --threads $n -k distance -g 16 -l 16 -a 'buf:i32:16>-' %s >%t.$n
# run:   cmp %t.4 %t.$n
# run: done
# run: cat %t.4

	.text
	.kernel distance
distance:
	lw      a1, 0(a0)
	csrr    t2, CSR_TID
	vid.v   v1
	vadd.vx v1, v1, t2              # i
	vmv.v.i v3, 4

1:	auipc   t1, %pcrel_hi(.Lmeet)   # both sides will meet at .Lmeet
	setrpc  zero, t1, %pcrel_lo(1b)
	vbge    v1, v3, .Labove         # lanes with i >= 4 go there, the others on
	vsub.vv v4, v3, v1
	j       .Lmeet
.Labove:
	vsub.vv v4, v1, v3
.Lmeet:
	join    zero, zero, 0           # the first side waits here for the second

	vsll.vi v2, v1, 2
	vadd.vx v2, v2, a1
	vsw12.v v4, 0(v2)
	ret

# out:
# arg0[0..15]: 4 3 2 1 0 1 2 3 4 5 6 7 8 9 10 11
# end
