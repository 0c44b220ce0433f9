# Conway's game of life on a torus of 16 x 16 cells, in local memory.  A glider comes
# back to its shape every 4 generations, one place further right and down: after 8 it is
# 2 and 2 further.  Cells are bytes, so neighbours are byte loads and stores.
# on: interp jit timing
# run: for n in 4 8 16 32; do
# run:   %b/ventus run --engine %e --threads $n -k life -g 256 -l 256 -a i32:8 -a "buf:u8:272>%t.$n" %s
# run:   cmp %t.4 %t.$n
# run: done
# run: cat %t.4

	.include "kernel.inc"
	.text
	.kernel life
	.lds    256
life:
	lw      a1, 0(a0)               # generations
	lw      a2, 4(a0)               # picture: 16 lines of 16 characters and a newline
	local_id v1
	vmv.v.i v0, 0
	vand.vi v3, v1, 15              # x
	li      t2, 0xf0
	vand.vx v4, v1, t2              # 16y
	vadd.vx v5, v1, s0              # my cell

	la      t2, glider
	vadd.vx v6, v1, t2
	vmv.v.i v7, 0
	li      t2, 48                  # the first three rows are given
	vmv.v.x v8, t2
	branch  geu, v1, v8, .Lstart, .Lstart
	vlbu12.v v7, 0(v6)
	li      t2, '#'
	vmseq.vx v7, v7, t2
.Lstart:
	join    zero, zero, 0
.Lgeneration:
	vsb12.v v7, 0(v5)
	barrier x0, x0, 1

	# the neighbours: columns x-1, x, x+1, rows y-1, y, y+1, all mod 16
	vmv.v.i v8, 0
	.irp    dy, -16, 0, 16
	addi    t2, zero, \dy
	vadd.vx v9, v4, t2
	li      t2, 0xf0
	vand.vx v9, v9, t2
	.irp    dx, -1, 0, 1
	vadd.vi v10, v3, \dx
	vand.vi v10, v10, 15
	vadd.vv v10, v10, v9
	vadd.vx v10, v10, s0
	vlbu12.v v10, 0(v10)
	vadd.vv v8, v8, v10
	.endr
	.endr
	vsub.vv v8, v8, v7              # the cell itself is no neighbour

	# alive with 3, or with 2 if it was alive: (neighbours | alive) == 3
	vor.vv  v8, v8, v7
	vmseq.vi v7, v8, 3
	barrier x0, x0, 1
	addi    a1, a1, -1
	bnez    a1, .Lgeneration

	li      t2, '.'
	vmv.v.x v6, t2
	branch  eq, v7, v0, .Ldraw, .Ldraw
	li      t2, '#'
	vmv.v.x v6, t2
.Ldraw:
	join    zero, zero, 0
	vsrl.vi v8, v4, 4
	vadd.vv v8, v8, v1              # 17 characters a line
	vadd.vx v8, v8, a2
	vsb12.v v6, 0(v8)
	li      t2, 15
	vmv.v.x v9, t2
	branch  ne, v3, v9, .Ldone, .Ldone
	vmv.v.i v6, '\n'
	vsb12.v v6, 1(v8)
.Ldone:
	join    zero, zero, 0
	ret

	.section .rodata
glider:
	.ascii  ".#.............."
	.ascii  "..#............."
	.ascii  "###............."

# out:
# ................
# ................
# ...#............
# ....#...........
# ..###...........
# ................
# ................
# ................
# ................
# ................
# ................
# ................
# ................
# ................
# ................
# ................
# end
