# Buffers: every way to fill one, every way to show one, values in the forms of their types.
# The kernel touches none.  The largest range of device addresses is 0x90000000 to 4 GiB; a byte more has no place.  A file
# that could not be written to its end is not left.
# run: printf 'ABCDEFG' >%t.in
# run: %b/ventus run %s -a 'buf:i32:20=iota>-' -a 'buf:u8:300=iota>-:254:6' -a 'buf:i8:3=-1>-' -a 'buf:i16:4=1,-2,0x8000>-' -a 'buf:u64:1=0xffffffffffffffff>-' -a 'buf:i64:1=-9223372036854775808>-' -a 'buf:f32:8=0.1,1e-7,16777216,-0,inf,-inf,nan,3.4028235e38>-' -a 'buf:f64:6=0.1,1e300,123456789012,1e16,0x1p-3,5e-324>-' -a 'buf:f32x3:2=1,2,3,4>-' -a 'buf:i32x4:5=iota>-' -a "buf:u8:8=@%t.in>-" -a 'buf:u32:2=rand:1>-' -a 'buf:f32:2=rand:1>-' -a 'buf:f64:2=rand:1>-' -a 'buf:f32x2:2=7>-' -a "buf:i16:2=5,6>%t.out" -a buf:i32:5 -a 'buf:i32:1>-' -a 'buf:f32:6=1e-5,1.5e-5,1e-6,1e8,123456792,1e9>-' -a 'buf:f64:4=1e15,1e16,1e-5,1e-6>-'
# run: od -An -tx1 %t.out
# run: %b/ventus run %s -a "buf:u8:6=@%t.in" -a 'buf:u8:4>-' >%t.err 2>&1 || echo status $?; sed 's,/[^ ]*/,,' %t.err
# run: %b/ventus run %s -a 'buf:u8:4>no/such/dir/file' || echo status $?
# run: %b/ventus run %s -a buf:u8:1879048193 || echo status $?
# run: (trap '' XFSZ; ulimit -f 1; %b/ventus run %s -a 'buf:u8:100000=iota>%t.big' 2>&1) | sed 's,^/[^ ]*/,,'; ls %t.big 2>&1 | grep -c such
# run: %b/ventus run %s --dump-buffers %t.d -a i32:1 -a buf:u8:4=iota && ls %t.d && od -An -tx1 %t.d/arg1.bin

	.text
	.kernel nothing
nothing:
	ret

# out:
# arg0[0..15]: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
# arg0[16..19]: 16 17 18 19
# arg1[254..259]: 254 255 0 1 2 3
# arg2[0..2]: -1 -1 -1
# arg3[0..3]: 1 -2 -32768 0
# arg4[0..0]: 18446744073709551615
# arg5[0..0]: -9223372036854775808
# arg6[0..7]: 0.1 1e-07 16777216 -0 inf -inf nan 3.4028235e+38
# arg7[0..5]: 0.1 1e+300 123456789012 1e+16 0.125 5e-324
# arg8[0..1]: 1,2,3 4,0,0
# arg9[0..3]: 0,1,2,3 4,5,6,7 8,9,10,11 12,13,14,15
# arg9[4..4]: 16,17,18,19
# arg10[0..7]: 65 66 67 68 69 70 71 0
# arg11[0..1]: 2298633409 1703865447
# arg12[0..1]: 0.5665615 0.7457817
# arg13[0..1]: 0.5665615751722809 0.7457817572627011
# arg14[0..1]: 7,7 7,7
# arg17[0..0]: 0
# arg18[0..5]: 0.00001 0.000015 1e-06 100000000 123456792 1e+09
# arg19[0..3]: 1000000000000000 1e+16 0.00001 1e-06
#  05 00 06 00
# status 2
# argument 0:1:11: error: t.in has more than the buffer's 6 bytes
#     buf:u8:6=@t.in
#               ^
# no/such/dir/file: error: No such file or directory
# status 2
# buf:u8:1879048193: error: the device has no free address range of this size: 1879048193 bytes wanted, 0 in use
# status 2
# t.big: error: File too large
# 1
# arg1.bin
#  00 01 02 03
# end
