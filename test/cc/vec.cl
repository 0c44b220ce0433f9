// Vectors: components, operators, conversions, relations.

#define ARITHMETIC(type)                                                                           \
    kernel void arith_##type(global const type *x, global const type *y, global type *out)         \
    {                                                                                              \
        const size_t i = get_global_id(0);                                                         \
        const type a = x[i], b = y[i];                                                             \
        out[3 * i] = a + b * a;                                                                    \
        out[3 * i + 1] = (a ^ b) | (a & ~b);                                                       \
        out[3 * i + 2] = (a << 3) - (b >> 1);                                                      \
    }
ARITHMETIC(int2)
ARITHMETIC(uint4)
ARITHMETIC(int8)
ARITHMETIC(uint16)
ARITHMETIC(char16)
ARITHMETIC(uchar4)
ARITHMETIC(short8)
ARITHMETIC(ushort2)
ARITHMETIC(long2)
ARITHMETIC(ulong4)

#define FLOATS(type)                                                                               \
    kernel void arith_##type(global const type *x, global const type *y, global type *out)         \
    {                                                                                              \
        const size_t i = get_global_id(0);                                                         \
        out[i] = (x[i] - y[i]) * 0.5f + -x[i] / (y[i] * y[i] + 1.0f);                              \
    }
#pragma OPENCL FP_CONTRACT OFF
FLOATS(float2)
FLOATS(float4)
FLOATS(float8)
FLOATS(float16)

kernel void swizzle(global const int4 *x, global int4 *out)
{
    const size_t i = get_global_id(0);
    int4 a = x[i], b;
    b.wzyx = a;
    b.xz += a.yw;
    b.lo = b.hi;
    b.odd ^= a.even;
    out[2 * i] = b;
    out[2 * i + 1] = (int4)(a.s3, b.s01, a.x).s1320;
}

kernel void swizzle16(global const uchar16 *x, global uchar16 *out)
{
    const size_t i = get_global_id(0);
    uchar16 a = x[i], r = a.sfedcba9876543210;
    r.s048c = a.s37bf;
    r.hi.lo = a.lo.hi;
    r.sA = a.s5;
    out[i] = r;
}

kernel void vec3(global const int *x, global int *out)
{
    const size_t i = get_global_id(0);
    int3 v = vload3(i, x);
    v = v.zxy * (int3)(1, 2, 3) + v.y;
    vstore3(v, i, out);
}

// A float3 in memory takes the room of a float4.
kernel void vec3_array(global const float3 *x, global float *out)
{
    const size_t i = get_global_id(0);
    out[i] = x[i].x + x[i].y * 2.0f + x[i].z * 4.0f + sizeof(float3);
}

kernel void relations(global const int4 *x, global const int4 *y, global int4 *out)
{
    const size_t i = get_global_id(0);
    const int4 a = x[i], b = y[i];
    out[4 * i] = a < b;
    out[4 * i + 1] = (a == b) | (a > (int4)0);
    out[4 * i + 2] = a < b ? a : b;
    out[4 * i + 3] = !a + (a && b) * 2 + (a || b) * 4;
}

kernel void float_relations(global const float4 *x, global const float4 *y, global int4 *out)
{
    const size_t i = get_global_id(0);
    const float4 a = x[i], b = y[i];
    out[6 * i] = a < b;
    out[6 * i + 1] = a <= b;
    out[6 * i + 2] = a == b;
    out[6 * i + 3] = a != b;
    out[6 * i + 4] = a >= b;
    out[6 * i + 5] = a > b;
}

kernel void converts(global const int4 *x, global char4 *c, global ushort4 *s, global long4 *l,
                     global uchar4 *sat)
{
    const size_t i = get_global_id(0);
    c[i] = convert_char4(x[i]);
    s[i] = convert_ushort4_sat(x[i]);
    l[i] = convert_long4(x[i]);
    sat[i] = convert_uchar4_sat(x[i]);
}

kernel void reinterpret(global const uint4 *x, global uint *out)
{
    const size_t i = get_global_id(0);
    const uint4 v = x[i];
    const ulong2 l = as_ulong2(v);
    const uchar16 b = as_uchar16(v);
    const short8 h = as_short8(v);
    out[4 * i] = (uint)(l.x >> 16) + (uint)l.y;
    out[4 * i + 1] = b.s3 * 256u + b.sf;
    out[4 * i + 2] = h.s1 * h.s6;
    out[4 * i + 3] = as_uint(as_float(v.x)) ^ as_uint(as_uchar4(v.y).wzyx);
}

kernel void dynamic_component(global const int *x, global int *out)
{
    const size_t i = get_global_id(0);
    int v[8];
    vstore8(vload8(i, x), 0, v);
    int sum = 0;
    for (int k = 0; k < 8; k++)
        sum = sum * 3 + v[(k * 5 + i) & 7];
    out[i] = sum;
}

kernel void loads(global const short *x, global short *out)
{
    const size_t i = get_global_id(0);
    const short2 a = vload2(i, x + 1);
    const short4 b = vload4(i, x);
    const short16 c = vload16(0, x + i);
    vstore4((short4)(a, b.hi) + c.s048c, i, out);
}

kernel void construct(global const int *x, global int8 *out)
{
    const size_t i = get_global_id(0);
    const int2 p = (int2)(x[i], 7);
    const int4 q = (int4)(p, p.yx);
    out[i] = (int8)(q, x[i] + 1, q.yzw) + (int8)(1);
}

// select takes the sign of each component, or truth of a scalar
kernel void selects(global const int4 *x, global const int4 *y, global int4 *out)
{
    const size_t i = get_global_id(0);
    const int4 a = x[i], b = y[i];
    out[3 * i] = select(a, b, a > b);
    out[3 * i + 1] = select(a, b, a);
    out[3 * i + 2] = (int4)(any(a > b), all(a > b), select(a.x, b.x, b.y), any(a));
}

kernel void shuffles(global const uint4 *x, global const uint4 *y, global uint4 *out)
{
    const size_t i = get_global_id(0);
    out[2 * i] = shuffle(x[i], (uint4)(3, 0, 2, 2));
    out[2 * i + 1] = shuffle2(x[i], y[i], y[i]);
}
