# Every atomic operation, by 64 work-items at once.  Item i brings i to add, and, or and
# xor, and i - 32 to the minima and maxima; the results do not depend on the order:
#
#     add   0 + 1 + .. + 63 = 2016       min   -32, signed
#     and   of all, with 0 among them    max    31
#     or    63                           minu    0, unsigned: -32 is a large number
#     xor   0, with 5 from the start     maxu   -1, the largest
#
# swap: each item puts i into a word and adds what was there to a sum.  Everything that
# was ever put there is in the sum or there still: 100 from the start + 2016.
# on: interp jit timing
# run: for n in 4 8 16 32; do
# run:   %b/ventus run --engine %e --threads $n -k atomics -g 64 -l 16 -a 'buf:i32:8=0,-1,0,5,0,0,-1,0>-' -a "buf:i32:2=100,0>%t.swap" %s >%t.$n
# run:   cmp %t.4 %t.$n
# run:   set -- $(od -An -td4 %t.swap)
# run:   echo $n lanes, swap: $(($1 + $2))
# run: done
# run: cat %t.4

	.include "kernel.inc"
	.text
	.kernel atomics
atomics:
	lw      a1, 0(a0)
	lw      a2, 4(a0)
	global_id v2
	li      t2, -32
	vadd.vx v3, v2, t2
	vmv.v.x v4, a1
	amoadd.w v5, v2, (v4)
	vadd.vi v4, v4, 4
	amoand.w v5, v2, (v4)
	vadd.vi v4, v4, 4
	amoor.w v5, v2, (v4)
	vadd.vi v4, v4, 4
	amoxor.w v5, v2, (v4)
	vadd.vi v4, v4, 4
	amomin.w v5, v3, (v4)
	vadd.vi v4, v4, 4
	amomax.w v5, v3, (v4)
	vadd.vi v4, v4, 4
	amominu.w v5, v3, (v4)
	vadd.vi v4, v4, 4
	amomaxu.w v5, v3, (v4)

	vmv.v.x v4, a2
	amoswap.w v5, v2, (v4)
	vadd.vi v4, v4, 4
	amoadd.w v6, v5, (v4)
	ret

# out:
# 4 lanes, swap: 2116
# 8 lanes, swap: 2116
# 16 lanes, swap: 2116
# 32 lanes, swap: 2116
# arg0[0..7]: 2016 0 63 5 -32 31 0 -1
# end
