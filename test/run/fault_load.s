# A load from memory that is not there stops the launch.  The report names the group, the
# warp and the lane: work-item 21 of 32, in groups of 16 and warps of 4, is group 1,
# warp 1, lane 1.  Its address is 0x1000, everybody else's is good.
# on: interp jit timing
# run: %b/ventus run --engine %e --threads 4 -k fault_load -g 32 -l 16 -a buf:i32:32 %s 2>%t.err || s=$?
# run: grep -o 'load from unmapped memory: 0x00001000 (4 bytes)' %t.err
# run: grep -Eo '^ +(kernel|group|warp|lane) .*' %t.err | tr -s ' '
# run: sed -n 's|^  instruction [0-9a-f]*  *||p' %t.err
# run: exit $s
# exit: 1

	.include "kernel.inc"
	.text
	.kernel fault_load
fault_load:
	lw      a1, 0(a0)
	global_id v2
	word_at v3, a1, v2
	li      t2, 21
	vmv.v.x v4, t2
	branch  ne, v2, v4, .Lgood, .Lgood
	li      t2, 0x1000
	vmv.v.x v3, t2
.Lgood:
	join    zero, zero, 0
	vlw12.v v5, 0(v3)
	ret

# out:
# load from unmapped memory: 0x00001000 (4 bytes)
#  kernel fault_load
#  group (1, 0, 0)
#  warp 1
#  lane 1
# vlw12.v v5, 0(v3)
# end
