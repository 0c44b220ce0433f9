# A group that cannot fit the machine is refused before anything runs: more warps than a
# group may have, or more local memory than there is.
# on: interp
# run: s=0; %b/ventus run --engine %e --threads 4 --warps 8 -k fault_group -g 64 -l 64 -a local:64 %s >%t.out 2>&1 || s=$?; echo status $s
# run: cat %t.out
# run: s=0; %b/ventus run --engine %e -k fault_group -g 1 -l 1 -a local:268435456 %s >%t.out 2>&1 || s=$?; echo status $s
# run: cat %t.out

	.text
	.kernel fault_group
fault_group:
	ret

# out:
# end
