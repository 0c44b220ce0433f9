# Mistakes of the first hour get a message that says what to do.
# skip: ! test -e %b/ventus-cc1
# run: B=%b T=%t sh %s

mkdir -p "$T" && cd "$T" || exit 1
try() {
	"$B/ventus" "$@" 2>&1
	status=$?
	[ $status -eq 0 ] || echo "status $status"
}
case $B in /*) ;; *) B=$OLDPWD/$B ;; esac
echo 'kernel void f(global int *p) { int x; p[0] = x; }' >u.cl
echo 'void f(global int *p) { p[0] = 1; }' >forgot.cl
printf '\t.kernel k\nk:\tcall foo\n\tendprg\n' >undefined.s
printf 'a:\tret\nb:\tret\n' >nokernel.s
try as u.cl
try ld -o x.elf u.cl
try cc -o x.elf u.cl | head -n 1
try cc -w -o x.elf u.cl
# a local variable that one work-item writes for all is no mistake; the same of a private one is
cat >local.cl <<'END'
kernel void f(global int *p)
{
    local int a;
    __local float b;
    int local_c;
    if (!get_local_id(0)) {
        a = p[0];
        b = 1;
        local_c = 2;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    p[get_global_id(0)] = a + (int)b + local_c;
}
END
try cc -o x.elf local.cl | grep warning:
try cc -o x.elf forgot.cl
try run -g 1 -a buf:i32:1 forgot.cl
try run -g 1 -a 3 u.cl
try run -g 1 -a i32:3 -B -w u.cl
try run -g 1 undefined.s
try run -g 1 nokernel.s
# names that nothing defines, in OpenCL C: at once, and when objects are linked
printf 'int foo(int x);\nkernel void k(global int *p) { p[0] = foo(1); }\n' >undefined.cl
try cc undefined.cl
try cc -c undefined.cl
try ld -o x.elf undefined.o
try cc -w -o x.elf forgot.cl >/dev/null && try run -g 1 -a buf:i32:1 x.elf
try cc -Wunintialized -fsyntax-only undefined.cl
# a private store that is given an address of a buffer
printf '\t.kernel k\nk:\tlw t0, 0(a0)\n\tvmv.v.x v1, t0\n\tvsw.v v1, 0(v1)\n\tret\n' >private.s
try run --strict -g 4 -a buf:i32:4 private.s | grep -v '^  [^a]\|active\|^    '
try run --check=bounds -g 4 -a buf:i32:4 private.s | head -n 1
# a return after a call that ra was not saved from
printf '\t.kernel k\nk:\tcall f\n\tret\nf:\tret\n' >call.s
try as call.s
printf '\t.kernel k\nk:\tli t0, 1\n' >noret.s
try run -g 1 noret.s | grep -v '^  [^i]'
try cc -w -d oz:f -o x.elf u.cl
try cc -w -d o:nobody -o x.elf u.cl
# kernels and arguments
cat >two.cl <<'END'
kernel void first(global float *p) { p[get_global_id(0)] = 1; }
kernel void second(global int *p, int n) { p[get_global_id(0) + n] = 2; }
END
try run -g 1 two.cl
try run -g 1 -k secnd two.cl
try run -g 1 -k third two.cl
try run -g 4 -k first -a buf:int:4 two.cl
try run -g 4 -k first -a 'buf:i32:4>-' two.cl
try run -g 4 -k first -a buf:f32:4 -a i32:0 two.cl
try run -g 4096 -l 4096 -k first -a buf:f32:4096 two.cl
# stores behind the end of a buffer, on its last page
try run -g 4 -k second -a buf:i32:4 -a i32:0 two.cl
try run -g 4 -k second -a buf:i32:4 -a i32:1 two.cl
# options, files, headers
try run --bonds two.cl
try run -threads 8 two.cl
try run --kernel=first -B --bonds -a buf:f32:1 two.cl
try two.cl
echo 'int main(void) { return 0; }' >host.c
try run host.c
try ld u.cl
try objdump u.cl
printf '#include <stdio.h>\nkernel void f(global int *p) { *p = 1; }\n' >header.cl
try run header.cl
printf '#include <stdint.h>\nkernel void f(global int *p) { *p = INT32_MAX; }\n' >sizes.cl
try run -a 'buf:i32:1>-' sizes.cl
cd / && rm -rf "$T"

# out:
# u.cl: error: this is OpenCL C; `ventus cc' compiles it
# status 2
# u.cl: error: this is OpenCL C; `ventus cc -c' compiles it
# status 2
# u.cl:1:46: warning: variable 'x' is uninitialized when used here [-Wuninitialized]
# local.cl:6:9: warning: variable 'local_c' is used uninitialized whenever 'if' condition is false [-Wsometimes-uninitialized]
# forgot.cl: warning: there is no kernel: write `kernel' before a function that returns void
# forgot.cl: error: it has no kernel: write `kernel' before a function that returns void
# status 2
# argument 0:1:1: error: a value needs its type, such as i32:3
#     3
#     ^
# status 2
# u.cl: error: argument 0 (global int* p) is a pointer: buf:TYPE:COUNT, or u32:ADDRESS for an address of the device; it is given i32:3
# status 2
# undefined.s:2:4: error: 'foo' is not defined
#     k:	call foo
#       	^
# status 2
# nokernel.s: error: it has no kernel: write `.kernel NAME' before the label where one starts
# status 2
# undefined.cl:2:39: error: 'foo' is not defined
#     kernel void k(global int *p) { p[0] = foo(1); }
#                                           ^
# status 2
# undefined.cl:2:39: error: 'foo' is not defined
#     kernel void k(global int *p) { p[0] = foo(1); }
#                                           ^
# status 2
# x.elf: error: it has no kernel: write `kernel' before a function of OpenCL C, `.kernel NAME' before a label in assembly
# status 2
# warning: unknown warning option '-Wunintialized'; did you mean '-Wuninitialized'? [-Wunknown-warning-option]
# private.s: error: the kernel faulted: access beyond the private memory of the lane: 0x90000000 (4 bytes)
#   at          private.s:4:2
#   address     byte 0 of argument 0 (16 bytes); this takes offsets into private memory; the addresses of buffers are for `vlw12.v' and `vsw12.v'
# status 1
# private.s:4:2: error: bounds: store of 4 bytes at 0x90000000 of private memory, of which a work-item has 4096 bytes; the addresses of buffers are for `vlw12.v' and `vsw12.v'
# call.s:3:2: warning: a call before this has overwritten ra, which nothing saved: this returns behind that call, for ever
#     	ret
#     	^
# noret.s:2:4: warning: 'k' ends here without `ret': what stands behind it is executed next
# noret.s: error: the kernel faulted: illegal instruction
#   instruction 00000000  .word 0x00000000; is `ret' missing before it?
# status 1
# error: 'z' in 'oz:f' (-d, VENTUS_DUMP) names no view of the compiler; the letters are iousdplrm
# status 2
# warning: there is no function 'nobody' to show; there are: f
# two.cl: error: it has 2 kernels, -k says which: first, second
# status 2
# two.cl: error: no kernel 'secnd'; did you mean 'second'?
# status 2
# two.cl: error: no kernel 'third'; it has first, second
# status 2
# argument 0:1:5: error: the type int of OpenCL C is i32 here
#     buf:int:4
#         ^
# status 2
# two.cl: warning: argument 0 (global float* p) holds floats, and buf:i32:4>- fills and prints it with integers
# arg0[0..3]: 1065353216 1065353216 1065353216 1065353216
# two.cl: error: first takes 1 argument, 2 are given: first(global float* p)
# status 2
# two.cl: error: the sizes of the launch cannot be: a work-group of more than 2048 work-items, the most that machine 'default' takes
# status 2
# two.cl: warning: argument 0, buf:i32:4: the kernel wrote behind its end, at byte 16; --check says where
# ventus run: unrecognized option '--bonds'; did you mean '--bounds'?
# Try `ventus run --help' or `ventus run --usage' for more information.
# status 2
# ventus run: unrecognized option '-threads'; did you mean '--threads'?
# Try `ventus run --help' or `ventus run --usage' for more information.
# status 2
# build options: error: '--bonds': no such option
# status 2
# ventus: error: no command 'two.cl'; to run that file: ventus run two.cl
# Try `ventus --help' for a list.
# status 2
# host.c: error: this is a program for the host; kernels are in OpenCL C (.cl)
# status 2
# u.cl: error: this is OpenCL C; `ventus cc -c' compiles it
# status 2
# u.cl: error: this is OpenCL C; `ventus cc' compiles it
# status 2
# header.cl:1:10: fatal error: 'stdio.h' file not found
#     1 | #include <stdio.h>
#       |          ^~~~~~~~~
# note: OpenCL C has no C library: printf, the mathematical functions and the types are built in
# status 2
# arg0[0..0]: 2147483647
# end
