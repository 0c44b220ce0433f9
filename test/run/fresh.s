# Registers that a warp has not written are 0, whatever groups before it left there: read in code that
# is entered first, after a barrier, and after a change of the rounding mode, where compiled code ends.
# Each group leaves other values behind; every item adds its 1 to the sum and nothing else.
# on: interp jit auto timing
# run: %b/ventus run --engine %e -j 1 -k fresh -g 8192 -l 128 -a 'buf:u32:2=0>-' %s

	.text
	.kernel fresh
fresh:
	lw      a1, 0(a0)
	vadd.vi v20, v20, 1             # 1
	vadd.vv v20, v20, v21           # v21 is written below only
	barrier zero, zero, 1
	vadd.vv v20, v20, v22
	vadd.vx v20, v20, t5
	csrwi   frm, 1
	vadd.vv v20, v20, v23
	vadd.vv v20, v20, v25           # never written
	csrwi   frm, 0
	vadd.vv v20, v20, v24
	vmv.v.x v1, a1
	amoadd.w v2, v20, (v1)
	vid.v   v3
	vadd.vi v3, v3, 9
	.irp    k, 20, 21, 22, 23, 24
	vmv.v.v v\k, v3
	.endr
	li      t5, 77
	.irp    k, 20, 21, 22, 23, 24
	vadd.vx v\k, v\k, t5
	.endr
	ret

# out:
# arg0[0..1]: 8192 0
# end
