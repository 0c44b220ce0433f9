/* fp16.cl -- loops over the library's functions of half under names that C knows (fp16.c). */
#include "ventus.h"

#define LOOP1(name) \
    half OVL name(half); \
    void run_h_##name(const ushort *x, ushort *r, int n) { for (int i = 0; i < n; i++) r[i] = as_ushort(name(as_half(x[i]))); }
#define LOOP2(name, T, from, to) \
    half OVL name(half, T); \
    void run_h_##name(const ushort *x, const from *y, ushort *r, int n) \
    { \
        for (int i = 0; i < n; i++) \
            r[i] = as_ushort(name(as_half(x[i]), to(y[i]))); \
    }

#define ONE(name, ...) LOOP1(name)
#define TWO(name, ...) LOOP2(name, half, ushort, as_half)
#define MIX(name, ...) LOOP2(name, int, int, )
#include "fp16.def"
