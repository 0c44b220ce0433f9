# A sum over all groups in one launch.  Groups cannot wait for each other, but the last
# one can know that it is: every item stores its part and counts up, and the item that
# sees the others counted adds the parts.  The fence puts the store before the count.
# in[i] = i for 4096 elements, 4 an item: the sum is 4095*4096/2 = 8386560.
# on: interp jit timing
# run: for n in 4 8 16 32; do
# run:   %b/ventus run --engine %e --threads $n -k last -g 1024 -l 16 -a buf:i32:4096=iota -a buf:i32:1024 -a buf:i32:1=0 -a 'buf:i32:1=-1>-' %s >%t.$n
# run:   cmp %t.4 %t.$n
# run: done
# run: cat %t.4

	.include "kernel.inc"
	.text
	.kernel last
last:
	lw      a1, 0(a0)               # in
	lw      a2, 4(a0)               # parts, one an item
	lw      a3, 8(a0)               # items that are done
	lw      a4, 12(a0)              # out
	csrr    t2, CSR_KNL
	lw      a5, KNL_GLOBAL_X(t2)    # items
	global_id v2

	vsll.vi v3, v2, 4
	vadd.vx v3, v3, a1
	vlw12.v v4, 0(v3)
	.irp    k, 4, 8, 12
	vlw12.v v5, \k(v3)
	vadd.vv v4, v4, v5
	.endr
	word_at v5, a2, v2
	vsw12.v v4, 0(v5)
	fence
	vmv.v.i v3, 1
	vmv.v.x v4, a3
	amoadd.w v5, v3, (v4)
	addi    t2, a5, -1
	vmv.v.x v6, t2
	branch  ne, v5, v6, .Ldone, .Ldone

	# one lane of one warp comes here: its loop needs no vectors
	fence
	li      t4, 0
.Lpart:
	lw      t5, 0(a2)
	add     t4, t4, t5
	addi    a2, a2, 4
	addi    a5, a5, -1
	bnez    a5, .Lpart
	sw      t4, 0(a4)
.Ldone:
	join    zero, zero, 0
	ret

# out:
# arg3[0..0]: 8386560
# end
