# A copy of 16 bytes whose source has more to give than that: 20.  A group of three warps
# of four lanes; the second asks for it.
# on: interp jit shadow
# run: %b/ventus run --engine %e --isa v2025 --threads 4 -k fault_copy -g 24 -l 12 -a buf:u32:32 %s 2>%t.err || s=$?
# run: grep -o 'the kernel faulted: .*' %t.err
# run: grep -Eo '^ +(kernel|group|warp|lane|active) .*' %t.err | tr -s ' '
# run: sed -n 's|^  instruction [0-9a-f]*  *||p' %t.err
# run: exit $s
# exit: 1

	.include "kernel.inc"
	.text
	.kernel fault_copy
	.lds    64
fault_copy:
	lw      a1, 0(a0)
	csrr    t2, CSR_WID
	slli    t2, t2, 4
	addi    t3, t2, 4
	li      t4, 16
	cp_dma  s0, a1, t4, sz=2
	li      t2, 1
	csrr    t4, CSR_WID
	bne     t2, t4, .Lend
	cp_dma  s0, a1, t3, sz=2
.Lend:
	cp_dma_mbarrier
	ret

# out:
# the kernel faulted: asynchronous copy with arguments out of range: 0x00000014
#  kernel fault_copy
#  group (0, 0, 0)
#  warp 1
#  active 0x0000000f
# cp_dma s0, a1, t3, sz=2
# end
