# A group of 10 work-items does not fill its last warp, with any number of lanes.  The
# lanes beyond it never run: they store nothing, and count nothing.  out has room for 16
# a group; of each 16, the first ten become 1 and the others stay 7.  The count is 30.
# on: interp jit timing
# run: for n in 4 8 16 32; do
# run:   %b/ventus run --engine %e --threads $n -k partial -g 30 -l 10 -a 'buf:i32:48=7>-' -a 'buf:i32:1=0>-' %s >%t.$n
# run:   cmp %t.4 %t.$n
# run: done
# run: %b/ventus run --mmu --engine %e -k partial -g 30 -l 10 -a 'buf:i32:48=7>-' -a 'buf:i32:1=0>-' %s >%t.mmu
# run: cmp %t.4 %t.mmu
# run: cat %t.4

	.include "kernel.inc"
	.text
	.kernel partial
partial:
	lw      a1, 0(a0)
	lw      a2, 4(a0)
	local_id v1
	csrr    t2, CSR_GIDX
	slli    t2, t2, 6               # 16 words a group
	add     a1, a1, t2
	vmv.v.i v3, 1
	word_at v4, a1, v1
	vsw12.v v3, 0(v4)
	vmv.v.x v4, a2
	amoadd.w v5, v3, (v4)
	ret

# out:
# arg0[0..15]: 1 1 1 1 1 1 1 1 1 1 7 7 7 7 7 7
# arg0[16..31]: 1 1 1 1 1 1 1 1 1 1 7 7 7 7 7 7
# arg0[32..47]: 1 1 1 1 1 1 1 1 1 1 7 7 7 7 7 7
# arg1[0..0]: 30
# end
