# Matrix product of signed bytes with sums of 32 bits, C += A*B: copies of tensors feed
# mma64, which names C and D separately and reaches every register.  Rows are 48 bytes
# apart but have 40 elements; what lies between must not count.
#     A[i][k] = 37i + 91k      B[k][j] = 59k + 113j + 7      as signed bytes
# `check` does the same in integers, by steps of 16 k; none of the 1600 elements may
# differ.  The second product starts from C = 2^31 - 1000: there 497 sums end saturated.
# on: interp jit shadow
# run: o='--isa v2025 --engine %e'
# run: %b/ventus run $o -k fill -g 1920 -l 64 -a "buf:u8:1920>%t.a" -a "buf:u8:1920>%t.b" -a i32:48 %s
# run: ab="-a buf:u8:1920=@%t.a -a buf:u8:1920=@%t.b"
# run: for c in 5 2147482648; do
# run:   %b/ventus run $o -k gemm -g 96,3 -l 32,1 $ab -a "buf:i32:1600=$c>%t.c" -a i32:40 -a i32:48 %s
# run:   %b/ventus run $o -k check -g 1600 -l 64 $ab -a buf:i32:1600=@%t.c -a i32:40 -a i32:48 -a i32:$c -a 'buf:i32:2=0>-' %s
# run: done

	.include "v25_gemm.inc"
	.kernel gemm
	.lds    512                             # a tile of A, then one of B
gemm:
	lw      a1, 0(a0)
	lw      a2, 4(a0)
	lw      a3, 8(a0)
	lw      a4, 12(a0)
	lw      a7, 16(a0)                      # bytes of a row of A or B
	csrr    a5, CSR_GIDX
	slli    a5, a5, 4                       # first column of my tile of C
	csrr    a6, CSR_GIDY
	slli    a6, a6, 4                       # first row
	vid.v   v1
	tensor  v24, 0, a1, a4, a4, a7          # type 0: bytes
	tensor  v25, 0, a2, a4, a4, a7
	box     v26, 16, 16
	mul     s2, a6, a7
	add     s2, s2, a1                      # box of A: walks along its row,
	add     s3, a2, a5                      # of B: down the rows
	slli    s5, a7, 4
	addi    s6, s0, 256
	addi    t5, s0, 128
	addi    t6, s0, 384

	vand.vi v2, v1, 15                      # a register of C has two rows of 16
	vsrl.vi v3, v1, 4
	vadd.vx v2, v2, a5
	vadd.vx v3, v3, a6
	vmul.vx v4, v3, a4
	vadd.vv v4, v4, v2
	word_at v4, a3, v4                      # my word of each register of C
	slli    t3, a4, 3
	vmv.v.x v5, a4                          # n
	vmv.v.v v6, v4
	vmv.v.v v7, v3
	branch  geu, v2, v5, .Lread, .Lread
	.irp    r, 40, 41, 42, 43, 44, 45, 46, 47
	branch  geu, v7, v5, .Lread\r, .Lread\r
	vlw12.v v\r, 0(v6)
.Lread\r:
	join    zero, zero, 0
	vadd.vi v7, v7, 2
	vadd.vx v6, v6, t3
	.endr
.Lread:
	join    zero, zero, 0

	li      t4, 0
.Lstep:
	set_lane v26, 0, s2
	cp_dma_tensor s0, v24, v26
	set_lane v26, 0, s3
	cp_dma_tensor s6, v25, v26
	cp_dma_mbarrier
	vle32.v v8, (s0)
	vle32.v v9, (t5)
	vle32.v v10, (s6)
	vle32.v v11, (t6)
	mma64.m16n16k16.row.col.s32.s8.s8.s32 v40, v8, v10, v40
	addi    s2, s2, 16
	add     s3, s3, s5
	addi    t4, t4, 16
	blt     t4, a4, .Lstep

	branch  geu, v2, v5, .Lwritten, .Lwritten
	.irp    r, 40, 41, 42, 43, 44, 45, 46, 47
	branch  geu, v3, v5, .Lwrite\r, .Lwrite\r
	vsw12.v v\r, 0(v4)
.Lwrite\r:
	join    zero, zero, 0
	vadd.vi v3, v3, 2
	vadd.vx v4, v4, t3
	.endr
.Lwritten:
	join    zero, zero, 0
	ret

# One work-item a byte of a row, padding included.
	.kernel fill
fill:
	lw      a1, 0(a0)
	lw      a2, 4(a0)
	lw      a4, 8(a0)
	global_id v2
	vdivu.vx v3, v2, a4
	vremu.vx v4, v2, a4
	li      t2, 37
	vmul.vx v5, v3, t2
	li      t2, 91
	vmul.vx v6, v4, t2
	vadd.vv v5, v5, v6
	vadd.vx v6, v2, a1
	vsb12.v v5, 0(v6)
	li      t2, 59
	vmul.vx v5, v3, t2
	li      t2, 113
	vmul.vx v6, v4, t2
	vadd.vv v5, v5, v6
	vadd.vi v5, v5, 7
	vadd.vx v6, v2, a2
	vsb12.v v5, 0(v6)
	ret

# Counts elements that differ, and those that are 2^31 - 1.
	.kernel check
check:
	lw      a1, 0(a0)
	lw      a2, 4(a0)
	lw      a3, 8(a0)
	lw      a7, 16(a0)
	lw      a6, 20(a0)                      # C at the start
	lw      a5, 24(a0)
	row_and_column                          # v3, v4; a4 is n
	vmul.vx v5, v3, a7
	vadd.vx v5, v5, a1                      # my row of A
	vadd.vx v6, v4, a2                      # my column of B
	vmv.v.x v7, a6
	li      t5, 0
	li      t6, 0x7fffffff
.Lsixteen:
	vmv.v.i v8, 0
	li      t4, 16
.Lterm:
	vlb12.v v9, 0(v5)
	vlb12.v v10, 0(v6)
	vmacc.vv v8, v9, v10
	vadd.vi v5, v5, 1
	vadd.vx v6, v6, a7
	addi    t5, t5, 1
	addi    t4, t4, -1
	beq     t5, a4, .Ladd
	bnez    t4, .Lterm
.Ladd:
	vsadd.vv v7, v7, v8                     # saturating
	blt     t5, a4, .Lsixteen
	word_at v8, a3, v2
	vlw12.v v8, 0(v8)
	vmsne.vv v9, v7, v8
	vmv.v.x v10, a5
	amoadd.w v9, v9, (v10)
	vmseq.vx v9, v7, t6
	vadd.vi v10, v10, 4
	amoadd.w v9, v9, (v10)
	ret

# out:
# arg6[0..1]: 0 0
# arg6[0..1]: 0 497
# end
