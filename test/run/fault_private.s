# A store to private memory with the address of a buffer: `vsw.v` takes an offset into what the lane has, and
# the sum wraps around to some other place.  Hardware does the same; --strict makes it a fault.
# on: interp jit timing
# run: s=0
# run: %b/ventus run --engine %e --strict -k fault_private -g 4 -l 4 -a buf:i32:4 %s 2>%t.err || s=$?
# run: sed 4q %t.err
# run: echo "status $s"
# run: %b/ventus run --engine %e -k fault_private -g 4 -l 4 -a 'buf:i32:4>-' %s

	.text
	.kernel fault_private
fault_private:
	lw      t0, 0(a0)
	vid.v   v2
	li      t1, 4092
	vmv.v.x v1, t1
	vsw.v   v2, 0(v1)               # the last word that the lane has
	vmv.v.x v1, t0
	vsw.v   v2, 0(v1)               # vsw12.v is what was meant
	ret

# out:
# test/run/fault_private.s: error: the kernel faulted: access beyond the private memory of the lane: 0x90000000 (4 bytes)
#   at          test/run/fault_private.s:19:2
#               vsw.v   v2, 0(v1)               # vsw12.v is what was meant
#               ^
# status 1
# arg0[0..3]: 0 0 0 0
# end
