# Structures and vectors as arguments, and last groups that are smaller.
# skip: ! test -e %b/ventus-cc1
# run: B=%b T=%t sh %s

cat >"$T.cl" <<'END'
typedef struct { char a; float4 v; short b[3]; long c; } S;
typedef struct __attribute__((packed)) { char a; int b; } P;
kernel void f(S s, P p, int4 four, global float *v, global long *n)
{
    vstore4(s.v, 0, v);
    n[0] = s.a; n[1] = s.b[0]; n[2] = s.b[2]; n[3] = s.c;
    n[4] = p.a; n[5] = p.b; n[6] = four.x; n[7] = four.w;
}
kernel void g(global int *size)
{
    size[get_global_id(0)] = get_local_size(0);
}
END
try() {
	"$B/ventus" run -g 1 "$@" "$T.cl" 2>&1 | sed "s|^$T|t|"
}
A='-a buf:f32:4==5,6,7,8 -a buf:i64:8==-1,2,4,9,-3,70000,6,6'
echo all
try -k f -a struct:i8:-1/f32x4:5,6,7,8/i16:2,3,4/i64:9 -a packed:i8:-3/i32:70000 -a i32x4:6 $A
echo wrong
try -k f -a struct:i8:-1 -a packed:i8:-3/i32:70000 -a i32x4:6 $A
try -k f -a struct:i8:-1/f32x4:5,6,7,8/i16:2,3,4/i64:9 -a struct:i8:-3/i32:70000 -a i32x4:6 $A
try -k f -a struct:i8:1/ -a struct:i8 -a struct: -a struct:i8:300 -a struct:f32x4:1,2
try -k g -a struct:i64:0
echo groups
try -k g -B -cl-std=CL2.0 -g 7 -l 4 -a 'buf:i32:7>-'
try -k g -g 7 -l 4 -a buf:i32:7
try -k g -B '-cl-std=CL3.0 -cl-uniform-work-group-size' -g 7 -l 4 -a buf:i32:7
rm -f "$T.cl"

# out:
# all
# wrong
# t.cl: error: argument 0 (S s) has 48 bytes; struct:i8:-1 has 1
# t.cl: error: argument 1 (P p) has 5 bytes; struct:i8:-3/i32:70000 has 8
# argument 0:1:13: error: '' is no type: i8 u8 i16 u16 i32 u32 i64 u64 f32 f64; nor one of: local struct packed buf rbuf wbuf hbuf img sampler
#     struct:i8:1/
#                 ^
# argument 1:1:10: error: expected ':'
#     struct:i8
#              ^
# argument 2:1:8: error: '' is no type: i8 u8 i16 u16 i32 u32 i64 u64 f32 f64; nor one of: local struct packed buf rbuf wbuf hbuf img sampler
#     struct:
#            ^
# argument 3:1:11: error: 300 does not fit in i8
#     struct:i8:300
#               ^
# argument 4:1:17: error: expected ','
#     struct:f32x4:1,2
#                     ^
# t.cl: error: argument 0 (global int* size) is a pointer: buf:TYPE:COUNT, or u32:ADDRESS for an address of the device; it is given struct:i64:0
# groups
# arg0[0..6]: 4 4 4 4 3 3 3
# ventus run: error: -g 7 is no multiple of -l 4 in dimension 0; smaller last groups are allowed from OpenCL C 2.0 on (-B -cl-std=CL3.0)
# ventus run: error: -g 7 is no multiple of -l 4 in dimension 0; smaller last groups are allowed from OpenCL C 2.0 on (-B -cl-std=CL3.0)
# end
