# What the public assemblers know too: test/unit/asm_peer_test.c compares with LLVM, section by
# section, bytes and relocations.  The differences that are meant are not in here.
start:
	nop
	mv t0, ra
	li a0, 0
	li a0, 2047
	li a0, 2048
	li a0, -2048
	li a0, -2049
	li a0, 0x12345678
	li a0, 0x80000000
	li a0, 0xffffffff
	li a0, -1
	li a0, 0xfffff800
	li a0, 0x7ffff800
	li a0, 4096
	li a0, 0x12345fff
	mv a0, a1
	not a0, a1
	neg a0, a1
	seqz a0, a1
	snez a0, a1
	sltz a0, a1
	sgtz a0, a1
	beqz a0, start
	bnez a0, start
	blez a0, start
	bgez a0, start
	bltz a0, start
	bgtz a0, start
	bgt a0, a1, start
	ble a0, a1, start
	bgtu a0, a1, start
	bleu a0, a1, start
	j start
	jal start
	jal a0, start
	jr a0
	jr 4(a0)
	jalr a0
	jalr 4(a0)
	jalr a0, a1
	jalr a0, 4(a1)
	jalr a0, a1, 4
	ret
	call ext
	call start
	tail ext
	tail start
	call t0, ext
	jump ext, t2
	la a0, ext
	la a0, dat
	lla a0, dat
	lw a0, dat
	lb a0, dat
	lbu a0, ext+4
	lh a0, ext
	lhu a0, ext
	sw a0, dat, t0
	sb a0, dat, t0
	sh a0, ext, t0
	lui a0, %hi(ext)
	addi a0, a0, %lo(ext)
	lw a0, %lo(ext+4)(a0)
	sw a0, %lo(ext+4)(a0)
	lui a0, %hi(0x12345fff)
	addi a0, a0, %lo(0x12345fff)
1: auipc a0, %pcrel_hi(ext)
	addi a0, a0, %pcrel_lo(1b)
1: auipc a0, %pcrel_hi(dat)
	lw a0, %pcrel_lo(1b)(a0)
	sw a0, %pcrel_lo(1b)(a0)
1: auipc a0, %pcrel_hi(start)
	addi a0, a0, %pcrel_lo(1b)
	beq a0, a1, ext
	j ext
	jal ext
	csrr a0, mstatus
	csrw mtvec, a0
	csrw mtvec, 3
	csrs mstatus, a0
	csrc mstatus, 4
	csrwi fcsr, 5
	csrsi fcsr, 5
	csrci fcsr, 5
	csrrw a0, mstatus, 3
	frcsr a0
	fscsr a0
	fscsr a0, a1
	frrm a0
	fsrm a0
	fsrm a0, a1
	fsrmi a0, 3
	frflags a0
	fsflags a0
	rdcycle a0
	rdtime a0
	rdinstret a0
	rdcycleh a0
	fence
	fence rw, w
	fence iorw, iorw
	add a0, a1, 5
	and a0, a1, -5
	sll a0, a1, 5
	slt a0, a1, 5
	sltu a0, a1, 5
	sgt a0, a1, a2
	sgtu a0, a1, a2
	zext.b a0, a1
	sext.b a0, a1
	sext.h a0, a1
	zext.h a0, a1
	ecall
	ebreak
	unimp
	sw a0, (sp)
	lw a0, (sp)
mid:
	nop
end:
	vneg.v v1, v2
	vnot.v v1, v2
	vmslt.vi v1, v2, 5
	vmsltu.vi v1, v2, 5
	vmsltu.vi v1, v2, 0
	vmsgeu.vi v1, v2, 0
	vmsgeu.vi v1, v2, 7
	vmsge.vi v1, v2, -15
	vmsgt.vv v1, v2, v3
	vmsgtu.vv v1, v2, v3
	vmsge.vv v1, v2, v3
	vmsgeu.vv v1, v2, v3
	vmfgt.vv v1, v2, v3
	vmfge.vv v1, v2, v3
	vfneg.v v1, v2
	vfabs.v v1, v2
	vmmv.m v1, v2
	vmclr.m v1
	vmset.m v1
	vmnot.m v1, v2
	vsetvli a0, a1, e32, m1, ta, ma
	vsetvli a0, a1, e8, mf2, tu, mu
	vsetivli a0, 5, e16, m8, ta, mu
	vadd.vv v1, v2, v3, v0.t
	vle32.v v1, (a0)
	vle32.v v1, (a0), v0.t
	.data
