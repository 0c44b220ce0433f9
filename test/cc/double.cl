// double: arithmetic, comparisons, conversions, vectors, and where doubles are kept.  Numbers come as words of
// 64 bits; `near` brings their exponents together.
#pragma OPENCL FP_CONTRACT OFF

double near(ulong bits)
{
    return as_double((bits & 0x800fffffffffffff) | (1019 + (bits >> 52 & 7)) << 52);
}

#define ARITHMETIC(name, get)                                                                      \
    kernel void name(global const ulong *p, global const ulong *q, global double *out)             \
    {                                                                                              \
        const size_t i = get_global_id(0);                                                         \
        const double x = get(p[i]), y = get(q[i]), z = get(p[i] ^ q[i] >> 1);                      \
        global double *o = out + 10 * i;                                                           \
        o[0] = x + y;                                                                              \
        o[1] = x - y;                                                                              \
        o[2] = x * y;                                                                              \
        o[3] = x / y;                                                                              \
        o[4] = fma(x, y, z);                                                                       \
        o[5] = sqrt(x);                                                                            \
        o[6] = -x + 0.0;                                                                           \
        o[7] = x * 3.0 + 0.5;                                                                      \
        o[8] = fmod(x, y);                                                                         \
        o[9] = 1.0 / x;                                                                            \
    }
ARITHMETIC(arithmetic, as_double)
ARITHMETIC(near_arithmetic, near)

kernel void compares(global const ulong *p, global const ulong *q, global uint *out)
{
    const size_t i = get_global_id(0);
    const double x = near(p[i] & ~0xfffffff0000000), y = as_double(q[i] % 3 ? q[i] : p[i]);
    const double a = i % 5 ? x : y, b = i % 7 ? y : NAN;
    uint r = 0;
    r |= (a < b) | (a <= b) << 1 | (a > b) << 2 | (a >= b) << 3 | (a == b) << 4 | (a != b) << 5;
    r |= !(a < b) << 6 | !(a <= b) << 7 | !(a > b) << 8 | !(a >= b) << 9;
    r |= isnan(b) << 10 | isinf(y) << 11 | isfinite(y) << 12 | isnormal(y) << 13 | signbit(y) << 14;
    r |= isless(a, b) << 15 | isunordered(a, b) << 16 | islessgreater(a, b) << 17;
    out[i] = r | (uint)(a < b && b < 100.0 ? 1u << 18 : 0u);
}

/* each predicate alone, so that none is made of another one */
#define ALONE(name, test)                                                                          \
    __attribute__((noinline)) uint name(double a, double b) { return test; }
ALONE(is_oeq, a == b)
ALONE(is_ogt, a > b)
ALONE(is_oge, a >= b)
ALONE(is_olt, a < b)
ALONE(is_ole, a <= b)
ALONE(is_one, islessgreater(a, b))
ALONE(is_ord, isordered(a, b))
ALONE(is_uno, isunordered(a, b))
ALONE(is_ueq, !islessgreater(a, b))
ALONE(is_ugt, !(a <= b))
ALONE(is_uge, !(a < b))
ALONE(is_ult, !(a >= b))
ALONE(is_ule, !(a > b))
ALONE(is_une, a != b)

kernel void predicates(global uint *out)
{
    const double list[6] = {-INFINITY, -1.5, -0.0, 0.0, 2.5, NAN};
    const size_t i = get_global_id(0);
    const double a = list[i / 6 % 6], b = list[i % 6];
    out[i] = is_oeq(a, b) | is_ogt(a, b) << 1 | is_oge(a, b) << 2 | is_olt(a, b) << 3 | is_ole(a, b) << 4 |
             is_one(a, b) << 5 | is_ord(a, b) << 6 | is_uno(a, b) << 7 | is_ueq(a, b) << 8 | is_ugt(a, b) << 9 |
             is_uge(a, b) << 10 | is_ult(a, b) << 11 | is_ule(a, b) << 12 | is_une(a, b) << 13;
}

kernel void to_integers(global const ulong *p, global long *out)
{
    const size_t i = get_global_id(0);
    const double x = as_double((p[i] & 0x800fffffffffffff) | (1015 + p[i] % 70) << 52);
    global long *o = out + 16 * i;
    o[0] = convert_char_sat(x);
    o[1] = convert_uchar_sat_rte(x);
    o[2] = convert_short_sat_rtp(x);
    o[3] = convert_ushort_sat_rtn(x);
    o[4] = convert_int_sat(x);
    o[5] = convert_uint_sat_rte(x);
    o[6] = convert_long_sat_rtn(x);
    o[7] = (long)convert_ulong_sat_rtp(x);
    o[8] = convert_int_sat_rte(x);
    o[9] = convert_long_sat(x);
    o[10] = fabs(x) < 2e9 ? (int)x : 0;
    o[11] = fabs(x) < 9e18 ? (long)x : 0;
    o[12] = x >= 0 && x < 4e9 ? (uint)x : 0;
    o[13] = x >= 0 && x < 1e19 ? (long)(ulong)x : 0;
    o[14] = fabs(x) < 100 ? (char)x : 0;
    o[15] = ilogb(x);
}

kernel void from_integers(global const ulong *p, global double *out)
{
    const size_t i = get_global_id(0);
    const ulong u = p[i] >> (p[i] & 63);
    const long s = (long)p[i] >> (p[i] & 63);
    global double *o = out + 12 * i;
    o[0] = (double)u;
    o[1] = (double)s;
    o[2] = (double)(uint)u;
    o[3] = (double)(int)s;
    o[4] = (double)(short)s + (double)(uchar)u;
    o[5] = convert_double_rtz(u);
    o[6] = convert_double_rtp(u);
    o[7] = convert_double_rtn(u);
    o[8] = convert_double_rtz(s);
    o[9] = convert_double_rtp(s);
    o[10] = convert_double_rtn(s);
    o[11] = (double)(u & 1 ? true : false);
}

