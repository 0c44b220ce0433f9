/* accuracy.cl -- loops over the library's functions under names that C knows (test/accuracy/accuracy.c). */
#include "ventus.h"

#define LOOP1(name) \
    float OVL name(float); \
    void run_##name(const float *x, float *r, int n) { for (int i = 0; i < n; i++) r[i] = name(x[i]); }
#define LOOP2(name, T) \
    float OVL name(float, T); \
    void run_##name(const float *x, const T *y, float *r, int n) { for (int i = 0; i < n; i++) r[i] = name(x[i], y[i]); }

#define ONE(name, ...) LOOP1(name)
#define TWO(name, ...) LOOP2(name, float)
#define MIX(name, ...) LOOP2(name, int)
#include "accuracy.def"

/* the functions behind LLVM's operations, which a host has instructions for */
#define OWN(name) \
    void run_own_##name(const float *x, float *r, int n) { for (int i = 0; i < n; i++) r[i] = __ventus_##name##f(x[i]); }
OWN(floor) OWN(ceil) OWN(trunc) OWN(rint) OWN(round)
