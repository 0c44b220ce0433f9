# Places of the source have the name that the user gave, whatever directory the compiler runs in.
# skip: ! test -e %b/ventus-cc1
# run: ventus=$PWD/%b/ventus
# run: rm -rf %t.d && mkdir -p %t.d/here %t.d/there && cd %t.d/here
# run: echo 'kernel void f(global int *x) { *x = 1; }' >../there/k.cl
# run: named() { "$ventus" cc -S -fverbose-asm -o - "$1" | grep -q "# $1:1\$"; }
# run: named "$PWD/../there/k.cl" && named ../there/k.cl && cd ../there && named k.cl && named "$PWD/k.cl"
