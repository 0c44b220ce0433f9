# Macros, repetition and a constant table: CRC-32 of the first i characters of
# "123456789", one prefix a work-item, by four bits at a time.  The whole, element 9, is
# 0xcbf43926 = 3421780262, the check value that descriptions of this CRC give; of nothing
# it is 0, of "1" 0x83dcefb7 = 2212294583.
# Lanes read different places of the table, and leave the loop one after another.
# on: interp jit timing
# run: for n in 4 8 16 32; do
# run:   %b/ventus run --engine %e --threads $n -k crc -g 10 -l 10 -a 'buf:u32:10>-' %s >%t.$n
# run:   cmp %t.4 %t.$n
# run: done
# run: cat %t.4

	.include "kernel.inc"
	.text
# \crc = \crc >> 4 ^ table[\crc & 15].  Changes v9.
	.macro nibble crc, table
	vand.vi v9, \crc, 15
	word_at v9, \table, v9
	vlw12.v v9, 0(v9)
	vsrl.vi \crc, \crc, 4
	vxor.vv \crc, \crc, v9
	.endm

	.kernel crc
crc:
	lw      a1, 0(a0)
	la      a2, table
	la      a3, text
	local_id v1
	vmv.v.i v3, -1                  # the CRC
	vmv.v.i v4, 0                   # characters taken
.Lcharacter:
	branch  geu, v4, v1, .Ldone, .Ldone
	vadd.vx v5, v4, a3
	vlbu12.v v5, 0(v5)
	vxor.vv v3, v3, v5
	.rept   2
	nibble  v3, a2
	.endr
	vadd.vi v4, v4, 1
	j       .Lcharacter
.Ldone:
	join    zero, zero, 0
	vnot.v  v3, v3
	word_at v4, a1, v1
	vsw12.v v3, 0(v4)
	ret

	.section .rodata
# entry i: i, four times shifted right, with 0xedb88320 for each bit that falls out
	.macro  bit value, times
	.if     \times
	bit     (((\value) >> 1) ^ (-((\value) & 1) & 0xedb88320)), (\times - 1)
	.else
	.word   \value
	.endif
	.endm
	.balign 4
table:
	.irp    i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	bit     \i, 4
	.endr
text:
	.ascii  "123456789"

# out:
# arg0[0..9]: 0 2212294583 1330857165 2286445522 2615402659 3421846044 158520161 1342400927 2598427311 3421780262
# end
