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

/* numbers that are wider than what is to be shown, and narrow ones of either sign */
kernel void narrow(global const int *x)
{
    const int v = x[get_global_id(0)];
    printf("%hx %hhx %hd %hhd %hu %hhu %ho %hho %hX %hhi\n", v, v, v, v, v, v, v, v, v, v);
    printf("%hx %hhx %hu %hhu %ho %hd\n", (short)v, (char)v, (short)v, (char)v, (char)v, (ushort)v);
    printf("%8hx|%-6hhd|%+hd|%#hho|%.4hhu|%0*hx\n", v, v, v, v, v, 6, v);
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

/* every length and size of vector, of elements of either sign */
kernel void vector_lengths(global const uint *x)
{
    const size_t i = get_global_id(0);
    const uint4 v = vload4(i, x);
    const uint8 w = (uint8)(v, v.yxwz * 3);
    printf("%v2hhx %v3hhd %v4hho %v8hhu %v16hhi\n", convert_char2(v.xy), convert_char3(v.xyz),
           convert_uchar4(v), convert_char8(w), convert_uchar16((uint16)(w, w)));
    printf("%v2hx %v3hd %v4ho %v8hu\n", convert_short2(v.xy), convert_short3(v.xyz),
           convert_ushort4(v), convert_short8(w));
    printf("%v2hlx %v3hld %v8hlo\n", v.xy, as_int3(v.xyz), w);
    printf("%v2lx %v3ld %v4lu\n", convert_ulong2(v.xy) << 20, convert_long3(as_int3(v.xyz)),
           convert_long4(v) * -1);
    printf("%6v2hd|%-5v2hhx|%#v2hlx\n", convert_short2(v.xy), convert_char2(v.xy), v.xy);
}

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
/* elements of 2, 4 and 8 bytes; scalars, which are promoted */
kernel void float_vectors(global const uint *x)
{
    const size_t i = get_global_id(0);
    const float4 v = convert_float4(vload4(i, x)) - 1000;
    const half4 h = convert_half4(v);
    printf("%v4hf|%6.2v4hf|%v2he|%v3hg|%v4ha\n", h, h, h.xy, h.xyz, h);
    printf("%v4hlf %v2lf %f %a\n", v, convert_double2(v.xy), h.x, h.y);
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
