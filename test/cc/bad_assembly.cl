// skip: ! test -e %b/ventus-cc1
// run: %b/ventus cc -o %t %s
// exit: 2
kernel void k(global int *a) { __asm__ volatile("nop" : : "r"(a[0])); }
// out:
// test/cc/bad_assembly.cl:4:32: error: assembly in a kernel is not supported
//     kernel void k(global int *a) { __asm__ volatile("nop" : : "r"(a[0])); }
//                                    ^
// end
