/* Atomics of 64 bits and of floats (test/cc/atomic64.cl).  Every order of the operations gives
 * these results.  And what atomics of every type answer, one after the other. */
#include "test/kit/oclkit.h"

static void integers(KitJob *job)
{
    const i64 *x = A(0);
    i64 *s = A(1);
    u64 *u = A(2), *w = A(1);
    EACH
    {
        const i64 v = x[i];
        const u32 k = v & 3;
        w[k] += (u64)v;
        w[4 + k] -= (u64)v;
        s[8 + k] = v < s[8 + k] ? v : s[8 + k];
        s[12 + k] = v > s[12 + k] ? v : s[12 + k];
        s[16 + k] &= v | 0xff;
        s[20 + k] |= v;
        s[24 + k] ^= v;
        u[k] += (u64)v;
        u[4 + k] = (u64)v < u[4 + k] ? (u64)v : u[4 + k];
        u[8 + k] = (u64)v > u[8 + k] ? (u64)v : u[8 + k];
    }
}

REF(old_names)
{
    u64 *w = A(1);
    integers(job);
    w[28] += job->n;
    w[29] -= job->n;
}

REF(new_names)
{
    u64 *u = A(2);
    integers(job);
    EACH u[12] = u[12] * 3 + 1;
}

REF(tickets)
{
    u64 *next = A(0);
    u32 *seen = A(1);
    *next += job->n * (u64)0x10000001;
    EACH seen[i] = 1;
}

REF(in_local)
{
    const u32 *x = A(0);
    u64 *out = A(1);
    const u32 n = job->local[0];
    EACH_GROUP
    {
        u64 sum[2] = {0, (u64)1 << 32}, turned = 0;
        for (u32 l = 0; l < n; l++)
            if (x[g + l] & 1)
                sum[x[g + l] >> 1 & 1] += (x[g + l] & 7) * (u64)0x80000001;
            else if (x[g + l] & 8)
                turned ^= (u64)l << 40;
        /* a sum has less than 7 * 2^31 * n, so below the 40th bit for the sizes below */
        for (u32 l = 0; l < n; l++)
            out[g + l] = sum[0] ^ sum[1] ^ turned;
    }
}

/* none was torn */
REF(whole) { (void)job; }

REF(floats)
{
    const i32 *x = A(0);
    float *f = A(1);
    double *d = A(2);
    EACH
    {
        const i32 v = x[i] >> 20;
        const u32 k = v & 1;
        const float w = (float)v;
        const double h = v + 0.5;
        f[k] += w;
        f[2 + k] -= w;
        f[4 + k] = w < f[4 + k] ? w : f[4 + k];
        f[6 + k] = w > f[6 + k] ? w : f[6 + k];
        d[k] += v * 0x1.0p33;
        d[2 + k] -= v * 0x1.0p33;
        d[4 + k] = h < d[4 + k] ? h : d[4 + k];
        d[6 + k] = h > d[6 + k] ? h : d[6 + k];
    }
}

REF(float_local)
{
    const i32 *x = A(0);
    float *out = A(1);
    const u32 n = job->local[0];
    EACH_GROUP
    {
        float sum = 0.5f, largest = -0x1p31f;
        for (u32 l = 0; l < n; l++) {
            const float v = (float)(x[g + l] >> 20);
            sum += v;
            largest = v > largest ? v : largest;
        }
        for (u32 l = 0; l < n; l++) {
            out[2 * (g + l)] = sum;
            out[2 * (g + l) + 1] = largest;
        }
    }
}

/* --- answers -------------------------------------------------------------------------------- */

enum { ANSWERS = 46 };
#define ANSWER(now)       (old = m, m = (T)(now), *o++ = old)
#define OPERAND(k)        ((T)((U)v + (k)))

/* of the old functions */
#define LEGACY                                                                                     \
    do {                                                                                           \
        ANSWER((U)m + (U)OPERAND(1)), ANSWER((U)m - (U)OPERAND(2));                                \
        ANSWER(OPERAND(3) < m ? OPERAND(3) : m), ANSWER(OPERAND(4) > m ? OPERAND(4) : m);          \
        ANSWER(m & (OPERAND(5) | 0xff0)), ANSWER(m | (OPERAND(6) & 0xff)), ANSWER(m ^ OPERAND(7)); \
        ANSWER((U)m + 1), ANSWER((U)m - 1), ANSWER(OPERAND(8));                                    \
        ANSWER(m), ANSWER(OPERAND(11)), *o++ = m;                                                  \
    } while (0)
