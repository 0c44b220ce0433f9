# The sum of each group's elements, by halving in local memory: the lower half of the
# work-items adds the upper half's values to its own, then half of those, and so on.
# The barrier stands outside of every branch: all warps of the group must reach it, with
# all their lanes.
# in[i] = i, groups of 64: group g has 64*64g + 63*64/2 = 4096g + 2016.
# on: interp jit timing
# run: for n in 4 8 16 32; do
# run:   %b/ventus run --engine %e --threads $n -k reduce -g 256 -l 64 -a buf:i32:256=iota -a 'buf:i32:4>-' -a local:256 %s >%t.$n
# run:   cmp %t.4 %t.$n
# run: done
# run: cat %t.4

	.include "kernel.inc"
	.text
	.kernel reduce
reduce:
	lw      a1, 0(a0)               # in
	lw      a2, 4(a0)               # out, a word a group
	lw      a3, 8(a0)               # scratch: a local argument is an offset from CSR_LDS
	csrr    t2, CSR_LDS
	add     a3, a3, t2
	csrr    t2, CSR_KNL
	lw      a4, KNL_LOCAL_X(t2)     # how many values are left
	local_id v1
	global_id v2
	vmv.v.i v0, 0

	word_at v3, a1, v2
	word_at v4, a3, v1              # my place in the scratch
	vlw12.v v5, 0(v3)
	vsw12.v v5, 0(v4)
.Lhalve:
	srli    a4, a4, 1
	slli    t4, a4, 2
	barrier x0, x0, 1
	vmv.v.x v6, a4
	branch  geu, v1, v6, .Lnext, .Lnext
	vadd.vx v7, v4, t4              # my partner in the upper half
	vlw12.v v7, 0(v7)
	vadd.vv v5, v5, v7
	vsw12.v v5, 0(v4)
.Lnext:
	join    zero, zero, 0
	li      t4, 1
	bltu    t4, a4, .Lhalve

	branch  ne, v1, v0, .Ldone, .Ldone
	csrr    t2, CSR_GIDX            # work-item 0 has the sum
	slli    t2, t2, 2
	add     t2, t2, a2
	vmv.v.x v6, t2
	vsw12.v v5, 0(v6)
.Ldone:
	join    zero, zero, 0
	ret

# out:
# arg1[0..3]: 2016 6112 10208 14304
# end
