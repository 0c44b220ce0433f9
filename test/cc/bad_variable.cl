// skip: ! test -e %b/ventus-cc1
// run: %b/ventus cc -o %t %s
// exit: 2
extern constant int c;
kernel void k(global int *a) { a[0] = c; }
// out:
// test/cc/bad_variable.cl:5:39: error: 'c' is not defined
//     kernel void k(global int *a) { a[0] = c; }
//                                           ^
// end
