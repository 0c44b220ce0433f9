# Words and bytes at addresses that lie in no row, loaded and stored by one instruction again and again: in the
# buffers in turn, in local memory, and of some lanes only.  Local memory is zero when a group begins, whatever
# the groups before it left there: what each finds is added to the first sum.  Only odd items take part after
# that, and then one of them; each adds its 1 to the second.
# on: interp jit auto
# run: %b/ventus run --engine %e -j 1 -k scatter -g 65536 -l 64 -a 'buf:u32:2=0>-' -a buf:u32:4096=iota -a 'buf:u32:4096=7>-:992:17' %s

	.include "kernel.inc"
	.text
	.kernel scatter
	.lds    8192
scatter:
	lw      a1, 0(a0)               # sums
	lw      a2, 4(a0)               # 0 1 2 ..
	lw      a3, 8(a0)
	local_id v1
	vmv.v.i v0, 0
	li      t0, 37
	vmul.vx v4, v1, t0              # a permutation of 0..63
	vand.vi v4, v4, 15
	vsll.vi v5, v1, 2
	li      t0, 48
	vand.vx v6, v1, t0
	vadd.vv v4, v4, v6
	vsll.vi v4, v4, 6               # words 64 bytes apart
	vadd.vx v7, v4, s0

	vlw12.v v8, 0(v7)               # 0: nobody has written it
	vlbu12.v v9, 5(v7)
	vadd.vv v8, v8, v9
	vmv.v.x v10, a1
	amoadd.w v11, v8, (v10)
	vadd.vi v12, v1, 1
	vsw12.v v12, 0(v7)
	vsb12.v v12, 5(v7)
	vlw12.v v13, 0(v7)              # what was stored
	vlbu12.v v14, 5(v7)
	vsub.vv v13, v13, v14
	amoadd.w v11, v13, (v10)

	li      s1, 3                   # from one buffer, and back into the other
1:	vadd.vx v15, v4, a2
	vlw12.v v16, 0(v15)
	vadd.vx v15, v4, a3
	vsw12.v v16, 0(v15)
	vlw12.v v17, 0(v15)
	vsub.vv v17, v17, v16
	amoadd.w v11, v17, (v10)
	addi    s1, s1, -1
	bnez    s1, 1b

	vand.vi v18, v1, 1
2:	auipc   t1, %pcrel_hi(3f)
	setrpc  zero, t1, %pcrel_lo(2b)
	vbeq    v18, v0, 3f
	vlw12.v v19, 0(v7)
	vsub.vv v19, v19, v1            # 1
	vsw12.v v19, 0(v7)
	vlw12.v v20, 0(v7)
	vadd.vi v21, v10, 4
	amoadd.w v11, v20, (v21)
3:	join    v0, v0, 0

	li      t0, 5
	vsub.vx v18, v1, t0
2:	auipc   t1, %pcrel_hi(3f)
	setrpc  zero, t1, %pcrel_lo(2b)
	vbne    v18, v0, 3f
	vlw12.v v20, 0(v7)              # 1 from before
	vsw12.v v12, 0(v7)
	vlw12.v v22, 0(v7)
	vsub.vv v22, v22, v12
	vadd.vv v20, v20, v22
	amoadd.w v11, v20, (v21)
3:	join    v0, v0, 0
	ret

# out:
# arg0[0..1]: 0 33792
# arg2[992..1007]: 992 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7
# arg2[1008..1008]: 1008
# end
