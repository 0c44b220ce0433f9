# Accesses of several words: under pre_m_*_128 a load fills four consecutive registers
# from four consecutive words, and a store empties them; the name also says the space of
# the address, which for local memory is an offset from the group's part.  An item copies
# four words from in to local memory; its neighbour (item number xor 1) takes them from
# there, by three words and one, and stores them to out by two and two.  With in[j] = j,
# out[j] = j xor 4; the count is of words that differ.
# on: interp jit shadow
# run: for n in 4 8 16 32; do
# run:   %b/ventus run --isa v2025 --engine %e --threads $n -k wide_copy -g 128 -l 64 -a buf:i32:512=iota -a 'buf:i32:512>-:248:16' -a 'buf:i32:1=0>-' %s >%t.$n
# run:   cmp %t.4 %t.$n
# run: done
# run: cat %t.4

	.include "kernel.inc"
	.text
	.kernel wide_copy
	.lds    1024
wide_copy:
	lw      a1, 0(a0)
	lw      a2, 4(a0)
	lw      a3, 8(a0)
	local_id v1
	global_id v2
	vsll.vi v3, v2, 4
	vadd.vx v4, v3, a1                      # my words of in
	vadd.vx v5, v3, a2                      # and of out
	vsll.vi v6, v1, 4
	csrr    t2, CSR_LDS
	sub     t2, s0, t2                      # where .lds begins, in the group's part
	vadd.vx v6, v6, t2
	vxor.vi v7, v1, 1
	vsll.vi v7, v7, 4
	vadd.vx v7, v7, t2                      # the neighbour's place

	pre_m_global_128
	vlw12.v v8, 0(v4)                       # v8 to v11
	pre_m_local_128
	vsw12.v v8, 0(v6)
	barrier x0, x0, 1
	pre_m_local_96
	vlw12.v v12, 0(v7)                      # v12 to v14
	pre_m_local_32
	vlw12.v v15, 12(v7)
	pre_m_global_64
	vsw12.v v12, 0(v5)
	pre_m_global_64
	vsw12.v v14, 8(v5)

	vmv.v.x v16, a3
	.irp    k, 0, 1, 2, 3
	vlw12.v v17, 4*\k(v5)
	vsll.vi v18, v2, 2
	vadd.vi v18, v18, \k
	vxor.vi v18, v18, 4
	vmsne.vv v17, v17, v18
	amoadd.w v17, v17, (v16)
	.endr
	ret

# out:
# arg1[248..263]: 252 253 254 255 248 249 250 251 260 261 262 263 256 257 258 259
# arg2[0..0]: 0
# end
