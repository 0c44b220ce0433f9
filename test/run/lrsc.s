# Increments by load-reserved and store-conditional.  A lane's store fails when another
# lane has stored to the word in between; the lanes that failed try again, those that
# succeeded wait at the join.  One lane of a warp succeeds each time, so nobody waits for
# a lane that waits for him, as would happen with a lock.
# 64 work-items count to 64, and the values they saw before are 0 to 63, each once: their
# sum is 2016.
# on: interp jit timing
# run: for n in 4 8 16 32; do
# run:   %b/ventus run --engine %e --threads $n -k lrsc -g 64 -l 32 -a 'buf:i32:2=0>-' %s >%t.$n
# run:   cmp %t.4 %t.$n
# run: done
# run: cat %t.4

	.include "kernel.inc"
	.text
	.kernel lrsc
lrsc:
	lw      a1, 0(a0)               # the count; after it, the sum of what was seen
	vmv.v.x v3, a1
	vmv.v.i v0, 0
.Lagain:
	lr.w    v4, (v3)
	vadd.vi v5, v4, 1
	sc.w    v6, v5, (v3)            # 0: stored
	branch  eq, v6, v0, .Ldone, .Ldone
	j       .Lagain
.Ldone:
	join    zero, zero, 0
	vadd.vi v3, v3, 4
	amoadd.w v5, v4, (v3)
	ret

# out:
# arg0[0..1]: 64 2016
# end
