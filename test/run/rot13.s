# Bytes: letters are moved 13 places on in the alphabet, all else stays.  One work-item a
# character; 54 characters in groups of 32.  Twice gives the text back.
# on: interp jit timing
# run: for n in 4 8 16 32; do
# run:   %b/ventus run --engine %e --threads $n -k rot13 -g 64 -l 32 -a "buf:u8:54>%t.$n" %s
# run:   cmp %t.4 %t.$n
# run: done
# run: cat %t.4

	.include "kernel.inc"
	.text
	.kernel rot13
rot13:
	lw      a1, 0(a0)
	global_id v2
	vmv.v.i v0, 0
	addi    t2, zero, LENGTH        # known only below, so no li
	vmv.v.x v3, t2
	branch  geu, v2, v3, .Ldone, .Ldone

	la      t2, text
	vadd.vx v4, v2, t2
	vlbu12.v v5, 0(v4)
	li      t2, 0x20
	vor.vx  v6, v5, t2              # lower case
	addi    t2, zero, -'a'
	vadd.vx v6, v6, t2              # place in the alphabet
	li      t2, 26
	vmsltu.vx v7, v6, t2            # 1: a letter
	branch  eq, v7, v0, .Lother, .Lother
	li      t3, -32
	vand.vx v7, v5, t3              # upper three bits: which case
	vadd.vi v6, v6, 13
	vremu.vx v6, v6, t2
	vadd.vv v5, v7, v6
	vadd.vi v5, v5, 1               # 'A' and 'a' are 1 above a multiple of 32
.Lother:
	join    zero, zero, 0
	vadd.vx v4, v2, a1
	vsb12.v v5, 0(v4)
.Ldone:
	join    zero, zero, 0
	ret

	.section .rodata
text:
	.ascii  "Jnecf bs ynarf, znal ng bapr: Gur Dhvpx Oebja Sbk!\n12\n"
	.equ    LENGTH, . - text

# out:
# Warps of lanes, many at once: The Quick Brown Fox!
# 12
# end
