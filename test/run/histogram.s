# Counts how often each value occurs, first in local memory (atomics there are close to
# the warp, and other groups are not in the way), then adds the group's counts to the
# global ones.  Many lanes hit the same bin at once: atomics serve them one by one.
# The value of element i is i*i mod 16, which is 0, 1, 4 or 9, each for a quarter of all
# i: 256 times of 1024.
# on: interp jit timing
# run: for n in 4 8 16 32; do
# run:   %b/ventus run --engine %e --threads $n -k histogram -g 256 -l 64 -a buf:i32:1024=iota -a i32:1024 -a 'buf:i32:16=zero>-' %s >%t.$n
# run:   cmp %t.4 %t.$n
# run: done
# run: cat %t.4

	.include "kernel.inc"
	.text
	.kernel histogram
	.lds    64                      # 16 counts
histogram:
	lw      a1, 0(a0)               # in
	lw      a2, 4(a0)               # n, a multiple of the global size
	lw      a3, 8(a0)               # counts
	csrr    t2, CSR_KNL
	lw      a4, KNL_GLOBAL_X(t2)
	local_id v1
	global_id v2
	vmv.v.i v0, 0
	vmv.v.i v3, 1
	vmv.v.i v4, 15

	# local memory is not zero at the start, as far as a kernel may know
	word_at v5, s0, v1
	branch  ltu, v4, v1, .Lcleared, .Lcleared
	vsw12.v v0, 0(v5)
.Lcleared:
	join    zero, zero, 0
	barrier x0, x0, 1

	word_at v6, a1, v2
	slli    t4, a4, 2               # bytes to my next element
.Lelement:
	vlw12.v v7, 0(v6)
	vmul.vv v7, v7, v7
	vand.vv v7, v7, v4
	word_at v7, s0, v7
	amoadd.w v8, v3, (v7)           # v8: the count before, not needed
	vadd.vx v6, v6, t4
	sub     a2, a2, a4
	bnez    a2, .Lelement

	barrier x0, x0, 1
	branch  ltu, v4, v1, .Ldone, .Ldone
	vlw12.v v7, 0(v5)
	word_at v8, a3, v1
	amoadd.w v9, v7, (v8)
.Ldone:
	join    zero, zero, 0
	ret

# out:
# arg2[0..15]: 256 256 0 0 256 0 0 0 0 256 0 0 0 0 0 0
# end
