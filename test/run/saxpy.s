# y[i] = a*x[i] + y[i] in floats, for i below n only: the group has more work-items than
# there are elements, and the surplus must leave y alone.
# a = 2.5, x[i] = i, y[i] = 1: y becomes 1, 3.5, 6 .. 28.5, then stays 1 from element 12.
# on: interp jit timing
# run: for n in 4 8 16 32; do
# run:   %b/ventus run --engine %e --threads $n -k saxpy -g 16 -l 16 -a i32:12 -a f32:2.5 -a buf:f32:16=iota -a 'buf:f32:16=1>-' %s >%t.$n
# run:   cmp %t.4 %t.$n
# run: done
# run: cat %t.4

	.include "kernel.inc"
	.text
	.kernel saxpy
saxpy:
	lw      a1, 0(a0)               # n
	lw      a2, 4(a0)               # a: floats live in ordinary scalar registers
	lw      a3, 8(a0)               # x
	lw      a4, 12(a0)              # y
	global_id v2

	vmv.v.x v3, a1
	branch  geu, v2, v3, .Ldone, .Ldone

	word_at v4, a3, v2
	word_at v5, a4, v2
	vlw12.v v6, 0(v4)
	vlw12.v v7, 0(v5)
	vfmacc.vf v7, a2, v6            # v7 += a * v6
	vsw12.v v7, 0(v5)
.Ldone:
	join    zero, zero, 0
	ret

# out:
# arg3[0..15]: 1 3.5 6 8.5 11 13.5 16 18.5 21 23.5 26 28.5 1 1 1 1
# end
