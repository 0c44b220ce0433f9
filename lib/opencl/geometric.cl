/* geometric.cl -- geometric functions of up to four elements.
 *
 * Lengths are taken of the vector times a power of 2 that keeps squares in range; the fast_
 * functions do without.
 */
#include "ventus.h"

float FLAT dot(float a, float b) { return a * b; }
float FLAT dot(float2 a, float2 b) { return __builtin_fmaf(a.x, b.x, a.y * b.y); }
float FLAT dot(float3 a, float3 b) { return __builtin_fmaf(a.x, b.x, dot(a.yz, b.yz)); }
float FLAT dot(float4 a, float4 b) { return __builtin_fmaf(a.x, b.x, dot(a.yzw, b.yzw)); }

/* a b - c d with the error of c d put back, so that cancellation does no harm */
static float difference(float a, float b, float c, float d)
{
    float cd = c * d;
    return __builtin_fmaf(a, b, -cd) - __builtin_fmaf(c, d, -cd);
}

float3 OVL cross(float3 a, float3 b)
{
    return (float3)(difference(a.y, b.z, a.z, b.y), difference(a.z, b.x, a.x, b.z), difference(a.x, b.y, a.y, b.x));
}
float4 OVL cross(float4 a, float4 b) { return (float4)(cross(a.xyz, b.xyz), 0.0f); }

static float OVL largest(float p) { return __builtin_fabsf(p); }
static float OVL largest(float2 p) { return __builtin_fmaxf(largest(p.x), largest(p.y)); }
static float OVL largest(float3 p) { return __builtin_fmaxf(largest(p.xy), largest(p.z)); }
static float OVL largest(float4 p) { return __builtin_fmaxf(largest(p.xy), largest(p.zw)); }

/* for a vector whose largest element is m; times it squares neither overflow nor vanish */
static float scale_for(float m) { return m > 0x1p+60f ? 0x1p-70f : m < 0x1p-60f ? 0x1p+86f : 1.0f; }

#define LENGTHS(T) \
    float OVL fast_length(T p) { return __builtin_sqrtf(dot(p, p)); } \
    float OVL fast_distance(T a, T b) { return fast_length(a - b); } \
    T OVL fast_normalize(T p) \
    { \
        float square = dot(p, p); \
        return square > 0 ? p * (1.0f / __builtin_sqrtf(square)) : p; \
    } \
    float OVL distance(T a, T b) { return length(a - b); } \
    T OVL normalize(T p) \
    { \
        float m = largest(p), s = scale_for(m), down = __builtin_fminf(s, 1.0f); \
        p = p * __builtin_fmaxf(s, 1.0f); /* small elements of a large vector keep their bits */ \
        return m > 0 ? p / fast_length(p * down) * down : p; \
    }
#define LENGTH(T) \
    float OVL length(T p) \
    { \
        float s = scale_for(largest(p)); \
        p = p * s; \
        return __builtin_sqrtf(dot(p, p)) * (1.0f / s); \
    }
float OVL length(float p) { return __builtin_fabsf(p); }
LENGTH(float2) LENGTH(float3) LENGTH(float4)
LENGTHS(float) LENGTHS(float2) LENGTHS(float3) LENGTHS(float4)
