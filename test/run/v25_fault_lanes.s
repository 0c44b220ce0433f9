# The matrix unit takes whole warps: with lanes on the other side of
# a branch, here those of items 48 to 63, a product is a fault.
# on: interp jit shadow
# run: %b/ventus run --engine %e --isa v2025 -k fault_lanes -g 64 -l 64 %s 2>%t.err || s=$?
# run: grep -o 'the kernel faulted: .*' %t.err
# run: grep -Eo '^ +(kernel|group|warp|lane|active) .*' %t.err | tr -s ' '
# run: sed -n 's|^  instruction [0-9a-f]*  *||p' %t.err
# run: exit $s
# exit: 1

	.include "kernel.inc"
	.text
	.kernel fault_lanes
fault_lanes:
	mma.m8n8k16.row.col.f16.f16.f16.f16 v8, v4, v6
	local_id v1
	li      t2, 48
	vmv.v.x v2, t2
	branch  geu, v1, v2, .Ljoin, .Ljoin
	mma.m8n8k16.row.col.f16.f16.f16.f16 v8, v4, v6
.Ljoin:
	join    zero, zero, 0
	ret

# out:
# the kernel faulted: instruction that needs every lane of the warp
#  kernel fault_lanes
#  group (0, 0, 0)
#  warp 1
#  active 0x0000ffff
# mma.m8n8k16.row.col.f16.f16.f16.f16 v8, v4, v6
# end
