# Every kind of argument of -a for every kind of parameter.  A row for each SPEC, a letter for each parameter of `all`:
# . it is taken, W with a warning of its bits, I with one that whole numbers fill floats, F that floats fill whole numbers;
# refused are S another size, P what is not for a pointer, V a buffer for a value, L what is not for local memory, N local
# memory for something else, G what is not for an image, D other dimensions, X an image for something else.
# skip: ! test -e %b/ventus-cc1
# run: B=%b T=%t sh %s

case $B in /*) ;; *) B=$PWD/$B ;; esac
mkdir -p "$T" && cd "$T" || exit 1
cat >k.cl <<'END'
typedef struct { int a; float b; } S;
kernel void all(char c, int n, uint2 w, float f, float4 v, ulong u, S s, global int *gi, constant float *cf, global S *gs,
                local int *l, read_only image1d_t i1, read_only image2d_t i2, write_only image3d_t i3,
                read_only image2d_array_t ia, sampler_t m) {}
kernel void pointers(global char *a, global uchar *b, global short *c, global ushort *d, global int *e, global uint *f,
                     global long *g, global ulong *h, global size_t *i, global int4 *j, global uchar16 *k, global float *l,
                     global float2 *m, global half *n, global S *o, global void *p) {}
kernel void images(read_only image1d_t a, read_only image2d_t b, write_only image3d_t c) {}
kernel void none(void) {}
kernel void one(global const float *restrict a) {}
kernel void two(constant int *x, local float4 *y) {}
END
"$B/ventus" cc -w -o k.elf k.cl || exit 1
row() { # KERNEL SPEC: for all
	set -- -k $1 -g 1 $(for i in $(seq 16); do printf '%s %s ' -a "$2"; done)
	"$B/ventus" run "$@" k.elf 2>&1 | awk '
		BEGIN { for (i = 0; i < 16; i++) got[i] = "." }
		/ is a value, not a buffer; / { x = "V" } / is a pointer: buf:TYPE:COUNT, or u32:ADDRESS for an address of the device; / { x = "P" }
		/ is local memory: local:BYTES; / { x = "L" } / is not local memory; / { x = "N" } / has [0-9]+ bytes; / { x = "S" }
		/ is an image: img:FILE or img:WxH\[:FORMAT\]; / { x = "G" } / has (one dimension|two dimensions|three dimensions): img:/ { x = "D" } / is no image; / { x = "X" }
		/warning: .* gets the bits of / { x = "W" } / holds floats, and .* fills and prints it with integers$/ { x = "I" }
		/ holds integers, and .* fills and prints it with floats$/ { x = "F" }
		!x || !match($0, /argument [0-9]+ /) { print; next }
		{ got[substr($0, RSTART + 9, RLENGTH - 10)] = x; x = "" }
		END { for (i = 0; i < 16; i++) printf "%s", got[i]; print "" }'
}
while read -r want spec kernel; do
	got=$(row "${kernel:-all}" "$spec")
	[ "$got" = "$want" ] || echo "$spec: $got, wanted $want"
	echo "$spec" >>specs
done <<'END'
S.SWSSSPPPLGGGG. i32:1
S.SWSSS...LGGGG. i32:0
S.SWSSS...LGGGG. u32:1
S.SWSSS...LGGGG. sampler:linear
SWS.SSSPPPLGGGG. f32:1
SS.SS..PPPLGGGGS u64:1
SS.SS..PPPLGGGGS u32x2:1
SSWSSW.PPPLGGGGS f32x2:1
SSSS.SSPPPLGGGGS f32x4:1
.SSSSSSPPPLGGGGS i8:1
SS.SS..PPPLGGGGS struct:i32:1/f32:2
VVVVVVV.I.LGGGGV buf:i32:4
VVVVVVVF..LGGGGV buf:f32:4
VVVVVVV.I.LGGGGV buf:u8:4
NNNNNNNNNN.GGGGN local:16
XXXXXXXXXXX.DDDX img:4
XXXXXXXXXXXD.DDX img:4x4
XXXXXXXXXXXDD..X img:4x4x2
FFFFFFFFFFF..... buf:f32:4 pointers
FFFFFFFFFFF..... buf:f64x2:4 pointers
...........II... buf:u16:4 pointers
END
wc -l <specs
said() { "$B/ventus" run -g 1 "$@" k.elf 2>&1; }
said -k none -a i32:1
said -k none -a i32:1 -a i32:2
said -k one
said -k two -a i32:0
said -k one -a local:4
said -k two -a buf:f32:4 -a i32:4
said -k images -a img:4x4 -a img:4 -a img:4
cd / && rm -rf "$T"

# out:
# 21
# k.elf: error: none takes 0 arguments, 1 is given: none()
# k.elf: error: none takes 0 arguments, 2 are given: none()
# k.elf: error: one takes 1 argument, 0 are given: one(global const float* a)
# k.elf: error: two takes 2 arguments, 1 is given: two(constant int* x, local float4* y)
# k.elf: error: argument 0 (global const float* a) is not local memory; it is given local:4
# k.elf: warning: argument 0 (constant int* x) holds integers, and buf:f32:4 fills and prints it with floats
# k.elf: error: argument 1 (local float4* y) is local memory: local:BYTES; it is given i32:4
# k.elf: error: argument 0 (image1d_t a) has one dimension: img:W[:FORMAT]; it is given img:4x4
# k.elf: error: argument 1 (image2d_t b) has two dimensions: img:WxH[:FORMAT] or img:FILE; it is given img:4
# k.elf: error: argument 2 (image3d_t c) has three dimensions: img:WxHxD[:FORMAT]; it is given img:4
# end
