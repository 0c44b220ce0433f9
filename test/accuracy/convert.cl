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
    VECTORS(name, sat, D, S) VECTORS(name, sat##_rte, D, S) VECTORS(name, sat##_rtz, D, S) \
    VECTORS(name, sat##_rtp, D, S) VECTORS(name, sat##_rtn, D, S)
VECTOR_MODES(short, , short, int) VECTOR_MODES(short, _sat, short, double) VECTOR_MODES(float, , float, double)

/* Halves in memory: the second vector of an array, close to the first or at a multiple of its size, and the
 * words around it, which stay.  How many are not what the scalar conversion makes. */
enum { ROOM = 50, UNTOUCHED = 0xabcd };
static bool is_nan(ushort h) { return (h & 0x7fff) > 0x7c00; }
static int wrong(ushort got, ushort want) { return got != want && !(is_nan(got) && is_nan(want)); }
static void clear(ushort *to) { for (int k = 0; k < ROOM; k++) to[k] = UNTOUCHED; }
#define STORE(T, n, width, stride, mode) \
    void OVL vstore_half##n##mode(T##n, size_t, __private half *); \
    void OVL vstorea_half##n##mode(T##n, size_t, __private half *); \
    int store_##T##n##mode(const T *x, int count) \
    { \
        int differ = 0; \
        for (int i = 0; i + width <= count; i += width) { \
            ushort close[ROOM], apart[ROOM]; \
            T##n v = 0; \
            for (int k = 0; k < width; k++) \
                ((__private T *)&v)[k] = x[i + k]; \
            clear(close), clear(apart); \
            vstore_half##n##mode(v, 1, (__private half *)close); \
            vstorea_half##n##mode(v, 1, (__private half *)apart); \
            for (int k = 0; k < ROOM; k++) { \
                ushort a = UNTOUCHED, b = UNTOUCHED; \
                if (k >= width && k < 2 * width) \
                    a = as_ushort(convert_half##mode(x[i + k - width])); \
                if (k >= stride && k < stride + width) \
                    b = as_ushort(convert_half##mode(x[i + k - stride])); \
                differ += wrong(close[k], a) + wrong(apart[k], b); \
            } \
        } \
        return differ; \
    }
#define STORE_MODES(T, n, width, stride) \
    STORE(T, n, width, stride, ) STORE(T, n, width, stride, _rte) STORE(T, n, width, stride, _rtz) \
    STORE(T, n, width, stride, _rtp) STORE(T, n, width, stride, _rtn)
#define STORES(T) \
    STORE_MODES(T, , 1, 1) STORE_MODES(T, 2, 2, 2) STORE_MODES(T, 3, 3, 4) STORE_MODES(T, 4, 4, 4) \
    STORE_MODES(T, 8, 8, 8) STORE_MODES(T, 16, 16, 16)
STORES(float) STORES(double)

#define LOAD(n, width, stride) \
    float##n OVL vload_half##n(size_t, const __private half *); \
    float##n OVL vloada_half##n(size_t, const __private half *); \
    int load_##n(const ushort *x, int count) \
    { \
        int differ = 0; \
        for (int i = 0; i + 2 * stride <= count; i += stride) { \
            const __private half *at = (const __private half *)x + i; \
            float##n close = vload_half##n(1, at), apart = vloada_half##n(1, at); \
            for (int k = 0; k < width; k++) { \
                float a = convert_float(as_half(x[i + width + k])); \
                float b = convert_float(as_half(x[i + stride + k])); \
                differ += !SAME(((__private float *)&close)[k], a) + !SAME(((__private float *)&apart)[k], b); \
            } \
        } \
        return differ; \
    }
LOAD(, 1, 1) LOAD(2, 2, 2) LOAD(3, 3, 4) LOAD(4, 4, 4) LOAD(8, 8, 8) LOAD(16, 16, 16)

/* Vectors of every type and width in memory, likewise. */
#define BYTES(p, k) (((__private const uchar *)(p))[k])
#define MEMORY(T, n) \
    T##n OVL vload##n(size_t, const __private T *); \
    void OVL vstore##n(T##n, size_t, __private T *); \
    int memory_##T##n(const T *x, int count) \
    { \
        int differ = 0; \
        for (int i = 0; i + 2 * n <= count; i += n) { \
            T room[3 * n], want[3 * n]; \
            for (int k = 0; k < 3 * n; k++) { \
                room[k] = x[0]; \
                want[k] = k >= 2 * n ? x[i + k - n] : x[0]; \
            } \
            vstore##n(vload##n(1, (const __private T *)x + i), 2, (__private T *)room); \
            for (uint k = 0; k < sizeof room; k++) \
                differ += BYTES(room, k) != BYTES(want, k); \
        } \
        return differ; \
    }
#define MEMORIES(T) MEMORY(T, 2) MEMORY(T, 3) MEMORY(T, 4) MEMORY(T, 8) MEMORY(T, 16)
EACH_INT(MEMORIES) MEMORIES(float) MEMORIES(double)
