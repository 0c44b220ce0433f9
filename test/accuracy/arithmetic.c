/* arithmetic.c -- the library's arithmetic of binary64 against the host's, bit by bit.
 *
 *      arithmetic [COUNT [SEED]]
 *
 * Operands are random bits, special values, powers of two with a few bits, denormals, whole and
 * half numbers, and numbers near each other or near the exponent of each other, so that sums
 * cancel, carry and are halfway cases.  The host computes in IEEE 754 with one NaN, as the machine
 * does.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t u64;
typedef uint32_t u32;
typedef int64_t i64;

/* lib/opencl/double.h */
u64 __ventus_dadd(u64 a, u64 b), __ventus_dsub(u64 a, u64 b), __ventus_dmul(u64 a, u64 b);
u64 __ventus_ddiv(u64 a, u64 b), __ventus_dfma(u64 a, u64 b, u64 c), __ventus_dsqrt(u64 a);
u64 __ventus_dmin(u64 a, u64 b), __ventus_dmax(u64 a, u64 b), __ventus_dscale(u64 a, int n);
int __ventus_dcmp(u64 a, u64 b);
u32 __ventus_dclass(u64 a, u64 classes);
u64 __ventus_i32tod(int x), __ventus_u32tod(u32 x), __ventus_i64tod(i64 x), __ventus_u64tod(u64 x);
u64 __ventus_ftod(float x);
float __ventus_dtof(u64 a);
int __ventus_dtoi32(u64 a);
u32 __ventus_dtou32(u64 a);
i64 __ventus_dtoi64(u64 a);
u64 __ventus_dtou64(u64 a);
u64 __ventus_dfloor(u64 a), __ventus_dceil(u64 a), __ventus_dtrunc(u64 a), __ventus_drint(u64 a);
u64 __ventus_dround(u64 a);
int __ventus_ftoi_rne(float x);
int __ventus_ftoi_rne(float x) { return (int)rintf(x); }
float __ventus_exp(float x);
float __ventus_exp(float x) { return (float)exp((double)x); }

static const u64 QUIET = (u64)0x7ff8 << 48;

