# A pair reads both of its registers, so a group finds zeros in both, also in the one that no
# instruction names: v7 is written and read as the upper half of v6 alone.
#
# Each of 64 work-items in 4 groups stores what v7 held at the start.
# on: interp jit shadow
# run: for n in 4 32; do
# run:   %b/ventus run --isa v2025 --engine %e -j 1 --threads $n -k upper -g 64 -l 16 -a 'buf:u32:64=7>-:0:2' %s
# run:   %b/ventus run --isa v2025 --engine %e -j 1 --threads $n -k upper -g 64 -l 16 -a 'buf:u32:64=7>-:62:2' %s
# run: done

	.include "kernel.inc"
	.text
	.kernel upper
upper:
	lw      a1, 0(a0)
	prefix  pair=1
	vor.vv  v4, v6, v6                      # v5 = v7
	prefix  pair=1
	vadd.vi v6, v6, -1                      # v7 = -1, for the next group to find
	global_id v1
	vsll.vi v1, v1, 2
	vadd.vx v1, v1, a1
	vsw12.v v5, 0(v1)
	ret

# out:
# arg0[0..1]: 0 0
# arg0[62..63]: 0 0
# arg0[0..1]: 0 0
# arg0[62..63]: 0 0
# end
