# Matrix product of signed numbers of four bits, 32 x 128 by 128 x 24: the rows of A and
# the columns of B have two numbers a byte, the lower half first, so that both lie in
# memory as rows of k and mma64 takes layout row of both.  A group computes 16 x 8 sums;
# a step takes 64 k, 32 bytes of each row.  Numbers are random; `check` multiplies them
# one by one, and none of the 768 sums may differ.
# on: interp jit shadow
# run: o='--isa v2025 --engine %e'
# run: ab="-a buf:u8:2048=rand:4 -a buf:u8:1536=rand:44"
# run: %b/ventus run $o -k gemm -g 96,2 -l 32,1 $ab -a "buf:i32:768=77>%t.c" %s
# run: %b/ventus run $o -k check -g 24,32 -l 24,4 $ab -a buf:i32:768=@%t.c -a 'buf:i32:1=0>-' %s

	.include "v25_gemm.inc"
	.equ    N, 24
	.equ    PITCH, 64                       # bytes of a row of A, of a column of B

	.kernel gemm
	.lds    768                             # 16 rows of A, then 8 columns of B
gemm:
	lw      a1, 0(a0)
	lw      a2, 4(a0)
	lw      a3, 8(a0)
	csrr    a5, CSR_GIDX
	slli    a5, a5, 3                       # first column of my tile of C
	csrr    a6, CSR_GIDY
	slli    a6, a6, 4                       # first row
	vid.v   v1
	li      t3, PITCH
	li      t4, 32                          # rows of A
	li      t5, N
	tensor  v24, 0, a1, t3, t4, t3
	tensor  v25, 0, a2, t3, t5, t3
	box     v26, 32, 16
	box     v27, 32, 8
	slli    s2, a6, 6
	add     s2, s2, a1
	slli    s3, a5, 6
	add     s3, s3, a2
	addi    s4, s0, 512
	addi    s5, s0, 640
	.irp    k, 100, 101, 102, 103
	vmv.v.i v\k, 0
	.endr
	li      t4, 2                           # steps
.Lstep:
	set_lane v26, 0, s2
	set_lane v27, 0, s3
	cp_dma_tensor s0, v24, v26
	cp_dma_tensor s4, v25, v27
	cp_dma_mbarrier
	fragment v4, v5, v6, v7, s0
	vle32.v v8, (s4)
	vle32.v v9, (s5)
	mma64.m16n8k64.row.row.s32.s4.s4.s32.nosat v100, v4, v8, v100
	addi    s2, s2, 32
	addi    s3, s3, 32
	addi    t4, t4, -1
	bnez    t4, .Lstep

	vand.vi v2, v1, 7                       # a register of C has four rows of 8
	vsrl.vi v3, v1, 3
	vadd.vx v2, v2, a5
	vadd.vx v3, v3, a6
	li      t2, N
	vmul.vx v3, v3, t2
	vadd.vv v3, v3, v2
	word_at v3, a3, v3
	vsw12.v v100, 0(v3)
	vsw12.v v101, 4*4*N(v3)
	vsw12.v v102, 8*4*N(v3)
	vsw12.v v103, 12*4*N(v3)
	ret

# A group checks four rows of 24; its items are numbered row after row.
	.kernel check
check:
	lw      a1, 0(a0)
	lw      a2, 4(a0)
	lw      a3, 8(a0)
	lw      a5, 12(a0)
	local_id v1
	li      t2, N
	vremu.vx v2, v1, t2                     # column
	vdivu.vx v3, v1, t2
	csrr    t3, CSR_GIDY
	slli    t3, t3, 2
	vadd.vx v3, v3, t3                      # row
	vmul.vx v4, v3, t2
	vadd.vv v4, v4, v2
	word_at v4, a3, v4
	vlw12.v v4, 0(v4)                       # what gemm found
	vsll.vi v5, v3, 6
	vadd.vx v5, v5, a1                      # my row of A
	vsll.vi v6, v2, 6
	vadd.vx v6, v6, a2                      # my column of B
	li      t4, PITCH
.Lbyte:
	vlb12.v v7, 0(v5)
	vlb12.v v8, 0(v6)
	vsra.vi v9, v7, 4                       # upper halves
	vsra.vi v10, v8, 4
	vmul.vv v9, v9, v10
	vsub.vv v4, v4, v9
	vsll.vi v7, v7, 28                      # lower halves
	vsra.vi v7, v7, 28
	vsll.vi v8, v8, 28
	vsra.vi v8, v8, 28
	vmul.vv v7, v7, v8
	vsub.vv v4, v4, v7
	vadd.vi v5, v5, 1
	vadd.vi v6, v6, 1
	addi    t4, t4, -1
	bnez    t4, .Lbyte
	vmsne.vi v4, v4, 0                      # what is left
	vmv.v.x v5, a5
	amoadd.w v4, v4, (v5)
	ret

# out:
# arg3[0..0]: 0
# end
