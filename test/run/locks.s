# Work-items of two groups, on two host threads, take a lock, count and give the lock back, with every kind of
# store that can.  A store must reach memory once: memcpy of the host's library writes words and halves twice if it is
# not told their size when it is compiled, and so gave away the lock that the other had taken in between.
# on: interp jit
# run: for k in word half byte vword vhalf vbyte; do
# run:   %b/ventus run --engine %e -j 2 -k $k -g 2 -l 1 -a u32:1000000 -a "buf:u32:65=0>%t.out" %s
# run:   echo $k $(od -An -v -td4 -j256 %t.out)
# run: done

	.include "kernel.inc"
	.text
	.macro locks name, give:vararg
	.kernel \name
\name:
	lw      a1, 0(a0)
	lw      a2, 4(a0)
	vmv.v.x v1, a2
	vmv.v.i v2, 0
	vmv.v.i v3, 1
1:	amoswap.w v4, v3, (v1)
	vmv.x.s t1, v4
	bnez    t1, 1b
	lw      t2, 256(a2)
	addi    t2, t2, 1
	sw      t2, 256(a2)
	\give
	addi    a1, a1, -1
	bnez    a1, 1b
	endprg  x0, x0, x0
	.endm

	locks word,  sw x0, 0(a2)
	locks half,  sh x0, 0(a2)
	locks byte,  sb x0, 0(a2)
	locks vword, vsw12.v v2, 0(v1)
	locks vhalf, vsh12.v v2, 0(v1)
	locks vbyte, vsb12.v v2, 0(v1)
# out:
# word 2000000
# half 2000000
# byte 2000000
# vword 2000000
# vhalf 2000000
# vbyte 2000000
# end
