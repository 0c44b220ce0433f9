# A filter of seven taps, out[i] = sum over t of w[t] * in[i+t], with copies that run
# ahead of the sums: while a group works on 64 outputs from one half of its local memory,
# its first warp has the inputs of the next 64 copied into the other half.  A copy is
# complete for everybody when the warp that asked for it has waited (cp_dma_mbarrier) and
# then met the others at the barrier.
#
# The weights come by two copies of 16 bytes of which the second has only 12 to give: the
# rest becomes zero, so that the sum can go over eight taps.
#
# With in[i] = i and w = 1 2 .. 7, out[i] = 28i + 112: `check` counts those that differ.
# --check-copies makes it a fault to touch what is still being copied.
# on: interp jit shadow
# run: for n in 4 8 16 32; do
# run:   o="--isa v2025 --engine %e --threads $n --check-copies"
# run:   %b/ventus run $o -k fir -g 256 -l 64 -a buf:i32:1032=iota -a buf:i32:7=1,2,3,4,5,6,7 -a "buf:i32:1024=1>%t.out" %s
# run:   %b/ventus run $o -k check -g 1024 -l 64 -a buf:i32:1024=@%t.out -a 'buf:i32:1=0>-' %s
# run: done

	.include "kernel.inc"
	.equ    BLOCK, 256                      # bytes of 64 outputs
	.equ    HALF, 288                       # of their inputs, with eight more
	.equ    WEIGHTS, 2*HALF

	.text
	.kernel fir
	.lds    WEIGHTS+32
fir:
	lw      a1, 0(a0)
	lw      a2, 4(a0)
	lw      a3, 8(a0)
	csrr    t2, CSR_GIDX                    # a group has four blocks
	slli    t2, t2, 10
	add     a1, a1, t2
	add     a3, a3, t2
	csrr    a4, CSR_WID
	mv      a5, s0                          # the half in use
	addi    a6, s0, HALF                    # the half being filled
	li      s2, HALF
	addi    s3, s0, WEIGHTS
	addi    s4, s3, 16

	bnez    a4, .Lready
	li      t2, 16
	cp_dma  s3, a2, t2, sz=2                # w[0] to w[3]
	addi    t3, a2, 16
	li      t2, 12
	cp_dma  s4, t3, t2, sz=2                # w[4] to w[6], and a zero
	cp_dma_bulk a5, a1, s2
	cp_dma_mbarrier
.Lready:
	barrier x0, x0, 1

	local_id v1
	word_at v2, a3, v1                      # my output
	vsll.vi v3, v1, 2
	vmv.v.x v4, s3
	.irp    k, 0, 1, 2, 3, 4, 5, 6, 7
	vlw12.v v1\k, 4*\k(v4)
	.endr
	li      t4, 4                           # blocks left
.Lblock:
	addi    t4, t4, -1
	bnez    a4, .Lsum
	beqz    t4, .Lsum
	addi    a1, a1, BLOCK
	cp_dma_bulk a6, a1, s2
.Lsum:
	vadd.vx v5, v3, a5
	vmv.v.i v6, 0
	.irp    k, 0, 1, 2, 3, 4, 5, 6, 7
	vlw12.v v7, 4*\k(v5)
	vmacc.vv v6, v7, v1\k
	.endr
	vsw12.v v6, 0(v2)
	vadd12.vi v2, v2, BLOCK
	bnez    a4, .Lwait
	cp_dma_mbarrier
.Lwait:
	barrier x0, x0, 1
	mv      t2, a5
	mv      a5, a6
	mv      a6, t2
	bnez    t4, .Lblock
	ret

	.kernel check
check:
	lw      a1, 0(a0)
	lw      a2, 4(a0)
	global_id v2
	li      t2, 28
	vmul.vx v3, v2, t2
	li      t2, 112
	vadd.vx v3, v3, t2
	word_at v4, a1, v2
	vlw12.v v4, 0(v4)
	vmsne.vv v4, v4, v3
	vmv.v.x v5, a2
	amoadd.w v4, v4, (v5)
	ret

# out:
# arg1[0..0]: 0
# arg1[0..0]: 0
# arg1[0..0]: 0
# arg1[0..0]: 0
# end
