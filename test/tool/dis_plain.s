# What `objdump -d --no-addresses` prints is a program: assembled again it has the same words,
# relocations and symbols, of the types, sizes and bindings below.
# run: %b/ventus as -o %t.o %s && %b/ventus objdump -d --no-addresses %t.o >%t.s
# run: %b/ventus as -o %t.again.o %t.s
# run: for o in d r; do for f in o again.o; do %b/ventus objdump -$o %t.$f | tail -n +3 >%t.$f.$o; done; cmp %t.o.$o %t.again.o.$o; done
# run: for o in o again.o; do %b/ventus objdump -t %t.$o | awk '$5 == ".text" { print $6, $3, $4, $2 }' | sort >%t.$o.t; done; cmp %t.o.t %t.again.o.t; cat %t.again.o.t

	.text
	.globl	main
	.type	main, @function
main:
	addi	sp, sp, -4
	lui	a1, %hi(table)
	lw	a1, %lo(table)(a1)
1:	auipc	t0, %pcrel_hi(other)
	addi	t0, t0, %pcrel_lo(1b)
	beqz	a0, inner
	call	outside
inner:
	addi	sp, sp, 4
	j	main
	.size	main, . - main
	.weak	other
	.type	other, @function
other:
	addi	a0, a0, 1
	nop
	.size	other, 8
	.type	words, @object
words:
	.word	0xffffffff, 7
	.size	words, 8
	.globl	constant
	.type	constant, @object
constant:
	.word	5
	.size	constant, 4
	.weak	spare
spare:
	nop
	.data
table:
	.word	1

# out:
# .Ltmp4 local none 0x00000000
# constant global object 0x00000004
# inner local none 0x00000000
# main global func 0x00000028
# other weak func 0x00000008
# spare weak none 0x00000000
# words local object 0x00000008
# end
