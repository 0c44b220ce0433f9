# c[i] = a[i] + b[i], one work-item an element.  With a[i] = i and b[i] = 100 the sums
# are 100 to 131, and the same whatever the number of lanes of a warp.
# on: interp jit timing
# run: for n in 4 8 16 32; do
# run:   %b/ventus run --engine %e --threads $n -k vecadd -g 32 -l 16 -a buf:i32:32=iota -a buf:i32:32=100 -a 'buf:i32:32>-' %s >%t.$n
# run:   cmp %t.4 %t.$n
# run: done
# run: cat %t.4

	.text
	.kernel vecadd
vecadd:
	# Arguments are words in order; a buffer is its address.  These are scalar
	# registers: one value for the whole warp.
	lw      a1, 0(a0)               # a
	lw      a2, 4(a0)               # b
	lw      a3, 8(a0)               # c

	# Which element is mine?  local size * group + first work-item of this warp + lane.
	csrr    t0, CSR_KNL             # block that describes the launch
	lw      t2, 24(t0)              # local size
	csrr    t3, CSR_GIDX            # group
	mul     t2, t2, t3
	csrr    t3, CSR_TID             # first work-item of this warp, in its group
	add     t2, t2, t3
	vid.v   v2                      # lane: 0, 1, 2 ..
	vadd.vx v2, v2, t2              # v2 = i, another one in each lane

	# Vector loads and stores take one address a lane.
	vsll.vi v3, v2, 2               # i in bytes
	vadd.vx v4, v3, a1
	vadd.vx v5, v3, a2
	vadd.vx v6, v3, a3
	vlw12.v v7, 0(v4)
	vlw12.v v8, 0(v5)
	vadd.vv v7, v7, v8
	vsw12.v v7, 0(v6)
	ret

# out:
# arg2[0..15]: 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115
# arg2[16..31]: 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131
# end
