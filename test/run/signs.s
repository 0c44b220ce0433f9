# The sign of one number given to another where only some lanes are on: a choice of bits by a constant, whose lanes
# are merged.  The code generator of host code has rules of its own for that, and one for each place of the result.
# Odd lanes change.
# on: interp jit
# run: x=1,-1,2,-2,3,-3,4,-4
# run: y=-5,6,7,-8,-9,10,11,-12
# run: try() { # KERNEL WANTED
# run:   for n in 4 8 16 32; do for tier in quick full; do
# run:     VENTUS_JIT_TIER=$tier %b/ventus run --engine %e --threads $n -k $1 -g 8 -l 4 -a buf:f32:8=$x -a buf:f32:8=$y -a buf:f32:8==$2 %s || exit
# run:   done; done
# run: }
# run: try signed_x 1,1,2,-2,3,3,4,-4
# run: try signed_y -5,-6,7,-8,-9,-10,11,-12
# run: try other_x 1,-6,2,-8,3,-10,4,-12
# run: try turned_x 1,-1,2,2,3,-3,4,4

	.include "kernel.inc"
	.text
	.macro test name, result, instruction:vararg
	.kernel \name
\name:
	lw      a1, 0(a0)
	lw      a2, 4(a0)
	lw      a3, 8(a0)
	global_id v2
	vmv.v.i v0, 0
	word_at v3, a1, v2
	vlw12.v v10, 0(v3)              # x
	word_at v3, a2, v2
	vlw12.v v11, 0(v3)              # y
	vand.vi v4, v2, 1
	branch  eq, v4, v0, .Lmeet\@, .Lmeet\@
	\instruction
.Lmeet\@:
	join    zero, zero, 0
	word_at v3, a3, v2
	vsw12.v \result, 0(v3)
	ret
	.endm

	test signed_x, v10, vfsgnj.vv v10, v10, v11
	test signed_y, v11, vfsgnj.vv v11, v11, v10
	test other_x, v10, vfsgnj.vv v10, v11, v10
	test turned_x, v10, vfsgnjn.vv v10, v10, v11
