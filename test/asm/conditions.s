# Conditions; what is left out need not make sense.
# run: %b/ventus as --listing %s -o %t.o | sed '/[o]ut:/,$d'

	.equ yes, 1
	.if yes
	.byte 1
	.else
	.byte bad bad bad
	.endif
	.if yes == 0
	.if what is this
	.endif
	.byte 2
	.elseif yes
	.byte 3
	.elseif yes
	.byte 4
	.else
	.byte 5
	.endif
	.ifdef yes; .byte 6; .endif
	.ifndef yes; .byte 7; .else; .byte 8; .endif
	.ifc a b, a b; .byte 9; .endif
	.ifnc a, b; .byte 10; .endif
	.ifeqs "a", "a"; .byte 11; .endif
	.ifb; .byte 12; .endif
	.iflt -1; .byte 13; .endif
	.ifge 0; .byte 14; .endif

# out:
#       1                       # Conditions; what is left out need not make sense.
#       2                       # run: %b/ventus as --listing %s -o %t.o | sed '/[o]ut:/,$d'
#       3                       
#       4                       	.equ yes, 1
#       5                       	.if yes
#       6 00000000 01           	.byte 1
#       7                       	.else
#      10                       	.if yes == 0
#      15 00000001 03           	.byte 3
#      16                       	.elseif yes
#      21 00000002 06           	.ifdef yes; .byte 6; .endif
#      22 00000003 08           	.ifndef yes; .byte 7; .else; .byte 8; .endif
#      23 00000004 09           	.ifc a b, a b; .byte 9; .endif
#      24 00000005 0a           	.ifnc a, b; .byte 10; .endif
#      25 00000006 0b           	.ifeqs "a", "a"; .byte 11; .endif
#      26 00000007 0c           	.ifb; .byte 12; .endif
#      27 00000008 0d           	.iflt -1; .byte 13; .endif
#      28 00000009 0e           	.ifge 0; .byte 14; .endif
#      29                       
# end
