# A loop without an end is stopped by a limit of instructions, or of seconds.  Warp 0 waits
# at a barrier meanwhile, which the report tells, because that is how most such loops begin.
# on: interp
# run: s=0; %b/ventus run --engine %e --threads 4 --max-insns 10000 -k fault_endless -g 8 -l 8 %s >%t.out 2>&1 || s=$?; echo status $s
# run: grep -o 'instruction limit reached' %t.out
# run: grep -Eo '^ +warps .*' %t.out | tr -s ' '
# run: s=0; %b/ventus run --engine %e --threads 4 --timeout 0.1 -k fault_endless -g 8 -l 8 %s >%t.out 2>&1 || s=$?; echo status $s
# run: grep -o 'time limit reached' %t.out

	.text
	.kernel fault_endless
fault_endless:
	csrr    t2, CSR_WID
	beqz    t2, .Lwait
.Lforever:
	j       .Lforever
.Lwait:
	barrier x0, x0, 1
	ret

# out:
# status 1
# instruction limit reached
#  warps 1 waiting at a barrier, 1 running
# status 1
# time limit reached
# end
