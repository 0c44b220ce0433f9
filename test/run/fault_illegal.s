# A word that is no instruction stops the launch.  The report shows the word, and where
# it stands: symbol and distance.
# on: interp
# run: s=0; %b/ventus run --engine %e -k fault_illegal -g 1 -l 1 %s >%t.out 2>&1 || s=$?; echo status $s
# run: grep -o 'illegal instruction' %t.out
# run: grep -Eo 'fault_illegal\+0x4|instruction +ffffffff' %t.out | tr -s ' '

	.text
	.kernel fault_illegal
fault_illegal:
	nop
	.word   0xffffffff
	ret

# out:
# status 1
# illegal instruction
# fault_illegal+0x4
# instruction ffffffff
# end
