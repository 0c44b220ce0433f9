// Builtin functions of every group.
#pragma OPENCL FP_CONTRACT OFF

#define INTEGERS(type)                                                                             \
    kernel void integers_##type(global const type *x, global const type *y, global type *out)      \
    {                                                                                              \
        const size_t i = get_global_id(0);                                                         \
        const type a = x[i], b = y[i];                                                             \
        global type *o = out + 14 * i;                                                             \
        o[0] = (type)abs(a);                                                                       \
        o[1] = (type)abs_diff(a, b);                                                               \
        o[2] = add_sat(a, b);                                                                      \
        o[3] = sub_sat(a, b);                                                                      \
        o[4] = hadd(a, b);                                                                         \
        o[5] = rhadd(a, b);                                                                        \
        o[6] = clamp(a, (type)3, (type)100);                                                       \
        o[7] = clz(a);                                                                             \
        o[8] = mad_hi(a, b, a);                                                                    \
        o[9] = max(a, b);                                                                          \
        o[10] = min(a, b);                                                                         \
        o[11] = mul_hi(a, b);                                                                      \
        o[12] = rotate(a, b);                                                                      \
        o[13] = popcount(a);                                                                       \
    }
INTEGERS(char)
INTEGERS(uchar)
INTEGERS(short)
INTEGERS(ushort)
INTEGERS(int)
INTEGERS(uint)
INTEGERS(long)
INTEGERS(ulong)

kernel void integer_vectors(global const int4 *x, global const int4 *y, global int4 *out)
{
    const size_t i = get_global_id(0);
    out[4 * i] = add_sat(x[i], y[i]);
    out[4 * i + 1] = max(x[i], y[i]) - min(x[i], 5);
    out[4 * i + 2] = rotate(x[i], y[i]) ^ clz(x[i]) ^ mul_hi(x[i], y[i]);
    out[4 * i + 3] = convert_int4(abs(x[i])) + mad24(x[i] & 0xffff, y[i] & 0xffff, x[i]);
}

kernel void integer_24(global const int *x, global int *out)
{
    const size_t i = get_global_id(0);
    const int a = x[i] >> 8, b = a ^ 0x155;
    out[3 * i] = mul24(a, b);
    out[3 * i + 1] = mad24(a, b, x[i]);
    out[3 * i + 2] = (int)mul24((uint)a & 0xffffff, (uint)b & 0xffffff);
}

kernel void mad_saturated(global const int *x, global const int *y, global int *out)
{
    const size_t i = get_global_id(0);
    out[2 * i] = mad_sat(x[i], y[i], x[i]);
    out[2 * i + 1] = (int)mad_sat((uint)x[i], (uint)y[i], 7u);
}

kernel void upsampled(global const uchar *x, global uint *out)
{
    const size_t i = get_global_id(0);
    const ushort h = upsample(x[4 * i], x[4 * i + 1]);
    out[i] = upsample(h, upsample(x[4 * i + 2], x[4 * i + 3]));
}

kernel void exact_floats(global const float *x, global const float *y, global float *out)
{
    const size_t i = get_global_id(0);
    const float a = x[i], b = y[i];
    global float *o = out + 12 * i;
    o[0] = fabs(a);
    o[1] = floor(a);
    o[2] = ceil(a);
    o[3] = trunc(a);
    o[4] = rint(a);
    o[5] = round(a);
    o[6] = fma(a, b, a);
    o[7] = copysign(a, b);
    o[8] = fmin(a, b);
    o[9] = fmax(a, b);
    o[10] = a * b + a;
    o[11] = sign(a);
}

kernel void float_compares(global const float *x, global const float *y, global int *out)
{
    const size_t i = get_global_id(0);
    const float a = x[i], b = y[i];
    out[i] = isequal(a, b) | isnotequal(a, b) << 1 | isless(a, b) << 2 | islessequal(a, b) << 3 |
             isgreater(a, b) << 4 | isgreaterequal(a, b) << 5 | islessgreater(a, b) << 6 |
             isfinite(a) << 7 | isinf(a) << 8 | isnan(a) << 9 | isnormal(a) << 10 |
             isordered(a, b) << 11 | isunordered(a, b) << 12 | signbit(a) << 13 | (a < b) << 14 |
             !(a >= b) << 15;
}

