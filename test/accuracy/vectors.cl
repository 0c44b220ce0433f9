/* vectors.cl -- functions of vectors beside those of scalars (test/accuracy/vectors.c): each function here tells how many
 * components differ, over vectors of every width. */
#include "ventus.h"
#pragma clang optimize off /* loops enough, and a long time to make them better */

#define DECLARE1(name, R, A) R OVL name(A); R##2 OVL name(A##2); R##3 OVL name(A##3); R##4 OVL name(A##4); \
    R##8 OVL name(A##8); R##16 OVL name(A##16);
#define DECLARE2(name, R, A, B) R OVL name(A, B); R##2 OVL name(A##2, B##2); R##3 OVL name(A##3, B##3); \
    R##4 OVL name(A##4, B##4); R##8 OVL name(A##8, B##8); R##16 OVL name(A##16, B##16);
#define DECLARE3(name, R, A, B, C) R OVL name(A, B, C); R##2 OVL name(A##2, B##2, C##2); R##3 OVL name(A##3, B##3, C##3); \
    R##4 OVL name(A##4, B##4, C##4); R##8 OVL name(A##8, B##8, C##8); R##16 OVL name(A##16, B##16, C##16);

/* the same bits, or NaN both */
#define BYTE(x, k) (((__private const uchar *)&(x))[k])
#define COUNT(R, got, want) \
    do { \
        R g_ = got, w_ = want; \
        bool same_ = true; \
        for (uint b_ = 0; b_ < sizeof g_; b_++) \
            same_ &= BYTE(g_, b_) == BYTE(w_, b_); \
        differ += !same_ && !(g_ != g_ && w_ != w_); \
    } while (0)
#define LOADED(A, n, v, x) \
    A##n v = 0; \
    for (int k = 0; k < n; k++) \
        v[k] = x[i + k]

#define EACH(R, A, B, C, n, vector, scalar) \
    for (int i = 0; i + n <= count; i += n) { \
        LOADED(A, n, a, x); \
        LOADED(B, n, b, y); \
        LOADED(C, n, c, z); \
        (void)b, (void)c; \
        R##n r = vector; \
        for (int k = 0; k < n; k++) \
            COUNT(R, r[k], scalar); \
    }
#define SOME(prefix, name, R, A, B, C, vector, scalar) \
    int prefix##_##name##_##A(const A *x, const B *y, const C *z, int count) \
    { \
        int differ = 0; \
        EACH(R, A, B, C, 2, vector, scalar) EACH(R, A, B, C, 3, vector, scalar) EACH(R, A, B, C, 4, vector, scalar) \
        EACH(R, A, B, C, 8, vector, scalar) EACH(R, A, B, C, 16, vector, scalar) \
        return differ; \
    }
#define V1(name, R, A) DECLARE1(name, R, A) SOME(v1, name, R, A, A, A, name(a), name(x[i + k]))
#define V2(name, R, A, B) DECLARE2(name, R, A, B) SOME(v2, name, R, A, B, A, name(a, b), name(x[i + k], y[i + k]))
#define V3(name, R, A, B, C) \
    DECLARE3(name, R, A, B, C) SOME(v3, name, R, A, B, C, name(a, b, c), name(x[i + k], y[i + k], z[i + k]))
#define VS(name, T) \
    T##2 OVL name(T##2, T); T##3 OVL name(T##3, T); T##4 OVL name(T##4, T); T##8 OVL name(T##8, T); \
    T##16 OVL name(T##16, T); \
    SOME(vs, name, T, T, T, T, name(a, y[i]), name(x[i + k], y[i]))
#define SV(name, T) \
    T##2 OVL name(T, T##2); T##3 OVL name(T, T##3); T##4 OVL name(T, T##4); T##8 OVL name(T, T##8); \
    T##16 OVL name(T, T##16); \
    SOME(sv, name, T, T, T, T, name(x[i], b), name(x[i], y[i + k]))
