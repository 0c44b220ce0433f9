# A jump to where no code is.
# on: interp jit timing
# run: %b/ventus run --engine %e -k fault_fetch -g 1 -l 1 %s 2>%t.err || s=$?
# run: grep -o 'instruction fetch from unmapped memory.*' %t.err
# run: exit $s
# exit: 1

	.text
	.kernel fault_fetch
fault_fetch:
	li      t2, 0x1000
	jr      t2

# out:
# instruction fetch from unmapped memory
# end
