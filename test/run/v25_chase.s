# A linked list in a buffer above 4 GiB.  A node has 16 bytes: the address of the next
# node, 64 bits, and its number; node i is followed by node 5i + 3 (mod 64).  The kernel
# links the nodes, follows the list for ten steps from each, and checks itself:
#     flags[0]  nodes from which it came to the wrong number
#     flags[1]  1 if scalar accesses find their node, and the list is above 4 GiB indeed
# Addresses are register pairs, low word in the even register; vlw12d and vsw12d take them
# as such, and so does an access of 64 bits under pre_m_64 with pair=1; the scalar unit
# has ld and sd (of 32 bits of data).
# on: interp jit shadow
# run: for n in 4 8 16 32; do
# run:   o="--isa v2025 --engine %e --threads $n"
# run:   %b/ventus run $o -k list -g 64 -l 32 -a 'hbuf:u32:256=0' -a 'buf:u32:64=0>-:60:4' -a 'buf:u32:2=0>-' %s
# run: done

	.include "kernel.inc"
	.text
	.kernel list
list:
	lw      a2, 0(a0)                       # the list: pair a2, a3
	lw      a3, 4(a0)
	lw      a4, 8(a0)                       # out
	lw      a5, 12(a0)                      # flags
	global_id v2
	vmv.v.i v0, 0
	vmv.v.i v3, 0                           # high word of small numbers

	# Every group links all nodes: both write the same.  Lane 0 of each warp starts at the
	# warp's number and goes on by the number of warps.
	csrr    s2, CSR_TID
	csrr    s3, CSR_NUMT
	csrr    t2, CSR_NUMW
	mul     s4, s3, t2                      # work-items of a group
.Llink:
	vid.v   v4
	vadd.vx v4, v4, s2                      # node, in the pair v4, v5
	vmv.v.i v5, 0
	vsll.vi v6, v4, 2
	vadd.vv v6, v6, v4
	vadd.vi v6, v6, 3
	li      t2, 63
	vand.vx v6, v6, t2                      # the one after it
	vmv.v.i v7, 0
	vsll.vi v8, v4, 4
	vmv.v.i v9, 0
	prefix  pair=1
	vadd.vx v8, v8, a2                      # my address
	vsll.vi v6, v6, 4
	prefix  pair=1
	vadd.vx v6, v6, a2                      # its address
	vsw12d.v v6, 0(v8)
	vsw12d.v v7, 4(v8)
	vsw12d.v v4, 8(v8)
	add     s2, s2, s4
	li      t2, 64
	blt     s2, t2, .Llink
	barrier x0, x0, 1

	vmv.v.v v4, v2                          # number by the list
	vmv.v.v v6, v2                          # by arithmetic
	vsll.vi v8, v2, 4
	vmv.v.i v9, 0
	prefix  pair=1
	vadd.vx v8, v8, a2
	li      t4, 10
.Lstep:
	pre_m_64 pair=1
	vlw12.v v8, 0(v8)                       # v8, v9: the next node
	vsll.vi v7, v6, 2
	vadd.vv v6, v6, v7
	vadd.vi v6, v6, 3
	addi    t4, t4, -1
	bnez    t4, .Lstep
	vlw12d.v v4, 8(v8)
	li      t2, 63
	vand.vx v6, v6, t2
	word_at v5, a4, v2
	vsw12.v v4, 0(v5)
	vmsne.vv v6, v6, v4
	vmv.v.x v7, a5
	amoadd.w v6, v6, (v7)

	# The scalar unit: node 7 says 7; its last word takes what is stored there; and the
	# list is above 4 GiB.
	barrier x0, x0, 1
	li      s2, 112                         # pair s2, s3
	li      s3, 0
	addw    s2, s2, a2
	ld      t3, 8(s2)
	addi    t3, t3, -7
	seqz    t3, t3
	li      t4, 1234
	sd      t4, 12(s2)
	ld      t5, 12(s2)
	sub     t4, t4, t5
	seqz    t4, t4
	and     t3, t3, t4
	snez    t2, a3
	and     t3, t3, t2
	sw      t3, 4(a5)
	ret

# out:
# arg1[60..63]: 22 15 8 1
# arg2[0..1]: 0 1
# arg1[60..63]: 22 15 8 1
# arg2[0..1]: 0 1
# arg1[60..63]: 22 15 8 1
# arg2[0..1]: 0 1
# arg1[60..63]: 22 15 8 1
# arg2[0..1]: 0 1
# end
