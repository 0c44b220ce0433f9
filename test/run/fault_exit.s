# A warp must be whole when it ends: a kernel that returns on one side of a branch has
# forgotten its join.
# on: interp jit timing
# run: %b/ventus run --engine %e --threads 8 -k fault_exit -g 8 -l 8 %s 2>%t.err || s=$?
# run: grep -o 'warp ends while diverged' %t.err
# run: exit $s
# exit: 1

	.include "kernel.inc"
	.text
	.kernel fault_exit
fault_exit:
	local_id v1
	vmv.v.i v3, 3
	branch  ltu, v1, v3, .Lmeet, .Lmeet
	ret
.Lmeet:
	join    zero, zero, 0
	ret

# out:
# warp ends while diverged
# end
