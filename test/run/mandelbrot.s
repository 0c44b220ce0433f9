# A picture of the Mandelbrot set, 64 x 21 characters: z = z*z + c until |z| > 2, at most
# 48 times.  Lanes leave the loop when their point does.  The second kernel computes the
# same picture with scalar floats, a pixel at a time, and the two must agree; the middle
# row is the real axis, the rows above and below it mirror each other.
# on: interp jit timing
# run: for n in 4 8 16 32; do
# run:   %b/ventus run --engine %e --threads $n -k mandelbrot -g 65,21 -l 65,1 -a "buf:u8:1365>%t.$n" %s
# run:   cmp %t.4 %t.$n
# run: done
# run: %b/ventus run --engine %e -k one_by_one -g 1 -l 1 -a "buf:u8:1365>%t.one" %s
# run: cmp %t.4 %t.one
# run: cat %t.4

	.include "kernel.inc"
	.equ    MOST, 48

# The constants, from scalar words: floats are bit patterns in x registers.
	.macro constants
	la      t2, floats
	lw      s2, 0(t2)               # left edge
	lw      s3, 4(t2)               # width of a pixel
	lw      s4, 8(t2)               # upper edge
	lw      s5, 12(t2)              # height of a pixel
	lw      s6, 16(t2)              # 4
	.endm

	.section .rodata
	.balign 4
floats:
	.float  -2.25, 0.046875, -1.25, 0.125, 4.0
shades:                                 # by the number of steps, two steps a shade
	.ascii  "..,,--~~::;;++==**xxoo%%XX&&$$##@@@@@@@@@@@@@@@@"
	.byte   ' '                     # the set itself: MOST steps

	.text
	.kernel mandelbrot
mandelbrot:
	lw      a1, 0(a0)
	constants
	local_id v1                     # x
	csrr    a2, CSR_GIDY            # y, the same for the group: a scalar
	vmv.v.i v0, 0

	vfcvt.f.x.v v3, v1
	vfmul.vf v3, v3, s3
	vfadd.vf v3, v3, s2             # real part of c
	fcvt.s.w t2, a2
	fmul.s  t2, t2, s5
	fadd.s  t2, t2, s4              # imaginary part
	vmv.v.x v4, t2
	vmv.v.i v5, 0                   # z = v5 + i v6
	vmv.v.i v6, 0
	vmv.v.i v7, 0                   # steps
	li      t2, MOST
	vmv.v.x v8, t2
.Lstep:
	vfmul.vv v9, v5, v5
	vfmul.vv v10, v6, v6
	vfadd.vv v11, v9, v10
	vmfgt.vf v11, v11, s6           # |z|^2 > 4: 1, else 0
	branch  ne, v11, v0, .Lout, .Lout
	branch  geu, v7, v8, .Lout, .Lout
	vfmul.vv v6, v6, v5
	vfadd.vv v6, v6, v6
	vfadd.vv v6, v6, v4
	vfsub.vv v5, v9, v10
	vfadd.vv v5, v5, v3
	vadd.vi v7, v7, 1
	j       .Lstep
.Lout:
	join    zero, zero, 0

	la      t2, shades
	vadd.vx v7, v7, t2
	vlbu12.v v7, 0(v7)              # constant table: any address will do
	li      t2, 64
	vmv.v.x v8, t2
	branch  ne, v1, v8, .Lpixel, .Lpixel
	vmv.v.i v7, '\n'                # the last column ends the line
.Lpixel:
	join    zero, zero, 0
	li      t2, 65
	mul     t2, a2, t2
	add     t2, t2, a1
	vadd.vx v8, v1, t2
	vsb12.v v7, 0(v8)
	ret

# The same with scalars, so without divergence: one work-item, all pixels.
	.kernel one_by_one
one_by_one:
	lw      a1, 0(a0)
	constants
	li      a2, 0                   # y
.Lrow:
	li      a3, 0                   # x
.Lcolumn:
	fcvt.s.w a4, a3
	fmul.s  a4, a4, s3
	fadd.s  a4, a4, s2
	fcvt.s.w a5, a2
	fmul.s  a5, a5, s5
	fadd.s  a5, a5, s4
	li      a6, 0
	li      a7, 0
	li      t4, 0
	li      t5, MOST
.Lonce:
	fmul.s  t6, a6, a6
	fmul.s  s7, a7, a7
	fadd.s  s8, t6, s7
	flt.s   s8, s6, s8
	bnez    s8, .Lshade
	bgeu    t4, t5, .Lshade
	fmul.s  a7, a7, a6
	fadd.s  a7, a7, a7
	fadd.s  a7, a7, a5
	fsub.s  a6, t6, s7
	fadd.s  a6, a6, a4
	addi    t4, t4, 1
	j       .Lonce
.Lshade:
	la      t2, shades
	add     t2, t2, t4
	lbu     t2, 0(t2)
	li      t3, 64
	bne     a3, t3, .Lstore
	li      t2, '\n'
.Lstore:
	sb      t2, 0(a1)
	addi    a1, a1, 1
	addi    a3, a3, 1
	bleu    a3, t3, .Lcolumn
	addi    a2, a2, 1
	li      t3, 21
	bltu    a2, t3, .Lrow
	ret

# out:
# ...............,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,
# .............,,,,,,,,,,,,,,,,,,,,,,,,,,-----~-----,,,,,,,,,,,,,,
# ............,,,,,,,,,,,,,,,,,,,,,,---------~:=:; -----,,,,,,,,,,
# ..........,,,,,,,,,,,,,,,,,,,,-----------~:=;  +:~-------,,,,,,,
# .........,,,,,,,,,,,,,,,,,,---------~~~~~:;     @:~~~------,,,,,
# ........,,,,,,,,,,,,,,,,---------~~x% %+ @        o@;:+;;~--,,,,
# .......,,,,,,,,,,,,,----------~~~:@;x                  %:~---,,,
# .......,,,,,,-------~+:~~:+:~~~::*                      *+:---,,
# ......,,-----------~~:+  @  @x+;+                        ;~----,
# ......-------~~~~:%;;%          &                       *~-----,
# ......                                                *;~~-----,
# ......-------~~~~:%;;%          &                       *~-----,
# ......,,-----------~~:+  @  @x+;+                        ;~----,
# .......,,,,,,-------~+:~~:+:~~~::*                      *+:---,,
# .......,,,,,,,,,,,,,----------~~~:@;x                  %:~---,,,
# ........,,,,,,,,,,,,,,,,---------~~x% %+ @        o@;:+;;~--,,,,
# .........,,,,,,,,,,,,,,,,,,---------~~~~~:;     @:~~~------,,,,,
# ..........,,,,,,,,,,,,,,,,,,,,-----------~:=;  +:~-------,,,,,,,
# ............,,,,,,,,,,,,,,,,,,,,,,---------~:=:; -----,,,,,,,,,,
# .............,,,,,,,,,,,,,,,,,,,,,,,,,,-----~-----,,,,,,,,,,,,,,
# ...............,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,
# end
