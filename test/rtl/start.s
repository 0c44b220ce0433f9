# start.s -- the start code that images had when the RTL ran them (test/golden/rtl_held_out.csv): every piece of it,
# whether the kernels needed it or not.

	.include "abi.inc"
	.section .text.start, "axR", @progbits
	.globl _start
	.type _start, @function
_start:
	la      gp, __global_pointer$
	li      t0, ABI_LANES
	vsetvli t0, t0, e32, m1, ta, ma
	li      t0, 0x2000
	csrrs   zero, mstatus, t0
	la      t0, spike_end
	csrrw   zero, mtvec, t0
	csrr    t0, CSR_LDS
	csrr    t1, CSR_WID
	slli    t1, t1, ABI_WARP_STACK_SHIFT
	add     sp, t0, t1
	csrr    t1, CSR_NUMW
	slli    t1, t1, ABI_WARP_STACK_SHIFT
	add     s0, t0, t1
	li      tp, 0
	csrr    t0, CSR_KNL
	lw      a0, 4*KNL_ARGS(t0)
	lw      t1, 4*KNL_ENTRY(t0)
	jalr    ra, t1
	endprg  zero, zero, zero
	.size _start, . - _start

spike_end:
	li      t1, 1
	la      t0, tohost
	sw      t1, 0(t0)
1:	j       1b

	.section .tohost, "aw", @progbits
	.p2align 6
tohost:
	.dword  0
	.p2align 6
	.dword  0
