# A jump to where no code is.
# on: interp
# run: s=0; %b/ventus run --engine %e -k fault_fetch -g 1 -l 1 %s >%t.out 2>&1 || s=$?; echo status $s
# run: grep -o 'instruction fetch from unmapped memory.*' %t.out

	.text
	.kernel fault_fetch
fault_fetch:
	li      t2, 0x1000
	jr      t2

# out:
# end
