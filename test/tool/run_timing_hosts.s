# Cycles do not depend on the host's threads, though private memory of all groups would not fit and what is shared is
# shared by groups: several SMs, an L2, memory, atomics.  More SMs than the engine models are refused, not left out.
# run: for m in default chisel; do for j in 1 2 5 16; do %b/ventus run %s --engine timing --machine $m --sms 5 -j $j -g 40960 -l 64 -a buf:i32:64 --stats=json | grep -v '"seconds"' | grep -v '"jobs"' >%t.$m.$j || echo failed; cmp %t.$m.1 %t.$m.$j; done; grep -c '"cycles"' %t.$m.1; done
# run: %b/ventus run %s --engine timing --sms 5 -g 40960 -l 64 -a buf:i32:64 --stats | awk '/^slots.no_warp|^slots.dispatch/ { idle += $2 } /^slots.all/ { all = $2 } END { print (idle < all / 4) }'
# run: %b/ventus run %s --engine timing --sms 257 -g 64 -l 64 -a buf:i32:64 2>&1 || echo refused
# run: %b/ventus run %s --engine interp --sms 257 -g 64 -l 64 -a buf:i32:64

	.text
	.kernel count
count:
	lw      a1, 0(a0)
	vid.v   v1
	vsll.vi v1, v1, 2
	vadd.vx v1, v1, a1
	vmv.v.i v2, 1
	li      t0, 4
1:	amoadd.w v3, v2, (v1)
	vlw12.v v4, 0(v1)
	addi    t0, t0, -1
	bnez    t0, 1b
	ret

# out:
# 2
# 2
# 1
# default: error: 257 SMs; the engine timing models at most 256
# refused
# end
