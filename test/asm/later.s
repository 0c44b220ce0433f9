# Symbols that get another value while what was read before keeps the old one, sums of what is known only at the end,
# directives that change nothing, and what stands behind the end.
# run: %b/ventus as -o %t.o %s && %b/ventus objdump -D --no-addresses %t.o | sed '/resource/,$d' && %b/ventus objdump -t %t.o | grep -w 'twice\|shown' | tr -s ' '
	.option	push
	.option	norvc
	.option	pop
	.globl	shown, twice
	.hidden	shown
	.protected shown
	.internal shown
	.variant_cc shown
shown:	addi	t0, t0, 0xffffffff	# -1
	ret
	.section .words, "a", 1		# SHT_PROGBITS
	.set	size, stop - begin
	.word	size
	.set	size, (stop - begin) * 2
	.word	size
	.word	(stop - begin) + (stop - begin) + 1
	.word	(stop - begin) * 3 - (stop - begin)
	.word	5 - (stop - begin)
	.set	twice, size
begin:	.word	17
	.half	18, 19
	.word	20
stop:
	.section .room, "aw", 8		# SHT_NOBITS
	.zero	4
	.end
	this is no statement
# out:
# 	.section .text, "ax", @progbits
# 	.balign 4
# 	.globl shown
# shown:
# 	addi t0, t0, -1
# 	ret
# 	.section .words, "a", @progbits
# 	.word 0x0000000c
# 	.word 0x00000018
# 	.word 0x00000019
# 	.word 0x00000018
# 	.word 0xfffffff9
# begin:
# 	.word 0x00000011
# 	.word 0x00130012
# 	.word 0x00000014
# stop:
# 	.section .room, "aw", @nobits
# 	.zero 4
#  0x00000000 0x00000000 global none .text shown
#  0x00000018 0x00000000 global none *absolute* twice
# end
