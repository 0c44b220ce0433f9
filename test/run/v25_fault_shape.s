# A matrix product of a reserved shape is an illegal instruction: tf32 has shapes 4 to 7
# only, this word says 0.
# on: interp jit shadow
# run: %b/ventus run --engine %e --isa v2025 -k fault_shape -g 32 -l 32 %s 2>%t.err || s=$?
# run: grep -o 'the kernel faulted: .*' %t.err
# run: grep -Eo '^ +(kernel|group|warp|lane|active) .*' %t.err | tr -s ' '
# run: grep -o 'instruction 0.*' %t.err
# run: exit $s
# exit: 1

	.text
	.kernel fault_shape
fault_shape:
	mma.m16n8k8.row.col.f32.tf32.tf32.f32 v8, v4, v6
	.word   0x0062140a              # type 0 (tf32), shape 0, v8, v4, v6
	ret

# out:
# the kernel faulted: illegal instruction
#  kernel fault_shape
#  group (0, 0, 0)
#  warp 0
#  active 0xffffffff
# instruction 0062140a  .word 0x0062140a
# end
