# held_out.s -- held_out.cl as it was compiled when the RTL ran it (test/golden/rtl_held_out.csv).

	.section .text.saxpy, "ax", @progbits
	.p2align 2
	.kernel saxpy
	.lds 0
	.lds_stack 0
	.private_stack 0
	.type saxpy, @function
saxpy:
.Lsaxpy_0:
	csrr t0, knl
	lw t2, 24(t0)
	lw s1, 36(t0)
	lw a2, 0(a0)
	lw a1, 4(a0)
	csrr t0, tid
	vid.v v0
	vadd.vx v0, v0, t0
	vremu.vx v0, v0, t2
	csrr t0, gidx
	mul t0, t0, t2
	vadd.vx v0, v0, s1
	vadd.vx v0, v0, t0
	vsll.vi v0, v0, 2
	vadd.vx v1, v0, a1
	vadd.vx v2, v0, a2
	lw t0, 8(a0)
	vlw12.v v1, 0(v1)
	vlw12.v v0, 0(v2)
	vfmacc.vf v0, t0, v1
	vsw12.v v0, 0(v2)
	ret
	.size saxpy, . - saxpy

	.section .text.hash, "ax", @progbits
	.p2align 2
	.kernel hash
	.lds 0
	.lds_stack 0
	.private_stack 0
	.type hash, @function
hash:
.Lhash_0:
	mv a1, a0
	csrr t0, knl
	lw t2, 24(t0)
	lw s1, 36(t0)
	lw a0, 4(a1)
	csrr t0, tid
	vid.v v0
	vadd.vx v0, v0, t0
	vremu.vx v0, v0, t2
	csrr t0, gidx
	mul t0, t0, t2
	vadd.vx v0, v0, s1
	vadd.vx v0, v0, t0
	vsll.vi v2, v0, 2
	vadd.vx v0, v2, a0
	vlw12.v v0, 0(v0)
	vsll.vi v1, v0, 13
	vxor.vv v0, v0, v1
	vsrl.vi v1, v0, 17
	vxor.vv v0, v0, v1
	vsll.vi v1, v0, 5
	vxor.vv v0, v0, v1
	vsll.vi v1, v0, 13
	vxor.vv v0, v0, v1
	vsrl.vi v1, v0, 17
	vxor.vv v0, v0, v1
	vsll.vi v1, v0, 5
	vxor.vv v0, v0, v1
	vsll.vi v1, v0, 13
	vxor.vv v0, v0, v1
	vsrl.vi v1, v0, 17
	vxor.vv v0, v0, v1
	vsll.vi v1, v0, 5
	vxor.vv v0, v0, v1
	vsll.vi v1, v0, 13
	vxor.vv v0, v0, v1
	vsrl.vi v1, v0, 17
	vxor.vv v0, v0, v1
	vsll.vi v1, v0, 5
	lw t0, 0(a1)
	vxor.vv v0, v0, v1
	vsll.vi v1, v0, 13
	vxor.vv v0, v0, v1
	vsrl.vi v1, v0, 17
	vxor.vv v0, v0, v1
	vsll.vi v1, v0, 5
	vxor.vv v0, v0, v1
	vsll.vi v1, v0, 13
	vxor.vv v0, v0, v1
	vsrl.vi v1, v0, 17
	vxor.vv v0, v0, v1
	vsll.vi v1, v0, 5
	vxor.vv v1, v0, v1
	vadd.vx v0, v2, t0
	vsw12.v v1, 0(v0)
	ret
	.size hash, . - hash

	.section .text.stencil, "ax", @progbits
	.p2align 2
	.kernel stencil
	.lds 0
	.lds_stack 0
	.private_stack 0
	.type stencil, @function
