# A loop without an end is stopped by a limit of instructions, or of seconds.
# on: interp
# run: s=0; %b/ventus run --engine %e --max-insns 10000 -k fault_endless -g 1 -l 1 %s >%t.out 2>&1 || s=$?; echo status $s
# run: grep -o 'instruction limit reached' %t.out
# run: s=0; %b/ventus run --engine %e --timeout 0.1 -k fault_endless -g 1 -l 1 %s >%t.out 2>&1 || s=$?; echo status $s
# run: grep -o 'time limit reached' %t.out

	.text
	.kernel fault_endless
fault_endless:
	j       fault_endless

# out:
# status 1
# instruction limit reached
# status 1
# time limit reached
# end
