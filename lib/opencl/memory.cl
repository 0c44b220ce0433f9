/* memory.cl -- vectors in memory that is aligned for their elements only, and half as storage. */
#include "half.h"

#define EACH_SOURCE(M, ...) M(__constant, __VA_ARGS__) EACH_SPACE(M, __VA_ARGS__)

#define AT2(p) (p)[0], (p)[1]
#define AT3(p) AT2(p), (p)[2]
#define AT4(p) AT2(p), AT2((p) + 2)
#define AT8(p) AT4(p), AT4((p) + 4)
#define AT16(p) AT8(p), AT8((p) + 8)

/* Elements as these functions touch them: programs look at them as other types before and after. */
#define ALIAS(T) typedef T __attribute__((may_alias)) any_##T;
EACH_INT(ALIAS) ALIAS(float) ALIAS(double) ALIAS(half)

#define LOAD(S, T, n) \
    T##n FLAT vload##n(size_t i, const S T *from) \
    { \
        const S any_##T *p = (const S any_##T *)from + i * n; \
        return (T##n)(AT##n(p)); \
    }
#define STORE(S, T, n) \
    void FLAT vstore##n(T##n x, size_t i, S T *to) \
    { \
        S any_##T *p = (S any_##T *)to + i * n; \
        for (int k = 0; k < n; k++) \
            p[k] = x[k]; \
    }
#define LOAD_STORE(T, n) EACH_SOURCE(LOAD, T, n) EACH_SPACE(STORE, T, n)
#define WIDTHS(T) LOAD_STORE(T, 2) LOAD_STORE(T, 3) LOAD_STORE(T, 4) LOAD_STORE(T, 8) LOAD_STORE(T, 16)
EACH_INT(WIDTHS)
WIDTHS(float) WIDTHS(double) WIDTHS(half)

/* --- half to float ---------------------------------------------------------------------- */

#define BITS(S, p) ((const S any_ushort *)(p))
#define H2(S, p, i) from_half(BITS(S, p)[i]), from_half(BITS(S, p)[(i) + 1])
#define H3(S, p, i) H2(S, p, i), from_half(BITS(S, p)[(i) + 2])
#define H4(S, p, i) H2(S, p, i), H2(S, p, (i) + 2)
#define H8(S, p, i) H4(S, p, i), H4(S, p, (i) + 4)
#define H16(S, p, i) H8(S, p, i), H8(S, p, (i) + 8)

/* the aligned form of three elements takes the place of four */
#define LOAD_HALF(S, n, stride) \
    float##n OVL vload_half##n(size_t i, const S half *p) { i *= n; return (float##n)(H##n(S, p, i)); } \
    float##n OVL vloada_half##n(size_t i, const S half *p) { i *= stride; return (float##n)(H##n(S, p, i)); }
#define LOAD_HALF1(S, name) float OVL name(size_t i, const S half *p) { return from_half(BITS(S, p)[i]); }
EACH_SOURCE(LOAD_HALF1, vload_half) EACH_SOURCE(LOAD_HALF1, vloada_half)
EACH_SOURCE(LOAD_HALF, 2, 2) EACH_SOURCE(LOAD_HALF, 3, 4) EACH_SOURCE(LOAD_HALF, 4, 4)
EACH_SOURCE(LOAD_HALF, 8, 8) EACH_SOURCE(LOAD_HALF, 16, 16)

/* --- float to half ----------------------------------------------------------------------- */

static float OVL single(float x) { return x; }
static float OVL single(double x) { return odd(x); }

#define STORE_HALF(S, T, n, stride, mode) \
    void OVL vstore_half##n##mode(T##n x, size_t i, S half *p) \
    { \
        for (int k = 0; k < n; k++) \
            ((S any_ushort *)p)[i * n + k] = to_half##mode(single(x[k])); \
    } \
    void OVL vstorea_half##n##mode(T##n x, size_t i, S half *p) \
    { \
        for (int k = 0; k < n; k++) \
            ((S any_ushort *)p)[i * stride + k] = to_half##mode(single(x[k])); \
    }
#define STORE_HALF1(S, T, mode) \
    void OVL vstore_half##mode(T x, size_t i, S half *p) { ((S any_ushort *)p)[i] = to_half##mode(single(x)); } \
    void OVL vstorea_half##mode(T x, size_t i, S half *p) { ((S any_ushort *)p)[i] = to_half##mode(single(x)); }
#define STORE_TYPE(T, mode) \
    EACH_SPACE(STORE_HALF1, T, mode) EACH_SPACE(STORE_HALF, T, 2, 2, mode) EACH_SPACE(STORE_HALF, T, 3, 4, mode) \
    EACH_SPACE(STORE_HALF, T, 4, 4, mode) EACH_SPACE(STORE_HALF, T, 8, 8, mode) EACH_SPACE(STORE_HALF, T, 16, 16, mode)
#define STORE_MODE(mode) STORE_TYPE(float, mode) STORE_TYPE(double, mode)
STORE_MODE() STORE_MODE(_rte) STORE_MODE(_rtz) STORE_MODE(_rtp) STORE_MODE(_rtn)
