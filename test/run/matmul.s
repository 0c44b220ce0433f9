# C = A*B of n x n floats, by 8 x 8 tiles in local memory: each group computes a tile of
# C; its 64 work-items load a tile of A and one of B together, wait for each other, and
# use every loaded word 8 times.
#
# With A[i][k] = 16i+k and B[k][j] = 16k+j, n = 16, C[i][j] is the sum over k of
# (16i+k)(16k+j) = 30720i + 256ij + 120j + 19840: row 0 is 19840 + 120j, row 15 ends with
# 540040, and all sums are exact in a float.  The second kernel counts the elements that
# obey this formula: all 256.
# on: interp jit timing
# run: for n in 4 8 16 32; do
# run:   %b/ventus run --engine %e --threads $n -k matmul -g 16,16 -l 8,8 -a buf:f32:256=iota -a buf:f32:256=iota -a "buf:f32:256>%t.c" -a i32:16 %s
# run:   %b/ventus run --engine %e --threads $n -k check -g 256 -l 64 -a "buf:f32:256=@%t.c" -a 'buf:i32:1=0>-' %s >%t.$n
# run:   cmp %t.4 %t.$n
# run: done
# run: cat %t.4

	.include "kernel.inc"
	.text
	.kernel matmul
	.lds    512                     # tile of A, then tile of B at +256
matmul:
	lw      a1, 0(a0)               # A
	lw      a2, 4(a0)               # B
	lw      a3, 8(a0)               # C
	lw      a4, 12(a0)              # n, a multiple of 8

	local_id v1
	vand.vi v3, v1, 7               # x in the tile
	vsrl.vi v4, v1, 3               # y in the tile
	csrr    t2, CSR_GIDX
	slli    t2, t2, 3
	vadd.vx v5, v3, t2              # column of C
	csrr    t2, CSR_GIDY
	slli    t2, t2, 3
	vadd.vx v6, v4, t2
	vmul.vx v6, v6, a4              # row of C, in elements

	vadd.vv v7, v6, v3
	word_at v7, a1, v7              # &A[row][x]: walks right, a tile a turn
	vmul.vx v8, v4, a4
	vadd.vv v8, v8, v5
	word_at v8, a2, v8              # &B[y][column]: walks down
	slli    a5, a4, 5               # bytes of 8 rows

	word_at v9, s0, v1              # my place in both tiles
	vsll.vi v10, v4, 5
	vadd.vx v10, v10, s0            # row y of the tile of A
	word_at v11, s0, v3             # column x of the tile of B, less 256
	vmv.v.i v12, 0                  # the sum
	mv      t4, a4
.Ltile:
	vlw12.v v13, 0(v7)
	vlw12.v v14, 0(v8)
	vsw12.v v13, 0(v9)
	vsw12.v v14, 256(v9)
	barrier x0, x0, 1               # tiles are complete
	.irp    k, 0, 1, 2, 3, 4, 5, 6, 7
	vlw12.v v13, 4*\k(v10)
	vlw12.v v14, 256+32*\k(v11)
	vfmacc.vv v12, v13, v14
	.endr
	barrier x0, x0, 1               # nobody reads them any more
	vadd12.vi v7, v7, 32
	vadd.vx v8, v8, a5
	addi    t4, t4, -8
	bnez    t4, .Ltile

	vadd.vv v6, v6, v5
	word_at v6, a3, v6
	vsw12.v v12, 0(v6)
	ret

# Counts the elements of C that are 30720i + 256ij + 120j + 19840.
	.kernel check
check:
	lw      a1, 0(a0)               # C
	lw      a2, 4(a0)               # count
	global_id v2
	vand.vi v3, v2, 15              # j
	vsrl.vi v4, v2, 4               # i
	vsll.vi v5, v3, 8
	li      t2, 30720
	vadd.vx v5, v5, t2
	vmul.vv v5, v5, v4              # i*(30720 + 256j)
	li      t2, 120
	vmul.vx v6, v3, t2
	vadd.vv v5, v5, v6
	li      t2, 19840
	vadd.vx v5, v5, t2
	vfcvt.f.x.v v5, v5

	word_at v7, a1, v2
	vlw12.v v7, 0(v7)
	vmfeq.vv v8, v7, v5             # 1 where they are equal, else 0
	vmv.v.x v9, a2
	amoadd.w v8, v8, (v9)
	ret

# out:
# arg1[0..0]: 256
# end
