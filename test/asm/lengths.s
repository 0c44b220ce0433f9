# A length that is negative only while the others have not grown yet is no error.
# run: %b/ventus as -o %t.o %s && %b/ventus objdump -t %t.o | grep "later\|start" | tr -s " "

	.space	(end - start) - 8
start:	.space	later - first
end:	nop
first:	nop
	nop
later:	endprg	x0, x0, x0

# the second length is the 8 bytes from first to later, so the first one is 0
# out:
#  0x00000000 0x00000000 local none .text start
#  0x00000014 0x00000000 local none .text later
# end
