# Lanes that reserve one word in common leave the reservations of the other lanes alone, and give up
# their own: every lane reserves a word of its own, then the even ones the word in common.  Stores to
# the own words then succeed (0) in the odd lanes and fail (1) in the even ones.  Of those that
# reserve the word in common once more, only the first stores its number there.
# on: interp jit timing
# run: %b/ventus run --engine %e --threads 32 -k lr_word -g 32 -l 32 -a 'buf:i32:1=9>-' -a 'buf:i32:32=5>-' -a 'buf:i32:32=8>-' -a 'buf:i32:32=8>-' %s

	.include "kernel.inc"
	.text
	.kernel lr_word
lr_word:
	lw      a1, 0(a0)               # the word in common
	lw      a2, 4(a0)               # a word for each lane
	lw      a3, 8(a0)               # what sc gave for these
	lw      a4, 12(a0)              # what it gave for the word in common
	global_id v2
	vmv.v.i v0, 0
	vand.vi v3, v2, 1
	vmv.v.x v4, a1
	word_at v5, a2, v2
	word_at v6, a3, v2
	word_at v7, a4, v2
	lr.w    v8, (v5)
	branch  ne, v3, v0, .Lmet, .Lmet
	lr.w    v8, (v4)
.Lmet:
	join    zero, zero, 0
	vmv.v.i v9, 7
	sc.w    v10, v9, (v5)
	vsw12.v v10, 0(v6)
	branch  ne, v3, v0, .Lend, .Lend
	lr.w    v8, (v4)
	sc.w    v10, v2, (v4)
	vsw12.v v10, 0(v7)
.Lend:
	join    zero, zero, 0
	ret

# out:
# arg0[0..0]: 0
# arg1[0..15]: 5 7 5 7 5 7 5 7 5 7 5 7 5 7 5 7
# arg1[16..31]: 5 7 5 7 5 7 5 7 5 7 5 7 5 7 5 7
# arg2[0..15]: 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0
# arg2[16..31]: 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0
# arg3[0..15]: 0 8 1 8 1 8 1 8 1 8 1 8 1 8 1 8
# arg3[16..31]: 1 8 1 8 1 8 1 8 1 8 1 8 1 8 1 8
# end