dat: .word 1

a: .byte 1, 2, 'a', '\n', -1, 255, 0x80
	.half 1, -1, 65535
	.short 3
	.hword 4
	.2byte 5
	.balign 4
	.word 1, -1, 0xffffffff, a, a+4
	.long 7
	.int 8
	.4byte 9
	.dword 1, -1, 0x123456789abcdef0
	.quad 4
	.8byte 5
	.ascii "ab", "cd\n\t\"\\\0\101\x41"
	.asciz "hello"
	.string "x", "y"
	.float 1.5, -2, 1e10, 0.1
	.double 1.5, 0.1
	.zero 5
	.space 3, 7
	.skip 2
	.fill 3, 2, 0x1234
	.fill 2, 4, -1
	.fill 2, 8, 5
	.fill 4
	.p2align 3
	.p2align 4, 0xaa
	.balign 16
	.p2align 5,,3
b: .word ext, ext+8, ext-8
	.word 1+2*3, (1+2)*3, 7/2, -7/2, 7%3, -7%3, 1<<4, 0x100>>4, 5|2, 7&3, 5^1, ~0, !0, !5
	.word 1+2<<1, 1|2+4, 6&3|8, 2*3&5, 1==1, 1==2, 1<2, 2<1, 1!=2, 3>=3, 1&&0, 1||0, 2+3==5
	.word 10-3-2, 100/5/2, 2-(3-4), - -3, +4, -(1+2)
	.set x, 5
	.word x
	.set x, x+1
	.word x
y = x*2
	.word y, z
	.equ z, 77
	.word .-b
	.rept 3
	.byte 1
	.endr
	.irp r, 1, 2, 3
	.byte \r
	.endr
	.irpc ch, 345
	.byte \ch
	.endr
	.macro m p, q=9, r
	.byte \p, \q
	.ifnb \r
	.byte \r
	.endif
	.endm
	m 1
	m 1, 2
	m 1, 2, 3
	m 1, r=4
	m q=5, p=6
	.macro v first, rest:vararg
	.byte \first
	.ifnb \rest
	v \rest
	.endif
	.endm
	v 1, 2, 3, 4
	.macro lab
	.Lx\@: .byte 0
	.word .-.Lx\@
	.endm
	lab
	lab
	.macro rec n
	.byte \n
	.if \n
	rec "(\n-1)"
	.endif
	.endm
	rec 3
	.if 1
	.byte 1
	.else
	.byte 2
	.endif
	.if 0
	.byte 1
	.elseif 1
	.byte 3
	.else
	.byte 4
	.endif
	.ifdef a
	.byte 5
	.endif
	.ifndef nodef
	.byte 6
	.endif
	.ifc abc, abc
	.byte 7
	.endif
	.ifeq 0
	.byte 8
	.endif
	.uleb128 0, 127, 128, 624485
	.sleb128 0, -1, 63, 64, -64, -65, -123456
	.uleb128 c-b
	.byte 1; .byte 2 # comment
	.byte 3 // comment
	/* multi
	line */ .byte 4 /* x */ , 5
c:
	.comm com, 8, 4
	.local lc
	.comm lc, 16, 8
	.section .rodata.str, "aMS", @progbits, 1
	.asciz "s"
	.section .mine, "aw"
	.word 1
	.pushsection .other, "a", @progbits
	.word 2
	.popsection
	.word 3
	.previous
	.bss
bb: .zero 100
	.text
	.globl f
	.type f, @function
f: nop
1: j 1f
	j 1b
1: j 1b
2: beqz a0, 2b
	beqz a0, 2f
2: nop
	.p2align 4
	ret
	.size f, .-f
	.org f + 0x80
	nop
	.word f, a
