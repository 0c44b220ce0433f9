# The spaces of v2025.  vlw12 and vsw12 are flat: an address below 2^24 is private, one in
# the local window is local, all others are global.  The accesses that name their space
# reach the same bytes: private ones by the same numbers, local ones by the offset from
# CSR_LDS, global ones by the address itself.  Each line of flags is the number of the 40
# items that found what they had to:
#     0  private stored by name, loaded flat            1  stored flat, loaded by name
#     2  local stored by name, loaded flat              3  stored flat, loaded by name
#     4  global stored by name, loaded flat             5  stored flat, loaded by name
#     6  bytes and halves of a private word, signed and unsigned
#     7  no item has disturbed the private words of another
# on: interp jit shadow
# run: for n in 4 8 16 32; do
# run:   %b/ventus run --isa v2025 --engine %e --threads $n -k spaces -g 40 -l 20 -a buf:i32:40 -a 'buf:i32:8=0>-' %s
# run: done

	.include "kernel.inc"
	.macro  count flag, a, b
	vmseq.vv v20, \a, \b
	addi    t2, a2, 4*\flag
	vmv.v.x v21, t2
	amoadd.w v20, v20, (v21)
	.endm

	.text
	.kernel spaces
	.lds    256
	.private 32
spaces:
	lw      a1, 0(a0)
	lw      a2, 4(a0)
	local_id v1
	global_id v2
	li      t2, 0x01234567
	vmul.vx v3, v2, t2                      # my number
	vnot.v  v4, v3

	addi    tp, tp, 32
	vmv.v.x v5, tp                          # end of my frame
	vsw_private.v v3, -32(v5)
	vadd.vi v6, v5, -8                      # the address in the register decides,
	vlw12.v v7, -24(v6)                     # the offset does not
	count   0, v7, v3
	vsw12.v v4, -20(v6)
	vlw_private.v v7, -28(v5)
	count   1, v7, v4

	vsll.vi v6, v1, 2
	vadd.vx v8, v6, s0                      # flat
	csrr    t2, CSR_LDS
	vsub.vx v9, v8, t2                      # offset in the group's part
	vsw_local.v v3, 0(v9)
	vlw12.v v7, 0(v8)
	count   2, v7, v3
	vsw12.v v4, 128(v8)
	vlw_local.v v7, 128(v9)
	count   3, v7, v4

	word_at v8, a1, v2
	vsw_global.v v3, 0(v8)
	vlw12.v v7, 0(v8)
	count   4, v7, v3
	vsw12.v v4, 0(v8)
	vlw_global.v v7, 0(v8)
	count   5, v7, v4

	li      t2, 0x80ff7f01                  # bytes 01 7f ff 80
	vmv.v.x v10, t2
	vsw_private.v v10, -24(v5)
	vlb_private.v v11, -24(v5)              # 1
	vlb_private.v v12, -22(v5)              # -1
	vlbu_private.v v13, -21(v5)             # 128
	vlh_private.v v14, -22(v5)              # 80ff: -32513
	vlhu_private.v v15, -24(v5)             # 7f01: 32513
	vsb_private.v v13, -20(v5)
	vsh_private.v v14, -18(v5)
	vlbu12.v v16, -20(v5)                   # 128
	vlh12.v v17, -18(v5)                    # -32513
	vadd.vv v11, v11, v12                   # 0
	vsub.vv v13, v13, v16                   # 0
	vadd.vv v14, v14, v15                   # 0
	vadd.vv v17, v17, v15                   # 0
	vor.vv  v11, v11, v13
	vor.vv  v11, v11, v14
	vor.vv  v11, v11, v17
	vmv.v.i v12, 0
	count   6, v11, v12

	barrier x0, x0, 1
	vlw_private.v v7, -32(v5)
	vlw12.v v8, -28(v5)
	vadd.vv v7, v7, v8                      # a number and its complement
	vmv.v.i v8, -1
	count   7, v7, v8
	addi    tp, tp, -32
	ret

# out:
# arg1[0..7]: 40 40 40 40 40 40 40 40
# arg1[0..7]: 40 40 40 40 40 40 40 40
# arg1[0..7]: 40 40 40 40 40 40 40 40
# arg1[0..7]: 40 40 40 40 40 40 40 40
# end
