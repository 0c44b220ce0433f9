/* half.cl -- functions of half.  Those of float are so much more accurate than a half that their results, rounded, are
 * the nearest halves nearly always; what must be exact, or looks at bits, is done here.
 */
#include "half.h"

/* --- for the lowering (src/ll/halves.c) ------------------------------------------------------------ */

__attribute__((always_inline)) float __ventus_htof(ushort x) { return from_half(x); }
__attribute__((always_inline)) ushort __ventus_ftoh(float x) { return to_half_rte(x); }
ushort __ventus_dtoh(double x) { return to_half_rte(odd(x)); }

/* The product is exact in float.  What the sum loses is put into its last bit, so that only the second step
 * rounds. */
ushort __ventus_hfma(ushort a, ushort b, ushort c)
{
    float p = from_half(a) * from_half(b), z = from_half(c), s = p + z;
    float t = s - p, lost = (p - (s - t)) + (z - t);
    bool is_even = !(as_uint(s) & 1), is_inexact = __builtin_fabsf(lost) > 0;
    uint step = (lost > 0) == (s > 0) ? 1u : ~0u;

    return to_half_rte(as_float(as_uint(s) + (is_even && is_inexact ? step : 0)));
}

/* as __ventus_dclass (double.cl) */
uint __ventus_hclass(ushort a, uint classes)
{
    uint x = a & 0x7fff, size = x == 0x7c00 ? 0 : x >= 0x400 ? 1 : x ? 2 : 3;
    uint number = a & 0x8000 ? 2 + size : 9 - size;

    return classes >> (x <= 0x7c00 ? number : x >= 0x7e00) & 1;
}

/* --- by way of float ----------------------------------------------------------------------------- */

#define BY1(f) float OVL f(float); half OVL f(half x) { return (half)f((float)x); } VECTOR1(half, f, half)
#define BY2(f) \
    float OVL f(float, float); \
    half OVL f(half x, half y) { return (half)f((float)x, (float)y); } \
    VECTOR2(half, f, half, half)
#define BY3(f) \
    float OVL f(float, float, float); \
    half OVL f(half x, half y, half z) { return (half)f((float)x, (float)y, (float)z); } \
    VECTOR3(half, f, half, half, half)
#define BY_INT(f) \
    float OVL f(float, int); \
    half OVL f(half x, int n) { return (half)f((float)x, n); } \
    VECTOR2(half, f, half, int)

BY1(acos) BY1(acosh) BY1(acospi) BY1(asin) BY1(asinh) BY1(asinpi) BY1(atan) BY1(atanh) BY1(atanpi) BY1(cbrt)
BY1(ceil) BY1(cos) BY1(cosh) BY1(cospi) BY1(erfc) BY1(erf) BY1(exp) BY1(exp2) BY1(exp10) BY1(expm1) BY1(floor)
BY1(lgamma) BY1(log) BY1(log2) BY1(log10) BY1(log1p) BY1(logb) BY1(rint) BY1(round) BY1(rsqrt) BY1(sin) BY1(sinh)
BY1(sinpi) BY1(sqrt) BY1(tan) BY1(tanh) BY1(tanpi) BY1(tgamma) BY1(trunc) BY1(degrees) BY1(radians) BY1(sign)
BY2(atan2) BY2(atan2pi) BY2(fdim) BY2(fmax) BY2(fmin) BY2(fmod) BY2(hypot) BY2(maxmag) BY2(minmag) BY2(pow) BY2(powr)
BY2(remainder) BY2(max) BY2(min) BY2(step)
BY3(mad) BY3(clamp) BY3(mix) BY3(smoothstep)
BY_INT(ldexp) BY_INT(pown) BY_INT(rootn)

int OVL ilogb(float);
int OVL ilogb(half x) { return ilogb((float)x); }
VECTOR1(int, ilogb, half)

#define WITH_SCALARS(n) \
    half##n OVL ldexp(half##n x, int k) { return ldexp(x, (int##n)(k)); } \
    half##n OVL fmax(half##n x, half y) { return fmax(x, (half##n)(y)); } \
    half##n OVL fmin(half##n x, half y) { return fmin(x, (half##n)(y)); } \
    half##n OVL max(half##n x, half y) { return max(x, (half##n)(y)); } \
    half##n OVL min(half##n x, half y) { return min(x, (half##n)(y)); } \
    half##n OVL clamp(half##n x, half low, half high) { return clamp(x, (half##n)(low), (half##n)(high)); } \
    half##n OVL mix(half##n x, half##n y, half a) { return mix(x, y, (half##n)(a)); } \
    half##n OVL step(half edge, half##n x) { return step((half##n)(edge), x); } \
    half##n OVL smoothstep(half low, half high, half##n x) { return smoothstep((half##n)(low), (half##n)(high), x); }
