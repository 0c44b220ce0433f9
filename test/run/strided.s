# The standard vector loads and stores take a scalar base: consecutive words, words at a
# distance, or words at offsets from a vector register.  The lane number counts here, not
# the work-item, so the base includes the warp's first item.
#
#     out[i]      = in[i]            vle32.v    consecutive
#     out[32 + i] = in[2i]           vlse32.v   every second word
#     out[64 + i] = in[31 - i]       vluxei32.v offsets in bytes, backwards
#     out[96 + i] = in[i]            stored backwards by vsuxei32.v, from a backward load
# on: interp jit timing
# run: for n in 4 8 16 32; do
# run:   %b/ventus run --engine %e --threads $n -k strided -g 32 -l 32 -a buf:i32:64=iota -a 'buf:i32:128>-' %s >%t.$n
# run:   cmp %t.4 %t.$n
# run: done
# run: cat %t.4

	.include "kernel.inc"
	.text
	.kernel strided
strided:
	lw      a1, 0(a0)
	lw      a2, 4(a0)
	local_id v1
	csrr    t2, CSR_TID
	slli    t2, t2, 2
	add     a3, a2, t2              # where this warp's words go
	add     a4, a1, t2

	vle32.v v3, (a4)
	vse32.v v3, (a3)
	add     a5, a4, t2              # twice as far
	li      t3, 8
	vlse32.v v3, (a5), t3
	addi    a3, a3, 128
	vse32.v v3, (a3)
	vrsub.vi v4, v1, 15
	vadd.vi v4, v4, 15
	vadd.vi v4, v4, 1               # 31 - i
	vsll.vi v4, v4, 2
	vluxei32.v v3, (a1), v4
	addi    a3, a3, 128
	vse32.v v3, (a3)
	addi    a2, a2, 384
	vsuxei32.v v3, (a2), v4
	ret

# out:
# arg1[0..15]: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
# arg1[16..31]: 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
# arg1[32..47]: 0 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30
# arg1[48..63]: 32 34 36 38 40 42 44 46 48 50 52 54 56 58 60 62
# arg1[64..79]: 31 30 29 28 27 26 25 24 23 22 21 20 19 18 17 16
# arg1[80..95]: 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0
# arg1[96..111]: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
# arg1[112..127]: 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
# end
