# Calls where lanes have parted: even work-items call square, odd ones cube, which calls
# square.  The return address is one scalar of the warp, so a function that calls
# saves it, on the warp's stack at sp.  Arguments and results are in v0.
# out[i] = i*i for even i, i*i*i for odd i.
# on: interp jit timing
# run: for n in 4 8 16 32; do
# run:   %b/ventus run --engine %e --threads $n -k call -g 16 -l 16 -a 'buf:i32:16>-' %s >%t.$n
# run:   cmp %t.4 %t.$n
# run: done
# run: cat %t.4

	.include "kernel.inc"
	.text
	.kernel call
call:
	addi    sp, sp, 4               # stacks grow upwards
	sw      ra, -4(sp)
	lw      a1, 0(a0)
	global_id v2
	vmv.v.i v3, 0
	vand.vi v4, v2, 1
	vmv.v.v v0, v2
	branch  ne, v4, v3, .Lodd, .Lmeet
	jal     square
	j       .Lmeet
.Lodd:
	jal     cube
.Lmeet:
	join    zero, zero, 0
	word_at v4, a1, v2
	vsw12.v v0, 0(v4)
	lw      ra, -4(sp)
	addi    sp, sp, -4
	ret

# v0 = v0 * v0
square:
	vmul.vv v0, v0, v0
	ret

# v0 = v0 * v0 * v0.  Changes v16.
cube:
	addi    sp, sp, 4
	sw      ra, -4(sp)
	vmv.v.v v16, v0
	jal     square
	vmul.vv v0, v0, v16
	lw      ra, -4(sp)
	addi    sp, sp, -4
	ret

# out:
# arg0[0..15]: 0 1 4 27 16 125 36 343 64 729 100 1331 144 2197 196 3375
# end
