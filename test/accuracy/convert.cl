/* convert.cl -- loops over conversions of the library under names that C knows (test/accuracy/convert.c). */
#include "ventus.h"

#define CONVERT(name, D, S, saturates, mode) \
    D OVL convert_##name(S); \
    void run_##name##_from_##S(const S *x, D *r, int n) \
    { \
        for (int i = 0; i < n; i++) \
            r[i] = convert_##name(x[i]); \
    }
#include "convert.def"

/* Vectors of every width: how many of their components are not what the scalar conversion makes. */
#define SAME(a, b) ((a) == (b) || ((a) != (a) && (b) != (b)))
#define VECTOR(name, more, D, S, w) \
    D##w OVL convert_##name##w##more(S##w); \
    int vector_##name##w##more##_from_##S(const S *x, int n) \
    { \
        int differ = 0; \
        for (int i = 0; i + w <= n; i += w) { \
            S##w v = 0; \
            for (int k = 0; k < w; k++) \
                v[k] = x[i + k]; \
            D##w r = convert_##name##w##more(v); \
            for (int k = 0; k < w; k++) { \
                D one = convert_##name##more(x[i + k]); \
                differ += !SAME(r[k], one); \
            } \
        } \
        return differ; \
    }
#define VECTORS(name, more, D, S) \
    VECTOR(name, more, D, S, 2) VECTOR(name, more, D, S, 3) VECTOR(name, more, D, S, 4) VECTOR(name, more, D, S, 8) \
    VECTOR(name, more, D, S, 16)
#define VECTOR_MODES(name, sat, D, S) \
    VECTORS(name, sat, D, S) VECTORS(name, sat##_rte, D, S) VECTORS(name, sat##_rtz, D, S) VECTORS(name, sat##_rtp, D, S) \
    VECTORS(name, sat##_rtn, D, S)
VECTOR_MODES(short, , short, int) VECTOR_MODES(short, _sat, short, double) VECTOR_MODES(float, , float, double)
