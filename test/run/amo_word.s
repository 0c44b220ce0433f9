# What lanes see that change one word in common, in ascending order: item i brings i.
#     add, from 100: 100 + 0 + .. + (i - 1), into the register of what it brings
#     swap, from 100: i - 1, and item 0 sees 100
#     maxu of 31 - i, from 10: 10 and the largest so far, which is 31 for all but item 0
#     swap by the odd items alone, from 31: i - 2, and item 1 sees 31; the even ones keep 7
# on: interp jit timing
# run: %b/ventus run --engine %e --threads 32 -k amo_word -g 32 -l 32 -a 'buf:i32:3=100,100,10>-' -a 'buf:i32:32>-' -a 'buf:i32:32>-' -a 'buf:i32:32>-' -a 'buf:i32:32>-' %s

	.include "kernel.inc"
	.text
	.kernel amo_word
amo_word:
	lw      a1, 0(a0)
	lw      a2, 4(a0)
	lw      a3, 8(a0)
	lw      a4, 12(a0)
	lw      a5, 16(a0)
	global_id v2
	vmv.v.i v0, 0
	vand.vi v3, v2, 1
	vmv.v.x v4, a1
	vadd.vi v5, v4, 4
	vadd.vi v6, v4, 8
	word_at v7, a2, v2
	word_at v8, a3, v2
	word_at v9, a4, v2
	word_at v10, a5, v2
	vmv.v.v v11, v2
	amoadd.w v11, v11, (v4)
	vsw12.v v11, 0(v7)
	amoswap.w v11, v2, (v5)
	vsw12.v v11, 0(v8)
	vrsub.vi v12, v2, 31
	amomaxu.w v11, v12, (v6)
	vsw12.v v11, 0(v9)
	vmv.v.i v11, 7
	branch  eq, v3, v0, .Lmet, .Lmet
	amoswap.w v11, v2, (v5)
.Lmet:
	join    zero, zero, 0
	vsw12.v v11, 0(v10)
	ret

# out:
# arg0[0..2]: 596 31 31
# arg1[0..15]: 100 100 101 103 106 110 115 121 128 136 145 155 166 178 191 205
# arg1[16..31]: 220 236 253 271 290 310 331 353 376 400 425 451 478 506 535 565
# arg2[0..15]: 100 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14
# arg2[16..31]: 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30
# arg3[0..15]: 10 31 31 31 31 31 31 31 31 31 31 31 31 31 31 31
# arg3[16..31]: 31 31 31 31 31 31 31 31 31 31 31 31 31 31 31 31
# arg4[0..15]: 7 31 7 1 7 3 7 5 7 7 7 9 7 11 7 13
# arg4[16..31]: 7 15 7 17 7 19 7 21 7 23 7 25 7 27 7 29
# end
