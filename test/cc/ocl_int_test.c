/* Integers of every width with every operator (test/cc/int.cl). */
#include "test/kit/oclkit.h"

typedef i8 char_;
typedef u8 uchar_;
typedef i16 short_;
typedef u16 ushort_;
typedef i32 int_;
typedef u32 uint_;
typedef i64 long_;
typedef u64 ulong_;

/* sums and products wrap: computed without a sign */
#define BINARY(name, T, expr)                                                                      \
    REF(name)                                                                                      \
    {                                                                                              \
        const T *x = A(0), *y = A(1);                                                              \
        T *out = A(2);                                                                             \
        EACH                                                                                       \
        {                                                                                          \
            const T a = x[i], b = y[i];                                                            \
            const u64 ua = (u64)a, ub = (u64)b;                                                    \
            const u32 bits = sizeof(T) * 8;                                                        \
            (void)ua, (void)ub, (void)bits;                                                        \
            out[i] = (T)(expr);                                                                    \
        }                                                                                          \
    }

#define SAFE(T, instead) (b == 0 || b == (T)-1 ? (T)(instead) : b)

#define OPERATORS(T)                                                                               \
    BINARY(add_##T, T##_, ua + ub)                                                                 \
    BINARY(sub_##T, T##_, ua - ub)                                                                 \
    BINARY(mul_##T, T##_, ua *ub)                                                                  \
    BINARY(logic_##T, T##_, (ua & ub) ^ (ua | ~ub))                                                \
    BINARY(quotient_##T, T##_, a / SAFE(T##_, 3))                                                  \
    BINARY(remainder_##T, T##_, a % SAFE(T##_, 7))                                                 \
    BINARY(left_##T, T##_, ua << (ub & (bits - 1)))                                                \
    BINARY(right_##T, T##_, a >> (ub & (bits - 1)))                                                \
    BINARY(compare_##T, T##_, a == b ? 2 + 4 + 32 : a < b ? 1 + 2 + 8 : 8 + 16 + 32)               \
    BINARY(truth_##T, T##_, (a && b ? 1 : 0) + (a || b ? 2 : 0) + (a ? 0 : 4))                     \
    BINARY(by_constants_##T, T##_,                                                                 \
           (u64)(a / 10) + (u64)(a % 10) * 3 + (u64)(a / 8) + (u64)(a % 16) + (ua << 3) +          \
               ua * 100)

OPERATORS(char)
OPERATORS(uchar)
OPERATORS(short)
OPERATORS(ushort)
OPERATORS(int)
OPERATORS(uint)
OPERATORS(long)
OPERATORS(ulong)

REF(assign)
{
    i32 *x = A(0);
    const u32 *y = A(1);
    EACH
    {
        u32 a = (u32)x[i] + y[i];
        a = a ^ a << 3;
        a = (a - y[i] * 7) | 1;
        a = a % 1000003 * 13 << (y[i] & 3);
        a = (a >> 1 & ~8u) / 3;
        x[i] = (i32)(a + (a + 2) * 3 - (a + 2));
    }
}

REF(convert)
{
    const u64 *x = A(0);
    u64 *out = A(1);
    EACH
    {
        static const int bits[] = {8, 8, 16, 16, 32, 32};
        for (u32 k = 0; k < 6; k++)
            out[8 * i + k] =
                k & 1 ? x[i] & (((u64)1 << bits[k]) - 1) : (u64)sign_extend(x[i], bits[k]);
        out[8 * i + 6] = x[i] != 0;
        out[8 * i + 7] = (u64)sign_extend(x[i], 8);
    }
}

REF(long_chain)
{
    const u64 *x = A(0);
    const i32 *y = A(1);
    u64 *out = A(2);
    EACH
    {
        u64 acc = x[i];
        for (int k = 0; k < y[i] % 32 + (y[i] % 32 < 0 ? 32 : 0); k++) {
            acc = acc * 6364136223846793005u + 1442695040888963407u;
            acc ^= acc >> 29;
            if (acc % 2)
                acc += (u64)(i64)y[i] << 17;
        }
        out[i] = acc;
    }
}

REF(wide_constants)
{
    const u32 *x = A(0);
    u64 *out = A(1);
    EACH
    {
        const u64 v = x[i];
        out[i] = (v + 1311768467463790335u) ^ (v * 1099511628211u) ^ v % 4096 << 52 ^ 2048 ^
                 0x7fffffff80000000u;
    }
}

#define ROWS(T, random)                                                                            \
    CASE(add_##T, "64/16", random), CASE(sub_##T, "64/16", random),                                \
        CASE(mul_##T, "64/16", random), CASE(logic_##T, "64/16", random),                          \
        CASE(quotient_##T, "64/16", random), CASE(remainder_##T, "64/16", random),                 \
        CASE(left_##T, "64/16", random), CASE(right_##T, "64/16", random),                         \
        CASE(compare_##T, "64/16", random), CASE(truth_##T, "64/16", random),                      \
        CASE(by_constants_##T, "64/16", random)

static const KitCase cases[] = {
    ROWS(char, "c64 c64 c64"),
    ROWS(uchar, "c64 c64 c64"),
    ROWS(short, "h64 h64 h64"),
    ROWS(ushort, "h64 h64 h64"),
    ROWS(int, "w64 w64 w64"),
    ROWS(uint, "w64 w64 w64"),
    ROWS(long, "q64 q64 q64"),
    ROWS(ulong, "q64 q64 q64"),
    CASE(assign, "64/32", "w64 w64"),
    CASE(convert, "64/32", "q64 q512"),
    CASE(long_chain, "96/32", "q96 w96 q96"),
    CASE(wide_constants, "64/64", "w64 q64"),
};

int main(void) { return kit_main("int.cl", NULL, cases, countof(cases)); }
