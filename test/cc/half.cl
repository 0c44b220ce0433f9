// Arithmetic with half: every half through every function of one argument, operations on two and three, conversions.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

// --- functions of one argument: out[h] for each of the 65536 halves ---------------------------------------------

#define ONE(f) kernel void every_##f(global float *out) { const uint i = get_global_id(0); out[i] = f(as_half((ushort)i)); }
ONE(acos) ONE(acosh) ONE(acospi) ONE(asin) ONE(asinh) ONE(asinpi) ONE(atan) ONE(atanh) ONE(atanpi) ONE(cbrt) ONE(ceil)
ONE(cos) ONE(cosh) ONE(cospi) ONE(erf) ONE(erfc) ONE(exp) ONE(exp10) ONE(exp2) ONE(expm1) ONE(fabs) ONE(floor)
ONE(lgamma) ONE(log) ONE(log10) ONE(log1p) ONE(log2) ONE(logb) ONE(rint) ONE(round) ONE(rsqrt) ONE(sin) ONE(sinh)
ONE(sinpi) ONE(sqrt) ONE(tan) ONE(tanh) ONE(tanpi) ONE(tgamma) ONE(trunc) ONE(degrees) ONE(radians) ONE(sign)

// one NaN for all
half plain(half x) { return x != x ? as_half((ushort)0x7e00) : x; }
int bits(half x) { return as_ushort(plain(x)); }

// --- arithmetic --------------------------------------------------------------------------------------------------

kernel void arithmetic(global const half *x, global const half *y, global const half *z, global half *out)
{
    const uint i = get_global_id(0);
    const half a = x[i], b = y[i], c = z[i];
    global half *o = out + 10 * i;
    o[0] = plain(a + b);
    o[1] = plain(a - b);
    o[2] = plain(a * b);
    o[3] = plain(a / b);
    o[4] = plain(fma(a, b, c));
    o[5] = plain(fma(a, b, -a));
    o[6] = plain(-a);
    o[7] = plain(sqrt(c));
    o[8] = plain(fmod(a, b));
    o[9] = plain(a + 1.5h);
}

// near each other, so that sums cancel, products tie and quotients are near 1
kernel void near(global const ushort *x, global const ushort *y, global half *out)
{
    const uint i = get_global_id(0);
    const half a = as_half((ushort)(x[i] & 0x83ff | 0x3800 + (x[i] >> 3 & 0xc00)));
    const half b = as_half((ushort)(y[i] & 0x83ff | 0x3800 + (y[i] >> 3 & 0xc00)));
    global half *o = out + 6 * i;
    o[0] = plain(a + b);
    o[1] = plain(a * b);
    o[2] = plain(a / b);
    o[3] = plain(fma(a, b, -as_half((ushort)(x[i] & 0x3ff | 0x3800))));
    o[4] = plain(fma(a, b, 0x1.0p-20h));
    o[5] = plain(fma(a, b, as_half((ushort)(y[i] & 0x83ff))));
}

kernel void compares(global const half *x, global const half *y, global uint *out)
{
    const uint i = get_global_id(0);
    const half a = i % 3 ? x[i] : y[i], b = y[i];
    out[i] = (a < b) | (a <= b) << 1 | (a > b) << 2 | (a >= b) << 3 | (a == b) << 4 | (a != b) << 5 |
             isordered(a, b) << 6 | isnan(a) << 7 | isinf(a) << 8 | isfinite(a) << 9 | isnormal(a) << 10 |
             signbit(a) << 11 | islessgreater(a, b) << 12 | (a != 0) << 13;
}

kernel void functions_of_two(global const half *x, global const half *y, global half *out, global float *about)
{
    const uint i = get_global_id(0);
    const half a = x[i], b = y[i];
    global half *o = out + 7 * i;
    o[0] = plain(fmax(a, b) + 0.0h); // of 0 and -0 either
    o[1] = plain(fmin(a, b) + 0.0h);
    o[2] = plain(copysign(a, b));
    o[3] = plain(nextafter(a, b));
    o[4] = plain(fdim(a, b));
    o[5] = plain(ldexp(a, as_short(b) % 30));
    o[6] = plain(remainder(a, b));
    about[4 * i] = hypot(a, b);
    about[4 * i + 1] = atan2(a, b);
    about[4 * i + 2] = pow(a, b);
    about[4 * i + 3] = powr(fabs(a), b);
}

