# One warp waits at a barrier, the other never comes: it spins on a flag that nobody sets.
# When the limit of instructions stops it, the report says that warps were waiting.
# on: interp jit timing
# run: %b/ventus run --engine %e --threads 4 --max-insns 10000 -k fault_deadlock -g 8 -l 8 -a buf:i32:1=0 %s 2>%t.err || s=$?
# run: grep -o 'warps wait at a barrier that the others do not reach' %t.err
# run: grep -Eo '^ +warps .*' %t.err | tr -s ' '
# run: exit $s
# exit: 1

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
# warps wait at a barrier that the others do not reach
#  warps 1 waiting at a barrier, 1 running
# end
