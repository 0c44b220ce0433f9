# Each kernel has a record of what its code, and the code outside kernels, uses.
# run: %b/ventus as %s -o %t.o && %b/ventus objdump --resources %t.o

	.kernel first
	.lds 256
	.private 16
first:
	mv t0, ra
	vadd.vv v8, v40, v1
	call helper
	ret
	.size first, . - first

	.kernel second
	.lds_stack 64
second:
	vmv.v.x v1, t7
	addi sp, sp, 16
	mv t0, ra
	call elsewhere
	ret
	.size second, . - second

	.globl helper
	.type helper, @function
helper:
	add  s0, a0, a1
	ret

# out:
# resources (bare):
#   first: version 3  vgpr 41  sgpr 12  lds 256  private 16  stack 0  private-stack 0
#   second: version 3  vgpr 2  sgpr 33  lds 0  private 0  stack 64  private-stack 0  unknown-callee
#
# end
