# Transposition of a 8 x 16 matrix (rows x columns) to 16 x 8, by 8 x 8 tiles in local
# memory: reading and writing both walk along rows, where neighbouring lanes touch
# neighbouring words.  A row of the tile has a word to spare, so that a column of it lies
# in different banks.  in[r][c] = 16r + c, so row c of the result is c, 16+c, 32+c ..
# on: interp jit timing
# run: for n in 4 8 16 32; do
# run:   %b/ventus run --engine %e --threads $n -k transpose -g 16,8 -l 8,8 -a buf:i32:128=iota -a 'buf:i32:128>-' %s >%t.$n
# run:   cmp %t.4 %t.$n
# run: done
# run: cat %t.4

	.include "kernel.inc"
	.text
	.kernel transpose
	.lds    288                     # 8 rows of 9 words
transpose:
	lw      a1, 0(a0)
	lw      a2, 4(a0)
	local_id v1
	vand.vi v3, v1, 7               # x in the tile
	vsrl.vi v4, v1, 3               # y in the tile
	csrr    a3, CSR_GIDX
	slli    a3, a3, 3               # first column of the tile
	csrr    a4, CSR_GIDY
	slli    a4, a4, 3               # first row

	vadd.vx v5, v4, a4
	vsll.vi v5, v5, 4
	vadd.vv v5, v5, v3
	vadd.vx v5, v5, a3              # (row)*16 + column
	word_at v5, a1, v5
	vlw12.v v6, 0(v5)
	li      t2, 9
	vmul.vx v7, v4, t2
	vadd.vv v7, v7, v3
	word_at v7, s0, v7
	vsw12.v v6, 0(v7)               # tile[y][x]
	barrier x0, x0, 1

	vmul.vx v7, v3, t2
	vadd.vv v7, v7, v4
	word_at v7, s0, v7
	vlw12.v v6, 0(v7)               # tile[x][y]
	vadd.vx v5, v4, a3
	vsll.vi v5, v5, 3
	vadd.vv v5, v5, v3
	vadd.vx v5, v5, a4              # (first column + y)*8 + first row + x
	word_at v5, a2, v5
	vsw12.v v6, 0(v5)
	ret

# out:
# arg1[0..15]: 0 16 32 48 64 80 96 112 1 17 33 49 65 81 97 113
# arg1[16..31]: 2 18 34 50 66 82 98 114 3 19 35 51 67 83 99 115
# arg1[32..47]: 4 20 36 52 68 84 100 116 5 21 37 53 69 85 101 117
# arg1[48..63]: 6 22 38 54 70 86 102 118 7 23 39 55 71 87 103 119
# arg1[64..79]: 8 24 40 56 72 88 104 120 9 25 41 57 73 89 105 121
# arg1[80..95]: 10 26 42 58 74 90 106 122 11 27 43 59 75 91 107 123
# arg1[96..111]: 12 28 44 60 76 92 108 124 13 29 45 61 77 93 109 125
# arg1[112..127]: 14 30 46 62 78 94 110 126 15 31 47 63 79 95 111 127
# end
