// Functions that call each other are refused where the circle closes.
// skip: ! test -e %b/ventus-cc1
// run: %b/ventus cc -o %t %s
// exit: 2
int odd(int n);
int even(int n) { return n ? odd(n - 3) * n : 1; }
int odd(int n) { return n ? even(n - 5) + n : 0; }
kernel void k(global int *a) { a[0] = even(a[1]); }
// out:
// test/cc/bad_recursion.cl:7:29: error: recursion is not supported: 'even' calls itself
//     int odd(int n) { return n ? even(n - 5) + n : 0; }
//                                 ^
// end
