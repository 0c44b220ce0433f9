# Flags of floats are read, written and cleared as they are, whoever looks on; the results are the standard's.
# run: for o in '' --stats --trace=%t.trace --check=init --check --profile '--engine timing' '--engine timing --stats' '--engine timing --trace=%t.trace'; do %b/ventus run %s $o -g 1 -a 'buf:u32:13>-' | grep arg; done
# run: for e in jit shadow; do %b/ventus info | grep -q "^engine $e:" && VENTUS_JIT_TIER=quick %b/ventus run %s --engine $e -g 1 -a 'buf:u32:13>-' || echo 'arg0[0..12]: 3 3 0 0 4 0 0 95 65 65 9 0 8'; done

	.text
	.kernel flags
	.macro	keep reg
	sw	\reg, 0(a1)
	addi	a1, a1, 4
	.endm
flags:
	lw	a1, 0(a0)
	li	t4, 3
	csrrw	zero, fflags, t4
	csrrs	t5, fflags, zero
	keep	t5
	csrrw	t6, fflags, zero
	keep	t6
	csrrs	t5, fflags, zero
	keep	t5
	csrrsi	t6, fflags, 4
	keep	t6
	csrrci	t6, fflags, 5
	keep	t6
	csrrs	t5, fflags, zero
	keep	t5
	li	t4, 0x5f		# rdn, all flags
	csrrw	t6, fcsr, t4
	keep	t6
	csrrci	t6, fcsr, 0x1e
	keep	t6
	csrrs	t6, fcsr, zero
	keep	t6
	csrrwi	t6, frm, 0
	csrrs	t6, fcsr, zero
	csrrsi	t6, fcsr, 0
	ori	t6, t6, 0x40
	keep	t6
	lui	t0, 0x3f800
	fdiv.s	t1, t0, zero		# divided by zero: 8, beside 1
	csrrw	t6, fflags, zero
	keep	t6
	csrrs	t5, fflags, zero
	keep	t5
	fdiv.s	t1, t0, zero
	csrrci	t6, fflags, 16
	keep	t6
	ret

# out:
# arg0[0..12]: 3 3 0 0 4 0 0 95 65 65 9 0 8
# arg0[0..12]: 3 3 0 0 4 0 0 95 65 65 9 0 8
# arg0[0..12]: 3 3 0 0 4 0 0 95 65 65 9 0 8
# arg0[0..12]: 3 3 0 0 4 0 0 95 65 65 9 0 8
# arg0[0..12]: 3 3 0 0 4 0 0 95 65 65 9 0 8
# arg0[0..12]: 3 3 0 0 4 0 0 95 65 65 9 0 8
# arg0[0..12]: 3 3 0 0 4 0 0 95 65 65 9 0 8
# arg0[0..12]: 3 3 0 0 4 0 0 95 65 65 9 0 8
# arg0[0..12]: 3 3 0 0 4 0 0 95 65 65 9 0 8
# arg0[0..12]: 3 3 0 0 4 0 0 95 65 65 9 0 8
# arg0[0..12]: 3 3 0 0 4 0 0 95 65 65 9 0 8
# end
