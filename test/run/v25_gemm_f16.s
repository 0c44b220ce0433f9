# Matrix product of binary16 numbers, with sums in binary32 (v25_gemm.inc).  64-bit words
# convert the elements: vfadd64 with sources of 32 bits (vss=1) and a result of 16 (vds=0).
# 40 is no multiple of 16, so that tiles at the edges are partly outside.  None of the 1600
# elements may differ from the product in integers; C[0][0] and C[0][1] are 292 and -4.
# on: interp jit shadow
# run: o='--isa v2025 --engine %e'
# run: %b/ventus run $o -k fill -g 1600 -l 64 -a "buf:u16:1600>%t.a" -a "buf:u16:1600>%t.b" -a buf:i32:1 -a i32:40 %s
# run: %b/ventus run $o -k gemm -g 96,3 -l 32,1 -a buf:u16:1600=@%t.a -a buf:u16:1600=@%t.b -a "buf:f32:1600=99>%t.c" -a i32:40 %s
# run: %b/ventus run $o -k check -g 1600 -l 64 -a buf:i32:1 -a buf:i32:1 -a buf:f32:1600=@%t.c -a i32:40 -a 'buf:i32:1=0>-' %s
# run: %b/ventus run $o -k gemm -g 96,3 -l 32,1 -a buf:u16:1600=@%t.a -a buf:u16:1600=@%t.b -a 'buf:f32:1600=99>-:0:2' -a i32:40 %s

	.include "v25_gemm.inc"
	gemm    gemm, 6, 2, 16, 0, mma.m16n16k16.row.col.f32.f16.f16.f32
	check_kernel

	.kernel fill
fill:
	lw      a1, 0(a0)
	lw      a2, 4(a0)
	row_and_column
	vsll.vi v2, v2, 1
	vadd.vx v5, v2, a1
	vadd.vx v6, v2, a2
	a_value v7, v3, v4
	b_value v8, v3, v4
	vfcvt.f.x.v v7, v7
	vfcvt.f.x.v v8, v8
	vfadd64.vf v7, v7, zero, vss=1
	vfadd64.vf v8, v8, zero, vss=1
	vsh12.v v7, 0(v5)
	vsh12.v v8, 0(v6)
	ret

# out:
# arg4[0..0]: 0
# arg2[0..1]: 292 -4
# end
