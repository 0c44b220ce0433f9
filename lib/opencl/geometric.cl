/* geometric.cl -- geometric functions of up to four elements.
 *
 * Lengths are taken of the vector times a power of 2 that keeps squares in range; the fast_
 * functions do without.
 */
#include "ventus.h"

#define GEOMETRIC(T, fma_, sqrt_, max_, min_, abs_, BIG, SMALL, DOWN, UP) \
    T FLAT dot(T a, T b) { return a * b; } \
    T FLAT dot(T##2 a, T##2 b) { return fma_(a.x, b.x, a.y * b.y); } \
    T FLAT dot(T##3 a, T##3 b) { return fma_(a.x, b.x, dot(a.yz, b.yz)); } \
    T FLAT dot(T##4 a, T##4 b) { return fma_(a.x, b.x, dot(a.yzw, b.yzw)); } \
    /* a b - c d with the error of c d put back, so that cancellation does no harm */ \
    static T OVL difference(T a, T b, T c, T d) \
    { \
        T cd = c * d; \
        return fma_(a, b, -cd) - fma_(c, d, -cd); \
    } \
    T##3 OVL cross(T##3 a, T##3 b) \
    { \
        return (T##3)(difference(a.y, b.z, a.z, b.y), difference(a.z, b.x, a.x, b.z), difference(a.x, b.y, a.y, b.x)); \
    } \
    T##4 OVL cross(T##4 a, T##4 b) { return (T##4)(cross(a.xyz, b.xyz), (T)0); } \
    static T OVL largest(T p) { return abs_(p); } \
    static T OVL largest(T##2 p) { return max_(largest(p.x), largest(p.y)); } \
    static T OVL largest(T##3 p) { return max_(largest(p.xy), largest(p.z)); } \
    static T OVL largest(T##4 p) { return max_(largest(p.xy), largest(p.zw)); } \
    /* for a vector whose largest element is m; times it squares neither overflow nor vanish */ \
    static T OVL scale_for(T m) { return m > BIG ? DOWN : m < SMALL ? UP : (T)1; } \
    T OVL length(T p) { return abs_(p); } \
    LENGTH(T, T##2, sqrt_) LENGTH(T, T##3, sqrt_) LENGTH(T, T##4, sqrt_) \
    LENGTHS(T, T, sqrt_, max_, min_) LENGTHS(T, T##2, sqrt_, max_, min_) \
    LENGTHS(T, T##3, sqrt_, max_, min_) LENGTHS(T, T##4, sqrt_, max_, min_)

#define LENGTH(T, V, sqrt_) \
    T OVL length(V p) \
    { \
        T s = scale_for(largest(p)); \
        p = p * s; \
        return sqrt_(dot(p, p)) * ((T)1 / s); \
    }
#define LENGTHS(T, V, sqrt_, max_, min_) \
    T OVL distance(V a, V b) { return length(a - b); } \
    V OVL normalize(V p) \
    { \
        T m = largest(p), s = scale_for(m), down = min_(s, (T)1); \
        p = p * max_(s, (T)1); /* small elements of a large vector keep their bits */ \
        return m > 0 ? p / sqrt_(dot(p * down, p * down)) * down : p; \
    }
GEOMETRIC(float, __builtin_fmaf, __builtin_sqrtf, __builtin_fmaxf, __builtin_fminf, __builtin_fabsf, 0x1p+60f, 0x1p-60f, 0x1p-70f, 0x1p+86f)
GEOMETRIC(double, __builtin_fma, __builtin_sqrt, __builtin_fmax, __builtin_fmin, __builtin_fabs, 0x1p+500, 0x1p-500, 0x1p-560, 0x1p+600)

#define FAST(V) \
    float OVL fast_length(V p) { return __builtin_sqrtf(dot(p, p)); } \
    float OVL fast_distance(V a, V b) { return fast_length(a - b); } \
    V OVL fast_normalize(V p) \
    { \
        float square = dot(p, p); \
        return square > 0 ? p * (1.0f / __builtin_sqrtf(square)) : p; \
    }
FAST(float) FAST(float2) FAST(float3) FAST(float4)