kernel void bits(global const uint *x, global const uint *y, global const uint *z, global uint *out)
{
    const size_t i = get_global_id(0);
    out[i] = bitselect(x[i], y[i], z[i]) ^ as_uint(bitselect(as_float(y[i]), as_float(x[i]), as_float(z[i])));
}

kernel void float_to_int(global const float *x, global int *out)
{
    const size_t i = get_global_id(0);
    const float a = x[i];
    global int *o = out + 10 * i;
    o[0] = (int)a;
    o[1] = convert_int_rte(a);
    o[2] = convert_int_rtp(a);
    o[3] = convert_int_rtn(a);
    o[4] = convert_int_sat(a * 100000000.0f);
    o[5] = convert_uint_sat(a * 100000000.0f);
    o[6] = convert_char_sat(a);
    o[7] = convert_uchar_sat_rte(a);
    o[8] = (int)((long)(a * 1e12f) >> 20);
    o[9] = convert_short_sat_rtz(a * 1000.0f);
}

kernel void int_to_float(global const long *x, global float *out)
{
    const size_t i = get_global_id(0);
    const long a = x[i];
    global float *o = out + 8 * i;
    o[0] = (float)(int)a;
    o[1] = (float)(uint)a;
    o[2] = (float)a;
    o[3] = (float)(ulong)a;
    o[4] = convert_float_rtz((int)a);
    o[5] = convert_float_rtp((int)a);
    o[6] = convert_float_rtn((int)a);
    o[7] = (float)(char)a + (float)(ushort)a;
}

kernel void roots(global const float *x, global const float *y, global float *out)
{
    const size_t i = get_global_id(0);
    out[2 * i] = x[i] / y[i];
    out[2 * i + 1] = sqrt(fabs(x[i]));
}

kernel void scaled(global const float *x, global float *out, global int *e)
{
    const size_t i = get_global_id(0);
    int k;
    float whole;
    out[4 * i] = frexp(x[i], &k);
    out[4 * i + 1] = ldexp(x[i], k - 3);
    out[4 * i + 2] = modf(x[i], &whole);
    out[4 * i + 3] = whole;
    e[2 * i] = k;
    e[2 * i + 1] = ilogb(x[i] + 1000.0f);
}

// functions with a second result: vectors of every width, wherever the second result goes, do what scalars do
#define AT(f, P, n, space, place)                                                                  \
    {                                                                                              \
        space P##n *p = (space P##n *)(place);                                                     \
        const float##n r = f(vload##n(0, x + i), p);                                               \
        const P##n second = *p;                                                                    \
        for (int k = 0; k < n; k++) {                                                              \
            P one;                                                                                 \
            bad += as_uint(r[k]) != as_uint(f(x[i + k], &one)) || second[k] != one;                \
        }                                                                                          \
    }
#define WIDTHS(f, P, space, place)                                                                 \
    AT(f, P, 2, space, place) AT(f, P, 3, space, place) AT(f, P, 4, space, place)                  \
    AT(f, P, 8, space, place) AT(f, P, 16, space, place)

kernel void second_results(global const float *x, global float *room, global uint *wrong, local float *shared)
{
    const size_t i = get_global_id(0), l = get_local_id(0);
    uint bad = 0;
    WIDTHS(fract, float, global, room + 16 * i)
    WIDTHS(modf, float, local, shared + 16 * l)
    WIDTHS(frexp, int, global, room + 16 * i)
    WIDTHS(frexp, int, local, shared + 16 * l)
    float2 cosines;
    float cosine;
    int sign;
    const float2 sines = sincos((float2)(x[i], x[i + 1]), &cosines);
    const float sine = sincos(x[i], &cosine), g = lgamma_r(x[i], &sign);
    bad += as_uint(sine) != as_uint(sin(x[i])) || as_uint(cosine) != as_uint(cos(x[i]));
    bad += as_uint(sines.x) != as_uint(sine) || as_uint(cosines.x) != as_uint(cosine);
    bad += as_uint(sines.y) != as_uint(sin(x[i + 1])) || as_uint(cosines.y) != as_uint(cos(x[i + 1]));
    bad += as_uint(g) != as_uint(lgamma(x[i]));
    wrong[2 * i] = bad;
    wrong[2 * i + 1] = sign;
    for (int k = 0; k < 16; k++)
        room[16 * i + k] = 0;
}

