# A print buffer that is too small: 40000 work-items reserve a record of 32 bytes each in
# the 1 MiB that there is.  Those whose record does not fit must not write it, and the host
# says how much was lost.  1048576 bytes hold 32768 records; 7232 are lost, that is
# 231424 bytes.  Which items they are depends on the order that warps run in, so only
# their number is looked at.
# on: interp jit timing
# run: %b/ventus run --engine %e -k print_full -g 40000 -l 32 %s >%t.txt
# run: grep -c '^a line of text$' %t.txt
# run: grep lost %t.txt

	.include "kernel.inc"
	.text
	.kernel print_full
print_full:
	csrr    t2, CSR_KNL
	lw      a1, KNL_PRINT_ADDR(t2)
	lw      a2, 4(a1)               # capacity
	global_id v2
	li      a3, 32
	vmv.v.x v3, a1
	vmv.v.x v4, a3
	amoadd.w v5, v4, (v3)
	sub     a2, a2, a3
	vmv.v.x v6, a2
	branch  ltu, v6, v5, .Lfull, .Lfull
	vadd.vx v5, v5, a1
	vsw12.v v4, 8(v5)
	vsw12.v v2, 12(v5)
	vmv.v.i v6, 0                   # no format: text follows
	vsw12.v v6, 16(v5)
	la      a4, text
	.irp    k, 0, 4, 8, 12, 16
	lw      t2, \k(a4)
	vmv.v.x v6, t2
	vsw12.v v6, 20+\k(v5)
	.endr
.Lfull:
	join    zero, zero, 0
	ret

	.section .rodata
	.balign 4
text:
	.ascii  "a line of text\n"
	.zero   5

# out:
# 32768
# [print buffer overflow: 231424 bytes lost]
# end
