# Solves A x = b by elimination without pivoting: one group, one work-item for each
# element of the n x (n+1) matrix [A b].  The last warp of 20 work-items is not full.
#
# A is the product of a lower triangle of small integers and of this upper triangle:
#     2 1 1 1     The pivots are powers of two, so that every quotient is exact, and b
#       4 2 1     belongs to x = 1 2 3 4.  Elimination gives the upper triangle back, with
#         1 3     11 18 15 8 beside it.  The back substitution takes the terms of known x
#           2     from those: 11-4-3-2 = 2, 18-4-6 = 8, 15-12 = 3, 8.
# on: interp jit timing
# run: for n in 4 8 16 32; do
# run:   %b/ventus run --engine %e --threads $n -k gauss -g 20 -l 20 -a 'buf:f32:20=2,1,1,1,11,4,6,4,3,40,2,13,8,7,80,0,4,4,9,56>-' -a 'buf:f32:4>-' -a i32:4 %s >%t.$n
# run:   cmp %t.4 %t.$n
# run: done
# run: cat %t.4

	.include "kernel.inc"
	.text
	.kernel gauss
gauss:
	lw      a1, 0(a0)               # the matrix
	lw      a2, 4(a0)               # x
	lw      a3, 8(a0)               # n
	addi    a4, a3, 1
	slli    a5, a4, 2               # bytes of a row
	addi    a6, a5, 4               # from one diagonal element to the next
	local_id v1
	vmv.v.i v0, 0
	vdivu.vx v3, v1, a4             # row
	vremu.vx v4, v1, a4             # column
	word_at v5, a1, v1              # my element
	vlw12.v v6, 0(v5)
	vmul.vx v7, v3, a5
	vadd.vx v7, v7, a1              # start of my row
	vsll.vi v8, v4, 2               # my column in bytes

	# elimination: row -= row[k]/pivot * row k, of the rows below k
	li      a7, 0                   # k
	mv      s2, a1                  # start of row k
	mv      s3, a1                  # the pivot
.Leliminate:
	slli    t4, a7, 2
	vadd.vx v9, v7, t4
	vlw12.v v9, 0(v9)               # row[k]
	vadd.vx v10, v8, s2
	vlw12.v v10, 0(v10)             # row k, in my column
	lw      t5, 0(s3)               # pivot
	vfdiv.vf v9, v9, t5
	barrier x0, x0, 1               # row[k] is read by the whole row before it changes
	vmv.v.x v11, a7
	branch  geu, v11, v3, .Lkept, .Lkept
	vfnmsac.vv v6, v9, v10          # v6 -= v9 * v10
	vsw12.v v6, 0(v5)
.Lkept:
	join    zero, zero, 0
	barrier x0, x0, 1
	add     s2, s2, a5
	add     s3, s3, a6
	addi    a7, a7, 1
	bltu    a7, a3, .Leliminate

	# back substitution: x[k] = b[k]/pivot; then b[row] -= row[k]*x[k] of the rows above
	slli    t4, a3, 2
	add     a2, a2, t4
.Lback:
	addi    a7, a7, -1
	sub     s2, s2, a5
	sub     s3, s3, a6
	addi    a2, a2, -4
	lw      t5, 0(s3)
	add     t4, s2, a5
	lw      t4, -4(t4)              # b[k]
	fdiv.s  t5, t4, t5
	sw      t5, 0(a2)               # every warp stores the same
	slli    t4, a7, 2
	vadd.vx v9, v7, t4
	vlw12.v v9, 0(v9)               # row[k]
	barrier x0, x0, 1
	vmseq.vx v10, v4, a3            # in the column of b ..
	vmv.v.x v11, a7
	vmsltu.vv v11, v3, v11          # .. and above row k
	vand.vv v10, v10, v11
	branch  eq, v10, v0, .Labove, .Labove
	vlw12.v v6, 0(v5)
	vfnmsac.vf v6, t5, v9
	vsw12.v v6, 0(v5)
.Labove:
	join    zero, zero, 0
	barrier x0, x0, 1
	bnez    a7, .Lback
	ret

# out:
# arg0[0..15]: 2 1 1 1 2 0 4 2 1 8 0 0 1 3 3 0
# arg0[16..19]: 0 0 2 8
# arg1[0..3]: 1 2 3 4
# end
