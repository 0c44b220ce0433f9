# Sums of products in 64 bits by the widening instructions, over 32 random numbers x and y
# an item:
#     vwmacc      signed x * signed y           vwmaccu     unsigned * unsigned
#     vwmaccsu    signed x * unsigned y         vwmaccus    unsigned scalar * signed y
# and the same from low and high halves of products, with carries by hand.  The counts are
# of items where they differ, for each of the four sums.
# on: interp jit shadow
# run: for n in 4 8 16 32; do
# run:   %b/ventus run --isa v2025 --engine %e --threads $n -k widening -g 64 -l 32 -a buf:u32:2048=rand:9 -a buf:u32:2048=rand:10 -a u32:0xfedcba98 -a 'buf:i32:4=0>-' %s
# run: done

	.include "kernel.inc"

# the pair \lo, \hi plus the product of halves v14 (low) and v15 (high)
	.macro  add_product lo, hi
	vadd.vv \lo, \lo, v14
	vmsltu.vv v14, \lo, v14                 # carry
	vadd.vv \hi, \hi, v15
	vadd.vv \hi, \hi, v14
	.endm
# pairs that differ are counted
	.macro  compare a, a1, b, b1, offset
	vxor.vv v14, \a, \b
	vxor.vv v15, \a1, \b1
	vor.vv  v14, v14, v15
	vmsne.vi v14, v14, 0
	addi    t2, a3, \offset
	vmv.v.x v15, t2
	amoadd.w v14, v14, (v15)
	.endm

	.text
	.kernel widening
widening:
	lw      a1, 0(a0)                       # x
	lw      a2, 4(a0)                       # y
	lw      a4, 8(a0)                       # the scalar
	lw      a3, 12(a0)                      # counts
	global_id v2
	word_at v3, a1, v2
	word_at v4, a2, v2
	.irp    k, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	vmv.v.i v\k, 0
	.endr
	li      t4, 32
.Lterm:
	vlw12.v v5, 0(v3)
	vlw12.v v6, 0(v4)

	vwmacc.vv v16, v5, v6
	vwmaccu.vv v18, v5, v6
	vwmaccsu.vv v20, v5, v6                 # v5 signed, v6 unsigned
	vwmaccus.vx v22, a4, v6                 # a4 unsigned, v6 signed

	vmul.vv v14, v5, v6
	vmulh.vv v15, v5, v6
	add_product v24, v25
	vmul.vv v14, v5, v6
	vmulhu.vv v15, v5, v6
	add_product v26, v27
	vmul.vv v14, v5, v6
	vmulhsu.vv v15, v5, v6                  # the first signed, the second unsigned
	add_product v28, v29
	vmul.vx v14, v6, a4
	vmulhsu.vx v15, v6, a4
	add_product v30, v31

	vadd12.vi v3, v3, 256
	vadd12.vi v4, v4, 256
	addi    t4, t4, -1
	bnez    t4, .Lterm

	compare v16, v17, v24, v25, 0
	compare v18, v19, v26, v27, 4
	compare v20, v21, v28, v29, 8
	compare v22, v23, v30, v31, 12
	ret

# out:
# arg3[0..3]: 0 0 0 0
# arg3[0..3]: 0 0 0 0
# arg3[0..3]: 0 0 0 0
# arg3[0..3]: 0 0 0 0
# end