#define EVERY                                                                                      \
    do {                                                                                           \
        ANSWER((U)m + (U)OPERAND(0)), ANSWER((U)m - (U)OPERAND(1)), ANSWER(m ^ OPERAND(2));        \
        ANSWER(m | (OPERAND(3) & 0xff)), ANSWER(m & (OPERAND(4) | 0xff0));                         \
        ANSWER(OPERAND(5) < m ? OPERAND(5) : m), ANSWER(OPERAND(6) > m ? OPERAND(6) : m);          \
        ANSWER(OPERAND(7)), ANSWER(OPERAND(8)), *o++ = OPERAND(8);                                 \
        *o++ = OPERAND(9), *o++ = OPERAND(10);                                                     \
        *o++ = 0, *o++ = OPERAND(10), *o++ = 1, *o++ = OPERAND(10); /* V(11) is not there */       \
        *o++ = 0, *o++ = OPERAND(13), *o++ = OPERAND(13), *o++ = OPERAND(15);                      \
        m = OPERAND(15);                                                                           \
        LEGACY;                                                                                    \
        LEGACY;                                                                                    \
    } while (0)
#define ANSWERS_OF(name, T_, U_)                                                                   \
    REF(answers_##name)                                                                            \
    {                                                                                              \
        typedef T_ T;                                                                              \
        typedef U_ U;                                                                              \
        EACH                                                                                       \
        {                                                                                          \
            T *x = A(0), *o = (T *)A(2) + 2 * ANSWERS * i, old, m = x[i];                          \
            const T v = ((const T *)A(1))[i];                                                      \
            EVERY;                                                                                 \
            const T left = m;                                                                      \
            m = x[i];                                                                              \
            EVERY;                                                                                 \
            x[i] = left;                                                                           \
        }                                                                                          \
    }
ANSWERS_OF(int, i32, u32)
ANSWERS_OF(uint, u32, u32)
ANSWERS_OF(long, i64, u64)
ANSWERS_OF(ulong, u64, u64)

#define REAL_ANSWERS(T)                                                                            \
    REF(answers_##T)                                                                               \
    {                                                                                              \
        const i32 *x = A(0), *y = A(1);                                                            \
        EACH                                                                                       \
        {                                                                                          \
            const T first = (T)(x[i] % 64) / 2, v = (T)(y[i] % 64) / 4, third = first - 3;         \
            const T least = v < third ? v : third, greatest = v - 7 > least ? v - 7 : least;       \
            const T want[12] = {first,    first + v, third, least,  greatest, v + 1,               \
                                0,        v + 2,     1,     v + 2,  v + 4,    v + 4};              \
            for (u32 k = 0; k < 12; k++)                                                           \
                ((T *)A(2))[12 * i + k] = want[k];                                                 \
        }                                                                                          \
    }
REAL_ANSWERS(float)
REAL_ANSWERS(double)

REF(exchanged_floats)
{
    float *x = A(0), *out = A(2);
    const float *y = A(1);
    EACH
    {
        out[2 * i] = x[i];
        out[2 * i + 1] = x[i] + 1;
        x[i] = y[i];
    }
}

static const KitCase cases[] = {
    CASE(answers_int, "64/32", "w64 w64 w5888"),
    CASE(answers_uint, "64/32", "w64 w64 w5888"),
    CASE(answers_long, "64/32", "q64 q64 q5888"),
    CASE(answers_ulong, "64/32", "q64 q64 q5888"),
    CASE(answers_float, "64/32", "w64 w64 o768"),
    CASE(answers_double, "64/32", "w64 w64 q768"),
    CASE(exchanged_floats, "64/32", "f64 f64 o128"),
    CASE(old_names, "256/32", "q256 q30 q12"), CASE(old_names, "37/37", "q37 q30 q12"),
    CASE(new_names, "256/64", "q256 q28 q13"), CASE(tickets, "256/32", "q1%1 w256%1"),
    CASE(in_local, "64/32", "w64 o128"),       CASE(whole, "128/32", "w128 w1%1"),
    CASE(floats, "256/32", "w256 o8 o16"),     CASE(float_local, "64/16", "w64 o128"),
};

int main(void) { return kit_main("atomic64.cl", "-cl-std=CL3.0", cases, countof(cases)); }
