/* common.cl -- the common functions. */
#include "ventus.h"

float FLAT max(float x, float y) { return __builtin_fmaxf(x, y); }
float FLAT min(float x, float y) { return __builtin_fminf(x, y); }
float FLAT clamp(float x, float low, float high) { return __builtin_fminf(__builtin_fmaxf(x, low), high); }
float FLAT degrees(float x) { return x * 57.295779513082320876798f; }
float FLAT radians(float x) { return x * 0.017453292519943295769237f; }
float FLAT mix(float x, float y, float a) { return __builtin_fmaf(y - x, a, x); }
float FLAT step(float edge, float x) { return x < edge ? 0.0f : 1.0f; }
float FLAT sign(float x) { return x != x ? 0.0f : x == 0 ? x : __builtin_copysignf(1.0f, x); }

float FLAT smoothstep(float low, float high, float x)
{
    float t = clamp((x - low) / (high - low), 0.0f, 1.0f);
    return t * t * __builtin_fmaf(-2.0f, t, 3.0f);
}

VECTOR2(float, max, float, float) VECTOR2(float, min, float, float) VECTOR3(float, clamp, float, float, float)
VECTOR1(float, degrees, float) VECTOR1(float, radians, float) VECTOR1(float, sign, float)
VECTOR3(float, mix, float, float, float) VECTOR2(float, step, float, float)
VECTOR3(float, smoothstep, float, float, float)

#define SCALARS(n) \
    float##n FLAT max(float##n x, float y) { return max(x, (float##n)(y)); } \
    float##n FLAT min(float##n x, float y) { return min(x, (float##n)(y)); } \
    float##n FLAT clamp(float##n x, float low, float high) { return clamp(x, (float##n)(low), (float##n)(high)); } \
    float##n FLAT mix(float##n x, float##n y, float a) { return mix(x, y, (float##n)(a)); } \
    float##n FLAT step(float edge, float##n x) { return step((float##n)(edge), x); } \
    float##n FLAT smoothstep(float low, float high, float##n x) { return smoothstep((float##n)(low), (float##n)(high), x); }
SCALARS(2) SCALARS(3) SCALARS(4) SCALARS(8) SCALARS(16)
