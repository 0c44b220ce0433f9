# A barrier where lanes of the warp have parted: the others would never arrive.
# on: interp jit timing
# run: %b/ventus run --engine %e --threads 8 -k fault_barrier -g 8 -l 8 %s 2>%t.err || s=$?
# run: grep -o 'barrier while diverged' %t.err
# run: grep -Eo '^ +active .*' %t.err | tr -s ' '
# run: exit $s
# exit: 1

	.include "kernel.inc"
	.text
	.kernel fault_barrier
fault_barrier:
	local_id v1
	vmv.v.i v3, 3
	branch  ltu, v1, v3, .Lmeet, .Lmeet     # lanes 3 to 7 go on
	barrier x0, x0, 1
.Lmeet:
	join    zero, zero, 0
	ret

# out:
# barrier while diverged
#  active 0x000000f8
# end
