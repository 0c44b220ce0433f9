# setrpc must lead to a join.  Here it leads to the instruction before: lanes would pass it
# and never meet.  That is found when lanes part, not when they all go the same way.
# on: interp jit timing
# run: %b/ventus run --engine %e --threads 8 -k fault_nojoin -g 8 -l 8 -a i32:0 %s
# run: %b/ventus run --engine %e --threads 8 -k fault_nojoin -g 8 -l 8 -a i32:3 %s 2>%t.err || s=$?
# run: grep -o 'divergent branch whose reconvergence pc is not a join' %t.err
# run: grep -o 'vbltu .*' %t.err | cut -d, -f1-2
# run: exit $s
# exit: 1

	.include "kernel.inc"
	.text
	.kernel fault_nojoin
fault_nojoin:
	lw      a1, 0(a0)
	local_id v1
	vmv.v.x v3, a1
	branch  ltu, v1, v3, .Lmeet, .Lwrong
	nop
.Lwrong:
	nop
.Lmeet:
	join    zero, zero, 0
	ret

# out:
# divergent branch whose reconvergence pc is not a join
# vbltu v1, v3
# end
