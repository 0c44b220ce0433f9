# One warp waits at a barrier, the other never comes: it spins on a flag that nobody sets.
# When the limit of instructions stops it, the report says that warps were waiting.
# on: interp
# run: s=0; %b/ventus run --engine %e --threads 4 --max-insns 10000 -k fault_deadlock -g 8 -l 8 -a buf:i32:1=0 %s >%t.out 2>&1 || s=$?; echo status $s
# run: grep -o 'warps wait at a barrier that the others do not reach' %t.out
# run: grep -Eo '^ +warps .*' %t.out | tr -s ' '

	.text
	.kernel fault_deadlock
fault_deadlock:
	lw      a1, 0(a0)
	csrr    t2, CSR_WID
	beqz    t2, .Lwait
.Lspin:
	lw      t2, 0(a1)
	beqz    t2, .Lspin
.Lwait:
	barrier x0, x0, 1
	ret

# out:
# status 1
# warps wait at a barrier that the others do not reach
#  warps 1 waiting at a barrier, 1 running
# end
