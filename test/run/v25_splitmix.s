# 64-bit integers: the generator splitmix64 with seed 0, by vector instructions on register
# pairs (prefix pair=1), an item a number, and again by the scalar unit (addw and srlw,
# which are 64-bit operations here; mul and xor under the prefix).  The first numbers are
# well known: e220a8397b1dcdaf, 6e789e6aa1b965f4, 06c45d188009454f.
#
#     x = (i + 1) * 9e3779b97f4a7c15
#     x = (x ^ x >> 30) * bf58476d1ce4e5b9
#     x = (x ^ x >> 27) * 94d049bb133111eb
#     x ^ x >> 31
#
# The last buffer counts numbers in which the units differ.
# on: interp jit shadow
# run: for n in 4 8 16 32; do
# run:   %b/ventus run --isa v2025 --engine %e --threads $n -k splitmix -g 64 -l 64 -a 'buf:u64:64>-:0:3' -a 'buf:u32:1=0>-' %s
# run: done

	.include "kernel.inc"
	.macro  li64 lo, hi, value_hi, value_lo
	li      \lo, \value_lo
	li      \hi, \value_hi
	.endm

	.text
	.kernel splitmix
splitmix:
	lw      a6, 0(a0)                       # out: pairs of words
	lw      a7, 4(a0)                       # count of differences
	li64    a2, a3, 0x9e3779b9, 0x7f4a7c15
	li64    a4, a5, 0xbf58476d, 0x1ce4e5b9
	li64    s2, s3, 0x94d049bb, 0x133111eb

	local_id v1
	vadd.vi v4, v1, 1
	vmv.v.i v5, 0
	prefix  pair=1
	vmul.vx v4, v4, a2
	prefix  pair=1
	vsrl.vi v6, v4, 30
	prefix  pair=1
	vxor.vv v4, v4, v6
	prefix  pair=1
	vmul.vx v4, v4, a4
	prefix  pair=1
	vsrl.vi v6, v4, 27
	prefix  pair=1
	vxor.vv v4, v4, v6
	prefix  pair=1
	vmul.vx v4, v4, s2
	prefix  pair=1
	vsrl.vi v6, v4, 31
	prefix  pair=1
	vxor.vv v4, v4, v6

	vsll.vi v8, v1, 3
	vadd.vx v8, v8, a6
	pre_m_64
	vsw12.v v4, 0(v8)                       # both words
	barrier x0, x0, 1

	# The first warp does all of it again, a number at a time.
	csrr    t2, CSR_WID
	bnez    t2, .Lend
	li64    s4, s5, 0, 0                    # seed
	li      s6, 64                          # numbers left
	li      s7, 0                           # differences
.Lnumber:
	addw    s4, s4, a2
	srliw   s8, s4, 30                      # pair s8, s9
	prefix  pair=1
	xor     s8, s8, s4
	prefix  pair=1
	mul     s8, s8, a4
	srliw   s10, s8, 27
	prefix  pair=1
	xor     s8, s8, s10
	prefix  pair=1
	mul     s8, s8, s2
	li      t5, 31                          # of the pair t5, t6 only six bits count
	srlw    s10, s8, t5
	prefix  pair=1
	xor     s8, s8, s10
	lw      t2, 0(a6)
	lw      t3, 4(a6)
	xor     t2, t2, s8
	xor     t3, t3, s9
	or      t2, t2, t3
	snez    t2, t2
	add     s7, s7, t2
	addi    a6, a6, 8
	addi    s6, s6, -1
	bnez    s6, .Lnumber
	sw      s7, 0(a7)
.Lend:
	ret

# out:
# arg0[0..2]: 16294208416658607535 7960286522194355700 487617019471545679
# arg1[0..0]: 0
# arg0[0..2]: 16294208416658607535 7960286522194355700 487617019471545679
# arg1[0..0]: 0
# arg0[0..2]: 16294208416658607535 7960286522194355700 487617019471545679
# arg1[0..0]: 0
# arg0[0..2]: 16294208416658607535 7960286522194355700 487617019471545679
# arg1[0..0]: 0
# end
