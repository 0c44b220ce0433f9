// What nobody defines is named where it is used.
// skip: ! test -e %b/ventus-cc1
// run: %b/ventus cc -o %t %s
// exit: 2
int f(int a);
kernel void k(global int *a) { a[0] = f(1); }
// out:
// test/cc/bad_names.cl:6:39: error: 'f' is not defined
//     kernel void k(global int *a) { a[0] = f(1); }
//                                           ^
// end
