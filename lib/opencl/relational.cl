/* relational.cl -- tests of floats, and selection.
 *
 * Tests of scalars answer 1, those of vectors -1 in each element that passes.
 */
#include "ventus.h"

#define COMPARE(f, test) \
    int FLAT f(float a, float b) { return test; } \
    int2 FLAT f(float2 a, float2 b) { return test; } \
    int3 FLAT f(float3 a, float3 b) { return test; } \
    int4 FLAT f(float4 a, float4 b) { return test; } \
    int8 FLAT f(float8 a, float8 b) { return test; } \
    int16 FLAT f(float16 a, float16 b) { return test; }
COMPARE(isequal, a == b)
COMPARE(isnotequal, a != b)
COMPARE(isgreater, a > b)
COMPARE(isgreaterequal, a >= b)
COMPARE(isless, a < b)
COMPARE(islessequal, a <= b)
COMPARE(islessgreater, (a < b) | (a > b))
COMPARE(isordered, (a == a) & (b == b))
COMPARE(isunordered, (a != a) | (b != b))

/* test sees the bits as uint; the magnitude without its sign is m */
#define CLASSIFY(f, test) \
    CLASSIFY_N(f, test,) CLASSIFY_N(f, test, 2) CLASSIFY_N(f, test, 3) CLASSIFY_N(f, test, 4) \
    CLASSIFY_N(f, test, 8) CLASSIFY_N(f, test, 16)
#define CLASSIFY_N(f, test, n) \
    int##n FLAT f(float##n x) { int##n bits = as_int##n(x), m = bits & INT_MAX; (void)m; return test; }
#define EXPONENT_ONES 0x7f800000
CLASSIFY(isnan, m > EXPONENT_ONES)
CLASSIFY(isinf, m == EXPONENT_ONES)
CLASSIFY(isfinite, m < EXPONENT_ONES)
CLASSIFY(isnormal, (m < EXPONENT_ONES) & (m > 0x7fffff))
CLASSIFY(signbit, bits < 0)

/* any, all: the top bits of the elements */
#define FOLD(f, op, T) \
    int FLAT f(T x) { return x < 0; } \
    FOLD_N(f, op, T, 2,) FOLD_N(f, op, T, 4, 2) FOLD_N(f, op, T, 8, 4) FOLD_N(f, op, T, 16, 8) \
    int FLAT f(T##3 x) { return f(x.s01) op f(x.s2); }
#define FOLD_N(f, op, T, n, half) int FLAT f(T##n x) { return f((T##half)(x.lo op x.hi)); }
#define FOLDS(T) FOLD(any, |, T) FOLD(all, &, T)
FOLDS(char) FOLDS(short) FOLDS(int) FOLDS(long)

#define BITSELECT_N(T, U, n) \
    T##n FLAT bitselect(T##n a, T##n b, T##n c) \
    { \
        return as_##T##n((U##n)(as_##U##n(a) ^ ((as_##U##n(a) ^ as_##U##n(b)) & as_##U##n(c)))); \
    }
/* the sign of a vector's element decides, but whether a scalar is 0 */
#define SELECT_N(T, I, U, n) \
    T##n FLAT select(T##n a, T##n b, I##n c) { return c ? b : a; } \
    T##n FLAT select(T##n a, T##n b, U##n c) { return as_##I##n(c) ? b : a; }
#define BOTH_N(T, I, U, n) BITSELECT_N(T, U, n) SELECT_N(T, I, U, n)
#define BOTH(T, I, U) \
    BOTH_N(T, I, U,) BOTH_N(T, I, U, 2) BOTH_N(T, I, U, 3) BOTH_N(T, I, U, 4) BOTH_N(T, I, U, 8) BOTH_N(T, I, U, 16)
BOTH(char, char, uchar) BOTH(uchar, char, uchar) BOTH(short, short, ushort) BOTH(ushort, short, ushort)
BOTH(int, int, uint) BOTH(uint, int, uint) BOTH(long, long, ulong) BOTH(ulong, long, ulong)
BOTH(float, int, uint)
