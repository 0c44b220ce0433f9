# A group that cannot fit the machine is refused before anything runs: more warps than a
# group may have, or more local memory than there is.
# on: interp jit timing
# run: %b/ventus run --engine %e --threads 4 --warps 8 -k fault_group -g 64 -l 64 -a local:64 %s 2>%t.err || s=$?
# run: grep -o 'more than 32 work-items' %t.err
# run: %b/ventus run --engine %e -k fault_group -g 1 -l 1 -a local:268435456 %s 2>%t.err || s=$?
# run: grep -o 'needs [0-9]* bytes of local memory' %t.err
# run: exit $s
# exit: 2

	.text
	.kernel fault_group
fault_group:
	ret

# out:
# more than 32 work-items
# needs 268436480 bytes of local memory
# end