static double number(u64 bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static u64 bits_of(double x)
{
    u64 b;
    memcpy(&b, &x, sizeof b);
    return isnan(x) ? QUIET : b;
}

static u64 random64(u64 *s)
{
    u64 z = *s += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static const u64 special[] = {
    0,
    1,
    2,
    0x10000000000000,
    0xfffffffffffff,
    0x3ff0000000000000,
    0x3fe0000000000000,
    0x4000000000000000,
    0x7fefffffffffffff,
    0x7ff0000000000000,
    0x7ff8000000000000,
    0x7ff0000000000001,
    0x3fefffffffffffff,
    0x3ff0000000000001,
    0x4330000000000000,
    0x43e0000000000000,
    0x41e0000000000000,
    0x41dfffffffc00000,
    0x43f0000000000000,
    0x3ca0000000000000,
};

static u64 operand(u64 *s, u64 other)
{
    const u64 sign = (u64)1 << 63, kind = random64(s), x = random64(s);
    switch (kind & 7) {
    case 0: return x;
    case 1: return special[(kind >> 8) % (sizeof special / sizeof *special)] | (kind & sign);
    case 2: return (x & 0x800fffffffffffff) | (0x3bf + (kind >> 8 & 127)) << 52;
    case 3: return (other ^ (kind >> 20 & 1) << 63) + (x & (((u64)1 << (kind >> 8) % 52) - 1));
    case 4: return (x & sign) | (x >> 8 & 0x7ff) << 52 | (kind >> 8 & 0xff) << 44 | (x & 3);
    case 5: return (x & 0x800fffffffffffff) >> (kind >> 8) % 52;
    case 6: return bits_of((double)((i64)x >> (kind >> 8) % 64) + (kind >> 20 & 1 ? 0.5 : 0));
    default:
        return ((other & ((u64)0x7ff << 52)) + ((kind >> 8) % 110 - 55) * ((u64)1 << 52)) |
               (x & 0x800fffffffffffff);
    }
}

static u64 differ;

static void check(const char *name, u64 a, u64 b, u64 c, u64 got, u64 want)
{
    if (got != want && differ++ < 20)
        printf("%s(%016llx, %016llx, %016llx) is %016llx, should be %016llx\n", name,
               (unsigned long long)a, (unsigned long long)b, (unsigned long long)c,
               (unsigned long long)got, (unsigned long long)want);
}

static u64 saturated(double x, double lo, double hi, u64 least, u64 most, u64 inside)
{
    return isnan(x) ? 0 : x <= lo ? least : x >= hi ? most : inside;
}

/* the class of x, numbered as LLVM does */
static u32 class_of(u64 bits, double x)
{
    const u32 size = isinf(x) ? 0 : isnormal(x) ? 1 : x != 0 ? 2 : 3;
    return isnan(x) ? bits >> 51 & 1 : signbit(x) ? 2 + size : 9 - size;
}

static void operations(u64 a, u64 b, u64 c)
{
    const double x = number(a), y = number(b), z = number(c);
#define CHECK(name, got, want) check(name, a, b, c, (u64)(got), (u64)(want))
    CHECK("add", __ventus_dadd(a, b), bits_of(x + y));
    CHECK("sub", __ventus_dsub(a, b), bits_of(x - y));
    CHECK("mul", __ventus_dmul(a, b), bits_of(x * y));
    CHECK("div", __ventus_ddiv(a, b), bits_of(x / y));
    CHECK("fma", __ventus_dfma(a, b, c), bits_of(fma(x, y, z)));
    CHECK("sqrt", __ventus_dsqrt(a), bits_of(sqrt(x)));
    CHECK("cmp", (i64)__ventus_dcmp(a, b), (i64)(x < y ? -1 : x == y ? 0 : x > y ? 1 : 2));
    CHECK("min", __ventus_dmin(a, b),
          isnan(x) && isnan(y)              ? QUIET
          : isnan(x)                        ? b
          : isnan(y)                        ? a
          : x < y || (x == y && signbit(x)) ? a
                                            : b);
    CHECK("max", __ventus_dmax(a, b),
          isnan(x) && isnan(y)              ? QUIET
          : isnan(x)                        ? b
          : isnan(y)                        ? a
          : x > y || (x == y && signbit(y)) ? a
                                            : b);
    CHECK("scale", __ventus_dscale(a, (int)(i64)(b % 5000) - 2500),
          bits_of(ldexp(x, (int)(i64)(b % 5000) - 2500)));
    CHECK("class", __ventus_dclass(a, (u64)1 << class_of(a, x)), 1);
    CHECK("other classes", __ventus_dclass(a, 0x3ff & ~((u64)1 << class_of(a, x))), 0);
    CHECK("floor", __ventus_dfloor(a), bits_of(floor(x)));
    CHECK("ceil", __ventus_dceil(a), bits_of(ceil(x)));
    CHECK("trunc", __ventus_dtrunc(a), bits_of(trunc(x)));
    CHECK("rint", __ventus_drint(a), bits_of(rint(x)));
    CHECK("round", __ventus_dround(a), bits_of(round(x)));
}

static void conversions(u64 a, u64 b)
{
    const u64 c = 0, u = a >> (b & 63);
    const i64 s = (i64)a >> (b & 63);
    const double x = number(a);
    const u32 word = (u32)a;
    float f, got = __ventus_dtof(a), want = isnan(x) ? NAN : (float)x;
    u32 gotten, wanted;
    memcpy(&f, &word, sizeof f);
    memcpy(&gotten, &got, sizeof got);
    memcpy(&wanted, &want, sizeof want);
    CHECK("from int", __ventus_i32tod((int)a), bits_of((double)(int)a));
    CHECK("from uint", __ventus_u32tod((u32)a), bits_of((double)(u32)a));
    CHECK("from long", __ventus_i64tod(s), bits_of((double)s));
    CHECK("from ulong", __ventus_u64tod(u), bits_of((double)u));
    CHECK("from float", __ventus_ftod(f), bits_of((double)f));
    CHECK("to float", gotten, isnan(x) ? 0x7fc00000 : wanted);
    const bool small = fabs(x) < 0x1p31, middle = fabs(x) < 0x1p63;
    CHECK("to int", (i64)__ventus_dtoi32(a),
          saturated(x, -0x1p31, 0x1p31 - 1, (u64)(i64)INT32_MIN, INT32_MAX,
                    small ? (u64)(i64)(int)x : 0));
    CHECK("to uint", __ventus_dtou32(a),
          saturated(x, 0, 0x1p32 - 1, 0, UINT32_MAX, fabs(x) < 0x1p32 && x > 0 ? (u32)x : 0));
    CHECK("to long", __ventus_dtoi64(a),
          saturated(x, -0x1p63, 0x1p63, (u64)INT64_MIN, INT64_MAX, middle ? (u64)(i64)x : 0));
    CHECK("to ulong", __ventus_dtou64(a),
          saturated(x, 0, 0x1p64, 0, UINT64_MAX, fabs(x) < 0x1p64 && x > 0 ? (u64)x : 0));
}

int main(int argc, char **argv)
{
    const u64 n = argc > 1 ? strtoull(argv[1], NULL, 0) : 200000;
    u64 seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1, a = bits_of(1), b = a;
    for (u64 i = 0; i < n; i++) {
        a = operand(&seed, b);
        b = operand(&seed, a);
        operations(a, b, operand(&seed, bits_of(number(a) * number(b))));
        conversions(a, b);
    }
    printf("double: %llu of %llu sets of operands differ\n", (unsigned long long)differ,
           (unsigned long long)n);
    return differ || !n;
}