#define VSS(name, T) \
    T##2 OVL name(T##2, T, T); T##3 OVL name(T##3, T, T); T##4 OVL name(T##4, T, T); T##8 OVL name(T##8, T, T); \
    T##16 OVL name(T##16, T, T); SOME(vss, name, T, T, T, T, name(a, y[i], z[i]), name(x[i + k], y[i], z[i]))
#define VVS(name, T) \
    T##2 OVL name(T##2, T##2, T); T##3 OVL name(T##3, T##3, T); T##4 OVL name(T##4, T##4, T); \
    T##8 OVL name(T##8, T##8, T); T##16 OVL name(T##16, T##16, T); \
    SOME(vvs, name, T, T, T, T, name(a, b, z[i]), name(x[i + k], y[i + k], z[i]))
#define SSV(name, T) \
    T##2 OVL name(T, T, T##2); T##3 OVL name(T, T, T##3); T##4 OVL name(T, T, T##4); T##8 OVL name(T, T, T##8); \
    T##16 OVL name(T, T, T##16); SOME(ssv, name, T, T, T, T, name(x[i], y[i], c), name(x[i], y[i], z[i + k]))
#define TEST1(name, T, I) \
    int OVL name(T); I##2 OVL name(T##2); I##3 OVL name(T##3); I##4 OVL name(T##4); I##8 OVL name(T##8); \
    I##16 OVL name(T##16); \
    SOME(t1, name, I, T, T, T, name(a), (I)-name(x[i + k]))
#define TEST2(name, T, I) \
    int OVL name(T, T); I##2 OVL name(T##2, T##2); I##3 OVL name(T##3, T##3); I##4 OVL name(T##4, T##4); \
    I##8 OVL name(T##8, T##8); I##16 OVL name(T##16, T##16); \
    SOME(t2, name, I, T, T, T, name(a, b), (I)-name(x[i + k], y[i + k]))
#include "vectors.def"

/* --- selection ------------------------------------------------------------------------------ */

/* of vectors by the sign of an integer, of scalars by whether it is 0; by bits; any and all of the signs */
#define SELECTION(T, I, U, n) \
    T##n OVL select(T##n, T##n, I##n); \
    T##n OVL select(T##n, T##n, U##n); \
    T##n OVL bitselect(T##n, T##n, T##n);
