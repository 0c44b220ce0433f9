# Every element format of mma64.  All elements of A are 1.5 (of e3m0, which has no
# fraction, 2; of integers 3), all of B 2 (of integers 1), and C is 0: each element of D is
# K times 3 or 4, or K for bits.  A register of A or B holds 32/width copies of the element
# a lane.  Out has the first element of each product; the count is of elements that are not
# like the first one, and of words after D that have changed.
# (Sums of 16 bits are printed two in a word: 48 is 5200, 96 is 5600.)
# on: interp jit shadow
# run: %b/ventus run --isa v2025 --engine %e -k formats -g 32 -l 32 -a 'buf:f32:10>-' -a 'buf:i32:6>-' -a 'buf:i32:1=0>-' %s

	.text
# a, b: words of elements; n: registers of D
	.macro  product suffix, a, b, n, out
	li      t2, \a
	li      t3, \b
	.irp    k, 0, 1, 2, 3, 4, 5, 6, 7       # the most that A takes
	vmv.v.x v4\k, t2
	vmv.v.x v5\k, t3
	.endr
	.irp    k, 0, 1, 2, 3, 4, 5, 6, 7, 8
	vmv.v.i v10\k, 0
	vmv.v.i v12\k, -1
	.endr
	mma64.\suffix v120, v40, v50, v100
	vmv.x.s t2, v120
	sw      t2, 0(\out)
	addi    \out, \out, 4
	.irp    k, 0, 1, 2, 3, 4, 5, 6, 7, 8
	.if \k < \n
	vmsne.vx v1, v12\k, t2
	.else
	vmsne.vi v1, v12\k, -1
	.endif
	vadd.vv v2, v2, v1
	.endr
	.endm

	.kernel formats
formats:
	lw      a1, 0(a0)
	lw      a2, 4(a0)
	lw      a3, 8(a0)
	vmv.v.i v2, 0

	product m8n8k8.row.col.f32.tf32.tf32.f32,      0x3fc00000, 0x40000000, 2, a1
	product m16n8k16.row.col.f32.f32.f32.f32,      0x3fc00000, 0x40000000, 4, a1
	product m16n16k16.row.col.f32.f16.f16.f32,     0x3e003e00, 0x40004000, 8, a1
	product m8n16k8.row.col.f32.bf16.bf16.f32,     0x3fc03fc0, 0x40004000, 4, a1
	product m16n8k32.row.col.f32.e4m3.e4m3.f32,    0x3c3c3c3c, 0x40404040, 4, a1
	product m16n16k16.row.col.f32.e5m2.e5m2.f32,   0x3e3e3e3e, 0x40404040, 8, a1
	product m8n8k16.row.col.f32.e3m2.e3m2.f32,     0x0e0e0e0e, 0x10101010, 2, a1
	product m16n8k32.row.col.f32.e2m3.e2m3.f32,    0x0c0c0c0c, 0x10101010, 4, a1
	product m16n8k64.row.col.f32.e2m1.e2m1.f32,    0x33333333, 0x44444444, 4, a1
	product m8n8k32.row.col.f32.e3m0.e3m0.f32,     0x44444444, 0x44444444, 2, a1
	product m16n16k16.row.col.f16.f16.f16.f16,     0x3e003e00, 0x40004000, 4, a2
	product m16n8k32.row.col.f16.e4m3.e4m3.f16,    0x3c3c3c3c, 0x40404040, 2, a2
	product m16n16k16.row.col.s32.s8.s8.s32,       0x03030303, 0x01010101, 8, a2
	product m16n8k32.row.col.s32.s4.s4.s32,        0x33333333, 0x11111111, 4, a2
	product m16n8k64.row.row.s32.s4.s4.s32,        0xdddddddd, 0x11111111, 4, a2
	product m8n8k128.row.col.s32.b1.b1.s32,        0xffffffff, 0xffffffff, 2, a2

	vmv.v.x v3, a3
	amoadd.w v2, v2, (v3)
	ret

# out:
# arg0[0..9]: 24 48 48 24 96 48 48 96 192 128
# arg1[0..5]: 1375752704 1442862592 48 96 -192 128
# arg2[0..0]: 0
# end