WITH_SCALARS(2) WITH_SCALARS(3) WITH_SCALARS(4) WITH_SCALARS(8) WITH_SCALARS(16)

/* with a second result */
#define BY1_HALF(f) \
    float OVL f(float, __private float *); \
    half OVL f(half x, __private half *p) \
    { \
        float second; \
        half first = (half)f((float)x, (__private float *)&second); \
        *p = (half)second; \
        return first; \
    } \
    OUT1(half, f, half, half)
#define BY1_INT(f) \
    float OVL f(float, __private int *); \
    half OVL f(half x, __private int *p) { return (half)f((float)x, p); } \
    OUT1(half, f, half, int)
BY1_HALF(sincos) BY1_HALF(modf) BY1_INT(frexp) BY1_INT(lgamma_r)

float OVL remquo(float, float, __private int *);
half OVL remquo(half x, half y, __private int *p) { return (half)remquo((float)x, (float)y, p); }
OUT2(half, remquo, half, half, int)

/* less than 1, though the nearest half may be 1 */
half OVL fract(half x, __private half *p)
{
    float whole = __builtin_floorf(x);

    *p = (half)whole;
    if (__builtin_fabsf(x) == INFINITY)
        return as_half((ushort)(as_ushort(x) & 0x8000));
    return x != x || x == 0 ? x : (half)__builtin_fminf((float)x - whole, 0x1.ffcp-1f);
}
OUT1(half, fract, half, half)

/* --- bits ------------------------------------------------------------------------------------------- */

half OVL fabs(half x) { return as_half((ushort)(as_ushort(x) & 0x7fff)); }
half OVL copysign(half x, half y) { return as_half((ushort)((as_ushort(x) & 0x7fff) | (as_ushort(y) & 0x8000))); }
half OVL nan(ushort code) { return as_half((ushort)(code | 0x7e00)); }
half OVL fma(half a, half b, half c) { return as_half(__ventus_hfma(as_ushort(a), as_ushort(b), as_ushort(c))); }

/* as that of float (parts.cl) */
half OVL nextafter(half x, half y)
{
    int a = as_short(x), b = as_short(y);
    int from = a < 0 ? SHRT_MIN - a : a, to = b < 0 ? SHRT_MIN - b : b;
    int next = from + (from < to) - (from > to);
    half r = as_half((ushort)(next == 0 ? as_ushort(x) & 0x8000 : next < 0 ? SHRT_MIN - next : next));

    return x != x || y != y ? x + y : x == y ? y : r;
}

VECTOR1(half, fabs, half) VECTOR1(half, nan, ushort) VECTOR2(half, copysign, half, half)
VECTOR2(half, nextafter, half, half) VECTOR3(half, fma, half, half, half)

/* --- geometry ----------------------------------------------------------------------------------------- */

#define WIDE(n, x) __builtin_convertvector(x, float##n)
#define NARROW(n, x) __builtin_convertvector(x, half##n)
#define GEOMETRIC(n) \
    float OVL dot(float##n, float##n); \
    float OVL length(float##n); \
    float##n OVL normalize(float##n); \
    half OVL dot(half##n a, half##n b) { return (half)dot(WIDE(n, a), WIDE(n, b)); } \
    half OVL length(half##n a) { return (half)length(WIDE(n, a)); } \
    half OVL distance(half##n a, half##n b) { return (half)length(WIDE(n, a) - WIDE(n, b)); } \
    half##n OVL normalize(half##n a) { return NARROW(n, normalize(WIDE(n, a))); }
GEOMETRIC(2) GEOMETRIC(3) GEOMETRIC(4)

float3 OVL cross(float3, float3);
half3 OVL cross(half3 a, half3 b) { return NARROW(3, cross(WIDE(3, a), WIDE(3, b))); }
half4 OVL cross(half4 a, half4 b) { return (half4)(cross(a.xyz, b.xyz), (half)0); }

half OVL dot(half a, half b) { return a * b; }
half OVL length(half a) { return fabs(a); }
half OVL distance(half a, half b) { return fabs(a - b); }
half OVL normalize(half a) { return a == 0 || a != a ? a : copysign((half)1, a); }