kernel void floats(global const ulong *p, global double *wide, global float *narrow)
{
    const size_t i = get_global_id(0);
    const double x = as_double((p[i] & 0x800fffffffffffff) | (860 + p[i] % 300) << 52);
    wide[i] = (double)as_float((uint)p[i] & 0xbfffffff) * 2.0;
    narrow[5 * i] = (float)x;
    narrow[5 * i + 1] = convert_float_rtz(x);
    narrow[5 * i + 2] = convert_float_rtp(x);
    narrow[5 * i + 3] = convert_float_rtn(x);
    narrow[5 * i + 4] = (float)(x * 0.5);
}

kernel void whole(global const ulong *p, global double *out)
{
    const size_t i = get_global_id(0);
    const double x = as_double((p[i] & 0x800fffffffffffff) | (1018 + p[i] % 60) << 52);
    double part;
    int e;
    global double *o = out + 10 * i;
    o[0] = floor(x);
    o[1] = ceil(x);
    o[2] = trunc(x);
    o[3] = rint(x);
    o[4] = round(x);
    o[5] = modf(x, &part) + part * 2;
    o[6] = frexp(x, &e) + e;
    o[7] = ldexp(x, (int)(p[i] >> 58) - 32);
    o[8] = nextafter(x, 0.0);
    o[9] = remainder(x, 3.25);
}

// numbers where functions have rules of their own, then any
constant ulong special[14] = {
    0x0000000000000000, 0x8000000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
    0x0000000000000001, 0x800fffffffffffff, 0x0010000000000000, 0x3fe0000000000000, 0xbff0000000000000,
    0x3ff8000000000000, 0xc004000000000000, 0xbc00000000000000, 0x7fe1ccf385ebc8a0};
bool same(double a, double b) { return as_ulong(a) == as_ulong(b) || (isnan(a) && isnan(b)); }
double one_nan(double x) { return isnan(x) ? as_double(0x7ff8000000000000ul) : x; }

kernel void two_results(global const ulong *p, global double *out, global int *about)
{
    const size_t i = get_global_id(0);
    const double x = as_double(i < 196 ? special[i / 14] : p[i]), y = as_double(i < 196 ? special[i % 14] : p[i] * 5);
    double whole, down, cosine;
    int e = 0, q = 0, sign = 0;
    global double *o = out + 6 * i;
    o[0] = one_nan(modf(x, &whole));
    o[1] = one_nan(whole);
    o[2] = one_nan(fract(x, &down));
    o[3] = one_nan(down);
    o[4] = one_nan(frexp(x, &e));
    o[5] = one_nan(remquo(x, y, &q));
    about[4 * i] = isfinite(x) ? e : 0;
    about[4 * i + 1] = isfinite(x) && isfinite(y) && y != 0 ? abs(q) & 7 : 0;
    const double sine = sincos(x, &cosine);
    about[4 * i + 2] = same(sine, sin(x)) && same(cosine, cos(x));
    const double g = lgamma_r(x, &sign);
    about[4 * i + 3] = same(g, lgamma(x)) ? isfinite(g) ? sign : 0 : 9;
}

// vectors, selection, arguments by value, memory of every kind
kernel void places(global const ulong *p, global double *out, double factor, local double *shared)
{
    const size_t i = get_global_id(0), l = get_local_id(0), n = get_local_size(0);
    double private_[8];
    for (int k = 0; k < 8; k++)
        private_[k] = near(p[i] + k);
    shared[l] = private_[p[i] & 7] * factor;
    barrier(CLK_LOCAL_MEM_FENCE);
    const double4 v = vload4(0, private_) + (double4)(1.0, 2.0, 3.0, shared[n - 1 - l]);
    const double4 w = select(v, v.wzyx, (long4)(0, -1, 0, -1));
    vstore4(max(w, v) * 0.5, i, out);
    if (i % 3)
        out[4 * i] += dot(v, w) > 0 ? 1.0 : -1.0;
}

kernel void reduced(global const ulong *p, global double *out)
{
    const double whole_ = (double)(int)(p[get_global_id(0)] & 0xffff);
    out[get_group_id(0)] = work_group_reduce_add(whole_);
}

kernel void printed(global const ulong *p)
{
    const double x = near(p[get_global_id(0)]);
    printf("%f %.17g %e %a %v2g\n", x, x, x, x, (double2)(x, 2.0));
}

// sums of floats in double, rounded to float, which are one float operation (ll/narrow.c); the last two are not
kernel void narrowed(global const ulong *p, global const ulong *q, global float *out)
{
    const size_t i = get_global_id(0);
    const uint e = (uint)q[i] & 0x7f800000; // of both, or nearly: they cancel, and are denormal together
    const float x = as_float(i % 4 ? ((uint)p[i] & 0x807fffff) | e : (uint)p[i]);
    const float y = as_float(i % 3 ? ((uint)(p[i] >> 32) & 0x80ffffff) | e : (uint)(p[i] >> 32));
    global float *o = out + 8 * i;
    o[0] = x - 0.5 * y;
    o[1] = 4.0 * x - y;
    o[2] = 0.25 * x + y;
    o[3] = 1.0 - 0.125 * x;
    o[4] = x + y * -2.0;
    o[5] = fma((double)x, 0.5, -(double)y);
    o[6] = x - 0.7 * y;
    o[7] = x * 0.5 + y * 0.25;
}
