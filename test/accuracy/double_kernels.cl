/* double_kernels.cl -- each function of test/accuracy/double.def as a kernel, for test/script/devlib_test.sh. */
#define KERNEL(name, ...) \
    kernel void k_##name(global const double *x, global const double *y, global double *r) \
    { \
        size_t i = get_global_id(0); \
        r[i] = name(__VA_ARGS__); \
    }
#define ONE(name, ...) KERNEL(name, x[i])
#define TWO(name, ...) KERNEL(name, x[i], y[i])
#define MIX(name, ...) KERNEL(name, x[i], convert_int_sat(y[i]))
#include "double.def"
