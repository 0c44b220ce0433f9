# A fault in OpenCL C names the line, the calls that were inlined, the work-item and the buffer.
# skip: ! test -e %b/ventus-cc1
# run: B=%b T=%t sh %s

mkdir -p "$T" && cd "$T" || exit 1
case $B in /*) ;; *) B=$OLDPWD/$B ;; esac
cat >k.cl <<'END'
float far(global float *p, int i)
{
	return p[i + 1000000];
}
kernel void reads(global float *in, global float *out, int n)
{
    int g = get_global_id(0);
    if (g > n)
        out[g] = far(in, g) * 2.0f;
}
kernel void before(global int *p) { p[(int)get_local_id(1) - 2000] = 1; }
kernel void null(global int *p) { p[get_global_id(2)] = *p; }
kernel void some(global int *p, int n)
{
    if ((int)(get_local_id(1) * get_local_size(0) + get_local_id(0)) >= n)
        p[get_global_id(0)] = *p;
}
END
try() {
	"$B/ventus" run "$@" >out 2>&1
	status=$?
	grep -v '^  pc \|^  instruction \|^  active ' out
	echo "status $status"
}
try -k reads -g 64 -l 32 -a buf:f32:64 -a i32:0 -a i32:36 k.cl
try -k reads -g 64,2 -l 32,2 -a buf:f32:64 -a buf:f32:64 -a i32:36 k.cl
try -k before -g 4,2 -l 4,2 -a i32:0 k.cl
try -k before -g 4,2 -l 4,2 -a buf:i32:2 k.cl
try -k null -g 1 -a i32:0 k.cl
# a load for the whole warp: by which work-items
for n in 37 63; do
	try -k some --threads 32 -g 128 -l 64 -G 5 -a u32:0 -a i32:$n k.cl | grep work-item
	try -k some --threads 32 -g 16,8 -l 8,8 -a u32:0 -a i32:$n k.cl | grep work-item
done
# an image tells the same while its source is there
"$B/ventus" cc -o k.elf k.cl
try -k null -g 1 -a i32:0 k.elf | head -n 4
rm k.cl
try -k null -g 1 -a i32:0 k.elf | head -n 3
cd / && rm -rf "$T"

# out:
# k.cl: error: the kernel faulted: load from unmapped memory: 0x903d0994 (4 bytes)
#   at          k.cl:3:9 in far
#               return p[i + 1000000];
#                      ^
#   called at   k.cl:9:18 in reads
#               out[g] = far(in, g) * 2.0f;
#                        ^
#   address     3999892 bytes past the end of argument 0, 'in' (256 bytes)
#   kernel      reads
#   work-item   (37, 0, 0), in its group (5, 0, 0)
#   group       (1, 0, 0)
#   warp        0
#   lane        5
# status 1
# k.cl: error: the kernel faulted: load from unmapped memory: 0x903d0994 (4 bytes)
#   at          k.cl:3:9 in far
#               return p[i + 1000000];
#                      ^
#   called at   k.cl:9:18 in reads
#               out[g] = far(in, g) * 2.0f;
#                        ^
#   address     3995796 bytes past the end of argument 1, 'out' (256 bytes)
#   kernel      reads
#   work-item   (37, 0, 0), in its group (5, 0, 0)
#   group       (1, 0, 0)
#   warp        0
#   lane        5
# status 1
# k.cl: error: the kernel faulted: store to unmapped memory: 0xffffe0c0 (4 bytes)
#   at          k.cl:11:68 in before
#               kernel void before(global int *p) { p[(int)get_local_id(1) - 2000] = 1; }
#                                                                                  ^
#   kernel      before
#   work-item   (0, 0, 0), in its group (0, 0, 0)
#   group       (0, 0, 0)
#   warp        0
#   lane        0
# status 1
# k.cl: error: the kernel faulted: store to unmapped memory: 0x8fffe0c0 (4 bytes)
#   at          k.cl:11:68 in before
#               kernel void before(global int *p) { p[(int)get_local_id(1) - 2000] = 1; }
#                                                                                  ^
#   address     8000 bytes before argument 0, 'p' (8 bytes)
#   kernel      before
#   work-item   (0, 0, 0), in its group (0, 0, 0)
#   group       (0, 0, 0)
#   warp        0
#   lane        0
# status 1
# k.cl: error: the kernel faulted: load from unmapped memory: 0x00000000 (4 bytes)
#   at          k.cl:12:57 in null
#               kernel void null(global int *p) { p[get_global_id(2)] = *p; }
#                                                                       ^
#   address     next to the null pointer
#   kernel      null
#   work-item   (0, 0, 0), in its group (0, 0, 0)
#   group       (0, 0, 0)
#   warp        0
# status 1
#   work-items  27, (42, 0, 0) to (68, 0, 0), in their group (37, 0, 0) to (63, 0, 0)
#   work-items  27, (5, 4, 0) to (7, 7, 0), in their group (5, 4, 0) to (7, 7, 0)
#   work-item   (68, 0, 0), in its group (63, 0, 0)
#   work-item   (7, 7, 0), in its group (7, 7, 0)
# k.elf: error: the kernel faulted: load from unmapped memory: 0x00000000 (4 bytes)
#   at          k.cl:12:57 in null
#               kernel void null(global int *p) { p[get_global_id(2)] = *p; }
#                                                                       ^
# k.elf: error: the kernel faulted: load from unmapped memory: 0x00000000 (4 bytes)
#   at          k.cl:12:57 in null
#   address     next to the null pointer
