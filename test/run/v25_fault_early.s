# With --check-copies, to load from the destination of a copy before the warp that asked
# for it has waited is a fault; without, the data happen to be there.
# on: interp jit shadow
# run: r="%b/ventus run --engine %e --isa v2025 -k fault_early -g 32 -l 32 -a buf:u32:32=iota -a buf:u32:32>-:28:4"
# run: $r %s
# run: $r --check-copies %s 2>%t.err || s=$?
# run: grep -o 'the kernel faulted: .*' %t.err
# run: grep -Eo '^ +(kernel|group|warp|lane|active) .*' %t.err | tr -s ' '
# run: sed -n 's|^  instruction [0-9a-f]*  *||p' %t.err
# run: exit $s
# exit: 1

	.include "kernel.inc"
	.text
	.kernel fault_early
	.lds    256
fault_early:
	lw      a1, 0(a0)
	lw      a2, 4(a0)
	local_id v1
	word_at v2, s0, v1
	word_at v3, a2, v1
	li      t3, 64
	addi    a3, s0, 64
	addi    a4, a1, 64
	cp_dma_bulk s0, a1, t3
	cp_dma_mbarrier
	cp_dma_bulk a3, a4, t3          # from lane 16 on
	vlw12.v v4, 0(v2)
	cp_dma_mbarrier
	vsw12.v v4, 0(v3)
	ret

# out:
# arg1[28..31]: 28 29 30 31
# the kernel faulted: access to memory that an asynchronous copy has yet to fill: 0x70000440 (4 bytes)
#  kernel fault_early
#  group (0, 0, 0)
#  warp 0
#  lane 16
#  active 0xffffffff
# vlw12.v v4, 0(v2)
# end
