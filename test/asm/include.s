# Files beside the source are found; what goes wrong in one says who asked for it.
# run: %b/ventus as --listing %s -o %t.o | sed '/[o]ut:/,$d'
# run: printf '\n\tnop x\n' >%t.inc; printf '.include "t.inc"\n' >%t.s; %b/ventus as %t.s -o %t.o 2>&1 | sed 's,/.*/,,'

	.include "include.inc"
	.byte included
	.incbin "include.inc", 2, 7

# out:
#       1                       # Files beside the source are found; what goes wrong in one says who asked for it.
#       2                       # run: %b/ventus as --listing %s -o %t.o | sed '/[o]ut:/,$d'
#       3                       # run: printf '\n\tnop x\n' >%t.inc; printf '.include "t.inc"\n' >%t.s; %b/ventus as %t.s -o %t.o 2>&1 | sed 's,/.*/,,'
#       4                       
#       5                       	.include "include.inc"
#                               # Brought in by include.s.
#                               	.equ included, 42
#       6 00000000 2a           	.byte included
#       7 00000001 756f7242 746867 	.incbin "include.inc", 2, 7
#       8                       
# t.inc:2:6: error: expected the end of the statement, found 'x'
#     	nop x
#     	    ^
# t.s:1:10: note: from here
# end
