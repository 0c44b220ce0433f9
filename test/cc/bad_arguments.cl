// skip: ! test -e %b/ventus-cc1
// run: %b/ventus cc -o %t %s
// exit: 2
typedef struct { int a[20000]; } Large;
kernel void k(global int *a, Large s) { a[0] = s.a[a[1]]; }
// out:
// test/cc/bad_arguments.cl:5: error: the arguments have more than 65536 bytes
//     kernel void k(global int *a, Large s) { a[0] = s.a[a[1]]; }
// end
