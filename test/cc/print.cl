// printf with every conversion.

kernel void integers(global const int *x)
{
    const int v = x[get_global_id(0)];
    printf("%d %i %u %x %X %o|%5d|%-5d|%05d|%+d|% d|%#x|%.4d\n", v, v, v, v, v, v, v % 100, v % 100,
           v % 100, v, v, v, v % 100);
}

kernel void sizes(global const long *x)
{
    const long v = x[get_global_id(0)];
    printf("%hhd %hd %ld %lu %lx %hhu %hx\n", (int)(char)v, (int)(short)v, v, v, v, (uint)(uchar)v,
           (uint)(ushort)v);
}

kernel void floats(global const float *x)
{
    const float v = x[get_global_id(0)];
    printf("%f %e %g %.2f %10.3f %-12.1e| %G %a\n", v, v, v, v, v, v, v, v);
}

kernel void texts(global const int *x)
{
    const int v = x[get_global_id(0)];
    printf("%c%c %s|%8s|%-8s|%.2s %% done\n", 'a' + (v & 15), 65, "text", "right", "left", "cut");
}

kernel void vectors(global const int4 *x, global const float2 *f)
{
    const size_t i = get_global_id(0);
    printf("%v4hld %v2hlf %v4hlx\n", x[i], f[i], x[i]);
}

kernel void small_vectors(global const uchar4 *c, global const short2 *s)
{
    const size_t i = get_global_id(0);
    printf("%v4hhu %v2hd\n", c[i], s[i]);
}

// some print, and not the same number of times
kernel void some(global const int *x)
{
    const size_t i = get_global_id(0);
    for (int k = 0; k < (x[i] & 3); k++)
        printf("%d of %d: %d\n", k, (int)i, x[i]);
    if (x[i] & 4)
        printf("plain\n");
}
