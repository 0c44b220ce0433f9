// A private object has the alignment of its type, also in functions that are called (OpenCL C, 6.3.5).
// skip: ! test -e %b/ventus-cc1
// run: %b/ventus run -g 4 -l 4 -a 'buf:u32:20>-' %s
#define OFFSET(type) volatile type x = 0; volatile uintptr_t p = (uintptr_t)&x; return p % sizeof x
__attribute__((noinline)) uint of_long16(void) { OFFSET(long16); }
__attribute__((noinline)) uint of_int16(int a) { volatile int y[3] = {a, a, a}; OFFSET(int16) + y[1]; }
__attribute__((noinline)) uint of_nested(int a) { volatile int8 y = a; return of_long16() + of_int16(0) + y.s3; }
kernel void offsets(global uint *out)
{
    volatile char c = 1;
    volatile int16 wide = 0;
    volatile uintptr_t p = (uintptr_t)&wide;
    out += get_global_id(0) * 5;
    out[0] = of_long16();
    out[1] = of_int16(0);
    out[2] = of_nested(0);
    out[3] = p % sizeof wide;
    out[4] = c;
}
// out:
// arg0[0..15]: 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 0
// arg0[16..19]: 0 0 0 1
// end