// second results, as bits of two halves or as integers
kernel void two_results(global const half *x, global const half *y, global int *out)
{
    const uint i = get_global_id(0);
    global int *o = out + 8 * i;
    half whole, down, cosine;
    int e = 0, q = 0;
    o[0] = bits(modf(x[i], &whole)) | bits(whole) << 16;
    o[1] = bits(fract(x[i], &down)) | bits(down) << 16;
    o[2] = bits(frexp(x[i], &e));
    o[3] = isfinite(x[i]) ? e : 0;
    o[4] = bits(remquo(x[i], y[i], &q));
    o[5] = isfinite(x[i]) && isfinite(y[i]) && y[i] != 0 ? abs(q) & 7 : 0;
    o[6] = ilogb(x[i]);
    o[7] = bits(sincos(x[i], &cosine)) == bits(sin(x[i])) && bits(cosine) == bits(cos(x[i]));
}

// --- conversions ------------------------------------------------------------------------------------------------

#define FROM(name, S) \
    kernel void from_##name(global const S *x, global half *out) \
    { \
        const uint i = get_global_id(0); \
        global half *o = out + 6 * i; \
        o[0] = plain((half)x[i]); \
        o[1] = plain(convert_half(x[i])); \
        o[2] = plain(convert_half_rte(x[i])); \
        o[3] = plain(convert_half_rtz(x[i])); \
        o[4] = plain(convert_half_rtp(x[i])); \
        o[5] = plain(convert_half_rtn(x[i])); \
    }
FROM(float, float) FROM(double, double) FROM(int, int) FROM(uint, uint) FROM(short, short) FROM(long, long)

kernel void to_others(global const half *x, global int *out)
{
    const uint i = get_global_id(0);
    const half h = x[i];
    global int *o = out + 12 * i;
    const half number = isfinite(h) ? h : 0;
    o[0] = convert_int_rte(number);
    o[1] = convert_int_rtz(number);
    o[2] = convert_int_rtp(number);
    o[3] = convert_int_rtn(number);
    o[4] = convert_uchar_sat(h);
    o[5] = convert_char_sat_rte(h);
    o[6] = convert_short_sat_rtn(h);
    o[7] = (int)convert_uint_sat(h);
    o[8] = convert_long_sat_rtp(h) >> 1;
    o[9] = as_int(convert_float(number));
    o[10] = as_int2((double)number).y;
    o[11] = (fabs(h) < 100 ? (int)(char)h : 0) + (h >= 0 && h < 1000 ? (int)(ushort)h : 0);
}

// --- vectors and memory --------------------------------------------------------------------------------------------

half4 twice(half4 x) { return x + x * 1.0h; }

kernel void vectors(global const short *x, global half *out, half by)
{
    const uint i = get_global_id(0);
    local half l[3 * 64];
    half3 a = convert_half3(vload3(i, x) & (short3)1023);
    half4 b = twice((half4)(a, by));
    a = select(a, b.wzy, isless(a, (half3)(by)));
    vstore3(max(a, by), get_local_id(0), l);
    barrier(CLK_LOCAL_MEM_FENCE);
    vstore3(vload3(get_local_id(0), l) - shuffle(b, (ushort4)(3, 2, 1, 0)).xyz, i, out);
}

kernel void together(global const half *x, global half *out)
{
    const uint i = get_global_id(0);
    const half small = as_short(x[i]) & 7;
    out[3 * i] = work_group_reduce_add(small);
    out[3 * i + 1] = work_group_scan_inclusive_max(small);
    out[3 * i + 2] = work_group_broadcast(small, 3);
}
