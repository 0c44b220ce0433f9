/* relational.cl -- tests of floats, and selection.
 *
 * Tests of scalars answer 1, those of vectors -1 in each element that passes.
 */
#include "ventus.h"

#define COMPARE(f, test) COMPARE_T(f, test, half, short) COMPARE_T(f, test, float, int) COMPARE_T(f, test, double, long)
#define COMPARE_T(f, test, T, I) \
    int FLAT f(T a, T b) { return test; } \
    COMPARE_N(f, test, T, I, 2) COMPARE_N(f, test, T, I, 3) COMPARE_N(f, test, T, I, 4) \
    COMPARE_N(f, test, T, I, 8) COMPARE_N(f, test, T, I, 16)
#define COMPARE_N(f, test, T, I, n) I##n FLAT f(T##n a, T##n b) { return test; }
COMPARE(isequal, a == b)
COMPARE(isnotequal, a != b)
COMPARE(isgreater, a > b)
COMPARE(isgreaterequal, a >= b)
COMPARE(isless, a < b)
COMPARE(islessequal, a <= b)
COMPARE(islessgreater, (a < b) | (a > b))
COMPARE(isordered, (a == a) & (b == b))
COMPARE(isunordered, (a != a) | (b != b))

/* test sees the bits as integers; the magnitude without its sign is m; ONES is infinity, LOW the fraction's bits */
#define CLASSIFY(f, test) CLASSIFY_T(f, test, half, short, 0x7c00, 0x3ff) CLASSIFY_T(f, test, float, int, 0x7f800000, 0x7fffff) \
    CLASSIFY_T(f, test, double, long, 0x7ff0000000000000, 0xfffffffffffff)
#define CLASSIFY_T(f, test, T, I, ones, low) \
    int FLAT f(T x) { const I ONES = ones, LOW = low, bits = as_##I(x), m = bits & (ones | low); (void)ONES, (void)LOW, (void)m; return test; } \
    CLASSIFY_N(f, test, T, I, ones, low, 2) CLASSIFY_N(f, test, T, I, ones, low, 3) CLASSIFY_N(f, test, T, I, ones, low, 4) \
    CLASSIFY_N(f, test, T, I, ones, low, 8) CLASSIFY_N(f, test, T, I, ones, low, 16)
#define CLASSIFY_N(f, test, T, I, ones, low, n) \
    I##n FLAT f(T##n x) \
    { \
        const I ONES = ones, LOW = low; \
        const I##n bits = as_##I##n(x), m = bits & (I)(ones | low); \
        (void)ONES, (void)LOW, (void)m; \
        return test; \
    }
CLASSIFY(isnan, m > ONES)
CLASSIFY(isinf, m == ONES)
CLASSIFY(isfinite, m < ONES)
CLASSIFY(isnormal, (m < ONES) & (m > LOW))
CLASSIFY(signbit, bits != m)

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
BOTH(half, short, ushort) BOTH(float, int, uint) BOTH(double, long, ulong)
