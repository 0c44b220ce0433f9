# A loop without an end is stopped by a limit of instructions, or of seconds; so is one of barriers, also where a
# barrier is the last instruction that the limit leaves to both warps: none retires another; so are very many short groups.
# on: interp jit timing
# run: %b/ventus run --engine %e --max-insns 10000 -k fault_endless -g 1 -l 1 %s 2>%t.err || s=$?
# run: grep -o 'instruction limit reached' %t.err
# run: %b/ventus run --engine %e --timeout 0.1 -k fault_endless -g 1 -l 1 %s 2>%t.err || s=$?
# run: grep -o 'time limit reached' %t.err
# run: %b/ventus run --engine %e --timeout 0.1 -k fault_meetings -g 32 -l 32 %s 2>%t.err || s=$?
# run: grep -o 'time limit reached' %t.err
# run: %b/ventus run --engine %e --timeout 0.1 -k fault_many -g 4000000000 -l 1 %s 2>%t.err || s=$?
# run: grep -o 'time limit reached' %t.err
# run: for n in 100 101 102 103; do %b/ventus run --engine %e --max-insns $n -k fault_meetings -g 64 -l 64 --stats %s 2>%t.err | grep '^insns ' | cut -d ' ' -f 1,2; grep -o 'instruction limit reached' %t.err; done | xargs
# run: exit $s
# exit: 1

	.text
	.kernel fault_endless
fault_endless:
	j       fault_endless

	.kernel fault_meetings
fault_meetings:
	barrier zero, zero, 0
	j       fault_meetings

	.kernel fault_many
fault_many:
	ret

# out:
# instruction limit reached
# time limit reached
# time limit reached
# time limit reached
# insns 200 instruction limit reached insns 201 instruction limit reached insns 204 instruction limit reached insns 205 instruction limit reached
# end
