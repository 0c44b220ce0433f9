/* OpenCL C 2.0 (test/cc/cl20.cl). */
#include "test/kit/oclkit.h"
#include <math.h>
#include <string.h>

REF(generic_pointers)
{
    const i32 *x = A(0);
    u32 *out = A(1);
    EACH
    {
        u32 p = 0, any = 0;
        for (u32 k = 0; k < 4; k++) {
            p = p * 3 + (u32)(x[i] >> k);
            any = any * 3 + (u32)(x[i] & 1 ? x[i] >> k : x[(i & ~3u) + k]);
        }
        out[i] ^= (any + p) ^ 5;
    }
}

REF(generic_moves)
{
    u8 *x = A(0);
    const u32 *n = A(1);
    EACH
    {
        u8 own[64], p[64], *g = x + 64 * i;
        const u32 a = n[i] % 20, b = n[i] / 32 % 30;
        memset(own, (int)b, 64);
        memcpy(p, g, 64);
        memset(p + a, (int)b, a + b);
        memcpy(own + a, p + b, 30);
        memmove(own + 5, own + a, b);
        memset(g + b, 7, a);
        memcpy(g + a, own, 40);
    }
}

REF(generic_kinds)
{
    u32 *out = A(1);
    EACH out[i] = i & 1 ? 4 : i & 2 ? 2 : 1;
}

REF(generic_or_nothing)
{
    const i32 *x = A(0);
    i32 *out = A(1);
    EACH out[i] = x[i] & 1 ? x[i] : -7;
}

REF(generic_choice)
{
    const u32 *a = A(0), *b = A(1);
    u32 *out = A(2);
    EACH
    {
        u32 p = 0, q = 0, sum = 0;
        for (u32 k = 0; k < 8; k++) {
            sum = sum * 3 + (k & i ? a[p] : b[q]);
            p += 1 + (k & 1);
            q += 1 + (sum & 1);
        }
        out[i] = sum;
    }
}

REF(program_scope)
{
    const u32 *x = A(0);
    u32 *out = A(1);
    EACH out[i] = (x[i] & 3) * (x[i] & 3) + 44;
}

REF(static_in_function)
{
    u32 *out = A(0);
    EACH out[i] = 1;
}

REF(c11_atomics)
{
    const i32 *x = A(0);
    i32 *c = A(1);
    u32 *u = A(1);
    EACH
    {
        u[0] += (u32)x[i];
        u[1] -= (u32)x[i];
        c[2] |= x[i];
        c[3] &= x[i];
        c[4] ^= x[i];
        c[5] = x[i] < c[5] ? x[i] : c[5];
        c[6] = x[i] > c[6] ? x[i] : c[6];
        u[7] = u[7] * 3 + 1;
    }
}

REF(local_atomics)
{
    const u32 *x = A(0);
    u32 *out = A(1);
    const u32 n = job->local[0];
    EACH_GROUP
    {
        u32 sum = 1005, top = 0;
        for (u32 l = 0; l < n; l++) {
            sum += x[g + l];
            top = x[g + l] > top ? x[g + l] : top;
        }
        for (u32 l = 0; l < n; l++)
            out[g + l] = sum ^ top;
    }
}

REF(group_functions)
{
    const i32 *x = A(0);
    i32 *out = A(1);
    EACH
    {
        const u32 n = job->local[0], l = i % n;
        const i32 *v = x + (i - l);
        i32 *o = out + 10 * i;
        u32 sum = 0, before = 0;
        o[0] = 1, o[1] = 0, o[2] = v[5], o[4] = v[0], o[5] = v[0], o[8] = v[0], o[9] = INT32_MAX;
        for (u32 k = 0; k < n; k++) {
            o[0] &= (v[k] & 0xff) != 0;
            o[1] |= v[k] == x[0];
            sum += (u32)v[k];
            o[4] = v[k] < o[4] ? v[k] : o[4];
            o[5] = v[k] > o[5] ? v[k] : o[5];
            before += k < l ? (u32)v[k] : 0;
            o[8] = k <= l && v[k] > o[8] ? v[k] : o[8];
            o[9] = k < l && v[k] < o[9] ? v[k] : o[9];
        }
        o[3] = (i32)sum, o[6] = (i32)before, o[7] = (i32)(before + (u32)v[l]);
    }
}

REF(group_functions_long)
{
    const u64 *x = A(0);
    u64 *out = A(1);
    EACH
    {
        const u32 n = job->local[0], l = i % n;
        const u64 *v = x + (i - l);
        u64 *o = out + 3 * (size_t)i;
        o[0] = 0, o[1] = v[0], o[2] = v[n - 1];
        for (u32 k = 0; k < n; k++) {
            o[0] += v[k];
            o[1] = k <= l && v[k] < o[1] ? v[k] : o[1];
        }
    }
}

