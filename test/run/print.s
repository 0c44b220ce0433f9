# What each work-item prints comes out in the order of the items.  The device puts records
# into a buffer that the metadata block names; the host prints them after the launch.
#
#     buffer  word 0: bytes reserved so far    record  word 0: its bytes
#             word 1: bytes there are for              word 1: global linear id
#                     records, which follow            word 2: address of the format, or 0
#                                                              for plain text
#                                                      then 4 bytes an argument
# on: interp jit timing
# run: for n in 4 8 16 32; do
# run:   %b/ventus run --engine %e --threads $n -k print -g 10 -l 5 %s >%t.$n
# run:   cmp %t.4 %t.$n
# run: done
# run: %b/ventus run --mmu --engine %e -k print -g 10 -l 5 %s >%t.mmu
# run: cmp %t.4 %t.mmu
# run: cat %t.4

	.include "kernel.inc"
	.text
	.kernel print
print:
	csrr    t2, CSR_KNL
	lw      a1, KNL_PRINT_ADDR(t2)
	global_id v2
	vmv.v.i v0, 0

	# every lane reserves its bytes, then looks whether they lie in the buffer
	lw      a2, 4(a1)               # capacity
	li      a3, 24                  # bytes of my record
	vmv.v.x v3, a1
	vmv.v.x v4, a3
	amoadd.w v5, v4, (v3)           # v5: bytes reserved before
	sub     a2, a2, a3
	vmv.v.x v6, a2
	branch  ltu, v6, v5, .Lfull, .Lfull
	vadd.vx v5, v5, a1              # the record is 8 bytes further on
	vsw12.v v4, 8(v5)
	vsw12.v v2, 12(v5)
	la      t2, format
	vmv.v.x v6, t2
	vsw12.v v6, 16(v5)
	vsw12.v v2, 20(v5)              # first argument
	vmul.vv v7, v2, v2
	vsw12.v v7, 24(v5)              # second
	vfcvt.f.x.v v7, v2
	vfsqrt.v v7, v7
	vsw12.v v7, 28(v5)              # third, a float
.Lfull:
	join    zero, zero, 0

	# Even items print a plain text, too: "even", a newline and padding.
	vand.vi v7, v2, 1
	branch  ne, v7, v0, .Ldone, .Ldone
	li      a3, 20
	vmv.v.x v4, a3
	amoadd.w v5, v4, (v3)
	vadd.vx v5, v5, a1              # (there is room for this one: the buffer is large)
	vsw12.v v4, 8(v5)
	vsw12.v v2, 12(v5)
	vsw12.v v0, 16(v5)
	li      t2, 0x6e657665
	vmv.v.x v6, t2
	vsw12.v v6, 20(v5)
	li      t2, '\n'
	vmv.v.x v6, t2
	vsw12.v v6, 24(v5)
.Ldone:
	join    zero, zero, 0
	ret

	.section .rodata
format:
	.asciz  "item %u: square %d, root %.3f\n"

# out:
# item 0: square 0, root 0.000
# even
# item 1: square 1, root 1.000
# item 2: square 4, root 1.414
# even
# item 3: square 9, root 1.732
# item 4: square 16, root 2.000
# even
# item 5: square 25, root 2.236
# item 6: square 36, root 2.449
# even
# item 7: square 49, root 2.646
# item 8: square 64, root 2.828
# even
# item 9: square 81, root 3.000
# end
