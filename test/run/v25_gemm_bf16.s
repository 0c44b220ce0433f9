# Matrix product of bfloat16 numbers (v25_gemm.inc), with both matrices in memory as their
# transposes: layouts col of A and row of B.  A small whole number as bfloat16 is the upper
# half of the float.  None of the 1600 elements may differ from the product in integers.
# on: interp jit shadow
# run: o='--isa v2025 --engine %e'
# run: %b/ventus run $o -k fill -g 1600 -l 64 -a "buf:u16:1600>%t.a" -a "buf:u16:1600>%t.b" -a buf:i32:1 -a i32:40 %s
# run: %b/ventus run $o -k gemm -g 96,3 -l 32,1 -a buf:u16:1600=@%t.a -a buf:u16:1600=@%t.b -a "buf:f32:1600=99>%t.c" -a i32:40 %s
# run: %b/ventus run $o -k check -g 1600 -l 64 -a buf:i32:1 -a buf:i32:1 -a buf:f32:1600=@%t.c -a i32:40 -a 'buf:i32:1=0>-' %s
# run: %b/ventus run $o -k gemm -g 96,3 -l 32,1 -a buf:u16:1600=@%t.a -a buf:u16:1600=@%t.b -a 'buf:f32:1600=99>-:0:2' -a i32:40 %s

	.include "v25_gemm.inc"
	gemm    gemm, 9, 2, 16, 1, mma.m16n16k16.col.row.f32.bf16.bf16.f32
	check_kernel

	.kernel fill
fill:
	lw      a1, 0(a0)
	lw      a2, 4(a0)
	row_and_column
	vsll.vi v2, v2, 1
	vadd.vx v5, v2, a1
	vadd.vx v6, v2, a2
	a_value v7, v4, v3                      # row 3 of A^T is column 3 of A
	b_value v8, v4, v3
	vfcvt.f.x.v v7, v7
	vfcvt.f.x.v v8, v8
	vsrl.vi v7, v7, 16
	vsrl.vi v8, v8, 16
	vsh12.v v7, 0(v5)
	vsh12.v v8, 0(v6)
	ret

# out:
# arg4[0..0]: 0
# arg2[0..1]: 292 -4
# end
