// Kernels that other kernels call: with a structure of their own, as their last argument; with no arguments.
// skip: ! test -e %b/ventus-cc1
// run: %b/ventus run -k outer -g 1 -l 1 -a 'buf:i32:4>-' -a i32:1 %s
// run: %b/ventus run -k outer -g 1 -l 1 -a 'buf:i32:4=2,0,0,0>-' -a i32:1 %s
typedef struct { int a[4]; } S;
kernel void last(global int *o, S s)
{
    s.a[o[0] & 3] += 5;
    o[1] += s.a[0] + s.a[1] * 10 + s.a[2] * 100 + s.a[3] * 1000;
}
kernel void none() { }
kernel void outer(global int *o, int n)
{
    S s = {{n, n + 1, n + 2, n + 3}};
    last(o, s);
    last(o, s);
    none();
    o[2] = s.a[o[0] & 3];
}
// out:
// arg0[0..3]: 0 8652 1 0
// arg0[0..3]: 2 9642 3 0
// end
