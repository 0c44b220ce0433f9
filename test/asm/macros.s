# Macros: defaults, named and counted arguments, the rest, labels of their own, recursion;
# repetitions.
# run: %b/ventus as --listing %s -o %t.o | sed '/[o]ut:/,$d'

	.macro pair first, second=9
	.byte \first, \second
	.endm
	pair 1
	pair 1, 2
	pair 1 2
	pair second=3, first=4
	.macro each first:req, rest:vararg
	.byte \first
	.ifnb \rest
	each \rest
	.endif
	.endm
	each 1, 2, 3
	.macro own
.Lown\@: .byte . - .Lown\@
	.exitm
	.error "not reached"
	.endm
	own
	own
	.macro glue a, b
\a\()_\b: .byte '\a'
	.endm
	glue x, y
	.rept 3
	.byte 7
	.endr
	.irp n, 1, (2+3), 4
	.byte \n
	.endr
	.irpc c, 123
	.byte \c
	.endr
	.purgem pair
	.macro pair
	.byte 0
	.endm
	pair

# out:
#       1                       # Macros: defaults, named and counted arguments, the rest, labels of their own, recursion;
#       2                       # repetitions.
#       3                       # run: %b/ventus as --listing %s -o %t.o | sed '/[o]ut:/,$d'
#       4                       
#       5                       	.macro pair first, second=9
#       8                       	pair 1
#         00000000 0901         	.byte 1, 9
#       9                       	pair 1, 2
#         00000002 0201         	.byte 1, 2
#      10                       	pair 1 2
#         00000004 0201         	.byte 1, 2
#      11                       	pair second=3, first=4
#         00000006 0304         	.byte 4, 3
#      12                       	.macro each first:req, rest:vararg
#      18                       	each 1, 2, 3
#         00000008 01           	.byte 1
#                               	.ifnb 2, 3
#                               	each 2, 3
#         00000009 02           	.byte 2
#                               	.ifnb 3
#                               	each 3
#         0000000a 03           	.byte 3
#                               	.ifnb 
#                               	.endif
#                               	.endif
#      19                       	.macro own
#      24                       	own
#         0000000b 00           .Lown7: .byte . - .Lown7
#                               	.exitm
#      25                       	own
#         0000000c 00           .Lown8: .byte . - .Lown8
#                               	.exitm
#      26                       	.macro glue a, b
#      29                       	glue x, y
#         0000000d 78           x_y: .byte 'x'
#      30                       	.rept 3
#         0000000e 07           	.byte 7
#         0000000f 07           	.byte 7
#         00000010 07           	.byte 7
#      33                       	.irp n, 1, (2+3), 4
#         00000011 01           	.byte 1
#         00000012 05           	.byte (2+3)
#         00000013 04           	.byte 4
#      36                       	.irpc c, 123
#         00000014 01           	.byte 1
#         00000015 02           	.byte 2
#         00000016 03           	.byte 3
#      39                       	.purgem pair
#      40                       	.macro pair
#      43                       	pair
#         00000017 00           	.byte 0
#      44                       
# end
