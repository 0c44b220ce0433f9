# Sources and options that want to hurt: each ends in a message.
# skip: ! test -e %b/ventus-cc1
# run: b=%b t=%t sh %s
# out:
# 0 
# 2 error: bracket nesting level exceeded maximum of 256
# 2 error: clang was ended
# 2 error: source file is not valid UTF-8
# 2 error: extraneous closing brace ('}')
# 0 
# 0 
# 0 
# 2 error: '-cl-std=CL9': the language is CL1.0, CL1.1, CL1.2, CL2.0 or CL3.0
# 2 error: '-O7': the levels are -O0 to -O3
# 2 error: integer literal is too large to be represented in any integer type
# 0 
# 2 error: '-D' needs a value
# end
export VENTUS_CACHE=0
cc() { "$b/ventus" cc -o "$t" "$@" >"$t.out" 2>&1; echo "$? $(grep -m1 -o 'error: .*' "$t.out")"; }
many() { awk -v s="$1" -v n="$2" 'BEGIN { while (n--) printf "%s", s }'; }

: >"$t.cl"
cc "$t.cl"
{ printf 'kernel void k(global int *a) { a[0] = '; many '(' 10000; printf 1; many ')' 10000; echo '; }'; } >"$t.cl"
cc "$t.cl"
{ printf 'kernel void k(global int *a) { a[0] = '; many '~-' 20000; echo 'a[1]; }'; } >"$t.cl"
cc "$t.cl" | sed 's/clang was ended ([A-Za-z ]*).*/clang was ended/'
printf 'kernel void k\377(global int *a) { a[0] = 1; }\n' >"$t.cl"
cc "$t.cl"

echo 'kernel void k(global int *a) { a[0] = X; }' >"$t.cl"
cc "-DX=1; }" "$t.cl"
cc -D "X=(1 + 2)" "$t.cl"
cc -DX=1 "-I
" "$t.cl"
cc -DX=1 -I @/etc/passwd "$t.cl"
cc -cl-std=CL9 "$t.cl"
cc -O7 "$t.cl"
cc "-DX=$(many 9 100000)" "$t.cl"
cc "-W@x" -DX=1 "$t.cl"
# an option at the end, whose value is not there
: >"$t.cl"
cc "$t.cl" -D
