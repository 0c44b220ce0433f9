# Division never traps: a quotient by zero is all ones, its remainder the dividend; the
# one signed overflow, the smallest number by -1, gives that number and remainder 0.
# Quotients round toward zero, remainders have the dividend's sign.
# Eight cases, one a lane; then scalar instructions do the same, and the count of
# differences (argument 1) must be 0.  Argument 0: quotients, remainders, both unsigned.
#
#     a       7  -7   7  -7   7  -7  smallest  smallest
#     b       2   2  -2  -2   0   0        -1         1
#
# Unsigned, -7 is 4294967289, -2 is 4294967294, and the smallest is 2147483648.
# on: interp jit timing
# run: for n in 4 8 16 32; do
# run:   %b/ventus run --engine %e --threads $n -k divide -g 8 -l 8 -a 'buf:i32:16>-' -a 'buf:u32:16>-' -a 'buf:i32:1=0>-' %s >%t.$n
# run:   cmp %t.4 %t.$n
# run: done
# run: cat %t.4

	.include "kernel.inc"
	.text
	.kernel divide
divide:
	lw      a1, 0(a0)               # signed: 8 quotients, 8 remainders
	lw      a2, 4(a0)               # unsigned
	lw      a3, 8(a0)               # differences
	local_id v1

	la      t2, dividends
	word_at v3, t2, v1
	vlw12.v v3, 0(v3)
	la      t2, divisors
	word_at v4, t2, v1
	vlw12.v v4, 0(v4)
	vdiv.vv v5, v3, v4
	vrem.vv v6, v3, v4
	vdivu.vv v7, v3, v4
	vremu.vv v8, v3, v4
	word_at v9, a1, v1
	vsw12.v v5, 0(v9)
	vsw12.v v6, 32(v9)
	word_at v9, a2, v1
	vsw12.v v7, 0(v9)
	vsw12.v v8, 32(v9)

	# the first warp checks all eight by scalars
	barrier x0, x0, 2
	csrr    t2, CSR_WID
	bnez    t2, .Ldone
	la      a4, dividends
	la      a5, divisors
	li      a6, 8
	li      a7, 0                   # differences
.Lcase:
	lw      t4, 0(a4)
	lw      t5, 0(a5)
	.macro  same op, array, offset
	\op     t2, t4, t5
	lw      t3, \offset(\array)
	xor     t2, t2, t3
	snez    t2, t2
	add     a7, a7, t2
	.endm
	same    div, a1, 0
	same    rem, a1, 32
	same    divu, a2, 0
	same    remu, a2, 32
	addi    a1, a1, 4
	addi    a2, a2, 4
	addi    a4, a4, 4
	addi    a5, a5, 4
	addi    a6, a6, -1
	bnez    a6, .Lcase
	sw      a7, 0(a3)
.Ldone:
	ret

	.section .rodata
	.balign 4
dividends:
	.word   7, -7, 7, -7, 7, -7, 0x80000000, 0x80000000
divisors:
	.word   2, 2, -2, -2, 0, 0, -1, 1

# out:
# arg0[0..15]: 3 -3 -3 3 -1 -1 -2147483648 -2147483648 1 -1 1 -1 7 -7 0 0
# arg1[0..15]: 3 2147483644 0 0 4294967295 4294967295 0 2147483648 1 1 7 4294967289 7 4294967289 2147483648 0
# arg2[0..0]: 0
# end
