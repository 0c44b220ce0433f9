# A word that is no instruction stops the launch.  The report shows the word, and where
# it stands: symbol and distance.
# on: interp jit timing
# run: %b/ventus run --engine %e -k fault_illegal -g 1 -l 1 %s 2>%t.err || s=$?
# run: grep -o 'illegal instruction' %t.err
# run: grep -Eo 'fault_illegal\+0x4|instruction +ffffffff' %t.err | tr -s ' '
# run: exit $s
# exit: 1

	.text
	.kernel fault_illegal
fault_illegal:
	nop
	.word   0xffffffff
	ret

# out:
# illegal instruction
# fault_illegal+0x4
# instruction ffffffff
# end