/* reduction, inclusive and exclusive scan at l of n values, of the expression of a and b */
#define OPERATION(T, neutral, ab)                                                                  \
    do {                                                                                           \
        T a = neutral;                                                                             \
        for (u32 k = 0; k < n; k++) {                                                              \
            const T b = v[k];                                                                      \
            if (k == l)                                                                            \
                o[2] = a;                                                                          \
            a = ab;                                                                                \
            if (k == l)                                                                            \
                o[1] = a;                                                                          \
        }                                                                                          \
        o[0] = a;                                                                                  \
        o += 3;                                                                                    \
    } while (0)

#define INTEGERS(name, T)                                                                          \
    REF(name)                                                                                      \
    {                                                                                              \
        const u32 n = job->local[0];                                                               \
        EACH                                                                                       \
        {                                                                                          \
            const u32 l = i % n;                                                                   \
            const T *v = (const T *)A(0) + (i - l);                                                \
            T *o = (T *)A(1) + 12 * (size_t)i;                                                     \
            OPERATION(T, 1, a *b);                                                                 \
            OPERATION(T, (T)~0ull, a &b);                                                          \
            OPERATION(T, 0, a | b);                                                                \
            OPERATION(T, 0, a ^ b);                                                                \
        }                                                                                          \
    }
INTEGERS(integers_int, u32)
INTEGERS(integers_uint, u32)
INTEGERS(integers_long, u64)
INTEGERS(integers_ulong, u64)

REF(logical)
{
    const u32 n = job->local[0];
    EACH
    {
        const u32 l = i % n;
        const u32 *v = (const u32 *)A(0) + (i - l);
        u32 *o = (u32 *)A(1) + 9 * (size_t)i;
        OPERATION(u32, 1, a && b);
        OPERATION(u32, 0, a || b);
        OPERATION(u32, 0, !a != !b);
    }
}