kernel void transcendent(global const float *x, global const float *p, global float *out)
{
    const size_t i = get_global_id(0);
    global float *o = out + 12 * i;
    o[0] = sin(x[i]);
    o[1] = cos(x[i]);
    o[2] = exp(x[i] * 0.25f);
    o[3] = log(p[i]);
    o[4] = exp2(x[i]);
    o[5] = log2(p[i]);
    o[6] = atan(x[i]);
    o[7] = asin(p[i]);
    o[8] = tanh(x[i]);
    o[9] = cbrt(x[i]);
    o[10] = log10(p[i]);
    o[11] = acos(p[i]);
}

kernel void powers(global const float *p, global const float *x, global float *out)
{
    const size_t i = get_global_id(0);
    out[4 * i] = pow(p[i], x[i]);
    out[4 * i + 1] = atan2(x[i], p[i]);
    out[4 * i + 2] = hypot(x[i], p[i]);
    out[4 * i + 3] = fmod(x[i], p[i]);
}

kernel void geometry(global const float4 *x, global const float4 *y, global float *out)
{
    const size_t i = get_global_id(0);
    const float4 a = x[i], b = y[i];
    out[4 * i] = dot(a, b);
    out[4 * i + 1] = cross(a, b).y + 4.0f; // so that what cancels is small
    out[4 * i + 2] = length(a);
    out[4 * i + 3] = distance(a.xy, b.zw);
}

// of elements that may be far apart
kernel void normalized(global const float4 *x, global float4 *out)
{
    const size_t i = get_global_id(0);
    out[i] = all(isfinite(x[i])) ? normalize(x[i]) : 0;
}

// angles that the half_ functions need not know: sine and cosine stay what they can be
kernel void half_angles(global const float *x, global int *out)
{
    const size_t i = get_global_id(0);
    out[i] = isfinite(x[i]) ? fabs(half_sin(x[i])) <= 1.001f && fabs(half_cos(x[i])) <= 1.001f
                            : isnan(half_sin(x[i])) && isnan(half_cos(x[i]));
}

// in half turns they are known exactly
kernel void exact_angles(global const float *x, global float *out)
{
    const size_t i = get_global_id(0);
    const float a = x[i] > 0 ? x[i] : INFINITY;
    out[8 * i] = atan2pi(a, a);
    out[8 * i + 1] = atan2pi(-a, a);
    out[8 * i + 2] = atan2pi(a, -a);
    out[8 * i + 3] = atan2pi(-a, -a);
    out[8 * i + 4] = atan2pi(INFINITY, isinf(a) ? 1.0f : a);
    out[8 * i + 5] = atanpi(-INFINITY) - atanpi(a > 2 ? 1.0f : -1.0f);
    out[8 * i + 6] = asinpi(a > 2 ? 1.0f : -1.0f);
    out[8 * i + 7] = acospi(a > 2 ? 1.0f : -1.0f);
}

kernel void common_functions(global const float *x, global const float *y, global float *out)
{
    const size_t i = get_global_id(0);
    out[6 * i] = clamp(x[i], -1.0f, 2.0f);
    out[6 * i + 1] = max(x[i], y[i]);
    out[6 * i + 2] = step(x[i], y[i]);
    out[6 * i + 3] = mix(x[i], y[i], 0.25f);
    out[6 * i + 4] = smoothstep(-50.0f, 50.0f, x[i]);
    out[6 * i + 5] = degrees(radians(x[i]));
}

kernel void float_vectors(global const float8 *x, global const float8 *y, global float8 *out)
{
    const size_t i = get_global_id(0);
    out[2 * i] = floor(x[i]) + fmax(x[i], y[i]) - fabs(y[i]);
    out[2 * i + 1] = fma(x[i], y[i], (float8)(1.0f)) + clamp(x[i], -3.0f, 3.0f);
}
