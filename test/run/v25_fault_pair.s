# A 64-bit address is in an even register and the next one; v3 cannot hold one.
# on: interp jit shadow
# run: %b/ventus run --engine %e --isa v2025 -k fault_pair -g 32 -l 32 -a buf:u32:32 %s 2>%t.err || s=$?
# run: grep -o 'the kernel faulted: .*' %t.err
# run: grep -Eo '^ +(kernel|group|warp|lane|active) .*' %t.err | tr -s ' '
# run: sed -n 's|^  instruction [0-9a-f]*  *||p' %t.err
# run: exit $s
# exit: 1

	.text
	.kernel fault_pair
fault_pair:
	lw      a1, 0(a0)
	vmv.v.x v2, a1
	vmv.v.i v3, 0
	vlw12d.v v4, 0(v2)
	vlw12d.v v4, 0(v3)
	ret

# out:
# the kernel faulted: register number out of range, or odd where a pair is needed: 0x00000003
#  kernel fault_pair
#  group (0, 0, 0)
#  warp 0
#  active 0xffffffff
# vlw12d.v v4, 0(v3)
# end
