# What objdump shows besides code: sections with their flags, types and alignments, segments of an image, zeros, one
# function alone, CSRs by name.  And directories of `as -I`, an entry and functions that `ld` keeps.
# run: mkdir -p %t.d && printf '\t.word 0x11223344\n' >%t.d/word.inc && %b/ventus as -I %t.d -o %t.o %s
# run: echo '-h:' && %b/ventus objdump -h %t.o | sed 's,^.*/t.o:,t.o:,'
# run: echo '-D:' && %b/ventus objdump -D %t.o | sed '1d; /ventus.resource/,$d'
# run: echo 'second:' && %b/ventus objdump --disassemble=second --csr-names %t.o | sed '1d'
# run: echo 'third, to the end:' && %b/ventus objdump --disassemble=third %t.o | sed '1d'
# run: %b/ventus objdump --disassemble=nobody %t.o 2>&1 | sed -n 's/^.*error/error/p'
# run: echo 'image:' && %b/ventus ld -e first -o %t.elf %t.o && %b/ventus objdump -h %t.elf | sed -n 's/^.*image, \(.*\), entry 0x8000.*$/image, \1/p; /^segments/,/^  addr/p; /^  0x8000[23]/p'
	.globl	first, second, third
	.text
first:	addi	t0, t0, 1
	ret
	.type	second, @function
second:	csrr	t1, CSR_TID
	ret
	.size	second, 8
	.word	0x0000500b
third:	ret
	ret
	.data
	.balign	8
	.include "word.inc"
	.byte	1, 2, 3
	.bss
	.balign	16
	.zero	12
middle:	.zero	20
	.section .note.x, "", @note
	.word	7
	.section .fini_array, "aw", @fini_array
	.word	0
	.section .merged, "aMS", @progbits, 1
	.asciz	"a"
# out:
# -h:
# t.o: object, v202
#
# sections:
#   number  address     size        align  flags  type        name
#        0  0x00000000  0x0000001c      4  AX     progbits    .text
#        1  0x00000000  0x00000007      8  AW     progbits    .data
#        2  0x00000000  0x00000020     16  AW     nobits      .bss
#        3  0x00000000  0x00000004      1  -      note        .note.x
#        4  0x00000000  0x00000004      1  AW     fini_array  .fini_array
#        5  0x00000000  0x00000002      1  A      progbits    .merged
#        6  0x00000000  0x00000038      8  -      progbits    .ventus.resource.
#
# -D:
#
# Disassembly of section .text:
#
# 00000000 <first>:
# 00000000: 00128293      addi t0, t0, 1
# 00000004: 00008067      ret
#
# 00000008 <second>:
# 00000008: 80002373      csrr t1, 2048
# 0000000c: 00008067      ret
# 00000010: 0000500b      regpair zero, zero, 0
#
# 00000014 <third>:
# 00000014: 00008067      ret
# 00000018: 00008067      ret
#
# Disassembly of section .data:
# 00000000: 11223344      .word 0x11223344
# 	.byte 0x01
# 	.byte 0x02
# 	.byte 0x03
#
# Disassembly of section .bss:
# 	.zero 12
#
# 0000000c <middle>:
# 	.zero 20
#
# Disassembly of section .note.x:
# 00000000: 00000007      .word 0x00000007
#
# Disassembly of section .fini_array:
# 00000000: 00000000      .word 0x00000000
#
# Disassembly of section .merged:
# 	.byte 0x61
# 	.byte 0x00
#
# second:
#
# Disassembly of section .text:
#
# 00000008 <second>:
# 00000008: 80002373      csrr t1, tid
# 0000000c: 00008067      ret
# third, to the end:
#
# Disassembly of section .text:
#
# 00000014 <third>:
# 00000014: 00008067      ret
# 00000018: 00008067      ret
# error: it has no symbol 'nobody'
# image:
# image, v202
# segments:
#   address     bytes       in memory   flags
#   0x80002000  0x00000002  0x00000002  r--
#   0x80003000  0x0000000b  0x00000030  rw-
# end
