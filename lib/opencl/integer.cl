/* integer.cl -- integer functions, for all eight types and all widths. */
#include "ventus.h"

/* --- for every type: T, its unsigned type U, a wider type W or none, bits ------------------ */

#define ABS_SIGNED(T, U) \
    U OVL abs(T x) { return (U)(x < 0 ? (U)0 - (U)x : (U)x); } \
    U OVL abs_diff(T a, T b) { return (U)(a > b ? (U)a - (U)b : (U)b - (U)a); }
#define ABS_UNSIGNED(T) \
    T OVL abs(T x) { return x; } \
    T OVL abs_diff(T a, T b) { return a > b ? a - b : b - a; }
ABS_SIGNED(char, uchar) ABS_SIGNED(short, ushort) ABS_SIGNED(int, uint) ABS_SIGNED(long, ulong)
ABS_UNSIGNED(uchar) ABS_UNSIGNED(ushort) ABS_UNSIGNED(uint) ABS_UNSIGNED(ulong)

#define SIMPLE(T) \
    T OVL hadd(T a, T b) { return (a & b) + ((a ^ b) >> 1); } \
    T OVL rhadd(T a, T b) { return (a | b) - ((a ^ b) >> 1); } \
    T OVL max(T a, T b) { return a > b ? a : b; } \
    T OVL min(T a, T b) { return a < b ? a : b; } \
    T OVL clamp(T x, T low, T high) { return min(max(x, low), high); }
EACH_INT(SIMPLE)

#define BITS(T, U, bits) \
    T OVL rotate(T x, T n) { return (U)x << (n & (bits - 1)) | (U)x >> (-n & (bits - 1)); }
BITS(char, uchar, 8) BITS(uchar, uchar, 8) BITS(short, ushort, 16) BITS(ushort, ushort, 16)
BITS(int, uint, 32) BITS(uint, uint, 32) BITS(long, ulong, 64) BITS(ulong, ulong, 64)

/* counted in 32 or 64 bits; a bit beyond the type ends the count for 0 */
#define COUNT(T, U, bits) \
    T OVL popcount(T x) { return __builtin_popcount((U)x); } \
    T OVL clz(T x) { return __builtin_clz((uint)(U)x << (32 - bits) | 1u << (31 - bits)); } \
    T OVL ctz(T x) { return __builtin_ctz((uint)(U)x | 1u << bits); }
COUNT(char, uchar, 8) COUNT(uchar, uchar, 8) COUNT(short, ushort, 16) COUNT(ushort, ushort, 16)

#define COUNT32(T) \
    T OVL popcount(T x) { return __builtin_popcount(x); } \
    T OVL clz(T x) { return x ? __builtin_clz(x) : 32; } \
    T OVL ctz(T x) { return x ? __builtin_ctz(x) : 32; }
COUNT32(int) COUNT32(uint)

#define COUNT64(T) \
    T OVL popcount(T x) { return __builtin_popcountl(x); } \
    T OVL clz(T x) { return x ? __builtin_clzl(x) : 64; } \
    T OVL ctz(T x) { return x ? __builtin_ctzl(x) : 64; }
COUNT64(long) COUNT64(ulong)

/* --- saturation ----------------------------------------------------------------------- */

#define SAT_NARROW(T, LOW, HIGH) \
    T OVL add_sat(T a, T b) { return clamp((int)a + (int)b, (int)LOW, (int)HIGH); } \
    T OVL sub_sat(T a, T b) { return clamp((int)a - (int)b, (int)LOW, (int)HIGH); }
SAT_NARROW(char, CHAR_MIN, CHAR_MAX) SAT_NARROW(uchar, 0, UCHAR_MAX)
SAT_NARROW(short, SHRT_MIN, SHRT_MAX) SAT_NARROW(ushort, 0, USHRT_MAX)

/* A signed sum overflows if its sign differs from both; then the limit has the sign of a. */
#define SAT_SIGNED(T, U, HIGH) \
    T OVL add_sat(T a, T b) \
    { \
        T sum = (T)((U)a + (U)b); \
        return ((a ^ sum) & (b ^ sum)) < 0 ? (T)((U)HIGH + (a < 0)) : sum; \
    } \
    T OVL sub_sat(T a, T b) \
    { \
        T difference = (T)((U)a - (U)b); \
        return ((a ^ b) & (a ^ difference)) < 0 ? (T)((U)HIGH + (a < 0)) : difference; \
    }
SAT_SIGNED(int, uint, INT_MAX) SAT_SIGNED(long, ulong, LONG_MAX)

#define SAT_UNSIGNED(T) \
    T OVL add_sat(T a, T b) { return a + min(b, ~a); } \
    T OVL sub_sat(T a, T b) { return a - min(a, b); }
SAT_UNSIGNED(uint) SAT_UNSIGNED(ulong)

/* --- products --------------------------------------------------------------------------- */

#define HIGH_HALF(T, W, bits) T OVL mul_hi(T a, T b) { return (T)(((W)a * (W)b) >> bits); }
HIGH_HALF(char, int, 8) HIGH_HALF(uchar, uint, 8) HIGH_HALF(short, int, 16) HIGH_HALF(ushort, uint, 16)
HIGH_HALF(int, long, 32) HIGH_HALF(uint, ulong, 32)

