# One bad line is one message, with what would fit.
# run: %b/ventus as %s -o %t.o
# exit: 2

	vadd.vv v1, v2, a0
	addi a0, a0, 5000
	beq a0, a1, 5
	vfoo v1, v2
	vadd.vvv v1, v2, v3
	vlw12.v v1, 0(a0)
	lw a0, 0(v1)
	add a0, a1
	csrr a0, csr_wdi
	.algn 2
	j .Lmissing
	la a0, 12
	mv t11, a0
	cp_dma a0, a1, a2
	nop extra
	.word 1 +
	.macro m a
	addi \a, \a, 9999
	.endm
	m a0
x:
x:

# out:
# test/asm/errors.s:5:18: error: vadd.vv does not take a scalar register here; vadd.vx does
#     	vadd.vv v1, v2, a0
#     	                ^
# test/asm/errors.s:6:15: error: 5000 does not fit: -2048 to 2047
#     	addi a0, a0, 5000
#     	             ^
# test/asm/errors.s:7:14: error: 5 does not fit: even numbers from -4096 to 4094
#     	beq a0, a1, 5
#     	            ^
# test/asm/errors.s:8:2: error: no instruction 'vfoo'
#     	vfoo v1, v2
#     	^
# test/asm/errors.s:9:2: error: no instruction 'vadd.vvv'; did you mean 'vadd.vv'?
#     	vadd.vvv v1, v2, v3
#     	^
# test/asm/errors.s:10:16: error: expected a vector register, found 'a0'
#     	vlw12.v v1, 0(a0)
#     	              ^
# test/asm/errors.s:11:11: error: expected a scalar register, found 'v1'
#     	lw a0, 0(v1)
#     	         ^
# test/asm/errors.s:12:12: error: expected ',', found the end of the line
#     	add a0, a1
#     	          ^
# test/asm/errors.s:13:11: error: expected a CSR, found 'csr_wdi'
#     	csrr a0, csr_wdi
#     	         ^
# test/asm/errors.s:14:2: error: no directive '.algn'; did you mean '.align'?
#     	.algn 2
#     	^
# test/asm/errors.s:16:9: error: a symbol is needed here; li loads a number
#     	la a0, 12
#     	       ^
# test/asm/errors.s:17:5: error: there is no t11: after t10 (x35) comes t12 (x36)
#     	mv t11, a0
#     	   ^
# test/asm/errors.s:18:2: error: cp_dma is an instruction of v2025; this is v202
#     	cp_dma a0, a1, a2
#     	^
# test/asm/errors.s:19:6: error: expected the end of the statement, found 'extra'
#     	nop extra
#     	    ^
# test/asm/errors.s:20:11: error: expected a number, found the end of the line
#     	.word 1 +
#     	         ^
# macro m:1:15: error: 9999 does not fit: -2048 to 2047
#     	addi a0, a0, 9999
#     	             ^
# test/asm/errors.s:24:2: note: from here
# test/asm/errors.s:26:1: error: 'x' is defined already, at test/asm/errors.s:25
#     x:
#     ^
# end
