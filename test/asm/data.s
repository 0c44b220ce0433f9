# Data directives.
# run: %b/ventus as --listing %s -o %t.o | sed '/[o]ut:/,$d'

	.data
	.byte 1, -1, 255, 'a'
	.half 1, -1; .short 2; .hword 3; .2byte 4
	.word 1, -1, 0xffffffff; .long 5; .int 6; .4byte 7
	.dword 0x123456789abcdef0; .quad -1; .8byte 8
	.float 1.5, -0.1; .double 1.5
	.ascii "ab", "c"; .asciz "d"; .string "\n\t\\\"\101\x42"
	.balign 4
	.zero 3; .space 2, 7; .skip 3
	.fill 2, 2, 0x1234; .fill 1, 8, -1
	.uleb128 624485, b - a; .sleb128 -123456
	.p2align 3, 0xaa
a:	.word a - b, (b - a) / 4, . - a
b:	.word x; x = 5; .word x; .set x, x + 1; .word x
	.org b + 0x20
	.byte 1
	.text
	nop
	.p2align 3
	.byte 1
	.p2align 2
	nop
	.bss
	.zero 16

# out:
#       1                       # Data directives.
#       2                       # run: %b/ventus as --listing %s -o %t.o | sed '/[o]ut:/,$d'
#       3                       
#       4                       	.data
#       5 00000000 61ffff01     	.byte 1, -1, 255, 'a'
#       6 00000004 ffff0001 00030002 0004 	.half 1, -1; .short 2; .hword 3; .2byte 4
#       7 0000000e 00000001 ffffffff ffffffff 00000005 ... 	.word 1, -1, 0xffffffff; .long 5; .int 6; .4byte 7
#       8 00000026 9abcdef0 12345678 ffffffff ffffffff ... 	.dword 0x123456789abcdef0; .quad -1; .8byte 8
#       9 0000003e 3fc00000 bdcccccd 00000000 3ff80000 	.float 1.5, -0.1; .double 1.5
#      10 0000004e 64636261 5c090a00 00424122 	.ascii "ab", "c"; .asciz "d"; .string "\n\t\\\"\101\x42"
#      11 0000005a 0000         	.balign 4
#      12 0000005c 07000000 00000007 	.zero 3; .space 2, 7; .skip 3
#      13 00000064 12341234 ffffffff 00000000 	.fill 2, 2, 0x1234; .fill 1, 8, -1
#      14 00000070 0c268ee5 78bbc0 	.uleb128 624485, b - a; .sleb128 -123456
#      15 00000077 aa           	.p2align 3, 0xaa
#      16 00000078 fffffff4 00000003 00000008 a:	.word a - b, (b - a) / 4, . - a
#      17 00000084 00000006 00000005 00000006 b:	.word x; x = 5; .word x; .set x, x + 1; .word x
#      18 00000090 00000000 00000000 00000000 00000000 ... 	.org b + 0x20
#      19 000000a4 01           	.byte 1
#      20                       	.text
#      21 00000000 00000013     	nop
#      22 00000004 00000013     	.p2align 3
#      23 00000008 01           	.byte 1
#      24 00000009 000000       	.p2align 2
#      25 0000000c 00000013     	nop
#      26                       	.bss
#      27 00000000              	.zero 16
#      28                       
# end
