# Matrix product of floats that the matrix unit takes as tf32 (v25_gemm.inc): the low 13
# bits of each do not count, which the kernel shows by setting them all.  A step has half
# the depth, 8, of that of 16-bit numbers.  None of the 1600 elements may differ from the
# product in integers.
# on: interp jit shadow
# run: o='--isa v2025 --engine %e'
# run: %b/ventus run $o -k fill -g 1600 -l 64 -a "buf:f32:1600>%t.a" -a "buf:f32:1600>%t.b" -a buf:i32:1 -a i32:40 %s
# run: %b/ventus run $o -k gemm -g 96,3 -l 32,1 -a buf:f32:1600=@%t.a -a buf:f32:1600=@%t.b -a "buf:f32:1600=99>%t.c" -a i32:40 %s
# run: %b/ventus run $o -k check -g 1600 -l 64 -a buf:i32:1 -a buf:i32:1 -a buf:f32:1600=@%t.c -a i32:40 -a 'buf:i32:1=0>-' %s
# run: %b/ventus run $o -k gemm -g 96,3 -l 32,1 -a buf:f32:1600=@%t.a -a buf:f32:1600=@%t.b -a 'buf:f32:1600=99>-:0:2' -a i32:40 %s

	.include "v25_gemm.inc"
	gemm    gemm, 11, 4, 8, 0, mma.m16n16k8.row.col.f32.tf32.tf32.f32
	check_kernel

	.kernel fill
fill:
	lw      a1, 0(a0)
	lw      a2, 4(a0)
	row_and_column
	word_at v5, a1, v2
	word_at v6, a2, v2
	a_value v7, v3, v4
	b_value v8, v3, v4
	vfcvt.f.x.v v7, v7
	vfcvt.f.x.v v8, v8
	li      t2, 0x1fff
	vor.vx  v7, v7, t2
	vor.vx  v8, v8, t2
	vsw12.v v7, 0(v5)
	vsw12.v v8, 0(v6)
	ret

# out:
# arg4[0..0]: 0
# arg2[0..1]: 292 -4
# end
