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
try cc -o x.elf forgot.cl
try run -g 1 -a buf:i32:1 forgot.cl
try run -g 1 -a 3 u.cl
try run -g 1 -a i32:3 -B -w u.cl
try run -g 1 undefined.s
try run -g 1 nokernel.s
printf '\t.kernel k\nk:\tli t0, 1\n' >noret.s
try run -g 1 noret.s | grep instruction
try cc -w -d oz:f -o x.elf u.cl
cd / && rm -rf "$T"

# out:
# u.cl: error: this is OpenCL C; `ventus cc' compiles it
# status 2
# u.cl: error: this is OpenCL C; `ventus cc -c' compiles it
# status 2
# u.cl:1:46: warning: variable 'x' is uninitialized when used here [-Wuninitialized]
# forgot.cl: warning: there is no kernel: write `kernel' before a function that returns void
# forgot.cl: error: it has no kernel: write `kernel' before a function that returns void
# status 2
# argument 0:1:1: error: a value needs its type, such as i32:3
#     3
#     ^
# status 2
# u.cl: error: argument 0 (global int* p) is a pointer: buf:TYPE:COUNT, or u32:ADDRESS for an address of the device; it is given i32:3
# status 2
# undefined.s: error: .text+0x0 in k: 'foo' is not defined
# status 2
# nokernel.s: error: it has no kernel: write `.kernel NAME' before the label where one starts
# status 2
# noret.s: error: the kernel faulted: illegal instruction
#   instruction 00000000  .word 0x00000000; is `ret' missing before it?
# error: 'z' in 'oz:f' names no view of the compiler; the letters are iousdplrm
# status 2
# end
