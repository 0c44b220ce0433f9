# What ventus cc and ventus run warn of without being asked, of mistakes that clang finds; -w and -Wno- silence it.
# skip: ! test -e %b/ventus-cc1
# run: B=%b T=%t sh %s

case $B in /*) ;; *) B=$PWD/$B ;; esac
mkdir -p "$T" && cd "$T" || exit 1
n=0
warns() { # NAME STATEMENTS: of this warning alone; once by cc, once by run, not where it is silenced
	n=$((n + 1))
	printf 'kernel void k(global int *p, int n)\n{\n    int a = 1;\n%b    p[0] = a;\n}\n' "$2" >k.cl
	for command in 'cc -o k.elf' 'run -g 1 -a buf:i32:1 -a i32:0'; do
		# shellcheck disable=SC2086
		is=$("$B/ventus" $command k.cl 2>&1 | grep -o ' warning: .*' | sed 's/.*\[/[/' | sort -u | xargs)
		[ "$is" = "[$1]" ] || echo "$1 of $command: $is"
	done
	for silence in -w "-Wno-${1#-W}"; do
		"$B/ventus" cc $silence -o k.elf k.cl 2>&1 | grep -q warning && echo "$1 with $silence"
	done
	"$B/ventus" run -B "-Wno-${1#-W}" -g 1 -a buf:i32:1 -a i32:0 k.cl 2>&1 | grep -q warning && echo "$1 of run with -Wno"
	"$B/ventus" cc -Werror -o k.elf k.cl 2>&1 | grep -q "error: .*${1#-W}\]\$" || echo "$1 with -Werror"
}
warns -Wuninitialized '    int b;\n    a = b;\n'
warns -Wsometimes-uninitialized '    int b;\n    if (n)\n        b = 2;\n    a = b;\n'
warns -Wself-assign '    a = a;\n'
warns -Wtautological-compare '    if (n == n)\n        a = 2;\n'
warns -Wfor-loop-analysis '    for (int i = 0; i < n;)\n        a++;\n'
warns -Wmisleading-indentation '    if (n)\n        a = 2;\n        p[0] = 3;\n'
printf 'int f(int x) { return f(x + 1); }\nkernel void k(global int *p) { *p = f(*p); }\n' >k.cl
"$B/ventus" cc -fsyntax-only k.cl 2>&1 | grep -o '\[-Winfinite-recursion\]$'
"$B/ventus" cc -w -fsyntax-only k.cl 2>&1 | grep warning
printf 'kernel void k(global int *p, int n) { if (n) p[0] = n; }\n' >k.cl
"$B/ventus" cc -o k.elf k.cl && "$B/ventus" run -g 1 -a buf:i32:1 -a i32:0 k.cl
[ $n = 6 ] || echo "only $n"
cd / && rm -rf "$T"

# out:
# [-Winfinite-recursion]
# end