#define LEAST(a, b)    ((b) < (a) ? (b) : (a))
#define GREATEST(a, b) ((b) > (a) ? (b) : (a))
#define ORDERED(name, T, U, least, greatest)                                                       \
    REF(ordered_##name)                                                                            \
    {                                                                                              \
        const u32 n = job->local[0];                                                               \
        EACH                                                                                       \
        {                                                                                          \
            const u32 l = i % n;                                                                   \
            const T *v = (const T *)A(0) + (i - l);                                                \
            T *o = (T *)A(1) + 9 * (size_t)i;                                                      \
            OPERATION(T, 0, (T)((U)a + (U)b));                                                     \
            OPERATION(T, greatest, LEAST(a, b));                                                   \
            OPERATION(T, least, GREATEST(a, b));                                                   \
        }                                                                                          \
    }
ORDERED(int, i32, u32, INT32_MIN, INT32_MAX)
ORDERED(uint, u32, u32, 0, UINT32_MAX)
ORDERED(long, i64, u64, INT64_MIN, INT64_MAX)
ORDERED(ulong, u64, u64, 0, UINT64_MAX)

#define ORDERED_REAL(name, T)                                                                      \
    REF(ordered_##name)                                                                            \
    {                                                                                              \
        const u32 *x = A(0), n = job->local[0];                                                    \
        EACH                                                                                       \
        {                                                                                          \
            const u32 l = i % n;                                                                   \
            T *o = (T *)A(1) + 9 * (size_t)i, v[64];                                               \
            for (u32 k = 0; k < n; k++)                                                            \
                v[k] = (T)(i32)(x[i - l + k] % 60) - 30;                                           \
            OPERATION(T, 0, a + b);                                                                \
            OPERATION(T, (T)INFINITY, LEAST(a, b));                                                \
            OPERATION(T, (T)-INFINITY, GREATEST(a, b));                                            \
        }                                                                                          \
    }
ORDERED_REAL(half, float)
ORDERED_REAL(float, float)
ORDERED_REAL(double, double)

REF(broadcasts)
{
    const u32 *x = A(0), *size = job->local, *all = job->global;
    const u64 *values = A(1);
    EACH
    {
        const u32 at[] = {i % all[0] / size[0] * size[0] + x[0] % size[0],
                          i / all[0] % all[1] / size[1] * size[1] + x[1] % size[1],
                          i / all[0] / all[1] / size[2] * size[2] + x[2] % size[2]};
        const u64 v = values[(at[2] * all[1] + at[1]) * all[0] + at[0]];
        const float f = (float)(v >> 48);
        const double d = (double)(v >> 16);
        u64 *o = (u64 *)A(2) + 7 * (size_t)i;
        o[0] = (u32)v, o[1] = (u32)(v >> 8), o[2] = v, o[3] = v * 3, o[4] = v & 0x7bff, o[5] = 0;
        memcpy(&o[5], &f, sizeof f);
        memcpy(&o[6], &d, sizeof d);
    }
}

REF(predicates)
{
    const u32 *x = A(0), n = job->local[0];
    EACH
    {
        i32 *o = (i32 *)A(1) + 2 * (size_t)i;
        o[0] = 0, o[1] = 1;
        for (u32 k = 0; k < n; k++) {
            o[0] |= x[i - i % n + k] % 16 == 0;
            o[1] &= x[i - i % n + k] % 16 != 0;
        }
    }
}

/* the sum of exponents */
static void products(const KitJob *job, double (*out)[3])
{
    const u32 *x = A(0), n = job->local[0];
    EACH
    {
        const u32 l = i % n;
        double *o = out[i], v[64];
        for (u32 k = 0; k < n; k++)
            v[k] = x[i - l + k] % 3 ? 2 : 0.25;
        OPERATION(double, 1, a *b);
    }
}

REF(products_float)
{
    double want[64][3];
    products(job, want);
    EACH for (u32 k = 0; k < 3; k++)((float *)A(1))[3 * i + k] = (float)want[i][k];
}

REF(products_double) { products(job, A(1)); }

/* 1 to 7 items: no product leaves half's range of exponents */
REF(products_half)
{
    double want[64][3];
    products(job, want);
    EACH for (u32 k = 0; k < 3; k++)
    {
        int e;
        frexp(want[i][k], &e);
        ((u16 *)A(1))[3 * i + k] = (u16)((e - 1 + 15) << 10);
    }
}

static void boxes(u8 *out, const u8 *x, u32 size)
{
    u8 t[24 * 16 + 4] = {0}, *first = t + (size == 1);
    for (u32 z = 0; z < 2; z++)
        for (u32 y = 0; y < 4; y++)
            memcpy(first + (z * 12 + y * 3) * size, x + (8 + z * 35 + y * 7) * size, 3 * size);
    *first ^= 0x55;
    for (u32 z = 0; z < 2; z++)
        for (u32 y = 0; y < 4; y++)
            memcpy(out + (2 + z * 20 + y * 4) * size, first + (z * 12 + y * 3) * size, 3 * size);
    for (u32 y = 0; y < 3; y++)
        memcpy(out + (42 + y * 2) * size, t + y * 6 * size, 2 * size);
}
REF(boxes_1) { boxes(A(1), A(0), 1); }
REF(boxes_3) { boxes(A(1), A(0), 3); }
REF(boxes_4) { boxes(A(1), A(0), 4); }
REF(boxes_12) { boxes(A(1), A(0), 12); }
REF(boxes_16) { boxes(A(1), A(0), 16); }

static void copies(const KitJob *job, u32 size)
{
    const u32 n = VALUE(u32, 2), stride = VALUE(u32, 3);
    const u8 *x = A(0);
    u8 *out = A(1);
    memcpy(out, x, (size_t)n * size);
    for (u32 i = 0; i < n; i++) {
        memcpy(out + (n + i) * size, x + i * stride * size, size);
        memcpy(out + (2 * n + i * stride) * size, x + i * size, size);
    }
}
#define COPIES(T, size)                                                                            \
    REF(copies_##T) { copies(job, size); }
COPIES(char, 1)
COPIES(ushort, 2)
COPIES(int, 4)
COPIES(ulong, 8)
COPIES(half, 2)
COPIES(float, 4)
COPIES(double, 8)
COPIES(uchar2, 2)
COPIES(short4, 8)
COPIES(uint8, 32)
COPIES(long2, 16)
COPIES(half16, 32)
COPIES(float4, 16)
COPIES(double2, 16)
COPIES(int16, 64)

REF(linear_ids)
{
    u32 *out = A(0);
    const u32 *l = job->local, w = job->global[0];
    EACH out[i] = i % w % l[0] + i / w % l[1] * l[0] + 1000 * l[0];
}

REF(compound)
{
    u32 *out = A(0);
    EACH out[i] = i % 4 == 0 ? i : i % 4 == 1 ? 3 : i % 4 == 2 ? 2 * i : 9;
}

enum { SCALARS = 320 };

static u32 spill_leaf(const u32 *a, u32 t)
{
    u32 s = 0;
    for (u32 k = 0; k < SCALARS; k++)
        s += a[k];
    for (u32 k = 0; k < SCALARS; k++)
        t = t * 3 + (s ^ a[SCALARS - 1 - k]);
    return t;
}

REF(scalar_spill_in_calls)
{
    const u32 *a = A(0);
    u32 *out = A(1), s = 0;
    for (u32 k = 0; k < SCALARS; k++)
        s ^= a[k];
    EACH
    {
        u32 t = spill_leaf(a, i + s);
        for (u32 k = 0; k < SCALARS; k++)
            t = (t ^ a[k]) * (s | 1);
        if (t & 1)
            t = spill_leaf(a, t);
        for (u32 k = 0; k < SCALARS; k++)
            t = t * 5 + a[k];
        out[i] = t + spill_leaf(a, i * 7);
    }
}

REF(literal_operands)
{
    u32 *x = A(0);
    EACH
    {
        x[0] += 1;
        x[1] -= 3;
        x[2] -= 2;
        x[3] ^= 5;
    }
}

static const KitCase cases[] = {
    CASE(generic_pointers, "64/32", "w64 w64"),
    CASE(generic_moves, "64/32", "c4096 w64"),
    CASE(generic_kinds, "64/32", "w64 w64"),
    CASE(generic_or_nothing, "64/32", "w64 w64"),
    CASE(generic_choice, "64/32", "w64 w64 w64"),
    CASE(program_scope, "64/32", "w64 w64"),
    CASE(static_in_function, "64/32", "w64"),
    CASE(c11_atomics, "64/32", "w64 w8"),
    CASE(local_atomics, "64/32", "w64 w64"),
    CASE(group_functions, "96/48", "w96 w960"),
    CASE(group_functions, "64/64", "w64 w640"),
    CASE(group_functions_long, "64/32", "q64 q192"),
    CASE(integers_int, "94/47", "w94 w1128"),
    CASE(integers_uint, "64/32", "w64 w768"),
    CASE(integers_long, "46/23", "q46 q552"),
    CASE(integers_ulong, "64/64", "q64 q768"),
    CASE(logical, "60/10", "w60%5 w540"),
    CASE(ordered_int, "94/47", "w94 w846"),
    CASE(ordered_uint, "64/64", "w64 w576"),
    CASE(ordered_long, "46/23", "q46 q414"),
    CASE(ordered_ulong, "65/13", "q65 q585"),
    CASE(ordered_half, "60/30", "w60 w540"),
    CASE(ordered_float, "57/57", "w57 w513"),
    CASE(ordered_double, "50/25", "w50 q450"),
    CASE(broadcasts, "8,6,4/4,3,2", "w3 q192 q1344"),
    CASE(broadcasts, "15,7,2/5,7,1", "w3 q210 q1470"),
    CASE(predicates, "96/12", "w96 w192"),
    CASE(products_half, "60/6", "w60 h180"),
    CASE(products_float, "64/64", "w64 w192"),
    CASE(products_double, "62/31", "w62 q186"),
    CASE(boxes_1, "16/16", "c100 c80"),
    CASE(boxes_3, "7/7", "c300 c200"),
    CASE(boxes_4, "16/16", "c400 c240"),
    CASE(boxes_12, "40/40", "c1200 c700"),
    CASE(boxes_16, "4/4", "c1500 c900"),
    CASE(copies_char, "7/7", "c200 c300 =33 =5"),
    CASE(copies_ushort, "32/32", "h200 h300 =40 =3"),
    CASE(copies_int, "20/20", "w200 w300 =31 =4"),
    CASE(copies_ulong, "64/64", "q200 q300 =29 =2"),
    CASE(copies_half, "5/5", "h200 h300 =33 =1"),
    CASE(copies_float, "16/16", "w200 w300 =1 =9"),
    CASE(copies_double, "9/9", "q200 q300 =17 =7"),
    CASE(copies_uchar2, "10/10", "h200 h300 =33 =5"),
    CASE(copies_short4, "33/33", "q200 q300 =33 =5"),
    CASE(copies_uint8, "8/8", "q400 q600 =21 =3"),
    CASE(copies_long2, "12/12", "q300 q400 =20 =6"),
    CASE(copies_half16, "3/3", "q400 q600 =11 =4"),
    CASE(copies_float4, "15/15", "q300 q400 =14 =8"),
    CASE(copies_double2, "6/6", "q300 q400 =30 =3"),
    CASE(copies_int16, "4/4", "q800 q999 =12 =5"),
    CASE(linear_ids, "12,6/4,3", "w72"),
    CASE(compound, "64/32", "w64"),
    CASE(scalar_spill_in_calls, "64/32", "w320 w64"),
    CASE(literal_operands, "65/13", "w4"),
};

int main(void) { return kit_main("cl20.cl", "-cl-std=CL2.0", cases, countof(cases)); }