stencil:
.Lstencil_0:
	mv a1, a0
	csrr t0, knl
	lw t2, 24(t0)
	lw s1, 36(t0)
	lw a0, 4(a1)
	csrr t0, tid
	vid.v v0
	vadd.vx v0, v0, t0
	vremu.vx v0, v0, t2
	csrr t0, gidx
	mul t0, t0, t2
	vadd.vx v0, v0, s1
	vadd.vx v0, v0, t0
	vsll.vi v4, v0, 2
	vadd.vx v0, v4, a0
	vlw12.v v1, 4(v0)
	vlw12.v v2, 0(v0)
	vlw12.v v3, 8(v0)
	lw t2, 0(a1)
	lui t0, 258048
	vfmul.vf v0, v1, t0
	lui t0, 256000
	vfmacc.vf v0, t0, v2
	vfmacc.vf v0, t0, v3
	vadd.vx v1, v4, t2
	vsw12.v v0, 0(v1)
	ret
	.size stencil, . - stencil

	.section .text.dotrow, "ax", @progbits
	.p2align 2
	.kernel dotrow
	.lds 0
	.lds_stack 0
	.private_stack 0
	.type dotrow, @function
dotrow:
.Ldotrow_0:
	mv a5, a0
	csrr t0, knl
	lw s1, 24(t0)
	lw a0, 36(t0)
	lw a1, 4(a5)
	lw t2, 8(a5)
	csrr t0, tid
	vid.v v0
	vadd.vx v0, v0, t0
	vremu.vx v0, v0, s1
	csrr t0, gidx
	mul t0, t0, s1
	vadd.vx v0, v0, a0
	vadd.vx v8, v0, t0
	vsll.vi v0, v8, 5
	vadd.vx v0, v0, a1
	vlw12.v v1, 0(v0)
	lw t0, 0(t2)
	vlw12.v v4, 4(v0)
	lw a1, 4(t2)
	vlw12.v v7, 8(v0)
	lw a4, 8(t2)
	vlw12.v v6, 12(v0)
	lw a3, 12(t2)
	vlw12.v v5, 16(v0)
	lw a2, 16(t2)
	vlw12.v v3, 20(v0)
	lw a0, 20(t2)
	vmv.v.i v2, 0
	vfmadd.vf v1, t0, v2
	vlw12.v v2, 24(v0)
	lw s1, 24(t2)
	vfmacc.vf v1, a1, v4
	vlw12.v v0, 28(v0)
	lw t0, 28(t2)
	lw t2, 0(a5)
	vfmacc.vf v1, a4, v7
	vfmacc.vf v1, a3, v6
	vfmacc.vf v1, a2, v5
	vfmacc.vf v1, a0, v3
	vfmacc.vf v1, s1, v2
	vfmacc.vf v1, t0, v0
	vsll.vi v0, v8, 2
	vadd.vx v0, v0, t2
	vsw12.v v1, 0(v0)
	ret
	.size dotrow, . - dotrow

	.section .text.divide, "ax", @progbits
	.p2align 2
	.kernel divide
	.lds 0
	.lds_stack 0
	.private_stack 0
	.type divide, @function
divide:
.Ldivide_0:
	csrr t0, knl
	lw t2, 24(t0)
	lw s1, 36(t0)
	lw a1, 4(a0)
	csrr t0, tid
	vid.v v0
	vadd.vx v0, v0, t0
	vremu.vx v0, v0, t2
	csrr t0, gidx
	mul t0, t0, t2
	vadd.vx v0, v0, s1
	vadd.vx v0, v0, t0
	vsll.vi v4, v0, 2
	vadd.vx v0, v4, a1
	vlw12.v v2, 0(v0)
	lw t0, 8(a0)
	lw s1, 0(a0)
	lui t2, 149797
	addi t2, t2, -1755
	vmulhu.vx v1, v2, t2
	vdivu.vx v3, v2, t0
	vsub.vv v0, v2, v1
	vsrl.vi v0, v0, 1
	vadd.vv v0, v1, v0
	vsrl.vi v0, v0, 2
	li t0, 7
	vnmsub.vx v0, t0, v2
	vadd.vv v1, v3, v0
	vadd.vx v0, v4, s1
	vsw12.v v1, 0(v0)
	ret
	.size divide, . - divide

	.section .text.norm, "ax", @progbits
	.p2align 2
	.kernel norm
	.lds 0
	.lds_stack 0
	.private_stack 0
	.type norm, @function
