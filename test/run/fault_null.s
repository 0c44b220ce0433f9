# A null buffer, written to by a scalar store: a fault of the whole warp, so no lane is
# named.  Offset 8 of address 0.
# on: interp jit timing
# run: %b/ventus run --engine %e -k fault_null -g 1 -l 1 -a i32:0 %s 2>%t.err || s=$?
# run: grep -o 'store to unmapped memory: 0x00000008 (4 bytes)' %t.err
# run: grep -c '^ *lane ' %t.err || true
# run: exit $s
# exit: 1

	.text
	.kernel fault_null
fault_null:
	lw      a1, 0(a0)
	sw      a0, 8(a1)
	ret

# out:
# store to unmapped memory: 0x00000008 (4 bytes)
# 0
# end
