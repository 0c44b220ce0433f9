// Two calls of each function make 2^40 paths, which nobody may walk one by one.  A chain may have a kernel and 255
// functions, and a program any number of them.
// skip: ! test -e %b/ventus-cc1
// run: { for i in $(seq 40); do echo "__attribute__((noinline)) int f$i(int a) { volatile int b = a; return f$((i-1))(b) + f$((i-1))(b + 1); }"; done; } >%t.body
// run: { echo '__attribute__((noinline)) int f0(int a) { return a * a; }'; cat %t.body; echo 'kernel void k(global int *a) { a[0] = f40(a[1]); }'; } >%t.cl
// run: timeout 60 %b/ventus cc -o %t %t.cl
// run: for n in 255 256; do
// run:   awk -v n=$n 'BEGIN {
// run:     for (i = n; i > 0; i--) print "int f" i "(int);"
// run:     print "kernel void k(global int *a) { a[0] = f" n "(a[1]); }"
// run:     for (i = n; i > 0; i--)
// run:       print "__attribute__((noinline)) int f" i "(int a) { volatile int b = a; return " (i > 1 ? "f" i - 1 "(b) + b" : "b") "; }" }' >%t.cl
// run:   %b/ventus cc -o %t %t.cl 2>&1 | sed 's/^[^:]*://' | head -1
// run: done
// run: awk 'BEGIN {
// run:   for (i = 0; i < 300; i++) print "__attribute__((noinline)) int f" i "(int a) { volatile int b = a; return b; }"
// run:   print "kernel void k(global int *a) {"
// run:   for (i = 0; i < 300; i++) print "a[0] += f" i "(a[1]);"
// run:   print "}" }' >%t.cl
// run: %b/ventus cc -o %t %t.cl
// out:
// 513: error: calls are nested more than 256 deep
// end
