# Words may lie at any byte: the load gives the bytes there, 04030201 from an odd address
# here.  Hardware may not do that, so --strict makes it a fault.
# on: interp jit timing
# run: %b/ventus run --engine %e -k fault_misaligned -g 1 -l 1 -a buf:u8:8=0,1,2,3,4,5,6,7 -a 'buf:u8:4>-' %s
# run: %b/ventus run --engine %e --strict -k fault_misaligned -g 1 -l 1 -a buf:u8:8=0,1,2,3,4,5,6,7 -a buf:u8:4 %s 2>%t.err || s=$?
# run: grep -o 'misaligned load: 0x90000001 (4 bytes)' %t.err
# run: exit $s
# exit: 1

	.text
	.kernel fault_misaligned
fault_misaligned:
	lw      a1, 0(a0)
	lw      a2, 4(a0)
	vmv.v.x v3, a1
	vlw12.v v4, 1(v3)
	vmv.v.x v3, a2
	vsw12.v v4, 0(v3)
	ret

# out:
# arg1[0..3]: 1 2 3 4
# misaligned load: 0x90000001 (4 bytes)
# end
