# Labels, several statements on a line, comments of every kind, numeric labels, numbers
# in every base, quoted names.
# run: %b/ventus as %s -o %t.o && %b/ventus objdump -d %t.o | tail -n +4

first: second: nop; addi a0, a0, 1 # a comment; not a statement
	NOP // another
	/* and one of
	   several lines */ addi a0, a0, /* inside */ 2
1:	j 1f; 1: j 1b; j 1f
1:	addi a0, a0, 0x7f; addi a0, a0, 0b101; addi a0, a0, 017; addi a0, a0, 'A'
	addi a0, a0, '\n'; addi a0, a0, -'0; addi a0, a0, ~1
"a name": j "a name"
_dots.and$dollars: j _dots.and$dollars
	beq a0, a1, .; j .+8; j .-4
	beq a0, a1, 8

# out:
#
# 00000000 <first>:
#
# 00000000 <second>:
# 00000000: 00000013      nop
# 00000004: 00150513      addi a0, a0, 1
# 00000008: 00000013      nop
# 0000000c: 00250513      addi a0, a0, 2
# 00000010: 0040006f      j 0x14 <first+0x14>
# 00000014: 0000006f      j 0x14 <first+0x14>
# 00000018: 0040006f      j 0x1c <first+0x1c>
# 0000001c: 07f50513      addi a0, a0, 127
# 00000020: 00550513      addi a0, a0, 5
# 00000024: 00f50513      addi a0, a0, 15
# 00000028: 04150513      addi a0, a0, 65
# 0000002c: 00a50513      addi a0, a0, 10
# 00000030: fd050513      addi a0, a0, -48
# 00000034: ffe50513      addi a0, a0, -2
#
# 00000038 <a name>:
# 00000038: 0000006f      j 0x38 <a name>
#
# 0000003c <_dots.and$dollars>:
# 0000003c: 0000006f      j 0x3c <_dots.and$dollars>
# 00000040: 00b50063      beq a0, a1, 0x40 <_dots.and$dollars+0x4>
# 00000044: 0080006f      j 0x4c <_dots.and$dollars+0x10>
# 00000048: ffdff06f      j 0x44 <_dots.and$dollars+0x8>
# 0000004c: 00b50463      beq a0, a1, 0x54 <_dots.and$dollars+0x18>
# end
