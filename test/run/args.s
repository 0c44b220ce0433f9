# The argument block: arguments in order, each at a multiple of its alignment and of 4.
# The kernel reads each where the rule puts it and stores what it found.
#
#     offset  0  i8  -5              sign extended by the kernel
#             4  u16 65535
#             8  i64 2^32 + 2        aligned to 8: low word, high word
#            16  f32 1.5             0x3fc00000 = 1069547520
#            20  u8  200
#            24  f64 1.0             0, 0x3ff00000 = 1072693248
#            32  i32x4 1 2 3 4       aligned to 16
#            48  i32x2 5 6
#            56  i32x3 7 8 9         as four components: aligned to 16, so at 64
#            80  the buffer
# on: interp jit timing
# run: %b/ventus run --engine %e -k args -g 1 -l 1 -a i8:-5 -a u16:65535 -a i64:4294967298 -a f32:1.5 -a u8:200 -a f64:1.0 -a i32x4:1,2,3,4 -a i32x2:5,6 -a i32x3:7,8,9 -a 'buf:i32:18>-' %s

	.text
	.kernel args
args:
	lw      a1, 80(a0)
	.macro  keep load, offset
	\load   t2, \offset(a0)
	sw      t2, 0(a1)
	addi    a1, a1, 4
	.endm
	keep    lb, 0
	keep    lhu, 4
	keep    lw, 8
	keep    lw, 12
	keep    lw, 16
	keep    lbu, 20
	keep    lw, 24
	keep    lw, 28
	.irp    offset, 32, 36, 40, 44, 48, 52, 64, 68, 72
	keep    lw, \offset
	.endr
	ret

# out:
# arg9[0..15]: -5 65535 2 1 1069547520 200 0 1072693248 1 2 3 4 5 6 7 8
# arg9[16..17]: 9 0
# end