#define SELECT_N(T, I, U, n) \
    for (int i = 0; i + n <= count; i += n) { \
        LOADED(T, n, a, x); \
        LOADED(T, n, b, y); \
        LOADED(T, n, c, z); \
        T##n by_sign = select(a, b, as_##I##n(c)), by_top = select(a, b, as_##U##n(c)), bits = bitselect(a, b, c); \
        for (int k = 0; k < n; k++) { \
            T m = y[i + k], o = x[i + k], r = bits[k]; \
            COUNT(T, by_sign[k], as_##I(z[i + k]) < 0 ? m : o); \
            COUNT(T, by_top[k], as_##I(z[i + k]) < 0 ? m : o); \
            differ += as_##U(r) != (U)((as_##U(o) & ~as_##U(z[i + k])) | (as_##U(m) & as_##U(z[i + k]))); \
        } \
    }
#define SELECT(T, I, U) \
    SELECTION(T, I, U, ) SELECTION(T, I, U, 2) SELECTION(T, I, U, 3) SELECTION(T, I, U, 4) SELECTION(T, I, U, 8) \
    SELECTION(T, I, U, 16) \
    int select_##T(const T *x, const T *y, const T *z, int count) \
    { \
        int differ = 0; \
        SELECT_N(T, I, U, 2) SELECT_N(T, I, U, 3) SELECT_N(T, I, U, 4) SELECT_N(T, I, U, 8) SELECT_N(T, I, U, 16) \
        for (int i = 0; i < count; i++) { \
            U c = i & 1 ? (U)0 : (U)(as_##U(z[i]) & 3), r = as_##U(bitselect(x[i], y[i], z[i])); \
            COUNT(T, select(x[i], y[i], as_##I(c)), c ? y[i] : x[i]); \
            COUNT(T, select(x[i], y[i], c), c ? y[i] : x[i]); \
            differ += r != (U)((as_##U(x[i]) & ~as_##U(z[i])) | (as_##U(y[i]) & as_##U(z[i]))); \
        } \
        return differ; \
    }
SELECT(char, char, uchar) SELECT(uchar, char, uchar) SELECT(short, short, ushort) SELECT(ushort, short, ushort)
SELECT(int, int, uint) SELECT(uint, int, uint) SELECT(long, long, ulong) SELECT(ulong, long, ulong)
SELECT(half, short, ushort) SELECT(float, int, uint) SELECT(double, long, ulong)

#define FOLD_N(T, n) \
    for (int i = 0; i + n <= count; i++) { \
        T##n v = 0; \
        int some = 0, every = 1; \
        for (int k = 0; k < n; k++) { \
            v[k] = i & 1 ? (T)(x[i + k] | y[i + k]) : (T)(x[i + k] & y[i + k]); \
            v[k] = i & 2 ? -1 : i & 4 && k != i / 8 % n ? (T)(v[k] & ~((T)1 << (8 * sizeof(T) - 1))) : v[k]; \
            some |= v[k] < 0, every &= v[k] < 0; \
        } \
        if (i & 2 && i & 4) { \
            v[i / 8 % n] = 1; \
            every = 0, some = n > 1; \
        } \
        differ += (any(v) != 0) != some, differ += (all(v) != 0) != every; \
    }
#define FOLDS(T) \
    int OVL any(T); int OVL any(T##2); int OVL any(T##3); int OVL any(T##4); int OVL any(T##8); int OVL any(T##16); \
    int OVL all(T); int OVL all(T##2); int OVL all(T##3); int OVL all(T##4); int OVL all(T##8); int OVL all(T##16); \
    int fold_##T(const T *x, const T *y, const T *z, int count) \
    { \
        int differ = 0; \
        FOLD_N(T, 2) FOLD_N(T, 3) FOLD_N(T, 4) FOLD_N(T, 8) FOLD_N(T, 16) \
        for (int i = 0; i < count; i++) \
            differ += (any(x[i]) != 0) != (x[i] < 0), differ += (all(x[i]) != 0) != (x[i] < 0); \
        return differ; \
    }
FOLDS(char) FOLDS(short) FOLDS(int) FOLDS(long)

/* --- shuffles ------------------------------------------------------------------------------ */

#define SHUFFLE_N(T, U, n, to) \
    for (int i = 0; i + 16 <= count; i += 5) { \
        LOADED(T, n, a, x); \
        LOADED(T, n, b, y); \
        LOADED(T, to, c, z); \
        T##to one = shuffle(a, as_##U##to(c)), both = shuffle2(a, b, as_##U##to(c)); \
        for (int k = 0; k < to; k++) { \
            const uint from = (uint)as_##U(z[i + k]) & (2 * n - 1); \
            COUNT(T, one[k], x[i + (from & (n - 1))]); \
            COUNT(T, both[k], from < n ? x[i + from] : y[i + from - n]); \
        } \
    }
#define SHUFFLE_TO(T, U, n) SHUFFLE_N(T, U, n, 2) SHUFFLE_N(T, U, n, 4) SHUFFLE_N(T, U, n, 8) SHUFFLE_N(T, U, n, 16)
#define DECLARE_SHUFFLE(T, U, n, to) T##to OVL shuffle(T##n, U##to); T##to OVL shuffle2(T##n, T##n, U##to);
#define DECLARE_SHUFFLES(T, U, n) \
    DECLARE_SHUFFLE(T, U, n, 2) DECLARE_SHUFFLE(T, U, n, 4) DECLARE_SHUFFLE(T, U, n, 8) DECLARE_SHUFFLE(T, U, n, 16)
#define SHUFFLE(T, U) \
    DECLARE_SHUFFLES(T, U, 2) DECLARE_SHUFFLES(T, U, 4) DECLARE_SHUFFLES(T, U, 8) DECLARE_SHUFFLES(T, U, 16) \
    int shuffle_##T(const T *x, const T *y, const T *z, int count) \
    { \
        int differ = 0; \
        SHUFFLE_TO(T, U, 2) SHUFFLE_TO(T, U, 4) SHUFFLE_TO(T, U, 8) SHUFFLE_TO(T, U, 16) \
        return differ; \
    }
SHUFFLE(char, uchar) SHUFFLE(uchar, uchar) SHUFFLE(short, ushort) SHUFFLE(ushort, ushort) SHUFFLE(int, uint)
SHUFFLE(uint, uint) SHUFFLE(long, ulong) SHUFFLE(ulong, ulong) SHUFFLE(half, ushort) SHUFFLE(float, uint)
SHUFFLE(double, ulong)

/* --- geometry ------------------------------------------------------------------------------ */

/* Of n components: dot, length, distance, the normalized vector; of floats the last three by fast functions, too. */
#define DECLARE_GEOMETRY(T, V) T OVL dot(V, V); T OVL length(V); T OVL distance(V, V); V OVL normalize(V);
#define DECLARE_FAST(V) float OVL fast_length(V); float OVL fast_distance(V, V); V OVL fast_normalize(V);
#define PUT(T, to, n, vector) \
    for (int k = 0; k < n; k++) \
        *to++ = ((__private const T *)&vector)[k]
#define GEOMETRY(T, V, n, MORE) \
    DECLARE_GEOMETRY(T, V) \
    void geometry_##T##n(const T *x, const T *y, T *to, int count) \
    { \
        for (int i = 0; i < count; i++, x += n, y += n) { \
            V a = 0, b = 0; \
            for (int k = 0; k < n; k++) \
                ((__private T *)&a)[k] = x[k], ((__private T *)&b)[k] = y[k]; \
            V unit = normalize(a); \
            *to++ = dot(a, b); \
            *to++ = length(a); \
            *to++ = distance(a, b); \
            PUT(T, to, n, unit); \
            MORE(V, n) \
        } \
    }
#define NO_MORE(V, n)
#define FAST_ONES(V, n) \
    V fast = fast_normalize(a); \
    *to++ = fast_length(a); \
    *to++ = fast_distance(a, b); \
    PUT(float, to, n, fast);
DECLARE_FAST(float) DECLARE_FAST(float2) DECLARE_FAST(float3) DECLARE_FAST(float4)
GEOMETRY(float, float, 1, FAST_ONES) GEOMETRY(float, float2, 2, FAST_ONES) GEOMETRY(float, float3, 3, FAST_ONES)
GEOMETRY(float, float4, 4, FAST_ONES)
GEOMETRY(double, double, 1, NO_MORE) GEOMETRY(double, double2, 2, NO_MORE) GEOMETRY(double, double3, 3, NO_MORE)
GEOMETRY(double, double4, 4, NO_MORE)
#define CROSS(T) \
    T##3 OVL cross(T##3, T##3); \
    T##4 OVL cross(T##4, T##4); \
    void cross_##T(const T *x, const T *y, T *to, int count) \
    { \
        for (int i = 0; i < count; i++, x += 3, y += 3) { \
            T##3 a = {x[0], x[1], x[2]}, b = {y[0], y[1], y[2]}, three = cross(a, b); \
            T##4 four = cross((T##4)(a, (T)7), (T##4)(b, (T)9)); \
            PUT(T, to, 3, three); \
            PUT(T, to, 4, four); \
        } \
    }
CROSS(float) CROSS(double)
