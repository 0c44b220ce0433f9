/* common.cl -- the common functions. */
#include "ventus.h"

/* T is the type; fma_, max_, min_, copysign_ are clang's functions of it */
#define COMMON(T, fma_, max_, min_, copysign_) \
    T FLAT max(T x, T y) { return max_(x, y); } \
    T FLAT min(T x, T y) { return min_(x, y); } \
    T FLAT clamp(T x, T low, T high) { return min_(max_(x, low), high); } \
    T FLAT degrees(T x) { return x * (T)57.295779513082320876798; } \
    T FLAT radians(T x) { return x * (T)0.017453292519943295769237; } \
    T FLAT mix(T x, T y, T a) { return fma_(y - x, a, x); } \
    T FLAT step(T edge, T x) { return x < edge ? (T)0 : (T)1; } \
    T FLAT sign(T x) { return x != x ? (T)0 : x == 0 ? x : copysign_((T)1, x); } \
    T FLAT smoothstep(T low, T high, T x) \
    { \
        T t = clamp((x - low) / (high - low), (T)0, (T)1); \
        return t * t * fma_((T)-2, t, (T)3); \
    } \
    VECTOR2(T, max, T, T) VECTOR2(T, min, T, T) VECTOR3(T, clamp, T, T, T) \
    VECTOR1(T, degrees, T) VECTOR1(T, radians, T) VECTOR1(T, sign, T) \
    VECTOR3(T, mix, T, T, T) VECTOR2(T, step, T, T) VECTOR3(T, smoothstep, T, T, T) \
    SCALARS(T, 2) SCALARS(T, 3) SCALARS(T, 4) SCALARS(T, 8) SCALARS(T, 16)

#define SCALARS(T, n) \
    T##n FLAT max(T##n x, T y) { return max(x, (T##n)(y)); } \
    T##n FLAT min(T##n x, T y) { return min(x, (T##n)(y)); } \
    T##n FLAT clamp(T##n x, T low, T high) { return clamp(x, (T##n)(low), (T##n)(high)); } \
    T##n FLAT mix(T##n x, T##n y, T a) { return mix(x, y, (T##n)(a)); } \
    T##n FLAT step(T edge, T##n x) { return step((T##n)(edge), x); } \
    T##n FLAT smoothstep(T low, T high, T##n x) { return smoothstep((T##n)(low), (T##n)(high), x); }

COMMON(float, __builtin_fmaf, __builtin_fmaxf, __builtin_fminf, __builtin_copysignf)
COMMON(double, __builtin_fma, __builtin_fmax, __builtin_fmin, __builtin_copysign)
