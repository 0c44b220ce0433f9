# What -a gives is compared with what the compiled kernel takes; without -l its own size of groups counts.
# skip: ! test -e %b/ventus-cc1
# run: B=%b T=%t sh %s

cat >"$T.cl" <<'END'
kernel void f(global const float *a, local int *b, int n, float4 v) {}
kernel __attribute__((reqd_work_group_size(4, 2, 1))) void g(global int *p)
{
    p[get_global_id(1) * get_global_size(0) + get_global_id(0)] = get_local_size(0) * 10 + get_local_size(1);
}
END
try() {
	"$B/ventus" run "$@" "$T.cl" 2>&1 | sed "s|^$T|t|"
}
A='-a buf:f32:4 -a local:16'
try -k f -a buf:f32:4
try -k f $A -a i32:1 -a f32x4:1,2,3,4
try -k f $A -a i64:1 -a f32x4:1,2,3,4
try -k f $A -a f32:1 -a f32x4:1,2,3,4
try -k f -a local:4 -a buf:i32:1 -a buf:i32:1 -a f32:1
try -k g -g 8,2 -l 8,1 -a buf:i32:16
try -k g -g 8,2 -a 'buf:i32:16>-:0:4'
rm -f "$T.cl"

# out:
# t.cl: error: f takes 4 arguments, 1 is given: f(global const float* a, local int* b, int n, float4 v)
# t.cl: error: argument 2 (int n) has 4 bytes; i64:1 has 8
# t.cl: warning: argument 2 (int n) gets the bits of f32:1
# t.cl: error: argument 0 (global const float* a) is not local memory; it is given local:4
# t.cl: error: argument 1 (local int* b) is local memory: local:BYTES; it is given buf:i32:1
# t.cl: error: argument 2 (int n) is a value, not a buffer; it is given buf:i32:1
# t.cl: error: argument 3 (float4 v) has 16 bytes; f32:1 has 4
# t.cl: error: g asks for groups of 4,2,1 work-items
# arg0[0..3]: 42 42 42 42
# end
