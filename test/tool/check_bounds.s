# Accesses beyond what a kernel has, each named by what is nearest: its block of arguments, the stacks of its warps, its
# arguments, private memory; and addresses that are no multiple of the size.
# run: for k in arguments stacks lanes across private two low high; do echo $k; %b/ventus run --check=bounds -k $k -g 8 -l 8 --threads 4 -a buf:i32:8=0 -a buf:i32:3=0 %s 2>&1 | sed -n 's/^.*check_bounds.s:\([0-9:]*\): error: /\1 /p; /^  work-item\|^  seen/p'; done
# run: echo odd; %b/ventus run --check=align -k odd -g 8 -l 8 --threads 4 -a buf:i32:8=0 %s 2>&1 | sed -n 's/at 0x[0-9a-f]*[02468ace],/at an even address,/; s/at 0x[0-9a-f]*,/at an odd address,/; s/^.*check_bounds.s:\([0-9:]*\): error: /\1 /p'

	.kernel arguments
arguments:
	lw t0, 4(a0)
	lw t0, 8(a0)		# two have 8 bytes
	endprg

	.kernel stacks
stacks:
	csrr t0, CSR_LDS
	li t1, 2048		# two warps, of 1024 bytes each
	add t1, t1, t0
	sw t1, -4(t1)
	sw t1, 0(t1)
	endprg

	.kernel lanes
lanes:
	csrr t1, CSR_TID
	vid.v v1
	vadd.vx v1, v1, t1
	vsll.vi v1, v1, 2
	lw t0, 0(a0)
	vadd.vx v1, v1, t0
	vsw12.v v1, 4(v1)	# the last work-item
	endprg

	.kernel across
across:
	lw t0, 4(a0)
	lw t1, 8(t0)
	lw t1, 10(t0)		# of 12 bytes
	endprg

	.kernel private
private:
	li t1, 4092		# a work-item has 4096 bytes at least
	vmv.v.x v1, t1
	vsw.v v1, 0(v1)
	vsw.v v1, 4(v1)
	vmv.v.x v1, zero
	vsw.v v1, -4(v1)
	endprg

	.kernel two
two:
	lw t0, 0(a0)
	lw t2, 4(a0)
	addi t0, t0, 32
	addi t2, t2, 12
1:	sw t1, 0(t0)		# at the ends of both, which are two mistakes
	beq t0, t2, 2f
	mv t0, t2
	j 1b
2:	endprg

	.macro	of_private offset
	li t1, \offset
	vmv.v.x v1, t1
	vlw.v v2, 0(v1)
	endprg
	.endm
	.kernel low
low:	of_private 0x7ffffffc
	.kernel high
high:	of_private 0x80000000	# where buffers may be

	.kernel odd
odd:
	lw t0, 0(a0)
	lh t1, 2(t0)
	lh t1, 1(t0)
	lb t1, 1(t0)
	lw t1, 2(t0)
	sh t1, 3(t0)
	endprg

# out:
# arguments
# 9:2 bounds: load of 4 bytes right behind the end of the block of arguments, which has 8
#   work-item   (0, 0, 0), in its group (0, 0, 0)
#   seen        2 times
# stacks
# 18:2 bounds: store of 4 bytes right behind the end of the scalar stacks of the group, which have 2048
#   work-item   (0, 0, 0), in its group (0, 0, 0)
#   seen        2 times
# lanes
# 29:2 bounds: store of 4 bytes right behind the end of argument 0, which has 32
#   work-item   (7, 0, 0), in its group (7, 0, 0)
# across
# 36:2 bounds: load of 4 bytes that end 2 past the end of argument 1, which has 12
#   work-item   (0, 0, 0), in its group (0, 0, 0)
#   seen        2 times
# private
# 44:2 bounds: store of 4 bytes at byte 4096 of private memory, of which a work-item has 4096
#   work-item   (0, 0, 0), in its group (0, 0, 0)
#   seen        8 times
# 46:2 bounds: store of 4 bytes at byte -4 of private memory, of which a work-item has 4096
#   work-item   (0, 0, 0), in its group (0, 0, 0)
#   seen        8 times
# two
# 55:4 bounds: store of 4 bytes right behind the end of argument 0, which has 32
#   work-item   (0, 0, 0), in its group (0, 0, 0)
#   seen        2 times
# 55:4 bounds: store of 4 bytes right behind the end of argument 1, which has 12
#   work-item   (0, 0, 0), in its group (0, 0, 0)
#   seen        2 times
# low
# 68:6 bounds: load of 4 bytes at 0x7ffffffc of private memory, of which a work-item has 4096 bytes
#   work-item   (0, 0, 0), in its group (0, 0, 0)
#   seen        8 times
# high
# 70:7 bounds: load of 4 bytes at 0x80000000 of private memory, of which a work-item has 4096 bytes; the addresses of buffers are for `vlw12.v' and `vsw12.v'
#   work-item   (0, 0, 0), in its group (0, 0, 0)
#   seen        8 times
# odd
# 76:2 align: load of 2 bytes at an odd address, which is no multiple of 2
# 78:2 align: load of 4 bytes at an even address, which is no multiple of 4
# 79:2 align: store of 2 bytes at an odd address, which is no multiple of 2
# end