norm:
.Lnorm_0:
	mv a1, a0
	csrr t0, knl
	lw t2, 24(t0)
	lw s1, 36(t0)
	lw a0, 4(a1)
	csrr t0, tid
	vid.v v0
	vadd.vx v0, v0, t0
	vremu.vx v0, v0, t2
	csrr t0, gidx
	mul t0, t0, t2
	vadd.vx v0, v0, s1
	vadd.vx v0, v0, t0
	vsll.vi v3, v0, 2
	vadd.vx v0, v3, a0
	vlw12.v v2, 0(v0)
	lui t0, 260096
	vmv.v.x v1, t0
	vmv.v.v v0, v2
	vfmadd.vv v0, v0, v1
	lw t0, 0(a1)
	vfsqrt.v v0, v0
	vfdiv.vv v1, v2, v0
	vadd.vx v0, v3, t0
	vsw12.v v1, 0(v0)
	ret
	.size norm, . - norm

	.section .text.gather, "ax", @progbits
	.p2align 2
	.kernel gather
	.lds 0
	.lds_stack 0
	.private_stack 0
	.type gather, @function
gather:
.Lgather_0:
	mv a1, a0
	csrr t0, knl
	lw t2, 24(t0)
	lw s1, 36(t0)
	lw a0, 8(a1)
	csrr t0, tid
	vid.v v0
	vadd.vx v0, v0, t0
	vremu.vx v0, v0, t2
	csrr t0, gidx
	mul t0, t0, t2
	vadd.vx v0, v0, s1
	vadd.vx v0, v0, t0
	vsll.vi v3, v0, 2
	vadd.vx v0, v3, a0
	vlw12.v v0, 0(v0)
	lw t2, 4(a1)
	vsrl.vi v1, v0, 5
	li t0, 31
	vand.vx v0, v0, t0
	vand.vx v1, v1, t0
	vsll.vi v0, v0, 2
	vsll.vi v1, v1, 2
	vadd.vx v0, v0, t2
	vadd.vx v2, v1, t2
	lw t0, 0(a1)
	vlw12.v v1, 0(v0)
	vlw12.v v0, 0(v2)
	vadd.vv v1, v1, v0
	vadd.vx v0, v3, t0
	vsw12.v v1, 0(v0)
	ret
	.size gather, . - gather

	.section .text.rounds, "ax", @progbits
	.p2align 2
	.kernel rounds
	.lds 0
	.lds_stack 0
	.private_stack 0
	.type rounds, @function
rounds:
.Lrounds_0:
	csrr t0, knl
	lw t2, 24(t0)
	lw s1, 36(t0)
	lw a1, 4(a0)
	csrr t0, tid
	vid.v v0
	vadd.vx v0, v0, t0
	vremu.vx v0, v0, t2
	csrr t0, gidx
	mul t0, t0, t2
	vadd.vx v0, v0, s1
	vadd.vx v1, v0, t0
	vsll.vi v2, v1, 2
	vadd.vx v0, v2, a1
	vlw12.v v0, 0(v0)
	lw t0, 0(a0)
	li t2, 3
	vmul.vx v3, v0, t2
	vxor.vi v0, v1, 1
	vadd.vx v4, v2, t0
	vsll.vi v0, v0, 2
	vadd.vi v1, v3, 1
	vadd.vx v2, v0, t0
	vsw12.v v1, 0(v4)
	barrier x0, x0, 2
	vlw12.v v0, 0(v2)
	barrier x0, x0, 2
	vmul.vx v0, v0, t2
	vadd.vi v0, v0, 1
	vsw12.v v0, 0(v4)
	barrier x0, x0, 2
	vlw12.v v0, 0(v2)
	barrier x0, x0, 2
	vmul.vx v0, v0, t2
	vadd.vi v0, v0, 1
	vsw12.v v0, 0(v4)
	barrier x0, x0, 2
	vlw12.v v0, 0(v2)
	barrier x0, x0, 2
	vsw12.v v0, 0(v4)
	ret
	.size rounds, . - rounds
