// Two calls of each function make 2^40 paths, which nobody may walk one by one.
// skip: ! test -e %b/ventus-cc1
// run: { for i in $(seq 40); do echo "__attribute__((noinline)) int f$i(int a) { volatile int b = a; return f$((i-1))(b) + f$((i-1))(b + 1); }"; done; } >%t.body
// run: { echo '__attribute__((noinline)) int f0(int a) { return a * a; }'; cat %t.body; echo 'kernel void k(global int *a) { a[0] = f40(a[1]); }'; } >%t.cl
// run: timeout 60 %b/ventus cc -o %t %t.cl
// out:
// end
