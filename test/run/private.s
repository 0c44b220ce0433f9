# Registers above 31 and private memory.  Words carry five bits of a register's number;
# the assembler writes the other three as a prefix (regext) of its own accord, or takes
# one that is written.
#
# Every lane has an array of 16 words in private memory, p[j] = (i+j)^2, which it then
# reads back at places of its own: out[i] = p[i & 15] + p[0] + p[15]
#                                        = (i + (i & 15))^2 + i^2 + (i+15)^2.
# The squares pass through v40 to v55, all in use at once.
# on: interp jit timing
# run: for n in 4 8 16 32; do
# run:   %b/ventus run --engine %e --threads $n -k private -g 20 -l 20 -a 'buf:i32:20>-' %s >%t.$n
# run:   cmp %t.4 %t.$n
# run: done
# run: cat %t.4

	.include "kernel.inc"
	.text
	.macro square k, reg
	vadd12.vi v3, v2, \k
	vmul.vv \reg, v3, v3
	.endm

	.kernel private
	.private 64
private:
	lw      t7, 0(a0)               # x32: scalar registers go to x63
	global_id v2

	addi    tp, tp, 64              # a frame of 64 bytes; tp is an offset, not an address
	vmv.v.x v32, tp
	.irp    k, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
	square  \k, v4\k
	.endr
	.irp    k, 0, 1, 2, 3, 4, 5
	square  10+\k, v5\k
	.endr
	.irp    k, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
	vsw.v   v4\k, -64+4*\k(v32)
	.endr
	.irp    k, 0, 1, 2, 3, 4, 5
	vsw.v   v5\k, -24+4*\k(v32)
	.endr

	vand.vi v3, v2, 15
	vsll.vi v3, v3, 2
	vadd.vv v3, v3, v32
	vlw.v   v3, -64(v3)             # p[i & 15]: another word in each lane
	vlw.v   v255, -64(v32)          # p[0]
	regext  zero, zero, 9           # by hand: 1 for vd (v31 + 32), 1<<3 for vs1 (v0 + 32)
	vlw.v   v63, -4(v32)            # p[15]
	vadd.vv v3, v3, v255
	vadd.vv v3, v3, v63

	word_at v4, t7, v2
	vsw12.v v3, 0(v4)
	addi    tp, tp, -64
	ret

# out:
# arg0[0..15]: 225 261 309 369 441 525 621 729 849 981 1125 1281 1449 1629 1821 2025
# arg0[16..19]: 1473 1637 1813 2001
# end
