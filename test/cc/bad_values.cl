// What the lowering does not know is an error, and never a number that is put in its place: what only a constant may
// be, what no program can be given. One program for each.
// skip: ! test -e %b/ventus-cc1
// run: for k in 1 2 3 4 5 6 7; do
// run:   for level in 0 2; do
// run:     %b/ventus cc -w -O$level -DK=$k -o %t %s && echo "$k is built"
// run:   done
// run: done 2>&1 | sed -n '/is built/p; s/.*: error: //p'
#if K == 1
__attribute__((const)) uint __ventus_csr(uint);
kernel void k(global uint *x) { x[0] = __ventus_csr(x[1]); }
#elif K == 2
__attribute__((const)) const constant uint *__ventus_arg(uint);
kernel void k(global uint *x) { x[0] = *__ventus_arg(x[1]); }
#elif K == 3
kernel void k(global uint *x) { if (x[0]) __builtin_trap(); }
#elif K == 4
kernel void k(global uint *x)
{
    __attribute__((aligned(512))) volatile uint y[4];
    y[x[0]] = 1;
    x[1] = y[x[2]];
}
#elif K == 5
kernel void k(global uint *x) { __asm__ volatile("nop %0" :: "r"(x[0])); }
#elif K == 6
kernel void k(global ushort *x) { __atomic_fetch_add(x, 5, __ATOMIC_RELAXED); }
#elif K == 7
kernel void k(global uint *x, global unsigned _BitInt(128) *y)
{
    y[0] = y[1] / y[2];
}
#endif
// out:
// the argument of '__ventus_csr' is not a constant
// the argument of '__ventus_csr' is not a constant
// the argument of '__ventus_arg' is not a constant
// the argument of '__ventus_arg' is not a constant
// a trap is not supported
// a trap is not supported
// a variable aligned to 512 bytes in private memory; 128 is the most
// a variable aligned to 512 bytes in private memory; 128 is the most
// assembly in a kernel is not supported
// assembly in a kernel is not supported
// an atomic access of 2 bytes at a multiple of 2
// an atomic access of 2 bytes at a multiple of 2
// a division of numbers of 128 bits
// a division of numbers of 128 bits
// end
