/* double.cl -- loops over the library's functions of double under names that C knows (double.c). */
#include "ventus.h"

#define LOOP1(name) \
    double OVL name(double); \
    void run_d_##name(const double *x, double *r, int n) { for (int i = 0; i < n; i++) r[i] = name(x[i]); }
#define LOOP2(name, T) \
    double OVL name(double, T); \
    void run_d_##name(const double *x, const T *y, double *r, int n) { for (int i = 0; i < n; i++) r[i] = name(x[i], y[i]); }

#define ONE(name, ...) LOOP1(name)
#define TWO(name, ...) LOOP2(name, double)
#define MIX(name, ...) LOOP2(name, int)
#include "double.def"
