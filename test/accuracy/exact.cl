/* exact.cl -- loops over functions of the library under names that C knows (test/accuracy/exact.c). */
#include "ventus.h"

/* --- integers: every type through long ---------------------------------------------------------- */

#define LOOP(name, T, ...) \
    void run_##name##_##T(const long *a, const long *b, const long *c, long *r, int n) \
    { \
        for (int i = 0; i < n; i++) { \
            T x = (T)a[i], y = (T)b[i], z = (T)c[i]; \
            (void)y, (void)z; \
            r[i] = (long)name(__VA_ARGS__); \
        } \
    }
#define ARGS1(name, T) OVERLOADS(name, T, (T)) LOOP(name, T, x)
#define ARGS2(name, T) OVERLOADS(name, T, (T, T)) LOOP(name, T, x, y)
#define ARGS3(name, T) OVERLOADS(name, T, (T, T, T)) LOOP(name, T, x, y, z)
#define U_char uchar
#define U_uchar uchar
#define U_short ushort
#define U_ushort ushort
#define U_int uint
#define U_uint uint
#define U_long ulong
#define U_ulong ulong
#define OVERLOADS(name, T, args) DECLARE_##name(name, T, args)
#define SAME(name, T, args) T OVL name args;
#define UNSIGNED(name, T, args) U_##T OVL name args;
#define DECLARE_abs UNSIGNED
#define DECLARE_abs_diff UNSIGNED
#define DECLARE_clz SAME
#define DECLARE_ctz SAME
#define DECLARE_popcount SAME
#define DECLARE_add_sat SAME
#define DECLARE_sub_sat SAME
#define DECLARE_hadd SAME
#define DECLARE_rhadd SAME
#define DECLARE_max SAME
#define DECLARE_min SAME
#define DECLARE_mul_hi SAME
#define DECLARE_rotate SAME
#define DECLARE_clamp SAME
#define DECLARE_mad_hi SAME
#define DECLARE_mad_sat SAME
#define FN(name, n) \
    ARGS##n(name, char) ARGS##n(name, uchar) ARGS##n(name, short) ARGS##n(name, ushort) \
    ARGS##n(name, int) ARGS##n(name, uint) ARGS##n(name, long) ARGS##n(name, ulong)
#include "exact.def"

/* --- conversions ------------------------------------------------------------------------------ */

#define FROM_FLOAT(D, mode) \
    D OVL convert_##D##_sat##mode(float); \
    void from_float_##D##mode(const float *x, long *r, int n) \
    { \
        for (int i = 0; i < n; i++) \
            r[i] = (long)convert_##D##_sat##mode(x[i]); \
    }
#define TO_FLOAT(S, mode) \
    float OVL convert_float##mode(S); \
    void to_float_##S##mode(const long *x, float *r, int n) \
    { \
        for (int i = 0; i < n; i++) \
            r[i] = convert_float##mode((S)x[i]); \
    }
#define MODES(M, T) M(T, ) M(T, _rte) M(T, _rtz) M(T, _rtp) M(T, _rtn)
#define BOTH(T) MODES(FROM_FLOAT, T) MODES(TO_FLOAT, T)
EACH_INT(BOTH)

float OVL vload_half(size_t, const half *);
void load_half(const half *x, float *r, int n)
{
    for (int i = 0; i < n; i++)
        r[i] = vload_half(i, x);
}
#define STORE_HALF(mode) \
    void OVL vstore_half##mode(float, size_t, __private half *); \
    void store_half##mode(const float *x, ushort *r, int n) \
    { \
        for (int i = 0; i < n; i++) { \
            ushort h; \
            vstore_half##mode(x[i], 0, (__private half *)&h); \
            r[i] = h; \
        } \
    }
STORE_HALF() STORE_HALF(_rte) STORE_HALF(_rtz) STORE_HALF(_rtp) STORE_HALF(_rtn)

/* --- two results ------------------------------------------------------------------------------ */

#define TWO_RESULTS(name, P) \
    float OVL name(float, P *); \
    void run_##name(const float *x, float *r, P *p, int n) \
    { \
        for (int i = 0; i < n; i++) \
            r[i] = name(x[i], p + i); \
    }
TWO_RESULTS(frexp, int) TWO_RESULTS(modf, float) TWO_RESULTS(fract, float)

int OVL ilogb(float);
void run_ilogb(const float *x, int *r, int n)
{
    for (int i = 0; i < n; i++)
        r[i] = ilogb(x[i]);
}

float OVL remquo(float, float, int *);
void run_remquo(const float *x, const float *y, float *r, int *q, int n)
{
    for (int i = 0; i < n; i++)
        r[i] = remquo(x[i], y[i], q + i);
}