/* by 32-bit halves; no partial sum overflows */
ulong OVL mul_hi(ulong a, ulong b)
{
    ulong al = (uint)a, ah = a >> 32, bl = (uint)b, bh = b >> 32;
    ulong middle = ah * bl + ((al * bl) >> 32);
    ulong other = al * bh + (uint)middle;

    return ah * bh + (middle >> 32) + (other >> 32);
}

/* modulo 2^64 a negative a is 2^64 + a, which adds b to the high half */
long OVL mul_hi(long a, long b)
{
    return (long)(mul_hi((ulong)a, (ulong)b) - ((a >> 63) & (ulong)b) - ((b >> 63) & (ulong)a));
}

#define MAD_HI(T) T OVL mad_hi(T a, T b, T c) { return mul_hi(a, b) + c; }
EACH_INT(MAD_HI)

#define MAD_SAT(T, LOW, HIGH) \
    T OVL mad_sat(T a, T b, T c) { return clamp((long)a * b + c, (long)LOW, (long)HIGH); }
MAD_SAT(char, CHAR_MIN, CHAR_MAX) MAD_SAT(uchar, 0, UCHAR_MAX)
MAD_SAT(short, SHRT_MIN, SHRT_MAX) MAD_SAT(ushort, 0, USHRT_MAX)
MAD_SAT(int, INT_MIN, INT_MAX)

uint OVL mad_sat(uint a, uint b, uint c) { return min((ulong)a * b + c, (ulong)UINT_MAX); }

ulong OVL mad_sat(ulong a, ulong b, ulong c)
{
    return mul_hi(a, b) ? ULONG_MAX : add_sat(a * b, c);
}

/* the sum in 128 bits: high word and low word, then the limits */
long OVL mad_sat(long a, long b, long c)
{
    ulong low = (ulong)a * (ulong)b;
    ulong sum = low + (ulong)c;
    long high = mul_hi(a, b) + (c >> 63) + (sum < low);

    return high == (long)sum >> 63 ? (long)sum : high < 0 ? LONG_MIN : LONG_MAX;
}

int OVL mad24(int a, int b, int c) { return a * b + c; }
uint OVL mad24(uint a, uint b, uint c) { return a * b + c; }
int OVL mul24(int a, int b) { return a * b; }
uint OVL mul24(uint a, uint b) { return a * b; }

short OVL upsample(char high, uchar low) { return (short)((ushort)(uchar)high << 8 | low); }
ushort OVL upsample(uchar high, uchar low) { return (ushort)high << 8 | low; }
int OVL upsample(short high, ushort low) { return (int)((uint)(ushort)high << 16 | low); }
uint OVL upsample(ushort high, ushort low) { return (uint)high << 16 | low; }
long OVL upsample(int high, uint low) { return (long)((ulong)(uint)high << 32 | low); }
ulong OVL upsample(uint high, uint low) { return (ulong)high << 32 | low; }

/* --- vectors -------------------------------------------------------------------------- */

#define VECTORS(T, U) \
    VECTOR1(U, abs, T) VECTOR2(U, abs_diff, T, T) VECTOR2(T, add_sat, T, T) VECTOR2(T, sub_sat, T, T) \
    VECTOR2(T, hadd, T, T) VECTOR2(T, rhadd, T, T) VECTOR2(T, max, T, T) VECTOR2(T, min, T, T) \
    VECTOR3(T, clamp, T, T, T) VECTOR1(T, clz, T) VECTOR1(T, ctz, T) VECTOR1(T, popcount, T) \
    VECTOR2(T, rotate, T, T) VECTOR2(T, mul_hi, T, T) VECTOR3(T, mad_hi, T, T, T) VECTOR3(T, mad_sat, T, T, T) \
    VECTOR_SCALAR(T, max, T, T) VECTOR_SCALAR(T, min, T, T) \
    CLAMP_SCALAR(T, 2) CLAMP_SCALAR(T, 3) CLAMP_SCALAR(T, 4) CLAMP_SCALAR(T, 8) CLAMP_SCALAR(T, 16)
#define CLAMP_SCALAR(T, n) T##n OVL clamp(T##n x, T low, T high) { return clamp(x, (T##n)(low), (T##n)(high)); }
VECTORS(char, uchar) VECTORS(uchar, uchar) VECTORS(short, ushort) VECTORS(ushort, ushort)
VECTORS(int, uint) VECTORS(uint, uint) VECTORS(long, ulong) VECTORS(ulong, ulong)

VECTOR3(int, mad24, int, int, int) VECTOR3(uint, mad24, uint, uint, uint)
VECTOR2(int, mul24, int, int) VECTOR2(uint, mul24, uint, uint)
VECTOR2(short, upsample, char, uchar) VECTOR2(ushort, upsample, uchar, uchar)
VECTOR2(int, upsample, short, ushort) VECTOR2(uint, upsample, ushort, ushort)
VECTOR2(long, upsample, int, uint) VECTOR2(ulong, upsample, uint, uint)
